import { element, fill, give, plain, pressed, refill, written, type Child } from "../library/element";
import { duration, number } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { counts, liveMilliseconds } from "../library/sensors";
import { namesOf, type TrainingNow } from "../library/training";
import { say } from "../library/words";
import { zoneLimits, zoneOf } from "../library/zones";
import { empty, facts, skeleton } from "../parts/card";
import { asked } from "../parts/dialog";
import { busy, button } from "../parts/form";
import { icon } from "../parts/icons";
import { trainingView } from "./training";
import type { Heading, View } from "./view";
import { VoiceButton } from "./voice-card";

/** How long a button waits for the connection, in seconds. */
const patience = 60;

/** A plan that is being done, on the whole page: the exercise, the set, the time that is left, and what to press. */
class TrainingUnderWay extends Part {
  readonly #person: Person;
  #now: TrainingNow | null | undefined;
  readonly #time = element("b", { class: "time", role: "timer" });
  readonly #heart = element("div");
  /** What is read out. It stays in the page, and only its text changes: readers pass over one that is made anew. */
  readonly #said = element("p", { class: "hidden", "aria-live": "polite" });
  readonly #body = element("div");

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    fill(this, this.#said, this.#body);
    fill(this.#body, element("div", { class: "card" }, skeleton()));
    this.whileShown(this.#person.follow<TrainingNow>("training", (now) => this.#take(now)));
    // A topic without a message says nothing.
    void this.#person.ask("training/current", {}).then(({ training }) => this.#now === undefined && this.#take(training), () => {});
    this.hear(this.#person.sensors, "beat", () => this.#showHeart());
    this.each(250, () => this.#tick());
  }

  #take(now: TrainingNow | null): void {
    this.#now = now;
    const title = now?.phase === "rest" ? say("rest") : now?.phase === "over" ? say("planIsOver") : plain(now?.name ?? "");
    if (this.#said.textContent !== title) this.#said.textContent = title;
    if (!now) return fill(this.#body, element("div", { class: "card" }, empty("workouts", say("noTraining"), "",
      element("div", { class: "btns" }, element("a", { class: "btn first", href: "#/training" }, say("training")), element("a", { class: "btn", href: "#/today" }, say("today"))))));
    const { phase, number: at, of, set, sets, repetitions, next, muscles, zone } = now;
    const isPaused = phase === "paused";
    give(this.#time, { class: isPaused ? "time muted" : "time" });
    refill(this.#body, element("div", { class: "running" },
      element("section", { class: "card a", "aria-label": say("now") },
        element("p", { class: "muted" }, say("exerciseOf", { at: number(at), of: number(of) }), " · ", say("setOf", { at: number(set), of: number(sets) })),
        element("h2", { class: "exercise" }, element("bdi", {}, title)),
        element("div", { class: "clock" }, element("div", {}, this.#time,
          element("p", {}, phase === "work" && repetitions !== undefined ? say("repetitions", { count: number(repetitions) })
            : zone !== undefined && phase === "work" ? say("reachZone", { number: number(zone) }) : isPaused ? say("paused") : ""))),
        this.#heart,
        element("p", { class: "small muted" }, namesOf(muscles)),
        next === undefined ? null : element("p", {}, say("nextExercise"), " ", written(next))),
      element("div", { class: "btns c" },
        this.#button("previous", say("previousSet"), "s quiet"), this.#button("skip", say("skipExercise"), "s quiet"),
        element("a", { class: "btn s quiet", href: `#/training/exercises/${encodeURIComponent(now.exercise)}` }, say("howTo")),
        new VoiceButton(this.#person)),
      element("div", { class: "controls" }, ...this.#controls(now))));
    this.#tick();
    this.#showHeart();
  }

  #controls({ phase }: TrainingNow): Child[] {
    const stop = element("button", { type: "button", class: "btn" }, icon("stop"), say("stop"));
    pressed(stop, () => void this.#end(stop));
    if (phase === "over") return [stop];
    const isPaused = phase === "paused";
    const turn = element("button", { type: "button", class: isPaused ? "btn first" : "btn", "data-is": "turn" }, icon(isPaused ? "play" : "pause"), say(isPaused ? "resume" : "pause"));
    pressed(turn, () => void busy(turn, () => this.#person.underWay.turn(isPaused ? "resume" : "pause")));
    return [isPaused ? null : this.#button("next", say(phase === "rest" ? "endRest" : "setDone"), "first"), turn, stop];
  }

  #button(verb: "next" | "previous" | "skip", label: string, look: string): HTMLButtonElement {
    // The focus stays on it, whatever it says.
    const made = button(label, look, { "data-is": verb });
    return pressed(made, () => void busy(made, async () => this.#take(await this.#person.ask(`training/${verb}`, {}, patience))));
  }

  async #end(stop: HTMLButtonElement): Promise<void> {
    // However long somebody thinks about it, it ends when they pressed Stop.
    const at = this.#person.underWay.serviceTime;
    const answer = await asked<"cancel" | "stop">(say("stopQuestion"), say("stopMeans"), [
      ["cancel", say("discard"), "danger"], [null, say("goOn"), ""], ["stop", say("save"), "first"]]);
    const workout = this.#now?.workout;
    if (!answer || !workout) return;
    await busy(stop, async () => {
      await this.#person.underWay.turn(answer, at);
      if (location.hash === "#/training/now") location.hash = answer === "cancel" ? "#/training" : `#/workouts/${workout}`;
    });
  }

  /** What is left of a phase that ends by itself. */
  #tick(): void {
    const now = this.#now;
    if (!now) return;
    const left = now.ends === undefined || now.phase === "paused" ? null : Math.max(0, Math.ceil((now.ends - this.#person.underWay.serviceTime) / 1000));
    const text = left === null ? "" : duration(left);
    if (this.#time.textContent !== text) this.#time.textContent = text;
    this.#time.hidden = left === null;
  }

  /** The heart rate of this second and its zone, beside the zone that is wanted. */
  #showHeart(): void {
    const beat = this.#person.sensors.shown?.beat;
    const isLive = beat && Date.now() - beat.arrived < liveMilliseconds && counts(beat);
    if (!isLive) return fill(this.#heart);
    const zone = zoneOf(beat.bpm, zoneLimits(this.#person));
    fill(this.#heart, facts("two", [
      [say("heartRate"), `${beat.bpm}`, say("bpm")],
      ...(zone === null ? [] : [[say("zoneWord"), zone === 0 ? say("belowZones") : `${zone}`] as [Child, string]]),
    ]));
  }
}

function heading(person: Person): Heading {
  let title = say("training");
  person.follow<TrainingNow>("training", (now) => now && (title = plain(now.title)))();
  return { title, back: trainingView.place, isWhole: true };
}

export const trainingNowView: View = {
  address: /^#\/training\/now$/,
  open: ({ person }) => ({ ...heading(person), content: new TrainingUnderWay(person) }),
};

customElements.define("vitals-training-now", TrainingUnderWay);
