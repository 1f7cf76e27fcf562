import type { Requests as Asked } from "service";
import { duration, number } from "./format";
import { say, type Word } from "./words";

export type Plan = Asked["training/offer"]["replies"]["offers"][number];
export type Planned = Plan["exercises"][number];
export type Muscle = Plan["muscles"][number];
export type TrainingWeek = Asked["training/week"]["replies"];
export type TrainingNow = NonNullable<Asked["training/current"]["replies"]["training"]>;

/** What the page calls a muscle. */
const muscles: Record<Muscle, Word> = {
  "abdominals": "abdominals", "abductors": "abductors", "adductors": "adductors", "biceps": "biceps", "calves": "calves", "chest": "chestMuscles",
  "forearms": "forearms", "glutes": "glutes", "hamstrings": "hamstrings", "lats": "lats", "lower back": "lowerBack", "middle back": "middleBack",
  "neck": "neck", "quadriceps": "quadriceps", "shoulders": "shoulders", "traps": "traps", "triceps": "triceps",
};

export const allMuscles = Object.keys(muscles) as Muscle[];

/** @param muscle one that was kept may be of an earlier catalogue */
export function nameOfMuscle(muscle: string): string {
  return Object.hasOwn(muscles, muscle) ? say(muscles[muscle as Muscle]) : muscle;
}

export function namesOf(some: string[]): string {
  return some.map(nameOfMuscle).join(", ");
}

/** What the page calls equipment; the service's own word, where the operator's catalogue has other equipment. */
const equipment: Record<string, Word> = {
  "bands": "bands", "barbell": "barbell", "body only": "bodyOnly", "cable": "cable", "dumbbell": "dumbbell", "e-z curl bar": "curlBar",
  "exercise ball": "exerciseBall", "foam roll": "foamRoll", "kettlebells": "kettlebells", "machine": "machine", "medicine ball": "medicineBall",
  "other": "otherEquipment",
};

export function nameOfEquipment(name: string): string {
  return Object.hasOwn(equipment, name) ? say(equipment[name] as Word) : name;
}

/** "3 × 10", or "8 × 30 s". */
export function setsText({ sets, repetitions, work_s }: Planned): string {
  if (repetitions !== undefined) return say("setsOf", { sets: number(sets), count: number(repetitions) });
  return work_s === undefined ? number(sets) : say("setsOf", { sets: number(sets), count: duration(work_s) });
}

/** How much of the work was each muscle's, from 0 to 1 of the one that worked most. */
export function sharesOf(worked: { muscle: string; sets: number }[]): Map<string, number> {
  const most = Math.max(1, ...worked.map(({ sets }) => sets));
  return new Map(worked.map(({ muscle, sets }) => [muscle, sets / most]));
}
