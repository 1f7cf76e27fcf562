import { element, fill, pressed, type Child } from "../library/element";
import type { Part } from "../library/part";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { reason, say } from "../library/words";
import { empty, skeleton } from "./card";
import { button } from "./form";

/** Fills a place with what the service answers: with shapes until it comes, and with the reason if it does not. When the connection is
 *  back, it is asked again.
 *  @param ask answers null if what is shown may stay
 *  @param look `card` where the answer is made of cards, and the place itself is none
 *  @returns asks again */
export function answered(
  part: Part, person: Person, place: Element, ask: () => Promise<Child[] | null>, look: "" | "card" = "",
): () => Promise<void> {
  let hasAnswer = false, isAsking = false, isOutdated = false;
  const load = async (): Promise<void> => {
    // What is being answered may be from before.
    isOutdated = isAsking;
    if (isAsking) return;
    isAsking = true;
    try {
      const children = await ask();
      if (children) fill(place, ...children);
      hasAnswer = true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // What was seen stays.
      if (hasAnswer) return;
      fill(place, element("div", { class: look || undefined }, refused(error, () => void load())));
    } finally {
      isAsking = false;
      if (isOutdated) void load();
    }
  };
  fill(place, element("div", { class: look || undefined }, skeleton()));
  void load();
  part.hear(person.broker, "change", () => person.broker.state === "online" && !isAsking && void load());
  return load;
}

/** Why something is not there, and a button that asks again. */
export function refused(refusal: Refusal, again: () => void): HTMLElement {
  return empty("warn", reason(refusal), "bad", pressed(button(say("askAgain"), "s"), again));
}
