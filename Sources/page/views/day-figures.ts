import type { Day } from "service";
import { timesOf } from "../library/calendar";
import { today } from "../library/days";
import { element, type Child } from "../library/element";
import { duration, number } from "../library/format";
import { goalKinds, kindsText, nameOfMeasure, nameOfResting, restingCompared } from "../library/measures";
import { say, type Word } from "../library/words";
import { zoneOrigin } from "../library/zones";
import { empty, facts, fine, section, zoneTimes } from "../parts/card";
import { figureOf, type Figure } from "./day-series";

/** All that is known of a day besides its goals. */
export function dayFigures(day: Day): HTMLElement {
  return element("div", { class: "side s7" }, moved(day), heart(day), temperatures(day));
}

function moved(day: Day): HTMLElement {
  const hours = Math.round((timesOf(day.day).to - timesOf(day.day).from) / 3_600_000);
  const figures = goalKinds.flatMap((kind): Figure[] => {
    const value = day[kind];
    return value === undefined ? [] : [figureOf(nameOfMeasure(kind), kind, value)];
  });
  const isKnown = figures.length > 0 || day.heart_rate || day.temperature_c;
  return section(say("theDay"), "",
    figures.length > 0 ? facts("three", figures) : null, fine(kindsText(day)),
    isKnown ? null : empty("days", say(day.day > today() ? "dayToCome" : "nothingThatDay")),
    hint(hours !== 24 && say("hoursOfDay", { hours })),
    hint(day.step_counts_left_out !== undefined && say("leftOut", { count: number(day.step_counts_left_out) })));
}

function heart({ day, heart_rate: heart }: Day): HTMLElement | null {
  if (!heart) return null;
  const { from, to } = timesOf(day);
  const { zones_s: zones = [], zones: own } = heart;
  const known: [string, number | undefined][] = [
    [say("lowest"), heart.min], [say("average"), heart.mean], [say("highest"), heart.max], [nameOfResting(heart), heart.resting],
  ];
  const figures = known.flatMap(([label, value]): Figure[] => (value === undefined ? [] : [figureOf(label, "heart_rate", value)]));
  return section(say("heartRate"), "",
    facts("three", [...figures, [say("recorded"), duration(heart.recorded_s)]]),
    hint(heart.resting === undefined ? say("noResting") : restingCompared(heart) || false),
    zones.some((seconds) => seconds > 0) ? element("h3", {}, say("timeInZones")) : null,
    zones.some((seconds) => seconds > 0) ? zoneTimes(zones, own?.bounds) : null,
    zones.some((seconds) => seconds > 0) && own ? fine(zoneOrigin(own)) : null,
    element("div", { class: "btns" }, element("a", { class: "btn s soft", href: `#/heart?from=${from}&to=${to}` }, say("heartOfDay"))));
}

function temperatures({ temperature_c: degrees }: Day): HTMLElement | null {
  if (!degrees) return null;
  const known: [Word, number][] = [["lowest", degrees.min], ["average", degrees.mean], ["highest", degrees.max], ["latest", degrees.last]];
  return section(say("temperature"), "", facts("four", known.map(([word, value]) => figureOf(say(word), "temperature_c", value))));
}

function hint(text: string | false): Child {
  return text === false ? null : element("p", { class: "hint" }, text);
}
