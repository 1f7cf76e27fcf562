import { element, fill, written } from "../library/element";
import { distance, duration, joined } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { iconOf, nameOf } from "../parts/activities";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";

/** A line above each view while a workout is under way, which leads to it. When the service has ended it, this says why. */
export function workoutBanner(person: Person): HTMLElement {
  return new WorkoutLine(person);
}

class WorkoutLine extends Part {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const { underWay } = this.#person;
    const time = element("b", {});
    // It stays the same link, so that nobody who has the focus on it loses it.
    const link = element("a", { class: "note info", href: "#/workouts/live" });
    const tick = () => {
      const shown = duration(Math.floor(underWay.seconds));
      if (time.textContent !== shown) time.textContent = shown;
    };
    const show = () => {
      const workout = underWay.now;
      if (!workout) return fill(this);
      tick();
      fill(link,
        icon(iconOf(workout.activity)),
        element("span", { class: "grow" }, element("span", { class: "pair" },
          element("b", {}, written(nameOf(workout.activity))),
          element("span", {}, workout.state === "paused" ? `${say("paused")} · ` : null, time,
            workout.distance_m === undefined ? null : ` · ${joined(distance(workout.distance_m))}`))),
        icon("next", "i-s"));
      if (!link.isConnected) fill(this, link);
    };
    show();
    this.hear(underWay, "change", show);
    this.hear(underWay, "reached", () => toast(say("goalReached")));
    this.hear(underWay, "over", () => {
      const sentence = whyOver(this.#person);
      if (sentence) toast(sentence);
    });
    this.each(250, tick);
  }
}

/** Why the service has ended the workout that was last; null if the person did. */
export function whyOver({ underWay: { last } }: Person): string | null {
  if (last?.ended_by === "goal") return say("goalEnded");
  return last?.ended_by === "silence" ? say("silenceEnded") : null;
}

customElements.define("vitals-workout-line", WorkoutLine);
