import type { Day, WorkoutLine } from "service";
import { timesOf } from "../library/calendar";
import { addressOf, spanAround } from "../library/day-span";
import { nameOfDay, today } from "../library/days";
import { element, fill } from "../library/element";
import { goalsOf, measures, nameOfMeasure, valueOfMeasure, type Measure } from "../library/measures";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { Card, facts } from "../parts/card";
import { dayGoals } from "../parts/day-goals";
import { figureOf } from "./day-series";
import { fieldsOfRow, workoutRow } from "./workouts";

/** A day among others: its goals, what else is known of it on average, and its workouts. */
export class DayCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #goals = element("div", { class: "goals" });
  readonly #figures = element("div");
  readonly #workouts = element("ul", { class: "rows" });
  #day: Day | null = null;
  #listed = "";
  #titled = "";

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    this.#listed = this.#titled = "";
    this.#draw();
  }

  show(day: Day): void {
    this.#day = day;
    if (this.isConnected) this.#draw();
  }

  #draw(): void {
    const day = this.#day;
    if (!day) return;
    this.#title(day);
    fill(this.#goals, ...dayGoals(day.goals, say(day.day === today() ? "noGoals" : "noGoalThen")));
    fill(this.#figures, others(day));
    // Workouts do not change as often as steps do.
    if (this.#listed === day.day) return;
    this.#listed = day.day;
    fill(this.#workouts);
    void workoutsOf(this.#person, day.day).then((workouts) => {
      if (this.#listed === day.day) fill(this.#workouts, ...workouts.map((workout) => element("li", {}, workoutRow(workout))));
    });
  }

  /** The heading and its links, which keep the focus while the day goes on. */
  #title(day: Day): void {
    const titled = `${day.day} ${day.heart_rate !== undefined}`;
    if (titled === this.#titled) return;
    this.#titled = titled;
    const { from, to } = timesOf(day.day);
    this.frame(nameOfDay(day.day, { weekday: "long", day: "numeric" }), this.#look,
      element("a", { href: addressOf(spanAround(day.day, "day")) }, say("wholeDay")),
      day.heart_rate ? element("a", { href: `#/heart?from=${from}&to=${to}` }, say("heartRate")) : null);
    this.append(this.#goals, this.#figures, this.#workouts);
  }
}

/** What is known of a day that is not one of its goals. */
function others(day: Day): HTMLElement | null {
  const known = goalsOf(day.goals).map(({ kind }): Measure => kind);
  const figures = measures.flatMap((measure) => {
    const value = known.includes(measure) ? null : valueOfMeasure(day, measure);
    return value ? [figureOf(nameOfMeasure(measure), measure, value.mean)] : [];
  });
  return figures.length > 0 ? facts("two", figures) : null;
}

/** The workouts that began on a day; none if the service cannot be asked. */
export async function workoutsOf(person: Person, day: string): Promise<WorkoutLine[]> {
  return person.ask("workouts/list", { ...timesOf(day), limit: 50, fields: fieldsOfRow }).then(({ workouts }) => workouts, () => []);
}

customElements.define("vitals-day-card", DayCard);
