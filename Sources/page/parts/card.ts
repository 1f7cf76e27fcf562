import { drawing, element, freshId, give, type Child } from "../library/element";
import { duration, number } from "../library/format";
import { Part } from "../library/part";
import { say, type Word } from "../library/words";
import { icon, type IconName } from "./icons";

/** A card: a part with a heading. Its class says how many of the grid's twelve tracks it takes. */
export abstract class Card extends Part {
  protected readonly head = element("div", { class: "card-head" });

  /** Gives the card its look and its heading. */
  protected frame(title: string, look: string, ...beside: Child[]): void {
    const id = freshId();
    give(this, { class: `card ${look}`, role: "region", "aria-labelledby": id });
    this.head.replaceChildren(element("h2", { id }, title));
    for (const child of beside) if (child) this.head.append(child);
    this.replaceChildren(this.head);
  }
}

/** A card that follows nothing. */
export function section(title: string, look: string, ...content: Child[]): HTMLElement {
  const id = freshId();
  return element("section", { class: `card ${look}`, "aria-labelledby": id }, element("div", { class: "card-head" }, element("h2", { id }, title)), ...content);
}

/** Figures with their labels. A figure that is not known is left out. */
export function facts(look: string, figures: [label: Child, value: string, unit?: string][]): HTMLElement {
  return element("dl", { class: `facts ${look}` }, ...figures.map(([label, value, unit]) =>
    element("div", {}, element("dt", {}, label), element("dd", {}, value, unit ? element("small", {}, unit) : null))));
}

/** Small print beneath figures; nothing if there is none. */
export function fine(text: string | null): HTMLElement | null {
  return text === null ? null : element("p", { class: "small muted" }, text);
}

/** Labels with what is known of each, one below the other. */
export function pairs(lines: [label: string, value: Child][]): HTMLElement {
  return element("dl", { class: "kv" }, ...lines.map(([label, value]) =>
    element("div", {}, element("dt", {}, label), element("dd", {}, value))));
}

/** What would be here. */
export function empty(name: IconName, text: string, look = "", ...children: Child[]): HTMLElement {
  return element("div", { class: "empty" }, element("span", { class: `badge ${look}` }, icon(name)), element("p", {}, text), ...children);
}

/** Shapes of what comes. */
export function skeleton(): HTMLElement {
  return element(
    "div", { role: "status", "aria-label": say("loading") },
    element("div", { class: "skeleton h" }), element("div", { class: "skeleton" }), element("div", { class: "skeleton w60" }));
}

export function spinner(): HTMLElement {
  return element("span", { class: "spin", "aria-hidden": "true" });
}

/** A meter: 0 to 1 of it is full. The figure beside it says the same. */
export function meter(share: number, look = ""): SVGElement {
  return drawing(
    "svg", { class: `meter ${look}`, viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawing("rect", { width: (100 * Math.min(1, Math.max(0, share))).toFixed(1), height: 8 }));
}

/** How long the heart was in each zone, the hardest first: seconds in the zones 1 to 5.
 *  @param bounds where these begin, if they were the same all the time */
export function zoneTimes(seconds: number[], bounds: number[] = []): HTMLElement {
  const longest = Math.max(...seconds, 1);
  return element("ul", { class: "zones" }, ...seconds.map((time, at) => element(
    "li", {}, element("b", { class: `zone z${at + 1}`, "aria-hidden": "true" }, `${at + 1}`),
    element("span", {}, say(`zone${at + 1}` as Word), at in bounds ? ` · ${say("fromValue", { value: number(bounds[at] ?? 0) })}` : null), meter(time / longest, `z${at + 1}`), element("b", {}, duration(time)))).reverse());
}
