import type { Alert, Notification } from "service";
import type { Person } from "./person";

/** What a guardian was told of the people they look after, the latest first. `change` is dispatched when it changes. */
export class Alerts extends EventTarget {
  list: Alert[] = [];
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
    person.news.addEventListener("told", (event) => {
      const told = (event as CustomEvent<Notification>).detail;
      if (told.alert) this.#comes(told.alert, told);
      else if (/^dependent-/.test(told.kind)) void this.load().catch(() => {});
    });
  }

  /** Those that nobody has confirmed. */
  get open(): Alert[] {
    return this.list.filter(({ confirmed }) => !confirmed);
  }

  async load(): Promise<void> {
    const { alerts } = await this.#person.ask("alerts/list", {});
    this.list = alerts;
    this.dispatchEvent(new Event("change"));
  }

  async confirm(alert: string): Promise<void> {
    await this.#person.ask("alerts/confirm", { alert });
    this.list = this.list.map((one) => (one.alert === alert ? { ...one, confirmed: { by: this.#person.user, own: true, time: Date.now() } } : one));
    this.dispatchEvent(new Event("change"));
  }

  /** The notification says most of a new one; the rest is asked for. */
  #comes(alert: string, { from, kind, time, text }: Notification): void {
    if (!from || this.list.some((one) => one.alert === alert)) return;
    this.list = [{ alert, dependent: from, kind, time, text, told: 1 }, ...this.list].slice(0, 100);
    this.dispatchEvent(new Event("change"));
    void this.load().catch(() => {});
  }
}
