import { drawing, fill, give } from "../library/element";
import { roundLength } from "../library/format";
import { say } from "../library/words";
import { through } from "./plot";
import { Sized } from "./sized";

/** Latitude and longitude, degrees. */
type Place = readonly [number, number];

/** Metres of a degree of latitude. */
const degree = 111_320;
const around = 34;

/** A way on plain ground, with a grid, a scale and north at the top; nothing is fetched for it. A point of it can be marked. */
export class WayMap extends Sized {
  #pieces: Place[][] = [];
  /** Metres from the start, of each place in order. */
  #distances: number[] = [];
  #marked: number | null = null;

  override begin(): void {
    give(this, { class: "map path" });
    super.begin();
  }

  show(path: number[][][]): void {
    this.#pieces = path.map((piece) => piece.flatMap(([latitude, longitude]): Place[] =>
      latitude === undefined || longitude === undefined ? [] : [[latitude, longitude]])).filter((piece) => piece.length > 0);
    let sum = 0;
    this.#distances = this.#pieces.flatMap((piece) => piece.map((place, at) => (sum += at > 0 ? metres(piece[at - 1] ?? place, place) : 0)));
    this.draw();
  }

  /** Marks the place that is a share of the whole way from its start; none for null. */
  mark(share: number | null): void {
    this.#marked = share;
    this.draw();
  }

  draw(): void {
    if (this.width === 0 || this.#pieces.length === 0) return;
    const height = this.clientHeight;
    const places = this.#pieces.flat();
    const [south, north] = [Math.min(...places.map(([latitude]) => latitude)), Math.max(...places.map(([latitude]) => latitude))];
    const [west, east] = [Math.min(...places.map(([, longitude]) => longitude)), Math.max(...places.map(([, longitude]) => longitude))];
    // A degree of longitude is shorter away from the equator.
    const squeeze = Math.cos(((south + north) / 2) * (Math.PI / 180));
    const wide = Math.max((east - west) * squeeze * degree, 1), high = Math.max((north - south) * degree, 1);
    const pixels = Math.min((this.width - 2 * around) / wide, (height - 2 * around) / high, 2);
    const x = (longitude: number) => this.width / 2 + (longitude - (west + east) / 2) * squeeze * degree * pixels;
    const y = (latitude: number) => height / 2 - (latitude - (south + north) / 2) * degree * pixels;
    const lines = this.#pieces.map((piece) => through(piece.map(([latitude, longitude]) => [x(longitude), y(latitude)])));
    const first = places[0], last = places[places.length - 1], here = this.#place();
    fill(this, drawing(
      "svg", { viewBox: `0 0 ${this.width} ${height}`, role: "img", "aria-label": say("wayOnMap") },
      ...grid(this.width, height),
      ...lines.map((d) => drawing("path", { class: "casing", d })), ...lines.map((d) => drawing("path", { class: "way", d })),
      first ? drawing("circle", { class: "end", cx: x(first[1]).toFixed(1), cy: y(first[0]).toFixed(1), r: 6 }) : null,
      last ? drawing("rect", { class: "end", x: (x(last[1]) - 5.5).toFixed(1), y: (y(last[0]) - 5.5).toFixed(1), width: 11, height: 11, rx: 1.5 }) : null,
      here ? drawing("circle", { class: "acc", cx: x(here[1]).toFixed(1), cy: y(here[0]).toFixed(1), r: 17 }) : null,
      here ? drawing("circle", { class: "pos", cx: x(here[1]).toFixed(1), cy: y(here[0]).toFixed(1), r: 8 }) : null,
      ...scale(pixels, height), ...compass()));
  }

  #place(): Place | null {
    if (this.#marked === null) return null;
    const wanted = this.#marked * (this.#distances[this.#distances.length - 1] ?? 0);
    const at = this.#distances.findIndex((distance) => distance >= wanted);
    return this.#pieces.flat()[at] ?? null;
  }
}

/** Between two places that are near each other. */
function metres([latitude, longitude]: Place, [toLatitude, toLongitude]: Place): number {
  const squeeze = Math.cos(((latitude + toLatitude) / 2) * (Math.PI / 180));
  return Math.hypot((toLatitude - latitude) * degree, (toLongitude - longitude) * squeeze * degree);
}

function grid(width: number, height: number): SVGElement[] {
  const lines: SVGElement[] = [];
  for (let x = 36; x < width; x += 70) lines.push(drawing("path", { class: "g", d: `M${x} 0V${height}` }));
  for (let y = 22; y < height; y += 70) lines.push(drawing("path", { class: "g", d: `M0 ${y}H${width}` }));
  return lines;
}

/** A round length of 40 to 100 pixels. */
function scale(pixels: number, height: number): SVGElement[] {
  const { metres, text } = roundLength(100 / pixels);
  const width = metres * pixels;
  return [
    drawing("path", { class: "rule", d: `M16 ${height - 24}v7h${width.toFixed(1)}v-7` }),
    drawing("text", { x: (22 + width).toFixed(1), y: height - 15 }, text),
  ];
}

function compass(): SVGElement[] {
  return [
    drawing("path", { class: "rule", d: "M26 29V14m-4 5 4-5 4 5" }),
    drawing("text", { x: 26, y: 42, "text-anchor": "middle" }, say("north")),
  ];
}

customElements.define("vitals-way-map", WayMap);
