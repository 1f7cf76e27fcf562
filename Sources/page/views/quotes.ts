import type { Requests as Asked } from "service";
import { element, pressed, written } from "../library/element";
import { ago } from "../library/format";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { answered } from "../parts/answered";
import { Card, empty } from "../parts/card";
import { busy, button } from "../parts/form";
import { todayView } from "./today";
import type { View } from "./view";

type Liked = Asked["quotes/liked"]["replies"]["quotes"];

/** The quotes that somebody likes, the latest first. */
class LikedQuotes extends Card {
  readonly #person: Person;
  readonly #body = element("div");
  #load = async () => {};

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("likedQuotes"), "");
    this.append(this.#body);
    this.#load = answered(this, this.#person, this.#body, async () => {
      const quotes: Liked = [];
      let next: string | undefined;
      do {
        const part = await this.#person.ask("quotes/liked", next === undefined ? {} : { after: next });
        quotes.push(...part.quotes);
        next = part.next;
      } while (next !== undefined);
      return [quotes.length === 0 ? empty("heart", say("noLikedQuotes")) : element("ul", { class: "rows" }, ...quotes.map((one) => this.#row(one)))];
    });
  }

  #row({ quote, text, time }: Liked[number]): HTMLElement {
    const unlike = button(say("unlike"), "s quiet", { "aria-label": say("unlikeName", { name: text }) });
    pressed(unlike, () => void busy(unlike, async () => {
      await this.#person.ask("quotes/unlike", { quote });
      await this.#load();
    }));
    return element("li", { class: "row wraps" }, element("span", { class: "grow" }, element("b", { class: "whole" }, written(text)), element("small", {}, ago(time))), unlike);
  }
}

export const quotesView: View = {
  address: /^#\/quotes$/,
  open: ({ person }) => ({ title: say("likedQuotes"), back: todayView.place, content: new LikedQuotes(person) }),
};

customElements.define("vitals-liked-quotes", LikedQuotes);
