import type { ImportProgress } from "service";
import { encoded } from "./bytes";
import type { Person } from "./person";
import { after, Refusal } from "./requests";

/** A file that somebody brings along, and how far it has come. */
export interface Brought {
  file: File;
  state: "waiting" | "sending" | "storing" | "done" | "failed";
  /** Of what is under way: 0 to 1. */
  share: number;
  /** What came of it, when it is done. */
  outcome?: ImportProgress;
  /** Why it failed. */
  problem?: Refusal;
  /** Whether workouts are taken over that others are taken for. */
  keepsBoth?: boolean;
}

/** Bytes of a part of a file, and of a whole one, as the service takes them. */
const part = 45_000;
const largest = 16 * 1024 * 1024;
/** Bytes of a file's name. */
const longestName = 200;
/** The service does one thing after the other, and asks to wait meanwhile: so often, and for so many seconds at most, a file waits by itself. */
const patience = 60, longestWait = 30;
/** How often a file is begun that the service has not kept. */
const most = 3;

const all = new WeakMap<Person, Imports>();
let underWay = 0;

/** The files that a person brings along, one after the other: also while another view is shown. `change` is dispatched when one has come
 *  further, and `stored` when workouts have come. */
export class Imports extends EventTarget {
  readonly files: Brought[] = [];
  readonly #person: Person;
  #isSending = false;

  private constructor(person: Person) {
    super();
    this.#person = person;
  }

  static of(person: Person): Imports {
    const made = all.get(person) ?? new Imports(person);
    all.set(person, made);
    return made;
  }

  /** Whether files of anybody's are on their way. */
  static get areUnderWay(): boolean {
    return underWay > 0;
  }

  add(files: readonly File[]): void {
    // Those that are over make room for others.
    if (!this.#isSending) this.files.length = 0;
    this.files.push(...files.map((file): Brought => ({ file, state: "waiting", share: 0 })));
    this.#changed();
    void this.#sendAll();
  }

  /** Sends one again that has failed. */
  again(brought: Brought): void {
    brought.state = "waiting";
    this.#changed();
    void this.#sendAll();
  }

  /** Sends one again whose workouts were taken for others: this time they are taken over. */
  keepBoth(brought: Brought): void {
    brought.keepsBoth = true;
    this.again(brought);
  }

  #changed(): void {
    this.dispatchEvent(new Event("change"));
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    underWay += 1;
    for (let next: Brought | undefined; (next = this.files.find(({ state }) => state === "waiting"));) {
      try {
        next.outcome = await this.#bring(next);
        next.state = "done";
        if (next.outcome.workouts?.some(({ outcome }) => outcome === "imported")) this.dispatchEvent(new Event("stored"));
      } catch (error) {
        next.state = "failed";
        next.problem = error instanceof Refusal ? error : new Refusal("internal", "the file cannot be read");
      }
      this.#changed();
    }
    this.#isSending = false;
    underWay -= 1;
  }

  async #bring(brought: Brought): Promise<ImportProgress> {
    const { size } = brought.file;
    if (size === 0) throw new Refusal("invalid", "the file is empty");
    if (size > largest) throw new Refusal("invalid", "the file is larger than 16 MB");
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#send(brought);
      } catch (error) {
        // After a long cut, after it was started again, or for want of room, the service has forgotten what it had of the file.
        if (!(error instanceof Refusal && isForgotten(error)) || tries === most) throw error;
        // Not at once, and not all at the same moment: several that take each other's room would come to nothing.
        await after(tries + Math.random());
      }
    }
  }

  async #send(brought: Brought): Promise<ImportProgress> {
    const { file } = brought;
    brought.state = "sending";
    let told: ImportProgress = {};
    for (let offset = 0; offset < file.size; offset += part) {
      brought.share = offset / file.size;
      this.#changed();
      const data = encoded(new Uint8Array(await file.slice(offset, offset + part).arrayBuffer()));
      told = await this.#patiently(() => this.#person.ask("imports/file", { name: named(file), size: file.size, offset, data, ...(brought.keepsBoth && { keep_both: true }) }, 30));
    }
    while (told.state !== "done") {
      brought.state = "storing";
      brought.share = told.of ? (told.stored ?? 0) / told.of : 0;
      this.#changed();
      // A short wait, because its end says how far it has come.
      told = await this.#patiently(() => this.#person.ask("imports/result", {}, 4));
    }
    return told;
  }

  /** Asks again for as long as the service asks to wait, and after a cut. */
  async #patiently(ask: () => Promise<ImportProgress>): Promise<ImportProgress> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Refusal) || tries === patience) throw error;
        if (error.code === "offline") await this.#online();
        else if ((error.code === "busy" || error.code === "rate-limited") && (error.retryAfter ?? 1) <= longestWait) await after(error.retryAfter ?? 1);
        else throw error;
      }
    }
  }

  /** Waits for the connection; refuses if there will be none. */
  async #online(): Promise<void> {
    const { broker } = this.#person;
    while (broker.state !== "online") {
      if (broker.state === "closed" || broker.state === "refused") throw new Refusal("offline", "signed out");
      await new Promise((done) => broker.addEventListener("change", done, { once: true }));
    }
  }
}

/** Whether a refusal is about what came of the file before, and not about the file. */
function isForgotten({ code, field }: Refusal): boolean {
  return field === "offset" || code === "not-found" || code === "timeout";
}

/** Whether a file that was refused may be taken another time. */
export function mayBeSentAgain(refusal: Refusal): boolean {
  return refusal.code !== "invalid" || isForgotten(refusal);
}

/** What the file is called, as far as the service takes it: the end of its name, which says what it is. */
function named({ name }: File): string {
  const letters = [...name];
  while (new TextEncoder().encode(letters.join("")).length > longestName) letters.shift();
  return letters.join("") || "file";
}
