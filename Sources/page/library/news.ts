import type { Notification } from "service";
import type { Person } from "./person";

/** What has happened, the latest first: what the service kept, and what comes meanwhile. `change` is dispatched when it changes, and
 *  `told` with what has just come. */
export class News extends EventTarget {
  /** Undefined until the service has said what there is. */
  list: Notification[] | undefined;
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
    person.hear("notifications", (value) => {
      const told = value as Notification | undefined;
      // The service publishes again what it is not sure of, with the same id.
      if (!told?.id || this.list?.some(({ id }) => id === told.id)) return;
      this.list = [told, ...(this.list ?? [])].slice(0, 100);
      this.dispatchEvent(new Event("change"));
      this.dispatchEvent(new CustomEvent("told", { detail: told }));
    });
  }

  async load(): Promise<void> {
    const { notifications } = await this.#person.ask("notifications/list", { all: true, limit: 50 });
    this.list = notifications;
    this.dispatchEvent(new Event("change"));
  }

  /** All of it has been seen. */
  async confirm(): Promise<void> {
    await this.#person.ask("notifications/confirm", { all: true });
    this.list = (this.list ?? []).map((one) => ({ ...one, confirmed: true }));
    this.dispatchEvent(new Event("change"));
  }
}
