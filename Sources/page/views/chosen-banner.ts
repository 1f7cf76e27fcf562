import type { ChosenDependent } from "service";
import { element, fill, plain, pressed } from "../library/element";
import { distance, joined, number } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say } from "../library/words";
import { busy, button } from "../parts/form";
import { icon } from "../parts/icons";

/** A line above each view while all of the person's programs show a dependent: whom, what of them can be seen, and the way back. */
export function chosenBanner(person: Person): HTMLElement {
  return new ChosenLine(person);
}

class ChosenLine extends Part {
  readonly #person: Person;
  #shown: ChosenDependent | null = null;
  #today = "";

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    fill(this);
    this.whileShown(this.#person.follow<ChosenDependent>("chosen-dependent", (chosen) => void this.#show(chosen)));
  }

  async #show(chosen: ChosenDependent | null): Promise<void> {
    this.#shown = chosen;
    if (!chosen) return fill(this);
    const name = plain(chosen.name ?? say("somebody"));
    this.#draw(chosen.dependent, name, []);
    void this.#showToday(chosen);
    try {
      const { not_shown: hidden = [] } = await this.#person.ask("place/get", { dependent: chosen.dependent });
      // Somebody else may have been chosen meanwhile.
      if (this.#shown === chosen) this.#draw(chosen.dependent, name, hidden);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  /** Their steps and distance of today, as they have them themselves, if they may be seen. */
  async #showToday(chosen: ChosenDependent): Promise<void> {
    this.#today = "";
    try {
      const { steps, distance_m: metres } = await this.#person.ask("dependents/today", { dependent: chosen.dependent });
      if (this.#shown !== chosen) return;
      const figures = [steps === undefined ? null : say("stepsOf", { count: number(steps) }), metres === undefined ? null : joined(distance(metres))];
      this.#today = figures.filter((figure) => figure !== null).join(", ");
      const line = this.querySelector("[data-today]");
      if (line) line.textContent = this.#today && ` ${say("theirToday", { figures: this.#today })}`;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  #draw(chosen: string, name: string, hidden: string[]): void {
    const back = button(say("backToMyself"), "s");
    pressed(back, () => void busy(back, () => this.#person.ask("dependents/choose", { dependent: null })));
    fill(this, element("section", { class: "note info", "aria-label": say("lookingAt", { name }) },
      icon("eye"),
      element("span", { class: "grow" },
        element("a", { href: `#/people/${chosen}` }, say("lookingAt", { name })),
        element("span", { "data-today": "" }, this.#today && ` ${say("theirToday", { figures: this.#today })}`),
        element("span", { class: "small muted" }, " ", say("ownOtherwise", { name }),
          hidden.includes("location") ? ` ${say("positionNotShared")}.` : null, hidden.includes("motion") ? ` ${say("motionNotShared")}.` : null)),
      element("div", { class: "btns" }, back)));
  }
}

customElements.define("vitals-chosen-line", ChosenLine);
