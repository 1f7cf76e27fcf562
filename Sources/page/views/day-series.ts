import type { Day, PeriodTotals } from "service";
import { element, type Child } from "../library/element";
import { days, daysApart, joined, number, percent } from "../library/format";
import {
  amountOf, canBeGoal, goalKinds, kindsText, measures, nameOfMeasure, nameOfResting, percentOf, targetOf, unitOf, valueOfMeasure, zeroOf, type GoalKind, type Measure,
} from "../library/measures";
import { say } from "../library/words";
import type { Bar, Scale } from "../parts/bars";

/** A day, a month or a year among others. */
export interface Entry {
  /** Beneath its bar. */
  label: string;
  name: string;
  /** Where all of it is shown. */
  address: string;
  totals: Day | PeriodTotals;
  isToCome: boolean;
}

/** Something that bars can show of days, months or years. */
export interface Series {
  key: string;
  /** On the button that chooses it. */
  name: string;
  title: string;
  bars: Bar[];
  scale: Scale;
  figures: Figure[];
  /** Small print beneath the figures. */
  note: string | null;
  /** What the bars show, for people who do not see them. */
  says: string;
  /** What is told of a bar; of all of them without one. */
  told(bar: number | null): Child[];
  heads: string[];
  row(bar: number): Child[];
}

/** Everything that is known of a period, measure by measure.
 *  @param period is what it is called */
export function seriesOf(entries: Entry[], summary: PeriodTotals, period: string, title: (measure: string) => string): Series[] {
  return measures.filter((measure) => measure === "steps" || summary[measure] || (canBeGoal(measure) && summary.goals[measure]))
    .map((measure) => measured(measure, entries, summary, period, title));
}

function measured(measure: Measure, entries: Entry[], summary: PeriodTotals, period: string, title: (measure: string) => string): Series {
  const isSum = canBeGoal(measure), areDays = entries.some(({ totals }) => "day" in totals);
  const goal = isSum ? summary.goals[measure] : undefined;
  // Months and years are shown by what they come to.
  const isTotal = isSum && !areDays;
  const text = (value: number) => joined(amountOf(measure, value));
  const valueFor = (totals: Day | PeriodTotals) => {
    const value = valueOfMeasure(totals, measure);
    return isTotal && value ? { mean: totalOf(totals, measure) } : value;
  };
  const values = entries.map(({ totals }) => valueFor(totals));
  const whole = isTotal ? valueFor(summary) : valueOfMeasure(summary, measure);
  const name = nameOfMeasure(measure);
  const heading = isSum ? title(name) : name;
  const highest = summary[measure]?.max;
  return {
    key: measure, name, title: heading,
    bars: entries.map(({ label, totals, isToCome }, at) => {
      const value = values[at] ?? null;
      return { label, value, isToCome, isReached: isSum && value !== null && isReached(totals, measure) };
    }),
    scale: { unit: unitOf(measure), zero: zeroOf(measure), goal: isTotal ? undefined : goal?.target, axis: (value) => short(measure, value), look: measure === "heart_rate" ? "heart" : "" },
    figures: figuresOf(measure, summary), note: noteOf(measure, summary),
    says: [
      `${heading}, ${period}: ${whole === null || highest === undefined ? say("nothingRecorded")
        : isTotal ? say("totalSays", { total: text(whole.mean) }) : say("barsSay", { mean: text(whole.mean), high: text(highest) })}`,
      ...(isSum && goal?.target !== undefined ? [say("goalSays", { target: joined(targetOf(measure, goal.target)), days: days(goal.reached) })] : []),
    ].join("; "),
    told(bar) {
      const entry = bar === null ? null : entries[bar];
      const value = bar === null ? whole : values[bar];
      const goal = entry && "day" in entry.totals && isSum ? entry.totals.goals?.[measure] : undefined;
      const share = goal ? percentOf(goal) : null;
      return [
        element("b", {}, value ? text(value.mean) : "–"),
        element("span", {}, entry ? element("a", { href: entry.address }, entry.name) : say(isTotal ? "total" : "average"),
          share === null ? null : `, ${percent(share)}`, value?.low === undefined ? null : `, ${say("spreadSays", { low: text(value.low), high: text(value.high ?? value.low) })}`),
      ];
    },
    heads: [say("time"), ...(!isSum ? [say("lowest"), say("average"), say("highest")] : areDays ? [name, say("goal")]
      : [say("average"), say("total"), say("goalReached")])],
    row(bar) {
      const entry = entries[bar], value = values[bar];
      if (!entry) return [];
      const link = element("a", { href: entry.address }, entry.name);
      if (!value) return [link, ...Array.from({ length: isSum && areDays ? 2 : 3 }, () => "")];
      if (!isSum) return [link, ...[value.low, value.mean, value.high].map((one) => text(one ?? value.mean))];
      const average = valueOfMeasure(entry.totals, measure)?.mean ?? 0;
      return [link, ...(areDays ? [] : [text(average)]), text(value.mean), reachedOf(entry.totals, measure)];
    },
  };
}

/** On how many days of each month, or each year, each goal was reached. */
export function reachedSeries(entries: Entry[], summary: PeriodTotals, period: string): Series[] {
  return goalKinds.filter((kind) => summary.goals[kind]).map((kind) => {
    const counts = entries.map(({ totals }) => ("day" in totals ? 0 : totals.goals[kind]?.reached ?? 0));
    const all = summary.goals[kind]?.reached ?? 0;
    return {
      key: kind, name: nameOfMeasure(kind), title: say("daysReached", { measure: nameOfMeasure(kind) }),
      bars: entries.map(({ label, isToCome }, at) => ({ label, value: isToCome ? null : { mean: counts[at] ?? 0 }, isToCome, isReached: true })),
      scale: { unit: 1, axis: (value) => (Number.isInteger(value) ? number(value) : ""), look: "" },
      figures: [], note: null, says: `${nameOfMeasure(kind)}, ${period}: ${say("goalReached")}, ${days(all)}`,
      told(bar) {
        const entry = bar === null ? null : entries[bar];
        return [
          element("b", {}, days(bar === null ? all : counts[bar] ?? 0)),
          element("span", {}, entry ? element("a", { href: entry.address }, entry.name) : say("total")),
        ];
      },
      heads: [say("time"), say("goalReached")],
      row: (bar) => [entries[bar]?.name, days(counts[bar] ?? 0)],
    };
  });
}

export type Figure = [label: string, value: string, unit?: string];

export function figureOf(label: string, measure: Measure, value: number): Figure {
  const { value: text, unit } = amountOf(measure, value);
  return [label, text, unit];
}

/** The figures of a period. What is not known of it is left out. */
export function figuresOf(measure: Measure, summary: PeriodTotals): Figure[] {
  const figure = (label: string, value: number) => figureOf(label, measure, value);
  if (!canBeGoal(measure)) {
    const spread = summary[measure];
    if (!spread) return [];
    return [
      figure(say("lowest"), spread.min), figure(say("average"), spread.mean), figure(say("highest"), spread.max),
      ...("resting" in spread && spread.resting !== undefined ? [figure(nameOfResting(spread), spread.resting)] : []),
    ];
  }
  const amounts = summary[measure], goal = summary.goals[measure];
  const reached = goal ? daysApart(goal.reached) : null;
  const figures: Figure[] = reached ? [[say("goalReached"), reached.value, reached.unit]] : [];
  return [
    ...(amounts ? [figure(say("total"), amounts.total), figure(say("average"), amounts.mean), figure(say("highest"), amounts.max)] : []),
    ...figures,
  ];
}

/** What the figures of a period do not say: in which ways its distance was done. */
export function noteOf(measure: Measure, summary: PeriodTotals): string | null {
  return measure === "distance_m" ? kindsText(summary) : null;
}

/** A day's goal is reached when the service says so. */
function isReached(totals: Day | PeriodTotals, kind: GoalKind): boolean {
  return "day" in totals && (totals.goals?.[kind]?.reached ?? false);
}

function totalOf(totals: Day | PeriodTotals, kind: GoalKind): number {
  const amount = totals[kind];
  return typeof amount === "number" ? amount : amount?.total ?? 0;
}

function reachedOf(totals: Day | PeriodTotals, kind: GoalKind): string {
  if ("day" in totals) {
    const goal = totals.goals?.[kind], share = goal ? percentOf(goal) : null;
    return share === null ? "" : percent(share);
  }
  return days(totals.goals[kind]?.reached ?? 0);
}

/** A value at the axis, where there is little room. */
function short(measure: Measure, value: number): string {
  const shown = (value - zeroOf(measure)) / unitOf(measure);
  const [rest, letter] = shown >= 1000 ? [shown / 1000, "k"] : [shown, ""];
  const tenths = Math.round(10 * rest);
  return `${number(tenths / 10, tenths % 10 === 0 ? 0 : 1)}${letter}`;
}
