import { element, fill, pressed, refill, type Child } from "../library/element";
import type { Part } from "../library/part";
import type { Person } from "../library/person";
import { after, Refusal } from "../library/requests";
import { reason, say } from "../library/words";
import { empty, skeleton } from "./card";
import { busy, button, waits } from "./form";

/** After this, in milliseconds, somebody who waits is told that it takes long. */
const patience = 10_000;
/** How often the service is asked for what it does not answer, or says that it will answer soon. */
const most = 3;
/** What is soon, in seconds. */
const soon = 5;

/** Fills a place with what the service answers: with shapes until it comes, and with the reason if it does not. When the connection is
 *  back, it is asked again.
 *  @param ask answers null if what is shown may stay; it is told whether anything is, for what it answered last may have come too late
 *  @param look `card` where the answer is made of cards, and the place itself is none
 *  @returns asks again; about something else if that is said, of which nothing is shown yet */
export function answered(
  part: Part, person: Person, place: Element, ask: (isShown: boolean) => Promise<Child[] | null>, look: "" | "card" = "",
): (isOther?: "about something else") => Promise<void> {
  let hasAnswer = false, isAsking = false, isOutdated = false;
  /** Counts the questions: the answer to one that was given up is not shown. */
  let asked = 0;
  const show = (node: HTMLElement) => fill(place, element("div", { class: look || undefined }, node));
  const load = async (): Promise<void> => {
    // What is being answered may be from before.
    isOutdated = isAsking;
    if (isAsking) return;
    isAsking = true;
    asked += 1;
    const mine = asked;
    const isOver = () => mine !== asked;
    const late = setTimeout(() => !hasAnswer && show(waiting(() => {
      giveUp();
      show(refused(new Refusal("no-answer", ""), load));
    })), patience);
    try {
      const children = await patiently(() => ask(hasAnswer), () => isOver() || !part.isConnected);
      if (isOver()) return;
      if (children) refill(place, ...children);
      hasAnswer = true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // What was seen stays. Nobody sees a part that has gone, and it asks again when it comes back.
      if (isOver() || hasAnswer || !part.isConnected) return;
      show(refused(error, load));
    } finally {
      clearTimeout(late);
      if (!isOver()) {
        isAsking = false;
        if (isOutdated) void load();
      }
    }
  };
  const giveUp = () => {
    asked += 1;
    isAsking = false;
  };
  show(skeleton());
  void load();
  part.hear(person.broker, "change", () => person.broker.state === "online" && !isAsking && void load());
  return (isOther) => {
    if (isOther) {
      giveUp();
      hasAnswer = false;
      show(skeleton());
    }
    return load();
  };
}

/** Asks again for what is not answered at all, as when the service is being started, and for what it answers soon, as when a view asks
 *  for much at once.
 *  @param isOver whether nobody waits for it any more */
export async function patiently<Answer>(ask: () => Promise<Answer>, isOver: () => boolean): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refusal) || tries === most || isOver()) throw error;
      const seconds = error.code === "no-answer" ? 0 : error.retryAfter ?? Infinity;
      if (seconds > soon) throw error;
      // Not all at the same moment: what asks together would be refused together.
      if (seconds > 0) await after(seconds + Math.random());
      if (isOver()) throw error;
    }
  }
}

function waiting(cancel: () => void): HTMLElement {
  return element("div", { role: "status" }, empty("reminders", say("stillWaiting"), "", pressed(button(say("cancel"), "s"), cancel)));
}

/** Why something is not there, and a button that asks again: not before the service wants to be asked, which it counts. */
export function refused(refusal: Refusal, ask: () => unknown): HTMLElement {
  const again = button(say("askAgain"), "s");
  pressed(again, () => void busy(again, async () => ask()));
  if (refusal.retryAfter) waits(again, refusal.retryAfter);
  return empty("warn", reason(refusal), "bad", again);
}
