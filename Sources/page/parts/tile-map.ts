import type * as Leaflet from "./leaflet.js";
import { drawing, element, fill, give, plain, pressed, written } from "../library/element";
import { Part } from "../library/part";
import { edges, type Place, type Shape } from "../library/places";
import { settings } from "../library/settings";
import { say } from "../library/words";
import { empty } from "./card";
import { button } from "./form";
import type { Sight } from "./ground";
import { icon, type IconName } from "./icons";
import { areaName, compass, cross, labelHere, scale, type Point } from "./map-marks";

/** Metres of a pixel at the equator, when all of the earth is one tile. */
const widestPixel = 156_543.034;
/** The line about whom the map is from is beneath the scale. */
const lineHeight = 20;

/** Which of the operator's maps is shown: the same everywhere, until the page is closed. */
let chosenKind = 0;
/** How often Leaflet could not be fetched. A browser remembers that of an address, so it is asked for another one. */
let failures = 0;

function another(address: string): Promise<typeof Leaflet> {
  return import(address) as Promise<typeof Leaflet>;
}

/** A map of tiles, of the kinds that the operator has set. It shows everything, until somebody zooms or moves it, and says `place` when
 *  somebody presses one while there is a draft, as a map on plain ground does.
 *
 *  Leaflet draws it, and is fetched when the first of these maps is shown. Its own buttons and its line about whom the map is from are
 *  made from markup, which the page's rules for the browser refuse: these are ours. */
export class TileMap extends Part {
  readonly #ground = element("div", { class: "ground" });
  /** Over what Leaflet has drawn. */
  readonly #marks = drawing("svg", { class: "marks", "aria-hidden": "true" });
  readonly #credit = element("p", { class: "credit" });
  #sight: Sight = { ways: [], says: "" };
  #drawn: Drawn | null = null;
  /** Whether somebody has moved the map; null while the page moves it. */
  #isMoved: boolean | null = false;

  begin(): void {
    give(this, { class: "map path" });
    this.#describe();
    fill(this, this.#ground, this.#marks, this.#tools(), this.#credit);
    void this.#open();
  }

  show(sight: Sight): void {
    const isSameWay = sight.ways === this.#sight.ways && sight.areas === this.#sight.areas;
    // While something is drawn, the picture stays where it is.
    if (Boolean(sight.draft) !== Boolean(this.#sight.draft)) this.#isMoved = false;
    this.#sight = sight;
    this.#describe();
    if (!isSameWay) this.#drawWays();
    this.#drawHere();
    this.#fit();
    this.#mark();
  }

  #describe(): void {
    give(this.#ground, { role: "group", "aria-label": say("mapKeys", { map: this.#sight.says || say("map") }) });
  }

  /** Shows everything. */
  fit(): void {
    this.#isMoved = false;
    this.#fit();
  }

  async #open(): Promise<void> {
    const leaflet = await (failures === 0 ? import("./leaflet.js") : another(`./leaflet.js?${failures}`)).catch(() => null);
    if (!this.isConnected || this.#drawn) return;
    if (!leaflet) {
      failures += 1;
      const again = pressed(button(say("askAgain"), "s"), () => this.begin());
      return fill(this, empty("warn", say("noMap"), "bad", again));
    }
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const map = new leaflet.Map(this.#ground, {
      attributionControl: false, zoomControl: false, fadeAnimation: false, zoomAnimation: false, inertia: !isCalm, boxZoom: false,
      // The wheel is for the page.
      scrollWheelZoom: false, maxZoom: 20,
    });
    if (isCalm) map.panBy = (offset) => leaflet.Map.prototype.panBy.call(map, offset, { animate: false });
    map.setView([20, 0], 1);
    this.#drawn = { leaflet, map, tiles: null, ways: new leaflet.LayerGroup().addTo(map), here: new leaflet.LayerGroup().addTo(map) };
    map.on("movestart", () => {
      if (this.#isMoved === false) this.#isMoved = true;
    });
    map.on("click", ({ latlng }) => {
      const { lat, lng } = latlng.wrap();
      this.#choose([lat, lng]);
    });
    const middle = ({ key, target }: KeyboardEvent) => {
      if (key !== "Enter" || target !== this.#ground) return;
      const { lat, lng } = map.getCenter().wrap();
      this.#choose([lat, lng]);
    };
    this.#ground.addEventListener("keydown", middle);
    const observer = new ResizeObserver(() => {
      map.invalidateSize({ pan: false });
      this.#fit();
      this.#mark();
    });
    observer.observe(this);
    this.whileShown(() => {
      observer.disconnect();
      this.#ground.removeEventListener("keydown", middle);
      map.remove();
      this.#drawn = null;
    });
    this.#lay();
    this.#drawWays();
    this.#drawHere();
    this.#fit();
    map.on("move", () => this.#mark());
    this.#mark();
  }

  #choose(place: Place): void {
    if (this.#sight.draft) this.dispatchEvent(new CustomEvent<Place>("place", { detail: place }));
  }

  /** Lays the tiles of the kind that is chosen. */
  #lay(): void {
    const { maps } = settings();
    const kind = maps[chosenKind] ?? maps[0];
    if (!kind || !this.#drawn) return;
    const { leaflet, map, tiles } = this.#drawn;
    tiles?.remove();
    const credit = [written(kind.name), " · ", written(kind.attribution)];
    fill(this.#credit, ...credit);
    this.#drawn.tiles = new (tilesOf(leaflet, kind.tiles))({ maxNativeZoom: kind.closest ?? 19, maxZoom: 20 })
      .on("tileerror", () => fill(this.#credit, ...credit, ` · ${say("tilesMissing")}`)).addTo(map);
  }

  /** The way and the areas. */
  #drawWays(): void {
    if (!this.#drawn) return;
    const { leaflet: { CircleMarker, Marker, Polyline }, ways: layer } = this.#drawn;
    const { ways, hasEnds, areas = [] } = this.#sight;
    layer.clearLayers();
    for (const { shape } of areas) outline(this.#drawn.leaflet, shape, "area").addTo(layer);
    for (const name of ["casing", "way"]) new Polyline(ways, looks(name)).addTo(layer);
    const places = ways.flat(), first = places[0], last = places[places.length - 1];
    if (!hasEnds || !first || !last) return;
    new CircleMarker(first, { ...looks("end"), radius: 6 }).addTo(layer);
    new Marker(last, { icon: new (square(this.#drawn.leaflet))(), interactive: false, keyboard: false }).addTo(layer);
  }

  /** Where somebody is, and what is being drawn by hand. */
  #drawHere(): void {
    if (!this.#drawn) return;
    const { leaflet, here: layer } = this.#drawn;
    const { here, draft } = this.#sight;
    layer.clearLayers();
    const dot = (place: Place, className: string, radius: number) =>
      new leaflet.CircleMarker(place, { ...looks(className), radius }).addTo(layer);
    if (draft?.shape) {
      outline(leaflet, draft.shape, "area draft").addTo(layer);
      for (const place of "middle" in draft.shape ? [draft.shape.middle] : draft.shape.corners) dot(place, "handle", 5);
    }
    if (!here) return;
    const old = here.isOld ? " old" : "";
    if (here.accuracy) new leaflet.Circle(here.place, { ...looks(`acc${old}`), radius: here.accuracy }).addTo(layer);
    dot(here.place, `acc${old}`, 17);
    dot(here.place, `pos${old}`, 8);
  }

  /** Names, the scale, and the middle while something is drawn. */
  #mark(): void {
    if (!this.#drawn) return;
    const { map } = this.#drawn, { areas = [], here, draft } = this.#sight;
    const [width, height] = [this.clientWidth, this.clientHeight];
    const pixels = 2 ** map.getZoom() / widestPixel / Math.cos((map.getCenter().lat * Math.PI) / 180);
    const point: Point = (place) => {
      const { x, y } = map.latLngToContainerPoint(place);
      return [x, y];
    };
    give(this.#marks, { viewBox: `0 0 ${width} ${height}` });
    fill(this.#marks,
      ...areas.flatMap(({ name, shape }) => areaName(shape, name, pixels, point)),
      ...(here ? labelHere(here.label ?? "", point(here.place), width) : []),
      ...(draft ? [cross(width, height)] : []), ...scale(pixels, height - lineHeight), ...compass());
  }

  /** Shows everything, unless somebody has moved the map. */
  #fit(): void {
    if (!this.#drawn || this.#isMoved) return;
    const { ways, areas = [], here, draft } = this.#sight;
    const shapes = [...areas.map(({ shape }) => shape), ...(draft?.shape ? [draft.shape] : []),
      ...(here ? [{ middle: here.place, radius: Math.min(here.accuracy ?? 0, 500) }] : [])];
    const places = [...ways.flat(), ...shapes.flatMap(edges)];
    if (places.length === 0) return;
    // Free around what is fitted, and for the tools.
    const [side, tools] = [34, 86];
    const isTurned = getComputedStyle(this).direction === "rtl";
    this.#isMoved = null;
    this.#drawn.map.fitBounds(new this.#drawn.leaflet.LatLngBounds(places), {
      animate: false, maxZoom: 17,
      paddingTopLeft: [isTurned ? tools : side, side], paddingBottomRight: [isTurned ? side : tools, side],
    });
    // What is drawn is not to move under somebody's finger.
    this.#isMoved = Boolean(draft);
  }

  #tools(): HTMLElement {
    const tool = (label: string, name: IconName, act: () => void) =>
      pressed(element("button", { type: "button", "aria-label": label }, icon(name)), act);
    const { maps } = settings();
    const label = () => say("mapKind", { name: plain(maps[chosenKind]?.name ?? "") });
    const kinds = tool(label(), "layers", () => {
      chosenKind = (chosenKind + 1) % maps.length;
      give(kinds, { "aria-label": label() });
      this.#lay();
    });
    return element("div", { class: "map-tools" }, maps.length > 1 ? kinds : null,
      tool(say("fit"), "fit", () => this.fit()),
      tool(say("zoomIn"), "plus", () => this.#drawn?.map.zoomIn()), tool(say("zoomOut"), "minus", () => this.#drawn?.map.zoomOut()));
  }
}

/** What Leaflet has drawn. */
interface Drawn {
  leaflet: typeof Leaflet;
  map: Leaflet.Map;
  tiles: Leaflet.GridLayer | null;
  ways: Leaflet.LayerGroup;
  here: Leaflet.LayerGroup;
}

/** Leaflet's own looks are attributes, and stand wherever page.css says nothing. */
function looks(className: string): Leaflet.PathOptions {
  return { className, interactive: false, stroke: !className.startsWith("acc"), fillOpacity: 1 };
}

function outline({ Circle, Polygon }: typeof Leaflet, shape: Shape, className: string): Leaflet.Layer {
  const look = looks(className);
  return "middle" in shape ? new Circle(shape.middle, { ...look, radius: shape.radius }) : new Polygon(shape.corners, look);
}

/** A layer of tiles. Leaflet's own gives them an empty picture in their address when they go, which the page's rules refuse. */
function tilesOf({ GridLayer }: typeof Leaflet, address: string): Leaflet.NewGridLayer {
  return GridLayer.extend({
    createTile({ x, y, z }, done) {
      const values: Record<string, number> = { x, y, z };
      const tile = element("img", { alt: "", src: address.replace(/\{([xyz])\}/g, (_, name: string) => `${values[name]}`) });
      tile.addEventListener("load", () => done(null, tile));
      tile.addEventListener("error", () => done(new Error("there is no such tile"), tile));
      return tile;
    },
  });
}

/** The mark where a way ends. */
function square({ Icon }: typeof Leaflet): new () => Leaflet.Icon {
  return Icon.extend({
    createIcon: () => element("div", { class: "map-end" },
      drawing("svg", { viewBox: "0 0 14 14" }, drawing("rect", { class: "end", x: 1.5, y: 1.5, width: 11, height: 11, rx: 1.5 }))),
    createShadow: () => null,
  });
}

customElements.define("vitals-tile-map", TileMap);
