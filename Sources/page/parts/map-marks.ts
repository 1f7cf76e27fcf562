import { drawing, plain } from "../library/element";
import { roundLength } from "../library/format";
import type { Place, Shape } from "../library/places";
import { say } from "../library/words";

// What every map has besides what it shows: names, a scale, where north is, and a cross where something is drawn by keys.

/** Where a place is in a drawing. */
export type Point = (place: Place) => [x: number, y: number];

/** What is kept free for the tools at the end. */
export const forTools = 52;

/** The name of an area: above a circle, beneath a polygon. */
export function areaName(shape: Shape, name: string, pixels: number, point: Point): SVGElement[] {
  const label = (x: number, y: number) =>
    name ? [drawing("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": "middle" }, short(name))] : [];
  if ("middle" in shape) {
    const [x, y] = point(shape.middle);
    return label(x, y - shape.radius * pixels - 8);
  }
  const points = shape.corners.map(point);
  const [left, right] = range(points.map(([x]) => x)), [, bottom] = range(points.map(([, y]) => y));
  return label((left + right) / 2, bottom + 18);
}

/** The words at a position: beside the point where there is room, otherwise above it. */
export function labelHere(words: string, [x, y]: [number, number], width: number): SVGElement[] {
  const label = short(words);
  if (!label) return [];
  // A letter is about seven pixels wide.
  const long = 7 * label.length + 22;
  const [side, aside, above] = x + long < width - forTools ? ["start", 22, 12] as const
    : x > long ? ["end", -22, 12] as const : ["middle", 0, 26] as const;
  return [drawing("text", { class: "who", x: (x + aside).toFixed(1), y: (y - above).toFixed(1), "text-anchor": side }, label)];
}

/** What fits on a map; a list beside it has all of it. */
function short(text: string): string {
  const letters = [...plain(text)];
  return letters.length > 28 ? `${letters.slice(0, 27).join("")}…` : letters.join("");
}

/** Marks the middle. */
export function cross(width: number, height: number): SVGElement {
  return drawing("path", { class: "rule cross", d: `M${width / 2 - 8} ${height / 2}h16m-8-8v16` });
}

/** A round length of 40 to 100 pixels. */
export function scale(pixels: number, height: number): SVGElement[] {
  const { metres, text } = roundLength(100 / pixels);
  const width = metres * pixels;
  return [
    drawing("path", { class: "rule", d: `M16 ${height - 24}v7h${width.toFixed(1)}v-7` }),
    drawing("text", { x: (22 + width).toFixed(1), y: height - 15 }, text),
  ];
}

export function compass(): SVGElement[] {
  return [
    drawing("path", { class: "rule", d: "M26 29V14m-4 5 4-5 4 5" }),
    drawing("text", { x: 26, y: 42, "text-anchor": "middle" }, say("north")),
  ];
}

export function range(values: number[]): [lowest: number, highest: number] {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}
