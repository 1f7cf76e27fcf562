import type { WorkoutLine } from "service";
import { nameOfRange, periodAround, timesOf } from "../library/calendar";
import { element, fill, plain, pressed, written } from "../library/element";
import { clock, dayAndTime, dayOf, distance, duration, joined, number } from "../library/format";
import { Imports } from "../library/imports";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { after, Refusal } from "../library/requests";
import { say, } from "../library/words";
import { activities, choices, iconOf, nameOf } from "../parts/activities";
import { refused } from "../parts/answered";
import { empty, skeleton } from "../parts/card";
import { opened } from "../parts/dialog";
import { button, field, form, text } from "../parts/form";
import { icon, } from "../parts/icons";
import { LongList, type Group } from "../parts/long-list";
import { addWorkout } from "./correct-workout";
import { ImportCard } from "./import-card";
import { MonthCard } from "./month-card";
import { StartCard } from "./start-card";
import type { View } from "./view";

/** How many are asked for: at first so many as one sees, and then as many as the service gives at once. */
const [first, most] = [50, 1000];
/** Between two requests, so that others have their turn: seconds. */
const pause = 0.1;
/** What a row shows; the service leaves out the rest. */
export const fieldsOfRow = ["activity", "name", "session", "distance_m", "duration_s", "counts"];

/** Workouts of a day or a week. */
interface Week extends Group<WorkoutLine> {
  from: number;
}

/** Days such as 2026-11-21, both of them included. */
interface Days {
  from: string;
  to: string;
}

/** All workouts, the latest first, by day and week, by activity and period. The address has the period: a reload shows the same. */
export class Workouts extends Part {
  readonly #person: Person;
  #activity: string | undefined;
  #days: Days | null;
  #weeks: Week[] = [];
  #seen = new Set<string>();
  /** Activities that the person has named. */
  readonly #own = new Set<string>();
  /** The `to` of what was not asked for yet. */
  #rest: number | undefined;
  /** Counts what was asked, so that a reply that comes late is recognised. */
  #asked = 0;
  readonly #filters = element("div", { class: "filters" });
  readonly #list = new LongList<WorkoutLine>(workoutRow);
  readonly #state = element("div", { class: "side" });
  readonly #count = element("p", { class: "small muted", role: "status" });

  /** @param query of the address, such as `from=2026-11-01&to=2026-11-30` */
  constructor(person: Person, query: string) {
    super();
    this.#person = person;
    const asked = new URLSearchParams(query), [from, to] = [asked.get("from") ?? "", asked.get("to") ?? ""];
    const isDay = /^\d{4}-\d\d-\d\d$/;
    this.#days = isDay.test(from) && isDay.test(to) && from <= to ? { from, to } : null;
  }

  begin(): void {
    const beside = element("div", { class: "side r2", tabindex: -1 }, new MonthCard(this.#person), links(this.#person), new ImportCard(this.#person));
    fill(this, element("div", { class: "grid hub" }, new StartCard(this.#person, "r1", false),
      element("div", { class: "side l" }, this.#filters, this.#count, this.#list, this.#state), beside));
    this.#begin();
    this.hear(this.#person.broker, "change", () => this.#person.broker.state === "online" && this.#weeks.length === 0 && this.#begin());
    this.hear(this.#person, "profile", () => this.#list.show(this.#weeks, true));
    this.hear(Imports.of(this.#person), "stored", () => this.#begin());
  }

  /** Lists from the beginning, by what is chosen. */
  #begin(): void {
    this.#weeks = [];
    this.#seen.clear();
    this.#rest = undefined;
    this.#list.show([], true);
    this.#count.textContent = "";
    this.#showFilters();
    fill(this.#state, element("div", { class: "card" }, skeleton()));
    void this.#load(first);
  }

  #showFilters(): void {
    const choose = (activity: string | undefined) => {
      this.#activity = activity;
      this.#begin();
    };
    const seg = element("div", { class: "seg", role: "group", "aria-label": say("activity") }, ...choices.map(([activity, word]) => pressed(
      element("button", { type: "button", "aria-pressed": `${activity === this.#activity}` }, say(word)), () => choose(activity))));
    const names = [...this.#own].sort((one, other) => one.localeCompare(other));
    const own = element("select", { class: "input", "aria-label": say("ownActivity") },
      element("option", { value: "" }, say("ownActivity")),
      ...names.map((name) => element("option", { value: name, selected: name === this.#activity }, plain(name))));
    own.addEventListener("change", () => choose(own.value || undefined));
    const days = button("", "s");
    days.append(icon("days", "i-s"), this.#days ? nameOfRange(timesOf(this.#days.from).from, timesOf(this.#days.to).to) : say("anyDate"));
    pressed(days, () => this.#askDays());
    // On a phone, what stands beside the list on a desktop is at its end.
    const end = pressed(button(say("more"), "s phone-only"), () => {
      const beside = this.querySelector<HTMLElement>(".r2");
      beside?.scrollIntoView();
      beside?.focus({ preventScroll: true });
    });
    const hadFocus = this.#filters.contains(document.activeElement) ? this.#filters.querySelectorAll("button, select") : [];
    const at = [...hadFocus].indexOf(document.activeElement as HTMLElement);
    fill(this.#filters, seg, names.length > 0 ? own : null, days, end);
    this.#filters.querySelectorAll<HTMLElement>("button, select")[at]?.focus();
  }

  #askDays(): void {
    const from = field(say("from"), text({ type: "date", value: this.#days?.from ?? "" }));
    const to = field(say("to"), text({ type: "date", value: this.#days?.to ?? dayOf(Date.now()) }));
    const show = element("button", { class: "btn first" }, say("show")), any = button(say("anyDate"), "");
    const choose = (days: Days | null) => {
      dialog.close();
      this.#choose(days);
    };
    pressed(any, () => choose(null));
    const dialog = opened(say("period"), form({ from, to }, [from.node, to.node, element("div", { class: "btns all" }, any, show)], show, async () => {
      if (!from.input.value || !to.input.value) throw new Refusal("invalid", "Empty Fields", from.input.value ? "to" : "from");
      if (from.input.value > to.input.value) throw new Refusal("invalid", say("endsBefore"), "to");
      choose({ from: from.input.value, to: to.input.value });
    }));
  }

  #choose(days: Days | null): void {
    this.#days = days;
    history.replaceState(null, "", days ? `#/workouts?from=${days.from}&to=${days.to}` : "#/workouts");
    this.#begin();
  }

  /** Asks for all that is there, page after page, while the view is shown.
   *  @param limit of the first page */
  async #load(limit: number): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    try {
      do {
        const { workouts, next_to } = await this.#person.ask("workouts/list", {
          limit, fields: fieldsOfRow, ...(this.#activity && { activity: this.#activity }),
          ...(this.#days && { from: timesOf(this.#days.from).from, to: timesOf(this.#days.to).to }), ...(this.#rest && { to: this.#rest }),
        });
        if (asked !== this.#asked) return;
        this.#add(workouts);
        this.#rest = next_to;
        this.#show();
        limit = most;
        if (this.#rest) await after(pause);
      } while (this.#rest && asked === this.#asked && this.isConnected);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (asked !== this.#asked) return;
      fill(this.#state, element("div", { class: "card" }, refused(error, () => this.#load(most))));
    }
  }

  #add(workouts: WorkoutLine[]): void {
    for (const workout of workouts) {
      // What begins where a page ends is in both.
      if (this.#seen.has(workout.id)) continue;
      this.#seen.add(workout.id);
      const { started, activity = "" } = workout;
      if (!this.#activity && activity && !activities.some((known) => known.activity === activity)) this.#own.add(activity);
      let week = this.#weeks[this.#weeks.length - 1];
      if (!week || started < week.from) {
        week = weekOf(started);
        this.#weeks.push(week);
      }
      week.rows.push(workout);
    }
  }

  #show(): void {
    const count = this.#seen.size;
    const hasOwn = this.#filters.querySelectorAll("option").length - 1;
    if (this.#own.size > Math.max(0, hasOwn)) this.#showFilters();
    this.#list.show(this.#weeks);
    this.#count.textContent = this.#rest || count < 2 ? "" : workoutsText(count);
    if (count > 0) return fill(this.#state, this.#rest ? skeleton() : null);
    const isAll = !this.#activity && !this.#days;
    const all = button(say("showAll"), "");
    pressed(all, () => {
      this.#activity = undefined;
      this.#choose(null);
      this.#filters.querySelector("button")?.focus();
    });
    fill(this.#state, element("div", { class: "card" }, isAll
      ? empty("workouts", say("noWorkouts"), "", element("a", { class: "btn first", href: "#/workouts/start" }, say("startWorkout")))
      : empty("workouts", say("noneSuch"), "", all)));
  }
}

/** Today, this week, or the week. */
function weekOf(time: number): Week {
  const now = Date.now();
  const today = periodAround(now, "day").from;
  if (time >= today) return { from: today, name: () => say("today"), rows: [] };
  const week = periodAround(time, "week");
  if (now < week.to) return { from: week.from, name: () => say("thisWeek"), rows: [] };
  return { from: week.from, name: () => nameOfRange(week.from, week.to), rows: [] };
}

/** A workout in a list: it leads to all of it. */
export function workoutRow({ id, activity = "", name, started, distance_m, duration_s, session, counts }: WorkoutLine): HTMLElement {
  const isToday = dayOf(started) === dayOf(Date.now());
  return element(
    "a", { class: "row", href: `#/workouts/${id}` },
    element("span", { class: "badge accent" }, icon(iconOf(activity))),
    element("span", { class: "grow" }, element("b", {}, written(name ?? nameOf(activity))),
      element("small", {}, isToday ? clock(started) : dayAndTime(started),
        ...(session?.number === undefined || session.of === undefined ? []
          : [" · ", written(nameOf(activity)), ` · ${say("partOf", { number: session.number, count: session.of })}`]),
        counts === false ? ` · ${say("otherCounts")}` : null)),
    element("span", { class: "val" }, distance_m === undefined ? null : joined(distance(distance_m)),
      duration_s === undefined ? null : element("small", {}, duration(duration_s))),
    icon("next", "i-s"));
}

/** How many workouts, in words. */
export function workoutsText(count: number): string {
  return count === 1 ? say("oneWorkout") : say("workoutCount", { count: number(count) });
}

/** What else there is about workouts. */
function links(person: Person): HTMLElement {
  const add = pressed(button(say("addWorkout"), "s soft"), () => addWorkout(person, (id) => (location.hash = `#/workouts/${id}`)));
  const made = element("nav", { class: "card", "aria-label": say("more") }, element("ul", { class: "rows" },
    ...([["#/workouts/plans", "plans", "target"], ["#/workouts/gear", "gear", "steps"]] as const).map(([address, word, name]) => element("li", {}, element(
      "a", { class: "row", href: address }, element("span", { class: "badge" }, icon(name)),
      element("span", { class: "grow" }, element("b", {}, say(word)), element("small", {}, say(`${word}Why`))), icon("next", "i-s")))), element("li", {}, add)));
  return made;
}

export const workoutsView: View = {
  address: /^#\/workouts$/,
  place: { address: "#/workouts", word: "workouts", icon: "workouts" },
  open: ({ person, query }) => ({ title: say("workouts"), content: new Workouts(person, query) }),
};

customElements.define("vitals-workouts", Workouts);
