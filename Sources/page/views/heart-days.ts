import { nameOfRange, timesOf } from "../library/calendar";
import { element, fill } from "../library/element";
import { dayOf, duration, joined, number } from "../library/format";
import { nameOfResting } from "../library/measures";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { section, zoneTimes } from "../parts/card";
import type { Range } from "../parts/period-chart";

/** What the service counts of whole days: rest, average, lowest and highest, and the time in zones. Of other ranges it counts none of it,
 *  and both cards are hidden. */
export class HeartDays {
  readonly #person: Person;
  readonly #figures = element("dl", { class: "kv" });
  readonly #zones = element("div");
  readonly cards = [section(say("heartRate"), "h s4", this.#figures), section(say("timeInZones"), "h s4", this.#zones)];
  /** Counts what was asked, so that a reply that comes late is recognised. */
  #asked = 0;

  constructor(person: Person) {
    this.#person = person;
    for (const card of this.cards) card.hidden = true;
  }

  async show(range: Range): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const heart = areDays(range)
      ? await this.#person.ask("statistics/summary", { from: dayOf(range.from), to: dayOf(range.to - 1) }).then((all) => all.heart_rate, () => undefined)
      : undefined;
    if (asked !== this.#asked) return;
    const [figures, zones] = this.cards;
    const seconds = heart?.zones_s ?? [];
    if (figures) figures.hidden = !heart;
    if (zones) zones.hidden = seconds.every((time) => time === 0);
    if (!heart) return;
    const beats = (value: number) => joined({ value: number(value), unit: say("bpm") });
    const known: [label: string, value: string | undefined][] = [
      [nameOfResting(heart), heart.resting === undefined ? undefined : beats(heart.resting)], [say("average"), beats(heart.mean)],
      [say("lowest"), beats(heart.min)], [say("highest"), beats(heart.max)], [say("recorded"), duration(heart.recorded_s)],
    ];
    fill(figures?.querySelector("h2") ?? element("h2"), nameOfRange(range.from, range.to));
    fill(this.#figures, ...known.map(([label, value]) => value !== undefined && element("div", {}, element("dt", {}, label), element("dd", {}, value))));
    fill(this.#zones, zoneTimes(seconds));
  }
}

/** Whether a range begins with a day, and ends with one. */
export function areDays({ from, to }: Range): boolean {
  return timesOf(dayOf(from)).from === from && timesOf(dayOf(to - 1)).to === to;
}
