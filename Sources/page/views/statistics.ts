import type { Requests as Asked, WorkoutRecord, WorkoutsStatisticsData } from "service";
import { periodAround, type Period } from "../library/calendar";
import { element, fill, pressed, written, type Child } from "../library/element";
import { dates, distance, duration, energy, height, joined, number, speed } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { say, type Word } from "../library/words";
import { choices, iconOf, nameOf } from "../parts/activities";
import { answered } from "../parts/answered";
import { empty } from "../parts/card";
import { button } from "../parts/form";
import { icon } from "../parts/icons";
import { reportSeries } from "./report-series";
import { SeriesCard } from "./series-card";
import { shareOut } from "./share-out";
import type { View } from "./view";
import { workoutsText, workoutsView } from "./workouts";

const periods: [period: Period | null, word: Word][] = [[null, "all"], ["year", "yearPeriod"], ["month", "monthPeriod"], ["week", "weekPeriod"]];

type Attribute = Exclude<keyof WorkoutsStatisticsData, "workouts">;

const attributes: [attribute: Attribute, word: Word, text: (value: number) => string][] = [
  ["distance_m", "distance", (metres) => joined(distance(metres))],
  ["duration_s", "duration", duration],
  ["steps", "steps", (steps) => number(steps)],
  ["energy_kcal", "energy", (calories) => joined(energy(calories))],
  ["heart_rate_bpm", "heartRate", (bpm) => joined({ value: number(bpm), unit: say("bpm") })],
  ["speed_mps", "speed", (metresPerSecond) => joined(speed(metresPerSecond))],
  ["ascent_m", "ascent", (metres) => joined(height(metres))],
  ["load", "trainingLoad", (load) => number(load)],
];

type Best = Exclude<keyof WorkoutRecord, "activity" | "id" | "started">;

const bests: [best: Best, word: Word, text: (value: number) => string][] = [
  ["farthest_m", "farthest", (metres) => joined(distance(metres))],
  ["longest_s", "longest", duration],
  ["most_ascent_m", "mostAscent", (metres) => joined(height(metres))],
  ["fastest_400_m_s", "fastest400", duration], ["fastest_1000_m_s", "fastest1", duration], ["fastest_1609_m_s", "fastestMile", duration],
  ["fastest_5000_m_s", "fastest5", duration], ["fastest_10000_m_s", "fastest10", duration],
  ["fastest_21097_m_s", "fastestHalf", duration], ["fastest_42195_m_s", "fastestMarathon", duration],
];

/** All workouts together, of an activity and a period, and the best of them. */
export class Statistics extends Part {
  readonly #person: Person;
  #activity: string | undefined;
  #period: Period | null = null;
  #load: (isOther: "about something else") => Promise<void> = () => Promise.resolve();
  readonly #filters = element("div", { class: "filters" });
  readonly #body = element("div", { class: "grid" });
  readonly #bars = new SeriesCard("", "distance_m");

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    fill(this, element("div", { class: "side" }, this.#filters, this.#bars, this.#body));
    this.#bars.hidden = true;
    this.#filter();
    this.#load = answered(this, this.#person, this.#body, () => this.#ask(), "card");
  }

  #filter(): void {
    const choice = <Value>(word: Word, values: readonly (readonly [Value, Word])[], chosen: Value, choose: (value: Value) => void) => {
      const buttons = values.map(([value, word]) => ({ value, button: element("button", { type: "button", "aria-pressed": `${value === chosen}` }, say(word)) }));
      for (const { value, button } of buttons) {
        pressed(button, () => {
          for (const one of buttons) one.button.setAttribute("aria-pressed", `${one.value === value}`);
          choose(value);
          void this.#load("about something else");
        });
      }
      return element("div", { class: "seg", role: "group", "aria-label": say(word) }, ...buttons.map(({ button }) => button));
    };
    fill(this.#filters,
      choice("activity", choices, this.#activity, (activity) => (this.#activity = activity)),
      choice("period", periods, this.#period, (period) => (this.#period = period)));
  }

  async #ask(): Promise<Child[]> {
    const wanted = { ...(this.#activity && { activity: this.#activity }), ...(this.#period && periodAround(Date.now(), this.#period)) };
    const reported = { ...(this.#activity && { activity: this.#activity }), ...(this.#period ? { period: this.#period } : { period: "year" as const, count: 10 }) };
    const [statistics, { records }, report] = await Promise.all([
      this.#person.ask("workouts/statistics", wanted, 30), this.#person.ask("workouts/records", wanted, 30),
      this.#person.ask("workouts/report", reported as Asked["workouts/report"]["asks"], 30)]);
    const series = reportSeries(report);
    this.#bars.hidden = statistics.workouts === 0 || series.length === 0;
    this.#bars.show(series);
    return this.#shown(statistics, records);
  }

  #shown(statistics: WorkoutsStatisticsData, records: WorkoutRecord[]): Child[] {
    if (statistics.workouts === 0) return [element("div", { class: "card" }, empty("workouts", say("noneSuch")))];
    const lines = attributes.flatMap(([attribute, word, text]) => {
      const one = statistics[attribute];
      return one ? [element("tr", {}, element("th", { scope: "row" }, say(word)),
        ...[one.mean, one.max, one.total].map((value) => element("td", { class: "n" }, value === undefined ? "" : text(value))))] : [];
    });
    const names = [...new Set(records.map(({ activity }) => activity))];
    return [
      element("section", { class: "card s7", "aria-label": say("allTogether") },
        element("div", { class: "card-head" }, element("h2", {}, workoutsText(statistics.workouts)),
          pressed(button(say("postThere"), "s quiet"), () => shareOut(this.#person, { what: "statistics" }))),
        element("div", { class: "scrolls", tabindex: 0, role: "group", "aria-label": say("allTogether") }, element("table", {},
          element("thead", {}, element("tr", {}, element("td"),
            ...(["average", "highest", "total"] as const).map((word) => element("th", { scope: "col", class: "n" }, say(word))))),
          element("tbody", {}, ...lines)))),
      element("div", { class: "side s5" }, ...names.map((activity) => bestOf(activity, records.filter((one) => one.activity === activity)))),
    ];
  }
}

function bestOf(activity: string, records: WorkoutRecord[]): HTMLElement {
  const rows = bests.flatMap(([best, word, text]) => records.flatMap((record) => {
    const value = record[best];
    return value === undefined ? [] : [element("li", {}, element("a", { class: "row", href: `#/workouts/${record.id}` },
      element("span", { class: "grow" }, element("b", {}, say(word)),
        element("small", {}, dates({ day: "numeric", month: "short", year: "numeric" }).format(record.started))),
      element("span", { class: "val" }, text(value)), icon("next", "i-s")))];
  }));
  return element("section", { class: "card" },
    element("div", { class: "card-head" }, icon(iconOf(activity), "i-s"), element("h2", {}, say("bestOf"), " ", written(nameOf(activity)))),
    element("ul", { class: "rows" }, ...rows));
}

export const statisticsView: View = {
  address: /^#\/workouts\/statistics$/,
  open: ({ person }) => ({ title: say("statistics"), back: workoutsView.place, content: new Statistics(person) }),
};

customElements.define("vitals-workout-statistics", Statistics);
