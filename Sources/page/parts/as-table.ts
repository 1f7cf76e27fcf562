import { element, type Child } from "../library/element";
import { say } from "../library/words";

/** What a chart shows, in figures: a table behind "As a table", which is made only while it is open. */
export class AsTable {
  readonly node = element("details", {}, element("summary", {}, say("asTable")));
  #heads: string[] = [];
  #rows: () => Child[][] = () => [];

  constructor() {
    this.node.addEventListener("toggle", () => this.#make());
  }

  /** @param heads of the columns: text in the first, numbers in the others
   *  @param rows is called when they are seen; null hides the table, because there is nothing to tell */
  show(heads: string[], rows: (() => Child[][]) | null): void {
    this.#heads = heads;
    this.#rows = rows ?? (() => []);
    this.node.hidden = rows === null;
    this.#make();
  }

  #make(): void {
    const there = this.node.querySelector("table"), made = this.node.open && !this.node.hidden ? table(this.#heads, this.#rows()) : null;
    // Somebody may be reading it.
    if (there && made?.isEqualNode(there)) return;
    there?.remove();
    if (made) this.node.append(made);
  }
}

/** A table whose first column has text, and the others numbers. */
export function table(heads: string[], rows: Child[][]): HTMLElement {
  const look = (at: number) => (at > 0 ? "n" : undefined);
  return element(
    "table", {},
    element("thead", {}, element("tr", {}, ...heads.map((head, at) => element("th", { scope: "col", class: look(at) }, head)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell, at) => element("td", { class: look(at) }, cell))))));
}
