import type { Day } from "service";
import { dayAfter, mondayOf, nameOfDay, today, weekdayOf } from "../library/days";
import { drawing, element, fill, give, pressed } from "../library/element";
import { percent } from "../library/format";
import { goalsOf, nameOfMeasure, percentOf, shareOf, type KnownGoal } from "../library/measures";
import { Part } from "../library/part";
import { say } from "../library/words";
import { ring } from "./ring";

/** The days of a week or a month, each with a ring of its goals: a full disc if all of them were reached. It says `choose` when somebody
 *  chooses a day, by the pointer or by keys. */
export class RingCalendar extends Part {
  #chosen = "";

  get chosen(): string {
    return this.#chosen;
  }

  get #cells(): HTMLButtonElement[] {
    return [...this.querySelectorAll("button")];
  }

  begin(): void {
    give(this, { class: "cal", role: "group", "aria-label": say("goalsByDay") });
    this.onkeydown = (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
      const cells = this.#cells;
      const from = cells.indexOf(document.activeElement as HTMLButtonElement);
      if (by === undefined || from < 0 || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      cells[from + by]?.focus();
    };
  }

  /** @param chosen is marked */
  show(days: Day[], chosen: string): void {
    this.#chosen = chosen;
    const first = days[0]?.day ?? today();
    const focused = this.#cells.indexOf(document.activeElement as HTMLButtonElement);
    fill(this,
      ...Array.from({ length: 7 }, (_, at) =>
        element("span", { class: "wd", "aria-hidden": "true" }, nameOfDay(dayAfter(mondayOf(first), at), { weekday: "short" }))),
      ...Array.from({ length: weekdayOf(first) }, () => element("span")),
      ...days.map((day) => this.#cell(day)));
    // Somebody who goes along with keys stays where they are.
    if (focused >= 0) this.#cells[focused]?.focus();
  }

  #cell(day: Day): HTMLElement {
    const number = nameOfDay(day.day, { day: "numeric" });
    const goals = goalsOf(day.goals);
    if (day.day > today()) return element("span", { class: "cell soon" }, element("span", {}, number));
    const areAllReached = goals.length > 0 && goals.every(({ reached }) => reached);
    const figure = areAllReached
      ? drawing("svg", { viewBox: "0 0 44 44", "aria-hidden": "true" }, drawing("circle", { class: "full", cx: 22, cy: 22, r: 21 }))
      : ring(goals.length > 0 ? goals.map(shareOf) : [0], 44, 4.5);
    const told = areAllReached ? say("allReached") : goals.length === 0 ? say("noGoalThen")
      : goals.map((goal) => `${nameOfMeasure(goal.kind)} ${shareText(goal)}`).join(", ");
    const cell = element("button", {
      type: "button", class: `cell ${areAllReached ? "met" : goals.length === 0 ? "no" : ""}`,
      "aria-label": `${nameOfDay(day.day, { weekday: "long", day: "numeric", month: "long" })}: ${told}`,
      "aria-current": day.day === this.#chosen ? "date" : undefined,
    }, figure, element("span", { "aria-hidden": "true" }, number));
    return pressed(cell, () => {
      this.#chosen = day.day;
      for (const one of this.querySelectorAll("button")) give(one, { "aria-current": one === cell ? "date" : undefined });
      this.dispatchEvent(new Event("choose"));
    });
  }
}

function shareText(goal: KnownGoal): string {
  const share = percentOf(goal);
  return share === null ? "–" : percent(share);
}

customElements.define("vitals-ring-calendar", RingCalendar);
