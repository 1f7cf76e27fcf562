import type { Workout } from "service";
import { element, fill, give, plain, pressed, type Child } from "../library/element";
import { clock, distance, duration, energy, height, number, paceText, percent, speed, type Amount } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { counts, liveMilliseconds } from "../library/sensors";
import { hasReached } from "../library/under-way";
import { say, type Word } from "../library/words";
import { zoneOf } from "../library/zones";
import { nameOf } from "../parts/activities";
import { empty, facts, skeleton } from "../parts/card";
import { asked } from "../parts/dialog";
import { busy } from "../parts/form";
import { icon, star } from "../parts/icons";
import { ring } from "../parts/ring";
import { toast } from "../parts/toast";
import { LiveWay } from "./live-way";
import type { Heading, View, Visit } from "./view";
import { VoiceButton } from "./voice-card";
import { whyOver } from "./workout-banner";
import { goalText } from "./workout-goal-card";

/** Whoever is slower than this stands, in metres per second: there is no pace. */
const slowest = 0.5;

type Figure = [label: Child, value: string, unit?: string];

/** The workout that is under way, on the whole page: its clock, its goal, how it goes now, the way, and two buttons. */
class Live extends Part {
  readonly #visit: Visit;
  readonly #person: Person;
  readonly #heading: string;
  readonly #time = element("b", { class: "time", role: "timer" });
  readonly #goal = element("div");
  readonly #ring = element("div", { class: "ring" });
  readonly #now = element("div");
  readonly #target = element("p", { role: "status" });
  readonly #more = element("section", { class: "card b", "aria-label": say("more") });
  readonly #go = element("button", { type: "button", class: "btn first" });
  readonly #stop = element("button", { type: "button", class: "btn" }, icon("stop"), say("stop"));
  readonly #away = element("p", { class: "offline" }, element("span", {}, say("workoutGoesOn")));
  /** The id of the workout that is shown. */
  #shown = "";

  constructor(visit: Visit) {
    super();
    this.#visit = visit;
    this.#person = visit.person;
    this.#heading = JSON.stringify(heading(visit.person));
    pressed(this.#go, () => void busy(this.#go, () => this.#person.underWay.turn(this.#person.underWay.now?.state === "paused" ? "resume" : "pause")));
    pressed(this.#stop, () => void this.#end());
  }

  begin(): void {
    this.#shown = "";
    const show = () => {
      // The heading has the activity and the start, which are known when the service has told them.
      if (JSON.stringify(heading(this.#person)) !== this.#heading) return this.#visit.again();
      this.#show();
    };
    this.hear(this.#person.underWay, "change", show);
    this.hear(this.#person, "profile", show);
    this.hear(this.#person.sensors, "beat", () => this.#showNow());
    this.hear(this.#person.underWay, "reached", () => toast(say("goalReached")));
    this.each(250, () => this.#tick());
    const { broker } = this.#person;
    const tellAway = () => (this.#away.hidden = broker.state === "online" && !broker.isSilent);
    tellAway();
    for (const kind of ["change", "silence"]) this.hear(broker, kind, tellAway);
    this.#show();
  }

  #show(): void {
    const { now: workout } = this.#person.underWay;
    if (!workout) {
      this.#shown = "";
      return fill(this, ...(workout === undefined ? [element("div", { class: "card" }, skeleton())] : this.#over()));
    }
    if (this.#shown !== workout.id) {
      fill(this,
        this.#away,
        element("div", { class: "running" },
          element("section", { class: "card a", "aria-label": say("now") }, element("div", { class: "clock" },
            element("div", {}, this.#time, this.#goal), this.#ring), this.#now, this.#target),
          new LiveWay(this.#person, workout.id),
          this.#more,
          element("div", { class: "btns c" }, new VoiceButton(this.#person),
            element("a", { class: "btn s quiet", href: "#/workouts/start" }, say("goalAndVoice")),
            element("a", { class: "btn s quiet", href: "#/today" }, say("today"))),
          element("div", { class: "controls" }, this.#go, this.#stop)));
    }
    this.#shown = workout.id;
    this.#tick();
    this.#showState(workout);
    this.#showGoal(workout);
    this.#showTarget(workout);
    this.#showNow();
    this.#showMore(workout);
  }

  #tick(): void {
    const shown = duration(Math.floor(this.#person.underWay.seconds));
    if (this.#time.textContent !== shown) this.#time.textContent = shown;
  }

  /** In a pause the clock is grey, and the first button resumes. */
  #showState({ state }: Workout): void {
    if (this.#go.dataset["state"] === state) return;
    this.#go.dataset["state"] = state;
    const isPaused = state === "paused";
    give(this.#time, { class: isPaused ? "time muted" : "time" });
    fill(this.#go, icon(isPaused ? "play" : "pause"), say(isPaused ? "resume" : "pause"));
  }

  #showGoal(workout: Workout): void {
    const { goal, percent: reached } = workout;
    const word = hasReached(workout) ? "goalIsReached" : goal?.enabled ? "goalIsEnding" : "goalIs";
    fill(this.#goal, goal ? element("p", {}, say(word, { target: goalText(goal) })) : null);
    fill(this.#ring, ...(goal && reached !== undefined ? [
      ring([reached / 100], 80, 8),
      element("p", { class: "ring-mid" }, element("b", {}, percent(Math.floor(reached))), hasReached(workout) ? star(say("reached")) : null)] : []));
  }

  /** The zone that was chosen, and on which side of it the heart is. It is read out when the service says that the zone was left. */
  #showTarget({ target_zone: target }: Workout): void {
    this.#target.hidden = !target;
    if (!target) return;
    const { zone, from, to, now, said } = target;
    const range = from === undefined ? "" : to === undefined ? say("fromValue", { value: number(from) }) : say("rangeOfRates", { from: number(from), to: number(to - 1) });
    const place = now && (now === "within" ? "targetWithin" : now === "below" ? "targetBelow" : "targetAbove");
    // What changes with each heart rate is not read out.
    const shown = [zone, range, now, said].join(" ");
    if (this.#target.dataset["shown"] === shown) return;
    this.#target.dataset["shown"] = shown;
    give(this.#target, { class: now && now !== "within" ? "note warn" : "note info", "aria-live": said && said !== "within" ? "polite" : "off" });
    fill(this.#target, element("span", {}, say("targetZone"), " ", element("b", { class: `zone z${zone}` }, `${zone}`), ` ${range}`),
      place ? element("b", {}, say(place)) : null);
  }

  /** Distance, heart rate and pace, or the speed of a ride. */
  #showNow(): void {
    const workout = this.#person.underWay.now;
    if (!workout) return;
    const figures: Figure[] = [];
    const take = (word: Word, amount: Amount | null) => amount && figures.push([say(word), amount.value, amount.unit]);
    const { speed_mps: speeds } = workout;
    if (workout.distance_m !== undefined) take("distance", distance(workout.distance_m));
    figures.push(...this.#heart(workout));
    const isRide = workout.activity === "cycling";
    if (workout.state === "running") take(isRide ? "speed" : "pace", asSpeed(speeds?.now, isRide));
    take(isRide ? "averageSpeed" : "averagePace", asSpeed(speeds?.mean, isRide));
    fill(this.#now, figures.length > 0 ? facts("big two", figures) : null);
  }

  /** The heart rate of this second, if a sensor is heard here; otherwise the one that the service has heard. */
  #heart({ heart_rate, zones }: Workout): Figure[] {
    const beat = this.#person.sensors.shown?.beat;
    const isLive = beat && Date.now() - beat.arrived < liveMilliseconds;
    const bpm = isLive ? (counts(beat) ? beat.bpm : undefined) : heart_rate?.now;
    if (bpm === undefined) return [];
    const zone = isLive ? zoneOf(bpm, zones?.bounds ?? []) : heart_rate?.zone ?? null;
    const label = element("span", {}, say("heartRate"), zone === null ? null : zone === 0 ? ` · ${say("belowZones")}` : element("b", { class: `zone z${zone}` },
      element("span", { class: "hidden" }, say("zone", { number: "" })), `${zone}`));
    return [[label, `${bpm}`, say("bpm")]];
  }

  #showMore({ steps, energy_kcal, ascent_m, heart_rate, speed_mps, activity }: Workout): void {
    const figures: Figure[] = [];
    const take = (word: Word, amount: Amount | null) => amount && figures.push([say(word), amount.value, amount.unit]);
    if (steps !== undefined) take("steps", { value: number(steps), unit: "" });
    if (energy_kcal !== undefined) take("energy", energy(energy_kcal));
    if (ascent_m !== undefined) take("ascent", height(ascent_m));
    if (heart_rate?.mean !== undefined) take("averageHeart", { value: number(heart_rate.mean), unit: say("bpm") });
    if (heart_rate?.max !== undefined) take("highest", { value: number(heart_rate.max), unit: say("bpm") });
    take("fastest", asSpeed(speed_mps?.max, activity === "cycling"));
    take("slowest", asSpeed(speed_mps?.min, activity === "cycling"));
    this.#more.hidden = figures.length === 0;
    fill(this.#more, facts("three", figures));
  }

  async #end(): Promise<void> {
    // However long somebody thinks about it, the workout ends when they pressed Stop.
    const at = this.#person.underWay.serviceTime;
    const id = this.#shown;
    const answer = await asked<"cancel" | "stop">(say("stopQuestion"), say("stopMeans"), [
      ["cancel", say("discard"), "danger"], [null, say("goOn"), ""], ["stop", say("save"), "first"]]);
    if (!answer) return;
    await busy(this.#stop, async () => {
      await this.#person.underWay.turn(answer, at);
      if (answer === "cancel") toast(say("workoutDiscarded"));
      // It may have waited for the connection, and somebody may look at something else by then.
      if (location.hash === "#/workouts/live") location.hash = answer === "cancel" ? "#/today" : `#/workouts/${id}`;
    });
  }

  /** What there is to see when no workout is under way, or none any longer. */
  #over(): HTMLElement[] {
    const { last } = this.#person.underWay;
    const toToday = element("a", { class: "btn", href: "#/today" }, say("today"));
    if (!last) {
      const start = element("a", { class: "btn first", href: "#/workouts/start" }, say("startWorkout"));
      return [element("div", { class: "card" }, empty("workouts", say("noneUnderWay"), "", element("div", { class: "btns" }, start, toToday)))];
    }
    const isKept = last.state === "stopped";
    const figures: Figure[] = [[say("duration"), duration(Math.floor(last.duration_s ?? 0))]];
    if (last.distance_m !== undefined) figures.push([say("distance"), distance(last.distance_m).value, distance(last.distance_m).unit]);
    return [element("div", { class: "card", role: "status" },
      element("div", { class: "clock" },
        element("h2", {}, isKept ? whyOver(this.#person) ?? say("workoutOver") : say("workoutDiscarded")),
        last.ended_by === "goal" ? element("div", { class: "ring" }, ring([1], 80, 8),
          element("p", { class: "ring-mid" }, element("b", {}, percent(100)), star(say("reached")))) : null),
      facts("big two", figures),
      element("div", { class: "btns" },
        isKept ? element("a", { class: "btn first", href: `#/workouts/${last.id}` }, say("showWorkout")) : null, toToday))];
  }
}

/** A pace, or the speed of a ride; null if somebody stands, or nobody knows. */
function asSpeed(metresPerSecond: number | undefined, isRide: boolean): Amount | null {
  if (metresPerSecond === undefined) return null;
  if (isRide) return speed(metresPerSecond);
  return metresPerSecond < slowest ? null : paceText(1000 / metresPerSecond);
}

function heading({ underWay: { now, last } }: Person): Heading {
  const workout = now ?? last;
  if (!workout) return { title: say("workout"), isWhole: true };
  return {
    title: plain(nameOf(workout.activity)), isWhole: true,
    ...(workout.started !== undefined && { under: say("startedAt", { time: clock(workout.started) }) }),
  };
}

export const liveView: View = {
  address: /^#\/workouts\/live$/,
  open: (visit) => ({ ...heading(visit.person), content: new Live(visit) }),
};

customElements.define("vitals-live", Live);
