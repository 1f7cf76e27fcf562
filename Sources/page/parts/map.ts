import type { Place } from "../library/places";
import { settings } from "../library/settings";
import { Ground, type Sight } from "./ground";
import { TileMap } from "./tile-map";

/** A map of ways, areas and a position. It says `place`, with the place, when one is pressed while there is a draft. */
export interface SightMap extends HTMLElement {
  show(sight: Sight): void;
  /** Shows everything. */
  fit(): void;
}

class PlainMap extends Ground implements SightMap {
  show(sight: Sight): void {
    this.see(sight);
  }

  protected override choose(place: Place): void {
    if (this.seen.draft) this.dispatchEvent(new CustomEvent<Place>("place", { detail: place }));
  }
}

/** On tiles if the operator has set maps, and on plain ground otherwise: this one place decides. */
export function mapOf(): SightMap {
  return settings().maps.length > 0 ? new TileMap() : new PlainMap();
}

customElements.define("vitals-plain-map", PlainMap);
