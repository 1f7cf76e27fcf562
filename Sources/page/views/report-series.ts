import type { Requests as Asked } from "service";
import { dayName } from "../library/calendar";
import { element } from "../library/element";
import { distance, duration, energy, joined, metresOfUnit, number } from "../library/format";
import type { Value } from "../library/measures";
import { say, type Word } from "../library/words";
import type { Series } from "./day-series";

type Report = Asked["workouts/report"]["replies"];
type Shown = Report["parts"][number];
type Figures = Report["total"];

/** What workouts are compared by: its unit on the axis, and how it is read. */
interface Measure {
  key: "distance_m" | "duration_s" | "steps" | "energy_kcal" | "heart_rate";
  word: Word;
  unit(): number;
  text(value: number): string;
}

const bpm = (value: number) => joined({ value: number(value), unit: say("bpm") });

const measures: Measure[] = [
  { key: "distance_m", word: "distance", unit: metresOfUnit, text: (metres) => joined(distance(metres)) },
  { key: "duration_s", word: "duration", unit: () => 3600, text: duration },
  { key: "steps", word: "steps", unit: () => 1, text: (steps) => number(steps) },
  { key: "energy_kcal", word: "energy", unit: () => 1, text: (calories) => joined(energy(calories)) },
  { key: "heart_rate", word: "heartRate", unit: () => 1, text: bpm },
];

/** What the workouts of each day, month or year of a report came to, measure by measure: sums, and heart rates from the lowest to the
 *  highest. */
export function reportSeries(report: Report): Series[] {
  return measures.filter(({ key }) => report.parts.some((part) => part[key] !== undefined)).map((measure) => seriesOf(measure, report));
}

function seriesOf({ key, word, unit, text }: Measure, { parts, total, by, period }: Report): Series {
  const values = parts.map((part) => valueFor(part, key)), whole = valueFor(total, key);
  const told = (value: Value | null | undefined) => value ? text(value.mean) : "–";
  const names = parts.map(({ from = "" }) => nameOf(from, by));
  return {
    key, name: say(word), title: say(word),
    bars: parts.map(({ from = "" }, at) => ({ label: labelOf(from, by, period), value: values[at] ?? null, isToCome: false, isReached: false })),
    scale: { unit: unit(), axis: (value) => number(value / unit(), value % unit() === 0 ? 0 : 1), look: key === "heart_rate" ? "heart" : "" },
    figures: [], note: null, says: `${say(word)}: ${told(whole)}`,
    told: (bar) => {
      const value = bar === null ? whole : values[bar];
      return [
        element("b", {}, told(value)),
        element("span", {}, bar === null ? say(key === "heart_rate" ? "average" : "total") : names[bar] ?? "",
          value?.low === undefined ? null : `, ${say("spreadSays", { low: text(value.low), high: text(value.high ?? value.low) })}`),
      ];
    },
    heads: [say("time"), ...(key === "heart_rate" ? [say("lowest"), say("average"), say("highest")] : [say(word)])],
    row: (bar) => {
      const value = values[bar];
      if (key !== "heart_rate") return [names[bar], value ? told(value) : ""];
      return [names[bar], ...(value ? [value.low, value.mean, value.high].map((one) => text(one ?? value.mean)) : ["", "", ""])];
    },
  };
}

function valueFor(figures: Shown | Figures, key: Measure["key"]): Value | null {
  if (key !== "heart_rate") {
    const sum = figures[key];
    return sum === undefined ? null : { mean: sum };
  }
  const heart = figures.heart_rate;
  if (heart?.mean === undefined) return null;
  return { mean: heart.mean, low: heart.min ?? heart.mean, high: heart.max ?? heart.mean };
}

function labelOf(day: string, by: Report["by"], period: Report["period"]): string {
  if (by === "year") return day.slice(0, 4);
  return dayName(day, by === "month" ? { month: "short" } : period === "week" ? { weekday: "short" } : { day: "numeric" });
}

function nameOf(day: string, by: Report["by"]): string {
  if (by === "year") return day.slice(0, 4);
  return dayName(day, by === "month" ? { month: "long" } : { weekday: "short", day: "numeric", month: "long" });
}
