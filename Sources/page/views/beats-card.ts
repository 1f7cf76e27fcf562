import type { HeartRateVariabilityData } from "service";
import { nameOfRange, secondsOf } from "../library/calendar";
import { element, fill, } from "../library/element";
import { number } from "../library/format";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say, type Word } from "../library/words";
import { refused } from "../parts/answered";
import { AsTable } from "../parts/as-table";
import { Card, empty, facts, skeleton } from "../parts/card";
import type { Range } from "../parts/period-chart";
import { piecesOf, Tachogram, type Beat } from "../parts/tachogram";

/** Beats of longer ranges would lie on each other; the service says how much they vary up to a day. */
const longestDrawn = 3_600_000, longestCounted = 24 * 3_600_000;
/** How often the service is asked for more beats: it sends 2,000 at most. Rows of the table are as many as one reply has. */
const mostReplies = 4, mostRows = 2_000;

/** The time from beat to beat, and how much it varies. */
export class BeatsCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #readout = element("div", { class: "readout", "aria-live": "polite" });
  readonly #chart = new Tachogram();
  readonly #note = element("div");
  readonly #figures = element("div");
  readonly #table = new AsTable();
  #range: Range | null = null;
  /** Counts what was asked, so that a reply that comes late is recognised. */
  #asked = 0;

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    this.frame(say("beatToBeat"), this.#look);
    this.append(this.#readout, this.#chart, this.#note, this.#figures, this.#table.node);
    this.#chart.addEventListener("point", () => this.#say());
    if (this.#range) void this.show(this.#range);
  }

  async show(range: Range): Promise<void> {
    this.#range = range;
    this.#asked += 1;
    const asked = this.#asked, span = range.to - range.from;
    if (span > longestCounted) return this.#tell([], say("beatsOfHours"), null);
    const wait = setTimeout(() => asked === this.#asked && fill(this.#note, skeleton()), 150);
    try {
      const [pieces, varying] = await Promise.all([
        span > longestDrawn ? { pieces: [], isCut: false } : beatsOf(this.#person, range), this.#person.ask("heart-rate/variability", { ...range })]);
      if (asked !== this.#asked) return;
      const isNone = pieces.pieces.length === 0;
      const note = varying.beats === 0 ? "noBeats" : span > longestDrawn ? "beatsOfHour" : isNone ? "noBeats" : pieces.isCut ? "beatsCut" : null;
      this.#tell(pieces.pieces, note ? say(note) : "", varying);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (asked !== this.#asked) return;
      this.#tell([], "", null);
      fill(this.#note, refused(error, () => this.show(range)));
    } finally {
      clearTimeout(wait);
    }
  }

  #tell(pieces: Beat[][], note: string, varying: HeartRateVariabilityData | null): void {
    const beats = pieces.flat(), range = this.#range;
    if (!range) return;
    const intervals = beats.map(({ milliseconds }) => milliseconds);
    this.#chart.hidden = this.#readout.hidden = beats.length === 0;
    this.#chart.show(range, pieces, say("beatsSay", {
      count: number(beats.length), name: nameOfRange(range.from, range.to), low: number(Math.min(...intervals, Infinity)), high: number(Math.max(...intervals, 0)) }));
    this.#say();
    fill(this.#note, note === "" ? null : beats.length > 0 ? element("p", { class: "hint" }, note) : empty("wave", note, "heart"));
    const known: [Word, number | undefined][] = [["averageInterval", varying?.mean_rr_ms], ["rmssd", varying?.rmssd_ms], ["sdnn", varying?.sdnn_ms]];
    const figures = known.flatMap(([word, value]): [string, string, string][] => (value === undefined ? [] : [[say(word), number(value), "ms"]]));
    fill(this.#figures, figures.length > 0 ? facts("three", figures) : null);
    this.#table.show([say("time"), "ms"], beats.length === 0 ? null : () =>
      beats.slice(0, mostRows).map(({ time, milliseconds }) => [secondsOf(time), number(milliseconds)]));
  }

  #say(): void {
    const beat = this.#chart.chosen;
    fill(this.#readout, beat && element("b", {}, `${number(beat.milliseconds)} ms`), element("span", {}, beat ? secondsOf(beat.time) : say("intervals")));
  }
}

/** The beats of a range, in as many replies as may be asked for. */
async function beatsOf(person: Person, { from, to }: Range): Promise<{ pieces: Beat[][]; isCut: boolean }> {
  const times: number[] = [], intervals: number[] = [];
  let next: number | undefined = from;
  for (let reply = 0; reply < mostReplies && next !== undefined && next < to; reply += 1) {
    const said: { time: number[]; rr_ms: number[]; next?: number } = await person.ask("heart-rate/intervals", { from: next, to });
    times.push(...said.time);
    intervals.push(...said.rr_ms);
    next = said.next;
  }
  const pieces = piecesOf(times, intervals).map((piece) => piece.filter(({ time }) => time >= from)).filter((piece) => piece.length > 0);
  return { pieces, isCut: next !== undefined };
}

customElements.define("vitals-beats-card", BeatsCard);
