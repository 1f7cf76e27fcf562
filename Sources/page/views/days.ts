import type { Day, PeriodTotals, Today } from "service";
import { addressOf, includes, isRange, nameOfSpan, neighbour, spanAround, spanOf, type Kind, type Span } from "../library/day-span";
import { isDay, nameOfDay, today, weekNumber } from "../library/days";
import { element, fill, give, pressed, refill } from "../library/element";
import { days as inDays } from "../library/format";
import { goalsOf, measures, nameOfMeasure } from "../library/measures";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say, type Word } from "../library/words";
import { patiently, refused } from "../parts/answered";
import { empty, facts, fine, section, skeleton } from "../parts/card";
import { dayGoals } from "../parts/day-goals";
import { field, form, round, text } from "../parts/form";
import { icon, } from "../parts/icons";
import { RingCalendar } from "../parts/ring-calendar";
import { DayCard, DayWorkouts } from "./day-card";
import { dayFigures } from "./day-figures";
import { figuresOf, noteOf, reachedSeries, seriesOf, type Entry } from "./day-series";
import { SeriesCard } from "./series-card";
import { shareGoal } from "./share-goal";
import { postReport } from "./share-out";
import type { View } from "./view";

/** What the service has said of a span. */
interface Data {
  days: Day[];
  /** What its bars stand for. */
  entries: Entry[];
  /** Null for a single day, and if nothing was ever recorded. */
  summary: PeriodTotals | null;
}

/** What is shown of a span, and how it takes what has come since. */
interface Content {
  node: HTMLElement;
  show(data: Data): void;
}

const kinds: [kind: Kind, word: Word][] = [["day", "dayPeriod"], ["week", "weekPeriod"], ["month", "monthPeriod"], ["year", "yearPeriod"], ["all", "all"]];
/** How often a period that is not over is asked for again while its day goes on. */
const patience = 30_000;

/** Days, weeks, months, years, all years, and any range of days. The address has the span, and what is chosen in it: a reload shows the
 *  same. */
export class Days extends Part {
  readonly #person: Person;
  #span: Span;
  /** The day that is shown beside a week or a month; null for the last one that has anything. */
  #day: string | null;
  #measure: string;
  #data: Data | null = null;
  #content: Content | null = null;
  /** Counts what was asked, so that a reply that comes late is recognised. */
  #asked = 0;
  #askedAt = 0;
  readonly #seg = element("div", { class: "seg", role: "group", "aria-label": say("period") });
  readonly #before = round("back", say("before"), () => this.#turn(false));
  readonly #after = round("next", say("after"), () => this.#turn(true));
  readonly #title = element("b", { "aria-live": "polite" });
  readonly #body = element("div");

  /** @param query of the address, such as `day=2026-11-21&of=distance_m` */
  constructor(person: Person, span: Span, query: string) {
    super();
    this.#person = person;
    this.#span = span;
    const asked = new URLSearchParams(query);
    const day = asked.get("day") ?? "";
    this.#day = includes(span, day) ? day : null;
    this.#measure = asked.get("of") ?? "steps";
  }

  begin(): void {
    fill(this, element(
      "div", { class: "side" },
      element("div", { class: "grid" },
        element("div", { class: "s6" }, this.#seg), element("div", { class: "s6 pager" }, this.#before, this.#title, this.#after)),
      this.#body));
    this.#content = null;
    this.onkeydown = (event) => {
      const isAfter = { ArrowLeft: false, ArrowRight: true }[event.key];
      if (isAfter === undefined || !event.shiftKey || (event.target as Element).closest("input")) return;
      event.preventDefault();
      this.#turn(isAfter);
    };
    this.#draw();
    void this.#load();
    this.hear(this.#person, "profile", () => this.#show());
    this.hear(this.#person.broker, "change", () => this.#person.broker.state === "online" && !this.#data && void this.#load());
    this.whileShown(this.#person.follow<Today>("today", (day) => day && this.#seen(day)));
  }

  /** @param isStep whether the way back leads to what is shown now */
  #go(span: Span, isStep: boolean): void {
    this.#span = span;
    this.#day = null;
    this.#data = null;
    this.#write(isStep);
    this.#draw();
    void this.#load();
  }

  #turn(isAfter: boolean): void {
    if (this.#span.kind === "all" || (isAfter && this.#isLast)) return;
    const next = neighbour(this.#span, isAfter);
    if (isDay(next.first)) this.#go(next, false);
  }

  get #isLast(): boolean {
    return this.#span.last >= today();
  }

  #write(isStep: boolean): void {
    const query = new URLSearchParams({ ...(this.#day && { day: this.#day }), ...(this.#measure !== "steps" && { of: this.#measure }) }).toString();
    const address = addressOf(this.#span) + (query && `?${query}`);
    if (isStep) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }

  #draw(): void {
    const { kind } = this.#span;
    const around = this.#day ?? (includes(this.#span, today()) ? today() : this.#span.first);
    const focused = [...this.#seg.children].indexOf(document.activeElement ?? this);
    fill(this.#seg, ...kinds.map(([one, word]) => pressed(
      element("button", { type: "button", "aria-pressed": `${one === kind}` }, say(word)), () => this.#go(spanAround(around, one), true))));
    (this.#seg.children[focused] as HTMLElement | undefined)?.focus();
    this.#title.textContent = nameOfSpan(this.#span);
    for (const one of [this.#before, this.#after]) one.hidden = kind === "all";
    give(this.#after, { "aria-disabled": this.#isLast ? "true" : undefined });
  }

  async #load(): Promise<void> {
    this.#asked += 1;
    this.#askedAt = Date.now();
    const asked = this.#asked;
    const wait = setTimeout(() => !this.#data && this.#fill(element("div", { class: "card" }, skeleton())), 150);
    try {
      const span = this.#span, isOver = () => asked !== this.#asked;
      // Somebody who turns quickly asks for more than the service answers at once.
      const data = await patiently(() => dataOf(this.#person, span), isOver);
      if (isOver()) return;
      const isNew = this.#data === null;
      this.#data = data;
      if (isNew) this.#open();
      else this.#show();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (asked !== this.#asked || this.#data) return;
      this.#fill(element("div", { class: "card" }, refused(error, () => this.#load())));
    } finally {
      clearTimeout(wait);
    }
  }

  /** The person's day goes on. */
  #seen(day: Today): void {
    if (!this.#data || !includes(this.#span, day.day)) return;
    if (this.#span.kind !== "day") {
      if (Date.now() - this.#askedAt > patience) void this.#load();
      return;
    }
    this.#data.days = [day];
    this.#show();
  }

  #fill(node: HTMLElement): void {
    this.#content = null;
    fill(this.#body, node);
  }

  /** Shows another span. Somebody who goes along with keys stays where they are. */
  #open(): void {
    const held = ["vitals-ring-calendar", "vitals-bars"].find((name) => document.activeElement?.closest(name));
    this.#content = this.#made();
    this.#show();
    fill(this.#body, this.#content.node);
    if (held) this.#body.querySelector<HTMLElement>(`${held} [aria-current], ${held}[tabindex]`)?.focus();
  }

  #show(): void {
    if (this.#data) this.#content?.show(this.#data);
  }

  #made(): Content {
    switch (this.#span.kind) {
      case "day": return this.#ofDay();
      case "week": case "month": return this.#ofDays();
      case "year": return this.#ofYear();
      case "all": return this.#ofAll();
      case "range": return this.#ofRange();
    }
  }

  #ofDay(): Content {
    const goals = element("div", { class: "goals" }), shares = element("div"), figures = element("div", { class: "s7" });
    const workouts = new DayWorkouts(this.#person);
    let shared: string | null = null;
    return {
      node: element("div", { class: "grid" }, section(say("goals"), "s5", goals, workouts, changeGoals(), shares), figures),
      show: ({ days: [day] }) => {
        if (!day) return;
        workouts.show(day.day);
        fill(goals, ...dayGoals(day.goals, say(day.day < today() ? "noGoalThen" : "noGoals")));
        refill(figures, dayFigures(day));
        const known = goalsOf(day.goals).flatMap(({ kind, value }) => (value === undefined ? [] : [kind]));
        if (known.join() === shared) return;
        shared = known.join();
        fill(shares, known.length > 0 && shareGoal(this.#person, day.day, known), postReport(this.#person, "day", day.day));
      },
    };
  }

  /** A week or a month. */
  #ofDays(): Content {
    const isWeek = this.#span.kind === "week";
    const calendar = new RingCalendar(), day = new DayCard(this.#person, "s5"), note = element("p", { class: "small muted" });
    const bars = isWeek ? this.#bars("week s7", calendar) : this.#bars("");
    const choose = (days: Day[], chosen: string) => {
      const found = days.find((one) => one.day === chosen);
      if (found) day.show(found);
    };
    calendar.addEventListener("choose", () => {
      this.#day = calendar.chosen;
      this.#write(false);
      this.#draw();
      choose(this.#data?.days ?? [], calendar.chosen);
    });
    return {
      node: element("div", { class: "grid" },
        ...(isWeek ? [bars, day] : [section(say("goalsByDay"), "s7", calendar, note, changeGoals()), day, bars]),
        element("div", { class: "btns" }, postReport(this.#person, isWeek ? "week" : "month", this.#span.first))),
      show: ({ days, entries, summary }) => {
        const chosen = this.#day ?? lastOf(days);
        calendar.show(days, chosen);
        choose(days, chosen);
        const full = days.filter(({ goals }) => goalsOf(goals).length > 0 && goalsOf(goals).every(({ reached }) => reached)).length;
        fill(note, say("fullDisc", { days: inDays(full) }));
        const title = (measure: string) =>
          isWeek ? say("inWeek", { measure, number: weekNumber(this.#span.first) }) : say("aDay", { measure });
        if (summary) bars.show(seriesOf(entries, summary, nameOfSpan(this.#span), title));
      },
    };
  }

  #ofYear(): Content {
    const bars = this.#bars(""), reached = new SeriesCard("", "steps");
    return {
      node: element("div", { class: "side" }, bars, reached),
      show: ({ entries, summary }) => {
        if (!summary) return;
        bars.show(seriesOf(entries, summary, nameOfSpan(this.#span), (measure) => say("aMonth", { measure })));
        const series = reachedSeries(entries, summary, nameOfSpan(this.#span));
        reached.hidden = series.length === 0;
        reached.show(series);
      },
    };
  }

  #ofAll(): Content {
    const bars = this.#bars(""), list = element("ul", { class: "rows" });
    const years = section(say("years"), "s6", list);
    return {
      node: element("div", { class: "grid" }, bars, years, this.#chooser()),
      show: ({ entries, summary }) => {
        bars.hidden = years.hidden = !summary;
        if (!summary) return;
        bars.show(seriesOf(entries, summary, say("years"), (measure) => say("aYear", { measure })));
        refill(list, ...entries.map(({ name, address, totals }) => element("li", {}, element(
          "a", { class: "row", href: address },
          element("span", { class: "badge" }, icon("days")),
          element("span", { class: "grow" }, element("b", {}, name),
            "recorded_days" in totals && element("small", {}, say("recordedOn", { days: inDays(totals.recorded_days) }))),
          icon("next", "i-s")))).reverse());
      },
    };
  }

  #ofRange(): Content {
    const grid = element("div", { class: "grid" }), chooser = this.#chooser();
    return {
      node: element("div", { class: "side" }, grid, chooser),
      show: ({ summary }) => {
        const known = summary ? measures.filter((measure) => summary[measure]) : [];
        fill(grid, ...known.map((measure) =>
          section(nameOfMeasure(measure), "h", ...(summary ? [facts("quad", figuresOf(measure, summary)), fine(noteOf(measure, summary))] : []))),
          known.length === 0 && element("div", { class: "card" }, empty("days", say("nothingRecorded"))));
      },
    };
  }

  #bars(look: string, above: HTMLElement | null = null): SeriesCard {
    const card = new SeriesCard(look, this.#measure, above);
    card.addEventListener("choose", () => {
      this.#measure = card.key;
      this.#write(false);
    });
    return card;
  }

  /** Any range of days. */
  #chooser(): HTMLElement {
    const { kind, first, last } = this.#span;
    const isRangeShown = kind === "range";
    const [from, to] = (["first", "last"] as const).map((word) => field(say(word === "first" ? "firstDay" : "lastDay"), text({
      type: "date", required: true, value: isRangeShown ? (word === "first" ? first : last) : today() })));
    const send = element("button", { class: "btn" }, say("show"));
    if (!from || !to) return send;
    return section(say("anyRange"), isRangeShown ? "" : "s6", form({ from, to }, [from.node, to.node, element("div", { class: "btns all" }, send)], send, async () => {
      const [first, last] = [from.input.value, to.input.value];
      if (!isRange(first, last)) throw new Refusal("invalid", say("noRange"), "from");
      this.#go({ kind: "range", first, last }, true);
    }));
  }
}

async function dataOf(person: Person, span: Span): Promise<Data> {
  const { kind, first, last } = span;
  switch (kind) {
    case "day": return { days: [await person.ask("statistics/day", { day: first })], entries: [], summary: null };
    case "week": {
      const { days, summary } = await person.ask("statistics/week", { day: first });
      return { days, entries: days.map((day) => dayEntry(day, { weekday: "short" })), summary };
    }
    case "month": {
      const { days, summary } = await person.ask("statistics/month", { month: first.slice(0, 7) });
      return { days, entries: days.map((day) => dayEntry(day, { day: "numeric" })), summary };
    }
    case "year": {
      const { months, summary } = await person.ask("statistics/year", { year: Number(first.slice(0, 4)) });
      return { days: [], entries: months.map((totals): Entry => ({
        label: nameOfDay(totals.month, { month: "short" }), name: nameOfDay(totals.month, { month: "long" }),
        address: `#/days/${totals.month}`, totals, isToCome: totals.month > today().slice(0, 7),
      })), summary };
    }
    case "all": {
      const { years } = await person.ask("statistics/years", {});
      const entries = years.map((totals): Entry =>
        ({ label: `${totals.year}`, name: `${totals.year}`, address: `#/years/${totals.year}`, totals, isToCome: false }));
      const [from, to] = [years[0]?.year, years[years.length - 1]?.year].map((year) => `${year}`.padStart(4, "0"));
      // A wrong clock may have put years too far from each other to be summed up.
      const summary = years.length === 0 ? null : await person.ask("statistics/summary", { from: `${from}-01-01`, to: `${to}-12-31` }).catch(() => null);
      return { days: [], entries, summary };
    }
    case "range": return { days: [], entries: [], summary: await person.ask("statistics/summary", { from: first, to: last }) };
  }
}

function dayEntry(day: Day, label: Intl.DateTimeFormatOptions): Entry {
  return {
    label: nameOfDay(day.day, label), name: nameOfDay(day.day, { weekday: "short", day: "numeric", month: "long" }),
    address: `#/days/${day.day}`, totals: day, isToCome: day.day > today(),
  };
}

/** Today, or the last day on which anything was recorded. */
function lastOf(days: Day[]): string {
  if (days.some(({ day }) => day === today())) return today();
  const recorded = days.filter((day) => measures.some((measure) => day[measure] !== undefined));
  return (recorded[recorded.length - 1] ?? days[days.length - 1])?.day ?? today();
}

function changeGoals(): HTMLElement {
  return element("div", { class: "btns" }, element("a", { class: "btn s soft", href: "#/days/goals" }, say("changeGoals")));
}

export const daysView: View = {
  address: /^#\/(days|weeks|years)(?:\/([\d-]{4,10})(?:\/([\d-]{10}))?)?$/,
  place: { address: "#/days", word: "days", icon: "days" },
  open: ({ person, query, found: [place = "", first, last] }) =>
    ({ title: say("days"), content: new Days(person, spanOf(place, first, last), query) }),
};

customElements.define("vitals-days", Days);
