import { element, fill, plain } from "../library/element";
import { longDay } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { firstSteps } from "./first-steps";
import { FriendsCard } from "./friends-card";
import { GoalsCard } from "./goals-card";
import { HeartCard } from "./heart-card";
import { LatelyCard } from "./lately";
import { OnDemandCard } from "./on-demand-card";
import { QuoteCard } from "./quote-card";
import { SensorsCard } from "./sensors-card";
import { StartCard } from "./start-card";
import type { View } from "./view";

/** The day as it is: the heart now, the goals, what can be read, friends, what has happened, the sensors. Somebody who has nothing yet
 *  is told what to do first. */
export class Today extends Part {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    fill(this, isNew(this.#person) ? firstSteps(this.#person) : this.#cards(this.#person));
    // A sensor may have been claimed by another program.
    this.each(10_000, () => this.#person.sensors.list?.length === 0 && void this.#person.sensors.load());
  }

  #cards(person: Person): HTMLElement {
    const onDemand = new OnDemandCard(person, "");
    // During a workout the service has the steps read itself, and nobody stands still to take their temperature.
    const show = () => (onDemand.hidden = Boolean(person.underWay.now));
    show();
    this.hear(person.underWay, "change", show);
    return element(
      "div", { class: "grid" },
      new HeartCard(person, "heart-card s8"), new GoalsCard(person, "s4"),
      element("div", { class: "fit" }, onDemand, new StartCard(person, "", false), new FriendsCard(person, ""), new QuoteCard(person, "")),
      new LatelyCard(person, 5, "h s6"), new SensorsCard(person, "h s6"));
  }
}

/** Whether somebody has yet to say who they are, or to claim a sensor. While that is not known, they have. */
export function isNew(person: Person): boolean {
  return person.profile === null || person.sensors.list?.length === 0;
}

/** The heading, and the line beneath it. */
export function todayTitle(person: Person): [title: string, under: string] {
  if (!isNew(person)) return [say("today"), longDay(Date.now())];
  const name = person.profile?.name;
  return [name ? say("welcomeName", { name: plain(name) }) : say("welcome"), say("firstSteps")];
}

export const todayView: View = {
  address: /^(#\/(today|sign-in|sign-up|reset)?)?$/,
  place: { address: "#/today", word: "today", icon: "today" },
  open({ person }) {
    const [title, under] = todayTitle(person);
    return { title, under, content: new Today(person) };
  },
};

customElements.define("vitals-today", Today);
