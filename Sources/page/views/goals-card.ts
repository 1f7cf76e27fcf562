import type { DayGoal, DayGoals, Today } from "service";
import { element, fill } from "../library/element";
import { distance, energy, joined, number, percent, roundDistance, type Amount } from "../library/format";
import type { Person } from "../library/person";
import { say, type Word } from "../library/words";
import { Card, empty, skeleton } from "../parts/card";
import { star } from "../parts/icons";
import { ring } from "../parts/ring";

interface Kind {
  key: keyof DayGoals;
  word: Word;
  value(value: number): Amount;
  target(value: number): Amount;
}

const steps = (value: number): Amount => ({ value: number(value), unit: "" });
const kinds: Kind[] = [
  { key: "steps", word: "steps", value: steps, target: steps },
  { key: "distance_m", word: "distance", value: distance, target: roundDistance },
  { key: "energy_kcal", word: "energy", value: energy, target: energy },
];

/** The day's goals: an arc each, and their figures. */
export class GoalsCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #body = element("div", { class: "goals" });

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    this.frame(say("goals"), this.#look);
    this.append(this.#body);
    fill(this.#body, skeleton());
    const show = (day: Today | null) => fill(this.#body, ...shown(day));
    let latest: Today | null = null;
    this.whileShown(this.#person.follow<Today>("today", (day) => show((latest = day))));
    // In other units, or another language.
    this.hear(this.#person, "profile", () => latest && show(latest));
  }
}

function shown(day: Today | null): HTMLElement[] {
  const goals = kinds.flatMap((kind) => {
    const goal = day?.goals?.[kind.key];
    return goal?.target === undefined ? [] : [{ kind, goal, target: goal.target }];
  });
  const first = goals[0];
  if (!first) return [empty("target", say("noGoals"))];
  const middle = first.kind.value(first.goal.value ?? 0);
  return [
    element(
      "div", { class: "ring" },
      ring(goals.map(({ goal, target }) => (goal.value ?? 0) / target)),
      element("p", { class: "ring-mid" }, element("b", {}, middle.value), element("span", {}, middle.unit || say("stepsUnit")))),
    element("ul", { class: "rows" }, ...goals.map(({ kind, goal, target }, at) => row(kind, goal, target, at, goals.length))),
  ];
}

function row(kind: Kind, goal: DayGoal, target: number, at: number, count: number): HTMLElement {
  return element(
    "li", { class: "goal" },
    ring(Array.from({ length: count }, () => 0), 28, 4.5, at),
    element(
      "span", { class: "grow" },
      element("b", {}, text(kind.value(goal.value ?? 0))), " ",
      element("span", { class: "muted small" }, say("of", { target: text(kind.target(target)) })), element("br"),
      element("span", { class: "muted small" }, say(kind.word))),
    element("span", { class: "pct" }, percent(goal.percent ?? 0), " ", goal.reached ? star(say("reached")) : null));
}

function text(amount: Amount): string {
  return amount.unit === "" ? amount.value : joined(amount);
}

customElements.define("vitals-goals-card", GoalsCard);
