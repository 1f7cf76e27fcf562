import type { Profile } from "service";

/** The limits of the zones 2 to 5 in beats per minute: 60, 70, 80 and 90 % of the maximum for the person's age, which is 208 - 0.7 × age
 *  (Tanaka et al. 2001), as the service counts it. Without a date of birth there are no zones. */
export function zoneLimits(profile: Profile | null | undefined, now = Date.now()): number[] {
  if (!profile) return [];
  const age = ageOn(profile.date_of_birth, new Date(now));
  return [0.6, 0.7, 0.8, 0.9].map((share) => share * (208 - 0.7 * age));
}

/** The zone of a heart rate, 1 to 5. */
export function zoneOf(bpm: number, limits: number[]): number {
  return 1 + limits.filter((limit) => bpm >= limit).length;
}

function ageOn(dateOfBirth: string, day: Date): number {
  const [year = 0, month = 0, date = 0] = dateOfBirth.split("-").map(Number);
  const isBeforeBirthday = day.getMonth() + 1 < month || (day.getMonth() + 1 === month && day.getDate() < date);
  return day.getFullYear() - year - (isBeforeBirthday ? 1 : 0);
}
