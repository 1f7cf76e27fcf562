import type { Person } from "../library/person";
import type { Word } from "../library/words";
import type { IconName } from "../parts/icons";

/** A place that the navigation leads to: one of the five, or of the house around them. */
export interface Place {
  address: string;
  word: Word;
  icon: IconName;
  isOfHouse?: boolean;
}

/** Somebody at a view. */
export interface Visit {
  person: Person;
  /** The address without its query, such as `#/workouts/3f2c`. */
  address: string;
  query: string;
  /** What the groups of the view's address have found. */
  found: string[];
  /** The places of the house around the five, to which a phone's bar has no room to lead. */
  house: Place[];
  /** Signs out, when the device's password is gone already. */
  leave(): void;
  /** Opens the view again, when its heading has become another. */
  again(): void;
}

/** What a view is called, and where it belongs. */
export interface Heading {
  title: string;
  under?: string;
  /** The place that the view is a part of, to go back to. */
  back?: Place | undefined;
  /** It takes the whole page, without navigation. */
  isWhole?: boolean;
}

/** What people see at an address. A file of `views` exports one, and `main.ts`, or `house.ts`, lists it; views that belong to it know its place. */
export interface View {
  /** What the address is without its query. */
  address: RegExp;
  /** If the navigation leads to it. */
  place?: Place;
  open(visit: Visit): Heading & { content: HTMLElement };
}
