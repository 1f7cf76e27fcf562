import { element, fill, pressed, refill, type Child } from "../library/element";
import { say } from "../library/words";
import { AsTable } from "../parts/as-table";
import { Bars } from "../parts/bars";
import { Card, empty, facts, fine } from "../parts/card";
import type { Series } from "./day-series";

/** Bars of days, months or years, of one measure at a time. It says `choose` when somebody chooses another measure. */
export class SeriesCard extends Card {
  readonly #look: string;
  readonly #above: Child;
  readonly #seg = element("div", { class: "seg", role: "group", "aria-label": say("barsShow") });
  readonly #readout = element("div", { class: "readout", "aria-live": "polite" });
  readonly #chart = new Bars();
  readonly #none = element("div");
  readonly #figures = element("div", { class: "side" });
  readonly #table = new AsTable();
  #series: Series[] = [];
  #key: string;

  /** @param key of the series that is shown if there is such a one
   *  @param above stands above the chart */
  constructor(look: string, key: string, above: Child = null) {
    super();
    this.#look = look;
    this.#key = key;
    this.#above = above;
  }

  /** The key of the series that is shown. */
  get key(): string {
    return this.#shown?.key ?? this.#key;
  }

  begin(): void {
    this.#chart.addEventListener("point", () => fill(this.#readout, ...(this.#shown?.told(this.#chart.chosen) ?? [])));
    this.#draw();
  }

  show(series: Series[]): void {
    this.#series = series;
    if (this.isConnected) this.#draw();
  }

  get #shown(): Series | undefined {
    return this.#series.find(({ key }) => key === this.#key) ?? this.#series[0];
  }

  #draw(): void {
    const shown = this.#shown;
    if (!shown) return;
    refill(this.#seg, ...this.#series.map(({ key, name }) => pressed(
      element("button", { type: "button", "aria-pressed": `${key === shown.key}` }, name), () => {
        this.#key = key;
        this.#draw();
        this.dispatchEvent(new Event("choose"));
      })));
    this.#seg.hidden = this.#series.length < 2;
    if (!this.querySelector("h2")) {
      this.frame(shown.title, this.#look, this.#seg);
      for (const part of [this.#above, this.#readout, this.#chart, this.#none, this.#figures, this.#table.node]) if (part) this.append(part);
    }
    fill(this.head.querySelector("h2") ?? this.head, shown.title);
    const chosen = this.#seg.querySelector<HTMLElement>("[aria-pressed=true]");
    // On a phone there is no room for all of them.
    if (chosen) this.#seg.scrollLeft = chosen.offsetLeft - this.#seg.offsetLeft;
    this.#chart.show(shown.bars, shown.scale, shown.says);
    const isKnown = shown.bars.some(({ value }) => value !== null);
    this.#chart.hidden = !isKnown;
    this.#readout.hidden = !isKnown;
    fill(this.#none, isKnown ? null : empty("days", say("nothingRecorded")));
    const told = element("div", {}, ...shown.told(this.#chart.chosen));
    // What is said already is not said again.
    if (told.textContent !== this.#readout.textContent) fill(this.#readout, ...told.childNodes);
    fill(this.#figures, shown.figures.length > 0 ? facts("quad", shown.figures) : null, fine(shown.note));
    this.#table.show(shown.heads, isKnown ? () => shown.bars.map((_, at) => shown.row(at)) : null);
  }
}

customElements.define("vitals-series-card", SeriesCard);
