import { drawing } from "../library/element";

/** A circle with as many arcs as there are goals, the first at the top; each fills clockwise with its share, 0 to 1.
 *  @param only draws the arc of one goal alone, whole: the glyph beside its figures */
export function ring(shares: number[], size = 120, width = 11, only?: number): SVGElement {
  const radius = size / 2 - width / 2 - 1;
  const count = shares.length;
  const gap = (width / radius) * (180 / Math.PI) + 8;
  const path = (kind: string, from: number, to: number) =>
    drawing("path", { class: kind, "stroke-width": width, d: arc(size / 2, radius, from, to) });
  const arcs: SVGElement[] = [];
  for (const [at, share] of shares.entries()) {
    const from = (at * 360) / count + (count > 1 ? gap / 2 : 0);
    const to = ((at + 1) * 360) / count - (count > 1 ? gap / 2 : 0.2);
    arcs.push(path("t", from, to));
    const filled = only === undefined ? Math.min(1, share) : only === at ? 1 : 0;
    if (filled > 0) arcs.push(path("v", from, from + Math.max(0.01, filled * (to - from))));
  }
  return drawing("svg", { class: only === undefined ? undefined : "key", viewBox: `0 0 ${size} ${size}`, "aria-hidden": "true" }, ...arcs);
}

/** An arc about the middle, between two angles in degrees, clockwise from the top. */
export function arc(middle: number, radius: number, from: number, to: number): string {
  const point = (degrees: number) => {
    const angle = (degrees * Math.PI) / 180;
    return `${(middle + radius * Math.sin(angle)).toFixed(2)} ${(middle - radius * Math.cos(angle)).toFixed(2)}`;
  };
  return `M${point(from)}A${radius} ${radius} 0 ${to - from > 180 ? 1 : 0} 1 ${point(to)}`;
}

/** The mark of the page. */
export function logo(): SVGElement {
  return drawing(
    "svg", { viewBox: "0 0 36 36", "aria-hidden": "true" },
    drawing("path", { class: "v", "stroke-width": 4.5, d: arc(18, 14, 10, 110) + arc(18, 14, 130, 230) + arc(18, 14, 250, 350) }),
    drawing("circle", { class: "h", cx: 18, cy: 18, r: 4.5 }));
}
