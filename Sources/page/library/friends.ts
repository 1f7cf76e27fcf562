import type { Friend, FriendToday } from "service";
import { today } from "./days";
import type { Person } from "./person";
import { Refusal } from "./requests";

/** A friend, with their steps of the day as they were said last. */
export type FriendNow = Friend & { name: string };

/** Who a person's friends are, and how far they have come today. `change` is dispatched when it changes. */
export class Friends extends EventTarget {
  /** Friends, invitations both ways, and who is blocked; undefined until the service has said it. */
  list: Friend[] | undefined;
  readonly #person: Person;
  readonly #days = new Map<string, FriendToday>();
  /** How many thumbs are left on a day, for each friend who was sent one. */
  readonly #left = new Map<string, { day: string; left: number }>();
  #loading: Promise<void> | null = null;

  constructor(person: Person) {
    super();
    this.#person = person;
    person.news.addEventListener("told", () => this.#again());
    person.follow<FriendToday>("friends/+/today", (day, topic) => {
      const friend = topic.split("/")[1] ?? "";
      if (day) this.#days.set(friend, day);
      else this.#days.delete(friend);
      // Somebody has become a friend, or is one no longer.
      if (!day || !this.list?.some((one) => one.friend === friend)) this.#again();
      this.dispatchEvent(new Event("change"));
    });
  }

  /** Those in a state, of friends whoever has walked most first. */
  in(state: Friend["state"]): FriendNow[] {
    const found = (this.list ?? []).filter((one) => one.state === state);
    return found.map((one) => ({ ...one, name: one.name ?? "", ...this.#stepsOf(one) })).sort((one, other) => (other.steps ?? -1) - (one.steps ?? -1));
  }

  /** Asks who they are: once, however many reasons there are to ask at the same time. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = null));
    return this.#loading;
  }

  /** Whether a friend was sent all thumbs of the day. */
  hasNoThumbs(friend: string): boolean {
    const sent = this.#left.get(friend);
    return sent?.left === 0 && sent.day === today();
  }

  /** Sends a thumb.
   *  @returns how many are left today */
  async cheer(friend: string, thumb: "up" | "down"): Promise<number> {
    const { left } = await this.#person.ask("friends/cheer", { friend, thumb }).catch((error: unknown) => {
      // All of the day's: the service says how long it is until midnight.
      if (error instanceof Refusal && error.code === "rate-limited" && (error.retryAfter ?? 0) > 60) return { left: 0 };
      throw error;
    });
    this.#left.set(friend, { day: today(), left });
    if (left === 0) this.dispatchEvent(new Event("change"));
    return left;
  }

  async #load(): Promise<void> {
    const { friends } = await this.#person.ask("friends/list", {});
    this.list = friends;
    this.dispatchEvent(new Event("change"));
  }

  #again(): void {
    void this.load().catch(() => {});
  }

  #stepsOf({ friend, steps }: Friend): { steps?: number } {
    const now = this.#days.get(friend)?.steps ?? steps;
    return now === undefined ? {} : { steps: now };
  }
}
