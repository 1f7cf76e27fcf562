// How the page is built. Text is only ever set as text: nothing here, and nothing in the page, reads markup from a string.

export type Child = Node | string | null | undefined | false;
export type Attributes = Record<string, string | number | boolean | undefined>;

/** An element of HTML with attributes and children. An attribute that is false or undefined is left out; one that is true is empty. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  give(made, attributes);
  add(made, children);
  return made;
}

/** The same of SVG. */
export function drawing<Name extends keyof SVGElementTagNameMap>(
  name: Name, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[Name] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  give(made, attributes);
  add(made, children);
  return made;
}

/** Sets attributes. A link leads only within the page, or is of a file of the page's own that is kept and not opened. Neither styles nor
 *  handlers can be attributes: the page's own rules for the browser would not run them, and this says so where the mistake is. */
export function give(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    const leadsElsewhere = name === "href" && !`${value}`.startsWith("#") && !isOwnFile(`${value}`, attributes["download"]);
    if (name === "style" || name.startsWith("on") || leadsElsewhere) {
      throw new TypeError(`the attribute ${name} cannot be set like this`);
    }
    if (value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : `${value}`);
  }
}

/** Whether a link is the object URL of a file that the page has made, and that the browser only keeps. */
function isOwnFile(href: string, download: Attributes[string]): boolean {
  return typeof download === "string" && href.startsWith(`blob:${location.origin}/`);
}

/** Puts new children in the place of what an element had. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  add(element, children);
}

/** The same for what is filled again and again: the focus goes back to the control that is what had it, or else to the heading. It never
 *  goes to another one that is only called the same. */
export function refill(element: Element, ...children: Child[]): void {
  const before = document.activeElement;
  const held = before && element.contains(before) ? identity(before) : null;
  const isOne = held !== null && controls(element, held).length === 1;
  fill(element, ...children);
  if (held === null || document.activeElement === before) return;
  const again = isOne ? controls(element, held) : [];
  if (again.length === 1) return again[0]?.focus();
  const heading = (element.closest(".card") ?? element).querySelector<HTMLElement>("h2");
  if (heading) give(heading, { tabindex: -1 });
  heading?.focus();
}

function controls(element: Element, held: string): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>("a, button, input, select, summary, [tabindex]")].filter((one) => identity(one) === held);
}

/** What a control is, however it looks by now: of which row (`data-row`), and what `data-is` says, or what it is read out as. */
function identity(control: Element): string {
  const label = (control as HTMLInputElement).labels?.[0]?.textContent ?? control.textContent;
  const row = control.closest("[data-row]")?.getAttribute("data-row") ?? "";
  return `${row} ${control.getAttribute("data-is") ?? control.getAttribute("aria-label") ?? (label || control.id)}`;
}

function add(element: Element, children: Child[]): void {
  for (const child of children) if (child) element.append(child);
}

/** What people wrote, as one line of text: characters that control something are shown as �, and those that turn its direction
 *  cannot reach beyond it. */
export function written(text: string): HTMLElement {
  return element("bdi", {}, plain(text));
}

/** The same for places that take no element, such as a label that is read out. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}

let drawn = 0;

/** An id that nothing else of the page has. */
export function freshId(): string {
  drawn += 1;
  return `e${drawn}`;
}

/** Runs when an element is pressed. */
export function pressed<Pressed extends HTMLElement>(element: Pressed, act: () => void): Pressed {
  element.addEventListener("click", act);
  return element;
}
