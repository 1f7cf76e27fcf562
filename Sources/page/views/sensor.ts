import type { Event as GatewayEvent } from "service";
import { bodyPart } from "../library/body-parts";
import { element, fill, plain, pressed, written, type Child } from "../library/element";
import { percent, since } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { nameOf, type Seen, type Sensor } from "../library/sensors";
import { say, type Word } from "../library/words";
import { empty, pairs, section, skeleton } from "../parts/card";
import { confirmed } from "../parts/dialog";
import { busy, button, field, text } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";
import { nameForm } from "./gateway-cards";
import { keepLoaded, linkButton } from "./household";
import { stateOf } from "./sensors-card";
import { sensorsView } from "./sensors";
import type { View } from "./view";

const capabilities: Record<string, Word> = {
  "heart-rate": "heartRate", steps: "steps", temperature: "temperature", running: "running", cycling: "cycling", power: "power", location: "location",
};

/** One sensor: what is known of it, and everything that can be done with it. */
class SensorDetails extends Part {
  readonly #person: Person;
  readonly #gateway: string;
  readonly #sensor: string;
  #shown: Seen | null = null;
  #update: () => void = () => {};

  constructor(person: Person, gateway: string, sensor: string) {
    super();
    this.#person = person;
    [this.#gateway, this.#sensor] = [gateway, sensor];
  }

  begin(): void {
    keepLoaded(this, this.#person);
    this.#shown = null;
    fill(this, element("div", { class: "card" }, skeleton()));
    const show = () => this.#show();
    for (const kind of ["list", "change"]) this.hear(this.#person.sensors, kind, show);
    this.hear(this.#person.household, "change", show);
    this.each(5_000, show);
    show();
  }

  #show(): void {
    const { sensors, household } = this.#person;
    const found = household.sensors.find(({ gateway, sensor }) => gateway === this.#gateway && sensor === this.#sensor) ?? null;
    if (found) {
      // The facts change by themselves, and forms stay as they are.
      if (found !== this.#shown) this.#update = this.#draw(found);
      this.#shown = found;
      this.#update();
    } else if (sensors.list && household.list) {
      this.#shown = null;
      fill(this, element("div", { class: "card" }, empty("sensors", say("noSuchSensor"))));
    }
  }

  /** Returns what shows how the sensor is by then. */
  #draw(seen: Seen): () => void {
    const known = element("div"), wrong = element("div"), acts = element("div"), heading = element("span");
    const link = linkButton(this.#person, seen);
    const mayAsk = () => this.#person.household.get(seen.gateway)?.isHeard === true;
    let offered: boolean | null = null, told: GatewayEvent | undefined;
    const show = () => {
      // The gateway may be heard later than the sensor is known. A form that is open stays.
      if (mayAsk() !== offered && !acts.querySelector("form")) {
        offered = mayAsk();
        this.#offer(seen, acts, link.button);
      }
      fill(heading, written(nameOf(seen)));
      fill(known, pairs(lines(seen)));
      // It is read out once.
      const event = this.#person.household.get(seen.gateway)?.troubles.get(seen.sensor);
      if (event !== told) fill(wrong, trouble(event));
      told = event;
      link.show();
    };
    const made = section("", "", wrong, known, acts);
    fill(made.querySelector("h2") ?? heading, heading);
    fill(this, made);
    return show;
  }

  #offer(seen: Seen, acts: HTMLElement, link: HTMLButtonElement): void {
    const mayAsk = this.#person.household.get(seen.gateway)?.isHeard;
    const isMine = "claim" in seen;
    const rename = button(say("rename"), "s"), forget = button(say("forget"), "s danger"), release = button(say("release"), "s danger");
    pressed(rename, () => {
      const name = field(say("sensorName"), text({ maxlength: 64, value: seen.info?.name }), { hint: say("sensorNameHint"), look: "all" });
      fill(acts, nameForm(name, () => {
        this.#offer(seen, acts, link);
        acts.querySelector<HTMLElement>("button:not([hidden])")?.focus();
      }, async () => {
        await this.#person.household.get(seen.gateway)?.ask("rename", { sensor: seen.sensor, name: name.input.value.trim() });
      }));
      name.input.focus();
    });
    this.#afterAsking(forget, seen, ["forgetQuestion", "forgetMeans", "forget"], async () => {
      await this.#person.household.get(seen.gateway)?.ask("forget", { sensor: seen.sensor }, 30);
      toast(say("Device Forgotten"));
    });
    this.#afterAsking(release, seen, ["releaseQuestion", "releaseMeans", "release"], async () => {
      await this.#person.ask("sensors/release", { gateway: seen.gateway, sensor: seen.sensor });
      toast(say("released", { name: plain(nameOf(seen)) }));
      await this.#person.sensors.load();
    });
    fill(acts, mayAsk || isMine ? element("div", { class: "btns" },
      ...(mayAsk ? [link, rename, forget] : []), isMine ? release : null) : null);
  }

  #afterAsking(made: HTMLButtonElement, seen: Seen, [question, means, verb]: [Word, Word, Word], act: () => Promise<void>): void {
    pressed(made, () => void (async () => {
      if (await confirmed(say(question, { name: plain(nameOf(seen)) }), say(means), say(verb))) await busy(made, act);
    })());
  }
}

function lines(seen: Seen): [string, Child][] {
  const { info, gateway, sensor } = seen;
  const made: [string, Child][] = [[say("state"), stateOf(seen)]];
  const take = (word: Word, value: string | undefined) => value && made.push([say(word), written(value)]);
  if (info?.battery !== undefined) take("battery", percent(info.battery));
  take("measures", info?.capabilities.flatMap((one) => capabilities[one] ?? []).map((word) => say(word)).join(", "));
  take("maker", info?.manufacturer);
  take("model", info?.model);
  take("firmware", info?.firmware);
  take("bodyLocation", info?.body_location && bodyPart(info.body_location));
  if (info?.bonded !== undefined) take("bond", say(info.bonded ? "bonded" : "unbonded"));
  take("gateway", `${gateway}/${sensor}`);
  take("whose", "claim" in seen ? say("yoursSince", { time: since((seen as Sensor).claim.claimed) }) : say("notYours"));
  return made;
}

function trouble(event: GatewayEvent | undefined): HTMLElement | null {
  if (!event) return null;
  const words: Record<string, Word> = { "bond-lost": "bondLost", "other-device": "otherDevice" };
  return element("div", { class: "note warn", role: "status" }, icon("warn"),
    element("div", { class: "grow" }, element("b", {}, say(words[event.kind] ?? "silentSensor")),
      event.kind === "bond-lost" ? element("p", {}, say("bondLostDo")) : null,
      event.message ? element("p", { class: "small" }, written(event.message)) : null));
}

export const sensorView: View = {
  address: /^#\/sensors\/([a-z0-9-]{1,36})\/([a-z0-9-]{1,36})$/,
  open: ({ person, found: [gateway = "", sensor = ""] }) =>
    ({ title: say("sensor"), back: sensorsView.place, content: new SensorDetails(person, gateway, sensor) }),
};

customElements.define("vitals-sensor", SensorDetails);
