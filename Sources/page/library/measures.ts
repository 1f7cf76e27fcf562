import type { Day, DayGoal, DayGoals, Distances, PeriodTotals } from "service";
import { distance, energy, joined, metresOfUnit, number, roundDistance, temperature, thermometer, type Amount } from "./format";
import { say, type Word } from "./words";

// What days are measured by, and what can be a goal, under the service's names.

export type GoalKind = keyof DayGoals;
export type Measure = GoalKind | "temperature_c" | "heart_rate";

export const goalKinds: readonly GoalKind[] = ["steps", "distance_m", "energy_kcal"];
export const measures: readonly Measure[] = [...goalKinds, "temperature_c", "heart_rate"];

const words: Record<Measure, Word> = {
  steps: "steps", distance_m: "distance", energy_kcal: "activeEnergy", temperature_c: "temperature", heart_rate: "heartRate",
};

export function nameOfMeasure(measure: Measure): string {
  return say(words[measure]);
}

/** Whether it can be a goal; such measures add up over a day, and over days. */
export function canBeGoal(measure: Measure): measure is GoalKind {
  return measure !== "temperature_c" && measure !== "heart_rate";
}

/** A value with its unit; steps have none. */
export function amountOf(measure: Measure, value: number): Amount {
  switch (measure) {
    case "steps": return { value: number(value), unit: "" };
    case "distance_m": return distance(value);
    case "energy_kcal": return energy(value);
    case "temperature_c": return temperature(value);
    case "heart_rate": return { value: number(value), unit: say("bpm") };
  }
}

/** A target, which has no more digits than somebody has given it. */
export function targetOf(kind: GoalKind, value: number): Amount {
  return kind === "distance_m" ? roundDistance(value) : amountOf(kind, value);
}

/** How much of the service's unit the unit is that the person reads. */
export function unitOf(measure: Measure): number {
  return measure === "distance_m" ? metresOfUnit() : measure === "temperature_c" ? thermometer().unit : 1;
}

/** What the person reads as 0, in the service's unit. */
export function zeroOf(measure: Measure): number {
  return measure === "temperature_c" ? thermometer().zero : 0;
}

/** What a day or a period has of a measure: of a period, on an average day. Temperatures and heart rates have a lowest and a highest, too. */
export interface Value {
  mean: number;
  low?: number;
  high?: number;
}

export function valueOfMeasure(totals: Day | PeriodTotals, measure: Measure): Value | null {
  if (canBeGoal(measure)) {
    const amount = totals[measure];
    return amount === undefined ? null : { mean: typeof amount === "number" ? amount : amount.mean };
  }
  const spread = totals[measure];
  return spread ? { mean: spread.mean, low: spread.min, high: spread.max } : null;
}

const kindsOfDistance: [kind: keyof Distances, word: Word][] = [
  ["foot", "onFoot"], ["bicycle", "byBicycle"], ["swimming", "bySwimming"], ["other", "inOtherWays"],
];

/** How the distance of a day or a period was done, the farthest kind first; null if nothing but a way on foot is known. */
export function kindsText({ distances_m: metres }: Day | PeriodTotals): string | null {
  if (!metres) return null;
  const known = kindsOfDistance.flatMap(([kind, word]) => {
    const value = metres[kind];
    return value === undefined ? [] : [{ value, word }];
  });
  return known.sort((one, other) => other.value - one.value).map(({ value, word }) => say(word, { distance: joined(distance(value)) })).join(", ");
}

/** What a heart rate at rest is called: by day it is higher than at night, and says so. */
export function nameOfResting({ resting_of }: { resting_of?: "night" | "day" }): string {
  return say(resting_of === "day" ? "restingByDay" : "resting");
}

/** How a heart rate at rest compares with the days before; empty if that is not known. */
export function restingCompared({ resting_difference: difference }: { resting_difference?: number }): string {
  if (difference === undefined) return "";
  if (difference === 0) return say("restingUsual");
  return say(difference > 0 ? "restingAbove" : "restingBelow", { difference: number(Math.abs(difference)) });
}

/** A goal that a day has, or that was reached on it and has been removed since. */
export interface KnownGoal extends DayGoal {
  kind: GoalKind;
}

export function goalsOf(goals: DayGoals | undefined): KnownGoal[] {
  return goalKinds.flatMap((kind) => {
    const goal = goals?.[kind];
    return goal && (goal.target !== undefined || goal.reached) ? [{ kind, ...goal }] : [];
  });
}

/** How much of a goal's arc is full: all of it only if the goal was reached, whatever its target became afterwards. */
export function shareOf({ reached, value = 0, target }: DayGoal): number {
  return reached ? 1 : target ? Math.min(0.99, value / target) : 0;
}

/** Whole percents. Nobody who has not reached a goal is told 100. */
export function percentOf({ value, target, percent, reached }: DayGoal): number | null {
  const exact = value !== undefined && target ? (100 * value) / target : percent;
  if (exact === undefined) return null;
  return reached ? Math.floor(exact) : Math.min(99, Math.floor(exact));
}
