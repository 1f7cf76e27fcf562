import type { HeartRateGraph } from "service";
import { ticks } from "../library/calendar";
import { drawing, fill, give } from "../library/element";
import { Part } from "../library/part";
import { gridLines, plotOf, through, zoneMarks, type Plot } from "./plot";

/** A range of times, in Unix milliseconds. */
export interface Range {
  from: number;
  to: number;
}

/** A point of the chart: all heart rates of a span of time. */
export interface Point {
  time: number;
  min: number;
  mean: number;
  max: number;
}

const shortest = 10_000;
const longest = 20 * 366 * 86_400_000;
/** How much one step of the wheel or a key zooms. */
const zoomStep = 1.3;

/** Heart rates of a period: a band from lowest to highest, and the line of averages. Wheel and pinch zoom about the pointer, dragging moves
 *  along, and so do keys. It says `range` when somebody wants another range, and `point` when another point is chosen. */
export class PeriodChart extends Part {
  #range: Range = { from: 0, to: 1 };
  #graph: HeartRateGraph | null = null;
  #limits: number[] = [];
  #points: Point[] = [];
  #chosen: number | null = null;
  #says = "";
  #size = { width: 326, height: 250 };
  #plot: Plot | null = null;
  readonly #pointers = new Map<number, number>();

  get range(): Range {
    return this.#range;
  }

  /** The points in the range that is shown. */
  get points(): Point[] {
    return this.#points.filter(({ time }) => time >= this.#range.from - (this.#graph?.width_ms ?? 0) && time < this.#range.to);
  }

  /** The point that is chosen: by the pointer or by keys. */
  get chosen(): Point | null {
    return this.#chosen === null ? null : this.#points[this.#chosen] ?? null;
  }

  /** Milliseconds that a point stands for. */
  get width(): number {
    return this.#graph?.width_ms ?? 0;
  }

  begin(): void {
    give(this, { class: "chart zoomable", tabindex: 0, role: "group" });
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.round(entry?.contentRect.width ?? 0);
      if (width === 0 || width === this.#size.width) return;
      this.#size = { width, height: width < 600 ? 250 : 300 };
      this.#draw();
    });
    observer.observe(this);
    this.whileShown(() => observer.disconnect());
    this.onwheel = (event) => {
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.#move((event.deltaX / this.clientWidth) * this.#span);
      // Some browsers count lines instead of pixels.
      else this.zoom(Math.exp((event.deltaY * (event.deltaMode === 0 ? 1 : 30)) / 500), this.#timeAt(event.clientX));
    };
    this.onkeydown = (event) => this.#key(event);
    this.onclick = (event) => this.#choose(this.#nearest(this.#timeAt(event.clientX)));
    this.ondblclick = (event) => this.zoom(1 / 2, this.#timeAt(event.clientX));
    this.onpointerdown = (event) => {
      this.#pointers.set(event.pointerId, event.clientX);
      this.setPointerCapture(event.pointerId);
    };
    this.onpointermove = (event) => this.#pointer(event);
    this.onpointerup = this.onpointercancel = (event) => void this.#pointers.delete(event.pointerId);
    this.#draw();
  }

  /** Shows a range. What was shown of it stays until there is more.
   *  @param says what one sees, for people who cannot */
  show(range: Range, graph: HeartRateGraph | null, limits: number[], says: string): void {
    if (graph !== this.#graph) {
      this.#chosen = null;
      this.#points = graph ? pointsOf(graph) : [];
    }
    this.#range = range;
    this.#graph = graph;
    this.#limits = limits;
    this.#says = says;
    this.#draw();
  }

  /** Makes the range longer or shorter by a factor, about a time; about the middle without one. */
  zoom(factor: number, about = (this.#range.from + this.#range.to) / 2): void {
    const span = Math.min(longest, Math.max(shortest, this.#span * factor));
    const share = (about - this.#range.from) / this.#span;
    this.#want({ from: about - share * span, to: about + (1 - share) * span });
  }

  get #span(): number {
    return this.#range.to - this.#range.from;
  }

  #move(milliseconds: number): void {
    this.#want({ from: this.#range.from + milliseconds, to: this.#range.to + milliseconds });
  }

  #want(range: Range): void {
    this.dispatchEvent(new CustomEvent<Range>("range", { detail: { from: Math.round(range.from), to: Math.round(range.to) } }));
  }

  #timeAt(clientX: number): number {
    const { plot, box } = { plot: this.#plot, box: this.getBoundingClientRect() };
    if (!plot || box.width === 0) return this.#range.from;
    const x = ((clientX - box.left) / box.width) * this.#size.width;
    return this.#range.from + ((x - plot.left) / (plot.right - plot.left)) * this.#span;
  }

  #pointer(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) return this.#choose(this.#nearest(this.#timeAt(event.clientX)));
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.#pointers.set(event.pointerId, event.clientX);
    if (other === undefined) return this.#move(this.#timeAt(before) - this.#timeAt(event.clientX));
    const [was, is] = [Math.abs(before - other), Math.abs(event.clientX - other)];
    if (was > 8 && is > 8) this.zoom(was / is, this.#timeAt((event.clientX + other) / 2));
  }

  #key(event: KeyboardEvent): void {
    const last = this.#points.length - 1;
    const step = (by: number) => this.#choose(Math.min(last, Math.max(0, (this.#chosen ?? (by > 0 ? -1 : last + 1)) + by)));
    const acts: Record<string, () => void> = {
      ArrowLeft: () => (event.shiftKey ? this.#move(-this.#span / 4) : step(-1)),
      ArrowRight: () => (event.shiftKey ? this.#move(this.#span / 4) : step(1)),
      Home: () => this.#choose(0),
      End: () => this.#choose(last),
      Escape: () => this.#choose(null),
      "+": () => this.zoom(1 / zoomStep),
      "-": () => this.zoom(zoomStep),
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  #nearest(time: number): number | null {
    let nearest: number | null = null, distance = Infinity;
    for (const [at, point] of this.#points.entries()) {
      const away = Math.abs(point.time + this.width / 2 - time);
      if (away < distance) [nearest, distance] = [at, away];
    }
    return nearest;
  }

  #choose(point: number | null): void {
    if (point === this.#chosen || this.#points.length === 0) return;
    this.#chosen = point;
    this.#draw();
    this.dispatchEvent(new Event("point"));
  }

  #draw(): void {
    const { width, height } = this.#size;
    const points = this.points;
    const plot = plotOf(width, height, this.#range.from, this.#range.to,
      Math.min(...points.map(({ min }) => min), 90), Math.max(...points.map(({ max }) => max), 0));
    this.#plot = plot;
    const clip = `clip-${width}`;
    give(this, { "aria-label": this.#says });
    fill(this, drawing(
      "svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": this.#says },
      drawing("clipPath", { id: clip }, drawing("rect", { x: plot.left, y: 0, width: plot.right - plot.left, height: plot.bottom })),
      ...zoneMarks(plot, this.#limits), ...gridLines(plot, this.#limits),
      drawing("g", { "clip-path": `url(#${clip})` },
        ...pieces(points, this.width).flatMap((piece) => drawn(piece, plot, this.width)), ...this.#cursor(plot)),
      drawing("path", { class: "axis", d: `M${plot.left} ${plot.bottom}H${plot.right}` }),
      ...this.#times(plot)));
  }

  /** The times beneath the plot. One that would touch the one before it is left out. */
  #times(plot: Plot): SVGElement[] {
    const { width, height } = this.#size;
    let free = -Infinity;
    return ticks(this.#range.from, this.#range.to, width < 600 ? 5 : 9).flatMap(({ time, label }) => {
      // Digits and letters of this size are about 7 pixels wide.
      const half = label.length * 3.5;
      const x = Math.min(plot.right + 12 - half, Math.max(plot.left + half, plot.x(time)));
      if (x - half < free) return [];
      free = x + half + 8;
      return [drawing("text", { x: x.toFixed(0), y: height - 3, "text-anchor": "middle" }, label)];
    });
  }

  #cursor(plot: Plot): SVGElement[] {
    const point = this.chosen;
    if (!point) return [];
    const x = plot.x(point.time + this.width / 2).toFixed(1);
    return [
      drawing("path", { class: "cursor", d: `M${x} ${plot.top}V${plot.bottom}` }),
      drawing("circle", { class: "dot-h", cx: x, cy: plot.y(point.mean).toFixed(1), r: 5.5 }),
    ];
  }
}

function pointsOf(graph: HeartRateGraph): Point[] {
  return graph.index.map((index, at) => ({
    time: graph.from + index * graph.width_ms, min: graph.min[at] ?? 0, mean: graph.mean[at] ?? 0, max: graph.max[at] ?? 0,
  }));
}

/** Points without a gap of more than three of them. */
function pieces(points: Point[], width: number): Point[][] {
  const made: Point[][] = [];
  let before: Point | undefined;
  for (const point of points) {
    if (!before || point.time - before.time > 3 * width) made.push([]);
    made[made.length - 1]?.push(point);
    before = point;
  }
  return made;
}

function drawn(piece: Point[], plot: Plot, width: number): SVGElement[] {
  const x = (point: Point) => plot.x(point.time + width / 2);
  const [only] = piece;
  if (piece.length === 1 && only) {
    // A point by itself has no line.
    return [drawing("circle", { class: "dot-h", cx: x(only).toFixed(1), cy: plot.y(only.mean).toFixed(1), r: 3.5 })];
  }
  const top = piece.map((point): [number, number] => [x(point), plot.y(point.max)]);
  const bottom = piece.map((point): [number, number] => [x(point), plot.y(point.min)]);
  return [
    drawing("path", { class: "band", d: `${through([...top, ...bottom.reverse()])}Z` }),
    drawing("path", { class: "line", d: through(piece.map((point) => [x(point), plot.y(point.mean)])) }),
  ];
}

customElements.define("vitals-period-chart", PeriodChart);
