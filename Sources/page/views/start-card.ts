import { element, pressed } from "../library/element";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say, type Word } from "../library/words";
import { activities } from "../parts/activities";
import { Card } from "../parts/card";
import { busy, field, form, select, text } from "../parts/form";
import { icon } from "../parts/icons";

/** Starts a workout. While one is under way, there is no card. */
export class StartCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #isWhole: boolean;
  readonly #target = field(say("targetZone"), select(
    [["", say("noTarget")], ...[1, 2, 3, 4, 5].map((zone): [string, string] => [`${zone}`, `${zone} · ${say(`zone${zone}` as Word)}`])], ""),
  { hint: say("targetZoneHint"), look: "all" });

  /** @param isWhole with an activity of one's own; otherwise the card leads to where there is more */
  constructor(person: Person, look: string, isWhole: boolean) {
    super();
    this.#person = person;
    this.#look = look;
    this.#isWhole = isWhole;
  }

  begin(): void {
    this.frame(say(this.#isWhole ? "activity" : "startWorkout"), this.#look,
      this.#isWhole ? null : element("a", { href: "#/workouts/start" }, say("goalAndVoice")));
    if (this.#isWhole) this.append(this.#target.node);
    this.append(element("div", { class: "start" }, ...activities.map(({ activity, one, icon: name }) => {
      const start = element("button", { type: "button", class: "btn" }, icon(name), say(one));
      return pressed(start, () => void busy(start, () => this.#start(activity)));
    })));
    if (this.#isWhole) this.append(this.#ofOnesOwn());
    const show = () => (this.hidden = Boolean(this.#person.underWay.now));
    show();
    this.hear(this.#person.underWay, "change", show);
  }

  #ofOnesOwn(): HTMLElement {
    const name = field(say("otherActivity"), text({ autocomplete: "off", maxlength: 64 }), { hint: say("otherActivityHint"), look: "all" });
    const send = element("button", { class: "btn" }, say("start"));
    return form({ activity: name }, [name.node, element("div", { class: "btns all" }, send)], send, () => {
      const activity = name.input.value.trim();
      if (activity === "") throw new Refusal("invalid", "Enter Name", "activity");
      return this.#start(activity);
    });
  }

  async #start(activity: string): Promise<void> {
    const zone = this.#isWhole ? this.#target.input.value : "";
    this.#person.underWay.take((await this.#person.ask("workouts/start", { activity, ...(zone !== "" && { zone: Number(zone) }) })).workout);
    location.hash = "#/workouts/live";
  }
}

customElements.define("vitals-start-card", StartCard);
