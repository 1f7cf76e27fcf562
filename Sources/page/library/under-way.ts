import type { Workout } from "service";
import type { Person } from "./person";

/** By how much our clock may differ from the service's before what was known of that is wrong, in milliseconds. */
const jump = 10_000;
/** How long what somebody has pressed waits for the connection, in seconds. */
const patience = 60;

/** The workout that is under way, as the service tells it. `change` is dispatched when it is told something else, `reached` when the goal
 *  is reached, and `over` when a workout has ended, which is then the `last`. */
export class UnderWay extends EventTarget {
  /** Undefined until it is known; null if there is none. */
  now: Workout | null | undefined;
  /** The one that has ended last while the page was open, as far as the service has said how. */
  last: Workout | null = null;
  readonly #person: Person;
  /** How far our clock is ahead of the service's, with the shortest way that a message has taken. */
  #ahead: number | undefined;

  constructor(person: Person) {
    super();
    this.#person = person;
    person.follow<Workout>("workout", (workout) => this.take(workout));
  }

  /** Asks for it: while the page was away, it may have ended, which no topic repeats. */
  async load(): Promise<void> {
    const asked = await this.#person.ask("workouts/current", {}).catch(() => null);
    if (asked) this.take(asked.workout);
  }

  /** What the service's clock shows, or a little less: no time of the service's lies ahead of it. */
  get serviceTime(): number {
    return Date.now() - (this.#ahead ?? 0);
  }

  /** Has the workout paused, resumed or ended. It counts from when somebody pressed that, however long the request waits for a connection.
   *  @param at when that was, by the service's clock */
  async turn(to: "pause" | "resume" | "stop" | "cancel", at = this.serviceTime): Promise<void> {
    const answer = await this.#person.ask(`workouts/${to}`, { at }, patience);
    if ("workout" in answer) this.take(answer.workout);
  }

  /** Seconds of the workout without pauses, between the service's messages and after the last one, too. */
  get seconds(): number {
    if (!this.now) return 0;
    const since = this.now.state === "running" ? Math.max(0, this.serviceTime - this.now.time) : 0;
    return (this.now.duration_s ?? 0) + since / 1000;
  }

  /** Takes what the service says of it, on its topic or in a reply; null if there is none. */
  take(workout: Workout | null): void {
    if (workout) this.#compareClocks(workout.time);
    const isOver = workout === null || workout.state === "stopped" || workout.state === "cancelled";
    const before = this.now;
    if (!isOver) {
      this.now = workout;
      this.dispatchEvent(new Event("change"));
      if (before?.id === workout.id && !hasReached(before) && hasReached(workout)) this.dispatchEvent(new Event("reached"));
      return;
    }
    this.now = null;
    if (workout) this.last = workout;
    else if (before) this.last = null;
    if (before !== null) this.dispatchEvent(new Event("change"));
    if (before) this.dispatchEvent(new Event("over"));
  }

  /** What was retained is late, and shows a difference that is too large until something comes at once. */
  #compareClocks(time: number): void {
    const ahead = Date.now() - time;
    if (this.#ahead === undefined || ahead < this.#ahead || ahead > this.#ahead + jump) this.#ahead = ahead;
  }
}

/** Whether a workout has reached its goal. */
export function hasReached({ percent }: Workout): boolean {
  return percent !== undefined && percent >= 100;
}
