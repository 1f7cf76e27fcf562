import { drawing, element, fill, freshId } from "../library/element";
import { clock } from "../library/format";
import { counts, type Beat } from "../library/sensors";
import { say } from "../library/words";
import { gridLines, plotOf, through, zoneMarks, type Plot } from "./plot";

const minutes = 3;
const span = minutes * 60_000;
/** Without a heart rate for so long, the line has a gap. */
const gap = 5_000;

/** The heart rates of the last minutes, once for phones and once for desktops: only one of them is seen. */
export class Trace {
  readonly node = element("div", { class: "chart" });
  readonly #sizes = [{ shown: "narrow", width: 326, height: 160 }, { shown: "wide", width: 392, height: 244 }]
    .map((size) => ({ ...size, drawn: element("div", { class: size.shown }), fade: freshId() }));

  constructor() {
    this.node.append(...this.#sizes.map(({ drawn }) => drawn));
  }

  /** @param limits where the zones 1 to 5 begin; none if that is not known */
  draw(beats: readonly Beat[], limits: number[], now: number): void {
    for (const { drawn, width, height, fade } of this.#sizes) {
      fill(drawn, picture(beats.filter((beat) => beat.arrived > now - span), limits, now, width, height, fade));
    }
  }
}

function picture(beats: Beat[], limits: number[], now: number, width: number, height: number, fade: string): SVGElement {
  const counted = beats.filter(counts);
  const rates = counted.map(({ bpm }) => bpm);
  const plot = plotOf(width, height, now - span, now, Math.min(...rates, 90), Math.max(...rates, 0));
  const pieces = pieced(beats);
  const last = beats[beats.length - 1];
  return drawing(
    "svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": sentence(counted, now) },
    drawing("defs", {}, drawing(
      "linearGradient", { id: fade, x1: 0, x2: 0, y1: 0, y2: 1 },
      drawing("stop", { class: "fade-a", offset: 0 }), drawing("stop", { class: "fade-b", offset: 1 }))),
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
  const points = through(piece.map((beat) => [plot.x(beat.arrived), plot.y(beat.bpm)]));
  const [first, last] = [piece[0], piece[piece.length - 1]];
  if (!first || !last) return [];
  const ground = `L${plot.x(last.arrived).toFixed(1)} ${plot.bottom}L${plot.x(first.arrived).toFixed(1)} ${plot.bottom}Z`;
  return [
    drawing("path", { d: `${points}${ground}`, fill: `url(#${fade})` }),
    drawing("path", { class: "line", d: points }),
  ];
}

function times(plot: Plot, now: number, height: number): SVGElement[] {
  return [0, 1, 2, 3].map((minute) => {
    const time = now - span + minute * 60_000;
    const anchor = minute === 0 ? "start" : minute === minutes ? "end" : "middle";
    return drawing("text", { x: plot.x(time).toFixed(0), y: height - 3, "text-anchor": anchor }, clock(time));
  });
}
