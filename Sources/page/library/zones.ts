import type { HeartRateZones } from "service";
import { number } from "./format";
import type { Person } from "./person";
import { say } from "./words";

/** A person's zones in an activity, as the service says; null if they are not known. */
export function zonesOf(person: Person, activity?: string): HeartRateZones | null {
  return (activity === "cycling" ? person.bicycleZones : null) ?? person.zones;
}

/** Where the zones 1 to 5 begin, in whole beats per minute; none if that is not known. */
export function zoneLimits(person: Person, activity?: string): number[] {
  return zonesOf(person, activity)?.bounds ?? [];
}

/** The zone of a heart rate, 1 to 5; 0 below zone 1; null if there are no zones. */
export function zoneOf(bpm: number, limits: number[]): number | null {
  return limits.length === 0 ? null : limits.filter((limit) => bpm >= limit).length;
}

/** What zones follow from. */
export function zoneOrigin({ by, max_heart_rate: max, resting_heart_rate: resting, threshold_heart_rate: threshold }: HeartRateZones): string {
  const shown = (rate: number | undefined) => (rate === undefined ? "–" : number(rate));
  switch (by) {
    case "age": return say("zonesByAge", { max: shown(max) });
    case "maximum": return say("zonesByMaximum", { max: shown(max) });
    case "reserve": return say("zonesByReserve", { resting: shown(resting), max: shown(max) });
    case "threshold": return say("zonesByThreshold", { threshold: shown(threshold) });
    case "limits": return say("zonesByLimits");
  }
}
