import type { Day } from "service";
import { timesOf } from "../library/calendar";
import { addressOf, spanAround } from "../library/day-span";
import { nameOfDay, today } from "../library/days";
import { element, fill, refill } from "../library/element";
import { goalsOf, kindsText, measures, nameOfMeasure, valueOfMeasure, type Measure } from "../library/measures";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say } from "../library/words";
import { patiently } from "../parts/answered";
import { Card, facts, fine } from "../parts/card";
import { dayGoals } from "../parts/day-goals";
import { figureOf } from "./day-series";
import { fieldsOfRow, workoutRow } from "./workouts";

/** A day among others: its goals, what else is known of it on average, and its workouts. */
export class DayCard extends Card {
  readonly #look: string;
  readonly #goals = element("div", { class: "goals" });
  readonly #figures = element("div", { class: "side" });
  readonly #workouts: DayWorkouts;
  #day: Day | null = null;
  #titled = "";

  constructor(person: Person, look: string) {
    super();
    this.#workouts = new DayWorkouts(person);
    this.#look = look;
  }

  begin(): void {
    this.#titled = "";
    this.#draw();
  }

  show(day: Day): void {
    this.#day = day;
    if (this.isConnected) this.#draw();
  }

  #draw(): void {
    const day = this.#day;
    if (!day) return;
    this.#workouts.show(day.day);
    this.#title(day);
    fill(this.#goals, ...dayGoals(day.goals, say(day.day === today() ? "noGoals" : "noGoalThen")));
    fill(this.#figures, others(day), fine(kindsText(day)));
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

/** The workouts that began on a day. They do not change as often as steps do: they are asked for once, and again when one has ended, and when
 *  the connection is back. Without an answer, and after a refusal of a few seconds, it is tried again, because a day that is over is not shown
 *  again and again as today is; after any other, when the day is shown next. What was seen stays while the service cannot be asked. */
export class DayWorkouts extends Part {
  readonly #person: Person;
  readonly #rows = element("ul", { class: "rows" });
  #day = "";
  /** Whether the service has still to be asked. */
  #isOpen = false;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    fill(this, this.#rows);
    if (this.#isOpen) void this.#list();
    this.hear(this.#person.underWay, "over", () => void this.#list());
    this.hear(this.#person.broker, "change", () => this.#person.broker.state === "online" && void this.#list());
  }

  show(day: string): void {
    if (day !== this.#day) {
      this.#day = day;
      this.#isOpen = true;
      fill(this.#rows);
    }
    if (this.#isOpen && this.isConnected) void this.#list();
  }

  async #list(): Promise<void> {
    const day = this.#day, asked = { ...timesOf(day), limit: 50, fields: fieldsOfRow };
    this.#isOpen = false;
    try {
      const { workouts } = await patiently(
        () => this.#person.ask("workouts/list", asked), () => !this.isConnected || day !== this.#day);
      if (day === this.#day) refill(this.#rows, ...workouts.map((workout) => element("li", {}, workoutRow(workout))));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // Another day that is shown by now has been asked for itself.
      if (day === this.#day) this.#isOpen = true;
    }
  }
}

customElements.define("vitals-day-card", DayCard);
customElements.define("vitals-day-workouts", DayWorkouts);
