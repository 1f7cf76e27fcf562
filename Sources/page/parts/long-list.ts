import { drawing, element, fill, freshId, give } from "../library/element";
import { Part } from "../library/part";

/** Rows under a heading. Rows may be added at its end. */
export interface Group<Row> {
  name(): string;
  rows: Row[];
}

/** Up to so many rows are all in the page. */
const few = 200;
/** So many rows come and go together. */
const step = 10;

interface Shown {
  card: HTMLElement;
  list: HTMLElement;
  rows: Map<number, HTMLElement>;
}

/** The row that has the focus: of which group, and the last row of that. */
interface Focus {
  index: number;
  row: number;
  last: number;
}

/** A list that may have any number of rows, of which only those in sight are in the page, as cards with their headings. All rows are
 *  equally high. The row that has the focus stays, with those beside it, so that keys go on from there. */
export class LongList<Row> extends Part {
  readonly #make: (row: Row) => HTMLElement;
  #groups: Group<Row>[] = [];
  #shown = new Map<Group<Row>, Shown>();
  /** What was shown last, to do nothing if it is the same. */
  #plan = "";
  /** Pixels of a row, and of a card without rows; null while they are not known. */
  #heights: { row: number; card: number; gap: number } | null = null;
  #width = 0;
  #isDue = false;

  constructor(make: (row: Row) => HTMLElement) {
    super();
    this.#make = make;
  }

  begin(): void {
    give(this, { class: "side" });
    this.hear(window, "scroll", () => this.#soon());
    const observer = new ResizeObserver(() => {
      if (this.clientWidth === this.#width) return;
      this.#width = this.clientWidth;
      this.#heights = null;
      this.#soon();
    });
    observer.observe(document.documentElement);
    this.whileShown(() => observer.disconnect());
    this.#soon();
  }

  /** Shows other groups, or says that rows were added to them.
   *  @param isOther whether rows that are shown already have to be made again */
  show(groups: Group<Row>[], isOther = false): void {
    if (isOther) {
      this.#shown.clear();
      fill(this);
    }
    this.#groups = groups;
    this.#plan = "";
    this.#draw();
  }

  /** Before the next frame, and once. */
  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      if (this.isConnected) this.#draw();
    });
  }

  #draw(): void {
    if (!this.isConnected) return;
    const ranges = this.#ranges();
    const plan = ranges.map(({ group, index, from, to }) => [index, from, to, group.rows.length].join(" ")).join();
    if (plan === this.#plan) return;
    this.#plan = plan;
    const { row, card, gap } = this.#heights ?? { row: 0, card: 0, gap: 0 };
    const wanted: Element[] = [];
    let next = 0;
    const leaveOut = (until: number) => {
      let height = -gap;
      for (; next < until; next += 1) height += card + gap + row * (this.#groups[next]?.rows.length ?? 0);
      if (height > 0) wanted.push(room(height));
    };
    for (const { group, index, from, to } of ranges) {
      leaveOut(index);
      next = index + 1;
      wanted.push(this.#card(group, from, to, row));
    }
    leaveOut(this.#groups.length);
    const kept = new Set(ranges.map(({ group }) => group));
    for (const group of this.#shown.keys()) if (!kept.has(group)) this.#shown.delete(group);
    arrange(this, wanted);
  }

  /** Which rows of which groups are in sight, or near it. */
  #ranges(): { group: Group<Row>; index: number; from: number; to: number }[] {
    const count = this.#groups.reduce((sum, { rows }) => sum + rows.length, 0);
    if (count <= few) return this.#groups.map((group, index) => ({ group, index, from: 0, to: group.rows.length }));
    this.#heights ??= this.#measure();
    const { row, card, gap } = this.#heights;
    const focus = this.#focus();
    const [above, below] = [-innerHeight, 2 * innerHeight];
    let top = this.getBoundingClientRect().top;
    return this.#groups.flatMap((group, index) => {
      const { length } = group.rows;
      const first = top + card;
      top += card + gap + row * length;
      const isNear = top >= above && first - card <= below;
      const held = focus && heldRows(focus, index, length);
      const at = (y: number, round: (steps: number) => number) => Math.min(length, Math.max(0, step * round((y - first) / row / step)));
      const near = isNear ? [at(above, Math.floor), at(below, Math.ceil)] as const : held;
      if (!near) return [];
      return [{ group, index, from: Math.min(near[0], held?.[0] ?? near[0]), to: Math.max(near[1], held?.[1] ?? near[1]) }];
    });
  }

  /** The row that has the focus. */
  #focus(): Focus | null {
    const active = document.activeElement;
    for (const [group, { card, rows }] of active ? this.#shown : []) {
      if (!card.contains(active)) continue;
      for (const [row, item] of rows) if (item.contains(active)) return { index: this.#groups.indexOf(group), row, last: group.rows.length - 1 };
    }
    return null;
  }

  #measure(): { row: number; card: number; gap: number } {
    const row = this.#groups.find(({ rows }) => rows.length > 0)?.rows[0];
    if (row === undefined) return { row: 1, card: 0, gap: 0 };
    const list = element("ul", { class: "rows" }, element("li", {}, this.#make(row)), element("li", {}, this.#make(row)));
    const card = element("section", { class: "card" }, heading("0").head, list);
    this.append(card);
    const two = card.getBoundingClientRect().height;
    list.lastElementChild?.remove();
    const one = card.getBoundingClientRect().height;
    card.remove();
    return { row: two - one, card: 2 * one - two, gap: parseFloat(getComputedStyle(this).rowGap) || 0 };
  }

  #card(group: Group<Row>, from: number, to: number, height: number): HTMLElement {
    const shown = this.#shown.get(group) ?? made(group.name());
    this.#shown.set(group, shown);
    const { length } = group.rows;
    const wanted: Element[] = [];
    // A line is between two rows, and none before the first.
    if (from > 0) wanted.push(element("li", { "aria-hidden": "true" }, room(from * height - 1)));
    for (let at = from; at < to; at += 1) {
      const row = group.rows[at];
      if (row === undefined) continue;
      const item = shown.rows.get(at) ?? element("li", {}, this.#make(row));
      give(item, { "aria-setsize": length, "aria-posinset": at + 1 });
      shown.rows.set(at, item);
      wanted.push(item);
    }
    for (const at of shown.rows.keys()) if (at < from || at >= to) shown.rows.delete(at);
    if (to < length) wanted.push(element("li", { "aria-hidden": "true" }, room((length - to) * height - 1)));
    arrange(shown.list, wanted);
    return shown.card;
  }
}

/** Which rows of a group stay because of the focus: the one that has it, and those beside it. */
function heldRows({ index, row, last }: Focus, of: number, length: number): readonly [from: number, to: number] | null {
  if (of === index) return [Math.max(0, row - 1), Math.min(length, row + 2)];
  if (of === index + 1 && row === last) return [0, 1];
  if (of === index - 1 && row === 0) return [length - 1, length];
  return null;
}

function heading(name: string): { head: HTMLElement; id: string } {
  const id = freshId();
  return { head: element("div", { class: "card-head" }, element("h2", { id }, name)), id };
}

function made(name: string): Shown {
  const { head, id } = heading(name);
  const list = element("ul", { class: "rows" });
  return { card: element("section", { class: "card", "aria-labelledby": id }, head, list), list, rows: new Map() };
}

/** Room for what is not in the page. */
function room(height: number): SVGElement {
  return drawing("svg", { width: 1, height: Math.max(0, height).toFixed(2), "aria-hidden": "true" });
}

/** Gives an element these children, in their order. Those that stay are not touched: they would lose the focus. */
function arrange(parent: Element, wanted: Element[]): void {
  const kept = new Set<Element>(wanted);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  let at = parent.firstElementChild;
  for (const child of wanted) {
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
}

customElements.define("vitals-long-list", LongList);
