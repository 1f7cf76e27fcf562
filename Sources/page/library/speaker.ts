import type { SpokenText } from "service";
import { inStore } from "./credential";
import type { Person } from "./person";

const key = "voice";
/** The service says a sentence or two. */
const longest = 500;

/** Says what is said of a workout by the browser's own voice, if somebody has switched that on in this browser. `change` is dispatched
 *  when it is switched. */
export class Speaker extends EventTarget {
  #isOn = false;
  /** What was said last: the service publishes again what it is not sure of. */
  #said = "";
  #isProgress = false;

  constructor(person: Person) {
    super();
    person.hear("voice", (value) => this.#heard(value as SpokenText | undefined));
    void inStore("readonly", (store) => store.get(key)).then((kept) => kept === true && this.#become(true), () => {});
  }

  /** Whether this browser has a voice at all. */
  get isThere(): boolean {
    return "speechSynthesis" in window;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Switches it on or off, and remembers that until somebody signs out.
   *  @param example is said at once: browsers let a page speak only after somebody has pressed something to hear it */
  turn(isOn: boolean, example: string, language: string): void {
    this.#become(isOn);
    if (isOn) this.#say(example, language);
    else if (this.isThere) speechSynthesis.cancel();
    void inStore("readwrite", (store) => (isOn ? store.put(true, key) : store.delete(key))).catch(() => {});
  }

  #become(isOn: boolean): void {
    this.#isOn = isOn && this.isThere;
    this.dispatchEvent(new Event("change"));
  }

  #heard(text: SpokenText | undefined): void {
    if (!this.#isOn || !text || text.id === this.#said) return;
    this.#said = text.id;
    // A new report of progress cuts off the one before it; everything else is said to its end.
    if (text.kind === "progress" && this.#isProgress) speechSynthesis.cancel();
    this.#isProgress = text.kind === "progress";
    this.#say(text.text, text.language);
  }

  #say(text: string, language: string): void {
    const utterance = new SpeechSynthesisUtterance(text.slice(0, longest));
    utterance.lang = language;
    speechSynthesis.speak(utterance);
  }
}
