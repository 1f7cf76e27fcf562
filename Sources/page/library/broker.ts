import { Buffer } from "buffer/";
import MqttClient, { type Properties } from "mqtt/lib/client.js";
import type { Stop } from "./part";
import { socketStream } from "./socket";

/** - connecting: for the first time, or after a cut;
 *  - online: the broker has let the page in, and everything that is listened to is subscribed;
 *  - offline: it cannot be reached, and is tried again;
 *  - refused: the broker does not know the device any longer, and is not tried again;
 *  - closed: by the page. */
export type State = "connecting" | "online" | "offline" | "refused" | "closed";

/** What the page signs in to the broker with; null for a guest. */
export interface SignIn {
  device: string;
  password: string;
}

export interface Message {
  topic: string;
  text: string;
  /** The request that this replies to; empty if it is no reply. */
  correlation: string;
}

/** Letters and digits that nobody can guess: 32 hexadecimal digits. */
export function drawn(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** After so long without anything from the broker, in milliseconds, it is asked whether it is there; after so long without its answer,
 *  nobody knows how things are at home; and after so long again, another connection is tried. */
const asksAfter = 4_000, silentAfter = 1_000, cutAfter = 10_000;

/** The page's connection to the broker. It comes back by itself, and subscribes again; `change` is dispatched when its state changes, and
 *  `silence` when the broker falls silent or is heard again.
 *
 *  A new MQTT.js client is made for each try: MQTT.js would come back by itself, too, but at one pace for ever, and with what was
 *  published meanwhile, which the page decides itself. */
export class Broker extends EventTarget {
  #state: State = "closed";
  #since = Date.now();
  #client: MqttClient | null = null;
  /** How many bytes wait to be sent. */
  #unsent = () => 0;
  #listeners = new Map<string, Set<(message: Message) => void>>();
  /** The ids of messages that were acknowledged and heard by nobody, until whoever published them is told. */
  readonly #unheard = new Set<number>();
  #failures = 0;
  #heardAt = Date.now();
  /** Since when the broker has been heard without a gap. */
  #heardSince = Infinity;
  #isSilent = false;
  #listening: ReturnType<typeof setTimeout> | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;
  readonly #address: string;
  readonly #signIn: SignIn | null;
  readonly #retry = () => this.#tryNow();
  readonly #look = () => this.#expect();

  /** @param address of the WebSocket */
  constructor(address: string, signIn: SignIn | null) {
    super();
    this.#address = address;
    this.#signIn = signIn;
  }

  get state(): State {
    return this.#state;
  }

  /** When the state became what it is, in Unix milliseconds. */
  get since(): number {
    return this.#since;
  }

  /** When anything came last from the broker, in Unix milliseconds. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** Whether the broker does not answer, on a connection that nobody has cut. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Whether the broker was there for so long since a time: then what has not come in the meantime was not sent. */
  vouches(since: number, milliseconds: number): boolean {
    return this.#state === "online" && this.#heardAt >= Math.max(since, this.#heardSince) + milliseconds;
  }

  open(): void {
    addEventListener("online", this.#retry);
    document.addEventListener("visibilitychange", this.#retry);
    document.addEventListener("visibilitychange", this.#look);
    this.#connect();
  }

  close(): void {
    removeEventListener("online", this.#retry);
    document.removeEventListener("visibilitychange", this.#retry);
    document.removeEventListener("visibilitychange", this.#look);
    clearTimeout(this.#again);
    this.#become("closed");
    this.#client?.end(true);
    this.#client = null;
  }

  /** Calls `act` with each message of a filter, from now on and after each cut. Whatever is retained comes once more after a cut. */
  listen(filter: string, act: (message: Message) => void): Stop {
    const acts = this.#listeners.get(filter) ?? new Set();
    acts.add(act);
    this.#listeners.set(filter, acts);
    // Also if somebody else listens already: the broker then says once more what is retained.
    if (this.#state === "online") this.#client?.subscribe(filter, { qos: 1 }, () => {});
    return () => {
      acts.delete(act);
      if (acts.size > 0 || this.#listeners.get(filter) !== acts) return;
      this.#listeners.delete(filter);
      if (this.#state === "online") this.#client?.unsubscribe(filter, () => {});
    };
  }

  /** Resolves when the broker has taken note that nobody listens to a filter any more: what comes until then still arrives. */
  unsubscribe(filter: string): Promise<void> {
    return new Promise((done) => {
      if (this.#state !== "online" || !this.#client) return done();
      this.#client.on("close", () => done());
      this.#client.unsubscribe(filter, () => done());
    });
  }

  /** Publishes at QoS 1, if the page is online.
   *  @param unheard is called if nobody was there to hear it */
  publish(topic: string, text: string, reply: { topic: string; correlation: string; seconds: number }, unheard: () => void): void {
    if (this.#state !== "online") return;
    const properties: Properties = {
      responseTopic: reply.topic,
      correlationData: Buffer.from(reply.correlation),
      messageExpiryInterval: reply.seconds,
    };
    this.#client?.publish(topic, text, { qos: 1, properties }, (_, published) => published && this.#unheard.delete(published.messageId) && unheard());
  }

  #connect(): void {
    this.#become("connecting");
    const socket = new WebSocket(this.#address, "mqtt");
    this.#unsent = () => socket.bufferedAmount;
    const client = new MqttClient(() => socketStream(socket), {
      // Somebody who knows a client's id can disconnect it.
      clientId: `page-${drawn()}`,
      protocolVersion: 5,
      clean: true,
      keepalive: 20,
      connectTimeout: 10_000,
      reconnectPeriod: 0,
      resubscribe: false,
      ...(this.#signIn && { username: this.#signIn.device, password: this.#signIn.password }),
    });
    this.#client = client;
    let isRefused = false;
    this.#unheard.clear();
    // MQTT 5's "no matching subscribers", which MQTT.js tells nobody.
    client.on("packetreceive", ({ cmd, messageId, reasonCode }) => {
      if (this.#client !== client) return;
      const now = Date.now();
      if (this.#state !== "online" || now - this.#heardAt > asksAfter + silentAfter) this.#heardSince = now;
      this.#heardAt = now;
      this.#fallSilent(false);
      this.#expect();
      if (cmd === "puback" && reasonCode === 16 && messageId !== undefined) this.#unheard.add(messageId);
    });
    client.on("connect", () => this.#subscribeAll(client));
    client.on("message", (topic, payload, packet) =>
      this.#heard({ topic, text: payload.toString(), correlation: packet.properties?.correlationData?.toString() ?? "" }));
    client.on("error", (error) => {
      // MQTT 5's "bad user name or password" and "not authorized".
      isRefused ||= error.code === 134 || error.code === 135;
      client.end(true);
    });
    client.on("close", () => {
      if (this.#client !== client) return;
      this.#client = null;
      if (isRefused) this.#become("refused");
      else this.#comeBack();
    });
  }

  #subscribeAll(client: MqttClient): void {
    const filters = [...this.#listeners.keys()];
    const isOnline = () => {
      if (this.#client !== client) return;
      this.#failures = 0;
      this.#become("online");
    };
    if (filters.length === 0) return isOnline();
    let open = filters.length;
    for (const filter of filters) client.subscribe(filter, { qos: 1 }, () => (open -= 1) || isOnline());
  }

  /** Waits until something comes from the broker, and asks it if nothing does. Only while somebody looks at the page: otherwise the slow
   *  keep-alive does, and neither a radio nor a processor is woken for it. */
  #expect(): void {
    clearTimeout(this.#listening);
    if (document.visibilityState === "hidden" || this.#state !== "online") return;
    this.#listening = setTimeout(() => this.#ask(), Math.min(asksAfter, Math.max(0, this.#heardAt + asksAfter - Date.now())));
  }

  #ask(): void {
    this.#client?._sendPacket({ cmd: "pingreq" });
    // A telephone that has just woken up takes a moment to be connected.
    const isBack = Date.now() - this.#heardAt > asksAfter + silentAfter;
    this.#listening = setTimeout(() => {
      this.#fallSilent(true);
      this.#cut(Infinity);
    }, isBack ? 3 * silentAfter : silentAfter);
  }

  /** Ends the connection if still nothing comes. (MQTT.js would notice, too, but counts from what the page has sent last.) Over a slow
   *  line, a file that is being sent keeps the answer waiting: as long as some of it goes, somebody takes it.
   *  @param before how many bytes waited to be sent */
  #cut(before: number): void {
    this.#listening = setTimeout(() => {
      const unsent = this.#unsent();
      if (unsent > 0 && unsent < before) this.#cut(unsent);
      else this.#client?.end(true);
    }, cutAfter);
  }

  #fallSilent(isSilent: boolean): void {
    if (this.#isSilent === isSilent) return;
    this.#isSilent = isSilent;
    this.dispatchEvent(new Event("silence"));
  }

  #heard(message: Message): void {
    for (const [filter, acts] of this.#listeners) {
      if (matches(filter, message.topic)) for (const act of [...acts]) act(message);
    }
  }

  /** After 1, 2, 4 … seconds, at most half a minute, and each page a little differently: when a broker restarts, not all of them knock
   *  at once. */
  #comeBack(): void {
    this.#become("offline");
    const seconds = Math.min(30, 2 ** this.#failures) * (0.75 + Math.random() / 2);
    this.#failures += 1;
    this.#again = setTimeout(() => this.#connect(), seconds * 1000);
  }

  /** The network is back, or somebody looks at the page again: that is worth a try at once. */
  #tryNow(): void {
    if (this.#state !== "offline" || document.visibilityState === "hidden") return;
    clearTimeout(this.#again);
    this.#connect();
  }

  #become(state: State): void {
    // "Connecting" after a cut is still a cut to people: the time is that of the cut.
    const isStillAway = state === "connecting" && this.#state === "offline" || state === "offline" && this.#failures > 0;
    if (!isStillAway) this.#since = this.#isSilent ? this.#heardAt : Date.now();
    if (this.#state === state) return;
    this.#state = state;
    this.#expect();
    this.#fallSilent(false);
    this.dispatchEvent(new Event("change"));
  }
}

/** Whether a topic is among those of a filter. */
export function matches(filter: string, topic: string): boolean {
  const wanted = filter.split("/"), levels = topic.split("/");
  for (const [at, level] of wanted.entries()) {
    if (level === "#") return true;
    if (level !== "+" && level !== levels[at] || levels[at] === undefined) return false;
  }
  return wanted.length === levels.length;
}
