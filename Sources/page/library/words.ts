import { english, type Word } from "../words/english";
import { german, germanReasons } from "../words/german";
import { ServiceRefusal, type Code, type Refusal } from "./requests";

export type { Word } from "../words/english";

let chosen: Record<Word, string> = english;
/** Reasons by the service's codes, where its own sentences are in another language. */
let reasons: Partial<Record<Code, string>> = {};
let chosenLocale = "en-GB";

/** The language that is spoken, with the region that decides how dates and numbers look. */
export function locale(): string {
  return chosenLocale;
}

/** Takes the first language that the page speaks; English if it speaks none of them. */
export function speak(locales: readonly string[]): void {
  const wanted = locales.find((locale) => /^(en|de)\b/i.test(locale) && isLocale(locale)) ?? "en-GB";
  [chosen, reasons] = /^de/i.test(wanted) ? [german, germanReasons] : [english, {}];
  chosenLocale = wanted;
  document.documentElement.lang = wanted;
}

function isLocale(text: string): boolean {
  try {
    return new Intl.Locale(text).language !== "";
  } catch {
    return false;
  }
}

/** A sentence, with what is put in the place of its names. */
export function say(word: Word, values: Record<string, string | number> = {}): string {
  return chosen[word].replace(/\{(\w+)\}/g, (_, name: string) => `${values[name] ?? ""}`);
}

/** A sentence of the service's, in the language that is spoken, if the page knows it. */
export function translated(message: string): string {
  return Object.hasOwn(chosen, message) ? chosen[message as Word] : message;
}

/** Why something was not done, for people. */
export function reason(refusal: Refusal): string {
  if (refusal.code === "no-answer") return say("noAnswer");
  if (refusal.code === "offline") return say("youAreOffline");
  const isForeign = refusal instanceof ServiceRefusal && !Object.hasOwn(chosen, refusal.message);
  const sentence = (isForeign && reasons[refusal.code]) || translated(refusal.message);
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
