import type { WorkoutStation } from "service";
import { drawing, fill, give } from "../library/element";
import { distance, height, joined, paceText, roundDistance } from "../library/format";
import { through } from "./plot";
import { Sized } from "./sized";

/** Whoever is slower than this stands: seconds for a kilometre. */
const slowest = 720;

interface Axes {
  x(metres: number): number;
  pace(seconds: number): number;
  altitude(metres: number): number;
  left: number; right: number; bottom: number;
}

/** Pace over distance as an area, faster is higher, and the altitude as a line with its own axis. It says `point` when another place of
 *  the way is chosen, by the pointer or by keys. */
export class DistanceChart extends Sized {
  #stations: WorkoutStation[] = [];
  #says = "";
  #chosen: number | null = null;
  #axes: Axes | null = null;

  get chosen(): WorkoutStation | null {
    return this.#chosen === null ? null : this.#stations[this.#chosen] ?? null;
  }

  override begin(): void {
    give(this, { class: "chart zoomable", tabindex: 0, role: "group", "aria-label": this.#says });
    const at = (event: PointerEvent) => {
      const axes = this.#axes, box = this.getBoundingClientRect();
      if (!axes) return;
      const x = event.clientX - box.left;
      this.#choose(this.#nearest(((x - axes.left) / (axes.right - axes.left)) * this.#length));
    };
    this.onpointermove = at;
    this.onpointerdown = at;
    this.onkeydown = (event) => {
      const last = this.#stations.length - 1;
      const next = { ArrowLeft: (this.#chosen ?? last + 1) - 1, ArrowRight: (this.#chosen ?? -1) + 1, Home: 0, End: last, Escape: null }[event.key];
      if (next === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      event.preventDefault();
      this.#choose(next === null ? null : Math.min(last, Math.max(0, next)));
    };
    super.begin();
  }

  /** @param says what one sees, for people who cannot */
  show(stations: WorkoutStation[], says: string): void {
    this.#stations = stations;
    this.#says = says;
    this.draw();
  }

  get #length(): number {
    return this.#stations[this.#stations.length - 1]?.distance_m ?? 1;
  }

  #nearest(metres: number): number {
    let nearest = 0;
    for (const [at, station] of this.#stations.entries()) {
      if (Math.abs(station.distance_m - metres) < Math.abs((this.#stations[nearest]?.distance_m ?? 0) - metres)) nearest = at;
    }
    return nearest;
  }

  #choose(station: number | null): void {
    if (station === this.#chosen) return;
    this.#chosen = station;
    this.draw();
    this.dispatchEvent(new Event("point"));
  }

  draw(): void {
    if (this.width === 0) return;
    const tall = 220, [left, right, top, bottom] = [40, this.width - 44, 10, tall - 24];
    const paces = this.#stations.flatMap(({ pace_s }) => (pace_s === undefined ? [] : [Math.min(slowest, pace_s)]));
    const heights = this.#stations.flatMap(({ altitude_m }) => (altitude_m === undefined ? [] : [altitude_m]));
    const fast = 30 * Math.floor((Math.min(fastest(paces), slowest - 60) - 15) / 30), slow = Math.max(...paces, fast + 60);
    const low = 10 * Math.floor(Math.min(...heights, 1e5) / 10) - 10, high = Math.max(...heights, low + 30);
    const axes: Axes = {
      left, right, bottom,
      x: (metres) => left + (metres / this.#length) * (right - left),
      pace: (seconds) => top + ((Math.min(slowest, Math.max(fast, seconds)) - fast) / (slow - fast)) * (bottom - top),
      altitude: (metres) => bottom - ((metres - low) / (high - low)) * (bottom - top),
    };
    this.#axes = axes;
    give(this, { "aria-label": this.#says });
    fill(this, drawing(
      "svg", { viewBox: `0 0 ${this.width} ${tall}`, role: "img", "aria-label": this.#says },
      ...(paces.length > 0 ? paceMarks(axes, fast, slow) : []), ...(heights.length > 0 ? heightMarks(axes, low, high) : []),
      ...this.#lines(axes), ...this.#cursor(axes),
      drawing("path", { class: "axis", d: `M${left} ${bottom}H${right}` }), ...this.#marks(axes, tall)));
  }

  #lines(axes: Axes): SVGElement[] {
    type Place = [x: number, y: number];
    const paces = this.#stations.flatMap(({ distance_m, pace_s }): Place[] =>
      pace_s === undefined ? [] : [[axes.x(distance_m), axes.pace(pace_s)]]);
    const heights = this.#stations.flatMap(({ distance_m, altitude_m }): Place[] =>
      altitude_m === undefined ? [] : [[axes.x(distance_m), axes.altitude(altitude_m)]]);
    const [first, last] = [paces[0], paces[paces.length - 1]];
    return [
      ...(first && last ? [
        drawing("path", { class: "pace", d: `${through(paces)}L${last[0].toFixed(1)} ${axes.bottom}L${first[0].toFixed(1)} ${axes.bottom}Z` }),
        drawing("path", { class: "pace-l", d: through(paces) })] : []),
      ...(heights.length > 0 ? [drawing("path", { class: "alt", d: through(heights) })] : []),
    ];
  }

  #cursor(axes: Axes): SVGElement[] {
    const station = this.chosen;
    if (!station) return [];
    const x = axes.x(station.distance_m).toFixed(1);
    return [
      drawing("path", { class: "cursor", d: `M${x} 8V${axes.bottom}` }),
      ...(station.pace_s === undefined ? [] : [drawing("circle", { class: "dot-a", cx: x, cy: axes.pace(station.pace_s).toFixed(1), r: 5.5 })]),
    ];
  }

  #marks(axes: Axes, tall: number): SVGElement[] {
    const count = this.width < 600 ? 3 : 6;
    return Array.from({ length: count + 1 }, (_, at) => {
      const metres = (at * this.#length) / count;
      const text = at === count ? joined(distance(metres)) : roundDistance(Math.round(metres / 100) * 100).value;
      return drawing("text", { x: axes.x(metres).toFixed(0), y: tall - 5, "text-anchor": at === 0 ? "start" : at === count ? "end" : "middle" }, text);
    });
  }
}

/** The fastest pace that a receiver has not made up: one of fifty may be an error of its position. */
export function fastest(paces: number[]): number {
  const sorted = [...paces].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 50)] ?? slowest;
}

function paceMarks(axes: Axes, fast: number, slow: number): SVGElement[] {
  const step = [30, 60, 120].find((step) => (slow - fast) / step <= 5) ?? 180;
  const marks: SVGElement[] = [];
  for (let pace = Math.ceil(fast / step) * step; pace < slow; pace += step) {
    const y = axes.pace(pace);
    marks.push(
      drawing("path", { class: "grid-l", d: `M${axes.left} ${y.toFixed(1)}H${axes.right}` }),
      drawing("text", { x: 0, y: (y + 4).toFixed(1) }, paceText(pace).value));
  }
  return marks;
}

function heightMarks(axes: Axes, low: number, high: number): SVGElement[] {
  const step = [10, 20, 50, 100, 200, 500].find((step) => (high - low) / step <= 4) ?? 1000;
  const marks: SVGElement[] = [];
  for (let metres = Math.ceil(low / step) * step; metres < high; metres += step) {
    marks.push(drawing("text", { x: axes.right + 44, y: (axes.altitude(metres) + 4).toFixed(1), "text-anchor": "end" }, joined(height(metres))));
  }
  return marks;
}

customElements.define("vitals-distance-chart", DistanceChart);
