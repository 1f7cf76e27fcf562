import type { MinuteHeartRate, Today } from "service";
import { element, fill, give, pressed, written, type Child } from "../library/element";
import { clock, dayOf, number } from "../library/format";
import { nameOfResting } from "../library/measures";
import type { Person } from "../library/person";
import { counts, liveMilliseconds, nameOf, type Sensor } from "../library/sensors";
import { say, type Word } from "../library/words";
import { zoneLimits, zoneOf } from "../library/zones";
import { Card, empty, facts } from "../parts/card";
import { icon } from "../parts/icons";
import { Trace } from "../parts/trace";
import { isThere, stateOf } from "./sensors-card";

/** How often a change of zone is said to people who hear the page. */
const saidEvery = 30_000;

/** The heart rate now, its zone, and the last three minutes; of the day, the rest, the lowest and the highest. */
export class HeartCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #now = element("div", { class: "heart-now" });
  readonly #trace = new Trace();
  readonly #figures = element("div");
  readonly #empty = element("div");
  readonly #main = element("div", { class: "heart-main" }, this.#now, this.#trace.node);
  readonly #said = element("p", { class: "hidden", "aria-live": "polite" });
  #day: Today | null = null;
  #minute: MinuteHeartRate | null = null;
  #saidZone: number | null = null;
  #saidAt = 0;
  #shown = "";

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    const speak = pressed(element("button", { class: "btn s quiet hidden", type: "button" }, say("sayNow")), () => this.#sayNow());
    this.frame(say("heartRate"), this.#look, speak, element("a", { href: "#/heart" }, say("anyPeriod")));
    this.append(this.#main, this.#empty, this.#figures, this.#said);
    this.#shown = "";
    this.whileShown(
      this.#person.follow<Today>("today", (day) => {
        this.#day = day;
        this.#showFigures();
      }),
      this.#person.follow<MinuteHeartRate>("heart-rate", (minute) => {
        this.#minute = minute;
        this.#showFigures();
      }));
    const show = () => this.#show();
    for (const kind of ["beat", "change", "list"]) this.hear(this.#person.sensors, kind, show);
    this.hear(this.#person, "profile", show);
    this.each(1_000, show);
    show();
  }

  #show(): void {
    const { sensors } = this.#person;
    const sensor = sensors.shown;
    const isNothing = !sensor?.beat;
    this.#main.hidden = isNothing;
    if (isNothing && this.#empty.childElementCount === 0) fill(this.#empty, empty("heart", say("nothingYet"), "heart"));
    this.#empty.hidden = !isNothing;
    if (!sensor?.beat) return;
    const now = Date.now();
    const limits = zoneLimits(this.#person);
    this.#trace.draw(sensors.trace, limits, now);
    const isLive = now - sensor.beat.arrived < liveMilliseconds;
    // Nobody knows whether the sensor sends while nothing comes from home, or has only just come again.
    const isHeard = this.#person.broker.vouches(sensor.beat.arrived, liveMilliseconds);
    const zone = isLive && counts(sensor.beat) ? zoneOf(sensor.beat.bpm, limits) : null;
    // Most seconds change nothing, and what has not changed is not built again.
    const shown = [sensor.beat.bpm, sensor.beat.contact, isLive, isHeard, stateOf(sensor), zone, nameOf(sensor)].join("\n");
    if (shown === this.#shown) return;
    this.#shown = shown;
    fill(this.#now, ...current(sensor, isLive, isHeard, zone));
    this.#sayZone(zone, now);
  }

  #showFigures(): void {
    const figures: [string, string][] = [];
    const minute = this.#minute, heart = this.#day?.heart_rate;
    if (minute && dayOf(minute.time) === dayOf(Date.now())) figures.push([say("lastMinute"), number(minute.bpm)]);
    if (heart?.resting !== undefined) figures.push([nameOfResting(heart), number(heart.resting)]);
    if (heart) figures.push([say("lowest"), number(heart.min)], [say("highest"), number(heart.max)]);
    fill(this.#figures, figures.length > 0 ? facts("four", figures) : null);
  }

  /** A change of zone, at most every half minute: a heart rate each second would say nothing else. */
  #sayZone(zone: number | null, now: number): void {
    if (zone === null || zone === this.#saidZone || now - this.#saidAt < saidEvery) return;
    if (this.#saidZone !== null) this.#said.textContent = zone === 0 ? say("belowZones") : say("saidZone", { number: zone, name: zoneName(zone) });
    this.#saidZone = zone;
    this.#saidAt = now;
  }

  #sayNow(): void {
    const beat = this.#person.sensors.shown?.beat;
    this.#said.textContent = beat ? say("saidNow", { bpm: beat.bpm }) : say("nothingYet");
  }
}

function zoneName(zone: number): string {
  return say(`zone${zone}` as Word);
}

/** The number, and what stands beside it: the zone, or why the number does not count. */
function current(sensor: Sensor, isLive: boolean, isHeard: boolean, zone: number | null): Child[] {
  const { beat } = sensor;
  if (!beat) return [];
  const name = written(nameOf(sensor));
  if (!isLive) {
    return [hero("–"), element("div", {},
      element("p", { class: "muted" }, say("lastAt", { bpm: beat.bpm, time: clock(beat.arrived) })),
      element("p", { class: "muted small" }, ...(!isHeard ? [name] : isThere(sensor) ? around("silent", name) : [name, `: ${stateOf(sensor)}`])))];
  }
  if (!counts(beat)) {
    const number = hero(beat.bpm > 0 ? `${beat.bpm}` : "–");
    give(number, { class: "hero muted" });
    return [number, element("div", {}, element("p", { class: "zone-line" }, icon("warn", "i-s"), say("noContact")), element("p", { class: "muted small" }, name))];
  }
  return [hero(`${beat.bpm}`), element("div", {},
    zone === null ? null : element("p", { class: "zone-line" }, ...(zone === 0 ? [say("belowZones")] : [
      element("b", { class: `zone z${zone}`, "aria-hidden": "true" }, `${zone}`), say("zone", { number: zone }), element("span", {}, zoneName(zone))])),
    element("p", { class: "muted small" }, ...(beat.contact ? around("contact", name) : [name])))];
}

function hero(value: string): HTMLElement {
  return element("p", { class: "hero" }, value, element("small", {}, say("bpm")));
}

/** A sentence with a sensor's name in it, which is isolated. */
function around(word: Word, name: HTMLElement): Child[] {
  const [before = "", after = ""] = say(word, { sensor: "\u0000" }).split("\u0000");
  return [before, name, after];
}

customElements.define("vitals-heart-card", HeartCard);
