import type { Profile } from "service";
import { element, pressed } from "../library/element";
import { nameOfDay } from "../library/days";
import { dayOf, number, ownTimeZone } from "../library/format";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { locale, say, translated, type Word } from "../library/words";
import { bodyMeasures, type BodyField } from "../parts/body-measures";
import { button, busy, check, field, form, numberIn, select, text, type Field } from "../parts/form";
import { toast } from "../parts/toast";

/** What a person may say of their heart, in the order in which it is asked. */
const heartFields = ["max_heart_rate", "resting_heart_rate", "threshold_heart_rate"] as const;

const bodyFields = ["height_cm", "weight_kg"] as const;

/** The locales in which the page speaks. */
const languages = ["en-GB", "en-US", "en-IE", "de-DE", "de-AT", "de-CH"];

/** The form of a person's profile. What may be wrong with it, the service says, and in which words.
 *  @param close is called when it is saved or left */
export function profileForm(person: Person, close: () => void): HTMLFormElement {
  const profile = person.profile;
  let isImperial = profile?.units === "imperial";
  /** What the fields of measures were made to show. */
  const shown = new Map<BodyField, { value: number | undefined; text: string }>();
  const measure = (name: BodyField, value: number | undefined) => {
    const made = { value, text: value === undefined ? "" : bodyMeasures[name].shown(value, isImperial) };
    shown.set(name, made);
    return field(bodyMeasures[name].label(isImperial), text({
      inputmode: isImperial && name === "height_cm" ? "text" : "decimal", autocomplete: "off", maxlength: 20, value: made.text,
    }));
  };
  const fields = {
    name: field(say("personName"), text({ autocomplete: "name", maxlength: 100, value: profile?.name }), { look: "all" }),
    date_of_birth: field(say("birth"), text({ type: "date", autocomplete: "bday", value: profile?.date_of_birth })),
    gender: field(say("gender"), select(
      [["", "–"], ["female", say("female")], ["male", say("male")], ["other", say("other")], ["undisclosed", say("undisclosed")]], profile?.gender ?? "")),
    height_cm: measure("height_cm", profile?.height_cm),
    weight_kg: measure("weight_kg", profile?.weight_kg),
    units: field(say("units"), select([["metric", say("metric")], ["imperial", say("imperial")]], profile?.units ?? "metric")),
    locale: field(say("language"), choice(languages, profile?.locale ?? locale(), languageName)),
    time_zone: field(say("timeZone"), choice(timeZones(), profile?.time_zone ?? ownTimeZone()), { look: "all" }),
    zones_by: field(say("zonesBy"), select(
      [["age", say("byAge")], ["maximum", say("maxHeartRate")], ["reserve", say("byReserve")], ["threshold", say("thresholdHeartRate")],
        ["limits", say("byLimits")]], profile?.zones_by ?? "age"), { hint: say("zonesCount"), look: "all" }),
    max_heart_rate: rate("maxHeartRate", profile?.max_heart_rate),
    resting_heart_rate: rate("restingHeartRate", profile?.resting_heart_rate),
    threshold_heart_rate: rate("thresholdHeartRate", profile?.threshold_heart_rate),
    zone_limits: field(say("zoneLimits"), text({ inputmode: "text", autocomplete: "off", maxlength: 60, value: profile?.zone_limits?.join(", ") ?? "" }),
      { hint: say("zoneLimitsHint") }),
  };
  const values = () => Object.entries(fields).map(([name, { input }]) => [name, input.value.trim()] as const);
  const before = new Map(profile ? values() : []);
  /** Centimetres or kilograms; undefined for an empty field. A measure that was only shown is not rounded. */
  const entered = (name: BodyField): number | undefined => {
    const typed = fields[name].input.value.trim(), made = shown.get(name);
    if (typed === made?.text) return made.value;
    if (typed === "") return undefined;
    const value = bodyMeasures[name].read(typed, isImperial);
    if (value === null) throw new Refusal("invalid", name === "height_cm" ? "Enter Proper Height" : "Enter Proper Weight", name);
    return value;
  };
  fields.units.input.addEventListener("change", () => {
    const known = bodyFields.map((name) => {
      try {
        return entered(name);
      } catch {
        return profile?.[name];
      }
    });
    isImperial = fields.units.input.value === "imperial";
    bodyFields.forEach((name, at) => {
      const made = measure(name, known[at]);
      fields[name].node.replaceWith(made.node);
      fields[name] = made;
    });
  });
  const keepHeart = check(say("keepHeart"), profile?.continuous_heart_rate ?? false);
  const voice = check(say("voiceProfile"), profile?.voice ?? false);
  const send = element("button", { class: "btn first" }, say("save"));
  const cancel = button(say("cancel"), "");
  pressed(cancel, () => void busy(cancel, async () => {
    const { message } = await person.ask("profile/cancel", {});
    toast(translated(message));
    close();
  }));
  if (profile) void suggest(person, fields.resting_heart_rate, fields.max_heart_rate);
  // Somebody who is new is not asked for what their browser says.
  const asked = profile ? fields : { ...fields, locale: null, time_zone: null, zones_by: null, ...noHeart };
  return form(fields, [
    ...Object.values(asked).map((field) => field?.node), keepHeart.node, voice.node,
    element("div", { class: "btns all" }, send, cancel),
  ], send, async () => {
    // What is empty is left out, and the service says which of it has to be there.
    const changes: Record<string, string | number | number[] | null | undefined> = Object.fromEntries(
      values().filter(([name, value]) => !(name in bodyMeasures) && value !== before.get(name)).map(([name, value]) => [name, value || undefined]));
    for (const name of bodyFields) {
      const value = entered(name);
      if (value === undefined || value !== profile?.[name]) changes[name] = value;
    }
    // What is emptied is taken back.
    for (const name of heartFields) {
      if (name in changes) changes[name] = numberIn(fields[name], name);
    }
    if ("zone_limits" in changes) changes["zone_limits"] = limitsIn(fields.zone_limits.input.value);
    const boxes: [keyof Profile, HTMLInputElement][] = [["continuous_heart_rate", keepHeart.input], ["voice", voice.input]];
    const ticked = Object.fromEntries(boxes.filter(([name, { checked }]) => checked !== profile?.[name]).map(([name, { checked }]) => [name, checked]));
    const { message } = await person.change({ ...changes, ...ticked });
    toast(translated(message));
    close();
  });
}

/** Says below two fields what was measured, to be taken over with a press. */
async function suggest(person: Person, resting: Field, highest: Field): Promise<void> {
  const offer = ({ node, input }: Field, bpm: number, words: string) => {
    if (Number(input.value) === bpm) return;
    const take = button(say("take"), "s soft");
    const line = element("p", { class: "hint" }, words, " ", take);
    pressed(take, () => {
      input.value = String(bpm);
      line.remove();
      input.focus();
    });
    node.append(line);
  };
  try {
    const { resting_heart_rate: rest, max_heart_rate: most } = await person.ask("profile/suggestions", {});
    if (rest) offer(resting, rest.bpm, say("measuredRest", { bpm: number(rest.bpm), nights: number(rest.nights) }));
    if (most) offer(highest, most.bpm, say("measuredMost", { bpm: number(most.bpm), day: nameOfDay(dayOf(most.started), { day: "numeric", month: "long", year: "numeric" }) }));
  } catch (error) {
    // The form is complete without them.
    if (!(error instanceof Refusal)) throw error;
  }
}

const noHeart = { max_heart_rate: null, resting_heart_rate: null, threshold_heart_rate: null, zone_limits: null };

function rate(word: Word, value: number | undefined): Field {
  return field(say(word), text({ type: "number", inputmode: "decimal", step: "any", autocomplete: "off", value: value ?? "" }));
}

/** The limits that somebody has typed; null if the field is empty. */
function limitsIn(typed: string): number[] | null {
  const parts = typed.split(/[\s,;]+/).filter((part) => part !== "");
  if (parts.length === 0) return null;
  const limits = parts.map(Number);
  if (limits.some(Number.isNaN)) throw new Refusal("invalid", say("zoneLimitsHint"), "zone_limits");
  return limits;
}

/** A choice among known values; what is chosen already is among them, whatever it is. */
function choice(known: string[], chosen: string, words = (value: string) => value): HTMLSelectElement {
  const all = known.includes(chosen) ? known : [chosen, ...known];
  return select(all.map((value) => [value, words(value)]), chosen);
}

function timeZones(): string[] {
  // Debian's TypeScript does not know it yet.
  return (Intl as unknown as { supportedValuesOf(kind: "timeZone"): string[] }).supportedValuesOf("timeZone");
}

/** British English; what nobody knows stays as it is. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(locale(), { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
