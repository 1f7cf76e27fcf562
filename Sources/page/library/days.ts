import { dayOf } from "./format";
import { locale } from "./words";

// Calendar days and months as the service has them: 2026-11-21 and 2026-11. They are not times: a day has the same name in each time zone,
// so all of this counts in UTC, where every day has 24 hours.

const milliseconds = 86_400_000;

function noon(day: string): number {
  return Date.parse(`${day}T12:00Z`);
}

function dayAt(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Whether there is such a day, within the years that the page can count. */
export function isDay(text: string): boolean {
  const time = noon(text);
  return /^[1-9]\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(time) && dayAt(time) === text;
}

/** The person's day now. */
export function today(): string {
  return dayOf(Date.now());
}

export function dayAfter(day: string, days = 1): string {
  return dayAt(noon(day) + days * milliseconds);
}

/** The Monday of a day's week. */
export function mondayOf(day: string): string {
  return dayAfter(day, -weekdayOf(day));
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: string): number {
  return (new Date(noon(day)).getUTCDay() + 6) % 7;
}

/** The number of a day's week, as in ISO 8601: week 1 has the year's first Thursday. */
export function weekNumber(day: string): number {
  const thursday = dayAfter(mondayOf(day), 3);
  return 1 + Math.floor((noon(thursday) - noon(`${thursday.slice(0, 4)}-01-01`)) / (7 * milliseconds));
}

/** Writes a day, or the first day of a month or year, as the person reads days. */
export function nameOfDay(day: string, options: Intl.DateTimeFormatOptions): string {
  return names(options).format(noon(day.padEnd(10, "-01")));
}

/** 16–22 November 2026 */
export function nameOfDays(from: string, to: string): string {
  return names({ day: "numeric", month: "long", year: "numeric" }).formatRange(noon(from), noon(to));
}

function names(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale(), { ...options, timeZone: "UTC" });
}
