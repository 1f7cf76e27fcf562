import type { HeartRateGraph, MinuteHeartRate } from "service";
import { howLong, nameOfPoint, nameOfRange, periodAround, periodOf, type Period } from "../library/calendar";
import { element, fill, freshId, pressed, refill } from "../library/element";
import { number } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { locale, say, type Word } from "../library/words";
import { zoneLimits } from "../library/zones";
import { refused } from "../parts/answered";
import { AsTable } from "../parts/as-table";
import { empty, spinner } from "../parts/card";
import { confirmed } from "../parts/dialog";
import { busy, button, round } from "../parts/form";
import { PeriodChart, type Range } from "../parts/period-chart";
import { toast } from "../parts/toast";
import { BeatsCard } from "./beats-card";
import { areDays, HeartDays } from "./heart-days";
import type { View } from "./view";

const periods: Period[] = ["hour", "day", "week", "month", "year"];
/** As many points as anybody can see. */
const most = 1_000;
/** So many milliseconds after the last movement, the rest is asked for: the service answers a few requests a second. */
const calm = 400;

/** The heart rate over any period, from seconds to years. The address has the range: a reload shows the same. */
export class Heart extends Part {
  readonly #person: Person;
  #range: Range;
  #graph: HeartRateGraph | null = null;
  /** What the graph was asked for. */
  #graphed: Range | null = null;
  /** What is asked for at the moment, and what has to be asked for after that. */
  #isAsking = false;
  #next: Range | null = null;
  /** Whether the latest answer was a refusal. */
  #isRefused = false;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #written: ReturnType<typeof setTimeout> | undefined;
  readonly #chart = new PeriodChart();
  readonly #seg = element("div", { class: "seg", role: "group", "aria-label": say("period") });
  readonly #title = element("b");
  readonly #readout = element("div", { class: "readout", "aria-live": "polite" });
  readonly #foot = element("div", { class: "chart-foot" });
  readonly #below = element("div");
  readonly #table = new AsTable();
  readonly #days: HeartDays;
  readonly #beats: BeatsCard;

  /** @param query of the address, such as `from=1795261361000&to=1795264961000`; today without one */
  constructor(person: Person, query: string) {
    super();
    this.#person = person;
    this.#days = new HeartDays(person);
    this.#beats = new BeatsCard(person, "");
    this.#beats.hidden = true;
    const asked = new URLSearchParams(query);
    const [from, to] = [Number(asked.get("from")), Number(asked.get("to"))];
    this.#range = isTime(from) && isTime(to) && to > from ? { from, to } : periodAround(Date.now(), "day");
  }

  begin(): void {
    const heading = freshId();
    this.#chart.addEventListener("range", (event) => this.#go((event as CustomEvent<Range>).detail));
    this.#chart.addEventListener("point", () => this.#say());
    fill(this, element(
      "div", { class: "side" },
      element("div", { class: "grid" },
        element("div", { class: "s6" }, this.#seg),
        element("div", { class: "s6 pager" },
          round("back", say("before"), () => this.#turn(-1)), this.#title, round("next", say("after"), () => this.#turn(1)),
          round("plus", say("zoomIn"), () => this.#chart.zoom(1 / 2)), round("minus", say("zoomOut"), () => this.#chart.zoom(2)))),
      element("section", { class: "card", "aria-labelledby": heading },
        element("h2", { id: heading, class: "hidden" }, say("heartRate")),
        element("div", { class: "card-head" }, this.#readout),
        this.#chart, this.#foot, this.#below, this.#table.node, this.#delete()),
      element("div", { class: "grid" }, ...this.#days.cards, this.#beats)));
    this.#go(this.#range);
    // The address is another view's by then.
    this.whileShown(() => clearTimeout(this.#written));
    this.hear(this.#person, "profile", () => this.#draw());
    this.hear(this.#person.broker, "change", () => this.#person.broker.state === "online" && (this.#isRefused || !this.#graph) && void this.#ask(this.#range));
    // A minute that is over, of a period that is not.
    this.whileShown(this.#person.follow<MinuteHeartRate>("heart-rate", (minute) => {
      if (minute && this.#graph && minute.time < this.#range.to && minute.time >= this.#range.from) void this.#ask(this.#range);
    }));
  }

  /** What else there is of the range, once nobody zooms or moves along any more. */
  #showRest(): void {
    if (!this.isConnected) return;
    this.#beats.hidden = false;
    this.#beats.className = `card ${areDays(this.#range) ? "h s4" : ""}`;
    void this.#days.show(this.#range);
    void this.#beats.show(this.#range);
  }

  /** Shows another range: what is there of it at once, and all of it when it has come. */
  #go(range: Range): void {
    this.#range = range;
    this.#draw();
    // Browsers refuse addresses that come as often as a finger moves.
    clearTimeout(this.#written);
    this.#written = setTimeout(() => history.replaceState(null, "", `#/heart?from=${range.from}&to=${range.to}`), calm);
    void this.#ask(range);
  }

  /** Now, if it is shown: that is where most people look. */
  get #middle(): number {
    const { from, to } = this.#range, now = Date.now();
    return from <= now && now < to ? now : (from + to) / 2;
  }

  #turn(by: number): void {
    const { from, to } = this.#range;
    const period = periodOf(from, to);
    this.#go(period ? periodAround(from, period, by) : { from: from + by * (to - from), to: to + by * (to - from) });
  }

  /** Asks for a range. While an answer is awaited, only the latest range that is wanted is asked for afterwards. */
  async #ask(range: Range): Promise<void> {
    this.#next = range;
    if (this.#isAsking) return;
    this.#isAsking = true;
    const wait = setTimeout(() => fill(this.#below, element("p", { class: "hint", role: "status" }, spinner(), say("loading"))), 150);
    let problem: Refusal | null = null;
    while (this.#next) {
      const wanted: Range = this.#next;
      this.#next = null;
      problem = null;
      try {
        this.#graph = await this.#person.ask("heart-rate/graph", { ...wanted, points: Math.min(most, Math.max(200, Math.round(this.clientWidth))) });
        this.#graphed = wanted;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        problem = error;
      }
    }
    clearTimeout(wait);
    this.#isAsking = false;
    this.#isRefused = problem !== null;
    this.#draw();
    if (problem) return this.#tell(problem);
    this.#tellNothing();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#showRest(), calm);
  }

  #draw(): void {
    const { from, to } = this.#range;
    const period = periodOf(from, to);
    const name = nameOfRange(from, to);
    this.#title.textContent = name;
    refill(this.#seg, ...periods.map((one) => pressed(
      element("button", { type: "button", "aria-pressed": `${one === period}` }, say(`${one}Period` as Word)),
      () => this.#go(periodAround(this.#middle, one)))));
    this.#chart.show(this.#range, this.#graph, zoneLimits(this.#person), this.#sentence(name));
    this.#say();
    fill(this.#foot,
      element("span", {}, element("i", { class: "sw l" }), say("average")),
      element("span", {}, element("i", { class: "sw" }), say("lowestToHighest")),
      this.#graph ? element("span", {}, say("pointIs", { time: howLong(this.#graph.width_ms, locale()) })) : null);
    this.#fillTable();
  }

  #sentence(name: string): string {
    const all = this.#whole;
    if (!all) return say("nothingRecorded");
    const { min: low, mean, max: high } = all;
    return mean === undefined ? say("periodSaysNoMean", { name, low, high }) : say("periodSays", { name, low, mean: number(mean), high });
  }

  /** The lowest, the highest and the average of the range that is shown. The average is the service's, and not there until the service has
   *  answered for this range, or if the range is too long for one. */
  get #whole(): { min: number; mean?: number; max: number } | null {
    const { points } = this.#chart;
    if (points.length === 0) return null;
    const isOfRange = this.#graphed?.from === this.#range.from && this.#graphed.to === this.#range.to;
    const span = isOfRange ? this.#graph?.span : undefined;
    return {
      min: span?.min ?? Math.min(...points.map(({ min }) => min)), max: span?.max ?? Math.max(...points.map(({ max }) => max)),
      ...(span && { mean: span.mean }),
    };
  }

  /** The point that is chosen, or the whole range. */
  #say(): void {
    const point = this.#chart.chosen, all = point ?? this.#whole;
    const told = element("div", {}, ...(!all ? [] : all.mean === undefined ? [element("span", {}, say("spreadSays", { low: all.min, high: all.max }))] : [
      element("b", {}, `${number(all.mean)} ${say("bpm")}`),
      element("span", {}, say("pointSays", { time: point ? nameOfPoint(point.time, this.#chart.width) : say("average"), low: all.min, high: all.max }))]));
    // What is said already is not said again.
    if (told.textContent !== this.#readout.textContent) fill(this.#readout, ...told.childNodes);
  }

  #fillTable(): void {
    const { points, width } = this.#chart;
    this.#table.show([say("time"), say("lowest"), say("average"), say("highest")], points.length === 0 ? null : () =>
      points.map(({ time, min, mean, max }) => [nameOfPoint(time, width), ...[min, mean, max].map((value) => number(value))]));
  }

  #tell(problem: Refusal): void {
    fill(this.#below, refused(problem, () => this.#ask(this.#range)));
  }

  /** Nothing was recorded: why, and what to do about it. */
  #tellNothing(): void {
    if (this.#chart.points.length > 0) return fill(this.#below);
    const { profile } = this.#person;
    if (!profile || profile.continuous_heart_rate) return fill(this.#below, empty("heart", say("nothingRecorded"), "heart"));
    const keep = button(say("keepHeartNow"), "s soft");
    pressed(keep, () => void busy(keep, async () => {
      await this.#person.change({ continuous_heart_rate: true });
      toast(say("Data Saved Successfully"));
      this.#tellNothing();
    }));
    fill(this.#below, empty("heart", say("notKept"), "heart", keep));
  }

  #delete(): HTMLElement {
    const remove = button(say("deleteRange"), "s danger");
    pressed(remove, () => void (async () => {
      const now = Date.now();
      const { from, to } = { from: this.#range.from, to: Math.min(now, this.#range.to) };
      const name = nameOfRange(this.#range.from, this.#range.to);
      if (from >= now || !await confirmed(say("deleteQuestion"), say("deleteMeans", { name }), say("delete"))) return;
      await busy(remove, async () => {
        const { deleted } = await this.#person.ask("heart-rate/delete", { from, to }, 30);
        toast(say("deleted", { count: number(deleted) }));
        await this.#ask(this.#range);
      });
    })());
    return element("div", { class: "btns" }, remove);
  }
}

/** Anybody can type an address: whole milliseconds, in years of four digits. */
function isTime(time: number): boolean {
  return Number.isInteger(time) && time > 0 && time < Date.UTC(10_000, 0);
}

export const heartView: View = {
  address: /^#\/heart$/,
  place: { address: "#/heart", word: "heart", icon: "heart" },
  open: ({ person, query }) => ({ title: say("heartRate"), content: new Heart(person, query) }),
};

customElements.define("vitals-heart", Heart);
