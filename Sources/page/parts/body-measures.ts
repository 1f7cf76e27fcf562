import { number } from "../library/format";
import { say } from "../library/words";

// Heights and weights of people, as they read and type them. The service has them in centimetres and kilograms, and `vitals` takes
// the same words.

const inch = 2.54, pound = 0.45359237;

/** A measure of the body in the units that somebody reads. */
interface BodyMeasure {
  /** With the unit. */
  label(isImperial: boolean): string;
  /** As a field and the profile show it, without the unit that the label has. */
  shown(value: number, isImperial: boolean): string;
  /** What somebody has typed, in the service's unit; null if it is no such measure. */
  read(typed: string, isImperial: boolean): number | null;
}

export type BodyField = "height_cm" | "weight_kg";

export const bodyMeasures: Record<BodyField, BodyMeasure> = {
  height_cm: {
    label: (isImperial) => say(isImperial ? "heightInFeet" : "height"),
    shown: (centimetres, isImperial) => {
      if (!isImperial) return plain(centimetres);
      const inches = Math.round(centimetres / inch);
      return `${Math.floor(inches / 12)} ft ${inches % 12} in`;
    },
    read: (typed, isImperial) => {
      if (!isImperial) return numberOf(typed);
      const [, feet, inches = ""] = /^(\d)\s*(?:ft|['′])\s*(?:([\d.,]+)\s*(?:in|["″])?)?$/i.exec(typed) ?? [];
      const rest = inches === "" ? 0 : numberOf(inches);
      return feet === undefined || rest === null || rest >= 12 ? null : hundredths((12 * Number(feet) + rest) * inch);
    },
  },
  weight_kg: {
    label: (isImperial) => say(isImperial ? "weightInPounds" : "weight"),
    shown: (kilograms, isImperial) => plain(isImperial ? Math.round((10 * kilograms) / pound) / 10 : kilograms),
    read: (typed, isImperial) => {
      const value = numberOf(typed);
      return value === null || !isImperial ? value : hundredths(value * pound);
    },
  },
};

/** With the decimal point or comma of the person's language. */
function plain(value: number): string {
  return number(value, Number.isInteger(value) ? 0 : Number.isInteger(10 * value) ? 1 : 2);
}

function hundredths(value: number): number {
  return Math.round(100 * value) / 100;
}

/** A number with a point or a comma. */
function numberOf(typed: string): number | null {
  return /^\d{1,4}(?:[.,]\d{1,3})?$/.test(typed) ? Number(typed.replace(",", ".")) : null;
}
