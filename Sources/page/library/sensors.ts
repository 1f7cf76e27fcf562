import type { ClaimedSensor, HeartRate, SensorInfo, Status } from "service";
import type { Stop } from "./part";
import type { Person } from "./person";
import { parsed } from "./requests";

/** A sensor of a gateway's, and what that gateway says of it, as far as the person may see that. */
export interface Seen {
  gateway: string;
  sensor: string;
  info: SensorInfo | null;
  /** Null while nothing is known. */
  isOnline: boolean | null;
  isGatewayOnline: boolean | null;
  /** The latest heart rate, and when it arrived here. */
  beat: Beat | null;
}

/** A sensor of the person's. */
export interface Sensor extends Seen {
  claim: ClaimedSensor;
}

export interface Beat {
  bpm: number;
  /** Whether the sensor touches the skin; undefined if it does not know. */
  contact: boolean | undefined;
  /** When it arrived, on this machine's clock: the gateway's may be another. */
  arrived: number;
}

/** How long heart rates are remembered for the trace. */
export const traceMilliseconds = 180_000;
/** A heart rate is live for this long. */
export const liveMilliseconds = 5_000;

/** The person's sensors, and their live heart rates. `change` is dispatched when something was said of a sensor, `beat` at each heart
 *  rate, and `list` when there are others. */
export class Sensors extends EventTarget {
  /** Undefined until the service has said which there are. */
  list: Sensor[] | undefined;
  readonly #person: Person;
  #trace: Beat[] = [];
  #traced: Sensor | null = null;
  #stops: Stop[] = [];
  /** The topics that were heard since the connection began. */
  #heard = new Set<string>();

  constructor(person: Person) {
    super();
    this.#person = person;
    person.broker.addEventListener("change", () => {
      if (person.broker.state === "connecting") this.#heard = new Set();
    });
    person.hear("notifications", (value) => {
      if ((value as { kind?: string } | undefined)?.kind === "sensor-lost") void this.load();
    });
  }

  /** Asks which sensors there are, and follows them. */
  async load(): Promise<void> {
    const claims = await this.#person.ask("sensors/list", {}).then(({ sensors }) => sensors, () => null);
    if (!claims) return;
    for (const sensor of this.list ?? []) this.#forget(sensor);
    const key = (claim: ClaimedSensor) => `${claim.gateway}/${claim.sensor}`;
    const isSame = this.list?.map(({ claim }) => key(claim)).join() === claims.map(key).join();
    if (isSame) return;
    for (const stop of this.#stops.splice(0)) stop();
    const known = new Map(this.list?.map((sensor) => [key(sensor.claim), sensor]));
    this.list = claims.map((claim) =>
      known.get(key(claim)) ?? { ...claim, claim, info: null, isOnline: null, isGatewayOnline: null, beat: null });
    for (const sensor of this.list) this.#follow(sensor);
    this.dispatchEvent(new Event("list"));
  }

  /** The sensor whose heart rate is shown: the one that is worn, of several. */
  get shown(): Sensor | null {
    const now = Date.now();
    const live = (this.list ?? []).filter(({ beat }) => beat && now - beat.arrived < liveMilliseconds);
    return live.find(({ beat }) => beat?.contact !== false) ?? live[0] ?? this.#traced;
  }

  /** The heart rates of the last minutes, the latest last. */
  get trace(): readonly Beat[] {
    return this.#trace;
  }

  #follow(sensor: Sensor): void {
    const { gateway, sensor: name } = sensor.claim;
    const root = `vitals/v1/gateways/${gateway}`;
    const hear = (topic: string, act: (text: string) => void) => this.#person.broker.listen(topic, ({ text }) => {
      this.#heard.add(topic);
      act(text);
      this.dispatchEvent(new Event("change"));
    });
    this.#stops.push(
      hear(`${root}/status`, (text) => { sensor.isGatewayOnline = (parsed(text) as Status | undefined)?.state === "online"; }),
      hear(`${root}/sensors/${name}/availability`, (text) => { sensor.isOnline = text === "online"; }),
      hear(`${root}/sensors/${name}/info`, (text) => { sensor.info = (parsed(text) as SensorInfo | undefined) ?? null; }),
      this.#person.broker.listen(`${root}/sensors/${name}/heart-rate`, ({ text }) => {
        const said = parsed(text) as HeartRate | undefined;
        if (said) this.#beat(sensor, said);
      }),
    );
  }

  /** Forgets what is retained, and has not come again with the connection: it was cleared while the page was away. It comes before any reply. */
  #forget(sensor: Sensor): void {
    const root = `vitals/v1/gateways/${sensor.gateway}`;
    if (!this.#heard.has(`${root}/status`)) sensor.isGatewayOnline = null;
    if (!this.#heard.has(`${root}/sensors/${sensor.sensor}/availability`)) sensor.isOnline = null;
    if (!this.#heard.has(`${root}/sensors/${sensor.sensor}/info`)) sensor.info = null;
    this.dispatchEvent(new Event("change"));
  }

  #beat(sensor: Sensor, said: HeartRate): void {
    const now = Date.now();
    sensor.beat = { bpm: said.bpm, contact: said.contact, arrived: now };
    if (this.shown === sensor) {
      if (this.#traced !== sensor) this.#trace = [];
      this.#traced = sensor;
      while (this.#trace[0] && now - this.#trace[0].arrived > traceMilliseconds) this.#trace.shift();
      this.#trace.push(sensor.beat);
    }
    this.dispatchEvent(new Event("beat"));
  }
}

/** Whether a heart rate counts: less than 25 and more than 240 are no heart's, and without skin there is none. */
export function counts(beat: Beat): boolean {
  return beat.bpm >= 25 && beat.bpm <= 240 && beat.contact !== false;
}

/** What a sensor is called: what its person or its maker says. */
export function nameOf({ gateway, sensor, info }: Seen): string {
  return typeof info?.name === "string" ? info.name : `${gateway}/${sensor}`;
}
