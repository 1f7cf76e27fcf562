import type { DayGoals, PeriodGoals } from "service";
import { element, fill, pressed, type Child } from "../library/element";
import { days, number } from "../library/format";
import { goalKinds, nameOfMeasure, targetOf, unitOf, type GoalKind } from "../library/measures";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say, type Word } from "../library/words";
import { answered } from "../parts/answered";
import { table } from "../parts/as-table";
import { empty, section } from "../parts/card";
import { button, field, form, numberIn, text, type Field } from "../parts/form";
import { toast } from "../parts/toast";
import { daysView } from "./days";
import type { View } from "./view";

/** What a goal may be at most, as the service has it. */
const most: Record<GoalKind, number> = { steps: 200_000, distance_m: 300_000, energy_kcal: 20_000 };

/** What somebody wants to reach each day, and how often they did. */
export class Goals extends Part {
  readonly #person: Person;
  readonly #form = element("div", { class: "s5" });
  readonly #often = element("div", { class: "s7" });
  #count: () => Promise<void> = () => Promise.resolve();

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    fill(this, element("div", { class: "grid" }, this.#form, this.#often));
    // What somebody types stays.
    answered(this, this.#person, this.#form, async () => this.#form.querySelector("form") ? null
      : [section(say("goalsADay"), "", this.#fields((await this.#person.ask("goals/get", {})).goals))], "card");
    this.#count = answered(this, this.#person, this.#often, () => this.#counted(), "card");
  }

  /** On how many days of this week, month and year each goal was reached. */
  async #counted(): Promise<Child[]> {
    const periods = await Promise.all([
      this.#person.ask("statistics/week", {}), this.#person.ask("statistics/month", {}), this.#person.ask("statistics/year", {})]);
    const reached = periods.map(({ summary }): PeriodGoals => summary.goals);
    const known = goalKinds.filter((kind) => reached.some((goals) => goals[kind]));
    const names: Word[] = ["thisWeek", "thisMonth", "thisYear"];
    return [section(say("howOften"), "", known.length === 0 ? empty("target", say("noGoals"))
      : table([say("period"), ...known.map(nameOfMeasure)], reached.map((goals, at) =>
        [say(names[at] ?? "period"), ...known.map((kind) => days(goals[kind]?.reached ?? 0))])))];
  }

  #fields(goals: DayGoals): HTMLElement {
    const words: Record<GoalKind, string> = {
      steps: say("goalSteps"), distance_m: say("goalDistance", { unit: targetOf("distance_m", 1).unit }), energy_kcal: say("goalEnergy"),
    };
    // What is typed is in the units that the labels name, whatever the person reads by then.
    const units = Object.fromEntries(goalKinds.map((kind) => [kind, unitOf(kind)])) as Record<GoalKind, number>;
    const fields = Object.fromEntries(goalKinds.map((kind) => {
      const target = goals[kind]?.target;
      return [kind, field(words[kind], text({
        type: "number", inputmode: kind === "distance_m" ? "decimal" : "numeric", min: 0, step: "any", autocomplete: "off",
        value: target === undefined ? "" : `${Math.round((1000 * target) / units[kind]) / 1000}`,
      }), { look: "all", hint: say("goalHint") })];
    })) as Record<GoalKind, Field>;
    const send = element("button", { class: "btn first" }, say("save"));
    const cancel = pressed(button(say("cancel"), ""), () => {
      toast(say("Changes Discarded"));
      location.hash = "#/days";
    });
    return form(fields, [...goalKinds.map((kind) => fields[kind].node), element("div", { class: "btns all" }, send, cancel)], send, async () => {
      const wanted = Object.fromEntries(goalKinds.flatMap((kind) => {
        const target = targetIn(fields[kind], kind, units[kind]), { input } = fields[kind];
        // A target that was only shown is not rounded.
        return input instanceof HTMLInputElement && input.value === input.defaultValue ? [] : [[kind, target]];
      })) as Partial<Record<GoalKind, number | null>>;
      const set = await this.#person.ask("goals/set", wanted);
      toast(say("Goal Saved Successfully"));
      fill(this.#form, section(say("goalsADay"), "", this.#fields(set.goals)));
      this.#form.querySelector("button")?.focus();
      await this.#count();
    });
  }
}

/** What somebody has typed, in the service's unit; null for no goal.
 *  @param unit how much of the service's unit the field's is */
function targetIn(field: Field, kind: GoalKind, unit: number): number | null {
  const limits = say("goalLimits", { most: number(Math.floor(most[kind] / unit)) });
  const entered = numberIn(field, kind, limits);
  if (entered === null) return null;
  const target = Math.round(entered * unit);
  if (!(target >= 1 && target <= most[kind])) throw new Refusal("invalid", limits, kind);
  return target;
}

export const goalsView: View = {
  address: /^#\/days\/goals$/,
  open: ({ person }) => ({ title: say("goals"), back: daysView.place, content: new Goals(person) }),
};

customElements.define("vitals-goals", Goals);
