import { drawing } from "../library/element";
import { zoneOf } from "../library/zones";

/** Where things are in a chart of heart rates: times along it, beats per minute upwards. */
export interface Plot {
  x(time: number): number;
  y(bpm: number): number;
  left: number; right: number; top: number; bottom: number;
  /** Of what is shown: the earliest and latest time, the lowest and highest rate. */
  from: number; to: number; low: number; high: number;
}

/** A plot for a drawing of a size, with room for the limits at its left, the zones at its right, and the times beneath it.
 *  @param lowest of the rates that are drawn; the axis begins at a round number below it, and has no more air above than needed */
export function plotOf(width: number, height: number, from: number, to: number, lowest: number, highest: number): Plot {
  const [left, right, top, bottom] = [32, width - 24, 6, height - 22];
  const low = Math.max(0, 10 * Math.floor((lowest - 6) / 10));
  const high = Math.max(highest, low + 40) + 8;
  return {
    left, right, top, bottom, from, to, low, high,
    x: (time) => left + ((time - from) / (to - from)) * (right - left),
    y: (bpm) => bottom - ((bpm - low) / (high - low)) * (bottom - top),
  };
}

/** A line through points, as an SVG path has it. */
export function through(points: [x: number, y: number][]): string {
  return `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;
}

/** The zones as a rail at the end of the plot, with their numbers, and hairlines where they begin. Below zone 1 there is no rail. */
export function zoneMarks(plot: Plot, limits: number[]): SVGElement[] {
  if (limits.length === 0) return [];
  const edges = [plot.low, ...limits.filter((limit) => limit > plot.low && limit < plot.high), plot.high];
  return edges.slice(1).flatMap((to, at) => {
    const from = edges[at] ?? plot.low;
    const zone = zoneOf((from + to) / 2, limits);
    const [bottom, top] = [plot.y(from), plot.y(to)];
    const marks: SVGElement[] = zone ? [drawing("rect", {
      class: `f${zone}`, x: plot.right + 6, y: (top + 1).toFixed(1), width: 4, height: Math.max(0, bottom - top - 2).toFixed(1), rx: 2,
    })] : [];
    if (zone && bottom - top > 15) {
      marks.push(drawing("text", { class: "zn", x: plot.right + 15, y: ((bottom + top) / 2 + 4).toFixed(1) }, `${zone}`));
    }
    if (to !== plot.high) marks.push(...gridLine(plot, to));
    return marks;
  });
}

/** Hairlines at round numbers, where no limit of a zone is near. */
export function gridLines(plot: Plot, limits: number[]): SVGElement[] {
  const lines: SVGElement[] = [];
  for (let bpm = plot.low + 10; bpm < plot.high - 4; bpm += 20) {
    if (limits.every((limit) => Math.abs(plot.y(limit) - plot.y(bpm)) > 18)) lines.push(...gridLine(plot, bpm));
  }
  return lines;
}

function gridLine(plot: Plot, bpm: number): SVGElement[] {
  const y = plot.y(bpm);
  return [
    drawing("path", { class: "grid-l", d: `M${plot.left} ${y.toFixed(1)}H${plot.right}` }),
    drawing("text", { x: 0, y: (y + 4).toFixed(1) }, `${Math.ceil(bpm)}`),
  ];
}
