import type { Consents } from "service";
import { element, freshId, give } from "../library/element";
import type { Person } from "../library/person";
import { say, type Word } from "../library/words";
import { answered } from "../parts/answered";
import { Card } from "../parts/card";
import { tick } from "../parts/form";

const asked: [name: keyof Consents, word: Word, meaning: Word][] = [
  ["record_location", "recordLocation", "recordLocationMeans"],
  ["location", "showLocation", "showLocationMeans"],
  ["motion", "showMotion", "showMotionMeans"],
  ["steps", "showSteps", "showStepsMeans"],
  ["home_assistant", "showAtHome", "showAtHomeMeans"],
];

/** What the person agrees to. Nothing of it is so until they say so. */
export class ConsentCard extends Card {
  readonly #person: Person;
  readonly #body = element("div", { class: "side" });

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("consents"), "");
    this.append(element("p", { class: "hint" }, say("consentsMean")), this.#body);
    answered(this, this.#person, this.#body, async () => {
      const given = await this.#person.ask("consent/get", {});
      return asked.map(([name, word, meaning]) => {
        const id = freshId();
        const box = tick(say(word), given[name], async (isGiven) => {
          await this.#person.ask("consent/set", { [name]: isGiven });
          this.#person.dispatchEvent(new Event("consent"));
        });
        give(box.querySelector("input") ?? box, { "aria-describedby": id });
        return element("div", { class: "choice" }, box, element("p", { class: "hint", id }, say(meaning)));
      });
    });
  }
}

customElements.define("vitals-consent-card", ConsentCard);
