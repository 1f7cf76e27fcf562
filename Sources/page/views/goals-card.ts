import type { Today } from "service";
import { element, fill } from "../library/element";
import { goalsOf, kindsText } from "../library/measures";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { Card, fine, skeleton } from "../parts/card";
import { dayGoals } from "../parts/day-goals";

/** The goals of the day as it is. */
export class GoalsCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #body = element("div", { class: "goals" });
  readonly #note = element("div");

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    this.frame(say("goals"), this.#look, element("a", { href: "#/days" }, say("days")));
    this.append(this.#body, this.#note);
    fill(this.#body, skeleton());
    const show = (day: Today | null) => {
      fill(this.#body, ...dayGoals(day?.goals, say("noGoals")));
      const hasDistance = goalsOf(day?.goals).some(({ kind }) => kind === "distance_m");
      const kinds = day && hasDistance ? kindsText(day) : null;
      fill(this.#note, fine(kinds));
      this.#note.hidden = kinds === null;
    };
    let latest: Today | null = null;
    this.whileShown(this.#person.follow<Today>("today", (day) => show((latest = day))));
    // In other units, or another language.
    this.hear(this.#person, "profile", () => latest && show(latest));
  }
}

customElements.define("vitals-goals-card", GoalsCard);
