import { element, type Child } from "../library/element";
import type { Person } from "../library/person";
import { answered } from "./answered";
import { Card } from "./card";

/** A card that shows what the service answers to a question of one person's. */
export abstract class AnswerCard extends Card {
  protected readonly body = element("div", { class: "side" });
  /** Asks again. */
  load: ReturnType<typeof answered> = async () => {};

  constructor(protected readonly person: Person) {
    super();
  }

  /** Asks, below the heading. */
  protected ask(question: () => Promise<Child[] | null>): void {
    this.append(this.body);
    this.load = answered(this, this.person, this.body, question);
  }
}
