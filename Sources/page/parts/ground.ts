import { drawing, element, fill, give, pressed } from "../library/element";
import { roundLength } from "../library/format";
import { degree, edges, metresBetween, offset, squeeze, type Place, type Shape } from "../library/places";
import { say } from "../library/words";
import { icon } from "./icons";
import { areaName, compass, cross, forTools, labelHere, range, scale } from "./map-marks";
import { through } from "./plot";
import { Sized } from "./sized";

/** What is drawn on the ground. */
export interface Sight {
  /** Of each way the places in order. */
  ways: Place[][];
  /** Marks where the way begins and ends. */
  hasEnds?: boolean;
  areas?: { name: string; shape: Shape }[];
  /** Somebody's position, and within how many metres they are. */
  here?: { place: Place; accuracy?: number; label?: string; isOld?: boolean } | null;
  /** What is being drawn by hand. The picture then stays where it is, and its middle is marked. */
  draft?: { shape: Shape | null } | null;
  /** What one sees, for people who cannot. */
  says: string;
}

/** What the picture shows: the place in its middle, and how many pixels are a metre. */
interface Section {
  middle: Place;
  pixels: number;
}

/** Free around what is fitted. */
const around = 34;
/** The widest that is shown is half the earth, and the closest a garden gate. */
const [fewest, most] = [2e-5, 20];

/** Plain ground with a grid, a scale and north at the top; nothing is fetched for it. It shows everything, until somebody zooms or moves it. */
export abstract class Ground extends Sized {
  #sight: Sight = { ways: [], says: "" };
  /** Null as long as everything is shown. */
  #section: Section | null = null;
  /** What the lines of the grid are counted from. */
  #origin: Place | null = null;
  readonly #svg = drawing("svg", { role: "img" });
  readonly #tools = element("div", { class: "map-tools" });

  override begin(): void {
    give(this, { class: "map path", tabindex: 0, role: "group", "aria-label": say("map") });
    const tool = (name: "fit" | "plus" | "minus", label: string, act: () => void) =>
      pressed(element("button", { type: "button", "aria-label": label }, icon(name)), act);
    fill(this.#tools,
      tool("fit", say("fit"), () => this.fit()),
      tool("plus", say("zoomIn"), () => this.#zoom(1.6)), tool("minus", say("zoomOut"), () => this.#zoom(1 / 1.6)));
    fill(this, this.#svg, this.#tools);
    this.#hearPointers();
    this.onkeydown = (event) => this.#key(event);
    super.begin();
  }

  protected see(sight: Sight): void {
    const wasDrawn = Boolean(this.#sight.draft);
    this.#sight = sight;
    if (sight.draft && this.width > 0) this.#section ??= this.#fitted();
    if (wasDrawn && !sight.draft) this.#section = null;
    this.draw();
  }

  protected get seen(): Sight {
    return this.#sight;
  }

  /** Somebody has pressed a place, or the middle by keys. */
  protected choose(_place: Place): void {}

  /** Shows everything. */
  fit(): void {
    this.#section = this.#sight.draft ? this.#fitted() : null;
    this.draw();
  }

  draw(): void {
    if (this.width === 0) return;
    const { ways, hasEnds, areas = [], here, draft, says } = this.#sight;
    const at = this.#section ?? this.#fitted();
    const point = (place: Place): [number, number] => {
      const [east, north] = offset(at.middle, place);
      return [this.width / 2 + east * at.pixels, this.clientHeight / 2 - north * at.pixels];
    };
    const lines = ways.filter((way) => way.length > 0).map((way) => through(way.map(point)));
    const first = ways[0]?.[0], last = ways[ways.length - 1]?.slice(-1)[0];
    give(this.#svg, { viewBox: `0 0 ${this.width} ${this.clientHeight}`, "aria-label": says });
    fill(this.#svg,
      ...this.#grid(at, point),
      ...areas.flatMap(({ name, shape }) => outline(shape, name, at.pixels, point)),
      ...lines.map((d) => drawing("path", { class: "casing", d })), ...lines.map((d) => drawing("path", { class: "way", d })),
      ...(hasEnds && first && last ? ends(point(first), point(last)) : []),
      ...(draft?.shape ? [...outline(draft.shape, "", at.pixels, point, "draft"), ...handles(draft.shape, point)] : []),
      ...(here ? position(here, at.pixels, point(here.place), this.width) : []),
      ...(draft ? [cross(this.width, this.clientHeight)] : []), ...scale(at.pixels, this.clientHeight), ...compass());
  }

  /** The section that has everything in it. */
  #fitted(): Section {
    const { ways, areas = [], here, draft } = this.#sight;
    const places = [...ways.flat(), ...areas.flatMap(({ shape }) => edges(shape)), ...(draft?.shape ? edges(draft.shape) : []),
      ...(here ? edges({ middle: here.place, radius: Math.min(here.accuracy ?? 0, 500) }) : [])];
    const start = places[0];
    if (!start) return { middle: this.#origin ??= [0, 0], pixels: fewest };
    const spread = places.map((place) => offset(start, place));
    const [west, east] = range(spread.map(([east]) => east)), [south, north] = range(spread.map(([, north]) => north));
    const pixels = limited(Math.min(
      (this.width - 2 * around - forTools) / Math.max(1, east - west), (this.clientHeight - 2 * around) / Math.max(1, north - south), 2));
    const isTurned = getComputedStyle(this).direction === "rtl";
    const middle = away(start, (east + west) / 2 + ((isTurned ? -1 : 1) * forTools) / 2 / pixels, (south + north) / 2);
    this.#origin ??= middle;
    return { middle, pixels };
  }

  // Zooming and moving

  #take(section: Section): void {
    this.#section = section;
    this.draw();
  }

  #zoom(factor: number, x = this.width / 2, y = this.clientHeight / 2): void {
    const at = this.#section ?? this.#fitted(), pixels = limited(at.pixels * factor);
    const stays = this.#placeAt(x, y);
    const [east, north] = [(x - this.width / 2) / pixels, (this.clientHeight / 2 - y) / pixels];
    this.#take({ middle: away(stays, -east, -north), pixels });
  }

  #move(x: number, y: number): void {
    const at = this.#section ?? this.#fitted();
    this.#take({ middle: away(at.middle, -x / at.pixels, y / at.pixels), pixels: at.pixels });
  }

  #placeAt(x: number, y: number): Place {
    const at = this.#section ?? this.#fitted();
    return away(at.middle, (x - this.width / 2) / at.pixels, (this.clientHeight / 2 - y) / at.pixels);
  }

  #hearPointers(): void {
    type Point = { x: number; y: number };
    const down = new Map<number, Point>();
    let moved = 0;
    const at = ({ clientX, clientY }: MouseEvent): Point => {
      const box = this.#svg.getBoundingClientRect();
      return { x: clientX - box.left, y: clientY - box.top };
    };
    this.onpointerdown = (event) => {
      if (this.#tools.contains(event.target as Node) || event.button > 0) return;
      this.setPointerCapture(event.pointerId);
      if (down.size === 0) moved = 0;
      down.set(event.pointerId, at(event));
    };
    this.onpointermove = (event) => {
      const from = down.get(event.pointerId), to = at(event);
      if (!from) return;
      const [other] = [...down].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      moved += Math.hypot(to.x - from.x, to.y - from.y);
      // A finger that presses is never quite still.
      if (moved < 6) return;
      down.set(event.pointerId, to);
      // Of two fingers, each moves the middle by half of its way.
      this.#move((to.x - from.x) / down.size, (to.y - from.y) / down.size);
      if (!other) return;
      const factor = Math.hypot(to.x - other.x, to.y - other.y) / Math.max(1, Math.hypot(from.x - other.x, from.y - other.y));
      this.#zoom(factor, (to.x + other.x) / 2, (to.y + other.y) / 2);
    };
    this.onpointerup = (event) => {
      const { x, y } = at(event);
      if (down.delete(event.pointerId) && down.size === 0 && moved < 6) this.choose(this.#placeAt(x, y));
    };
    this.onpointercancel = ({ pointerId }) => down.delete(pointerId);
    this.onwheel = (event) => {
      event.preventDefault();
      const { x, y } = at(event);
      // Some browsers count lines instead of pixels.
      this.#zoom(Math.exp((-event.deltaY * (event.deltaMode === 0 ? 1 : 30)) / 500), x, y);
    };
  }

  #key(event: KeyboardEvent): void {
    if (event.target !== this || event.ctrlKey || event.metaKey || event.altKey) return;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => this.#move(60, 0), ArrowRight: () => this.#move(-60, 0),
      ArrowUp: () => this.#move(0, 60), ArrowDown: () => this.#move(0, -60),
      "+": () => this.#zoom(1.6), "-": () => this.#zoom(1 / 1.6), Home: () => this.fit(),
      Enter: () => this.choose(this.#placeAt(this.width / 2, this.clientHeight / 2)),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Lines that move with the ground, as far apart as the scale is long. */
  #grid(at: Section, point: (place: Place) => [number, number]): SVGElement[] {
    const step = roundLength(100 / at.pixels).metres * at.pixels;
    const [x, y] = point(this.#origin ?? at.middle);
    const lines: string[] = [];
    for (let left = ((x % step) + step) % step; left < this.width; left += step) lines.push(`M${left.toFixed(1)} 0V${this.clientHeight}`);
    for (let top = ((y % step) + step) % step; top < this.clientHeight; top += step) lines.push(`M0 ${top.toFixed(1)}H${this.width}`);
    return [drawing("path", { class: "g", d: lines.join("") })];
  }
}

/** The place so many metres east and north of another. */
function away([latitude, longitude]: Place, east: number, north: number): Place {
  const reached = Math.min(89, Math.max(-89, latitude + north / degree));
  const turned = longitude + east / degree / squeeze((latitude + reached) / 2);
  return [reached, ((turned + 540) % 360 + 360) % 360 - 180];
}

function limited(pixels: number): number {
  return Math.min(most, Math.max(fewest, pixels));
}

function outline(shape: Shape, name: string, pixels: number, point: (place: Place) => [number, number], look = ""): SVGElement[] {
  if ("corners" in shape && shape.corners.length === 0) return [];
  const named = areaName(shape, name, pixels, point);
  if ("middle" in shape) {
    const [x, y] = point(shape.middle), r = shape.radius * pixels;
    return [drawing("circle", { class: `area ${look}`, cx: x.toFixed(1), cy: y.toFixed(1), r: r.toFixed(1) }), ...named];
  }
  return [drawing("path", { class: `area ${look}`, d: `${through(shape.corners.map(point))}Z` }), ...named];
}

/** What was pressed: the middle of a circle, the corners of a polygon. */
function handles(shape: Shape, point: (place: Place) => [number, number]): SVGElement[] {
  return ("middle" in shape ? [shape.middle] : shape.corners).map((place) => {
    const [x, y] = point(place);
    return drawing("circle", { class: "handle", cx: x.toFixed(1), cy: y.toFixed(1), r: 5 });
  });
}

function ends([fromX, fromY]: [number, number], [toX, toY]: [number, number]): SVGElement[] {
  return [
    drawing("circle", { class: "end", cx: fromX.toFixed(1), cy: fromY.toFixed(1), r: 6 }),
    drawing("rect", { class: "end", x: (toX - 5.5).toFixed(1), y: (toY - 5.5).toFixed(1), width: 11, height: 11, rx: 1.5 }),
  ];
}

function position(here: NonNullable<Sight["here"]>, pixels: number, [x, y]: [number, number], width: number): SVGElement[] {
  const old = here.isOld ? " old" : "";
  return [
    drawing("circle", { class: `acc${old}`, cx: x.toFixed(1), cy: y.toFixed(1), r: Math.max(17, (here.accuracy ?? 0) * pixels).toFixed(1) }),
    drawing("circle", { class: `pos${old}`, cx: x.toFixed(1), cy: y.toFixed(1), r: 8 }),
    ...labelHere(here.label ?? "", [x, y], width),
  ];
}

/** How far a way has come at each of its places, in metres; from one piece to the next nothing is added. */
export function distances(ways: Place[][]): number[] {
  let sum = 0;
  return ways.flatMap((way) => way.map((place, at) => (sum += at > 0 ? metresBetween(way[at - 1] ?? place, place) : 0)));
}
