import type { Place } from "../library/places";
import { Ground, type Sight } from "./ground";

/** A map of where somebody is, on which areas can be drawn. It says `place`, with the place, when one is pressed while there is a draft. */
export interface PeopleMap extends HTMLElement {
  show(sight: Sight): void;
  /** Shows everything. */
  fit(): void;
}

class PlainPeopleMap extends Ground implements PeopleMap {
  show(sight: Sight): void {
    this.see(sight);
  }

  protected override choose(place: Place): void {
    if (this.seen.draft) this.dispatchEvent(new CustomEvent<Place>("place", { detail: place }));
  }
}

customElements.define("vitals-people-map", PlainPeopleMap);

/** The map that people see: this one place decides which. */
export function peopleMap(): PeopleMap {
  return new PlainPeopleMap();
}
