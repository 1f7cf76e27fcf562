import { dayAfter, isDay, mondayOf, nameOfDay, nameOfDays, today } from "./days";

// What the views of days show: a day, a week, a month, a year, a range of days, or all years. Each has an address of its own.

export type Kind = "day" | "week" | "month" | "year" | "all";

export interface Span {
  kind: Kind | "range";
  /** The first and the last day; of all years, both are today. */
  first: string;
  last: string;
}

/** The longest range that the service sums up. */
const mostYears = 100;

/** The day, week, month or year that a day is in. */
export function spanAround(day: string, kind: Kind): Span {
  const [year, month] = [day.slice(0, 4), day.slice(0, 7)];
  switch (kind) {
    case "week": return { kind, first: mondayOf(day), last: dayAfter(mondayOf(day), 6) };
    // 31 days after its first day it is over.
    case "month": return { kind, first: `${month}-01`, last: dayAfter(`${dayAfter(`${month}-01`, 31).slice(0, 7)}-01`, -1) };
    case "year": return { kind, first: `${year}-01-01`, last: `${year}-12-31` };
    default: return { kind, first: day, last: day };
  }
}

/** The span before or after one: of a range, as many days. */
export function neighbour({ kind, first, last }: Span, isAfter: boolean): Span {
  if (kind !== "range") return spanAround(isAfter ? dayAfter(last) : dayAfter(first, -1), kind);
  const days = Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1;
  return { kind, first: dayAfter(first, isAfter ? days : -days), last: dayAfter(last, isAfter ? days : -days) };
}

export function includes({ first, last }: Span, day: string): boolean {
  return first <= day && day <= last;
}

export function addressOf({ kind, first, last }: Span): string {
  switch (kind) {
    case "day": return `#/days/${first}`;
    case "week": return `#/weeks/${first}`;
    case "month": return `#/days/${first.slice(0, 7)}`;
    case "year": return `#/years/${first.slice(0, 4)}`;
    case "all": return "#/years";
    case "range": return `#/days/${first}/${last}`;
  }
}

/** What an address means, which anybody can type; this month if it means nothing.
 *  @param place days, weeks or years */
export function spanOf(place: string, first = "", last = ""): Span {
  if (place === "years" && first === "") return spanAround(today(), "all");
  const kind = place === "years" ? "year" : place === "weeks" ? "week" : first.length < 10 ? "month" : "day";
  const day = first.padEnd(10, "-01");
  if (!isDay(day)) return spanAround(today(), "month");
  return isRange(first, last) ? { kind: "range", first, last } : spanAround(day, kind);
}

export function isRange(first: string, last: string): boolean {
  return isDay(first) && isDay(last) && first <= last && Number(last.slice(0, 4)) - Number(first.slice(0, 4)) < mostYears;
}

/** What people call it; nothing for all years. */
export function nameOfSpan({ kind, first, last }: Span): string {
  switch (kind) {
    case "day": return nameOfDay(first, { weekday: "short", day: "numeric", month: "long", year: "numeric" });
    case "month": return nameOfDay(first, { month: "long", year: "numeric" });
    case "year": return nameOfDay(first, { year: "numeric" });
    case "all": return "";
    default: return nameOfDays(first, last);
  }
}
