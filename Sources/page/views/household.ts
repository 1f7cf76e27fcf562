import { element, fill, give, plain, pressed } from "../library/element";
import type { Part } from "../library/part";
import type { Person } from "../library/person";
import { nameOf, type Seen } from "../library/sensors";
import { say } from "../library/words";
import { refused } from "../parts/answered";
import { skeleton } from "../parts/card";
import { confirmed } from "../parts/dialog";
import { busy, button } from "../parts/form";
import { toast } from "../parts/toast";

/** How long a gateway looks for a sensor that nobody has heard yet, in seconds. */
export const connectingSeconds = 20;

/** Has the household loaded, and again from time to time: another program may enrol a gateway. */
export function keepLoaded(part: Part, person: Person): void {
  const load = () => void person.household.load();
  load();
  part.each(15_000, load);
  part.hear(person.broker, "change", () => person.broker.state === "online" && load());
}

/** What stands there until it is loaded, or the reason why it is not. */
export function unloaded({ household }: Person): HTMLElement {
  if (!household.failure) return skeleton();
  return refused(household.failure, () => void household.load());
}

/** A button that connects a sensor, or disconnects it; it is there for those who may ask its gateway. `show` has it say which of both. */
export function linkButton(person: Person, seen: Seen): { button: HTMLButtonElement; show(): void } {
  const words = element("span");
  const made = button("", "s");
  fill(made, words);
  const isThere = () => seen.isOnline === true;
  const show = () => {
    made.hidden = !person.household.get(seen.gateway)?.isOnline;
    words.textContent = say(isThere() ? "disconnect" : "connect");
    give(made, { "aria-label": say(isThere() ? "disconnectName" : "connectName", { name: plain(nameOf(seen)) }) });
  };
  pressed(made, () => void (async () => {
    const gateway = person.household.get(seen.gateway);
    const isConnected = isThere();
    const name = plain(nameOf(seen));
    if (!gateway || isConnected && !await confirmed(say("disconnectQuestion", { name }), say("disconnectMeans"), say("disconnect"))) return;
    await busy(made, async () => {
      if (isConnected) await gateway.ask("disconnect", { sensor: seen.sensor }, 20);
      else await gateway.ask("connect", { sensor: seen.sensor }, connectingSeconds);
      toast(say(isConnected ? "Device Disconnected" : "Device Connected"));
    });
  })());
  show();
  return { button: made, show };
}
