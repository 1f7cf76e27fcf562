import type { Requests as Asked } from "service";
import { element, fill, pressed, written, type Child } from "../library/element";
import { ago, duration, energy, joined, minutes, number } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { say, type Word } from "../library/words";
import { nameOfEquipment, nameOfMuscle, namesOf, setsText, sharesOf, type Plan, type Planned, type TrainingWeek } from "../library/training";
import { AnswerCard } from "../parts/answer-card";
import { body } from "../parts/body";
import { Card, empty, facts, pairs, skeleton } from "../parts/card";
import { busy, button, checks, field, form, select } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";
import type { View } from "./view";

type Wanted = Plan["kind"] | "random";
type Settings = Asked["training/get"]["replies"];

const wanted: [wanted: Wanted, word: Word][] = [["weights", "weightTraining"], ["intervals", "highIntensity"], ["random", "surpriseMe"]];
/** How long a plan may be, in minutes. */
const lengths = [10, 15, 20, 30, 45, 60, 90];
const levels: [level: Settings["level"], word: Word][] = [["beginner", "beginner"], ["intermediate", "intermediate"]];

/** Choosing a workout, the week's selection, and how the week went. */
class Training extends Part {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const week = new WeekCard(this.#person);
    fill(this, element("div", { class: "grid" },
      element("div", { class: "side s7" }, new OffersCard(this.#person, week), new OwnEquipment(this.#person)),
      element("div", { class: "side s5" }, week, new DayCard(this.#person))));
  }
}

/** Plans to choose from. */
class OffersCard extends Card {
  readonly #person: Person;
  readonly #week: WeekCard;
  readonly #offers = element("div", { class: "side", "aria-live": "polite" });

  constructor(person: Person, week: WeekCard) {
    super();
    this.#person = person;
    this.#week = week;
  }

  begin(): void {
    this.frame(say("chooseWorkout"), "", element("a", { href: "#/training/exercises" }, say("exercises")));
    const kind = field(say("trainingKind"), select(wanted.map(([value, word]) => [value, say(word)]), "weights"));
    const length = field(say("duration"), select(lengths.map((count) => [`${count}`, minutes(60 * count)]), "30"));
    const show = element("button", { class: "btn first" }, say("showPlans"));
    this.append(form({ kind, minutes: length }, [kind.node, length.node, element("div", { class: "btns all" }, show)], show,
      () => this.#ask(kind.input.value as Wanted, Number(length.input.value))), this.#offers);
  }

  async #ask(wanted: Wanted, minutes: number): Promise<void> {
    fill(this.#offers, skeleton());
    try {
      const { offers, notes } = await this.#person.ask("training/offer", wanted === "random" ? { minutes, random: true } : { minutes, kind: wanted });
      fill(this.#offers,
        ...notes.map((note) => element("p", { class: "hint" }, written(note))),
        offers.length === 0 ? empty("workouts", say("noFittingPlans")) : element("ul", { class: "rows" }, ...offers.map((plan) => this.#offer(plan))));
    } catch (error) {
      fill(this.#offers);
      throw error;
    }
  }

  #offer(plan: Plan): HTMLElement {
    const start = button(say("start"), "s first", { "aria-label": say("startName", { name: plan.title }) });
    const choose = button(say("chooseForWeek"), "s soft", { "aria-label": say("chooseName", { name: plan.title }) });
    pressed(start, () => void busy(start, () => startTraining(this.#person, { plan: plan.plan })));
    pressed(choose, () => void busy(choose, async () => {
      this.#week.take(await this.#person.ask("training/choose", { plan: plan.plan }));
      toast(say("isChosen"));
    }));
    return element("li", { class: "side" },
      element("div", { class: "row wraps" }, element("span", { class: "badge accent" }, icon("workouts")),
        element("span", { class: "grow" }, element("b", {}, written(plan.title)), element("small", { class: "whole" }, lengthOf(plan), " · ", namesOf(plan.muscles))),
        element("span", { class: "btns" }, choose, start)),
      element("details", {}, element("summary", {}, say("exercisesOf", { count: number(plan.exercises.length) })),
        element("ol", { class: "rows" }, ...plan.exercises.map(planned))));
  }
}

/** A plan takes about as long as was asked for. */
function roundMinutes(seconds: number): string {
  return minutes(60 * Math.round(seconds / 60));
}

/** "30 min, about 180 kcal". */
function lengthOf({ duration_s, energy_kcal }: Plan): string {
  return [roundMinutes(duration_s), ...(energy_kcal === undefined ? [] : [say("about", { value: joined(energy(energy_kcal)) })])].join(", ");
}

function planned(one: Planned): HTMLElement {
  return element("li", { class: "row" },
    element("a", { class: "grow", href: `#/training/exercises/${encodeURIComponent(one.exercise)}` },
      element("b", {}, written(one.name)), element("small", { class: "whole" }, namesOf(one.primary), one.zone ? ` · ${say("zone", { number: `${one.zone}` })}` : null)),
    element("span", { class: "val" }, setsText(one)));
}

/** Begins to do a plan. */
export async function startTraining(person: Person, what: { plan: string } | { choice: string }): Promise<void> {
  await person.ask("training/start", what);
  location.hash = "#/training/now";
}

/** What was chosen for this week, and what was done: workouts, time, muscles. */
class WeekCard extends AnswerCard {
  begin(): void {
    this.frame(say("thisWeek"), "");
    this.ask(async () => this.#content(await this.person.ask("training/week", {})));
    // A workout may have ended.
    this.hear(this.person.news, "told", () => void this.load());
  }

  take(week: TrainingWeek): void {
    fill(this.body, ...this.#content(week));
  }

  #content(week: TrainingWeek): Child[] {
    const { chosen, workouts, duration_s, exercises, last } = week;
    return [
      facts("three", [[say("workouts"), number(workouts)], [say("duration"), duration(duration_s)], [say("exercises"), number(exercises)]]),
      muscleWork(week.muscles),
      element("h3", {}, say("weeksSelection")),
      chosen.length === 0 ? element("p", { class: "muted" }, say("nothingChosen"))
        : element("ul", { class: "rows" }, ...chosen.map((choice) => this.#choice(choice))),
      last ? element("p", { class: "small muted" }, say("lastTraining", { time: ago(last.time) }), " ",
        element("a", { href: `#/workouts/${last.workout}` }, written(last.title))) : null,
    ];
  }

  #choice({ choice, title, duration_s, done }: TrainingWeek["chosen"][number]): HTMLElement {
    const start = button(say("start"), "s soft", { "aria-label": say("startName", { name: title }) });
    pressed(start, () => void busy(start, () => startTraining(this.person, { choice })));
    const remove = button(say("remove"), "s quiet", { "aria-label": say("removeChoice", { name: title }) });
    pressed(remove, () => void busy(remove, async () => this.take(await this.person.ask("training/unchoose", { choice }))));
    return element("li", { class: "row wraps" },
      element("span", { class: `badge ${done ? "good" : "accent"}` }, icon(done ? "check" : "workouts")),
      element("span", { class: "grow" }, element("b", {}, written(title)), element("small", { class: "whole" }, roundMinutes(duration_s), done ? ` · ${say("done")}` : null)),
      element("span", { class: "btns" }, done ? element("a", { class: "btn s", href: `#/workouts/${done}` }, say("show")) : start, remove));
  }
}

/** Muscles that have worked, on the body and as text. */
export function muscleWork(worked: TrainingWeek["muscles"]): HTMLElement {
  if (worked.length === 0) return element("p", { class: "muted" }, say("noMuscles"));
  const most = [...worked].sort((one, other) => other.sets - one.sets);
  return element("div", { class: "worked" }, body(sharesOf(worked)),
    pairs(most.map(({ muscle, sets }) => [nameOfMuscle(muscle), say(sets === 1 ? "oneSet" : "setsCount", { count: number(sets) })])));
}

/** The profile of the day: what workouts took, the body mass index. */
class DayCard extends AnswerCard {
  begin(): void {
    this.frame(say("today"), "");
    this.ask(async () => {
      const { workouts, duration_s, energy_kcal, bmi } = await this.person.ask("training/day", {});
      return [facts("two", [
        [say("workouts"), number(workouts)], [say("duration"), duration(duration_s)],
        ...(energy_kcal === undefined ? [] : [[say("energy"), energy(energy_kcal).value, energy(energy_kcal).unit] as [Child, string, string]]),
        ...(bmi === undefined ? [] : [[say("bodyMass"), number(bmi, 1)] as [Child, string]]),
      ])];
    });
  }
}

/** What somebody has at hand, and how much they have done so far: plans are made for that. */
class OwnEquipment extends AnswerCard {
  begin(): void {
    this.frame(say("whatIHave"), "");
    this.ask(async () => {
      // What is chosen there stays.
      if (this.body.querySelector("form")) return null;
      const settings = await this.person.ask("training/get", {});
      const level = field(say("level"), select(levels.map(([value, word]) => [value, say(word)]), settings.level), { look: "all" });
      const boxes = checks(say("equipment"), settings.known_equipment.map((name) => [name, nameOfEquipment(name)]), settings.equipment);
      const save = element("button", { class: "btn" }, say("save"));
      return [form({ level, equipment: boxes }, [level.node, boxes.node, element("div", { class: "btns all" }, save)], save, async () => {
        await this.person.ask("training/set", { level: level.input.value as Settings["level"], equipment: boxes.chosen() as Settings["equipment"] });
        toast(say("Data Saved Successfully"));
      })];
    });
  }
}

export const trainingView: View = {
  address: /^#\/training$/,
  place: { address: "#/training", word: "training", icon: "target", isOfHouse: true },
  open: ({ person }) => ({ title: say("training"), content: new Training(person) }),
};

customElements.define("vitals-training", Training);
customElements.define("vitals-offers", OffersCard);
customElements.define("vitals-training-week", WeekCard);
customElements.define("vitals-training-day", DayCard);
customElements.define("vitals-own-equipment", OwnEquipment);
