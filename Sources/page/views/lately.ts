import type { Notification } from "service";
import { element, fill, pressed, refill, written } from "../library/element";
import { ago } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { Card, empty, skeleton } from "../parts/card";
import { busy, button } from "../parts/form";
import type { View } from "./view";

/** How much is new. */
export function unseen(person: Person): number {
  return (person.news.list ?? []).filter(({ confirmed }) => !confirmed).length;
}

/** What has happened lately. */
export class LatelyCard extends Card {
  readonly #person: Person;
  readonly #most: number;
  readonly #look: string;

  /** @param most how many are shown; the card leads to the others */
  constructor(person: Person, most: number, look: string) {
    super();
    this.#person = person;
    this.#most = most;
    this.#look = look;
  }

  begin(): void {
    const isPart = this.#most < Infinity;
    this.frame(say("lately"), this.#look, isPart ? element("a", { href: "#/lately" }, say("all")) : null);
    this.append(new NewsList(this.#person, this.#most));
  }
}

class NewsList extends Part {
  readonly #person: Person;
  readonly #most: number;

  constructor(person: Person, most: number) {
    super();
    this.#person = person;
    this.#most = most;
  }

  begin(): void {
    const show = () => {
      const list = this.#person.news.list;
      if (!list) return fill(this, skeleton());
      if (list.length === 0) return fill(this, empty("bell", say("nothingLately")));
      const seen = button(say("seenAll"), "s quiet");
      pressed(seen, () => void busy(seen, () => this.#person.news.confirm()));
      refill(this,
        element("ol", { class: "timeline" }, ...list.slice(0, this.#most).map(entry)),
        unseen(this.#person) > 0 ? element("div", { class: "btns" }, seen) : null);
    };
    show();
    this.hear(this.#person.news, "change", show);
    this.each(30_000, show);
  }
}

const alerts = /^(left-area|no-position|battery-low|heart-rate-range|no-movement|help-wanted|storage-full|sensor-lost)$/;
const goals = /^(goal-reached|workout-goal)$/;

function entry({ kind, text, time, confirmed }: Notification): HTMLElement {
  const look = alerts.test(kind) ? "bad" : goals.test(kind) ? "acc" : "";
  return element(
    "li", { class: look },
    element("time", { datetime: new Date(time).toISOString() }, ago(time)),
    element("div", {}, confirmed ? written(text) : element("b", {}, written(text))));
}

export const latelyView: View = {
  address: /^#\/lately$/,
  open: ({ person }) => ({ title: say("lately"), content: new LatelyCard(person, Infinity, "") }),
};

customElements.define("vitals-lately", LatelyCard);
customElements.define("vitals-news", NewsList);
