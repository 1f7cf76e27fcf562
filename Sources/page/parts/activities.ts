import { say, type Word } from "../library/words";
import type { IconName } from "./icons";

interface Known {
  activity: string;
  /** What one of them is called, and several. */
  one: Word;
  several: Word;
  icon: IconName;
}

/** The activities that the service knows by more than their name. */
export const activities: readonly Known[] = [
  { activity: "running", one: "run", several: "runs", icon: "workouts" },
  { activity: "walking", one: "walk", several: "walks", icon: "walk" },
  { activity: "cycling", one: "ride", several: "rides", icon: "bike" },
];

/** A choice among them: all of them first. */
export const choices: readonly (readonly [activity: string | undefined, word: Word])[] = [
  [undefined, "all"], ...activities.map(({ activity, several }) => [activity, several] as const),
];

/** What an activity is called: a name of the person's own stays as it is. */
export function nameOf(activity: string): string {
  const known = activities.find((one) => one.activity === activity);
  return known ? say(known.one) : activity;
}

export function iconOf(activity: string): IconName {
  return activities.find((one) => one.activity === activity)?.icon ?? "target";
}
