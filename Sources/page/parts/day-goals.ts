import type { DayGoals } from "service";
import { element } from "../library/element";
import { joined, percent } from "../library/format";
import { amountOf, goalsOf, nameOfMeasure, percentOf, shareOf, targetOf, type KnownGoal } from "../library/measures";
import { say } from "../library/words";
import { empty } from "./card";
import { star } from "./icons";
import { ring } from "./ring";

const unknown = "–";

/** A day's goals: an arc each, and their figures. Nothing else, if there are none.
 *  @param none what is said then */
export function dayGoals(goals: DayGoals | undefined, none: string): HTMLElement[] {
  const known = goalsOf(goals);
  const first = known[0];
  if (!first) return [empty("target", none)];
  const middle = first.value === undefined ? { value: unknown, unit: "" } : amountOf(first.kind, first.value);
  return [
    element(
      "div", { class: "ring" },
      ring(known.map(shareOf)),
      element("p", { class: "ring-mid" }, element("b", {}, middle.value), element("span", {}, middle.unit || say("stepsUnit")))),
    element("ul", { class: "rows" }, ...known.map((goal, at) => row(goal, at, known.length))),
  ];
}

function row(goal: KnownGoal, at: number, count: number): HTMLElement {
  const { kind, value, target, reached } = goal;
  const share = percentOf(goal);
  return element(
    "li", { class: "goal" },
    ring(Array.from({ length: count }, () => 0), 28, 4.5, at),
    element(
      "span", { class: "grow" },
      element("b", {}, value === undefined ? unknown : joined(amountOf(kind, value))), " ",
      target === undefined ? null : element("span", { class: "muted small" }, say("of", { target: joined(targetOf(kind, target)) })), element("br"),
      element("span", { class: "muted small" }, nameOfMeasure(kind))),
    element("span", { class: "pct" }, share === null ? null : percent(share), " ", reached ? star(say("reached")) : null));
}
