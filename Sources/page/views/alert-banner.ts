import type { Alert } from "service";
import { element, freshId, pressed, refill, written } from "../library/element";
import { ago } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { busy, button } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";
import type { Banner } from "./frame";

/** How many are shown; the others come when these are confirmed. */
const most = 3;

/** What a guardian has to act upon, above everything: it stays until somebody has confirmed it. */
class AlertBanner extends Part {
  readonly #person: Person;
  #shown = "";
  /** The lines that say how long ago it was. */
  #lines: [line: HTMLElement, time: number][] = [];

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.#shown = "";
    const { alerts } = this.#person;
    const show = () => {
      const { open } = alerts;
      const shown = open.map(({ alert }) => alert).join();
      // What is there already is not read out again.
      if (shown === this.#shown) return;
      this.#shown = shown;
      this.#lines = [];
      refill(this, ...open.slice(0, most).map((alert) => this.#section(alert)), open.length > most ? this.#rest(open) : null);
    };
    show();
    this.hear(alerts, "change", show);
    this.each(10_000, () => {
      for (const [line, time] of this.#lines) line.textContent = ago(time);
    });
    // Nobody tells that another guardian has confirmed one.
    this.each(30_000, () => {
      if (alerts.open.length > 0) void alerts.load().catch(() => {});
    });
  }

  /** Somebody who comes back after a while may have many. */
  #rest(open: Alert[]): HTMLElement {
    const all = button(say("confirmAll"), "s");
    pressed(all, () => void busy(all, async () => {
      for (const { alert } of open) await this.#person.alerts.confirm(alert);
    }));
    return element("div", { class: "row" }, element("span", { class: "grow small muted" }, say("moreAlerts", { count: open.length - most })), all);
  }

  #section({ alert, dependent, text, time }: Alert): HTMLElement {
    const id = freshId(), when = element("p", { class: "small" }, ago(time));
    const confirm = button(say("confirm"), "stop s");
    pressed(confirm, () => void busy(confirm, async () => {
      await this.#person.alerts.confirm(alert);
      toast(say("confirmedAlert"));
    }));
    const where = button(say("whereNow"), "s plain");
    where.prepend(icon("target", "i-s"));
    pressed(where, () => void busy(where, async () => {
      location.hash = `#/people/${dependent}`;
      await locate(this.#person, dependent);
    }));
    this.#lines.push([when, time]);
    return element("section", { class: "note bad", role: "alert", "aria-labelledby": id },
      icon("warn"),
      element("div", { class: "grow" }, element("div", {}, element("h2", { id }, written(text)), when)),
      element("div", { class: "btns" }, confirm, where));
  }
}

/** Asks a dependent's phones where they are. */
export async function locate(person: Person, dependent: string): Promise<void> {
  const { asked } = await person.ask("dependents/locate", { dependent });
  toast(asked === 0 ? say("noPhone") : say("phonesAsked"));
}

export const alertBanner: Banner = Object.assign((person: Person) => new AlertBanner(person), { isEverywhere: true });

customElements.define("vitals-alerts", AlertBanner);
