import { drawing, fill, give } from "../library/element";
import type { Value } from "../library/measures";
import { Sized } from "./sized";

/** A day, month or year as a bar: of a sum from 0 upwards, of a temperature or a heart rate from the lowest to the highest. */
export interface Bar {
  /** Beneath it. */
  label: string;
  /** Null if nothing is known of it. */
  value: Value | null;
  isReached?: boolean;
  isToCome?: boolean;
}

/** What the bars are about. */
export interface Scale {
  /** The values of the axis are round in this unit, counted from here. */
  unit: number;
  zero?: number;
  /** Drawn as a dashed line. */
  goal?: number | undefined;
  axis(value: number): string;
  /** A class for the colour. */
  look: string;
}

interface Axis {
  low: number;
  high: number;
  step: number;
}

const left = 34, top = 10;

/** Bars beside each other. It says `point` when another one is chosen, by the pointer or by keys. */
export class Bars extends Sized {
  #bars: Bar[] = [];
  #scale: Scale = { unit: 1, axis: String, look: "" };
  #says = "";
  #chosen: number | null = null;

  /** Which bar is chosen. */
  get chosen(): number | null {
    return this.#chosen;
  }

  override begin(): void {
    give(this, { class: "chart", tabindex: 0, role: "group" });
    const at = (event: PointerEvent) => {
      const box = this.getBoundingClientRect();
      const place = Math.floor(((event.clientX - box.left - left) / (box.width - left)) * this.#bars.length);
      if (place >= 0 && place < this.#bars.length) this.#choose(place);
    };
    this.onpointermove = at;
    this.onpointerdown = at;
    this.onkeydown = (event) => {
      const last = this.#bars.length - 1;
      const next = { ArrowLeft: (this.#chosen ?? last + 1) - 1, ArrowRight: (this.#chosen ?? -1) + 1, Home: 0, End: last, Escape: null }[event.key];
      if (next === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      event.preventDefault();
      this.#choose(next === null ? null : Math.min(last, Math.max(0, next)));
    };
    super.begin();
  }

  /** @param says what one sees, for people who cannot */
  show(bars: Bar[], scale: Scale, says: string): void {
    if (bars.length !== this.#bars.length) this.#chosen = null;
    this.#bars = bars;
    this.#scale = scale;
    this.#says = says;
    this.draw();
  }

  #choose(bar: number | null): void {
    if (bar === this.#chosen) return;
    this.#chosen = bar;
    this.draw();
    this.dispatchEvent(new Event("point"));
  }

  draw(): void {
    give(this, { "aria-label": this.#says });
    if (this.width === 0 || this.#bars.length === 0) return;
    const tall = this.width < 600 ? 200 : 240, bottom = tall - 22;
    const axis = axisOf(this.#bars, this.#scale);
    const y = (value: number) => bottom - ((value - axis.low) / (axis.high - axis.low)) * (bottom - top);
    const wide = (this.width - left) / this.#bars.length, thick = Math.min(28, wide * 0.64);
    fill(this, drawing(
      "svg", { viewBox: `0 0 ${this.width} ${tall}`, role: "img", "aria-label": this.#says },
      ...this.#marks(axis, y),
      ...this.#bars.flatMap((bar, at) => drawn(bar, left + wide * (at + 0.5), thick, bottom, y, this.#scale.look)),
      ...this.#goal(y), ...this.#labels(wide, tall), ...this.#cursor(wide, bottom)));
  }

  #marks(axis: Axis, y: (value: number) => number): SVGElement[] {
    const { goal, axis: text } = this.#scale;
    const marks: SVGElement[] = [];
    for (let value = axis.low || axis.step; value <= axis.high * 1.0001; value += axis.step) {
      // The goal's own value stands there.
      if (goal !== undefined && Math.abs(y(goal) - y(value)) < 14) continue;
      marks.push(
        drawing("path", { class: "grid-l", d: `M${left} ${y(value).toFixed(1)}H${this.width}` }),
        drawing("text", { x: 0, y: (y(value) + 4).toFixed(1) }, text(value)));
    }
    return marks;
  }

  #goal(y: (value: number) => number): SVGElement[] {
    const { goal, axis } = this.#scale;
    if (goal === undefined) return [];
    return [
      drawing("path", { class: "goal-l", d: `M${left} ${y(goal).toFixed(1)}H${this.width}` }),
      drawing("text", { class: "goal-t", x: 0, y: (y(goal) + 4).toFixed(1) }, axis(goal)),
    ];
  }

  /** Every label, or as many as there is room for. */
  #labels(wide: number, tall: number): SVGElement[] {
    const widest = 8 + 7 * Math.max(...this.#bars.map(({ label }) => label.length));
    const every = Math.ceil(widest / wide);
    return this.#bars.flatMap(({ label }, at) => at % every > 0 ? [] : [
      drawing("text", { x: (left + wide * (at + 0.5)).toFixed(1), y: tall - 4, "text-anchor": "middle" }, label)]);
  }

  #cursor(wide: number, bottom: number): SVGElement[] {
    if (this.#chosen === null) return [];
    return [drawing("path", { class: "under", d: `M${(left + wide * this.#chosen + 2).toFixed(1)} ${bottom + 1.5}h${(wide - 4).toFixed(1)}` })];
  }
}

/** From 0 for sums; otherwise from below the lowest value. All of it in round steps. */
function axisOf(bars: Bar[], { unit, zero = 0, goal }: Scale): Axis {
  const values = bars.flatMap(({ value }) => (value ? [value.low ?? 0, value.high ?? value.mean] : []));
  const isSpread = bars.some(({ value }) => value?.low !== undefined);
  const highest = Math.max(...values, goal ?? 0, 0), lowest = isSpread ? Math.min(...values) : 0;
  const span = (highest - lowest || unit) / unit;
  const ten = 10 ** Math.floor(Math.log10(span / 3));
  const step = unit * ten * ([1, 2, 5].find((step) => span / (step * ten) <= 4) ?? 10);
  const low = isSpread ? zero + step * Math.floor((lowest - zero) / step - 0.01) : 0;
  return { low, high: zero + step * Math.ceil((highest - zero) / step + 0.01), step };
}

function drawn({ value, isReached, isToCome }: Bar, x: number, wide: number, bottom: number, y: (value: number) => number, look: string): SVGElement[] {
  const from = (x - wide / 2).toFixed(1), width = wide.toFixed(1);
  if (!value) {
    return isToCome ? [drawing("rect", { class: "bar none", x: from, y: bottom - 3, width, height: 3, rx: 1.5 })] : [];
  }
  if (value.low !== undefined && value.high !== undefined) {
    const [high, low] = [y(value.high), y(value.low)], middle = y(value.mean).toFixed(1);
    return [
      drawing("rect", { class: `spread ${look}`, x: from, y: (high - 1).toFixed(1), width, height: (low - high + 2).toFixed(1), rx: Math.min(4, wide / 2).toFixed(1) }),
      drawing("path", { class: `middle ${look}`, d: `M${from} ${middle}h${width}` }),
    ];
  }
  if (value.mean <= 0) return [];
  const height = Math.max(1, bottom - y(value.mean)), round = Math.min(4, wide / 2, height);
  return [drawing("path", {
    class: `bar ${isReached ? "met" : ""}`,
    d: `M${from} ${bottom}v${(round - height).toFixed(1)}q0 ${-round} ${round} ${-round}h${(wide - 2 * round).toFixed(1)}q${round} 0 ${round} ${round}v${(height - round).toFixed(1)}z`,
  })];
}

customElements.define("vitals-bars", Bars);
