import { element, plain } from "../library/element";

/** The first letter of somebody's name, as their face. */
export function face(name: string, look = ""): HTMLElement {
  const letter = [...new Intl.Segmenter().segment(plain(name).trim())][0]?.segment ?? "";
  return element("span", { class: `face ${look}`, "aria-hidden": "true" }, letter.toLocaleUpperCase());
}
