import type { Requests as Asked } from "service";
import { timesOf } from "../library/calendar";
import { dayAfter, isDay, nameOfDay, today } from "../library/days";
import { element, plain, pressed, refill, written, type Child } from "../library/element";
import { clock, energy, joined, number } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say, type Word } from "../library/words";
import { AnswerCard } from "../parts/answer-card";
import { Card, empty, facts, fine } from "../parts/card";
import { confirmed, opened } from "../parts/dialog";
import { busy, button, field, form, numberIn, select, text, type Field } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";
import type { View } from "./view";

type Day = Asked["meals/day"]["replies"];
type Meal = Day["meals"][number];
type Food = Asked["meals/foods"]["replies"]["foods"][number];
type Nutrient = "protein_g" | "carbohydrate_g" | "fat_g";

const nutrients: [nutrient: Nutrient, word: Word][] = [["protein_g", "protein"], ["carbohydrate_g", "carbohydrate"], ["fat_g", "fat"]];

/** What was eaten on a day, beside what was burned; what could be eaten, and the person's own foods. */
class Meals extends Part {
  readonly #person: Person;
  readonly #day: string | null;
  /** The day that today was when it was shown. */
  #shown = "";

  /** @param day null for today, whichever day that is */
  constructor(person: Person, day: string | null) {
    super();
    this.#person = person;
    this.#day = day;
  }

  begin(): void {
    this.#show();
    // The day turns under one's eyes. What somebody has typed stays, and is of today when they send it.
    this.each(30_000, () => {
      const isTyped = document.querySelector("dialog") || [...this.querySelectorAll("input")].some(({ value }) => value !== "");
      if (this.#day === null && this.#shown !== today() && !isTyped) this.#show();
    });
  }

  #show(): void {
    this.#shown = today();
    const day = new MealsOfDay(this.#person, this.#day ?? this.#shown), ideas = new Ideas(this.#person, this.#day, () => day.load());
    const eaten = async () => { await Promise.all([day.load(), ideas.load()]); };
    day.changed = () => void ideas.load();
    refill(this, element("div", { class: "grid" },
      element("div", { class: "side s7" }, day, new LogMeal(this.#person, this.#day, eaten)),
      element("div", { class: "side s5" }, ideas, new Foods(this.#person, this.#day, eaten))));
  }
}

/** "12 g protein, 30 g carbohydrate". */
function nutrientsText(of: Partial<Record<Nutrient, number>>): string {
  return nutrients.flatMap(([nutrient, word]) => {
    const grams = of[nutrient];
    return grams === undefined ? [] : [`${number(grams)}\u202fg ${say(word)}`];
  }).join(", ");
}

/** A day's meals, and its balance. */
class MealsOfDay extends AnswerCard {
  readonly #day: string;
  changed: () => void = () => {};

  constructor(person: Person, day: string) {
    super(person);
    this.#day = day;
  }

  begin(): void {
    const at = (day: string, word: Word, name: "back" | "next") => element("a", { class: "round", href: `#/meals/${day}`, "aria-label": say(word) }, icon(name));
    this.frame(this.#day === today() ? say("today") : nameOfDay(this.#day, { weekday: "short", day: "numeric", month: "long" }), "",
      element("span", { class: "pager" }, at(dayAfter(this.#day, -1), "before", "back"), this.#day < today() ? at(dayAfter(this.#day), "after", "next") : null));
    this.ask(async () => this.#content(await this.person.ask("meals/day", { day: this.#day })));
  }

  #content({ meals, total, burned, balance_kcal, left_kcal }: Day): Child[] {
    const figures: [Child, string, string?][] = [];
    const take = (word: Word, calories: number | undefined) => {
      if (calories !== undefined) figures.push([say(word), energy(calories).value, energy(calories).unit]);
    };
    take("eaten", total.energy_kcal);
    take("burnedResting", burned.resting_kcal);
    take("burnedActive", burned.active_kcal);
    take("balance", balance_kcal);
    take("leftOfDay", left_kcal);
    const all = nutrientsText(total);
    return [
      facts("three", figures), fine(all || null),
      this.#day === today() && burned.resting_kcal !== undefined ? element("p", { class: "hint" }, say("restingSoFar")) : null,
      meals.length === 0 ? empty("today", say("noMeals")) : element("ul", { class: "rows" }, ...meals.map((meal) => this.#row(meal))),
    ];
  }

  #row(meal: Meal): HTMLElement {
    const remove = button(say("delete"), "s quiet", { "aria-label": say("deleteName", { name: plain(meal.name) }) });
    pressed(remove, () => void this.#delete(meal, remove));
    const under = [clock(meal.time), ...(meal.grams === undefined ? [] : [`${number(meal.grams)}\u202fg`]), nutrientsText(meal)].filter(Boolean).join(" · ");
    return element("li", { class: "row wraps", "data-row": meal.meal },
      element("span", { class: "grow" }, element("b", {}, written(meal.name)), element("small", { class: "whole" }, under)),
      element("span", { class: "val" }, joined(energy(meal.energy_kcal))), remove);
  }

  async #delete({ meal, name }: Meal, remove: HTMLButtonElement): Promise<void> {
    if (!await confirmed(say("deleteMealQuestion", { name: plain(name) }), say("deleteMealMeans"), say("delete"))) return;
    await busy(remove, async () => {
      await this.person.ask("meals/delete", { meal });
      await this.load();
      this.changed();
    });
  }
}

interface Entered {
  name: Field;
  energy_kcal: Field;
  nutrients: Record<Nutrient, Field>;
}

/** The fields of a meal or a food. */
function foodFields(): Entered {
  const figure = (label: string, unit: string) => field(`${label} (${unit})`, text({ type: "number", inputmode: "decimal", min: 0, step: "any" }));
  return {
    name: field(say("whatIsIt"), text({ maxlength: 64, autocomplete: "off" }), { look: "all" }),
    energy_kcal: figure(say("energy"), energy(0).unit),
    nutrients: { protein_g: figure(say("protein"), "g"), carbohydrate_g: figure(say("carbohydrate"), "g"), fat_g: figure(say("fat"), "g") },
  };
}

/** What was entered. What was left empty is not known. */
function entered({ name, energy_kcal, nutrients: fields }: Entered): { name: string; energy_kcal: number } & Partial<Record<Nutrient, number>> {
  if (name.input.value.trim() === "") throw new Refusal("invalid", "Enter Name", "name");
  const calories = numberIn(energy_kcal, "energy_kcal", "Enter Proper Calories");
  if (calories === null) throw new Refusal("invalid", "Enter Proper Calories", "energy_kcal");
  const known = nutrients.flatMap(([nutrient]) => {
    const grams = numberIn(fields[nutrient], nutrient);
    return grams === null ? [] : [[nutrient, grams]];
  });
  return { name: name.input.value.trim(), energy_kcal: calories, ...Object.fromEntries(known) };
}

/** When something was eaten: now, or in the middle of a day that is over, where the person is. */
function timeOn(day: string | null): { time?: number } {
  if (day === null) return {};
  const { from, to } = timesOf(day);
  return { time: (from + to) / 2 };
}

/** Logs a meal by hand. */
class LogMeal extends Card {
  readonly #person: Person;
  readonly #day: string | null;
  readonly #eaten: () => Promise<void>;

  constructor(person: Person, day: string | null, eaten: () => Promise<void>) {
    super();
    this.#person = person;
    this.#day = day;
    this.#eaten = eaten;
  }

  begin(): void {
    this.frame(say("logMeal"), "");
    const fields = foodFields(), { name, energy_kcal, nutrients } = fields;
    const send = element("button", { class: "btn first" }, say("logIt"));
    const all = [name, energy_kcal, ...Object.values(nutrients)];
    this.append(form({ name, energy_kcal, ...nutrients }, [...all.map(({ node }) => node), element("div", { class: "btns all" }, send)], send, async () => {
      await this.#person.ask("meals/log", { ...entered(fields), ...timeOn(this.#day) });
      for (const { input } of all) input.value = "";
      toast(say("isLogged"));
      await this.#eaten();
    }));
  }
}

/** What fits in what is left of the day. */
class Ideas extends AnswerCard {
  readonly #day: string | null;
  readonly #eaten: () => Promise<void>;

  constructor(person: Person, day: string | null, eaten: () => Promise<void>) {
    super(person);
    this.#day = day;
    this.#eaten = eaten;
  }

  begin(): void {
    this.frame(say("mealIdeas"), "");
    this.ask(async () => {
      const { ideas } = await this.person.ask("meals/ideas", { day: this.#day ?? today() });
      return [ideas.length === 0 ? empty("today", say("noIdeas")) : element("ul", { class: "rows" }, ...ideas.map((idea) => {
        const log = button(say("logIt"), "s", { "aria-label": say("logName", { name: plain(idea.name) }) });
        pressed(log, () => void busy(log, async () => {
          const { name, energy_kcal, protein_g, carbohydrate_g, fat_g } = idea;
          await this.person.ask("meals/log", { name, energy_kcal, protein_g, carbohydrate_g, fat_g, ...timeOn(this.#day) });
          toast(say("isLogged"));
          await this.#eaten();
          await this.load();
        }));
        return element("li", { class: "row wraps" },
          element("span", { class: "grow" }, element("b", {}, written(idea.name)), element("small", { class: "whole" }, written(idea.text)), element("small", { class: "whole" }, nutrientsText(idea))),
          element("span", { class: "val" }, joined(energy(idea.energy_kcal))), log);
      }))];
    });
  }
}

/** The person's own foods. */
class Foods extends AnswerCard {
  readonly #day: string | null;
  readonly #eaten: () => Promise<void>;

  constructor(person: Person, day: string | null, eaten: () => Promise<void>) {
    super(person);
    this.#day = day;
    this.#eaten = eaten;
  }

  begin(): void {
    const add = pressed(button(say("add"), "s soft", { "aria-label": say("addFood") }), () => this.#edit());
    this.frame(say("ownFoods"), "", add);
    this.ask(async () => {
      const foods: Food[] = [];
      for (let after: string | undefined; ;) {
        const part = await this.person.ask("meals/foods", after === undefined ? {} : { after });
        foods.push(...part.foods);
        after = part.next;
        if (after === undefined) break;
      }
      return [foods.length === 0 ? empty("today", say("noFoods")) : element("ul", { class: "rows" }, ...foods.map((food) => this.#row(food)))];
    });
  }

  #row(food: Food): HTMLElement {
    const { food: id, name, portion_g, energy_kcal } = food;
    const log = button(say("logIt"), "s", { "aria-label": say("logName", { name: plain(name) }) });
    pressed(log, () => this.#log(food));
    const remove = button(say("remove"), "s quiet", { "aria-label": say("removeFoodName", { name: plain(name) }) });
    pressed(remove, () => void busy(remove, async () => {
      await this.person.ask("meals/remove-food", { food: id });
      await this.load();
    }));
    const under = [...(portion_g === undefined ? [] : [say("portionOf", { grams: number(portion_g) })]), nutrientsText(food)].filter(Boolean).join(" · ");
    return element("li", { class: "row wraps", "data-row": id },
      element("span", { class: "grow" }, element("b", {}, written(name)), element("small", { class: "whole" }, under)),
      element("span", { class: "val" }, joined(energy(energy_kcal))), element("span", { class: "btns" }, remove, log));
  }

  #log({ food, name, portion_g }: Food): void {
    const portions = field(say("portions"), select(["0.5", "1", "1.5", "2", "3"].map((count) => [count, number(Number(count), count.includes(".") ? 1 : 0)]), "1"));
    const grams = portion_g === undefined ? null : field(say("orGrams"), text({ type: "number", inputmode: "decimal", min: 0, step: "any" }));
    const send = element("button", { class: "btn first" }, say("logIt"));
    const dialog = opened(plain(name), form({ portions, ...(grams && { grams }) }, [portions.node, grams?.node,
      element("div", { class: "btns all" }, pressed(button(say("cancel"), ""), () => dialog.close()), send)], send, async () => {
      const weight = grams && numberIn(grams, "grams");
      await this.person.ask("meals/log", { food, ...(weight !== null ? { grams: weight } : { portions: Number(portions.input.value) }), ...timeOn(this.#day) });
      dialog.close();
      toast(say("isLogged"));
      await this.#eaten();
    }));
  }

  #edit(): void {
    const fields = foodFields(), { name, energy_kcal, nutrients } = fields;
    const portion = field(say("portionGrams"), text({ type: "number", inputmode: "decimal", min: 0, step: "any" }));
    const save = element("button", { class: "btn first" }, say("save"));
    const dialog = opened(say("addFood"), form({ name, energy_kcal, portion_g: portion, ...nutrients }, [
      name.node, energy_kcal.node, portion.node, ...Object.values(nutrients).map(({ node }) => node),
      element("div", { class: "btns all" }, pressed(button(say("cancel"), ""), () => dialog.close()), save)], save, async () => {
      const grams = numberIn(portion, "portion_g");
      await this.person.ask("meals/add-food", { ...entered(fields), ...(grams !== null && { portion_g: grams }) });
      dialog.close();
      toast(say("Data Saved Successfully"));
      await this.load();
    }));
  }
}

export const mealsView: View = {
  address: /^#\/meals(?:\/(.*))?$/,
  place: { address: "#/meals", word: "meals", icon: "meal", isOfHouse: true },
  open: ({ person, found: [day = ""] }) => ({ title: say("meals"), content: new Meals(person, isDay(day) && day < today() ? day : null) }),
};

customElements.define("vitals-meals", Meals);
customElements.define("vitals-meals-of-day", MealsOfDay);
customElements.define("vitals-log-meal", LogMeal);
customElements.define("vitals-meal-ideas", Ideas);
customElements.define("vitals-foods", Foods);
