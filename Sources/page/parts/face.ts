import { element, plain } from "../library/element";
import type { Person } from "../library/person";
import { icon } from "./icons";

/** The first letter of somebody's name, as their face. */
export function face(name: string, look = ""): HTMLElement {
  const letter = [...new Intl.Segmenter().segment(plain(name).trim())][0]?.segment ?? "";
  return element("span", { class: `face ${look}`, "aria-hidden": "true" }, letter.toLocaleUpperCase());
}

/** The person's own picture; without one, their letter. */
export function portrait({ picture, profile }: Person, look: string): Element {
  if (picture) return element("img", { class: `face ${look}`, src: picture, alt: "" });
  return profile ? face(profile.name, look) : icon("me");
}
