import type { DayGoal, PeriodGoals, Requests as Asked } from "service";
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
import { button, check, field, form, numberIn, text, type Field } from "../parts/form";
import { star } from "../parts/icons";
import { toast } from "../parts/toast";
import { daysView } from "./days";
import type { View } from "./view";

/** What a goal may be at most, as the service has it. */
const most: Record<GoalKind, number> = { steps: 200_000, distance_m: 300_000, energy_kcal: 20_000 };

type Stand = Asked["goals/get"]["replies"];
type WeekKind = "week_days" | "week_minutes";

/** What a week can have as a goal, what it may be at most, and its words. */
const weekKinds: [kind: WeekKind, most: number, word: Word, name: Word][] = [
  ["week_days", 7, "weekDays", "fullDays"], ["week_minutes", 10_080, "weekMinutes", "activityMinutes"],
];

/** What somebody wants to reach each day and each week, and how often they did. */
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
      : this.#sections(await this.#person.ask("goals/get", {})), "card");
    this.#count = answered(this, this.#person, this.#often, () => this.#counted(), "card");
  }

  #sections({ goals, week }: Stand): Child[] {
    return [section(say("goalsToSet"), "", this.#fields({ goals, week }))];
  }

  /** On how many days of this week, month and year each goal was reached, how often in a row, and how far this week is. */
  async #counted(): Promise<Child[]> {
    const [streaks, { week }, ...periods] = await Promise.all([
      this.#person.ask("goals/streaks", {}), this.#person.ask("goals/get", {}),
      this.#person.ask("statistics/week", {}), this.#person.ask("statistics/month", {}), this.#person.ask("statistics/year", {})]);
    const reached = periods.map(({ summary }): PeriodGoals => summary.goals);
    const known = goalKinds.filter((kind) => reached.some((goals) => goals[kind]));
    const names: Word[] = ["thisWeek", "thisMonth", "thisYear"];
    const ofWeek = weekKinds.filter(([kind]) => week[kind].target !== undefined);
    return [
      section(say("howOften"), "", known.length === 0 ? empty("target", say("noGoals"))
        : table([say("period"), ...known.map(nameOfMeasure)], [
          ...reached.map((goals, at) => [say(names[at] ?? "period"), ...known.map((kind) => days(goals[kind]?.reached ?? 0))]),
          [say("inARow"), ...known.map((kind) => days(streaks.days[kind] ?? 0))],
        ])),
      ...(ofWeek.length === 0 ? [] : [section(say("goalsOfWeek"), "", table([say("goal"), say("thisWeek"), say("inARow")],
        ofWeek.map(([kind, , , name]) => [say(name), progress(week[kind]), say("weeksInARow", { weeks: number(streaks.weeks[kind] ?? 0) })])))]),
    ];
  }

  #fields({ goals, week }: Stand): HTMLElement {
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
    const ofWeek = Object.fromEntries(weekKinds.map(([kind, most, word]) => [kind, field(say(word), text({
      type: "number", inputmode: "numeric", min: 0, max: most, step: 1, autocomplete: "off", value: `${week[kind].target ?? ""}`,
    }), { look: "all", hint: say("goalHint") })])) as Record<WeekKind, Field>;
    const onFoot = check(say("onlyOnFoot"), goals.distance_m?.on_foot === true);
    const send = element("button", { class: "btn first" }, say("save"));
    const cancel = pressed(button(say("cancel"), ""), () => {
      toast(say("Changes Discarded"));
      location.hash = "#/days";
    });
    const nodes = [
      fields.steps.node, fields.distance_m.node, onFoot.node, fields.energy_kcal.node, ...weekKinds.map(([kind]) => ofWeek[kind].node)];
    return form({ ...fields, ...ofWeek }, [...nodes, element("div", { class: "btns all" }, send, cancel)], send, async () => {
      const wanted: Asked["goals/set"]["asks"] = {};
      for (const kind of goalKinds) {
        const target = targetIn(fields[kind], kind, most[kind], units[kind]);
        // A target that was only shown is not rounded.
        if (isChanged(fields[kind])) wanted[kind] = target;
      }
      for (const [kind, most] of weekKinds) {
        const target = targetIn(ofWeek[kind], kind, most, 1);
        if (isChanged(ofWeek[kind])) wanted[kind] = target;
      }
      if (onFoot.input.checked !== onFoot.input.defaultChecked && wanted.distance_m === undefined) wanted.distance_m = goals.distance_m?.target ?? null;
      if (onFoot.input.checked && typeof wanted.distance_m === "number") wanted.distance_on_foot = true;
      const set = await this.#person.ask("goals/set", wanted);
      toast(say("Goal Saved Successfully"));
      fill(this.#form, ...this.#sections(set));
      this.#form.querySelector("button")?.focus();
      await this.#count();
    });
  }
}

/** "3 of 5", with a star if it was reached. */
function progress({ value, target, reached }: DayGoal): Child {
  return element("span", {}, `${number(value ?? 0)} ${say("of", { target: number(target ?? 0) })} `, reached ? star(say("reached")) : null);
}

function isChanged({ input }: Field): boolean {
  return !(input instanceof HTMLInputElement) || input.value !== input.defaultValue;
}

/** What somebody has typed, in the service's unit; null for no goal.
 *  @param most what it may be
 *  @param unit how much of the service's unit the field's is */
function targetIn(field: Field, kind: GoalKind | WeekKind, most: number, unit: number): number | null {
  const limits = say("goalLimits", { most: number(Math.floor(most / unit)) });
  const entered = numberIn(field, kind, limits);
  if (entered === null) return null;
  const target = Math.round(entered * unit);
  if (!(target >= 1 && target <= most)) throw new Refusal("invalid", limits, kind);
  return target;
}

export const goalsView: View = {
  address: /^#\/days\/goals$/,
  open: ({ person }) => ({ title: say("goals"), back: daysView.place, content: new Goals(person) }),
};

customElements.define("vitals-goals", Goals);
