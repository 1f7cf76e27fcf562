import type { Friend, FriendToday } from "service";
import { element, fill, plain, pressed, written } from "../library/element";
import { number } from "../library/format";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { Card } from "../parts/card";
import { face } from "../parts/face";
import { busy } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";

/** Friends' steps of their day, most first, and a thumb for each. Somebody without friends does not see the card. */
export class FriendsCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #rows = element("ul", { class: "rows" });
  #friends: Friend[] = [];
  #isLoading = false;
  readonly #days = new Map<string, FriendToday>();

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    this.frame(say("friendsToday"), this.#look);
    this.append(this.#rows);
    this.hidden = true;
    const load = () => void this.#load();
    load();
    this.hear(this.#person.broker, "change", () => this.#person.broker.state === "online" && load());
    this.hear(this.#person.news, "told", load);
    this.whileShown(this.#person.follow<FriendToday>("friends/+/today", (day, topic) => {
      const friend = topic.split("/")[1] ?? "";
      if (day) this.#days.set(friend, day);
      else this.#days.delete(friend);
      // Somebody has become a friend, or is one no longer.
      if (!day || !this.#friends.some((one) => one.friend === friend)) load();
      this.#show();
    }));
  }

  /** Asks who the friends are: once, however many reasons there are to ask at the same time. */
  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    const listed = await this.#person.ask("friends/list", {}).catch(() => null);
    this.#isLoading = false;
    if (!listed) return;
    this.#friends = listed.friends.filter(({ state }) => state === "friend");
    this.#show();
  }

  #show(): void {
    const rows = this.#friends
      .map((friend) => ({ friend, steps: this.#days.get(friend.friend)?.steps ?? friend.steps }))
      .sort((one, other) => (other.steps ?? -1) - (one.steps ?? -1));
    this.hidden = rows.length === 0;
    fill(this.#rows, ...rows.map(({ friend, steps }, at) => this.#row(friend, steps, at)));
  }

  #row({ friend, name = "" }: Friend, steps: number | undefined, at: number): HTMLElement {
    return element(
      "li", { class: "row" },
      face(name, ["b", "c", "d", ""][at % 4]),
      element("span", { class: "grow" },
        element("b", {}, written(name)),
        steps === undefined ? null : element("small", {}, say("stepsValue", { steps: number(steps) }))),
      element("span", { class: "pair two" }, this.#thumb(friend, name, "up"), this.#thumb(friend, name, "down")));
  }

  #thumb(friend: string, name: string, thumb: "up" | "down"): HTMLButtonElement {
    const label = say(thumb === "up" ? "thumbsUp" : "thumbsDown", { name: plain(name) });
    const made = element("button", { class: `round ${thumb === "down" ? "flip" : ""}`, type: "button", "aria-label": label }, icon("up"));
    return pressed(made, () => void busy(made, async () => {
      await this.#person.ask("friends/cheer", { friend, thumb });
      toast(say("cheered", { name: plain(name) }));
    }));
  }
}

customElements.define("vitals-friends-card", FriendsCard);
