import type { Requests as Asked } from "service";
import { element, fill, pressed, written, type Child } from "../library/element";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { allMuscles, nameOfEquipment, nameOfMuscle, namesOf, type Muscle } from "../library/training";
import { say } from "../library/words";
import { answered } from "../parts/answered";
import { body } from "../parts/body";
import { Card, empty, pairs } from "../parts/card";
import { busy, button, field, form, select, text } from "../parts/form";
import { icon } from "../parts/icons";
import { trainingView } from "./training";
import type { View } from "./view";

type Exercise = Asked["training/exercises"]["replies"]["exercises"][number];
type Filter = Asked["training/exercises"]["asks"];

/** All exercises of the catalogue, by muscle and words. */
class Exercises extends Card {
  readonly #person: Person;
  readonly #list = element("div", { class: "side" });
  #filter: Filter = {};

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("exercises"), "");
    const muscle = field(say("muscle"), select([["", say("anyMuscle")], ...allMuscles.map((one): [string, string] => [one, nameOfMuscle(one)])], ""));
    const words = field(say("searchWords"), text({ maxlength: 64, autocomplete: "off", type: "search" }));
    const look = element("button", { class: "btn first" }, say("search"));
    this.append(form({ muscle, text: words }, [muscle.node, words.node, element("div", { class: "btns all" }, look)], look, async () => {
      this.#filter = { ...(muscle.input.value && { muscle: muscle.input.value as Muscle }), ...(words.input.value.trim() && { text: words.input.value.trim() }) };
      await load("about something else");
    }), this.#list);
    const load = answered(this, this.#person, this.#list, async () => {
      // As many as are shown already.
      const shown = this.#list.querySelectorAll(".row").length, exercises: Exercise[] = [];
      let next: string | undefined;
      do {
        const page = await this.#person.ask("training/exercises", { ...this.#filter, ...(next !== undefined && { after: next }) });
        exercises.push(...page.exercises);
        next = page.next;
      } while (next !== undefined && exercises.length < shown);
      if (exercises.length === 0) return [empty("workouts", say("noExercises"))];
      const rows = element("ul", { class: "rows" }, ...exercises.map(row));
      return [rows, next === undefined ? null : this.#more(rows, next)];
    });
  }

  #more(rows: HTMLElement, after: string): HTMLElement {
    const more = button(say("showMore"), "s");
    pressed(more, () => void busy(more, async () => {
      const { exercises, next } = await this.#person.ask("training/exercises", { ...this.#filter, after });
      rows.append(...exercises.map(row));
      more.replaceWith(...(next === undefined ? [] : [this.#more(rows, next)]));
    }));
    return more;
  }
}

function row({ exercise, name, primary, equipment }: Exercise): HTMLElement {
  const under = `${namesOf(primary)} · ${nameOfEquipment(equipment)}`;
  return element("li", { class: "row" }, element("a", { class: "grow", href: `#/training/exercises/${encodeURIComponent(exercise)}` },
    element("b", {}, written(name)), element("small", { class: "whole" }, under)), icon("next", "i-s"));
}

/** How an exercise is done. */
class ExerciseCard extends Part {
  readonly #person: Person;
  readonly #id: string;

  constructor(person: Person, id: string) {
    super();
    this.#person = person;
    this.#id = id;
  }

  begin(): void {
    const place = element("div", { class: "side" });
    fill(this, element("div", { class: "card" }, place));
    answered(this, this.#person, place, async (): Promise<Child[]> => {
      const { name, primary, secondary, equipment, level, instructions } = await this.#person.ask("training/exercise", { exercise: this.#id });
      const shares = new Map<Muscle, number>([...secondary.map((one): [Muscle, number] => [one, 0.4]), ...primary.map((one): [Muscle, number] => [one, 1])]);
      return [
        element("h2", {}, written(name)),
        element("div", { class: "worked" }, body(shares), pairs([
          [say("worksMost"), namesOf(primary)], ...(secondary.length > 0 ? [[say("worksToo"), namesOf(secondary)] as [string, string]] : []),
          [say("equipment"), nameOfEquipment(equipment)],
          [say("level"), say(level === "intermediate" ? "intermediate" : "beginner")]])),
        element("ol", { class: "numbered" }, ...instructions.map((one) => element("li", {}, written(one)))),
      ];
    });
  }
}

const back = { address: "#/training/exercises", word: "exercises", icon: "workouts" } as const;

export const exercisesView: View = {
  address: /^#\/training\/exercises$/,
  open: ({ person }) => ({ title: say("exercises"), back: trainingView.place, content: new Exercises(person) }),
};

export const exerciseView: View = {
  address: /^#\/training\/exercises\/(.+)$/,
  open: ({ person, found: [id = ""] }) => ({ title: say("exercise"), back, content: new ExerciseCard(person, decoded(id)) }),
};

/** Anybody can type an address. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

customElements.define("vitals-exercises", Exercises);
customElements.define("vitals-exercise", ExerciseCard);
