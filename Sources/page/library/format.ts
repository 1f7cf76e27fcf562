import type { Profile } from "service";
import { locale, say } from "./words";

// Numbers, times and units as the person reads them. All values that come in are metric, and times are Unix milliseconds.

let isImperial = false;
let zone: string | undefined;

/** From now on, units and times are this person's. */
export function readAs(profile: Profile | null): void {
  isImperial = profile?.units === "imperial";
  zone = profile?.time_zone;
}

/** A value and its unit, which stands small behind. */
export interface Amount {
  value: string;
  unit: string;
}

const thin = "\u202f";

// Making what writes numbers and times takes longer than writing a hundred of them: each is made once.
const writers = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

function once<Writer extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, make: () => Writer): Writer {
  const known = writers.get(key) as Writer | undefined;
  if (known) return known;
  const made = make();
  writers.set(key, made);
  return made;
}

export function number(value: number, digits = 0): string {
  return once(`${locale()} ${digits}`, () =>
    new Intl.NumberFormat(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits })).format(value);
}

export function percent(value: number): string {
  return `${number(value)}${thin}%`;
}

export function distance(metres: number): Amount {
  if (isImperial) return { value: number(metres / 1609.344, 2), unit: "mi" };
  return { value: number(metres / 1000, 2), unit: "km" };
}

/** Metres of the unit that the person reads distances in. */
export function metresOfUnit(): number {
  return isImperial ? 1609.344 : 1000;
}

/** Metres of the unit that the person reads heights and short distances in. */
export function metresOfSmallUnit(): number {
  return isImperial ? 0.3048 : 1;
}

/** A target: no more digits than it has. */
export function roundDistance(metres: number): Amount {
  const value = metres / metresOfUnit();
  return { value: new Intl.NumberFormat(locale(), { maximumFractionDigits: 2 }).format(value), unit: isImperial ? "mi" : "km" };
}

/** What somebody enters as a distance, in kilometres or miles. */
export function metresOf(entered: number): number {
  return entered * (isImperial ? 1609.344 : 1000);
}

/** "30 min", of seconds. */
export function minutes(seconds: number): string {
  return `${new Intl.NumberFormat(locale(), { maximumFractionDigits: 1 }).format(seconds / 60)}${thin}min`;
}

export function energy(kilocalories: number): Amount {
  return { value: number(kilocalories), unit: "kcal" };
}

/** 3 days */
export function days(count: number): string {
  return dayUnits().format(count);
}

/** The same as a value and its unit. */
export function daysApart(count: number): Amount {
  const parts = dayUnits().formatToParts(count);
  const text = (isUnit: boolean) => parts.filter(({ type }) => type !== "literal" && (type === "unit") === isUnit).map(({ value }) => value).join("");
  return { value: text(false), unit: text(true) };
}

function dayUnits(): Intl.NumberFormat {
  return new Intl.NumberFormat(locale(), { style: "unit", unit: "day", unitDisplay: "long" });
}

export function temperature(celsius: number): Amount {
  return isImperial ? { value: number(celsius * 1.8 + 32, 1), unit: "°F" } : { value: number(celsius, 1), unit: "°C" };
}

/** Where the person's thermometer is 0, and how much its degree is: both in degrees Celsius. */
export function thermometer(): { zero: number; unit: number } {
  return isImperial ? { zero: -32 / 1.8, unit: 1 / 1.8 } : { zero: 0, unit: 1 };
}

export function joined({ value, unit }: Amount): string {
  return unit === "" ? value : `${value}${thin}${unit}`;
}

/** The time zone that the person is in; undefined if it is the browser's. */
export function timeZone(): string | undefined {
  return zone;
}

/** The time zone of the browser. */
export function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Writes times as the person reads them. */
export function dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return once(`${locale()} ${zone} ${JSON.stringify(options)}`, () => new Intl.DateTimeFormat(locale(), { ...options, ...(zone && { timeZone: zone }) }));
}

/** 15:32 */
export function clock(time: number): string {
  return dates({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(time);
}

/** Saturday, 21 November; with the year, if it is another one. */
export function longDay(time: number): string {
  return dates({ weekday: "long", day: "numeric", month: "long", ...(!isThisYear(time) && { year: "numeric" }) }).format(time);
}

function isThisYear(time: number, now = Date.now()): boolean {
  return dayOf(time).slice(0, 4) === dayOf(now).slice(0, 4);
}

/** The calendar day of a time, such as 2026-11-21. */
export function dayOf(time: number): string {
  return once(`day ${zone}`, () =>
    new Intl.DateTimeFormat("en-CA", { year: "numeric", month: "2-digit", day: "2-digit", ...(zone && { timeZone: zone }) })).format(time);
}

/** "just now"; "40 s ago" up to a minute, then minutes, up to an hour; then the time; then the date. */
export function ago(time: number, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - time) / 1000));
  if (seconds < 5) return say("justNow");
  if (seconds < 60) return say("secondsAgo", { seconds });
  if (seconds < 3600) return say("minutesAgo", { minutes: Math.floor(seconds / 60) });
  if (dayOf(time) === dayOf(now)) return say("todayAt", { time: clock(time) });
  return dates({ day: "numeric", month: "short", ...(!isThisYear(time, now) && { year: "numeric" }), hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(time);
}

/** Since when something is so: 15:32 if that is today, or else with the date. */
export function since(time: number): string {
  if (dayOf(time) === dayOf(Date.now())) return clock(time);
  return dates({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(time);
}

/** 47:13, or 1:18:20. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

function two(value: number): string {
  return `${value}`.padStart(2, "0");
}

/** A pace of so many seconds for a kilometre, in minutes and seconds even beyond an hour, as paces are typed. */
export function paceText(seconds: number): Amount {
  const whole = Math.round(isImperial ? seconds * 1.609344 : seconds);
  return { value: `${Math.floor(whole / 60)}:${two(whole % 60)}`, unit: isImperial ? "/mi" : "/km" };
}

/** What somebody types as two paces, such as 5:30-6:15, the faster one first: seconds for a kilometre, or null if it is something else.
 *  @param metres of the unit that they are for */
export function pacesOf(entered: string, metres: number): [faster: number, slower: number] | null {
  const times = /^(\d{1,2}):([0-5]\d)\s*[-–]\s*(\d{1,2}):([0-5]\d)$/.exec(entered.trim());
  if (!times) return null;
  const [, minutes, seconds, slowMinutes, slowSeconds] = times.map(Number) as [number, number, number, number, number];
  const faster = 60 * minutes + seconds, slower = 60 * slowMinutes + slowSeconds, kilometres = metres / 1000;
  return faster > slower ? null : [Math.round(faster / kilometres), Math.round(slower / kilometres)];
}

export function speed(metresPerSecond: number): Amount {
  return { value: number(metresPerSecond * (isImperial ? 2.236936 : 3.6), 1), unit: isImperial ? "mph" : "km/h" };
}

export function height(metres: number): Amount {
  return { value: number(metres / metresOfSmallUnit()), unit: isImperial ? "ft" : "m" };
}

/** How far something is: "320 m", "1.25 km". */
export function farText(metres: number): string {
  return joined(metres < 1000 ? height(metres) : distance(metres));
}

/** Which unit the service splits ways by. */
export function splitUnits(): "metric" | "imperial" {
  return isImperial ? "imperial" : "metric";
}

/** The longest round length that is not longer than this, for a scale. */
export function roundLength(metres: number): { metres: number; text: string } {
  const [small, large, unit] = [metresOfSmallUnit(), metresOfUnit(), isImperial ? "ft" : "m"];
  const isLarge = metres >= large;
  const one = isLarge ? large : small;
  const ten = 10 ** Math.floor(Math.log10(metres / one));
  const count = ten * ([5, 2, 1].find((step) => step * ten * one <= metres) ?? 1);
  return { metres: count * one, text: joined({ value: `${count}`, unit: isLarge ? (isImperial ? "mi" : "km") : unit }) };
}

/** Sat 14, 09:30 */
export function dayAndTime(time: number): string {
  return dates({ weekday: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(time);
}
