import { ticks } from "../library/calendar";
import { drawing, fill, give } from "../library/element";
import { number } from "../library/format";
import type { Range } from "./period-chart";
import { through } from "./plot";
import { Sized } from "./sized";

/** A heartbeat: when it was over, and how long it had taken since the one before. */
export interface Beat {
  time: number;
  milliseconds: number;
}

/** What the service takes for an interval between two beats that follow each other; beyond, one was missed, or is none. */
const shortestInterval = 300, longestInterval = 2_000;
/** Messages are late by up to a second, so less than this between two of them is no missing beat. */
const longestPause = 1_500;
/** Above so many beats, their points would hide the line. */
const mostPoints = 200;

/** When each beat was over: a sensor sends the beats since its last message together, up to a second after the last of them, so none is
 *  later than its message. A piece has beats of which none between them is missing.
 *  @param times of the messages, once for each of their intervals */
export function piecesOf(times: number[], intervals: number[]): Beat[][] {
  const pieces: Beat[][] = [];
  let piece: Beat[] = [], over = -Infinity, late = 0;
  const end = () => {
    if (piece.length > 0) pieces.push(piece.map(({ time, milliseconds }) => ({ time: time - late, milliseconds })));
    piece = [];
    over -= late;
    late = 0;
  };
  for (let at = 0, next = 0; at < times.length; at = next) {
    const time = times[at] ?? 0;
    while (next < times.length && times[next] === time) next += 1;
    const message = intervals.slice(at, next);
    const began = time - message.reduce((sum, interval) => sum + interval, 0);
    if (began - (over - late) > longestPause) {
      end();
      over = began;
    }
    for (const milliseconds of message) {
      over += milliseconds;
      if (milliseconds < shortestInterval || milliseconds > longestInterval) end();
      else piece.push({ time: over, milliseconds });
    }
    late = Math.max(late, over - time);
  }
  end();
  return pieces;
}

/** Intervals between heartbeats over time; where beats are missing, the line has a gap. It says `point` when another beat is chosen, by
 *  the pointer or by keys. */
export class Tachogram extends Sized {
  #range: Range = { from: 0, to: 1 };
  #pieces: Beat[][] = [];
  #beats: Beat[] = [];
  #says = "";
  #chosen: number | null = null;

  get chosen(): Beat | null {
    return this.#chosen === null ? null : this.#beats[this.#chosen] ?? null;
  }

  override begin(): void {
    give(this, { class: "chart rr", tabindex: 0, role: "group" });
    const at = (event: PointerEvent) => {
      const box = this.getBoundingClientRect();
      const share = (event.clientX - box.left - left) / (box.width - left);
      this.#choose(this.#nearest(this.#range.from + share * (this.#range.to - this.#range.from)));
    };
    this.onpointermove = at;
    this.onpointerdown = at;
    this.onkeydown = (event) => {
      const last = this.#beats.length - 1;
      const next = { ArrowLeft: (this.#chosen ?? last + 1) - 1, ArrowRight: (this.#chosen ?? -1) + 1, Home: 0, End: last, Escape: null }[event.key];
      if (next === undefined || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.#choose(next === null ? null : Math.min(last, Math.max(0, next)));
    };
    super.begin();
  }

  /** @param says what one sees, for people who cannot */
  show(range: Range, pieces: Beat[][], says: string): void {
    this.#chosen = null;
    this.#range = range;
    this.#pieces = pieces;
    this.#beats = pieces.flat();
    this.#says = says;
    this.draw();
  }

  #nearest(time: number): number | null {
    let nearest: number | null = null, distance = Infinity;
    for (const [at, beat] of this.#beats.entries()) {
      const away = Math.abs(beat.time - time);
      if (away < distance) [nearest, distance] = [at, away];
    }
    return nearest;
  }

  #choose(beat: number | null): void {
    if (beat === this.#chosen || this.#beats.length === 0) return;
    this.#chosen = beat;
    this.draw();
    this.dispatchEvent(new Event("point"));
  }

  draw(): void {
    give(this, { "aria-label": this.#says });
    if (this.width === 0 || this.#beats.length === 0) return;
    const tall = 190, top = 8, bottom = tall - 22, right = this.width;
    const { from, to } = this.#range;
    const intervals = this.#beats.map(({ milliseconds }) => milliseconds);
    const low = 50 * Math.floor((Math.min(...intervals) - 10) / 50), high = 50 * Math.ceil((Math.max(...intervals) + 10) / 50);
    const x = (time: number) => left + ((time - from) / (to - from)) * (right - left);
    const y = (milliseconds: number) => bottom - ((milliseconds - low) / (high - low)) * (bottom - top);
    const step = [50, 100, 200].find((step) => (high - low) / step <= 4) ?? 500;
    const lines: SVGElement[] = [];
    for (let mark = Math.ceil(low / step) * step; mark <= high; mark += step) {
      lines.push(drawing("path", { class: "grid-l", d: `M${left} ${y(mark).toFixed(1)}H${right}` }),
        drawing("text", { x: 0, y: (y(mark) + 4).toFixed(1) }, number(mark)));
    }
    const chosen = this.chosen;
    fill(this, drawing(
      "svg", { viewBox: `0 0 ${this.width} ${tall}`, role: "img", "aria-label": this.#says },
      ...lines,
      // A beat by itself is a dot: a line of no length has round ends.
      ...this.#pieces.map((piece) => drawing("path", { class: "line beats", d: `${through(piece.map(({ time, milliseconds }) => [x(time), y(milliseconds)]))}h0` })),
      ...(this.#beats.length > mostPoints ? [] : this.#beats.map(({ time, milliseconds }) =>
        drawing("circle", { cx: x(time).toFixed(1), cy: y(milliseconds).toFixed(1), r: 1.8, fill: "currentColor" }))),
      chosen ? drawing("circle", { class: "dot-h", cx: x(chosen.time).toFixed(1), cy: y(chosen.milliseconds).toFixed(1), r: 5 }) : null,
      ...this.#times(x, tall)));
  }

  #times(x: (time: number) => number, tall: number): SVGElement[] {
    let free = left;
    return ticks(this.#range.from, this.#range.to, Math.max(2, Math.floor(this.width / 110))).flatMap(({ time, label }) => {
      const half = label.length * 3.5, at = Math.min(this.width - half, Math.max(left + half, x(time)));
      if (at - half < free) return [];
      free = at + half + 8;
      return [drawing("text", { x: at.toFixed(0), y: tall - 4, "text-anchor": "middle" }, label)];
    });
  }
}

const left = 36;

customElements.define("vitals-tachogram", Tachogram);
