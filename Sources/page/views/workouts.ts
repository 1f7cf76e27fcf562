import type { WorkoutLine } from "service";
import { nameOfRange, periodAround } from "../library/calendar";
import { element, fill, pressed, written } from "../library/element";
import { clock, dayAndTime, dayOf, distance, duration, joined } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { reason, say, type Word } from "../library/words";
import { empty, skeleton } from "../parts/card";
import { busy, button } from "../parts/form";
import { icon, type IconName } from "../parts/icons";
import type { View } from "./view";

const activities: [activity: string | undefined, word: Word][] = [
  [undefined, "all"], ["running", "runs"], ["walking", "walks"], ["cycling", "rides"],
];
/** How many are asked for at once. */
const page = 50;
/** What a row shows; the service leaves out the rest. */
export const fieldsOfRow = ["activity", "name", "distance_m", "duration_s"];

/** All workouts, the latest first, by day and week, and by activity. */
export class Workouts extends Part {
  readonly #person: Person;
  #activity: string | undefined;
  #list: WorkoutLine[] = [];
  #next: number | undefined;
  /** Counts what was asked, so that a reply that comes late is recognised. */
  #asked = 0;
  readonly #filters = element("div", { class: "seg", role: "group", "aria-label": say("activity") });
  readonly #body = element("div", { class: "side" });

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    fill(this, element("div", { class: "side" }, element("div", { class: "filters" }, this.#filters), this.#body));
    this.#choose(undefined);
    this.hear(this.#person.broker, "change", () => this.#person.broker.state === "online" && this.#list.length === 0 && void this.#load());
    this.hear(this.#person, "profile", () => this.#list.length > 0 && this.#show());
  }

  #choose(activity: string | undefined): void {
    this.#activity = activity;
    this.#list = [];
    this.#next = undefined;
    fill(this.#filters, ...activities.map(([one, word]) => pressed(
      element("button", { type: "button", "aria-pressed": `${one === activity}` }, say(word)), () => this.#choose(one))));
    fill(this.#body, element("div", { class: "card" }, skeleton()));
    void this.#load();
  }

  async #load(): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    try {
      const { workouts, next_to } = await this.#person.ask("workouts/list", {
        limit: page, fields: fieldsOfRow, ...(this.#activity && { activity: this.#activity }), ...(this.#next && { to: this.#next }),
      });
      if (asked !== this.#asked) return;
      this.#list.push(...workouts);
      this.#next = next_to;
      this.#show();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (asked !== this.#asked || this.#list.length > 0) return;
      const again = pressed(button(say("askAgain"), "s"), () => void this.#load());
      fill(this.#body, element("div", { class: "card" }, empty("warn", reason(error), "bad", again)));
    }
  }

  #show(): void {
    if (this.#list.length === 0) return fill(this.#body, element("div", { class: "card" }, empty("workouts", say("noWorkouts"))));
    const groups = new Map<string, WorkoutLine[]>();
    for (const workout of this.#list) {
      const name = groupOf(workout.started);
      groups.set(name, [...(groups.get(name) ?? []), workout]);
    }
    const more = button(say("more"), "wide-btn");
    pressed(more, () => void busy(more, () => this.#load()));
    fill(this.#body,
      ...[...groups].map(([name, workouts]) => element(
        "section", { class: "card" }, element("div", { class: "card-head" }, element("h2", {}, name)),
        element("ul", { class: "rows" }, ...workouts.map((workout) => element("li", {}, workoutRow(workout)))))),
      this.#next ? more : null);
  }
}

/** Today, this week, or the week. */
function groupOf(time: number): string {
  const now = Date.now();
  if (dayOf(time) === dayOf(now)) return say("today");
  const week = periodAround(time, "week");
  return week.from === periodAround(now, "week").from ? say("thisWeek") : nameOfRange(week.from, week.to);
}

/** A workout in a list: it leads to all of it. */
export function workoutRow({ id, activity = "", name, started, distance_m, duration_s }: WorkoutLine): HTMLElement {
  const isToday = dayOf(started) === dayOf(Date.now());
  return element(
    "a", { class: "row", href: `#/workouts/${id}` },
    element("span", { class: "badge accent" }, icon(iconOf(activity))),
    element("span", { class: "grow" }, element("b", {}, written(name ?? nameOf(activity))),
      element("small", {}, isToday ? clock(started) : dayAndTime(started))),
    element("span", { class: "val" }, distance_m === undefined ? null : joined(distance(distance_m)),
      duration_s === undefined ? null : element("small", {}, duration(duration_s))),
    icon("next", "i-s"));
}

/** What an activity is called: a name of the person's own stays as it is. */
export function nameOf(activity: string): string {
  const names: Record<string, Word> = { running: "run", walking: "walk", cycling: "ride" };
  const word = names[activity];
  return word ? say(word) : activity;
}

export function iconOf(activity: string): IconName {
  return activity === "walking" ? "walk" : activity === "cycling" ? "bike" : "workouts";
}

export const workoutsView: View = {
  address: /^#\/workouts$/,
  place: { address: "#/workouts", word: "workouts", icon: "workouts" },
  open: ({ person }) => ({ title: say("workouts"), content: new Workouts(person) }),
};

customElements.define("vitals-workouts", Workouts);
