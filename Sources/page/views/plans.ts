import type { WorkoutPlan } from "service";
import { element, fill, plain, pressed, written, type Child } from "../library/element";
import { roundDistance } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say, type Word } from "../library/words";
import { activities, iconOf, nameOf } from "../parts/activities";
import { answered } from "../parts/answered";
import { empty } from "../parts/card";
import { confirmed, opened } from "../parts/dialog";
import { busy, button, check, field, form, numberIn, select, text } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";
import type { View } from "./view";
import { goalText, kinds } from "./workout-goal-card";
import { workoutsView } from "./workouts";

/** What a workout can be started from: the plans of everybody, and the person's own. */
export class Plans extends Part {
  readonly #person: Person;
  readonly #body = element("div", { class: "side" });
  #load = async () => {};

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const add = button("", "first");
    add.append(icon("plus", "i-s"), say("newPlan"));
    pressed(add, () => this.#edit());
    fill(this, element("div", { class: "side" }, this.#body, element("div", { class: "btns" }, add)));
    this.#load = answered(this, this.#person, this.#body, async () => {
      const { plans } = await this.#person.ask("plans/list", {});
      const own = plans.filter(({ predefined }) => !predefined), all = plans.filter(({ predefined }) => predefined);
      return [this.#card("ownPlans", own, own.length === 0 ? empty("target", say("noPlans")) : null), this.#card("plansOfAll", all)];
    }, "card");
  }

  #card(word: Word, plans: WorkoutPlan[], ...content: Child[]): HTMLElement {
    return element("section", { class: "card", "aria-label": say(word) },
      element("div", { class: "card-head" }, element("h2", {}, say(word))), ...content,
      element("ul", { class: "rows" }, ...plans.map((plan) => this.#row(plan))));
  }

  #row(plan: WorkoutPlan): HTMLElement {
    const { name, activity, goal, predefined } = plan;
    const start = button(say("start"), "s soft", { "aria-label": say("startName", { name: plain(name) }) });
    pressed(start, () => void busy(start, async () => {
      this.#person.underWay.take((await this.#person.ask("workouts/start", { plan: name })).workout);
      location.hash = "#/workouts/live";
    }));
    const remove = predefined ? null : button(say("delete"), "s", { "aria-label": say("deleteName", { name: plain(name) }) });
    if (remove) pressed(remove, () => void this.#delete(plan, remove));
    return element("li", { class: "row wraps" },
      element("span", { class: "badge accent" }, icon(iconOf(activity))),
      element("span", { class: "grow" }, element("b", {}, written(name)),
        element("small", { class: "whole" }, written(nameOf(activity)), goal ? ` · ${goalText(goal)}` : null,
          goal?.enabled ? ` · ${say("goalEnds")}` : null)),
      element("span", { class: "btns" }, remove, start));
  }

  async #delete({ name }: WorkoutPlan, remove: HTMLButtonElement): Promise<void> {
    if (!await confirmed(say("deleteNameQuestion", { name: plain(name) }), say("deletePlanMeans"), say("delete"))) return;
    await busy(remove, async () => {
      await this.#person.ask("plans/delete", { name });
      await this.#load();
    });
  }

  #edit(): void {
    const name = field(say("personName"), text({ maxlength: 64, autocomplete: "off" }), { look: "all" });
    const known = activities.map(({ activity }): [string, string] => [activity, nameOf(activity)]);
    const activity = field(say("activity"), select([...known, ["", say("ownActivity")]], "running"));
    const own = field(say("ownActivityName"), text({ maxlength: 64, autocomplete: "off" }));
    const kind = field(say("goalType"), select([["", say("noGoal")], ...kinds.map(({ kind, word }): [string, string] => [kind, say(word, { unit: roundDistance(0).unit })])], ""));
    // What is typed is in the unit that the list names, whatever the person reads by then.
    const units = new Map(kinds.map((one) => [one.kind, one.metric(1)]));
    const target = field(say("goalTarget"), text({ type: "number", inputmode: "decimal", min: 0, step: "any" }));
    const ends = check(say("goalEnds"), false);
    const chosenKind = () => kinds.find((one) => one.kind === kind.input.value);
    const adapt = () => {
      own.node.hidden = activity.input.value !== "";
      target.node.hidden = ends.node.hidden = !chosenKind();
    };
    for (const one of [activity, kind]) one.input.addEventListener("change", adapt);
    adapt();
    const save = element("button", { class: "btn first" }, say("save"));
    // What is wrong with a goal, the service says.
    const fields = { name, activity: own, ...Object.fromEntries(kinds.map((one) => [one.target, target])) };
    const dialog = opened(say("newPlan"), form(fields, [
      name.node, activity.node, own.node, kind.node, target.node, ends.node,
      element("div", { class: "btns all" }, pressed(button(say("cancel"), ""), () => dialog.close()), save)], save, async () => {
      if (name.input.value.trim() === "") throw new Refusal("invalid", "Enter Name", "name");
      const done = activity.input.value || own.input.value.trim();
      if (done === "") throw new Refusal("invalid", "Enter Name", "activity");
      const goal = chosenKind();
      await this.#person.ask("plans/save", {
        name: name.input.value.trim(), activity: done,
        ...(goal && { goal: { [goal.target]: (numberIn(target, goal.target) ?? 0) * (units.get(goal.kind) ?? 1), enabled: ends.input.checked } }),
      });
      dialog.close();
      toast(say("Data Saved Successfully"));
      await this.#load();
    }));
  }
}

export const plansView: View = {
  address: /^#\/workouts\/plans$/,
  open: ({ person }) => ({ title: say("plans"), back: workoutsView.place, content: new Plans(person) }),
};

customElements.define("vitals-plans", Plans);
