import type { WorkoutDetail } from "service";
import { element, fill, pressed, written, type Child } from "../library/element";
import { clock, distance, duration, energy, height, joined, longDay, number, paceText, percent, speed, splitUnits } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { say, translated, type Word } from "../library/words";
import { nameOf } from "../parts/activities";
import { answered } from "../parts/answered";
import { table } from "../parts/as-table";
import { facts, fine, meter, section, zoneTimes } from "../parts/card";
import { DistanceChart, fastest } from "../parts/distance-chart";
import { confirmed } from "../parts/dialog";
import { busy, button } from "../parts/form";
import { icon, type IconName } from "../parts/icons";
import { toast } from "../parts/toast";
import { WayMap } from "../parts/way-map";
import { correctWorkout } from "./correct-workout";
import { GearField } from "./gear-field";
import { showFriends } from "./post-workout";
import { shareOut } from "./share-out";
import { exportWorkout, shareWorkout } from "./share-workout";
import { zoneOrigin } from "../library/zones";
import type { View } from "./view";
import { workoutsView } from "./workouts";

/** One workout: its way, its figures, pace and altitude over distance, zones and splits. What is not known is left out. */
export class Workout extends Part {
  readonly #person: Person;
  readonly #id: string;
  /** Whether another recording counts now than what is shown says. */
  #hasChanged = false;
  #again: () => Promise<void> = () => Promise.resolve();

  constructor(person: Person, id: string) {
    super();
    this.#person = person;
    this.#id = id;
  }

  begin(): void {
    // Once it is shown, it is looked at.
    this.#again = answered(this, this.#person, this, async () => this.querySelector(".name") && !this.#hasChanged ? null
      : [this.#shown(await this.#person.ask("workouts/show", { id: this.#id, points: 300, units: splitUnits() }))], "card");
  }

  #shown(workout: WorkoutDetail): HTMLElement {
    this.#hasChanged = false;
    const map = hasWay(workout) ? new WayMap() : null;
    map?.show(workout.path ?? []);
    return element(
      "div", { class: "side" },
      element("h2", { class: "name" }, written(workout.name ?? nameOf(workout.activity))),
      element("p", { class: "muted small" }, when(workout), workout.source ? ` · ${say("importedFrom", { source: "" })}` : null,
        workout.source ? written(workout.source) : null, workout.by_hand ? ` · ${say("addedByHand")}` : null,
        workout.session ? ` · ${say("partOf", { number: workout.session.number, count: workout.session.of })}` : null,
        workout.part_of ? " · " : null, workout.part_of ? element("a", { href: `#/workouts/${workout.part_of}` }, say("partOfWorkout")) : null),
      ...(workout.note ? workout.note.split("\n").map((line) => element("p", { class: "whole" }, written(line))) : []),
      element("div", { class: "grid" },
        map ? element("figure", { class: "s7" }, map) : null,
        summary(workout, map ? "s5" : "", new GearField(this.#person, workout)),
      overDistance(workout, map), zones(workout), splits(workout), bestTimes(workout), this.#recordings(workout)),
      this.#actions(workout));
  }

  /** Who else recorded it, and which of them counts. */
  #recordings({ recordings = [], counts }: WorkoutDetail): HTMLElement | null {
    if (recordings.length === 0) return null;
    const choose = counts === false ? button(say("letCount"), "s") : null;
    if (choose) pressed(choose, () => void busy(choose, async () => {
      await this.#person.ask("workouts/prefer", { id: this.#id });
      this.#hasChanged = true;
      await this.#again();
    }));
    return section(say("alsoRecordedBy"), "h s6",
      element("ul", { class: "rows" }, ...recordings.map((one) => element("li", {}, element(
        "a", { class: "row", href: `#/workouts/${one.id}` },
        element("span", { class: "grow" }, element("b", {}, one.source === undefined ? say("recordedHere") : written(one.source)),
          element("small", {}, [clock(one.started), ...(one.counts ? [say("countsInstead")] : [])].join(" · "))),
        icon("next", "i-s"))))), fine(say(counts === false ? "countsNowhere" : "othersCountNowhere")), choose);
  }

  #actions(workout: WorkoutDetail): HTMLElement {
    const { started, ended } = workout;
    const act = (word: Word, name: IconName, open: (person: Person, workout: WorkoutDetail) => void) => {
      const made = button("", "");
      made.append(icon(name, "i-s"), say(word));
      return pressed(made, () => open(this.#person, workout));
    };
    const remove = button(say("deleteWorkout"), "danger");
    pressed(remove, () => void (async () => {
      if (!await confirmed(say("deleteWorkoutQuestion"), say("deleteWorkoutMeans"), say("delete"))) return;
      await busy(remove, async () => {
        const { message } = await this.#person.ask("workouts/delete", { id: this.#id }, 30);
        toast(translated(message));
        location.hash = "#/workouts";
      });
    })());
    const correct = (person: Person) => correctWorkout(person, workout, () => this.replaceWith(new Workout(person, this.#id)));
    return element("div", { class: "btns" }, ended ? act("edit", "pen", correct) : null, act("share", "share", shareWorkout),
      act("showFriends", "people", (person, { id }) => showFriends(person, id, hasWay(workout))),
      act("postThere", "people", (person, { id }) => shareOut(person, { what: "workout", workout: id })), act("export", "down", exportWorkout),
      started && ended ? element("a", { class: "btn soft", href: `#/heart?from=${started}&to=${ended}` }, say("heartThen")) : null, remove);
  }
}

function hasWay({ path }: WorkoutDetail): boolean {
  return (path ?? []).some((piece) => piece.length > 1);
}

function when({ started, ended }: WorkoutDetail): string {
  if (started === undefined) return "";
  return ended === undefined ? `${longDay(started)}, ${clock(started)}` : `${longDay(started)}, ${clock(started)}–${clock(ended)}`;
}

function summary(workout: WorkoutDetail, look: string, ...below: Child[]): HTMLElement {
  const { distance_m, duration_s, moving_s, heart_rate, speed_mps, ascent_m, steps, goal, percent: reached } = workout;
  const isRide = workout.activity === "cycling";
  const large: [string, string, string?][] = [], small: [string, string, string?][] = [];
  const take = (list: typeof large, word: Word, amount: { value: string; unit: string }) => list.push([say(word), amount.value, amount.unit]);
  if (distance_m !== undefined) take(large, "distance", distance(distance_m));
  if (duration_s !== undefined) take(large, "duration", { value: duration(duration_s), unit: "" });
  if (moving_s !== undefined) take(small, "movingTime", { value: duration(moving_s), unit: "" });
  if (speed_mps?.mean && isRide) take(small, "averageSpeed", speed(speed_mps.mean));
  const isSwim = speed_mps?.pace_100m !== undefined;
  if (isSwim) take(small, "averagePace", { value: speed_mps.pace_100m ?? "", unit: "/100 m" });
  if (speed_mps?.mean && !isRide && !isSwim) take(small, "averagePace", paceText(1000 / speed_mps.mean));
  if (heart_rate?.mean !== undefined) take(small, "averageHeart", { value: number(heart_rate.mean), unit: say("bpm") });
  if (heart_rate?.max !== undefined) take(small, "highestHeart", { value: number(heart_rate.max), unit: say("bpm") });
  if (heart_rate?.recorded_s !== undefined) take(small, "heartRecorded", { value: duration(heart_rate.recorded_s), unit: "" });
  if (ascent_m !== undefined) take(small, "ascent", height(ascent_m));
  if (workout.energy_kcal !== undefined) take(small, "energy", energy(workout.energy_kcal));
  if (steps !== undefined) take(small, "steps", { value: number(steps), unit: "" });
  const { pool } = workout;
  if (pool) take(small, "pool", { value: number(pool.length_m, pool.length_m % 1 === 0 ? 0 : 2), unit: "m" });
  if (pool?.lengths !== undefined) take(small, "lengths", { value: number(pool.lengths), unit: "" });
  if (pool?.rest_s !== undefined) take(small, "rests", { value: `${number(pool.rests ?? 0)} · ${duration(pool.rest_s)}`, unit: "" });
  return section(say("summary"), look,
    facts("big two", large), facts("two", small), fine(energyText(workout)), fine(workout.positions_differ ? say("positionsDiffer") : null),
    goal && reached !== undefined ? element("div", {},
      element("div", { class: "goal" }, element("span", { class: "grow" }, element("b", {}, say("goal"))), element("span", { class: "pct" }, percent(Math.floor(reached)))),
      meter(reached / 100)) : null,
    ...below);
}

const energySources: Record<NonNullable<WorkoutDetail["energy_by"]>, Word> = {
  device: "energyByDevice", power: "energyByPower", "heart-rate": "energyByHeart", speed: "energyBySpeed", activity: "energyByActivity", steps: "energyBySteps",
};

/** What the energy is, and what it is known by. */
function energyText({ energy_kcal, energy_by }: WorkoutDetail): string | null {
  return energy_kcal === undefined || energy_by === undefined ? null : say(energySources[energy_by]);
}

/** Pace and altitude; the place that is chosen is marked on the map. */
function overDistance({ over_distance: stations = [] }: WorkoutDetail, map: WayMap | null): HTMLElement | null {
  const paces = stations.flatMap(({ pace_s }) => (pace_s === undefined ? [] : [pace_s]));
  const length = stations[stations.length - 1]?.distance_m ?? 0;
  if (stations.length < 2 || length === 0) return null;
  const readout = element("div", { class: "readout", "aria-live": "polite" });
  const chart = new DistanceChart();
  chart.show(stations, paces.length > 0 ? say("paceSays", { pace: joined(paceText(fastest(paces))) }) : say("altitude"));
  chart.addEventListener("point", () => {
    const at = chart.chosen;
    map?.mark(at ? at.distance_m / length : null);
    fill(readout, ...(at ? [
      at.pace_s === undefined ? null : element("b", {}, joined(paceText(at.pace_s))),
      element("span", {}, [say("atDistance", { distance: joined(distance(at.distance_m)) }),
        ...(at.altitude_m === undefined ? [] : [say("altitudeIs", { height: joined(height(at.altitude_m)) })])].join(", "))] : []));
  });
  return section(say("paceAndAltitude"), "", readout, chart,
    element("div", { class: "chart-foot" },
      element("span", {}, element("i", { class: "sw p" }), say("faster")), element("span", {}, element("i", { class: "sw a" }), say("altitude")),
      map ? element("span", {}, say("movesPoint")) : null));
}

function zones({ heart_rate, zones: known, target_zone: target }: WorkoutDetail): HTMLElement | null {
  const seconds = heart_rate?.zones_s;
  if (!seconds || Math.max(...seconds) === 0) return null;
  return section(say("timeInZones"), "h s6", zoneTimes(seconds, known?.bounds), fine(known ? zoneOrigin(known) : null),
    fine(target ? say("targetWas", { zone: target.zone }) : null));
}

function splits({ splits = [] }: WorkoutDetail): HTMLElement | null {
  if (splits.length === 0) return null;
  const hasHeart = splits.some(({ heart_rate }) => heart_rate !== undefined);
  const heads: Word[] = ["distance", "duration", ...(hasHeart ? ["averageHeart" as const] : [])];
  return section(say("splits"), "h s6", table(heads.map((head) => say(head)), splits.map(({ distance_m, seconds, heart_rate }) => [
    joined(distance(distance_m)), duration(seconds), ...(hasHeart ? [heart_rate === undefined ? "" : number(heart_rate)] : [])])));
}

function bestTimes({ best = [] }: WorkoutDetail): HTMLElement | null {
  if (best.length === 0) return null;
  return section(say("bestTimes"), "h s6",
    table([say("distance"), say("duration")], best.map(({ distance_m, seconds }) => [raceText(distance_m), duration(seconds)])));
}

/** What people call a distance that they race over, in kilometres or miles. */
function raceText(metres: number): string {
  if (Math.abs(metres - 1609) < 1) return say("mile");
  if (Math.abs(metres - 21_097.5) < 1) return say("halfMarathon");
  if (Math.abs(metres - 42_195) < 1) return say("marathon");
  return metres < 1000 ? `${number(metres)} m` : `${number(metres / 1000)} km`;
}

export const workoutView: View = {
  address: /^#\/workouts\/([a-z0-9-]{1,36})$/,
  open: ({ person, found: [id = ""] }) => ({ title: say("workout"), back: workoutsView.place, content: new Workout(person, id) }),
};

customElements.define("vitals-workout", Workout);
