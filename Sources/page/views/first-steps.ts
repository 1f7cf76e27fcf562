import { element, fill, freshId, type Child } from "../library/element";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { field, form, text } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";
import { claimForm, enrolment } from "./enrolment";
import { GoalsCard } from "./goals-card";
import { HeartCard } from "./heart-card";
import { profileForm } from "./profile-form";

/** What somebody does who has nothing yet, step by step, beside what will be there. */
export function firstSteps(person: Person): HTMLElement {
  return element(
    "div", { class: "grid" },
    new Steps(person),
    element("div", { class: "side s5" }, new HeartCard(person, ""), new GoalsCard(person, "")));
}

class Steps extends Part {
  readonly #person: Person;
  #shown = "";

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.className = "s7";
    this.#shown = "";
    const show = () => {
      const [hasProfile, hasSensor] = [Boolean(this.#person.profile), (this.#person.sensors.list?.length ?? 0) > 0];
      const shown = `${hasProfile} ${hasSensor}`;
      if (shown === this.#shown) return;
      this.#shown = shown;
      fill(this, element(
        "ol", { class: "steps" },
        step(1, "done", say("signUp"), say("done")),
        step(2, hasProfile ? "done" : "now", say("tellFormulas"), hasProfile ? say("done") : say("tellFormulasWhy"),
          hasProfile ? null : profileForm(this.#person, () => {})),
        step(3, hasSensor ? "done" : hasProfile ? "now" : "", say("connectSensor"), hasSensor ? say("done") : say("connectSensorWhy"),
          hasSensor ? null : claimForm(this.#person),
          hasSensor ? null : element("details", {}, element("summary", {}, say("enrolGateway")), enrolment(this.#person))),
        step(4, hasProfile && hasSensor ? "now" : "", say("chooseGoal"), say("chooseGoalWhy"), goalForm(this.#person))));
    };
    show();
    this.hear(this.#person, "profile", show);
    this.hear(this.#person.sensors, "list", show);
  }
}

function step(number: number, state: "" | "now" | "done", title: string, under: string, ...content: Child[]): HTMLElement {
  const id = freshId();
  return element(
    "li", { class: "card", "aria-labelledby": id },
    element(
      "div", { class: "row" },
      element("span", { class: `step-n ${state}` }, state === "done" ? icon("check", "i-s") : `${number}`),
      element("div", { class: "grow" }, element("h2", { id }, title), element("small", {}, under))),
    ...content);
}

function goalForm(person: Person): HTMLElement {
  const steps = field(say("goalSteps"), text({ type: "number", inputmode: "numeric", min: 1, max: 200_000, step: 1, value: "10000" }));
  const send = element("button", { class: "btn" }, say("save"));
  return form({ steps }, [steps.node, element("div", { class: "btns all" }, send)], send, async () => {
    await person.ask("goals/set", { steps: Number(steps.input.value) });
    toast(say("Goal Saved Successfully"));
  });
}

customElements.define("vitals-steps", Steps);
