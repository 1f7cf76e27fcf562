import type { WorkoutsGoalData, WorkoutsGoalRequest } from "service";
import { element, fill, pressed } from "../library/element";
import { energy, joined, metresOf, minutes, number, roundDistance } from "../library/format";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { reason, say, translated, type Word } from "../library/words";
import { answered } from "../parts/answered";
import { Card } from "../parts/card";
import { busy, button, field, form, select, text } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";

type Kind = NonNullable<WorkoutsGoalData["chosen"]>;
type Target = keyof WorkoutsGoalData["targets"];

/** What can be a goal: where its target is, in which unit people name it, and how it is written. */
export const kinds: { kind: Kind; target: Target; word: Word; metric(entered: number): number; text(target: number): string }[] = [
  { kind: "distance", target: "distance_m", word: "workoutGoalDistance", metric: metresOf, text: (metres) => joined(roundDistance(metres)) },
  { kind: "duration", target: "duration_s", word: "goalDuration", metric: (entered) => entered * 60, text: minutes },
  { kind: "steps", target: "steps", word: "steps", metric: (entered) => entered, text: (steps) => say("stepsValue", { steps: number(steps) }) },
  { kind: "energy", target: "energy_kcal", word: "workoutGoalEnergy", metric: (entered) => entered, text: (calories) => joined(energy(calories)) },
];

/** A goal in words: "9 km". */
export function goalText(goal: { kind: Kind } & { [target in Target]?: number }): string {
  const kind = kinds.find(({ kind }) => kind === goal.kind);
  const target = kind && goal[kind.target];
  return kind && target !== undefined ? kind.text(target) : "";
}

/** The goals of workouts: those that were saved, which one is chosen, and whether it ends a workout. What is wrong with one, the service
 *  says, and that none can be changed during a workout, too. */
export class WorkoutGoalCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #body = element("div", { class: "side" });

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    this.frame(say("goal"), this.#look);
    this.append(this.#body);
    answered(this, this.#person, this.#body, async () => {
      // What is typed there stays.
      if (!this.#body.querySelector("form")) this.#show(await this.#person.ask("workouts/goal", {}));
      return null;
    });
  }

  /** Asks for a change, says what has come of it, and shows it. */
  async #change(fields: WorkoutsGoalRequest): Promise<void> {
    const changed = await this.#person.ask("workouts/goal", fields);
    const hasFocus = this.#body.contains(document.activeElement);
    this.#show(changed);
    // What was pressed has another place now, or none.
    if (hasFocus) this.#body.querySelector("button")?.focus();
    toast(translated(changed.message ?? ""));
  }

  #show(goals: WorkoutsGoalData): void {
    const { form, complain } = this.#form(goals);
    const saved = kinds.filter(({ target }) => goals.targets[target] !== undefined);
    const ends = button(say(goals.enabled ? "switchOff" : "switchOn"), "s");
    pressed(ends, () => void busy(ends, () => this.#change({ enabled: !goals.enabled }), complain));
    fill(this.#body,
      element("ul", { class: "rows" },
        ...saved.map(({ kind, target, text }) => this.#row(kind, text(goals.targets[target] ?? 0), kind === goals.chosen)),
        element("li", { class: "row" },
          element("span", { class: "badge" }, icon("stop")),
          element("span", { class: "grow" }, element("b", {}, say("goalEnds")), element("small", {}, say(goals.enabled ? "on" : "off"))), ends)),
      form);
  }

  #row(kind: Kind, text: string, isChosen: boolean): HTMLElement {
    const choose = button(say("choose"), "s", { "aria-label": say("chooseTarget", { target: text }) });
    pressed(choose, () => void busy(choose, () => this.#change({ kind })));
    return element(
      "li", { class: "row" },
      element("span", { class: `badge ${isChosen ? "accent" : ""}` }, icon("target")),
      element("span", { class: "grow" }, element("b", {}, text), isChosen ? element("small", {}, say("chosen")) : null),
      isChosen ? icon("check") : choose);
  }

  #form(goals: WorkoutsGoalData): { form: HTMLFormElement; complain(refusal: Refusal): void } {
    const type = select([["", ""], ...kinds.map(({ kind, word }): [string, string] => [kind, say(word, { unit: roundDistance(0).unit })])], goals.chosen);
    // What is typed is in the unit that the list names, whatever the person reads by then.
    const units = new Map(kinds.map(({ kind, metric }) => [kind, metric(1)]));
    const kindField = field(say("goalType"), type);
    const target = field(say("goalTarget"), text({ inputmode: "decimal", autocomplete: "off", maxlength: 12 }));
    const send = element("button", { class: "btn" }, say("saveGoal"));
    const fields = { kind: kindField, distance_m: target, duration_s: target, steps: target, energy_kcal: target };
    const made = form(fields, [kindField.node, target.node, element("div", { class: "btns all" }, send)], send, async () => {
      const kind = kinds.find(({ kind }) => kind === type.value);
      const entered = typed(target.input.value.trim(), kind?.kind);
      if (!kind) throw new Refusal("invalid", entered === "" ? "Empty Fields" : "Select Goal Type", "kind");
      // What is no number goes as it is: the service has the words for it.
      const number = entered === "" ? NaN : Number(entered) * (units.get(kind.kind) ?? NaN);
      await this.#change({ [kind.target]: Number.isFinite(number) ? number : entered });
    });
    return {
      form: made,
      complain(refusal) {
        if (refusal.field !== "kind") return toast(reason(refusal));
        kindField.complain(reason(refusal));
        type.focus();
      },
    };
  }
}

/** What was typed, with a decimal point. What is counted has none: "10,000" is as many steps as the page writes so. */
function typed(text: string, kind: Kind | undefined): string {
  const isCounted = kind === "steps" || kind === "energy";
  return isCounted && /^[1-9]\d{0,2}([.,]\d{3})+$/.test(text) ? text.replace(/[.,]/g, "") : text.replace(",", ".");
}

customElements.define("vitals-workout-goal-card", WorkoutGoalCard);
