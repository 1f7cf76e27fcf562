import { clock, dates, timeZone } from "./format";
import { locale } from "./words";

// Times on an axis, and the person's days, weeks, months and years: in their time zone, where an hour may come twice.

const second = 1_000, minute = 60 * second, hour = 60 * minute;
export const day = 24 * hour;

export type Period = "hour" | "day" | "week" | "month" | "year";

let kept: { zone: string | undefined; format: Intl.DateTimeFormat } | undefined;

/** What the zone's clocks showed at a time, as if they showed UTC. */
function shown(time: number): number {
  const zone = timeZone();
  // Making one takes longer than all that is done with it.
  if (!kept || kept.zone !== zone) kept = { zone, format: new Intl.DateTimeFormat("en-GB", {
    year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23",
    ...(zone && { timeZone: zone }),
  }) };
  const parts = kept.format.formatToParts(time);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

/** The time at which the zone's clocks show this. */
function timeOf(clocks: number): number {
  const once = clocks - (shown(clocks) - clocks);
  // A second time, because the zone may have turned its clocks in between.
  const again = once - (shown(once) - clocks);
  // What the clocks skip begins where they go on.
  return shown(again) === clocks ? again : Math.max(once, again);
}

/** A time as a field for dates and times has it: 2026-11-21T14:45:56. */
export function entered(time: number): string {
  return new Date(shown(time)).toISOString().slice(0, 19);
}

/** The time that such a field names; null if it names none. */
export function timeEntered(text: string): number | null {
  const clocks = text === "" ? NaN : Date.parse(`${text}Z`);
  return Number.isNaN(clocks) ? null : timeOf(clocks);
}

/** The period that a time is in, or one some periods later: from its first moment to the first that is no longer in it. */
export function periodAround(time: number, period: Period, later = 0): { from: number; to: number } {
  const at = new Date(shown(time));
  const [year, month, date] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  const begin = (step: number): number => {
    switch (period) {
      case "hour": return timeOf(Math.floor(at.getTime() / hour) * hour + step * hour);
      case "day": return timeOf(Date.UTC(year, month, date + step));
      case "week": return timeOf(Date.UTC(year, month, date - ((at.getUTCDay() + 6) % 7) + 7 * step));
      case "month": return timeOf(Date.UTC(year, month + step, 1));
      case "year": return timeOf(Date.UTC(year + step, 0, 1));
    }
  };
  return { from: begin(later), to: begin(later + 1) };
}

/** From the first moment of a calendar day, such as 2026-11-21, to the first that is no longer in it. */
export function timesOf(day: string): { from: number; to: number } {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return { from: timeOf(Date.UTC(year, month - 1, date)), to: timeOf(Date.UTC(year, month - 1, date + 1)) };
}

/** The period that a range is, if it is one exactly. */
export function periodOf(from: number, to: number): Period | null {
  const periods: Period[] = ["hour", "day", "week", "month", "year"];
  return periods.find((period) => {
    const around = periodAround(from, period);
    return around.from === from && around.to === to;
  }) ?? null;
}

export interface Tick {
  time: number;
  label: string;
}

const steps = [1, 2, 5, 10, 15, 30].map((step) => step * second)
  .concat([1, 2, 5, 10, 15, 30].map((step) => step * minute), [1, 2, 3, 6, 12].map((step) => step * hour), [1, 2, 7, 14].map((step) => step * day));

/** Ticks at round times: at most so many, and at least two wherever there is room. */
export function ticks(from: number, to: number, most: number): Tick[] {
  const span = to - from;
  const step = steps.find((step) => span / step <= most);
  if (step) {
    const label = span < 10 * minute ? secondsOf : span <= 2 * day ? clock : dayAndMonth;
    const made: Tick[] = [];
    for (let clocks = Math.ceil(shown(from) / step) * step; made.length <= most; clocks += step) {
      const time = timeOf(clocks);
      if (time > to) break;
      if (time >= from && time !== made[made.length - 1]?.time) made.push({ time, label: label(time) });
    }
    return made;
  }
  const months = [1, 2, 3, 6, 12, 24, 60, 120].find((step) => span / (step * 30.4 * day) <= most) ?? 240;
  const at = new Date(shown(from));
  // Counted from 2000, because two digits of a year would be another one.
  const first = Math.ceil(((at.getUTCFullYear() - 2000) * 12 + at.getUTCMonth()) / months) * months;
  return Array.from({ length: most + 2 }, (_, index) => timeOf(Date.UTC(2000, first + index * months, 1)))
    .filter((time) => time >= from && time <= to).map((time) => ({ time, label: span <= 92 * day ? dayAndMonth(time) : monthAndYear(time) }));
}

/** 15:32:04 */
export function secondsOf(time: number): string {
  return dates({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(time);
}

function dayAndMonth(time: number): string {
  return dates({ day: "numeric", month: "short" }).format(time);
}

function monthAndYear(time: number): string {
  return `${dates({ month: "short" }).format(time)}-${dates({ year: "2-digit" }).format(time)}`;
}

/** What a range is called: a day, a month, a year, or from when to when. */
export function nameOfRange(from: number, to: number): string {
  const period = periodOf(from, to);
  if (period === "day") return dates({ weekday: "short", day: "numeric", month: "long", year: "numeric" }).format(from);
  if (period === "month") return dates({ month: "long", year: "numeric" }).format(from);
  if (period === "year") return dates({ year: "numeric" }).format(from);
  if (to - from <= day && to - from >= 10 * minute) return `${dayAndMonth(from)}, ${clock(from)}–${clock(to)}`;
  if (to - from < 10 * minute) return `${dayAndMonth(from)}, ${secondsOf(from)}–${secondsOf(to)}`;
  return dates({ day: "numeric", month: "short", year: "numeric" }).formatRange(from, to - 1);
}

/** When a point of a chart was: as exact as the point is wide. */
export function nameOfPoint(from: number, width: number): string {
  if (width < minute) return secondsOf(from);
  if (width < day) return `${width >= 6 * hour ? `${dayAndMonth(from)} ` : ""}${clock(from)}–${clock(from + width)}`;
  return `${dayAndMonth(from)}–${dayAndMonth(from + width - 1)}`;
}

/** How long something takes, in words: "5 minutes". */
export function howLong(milliseconds: number, locale: string): string {
  const [unit, of] = milliseconds >= day ? ["day", day] : milliseconds >= hour ? ["hour", hour] : milliseconds >= minute ? ["minute", minute]
    : milliseconds >= second ? ["second", second] : ["millisecond", 1];
  return new Intl.NumberFormat(locale, { style: "unit", unit: `${unit}`, unitDisplay: "long", maximumFractionDigits: 1 })
    .format(milliseconds / Number(of));
}

export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export type Weekday = (typeof weekdays)[number];

export function weekdayName(day: Weekday, length: "short" | "long"): string {
  // The fifth of January 1970 was a Monday.
  return new Intl.DateTimeFormat(locale(), { weekday: length, timeZone: "UTC" }).format(Date.UTC(1970, 0, 5 + weekdays.indexOf(day)));
}

/** A day such as 2026-11-21, as people read it: "21 Nov". */
export function dayName(day: string, options: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" }): string {
  return new Intl.DateTimeFormat(locale(), { ...options, timeZone: "UTC" }).format(Date.parse(day));
}
