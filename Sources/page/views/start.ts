import { element, fill } from "../library/element";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { icon } from "../parts/icons";
import { StartCard } from "./start-card";
import type { View } from "./view";
import { VoiceCard } from "./voice-card";
import { WorkoutGoalCard } from "./workout-goal-card";
import { workoutsView } from "./workouts";

export const startView: View = {
  address: /^#\/workouts\/start$/,
  open: ({ person }) => ({
    title: say("startWorkout"), back: workoutsView.place,
    content: element(
      "div", { class: "grid" },
      element("div", { class: "side s7" }, new Locked(person), new StartCard(person, "", true), new WorkoutGoalCard(person, "")),
      element("div", { class: "side s5" }, new VoiceCard(person, ""))),
  }),
};

/** Says that a workout is under way, while one is. */
class Locked extends Part {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const show = () => {
      this.hidden = !this.#person.underWay.now;
      fill(this, element("p", { class: "note" }, icon("warn"), element("span", { class: "grow" }, say("goalLocked"))));
    };
    show();
    this.hear(this.#person.underWay, "change", show);
  }
}

customElements.define("vitals-goal-locked", Locked);
