import { fill } from "../library/element";
import { Part } from "../library/part";
import type { Place } from "../library/places";
import { say } from "../library/words";
import { distances, type Sight } from "./ground";
import { mapOf } from "./map";

/** A way that is over, on a map. A point of it can be marked. */
export class WayMap extends Part {
  readonly #map = mapOf();
  #sight: Sight = { ways: [], says: "" };
  /** Metres from the start, of each place in order. */
  #distances: number[] = [];

  begin(): void {
    fill(this, this.#map);
  }

  show(path: number[][][]): void {
    const ways = path.map((piece) => piece.flatMap(([latitude, longitude]): Place[] =>
      latitude === undefined || longitude === undefined ? [] : [[latitude, longitude]])).filter((piece) => piece.length > 0);
    this.#distances = distances(ways);
    this.#sight = { ways, hasEnds: true, says: say("wayOnMap") };
    this.#map.show(this.#sight);
  }

  /** Marks the place that is a share of the whole way from its start; none for null. */
  mark(share: number | null): void {
    const wanted = (share ?? 0) * (this.#distances[this.#distances.length - 1] ?? 0);
    const place = this.#sight.ways.flat()[this.#distances.findIndex((distance) => distance >= wanted)];
    this.#sight = { ...this.#sight, here: share === null || !place ? null : { place } };
    this.#map.show(this.#sight);
  }
}

customElements.define("vitals-way-map", WayMap);
