import type { Requests as Asked } from "service";
import { element, fill, give, pressed, written } from "../library/element";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { Card } from "../parts/card";
import { busy } from "../parts/form";
import { icon } from "../parts/icons";

type Quote = Asked["quotes/today"]["replies"];

/** The quote of the day, which can be liked. In a home without quotes there is no card. */
export class QuoteCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #body = element("div", { class: "quote" });

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    this.frame(say("quoteOfDay"), this.#look, element("a", { href: "#/quotes" }, say("likedQuotes")));
    this.append(this.#body);
    this.hidden = true;
    this.whileShown(this.#person.follow<Quote>("quote", (quote) => {
      this.hidden = !quote;
      if (quote) this.#show(quote);
    }));
  }

  #show({ quote, text, language, liked }: Quote): void {
    const like = element("button", { type: "button", class: "round", "aria-pressed": `${liked}`, "aria-label": say("likeIt") }, icon("heart"));
    pressed(like, () => void busy(like, async () => {
      const now = await this.#person.ask(like.getAttribute("aria-pressed") === "true" ? "quotes/unlike" : "quotes/like", { quote });
      give(like, { "aria-pressed": `${now.liked}` });
    }));
    fill(this.#body, element("p", { lang: language }, written(text)), like);
  }
}

customElements.define("vitals-quote-card", QuoteCard);
