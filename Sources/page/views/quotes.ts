import type { Requests as Asked } from "service";
import { element, pressed, written } from "../library/element";
import { ago } from "../library/format";
import { say } from "../library/words";
import { AnswerCard } from "../parts/answer-card";
import { empty } from "../parts/card";
import { busy, button } from "../parts/form";
import { todayView } from "./today";
import type { View } from "./view";

type Liked = Asked["quotes/liked"]["replies"]["quotes"];

/** The quotes that somebody likes, the latest first. */
class LikedQuotes extends AnswerCard {
  begin(): void {
    this.frame(say("likedQuotes"), "");
    this.ask(async () => {
      const quotes: Liked = [];
      let next: string | undefined;
      do {
        const part = await this.person.ask("quotes/liked", next === undefined ? {} : { after: next });
        quotes.push(...part.quotes);
        next = part.next;
      } while (next !== undefined);
      return [quotes.length === 0 ? empty("heart", say("noLikedQuotes")) : element("ul", { class: "rows" }, ...quotes.map((one) => this.#row(one)))];
    });
  }

  #row({ quote, text, time }: Liked[number]): HTMLElement {
    const unlike = button(say("unlike"), "s quiet", { "aria-label": say("unlikeName", { name: text }) });
    pressed(unlike, () => void busy(unlike, async () => {
      await this.person.ask("quotes/unlike", { quote });
      await this.load();
    }));
    return element("li", { class: "row wraps" }, element("span", { class: "grow" }, element("b", { class: "whole" }, written(text)), element("small", {}, ago(time))), unlike);
  }
}

export const quotesView: View = {
  address: /^#\/quotes$/,
  open: ({ person }) => ({ title: say("likedQuotes"), back: todayView.place, content: new LikedQuotes(person) }),
};

customElements.define("vitals-liked-quotes", LikedQuotes);
