import { element, refill, written } from "../library/element";
import { number } from "../library/format";
import type { FriendNow } from "../library/friends";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { Card } from "../parts/card";
import { face } from "../parts/face";
import { thumbs, underName } from "./thumbs";

/** Friends' steps of their day, most first, and a thumb for each. Somebody without friends does not see the card. */
export class FriendsCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #rows = element("ul", { class: "rows" });

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    this.frame(say("friendsToday"), this.#look);
    this.append(this.#rows);
    const show = () => {
      const friends = this.#person.friends.in("friend");
      this.hidden = friends.length === 0;
      refill(this.#rows, ...friends.map((friend, at) => this.#row(friend, at)));
    };
    show();
    this.hear(this.#person.friends, "change", show);
  }

  #row(friend: FriendNow, at: number): HTMLElement {
    return element(
      "li", { class: "row" },
      face(friend.name, looks[at % 4]),
      element("span", { class: "grow" },
        element("b", {}, written(friend.name)),
        friend.steps === undefined ? null : element("small", {}, say("stepsValue", { steps: number(friend.steps) })), ...underName(this.#person, friend)),
      thumbs(this.#person, friend));
  }
}

/** The looks of faces that stand beneath each other. */
export const looks = ["b", "c", "d", ""];

customElements.define("vitals-friends-card", FriendsCard);
