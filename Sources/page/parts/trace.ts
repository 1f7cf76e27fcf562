import { drawing, element, fill, freshId } from "../library/element";
import { clock } from "../library/format";
import { counts, type Beat } from "../library/sensors";
import { say } from "../library/words";
import { zoneOf } from "../library/zones";

const minutes = 3;
const span = minutes * 60_000;
/** Without a heart rate for so long, the line has a gap. */
const gap = 5_000;

interface Plot {
  x(time: number): number;
  y(bpm: number): number;
  left: number; right: number; top: number; bottom: number; low: number; high: number;
}

/** The heart rates of the last minutes, once for phones and once for desktops: only one of them is seen. */
export class Trace {
  readonly node = element("div", { class: "chart" });
  readonly #sizes = [{ shown: "narrow", width: 326, height: 160 }, { shown: "wide", width: 392, height: 244 }]
    .map((size) => ({ ...size, drawn: element("div", { class: size.shown }), fade: freshId() }));

  constructor() {
    this.node.append(...this.#sizes.map(({ drawn }) => drawn));
  }

  /** @param limits of the zones 2 to 5; none if they are not known */
  draw(beats: readonly Beat[], limits: number[], now: number): void {
    for (const { drawn, width, height, fade } of this.#sizes) {
      fill(drawn, picture(beats.filter((beat) => beat.arrived > now - span), limits, now, width, height, fade));
    }
  }
}

function picture(beats: Beat[], limits: number[], now: number, width: number, height: number, fade: string): SVGElement {
  const counted = beats.filter(counts);
  const low = 10 * Math.floor((Math.min(...counted.map(({ bpm }) => bpm), 90) - 6) / 10);
  const high = Math.max(...counted.map(({ bpm }) => bpm), low + 40) + 8;
  const plot: Plot = {
    left: 32, right: width - 24, top: 6, bottom: height - 22, low, high,
    x: (time) => 32 + ((time - (now - span)) / span) * (width - 24 - 32),
    y: (bpm) => height - 22 - ((bpm - low) / (high - low)) * (height - 28),
  };
  const pieces = pieced(beats);
  const last = beats[beats.length - 1];
  return drawing(
    "svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": sentence(counted, now) },
    drawing("defs", {}, drawing(
      "linearGradient", { id: fade, x1: 0, x2: 0, y1: 0, y2: 1 },
      drawing("stop", { class: "fade-a" }), drawing("stop", { class: "fade-b", offset: 1 }))),
    ...zoneMarks(plot, limits), ...gridLines(plot, limits),
    ...pieces.flatMap((piece) => line(plot, piece, fade)),
    ...(last && counts(last) && now - last.arrived < gap ? [
      drawing("circle", { class: "halo", cx: plot.x(last.arrived).toFixed(1), cy: plot.y(last.bpm).toFixed(1), r: 9 }),
      drawing("circle", { class: "dot-h", cx: plot.x(last.arrived).toFixed(1), cy: plot.y(last.bpm).toFixed(1), r: 5 }),
    ] : []),
    ...times(plot, now, height));
}

function sentence(counted: Beat[], now: number): string {
  if (counted.length === 0) return say("nothingYet");
  const rates = counted.map(({ bpm }) => bpm);
  const values = { low: Math.min(...rates), high: Math.max(...rates), now: rates[rates.length - 1] ?? 0 };
  const isNow = now - (counted[counted.length - 1]?.arrived ?? 0) < gap;
  return say(isNow ? "traceSays" : "traceSaysPast", values);
}

/** Heart rates without a gap between them. */
function pieced(beats: Beat[]): Beat[][] {
  const pieces: Beat[][] = [];
  let before: Beat | undefined;
  for (const beat of beats) {
    if (!before || !counts(before) || beat.arrived - before.arrived > gap) pieces.push([]);
    if (counts(beat)) pieces[pieces.length - 1]?.push(beat);
    before = beat;
  }
  return pieces.filter((piece) => piece.length > 0);
}

function line(plot: Plot, piece: Beat[], fade: string): SVGElement[] {
  const points = piece.map((beat) => `${plot.x(beat.arrived).toFixed(1)} ${plot.y(beat.bpm).toFixed(1)}`).join("L");
  const [first, last] = [piece[0], piece[piece.length - 1]];
  if (!first || !last) return [];
  const ground = `L${plot.x(last.arrived).toFixed(1)} ${plot.bottom}L${plot.x(first.arrived).toFixed(1)} ${plot.bottom}Z`;
  return [
    drawing("path", { d: `M${points}${ground}`, fill: `url(#${fade})` }),
    drawing("path", { class: "line", d: `M${points}` }),
  ];
}

/** The zones as a rail at the end of the plot, with their numbers, and hairlines at their limits. */
function zoneMarks(plot: Plot, limits: number[]): SVGElement[] {
  if (limits.length === 0) return [];
  const edges = [plot.low, ...limits.filter((limit) => limit > plot.low && limit < plot.high), plot.high];
  return edges.slice(1).flatMap((to, at) => {
    const from = edges[at] ?? plot.low;
    const zone = zoneOf((from + to) / 2, limits);
    const [bottom, top] = [plot.y(from), plot.y(to)];
    const marks: SVGElement[] = [drawing("rect", {
      class: `f${zone}`, x: plot.right + 6, y: (top + 1).toFixed(1), width: 4, height: Math.max(0, bottom - top - 2).toFixed(1), rx: 2,
    })];
    if (bottom - top > 15) {
      marks.push(drawing("text", { class: "zn", x: plot.right + 15, y: ((bottom + top) / 2 + 4).toFixed(1) }, `${zone}`));
    }
    if (to !== plot.high) marks.push(...gridLine(plot, to));
    return marks;
  });
}

/** Hairlines at round numbers, where no limit of a zone is near. */
function gridLines(plot: Plot, limits: number[]): SVGElement[] {
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
    drawing("text", { x: 0, y: (y + 4).toFixed(1) }, `${Math.round(bpm)}`),
  ];
}

function times(plot: Plot, now: number, height: number): SVGElement[] {
  return [0, 1, 2, 3].map((minute) => {
    const time = now - span + minute * 60_000;
    const anchor = minute === 0 ? "start" : minute === minutes ? "end" : "middle";
    return drawing("text", { x: plot.x(time).toFixed(0), y: height - 3, "text-anchor": anchor }, clock(time));
  });
}
