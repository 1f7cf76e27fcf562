import type { Place } from "../library/places";
import { say } from "../library/words";
import { distances, Ground } from "./ground";

/** A way that is over, on plain ground. A point of it can be marked. */
export class WayMap extends Ground {
  /** Metres from the start, of each place in order. */
  #distances: number[] = [];

  show(path: number[][][]): void {
    const ways = path.map((piece) => piece.flatMap(([latitude, longitude]): Place[] =>
      latitude === undefined || longitude === undefined ? [] : [[latitude, longitude]])).filter((piece) => piece.length > 0);
    this.#distances = distances(ways);
    this.see({ ways, hasEnds: true, says: say("wayOnMap") });
  }

  /** Marks the place that is a share of the whole way from its start; none for null. */
  mark(share: number | null): void {
    const wanted = (share ?? 0) * (this.#distances[this.#distances.length - 1] ?? 0);
    const place = this.seen.ways.flat()[this.#distances.findIndex((distance) => distance >= wanted)];
    this.see({ ...this.seen, here: share === null || !place ? null : { place } });
  }
}

customElements.define("vitals-way-map", WayMap);
