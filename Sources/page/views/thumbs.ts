import { element, plain, pressed, type Child } from "../library/element";
import type { FriendNow } from "../library/friends";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { busy } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";

/** What there is to say of a friend's day besides its steps. */
export function underName(person: Person, { friend, steps }: FriendNow): Child[] {
  return [steps === undefined ? element("small", {}, say("noSteps")) : null, person.friends.hasNoThumbs(friend) ? element("small", {}, say("noThumbs")) : null];
}

/** Thumbs up and down for a friend, as long as there are any left of the day's. */
export function thumbs(person: Person, { friend, name }: FriendNow): HTMLElement {
  return element("span", { class: "pair two" }, ...(person.friends.hasNoThumbs(friend) ? [] : ["up", "down"] as const).map((thumb) => {
    const label = say(thumb === "up" ? "thumbsUp" : "thumbsDown", { name: plain(name) });
    const made = element("button", { class: `round ${thumb === "down" ? "flip" : ""}`, type: "button", "aria-label": label }, icon("up"));
    return pressed(made, () => void busy(made, async () => {
      const left = await person.friends.cheer(friend, thumb);
      toast(left === 0 ? say("noThumbs") : say("cheered", { name: plain(name), left }));
    }));
  }));
}
