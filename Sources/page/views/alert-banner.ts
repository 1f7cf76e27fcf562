import type { Alert } from "service";
import { element, fill, freshId, pressed, written } from "../library/element";
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

/** The alerts that were read out already, on whatever view it was. */
const told = new Set<string>();

/** What a guardian has to act upon, above everything: it stays until somebody has confirmed it. */
class AlertBanner extends Part {
  readonly #person: Person;
  /** What each alert that is shown looks like, and the line that says how long ago it was. */
  readonly #shown = new Map<string, { section: HTMLElement; when: HTMLElement; time: number }>();
  #rest: HTMLElement | null = null;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const { alerts } = this.#person;
    fill(this);
    this.#shown.clear();
    const show = () => {
      const { open } = alerts, shown = open.slice(0, most);
      // What is there already stays as it is, and is not read out again.
      for (const [alert, { section }] of this.#shown) {
        if (shown.some((one) => one.alert === alert)) continue;
        const hadFocus = section.contains(document.activeElement);
        section.remove();
        this.#shown.delete(alert);
        if (hadFocus) document.querySelector("h1")?.focus();
      }
      shown.forEach((one, at) => {
        if (this.#shown.has(one.alert)) return;
        this.insertBefore(this.#section(one), this.children[at] ?? null);
      });
      this.#rest?.remove();
      this.#rest = open.length > most ? this.#others(open) : null;
      if (this.#rest) this.append(this.#rest);
    };
    show();
    this.hear(alerts, "change", show);
    this.each(10_000, () => {
      for (const { when, time } of this.#shown.values()) when.textContent = ago(time);
    });
    // Nobody tells that another guardian has confirmed one.
    this.each(30_000, () => {
      if (alerts.open.length > 0) void alerts.load().catch(() => {});
    });
  }

  /** Somebody who comes back after a while may have many. */
  #others(open: Alert[]): HTMLElement {
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
    // Only what has happened is read out: how long ago it was changes again and again.
    const section = element("section", { class: "note bad", "aria-labelledby": id },
      icon("warn"),
      element("div", { class: "grow" }, element("div", {}, element("h2", { id }, element("span", { role: told.has(alert) ? undefined : "alert" }, written(text))), when)),
      element("div", { class: "btns" }, confirm, where));
    told.add(alert);
    this.#shown.set(alert, { section, when, time });
    return section;
  }
}

/** Asks a dependent's phones where they are. */
export async function locate(person: Person, dependent: string): Promise<void> {
  const { asked } = await person.ask("dependents/locate", { dependent });
  toast(asked === 0 ? say("noPhone") : say("phonesAsked"));
}

export const alertBanner: Banner = Object.assign((person: Person) => new AlertBanner(person), { isEverywhere: true });

customElements.define("vitals-alerts", AlertBanner);
