import type { HeartRateZones, Profile, Requests as Asked } from "service";
import { brokerAddress } from "./accounts";
import { Alerts } from "./alerts";
import { Broker, drawn, matches } from "./broker";
import { decoded } from "./bytes";
import type { Credential } from "./credential";
import { readAs } from "./format";
import { Friends } from "./friends";
import { Household } from "./household";
import { News } from "./news";
import type { Stop } from "./part";
import { pictureAddress } from "./pictures";
import { parsed, Requests, type Refusal } from "./requests";
import { Sensors } from "./sensors";
import { Speaker } from "./speaker";
import { UnderWay } from "./under-way";
import { speak } from "./words";

/** What is retained on a person's topics, which the page follows all the time, so that each view shows at once what was seen last. */
const followed = ["today", "heart-rate", "friends/+/today", "groups/+/table", "quote", "training", "workout", "place", "chosen-dependent"];

/** The person who is signed in: what they can ask, and what they are told. `profile` and `picture` are dispatched when these have
 *  changed. */
export class Person extends EventTarget {
  readonly user: string;
  readonly device: string;
  readonly broker: Broker;
  readonly sensors: Sensors;
  readonly news: News;
  readonly friends: Friends;
  readonly alerts: Alerts;
  readonly underWay: UnderWay;
  readonly speaker: Speaker;
  readonly household: Household;
  /** Whether the broker has ever let the page in since it was opened. */
  hasBeenOnline = false;
  /** Undefined until it is known; null if there is none. */
  profile: Profile | null | undefined;
  /** Their zones of heart rate, and those on a bicycle if they are others; null if they are not known. */
  zones: HeartRateZones | null = null;
  bicycleZones: HeartRateZones | null = null;
  /** The address of their picture, within the page; null if there is none, or while it is not known. */
  picture: string | null = null;
  readonly #requests: Requests;
  readonly #latest = new Map<string, unknown>();
  /** The topics that were heard since the connection began. */
  #heard = new Set<string>();
  readonly #followers = new Map<string, Set<(value: unknown, topic: string) => void>>();

  constructor(credential: Credential) {
    super();
    this.user = credential.user;
    this.device = credential.device;
    this.broker = new Broker(brokerAddress(), credential);
    this.#requests = new Requests(this.broker, this.#topic(`responses/page-${drawn()}`));
    for (const filter of followed) {
      this.broker.listen(this.#topic(filter), ({ topic, text }) => {
        const name = topic.slice(this.#topic("").length);
        this.#heard.add(name);
        this.#tell(name, text === "" ? null : parsed(text) ?? null);
      });
    }
    this.sensors = new Sensors(this);
    this.news = new News(this);
    this.friends = new Friends(this);
    this.alerts = new Alerts(this);
    this.underWay = new UnderWay(this);
    this.speaker = new Speaker(this);
    this.household = new Household(this);
    this.broker.addEventListener("change", () => {
      if (this.broker.state === "connecting") this.#heard = new Set();
      if (this.broker.state === "online") void this.#catchUp();
    });
  }

  /** Asks the service.
   *  @param seconds how long to wait */
  ask<Verb extends keyof Asked>(verb: Verb, fields: Asked[Verb]["asks"], seconds = 10): Promise<Asked[Verb]["replies"]> {
    return this.#requests.ask(this.#topic(`requests/${verb}`), fields, seconds) as Promise<Asked[Verb]["replies"]>;
  }

  /** Calls `act` with what is known of a topic that is followed, now and whenever it changes; with null when it has ended. */
  follow<Value>(filter: string, act: (value: Value | null, topic: string) => void): Stop {
    const acts = this.#followers.get(filter) ?? new Set();
    this.#followers.set(filter, acts);
    const told = act as (value: unknown, topic: string) => void;
    acts.add(told);
    for (const [topic, value] of this.#latest) if (matches(filter, topic)) told(value, topic);
    return () => acts.delete(told);
  }

  /** Calls `act` with each message of a topic of theirs that is not retained, such as their notifications. */
  hear(name: string, act: (value: unknown) => void): Stop {
    return this.broker.listen(this.#topic(name), ({ text }) => act(parsed(text)));
  }

  /** Takes a profile as theirs from now on, and the zones that the service makes of it. */
  became({ profile, zones, bicycle_zones }: { profile: Profile | null; zones?: HeartRateZones; bicycle_zones?: HeartRateZones }): void {
    this.profile = profile;
    [this.zones, this.bicycleZones] = [zones ?? null, bicycle_zones ?? null];
    readAs(profile);
    speak([...(profile?.locale ? [profile.locale] : []), ...navigator.languages]);
    this.dispatchEvent(new Event("profile"));
  }

  /** Changes the profile. The service sets it as a whole, and another program may have changed it since it was shown: what is not given
   *  here stays as it is there, and what is given as undefined is left out. */
  async change(changes: { [Field in keyof Profile]?: Profile[Field] | null | undefined }): Promise<Asked["profile/set"]["replies"]> {
    const { profile: latest } = await this.ask("profile/get", {});
    const saved = await this.ask("profile/set", { ...latest, ...changes } as Profile);
    this.became(saved);
    return saved;
  }

  /** Asks for the person's picture. */
  async loadPicture(): Promise<void> {
    const found = await this.ask("picture/get", {}).catch((refusal: Refusal) => (refusal.code === "not-found" ? null : undefined));
    // What is known stays if the service does not answer.
    if (found === undefined) return;
    const before = this.picture;
    this.picture = found && pictureAddress(decoded(found.picture));
    this.dispatchEvent(new Event("picture"));
    if (before) URL.revokeObjectURL(before);
  }

  /** What no topic tells, and the day, whose topic is not there in a home without accounts. */
  async #catchUp(): Promise<void> {
    this.hasBeenOnline = true;
    void this.ask("profile/get", {}).then((known) => this.became(known), () => {});
    if (!this.picture) void this.loadPicture();
    void this.sensors.load();
    void this.news.load().catch(() => {});
    void this.friends.load().catch(() => {});
    void this.alerts.load().catch(() => {});
    void this.underWay.load();
    const heard = this.#heard;
    const day = await this.ask("statistics/today", {}).catch(() => null);
    if (!day || heard !== this.#heard) return;
    // What is retained comes before any reply: what has not come by now was cleared while the page was away.
    for (const topic of [...this.#latest.keys()]) if (topic !== "today" && !heard.has(topic)) this.#tell(topic, null);
    if (!heard.has("today")) this.#tell("today", { ...day, time: Date.now() });
  }

  #tell(topic: string, value: unknown): void {
    if (value === null) this.#latest.delete(topic);
    else this.#latest.set(topic, value);
    for (const [filter, acts] of this.#followers) {
      if (matches(filter, topic)) for (const act of [...acts]) act(value, topic);
    }
  }

  #topic(name: string): string {
    return `vitals/v1/users/${this.user}/${name}`;
  }
}
