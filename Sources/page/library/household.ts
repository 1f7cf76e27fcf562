import type { EnrolledGateway, Event as GatewayEvent, GatewayInfo, Gateways, Health, Music, SensorInfo, Status } from "service";
import { drawn, type Message } from "./broker";
import type { Stop } from "./part";
import type { Person } from "./person";
import { parsed, Refusal, Requests } from "./requests";
import { nameOf, type Seen } from "./sensors";
import { say } from "./words";

const root = "vitals/v1/gateways";
/** Nobody has more gateways, and no gateway more sensors: what comes beyond that is not kept. */
const most = 64;

/** A gateway of the person's, or one that everybody in this home may look at, and what it says as far as the person may hear it. */
export class Gateway {
  readonly id: string;
  /** Null if somebody else has enrolled it. */
  enrolled: EnrolledGateway | null = null;
  /** Null while nothing is heard of it: then it is not the person's to look at, or has never been there. */
  status: Status | null = null;
  info: GatewayInfo | null = null;
  health: Health | null = null;
  music: Music | null = null;
  readonly sensors = new Map<string, Seen>();
  /** What was wrong with a sensor last, as the gateway said while the page listened. */
  readonly troubles = new Map<string, GatewayEvent>();
  readonly #person: Person;
  readonly #changed: () => void;
  readonly #hearers = new Set<(event: GatewayEvent) => void>();
  #requests: Requests | null = null;
  #stops: Stop[] = [];
  /** What was heard since the connection began: the names of topics, and of sensors. */
  #heard = new Set<string>();

  constructor(id: string, person: Person, changed: () => void) {
    this.id = id;
    this.#person = person;
    this.#changed = changed;
  }

  get name(): string {
    return this.enrolled?.name || this.id;
  }

  get isOnline(): boolean {
    return this.status?.state === "online";
  }

  /** Whether the person may hear it, and so ask it. */
  get isHeard(): boolean {
    return this.status !== null;
  }

  /** Asks the gateway itself, as its household may.
   *  @param seconds how long to wait */
  ask<Verb extends keyof Gateways & string>(verb: Verb, fields: Gateways[Verb]["asks"], seconds = 10): Promise<Gateways[Verb]["replies"]> {
    const { broker } = this.#person;
    if (broker.state !== "online") return Promise.reject(new Refusal("offline", ""));
    if (!this.isOnline) return Promise.reject(new Refusal("not-ready", say("gatewayGone")));
    this.#requests ??= new Requests(broker, `${root}/${this.id}/responses/page-${drawn()}`, true);
    return this.#requests.ask(`${root}/${this.id}/requests/${verb}`, fields, seconds) as Promise<Gateways[Verb]["replies"]>;
  }

  /** Calls `act` with everything that happens at the gateway. */
  hear(act: (event: GatewayEvent) => void): Stop {
    this.#hearers.add(act);
    return () => this.#hearers.delete(act);
  }

  /** Listens to it, or does so once more: at the first time, the broker may not have known yet that the person may. */
  follow(): void {
    this.stop();
    const hear = (name: string, act: (message: Message) => void) =>
      this.#stops.push(this.#person.broker.listen(`${root}/${this.id}/${name}`, (message) => {
        this.#heard.add(name);
        act(message);
        this.#changed();
      }));
    hear("status", ({ text }) => {
      this.status = read<Status>(text);
      for (const sensor of this.sensors.values()) sensor.isGatewayOnline = this.isOnline;
    });
    hear("info", ({ text }) => { this.info = read(text); });
    hear("health", ({ text }) => { this.health = read(text); });
    hear("music", ({ text }) => { this.music = read(text); });
    hear("sensors/+/info", ({ topic, text }) => this.#hearSensor(topic, text, (sensor) => { sensor.info = read<SensorInfo>(text); }));
    hear("sensors/+/availability", ({ topic, text }) => this.#hearSensor(topic, text, (sensor) => { sensor.isOnline = text === "online"; }));
    hear("events", ({ text }) => {
      const event = read<GatewayEvent>(text);
      if (event) this.#happened(event);
    });
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** A connection begins: all that is retained comes again. */
  connects(): void {
    this.#heard = new Set();
  }

  /** Forgets what has not come again by now: it was cleared while the page was away. */
  forget(): void {
    for (const name of ["status", "info", "health", "music"] as const) if (!this.#heard.has(name)) this[name] = null;
    for (const [sensor, seen] of this.sensors) {
      seen.isGatewayOnline = this.isOnline;
      if (!this.#heard.has(`sensors/${sensor}`)) this.#lose(sensor);
    }
  }

  #lose(sensor: string): void {
    this.sensors.delete(sensor);
    this.troubles.delete(sensor);
  }

  /** An empty message says that the sensor is gone. */
  #hearSensor(topic: string, text: string, act: (sensor: Seen) => void): void {
    const sensor = topic.split("/")[5] ?? "";
    if (text === "") {
      this.#lose(sensor);
      this.#heard.delete(`sensors/${sensor}`);
      return;
    }
    const seen = this.sensors.get(sensor)
      ?? { gateway: this.id, sensor, info: null, isOnline: null, isGatewayOnline: this.isOnline, beat: null };
    if (this.sensors.size >= most && !this.sensors.has(sensor)) return;
    // Only of what is kept: a gateway may name ever new ones.
    this.#heard.add(`sensors/${sensor}`);
    this.sensors.set(sensor, seen);
    act(seen);
  }

  #happened(event: GatewayEvent): void {
    const { kind, sensor } = event;
    if (sensor && /^(bond-lost|other-device|silent)$/.test(kind) && this.sensors.has(sensor)) this.troubles.set(sensor, event);
    if (sensor && /^(connected|forgotten)$/.test(kind)) this.troubles.delete(sensor);
    for (const act of [...this.#hearers]) act(event);
  }
}

/** The gateways that the person has enrolled, and those that everybody in this home may look at. Nothing is followed before a view asks
 *  for it. `change` is dispatched when a gateway has said something, or when there are others. */
export class Household extends EventTarget {
  readonly #person: Person;
  readonly #gateways = new Map<string, Gateway>();
  #isFollowed = false;
  /** Why the service has not said it. */
  failure: Refusal | null = null;
  /** Whether the service has said which gateways are the person's. */
  #isKnown = false;

  constructor(person: Person) {
    super();
    this.#person = person;
    person.broker.addEventListener("change", () => {
      if (person.broker.state === "connecting") for (const gateway of this.#gateways.values()) gateway.connects();
    });
  }

  /** By their names; undefined until the service has said which there are. */
  get list(): Gateway[] | undefined {
    if (!this.#isKnown) return undefined;
    return [...this.#gateways.values()].filter(({ enrolled, isHeard }) => enrolled || isHeard)
      .sort((one, other) => one.name.localeCompare(other.name));
  }

  get(id: string): Gateway | undefined {
    return this.#gateways.get(id);
  }

  /** The person's sensors, and those of the gateways that they hear, by their names. */
  get sensors(): Seen[] {
    const own = this.#person.sensors.list ?? [];
    const isOwn = ({ gateway, sensor }: Seen) => own.some((one) => one.gateway === gateway && one.sensor === sensor);
    const others = (this.list ?? []).flatMap(({ sensors }) => [...sensors.values()].filter((seen) => !isOwn(seen)));
    return [...own, ...others].sort((one, other) => nameOf(one).localeCompare(nameOf(other)));
  }

  /** Asks which gateways there are, and follows them. */
  async load(): Promise<void> {
    const changed = () => { this.dispatchEvent(new Event("change")); };
    if (!this.#isFollowed) {
      this.#isFollowed = true;
      // Where everybody may look at all gateways, the broker lets this pass; elsewhere it does not.
      this.#person.broker.listen(`${root}/+/status`, ({ topic, text }) => {
        const id = topic.split("/")[3] ?? "";
        if (text !== "") this.#gateway(id);
      });
    }
    let gateways: EnrolledGateway[];
    try {
      ({ gateways } = await this.#person.ask("gateways/list", {}));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.failure = error;
      return changed();
    }
    this.failure = null;
    this.#isKnown = true;
    // What is retained comes before any reply.
    for (const gateway of this.#gateways.values()) gateway.forget();
    for (const enrolled of gateways) {
      const gateway = this.#gateway(enrolled.gateway);
      if (!gateway) continue;
      gateway.enrolled = enrolled;
      if (enrolled.household && !gateway.isHeard) gateway.follow();
    }
    for (const [id, gateway] of this.#gateways) {
      if (!gateway.enrolled || gateways.some((one) => one.gateway === id)) continue;
      gateway.stop();
      this.#gateways.delete(id);
    }
    changed();
  }

  /** The gateway of an id, which is followed from now on. */
  #gateway(id: string): Gateway | null {
    const known = this.#gateways.get(id);
    if (known) return known;
    if (this.#gateways.size >= most) return null;
    const made = new Gateway(id, this.#person, () => this.dispatchEvent(new Event("change")));
    this.#gateways.set(id, made);
    made.follow();
    return made;
  }
}

function read<Value>(text: string): Value | null {
  return (text === "" ? null : parsed(text) as Value | undefined) ?? null;
}
