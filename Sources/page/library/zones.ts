import type { Profile } from "service";

/** Where the zones 1 to 5 begin, in percent of the maximum. */
export const zoneShares = [50, 60, 70, 80, 90];

/** Where the zones 1 to 5 begin, in beats per minute: shares of the maximum for the person's age, which is 208 - 0.7 × age (Tanaka et al.
 *  2001), as the service counts it. Without a date of birth there are no zones. */
export function zoneLimits(profile: Profile | null | undefined, now = Date.now()): number[] {
  if (!profile) return [];
  const age = ageOn(profile.date_of_birth, new Date(now));
  return zoneShares.map((share) => (share / 100) * (208 - 0.7 * age));
}

/** The zone of a heart rate, 1 to 5; 0 below zone 1; null if there are no zones. */
export function zoneOf(bpm: number, limits: number[]): number | null {
  return limits.length === 0 ? null : limits.filter((limit) => bpm >= limit).length;
}

function ageOn(dateOfBirth: string, day: Date): number {
  const [year = 0, month = 0, date = 0] = dateOfBirth.split("-").map(Number);
  const isBeforeBirthday = day.getMonth() + 1 < month || (day.getMonth() + 1 === month && day.getDate() < date);
  return day.getFullYear() - year - (isBeforeBirthday ? 1 : 0);
}
