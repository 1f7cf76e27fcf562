import { dates, distance, duration, energy, number } from "../library/format";
import { element, fill } from "../library/element";
import { Imports } from "../library/imports";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { Card, facts, skeleton } from "../parts/card";

/** What this month's workouts come to. */
export class MonthCard extends Card {
  readonly #person: Person;
  readonly #body = element("div");

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const name = dates({ month: "long" }).format(Date.now());
    this.frame(name.charAt(0).toLocaleUpperCase() + name.slice(1), "", element("a", { href: "#/workouts/statistics" }, say("statistics")));
    this.append(this.#body);
    fill(this.#body, skeleton());
    void this.#load();
    this.hear(this.#person.broker, "change", () => this.#person.broker.state === "online" && void this.#load());
    this.hear(Imports.of(this.#person), "stored", () => void this.#load());
  }

  async #load(): Promise<void> {
    // Where it cannot be told, the list beside it says why.
    const report = await this.#person.ask("workouts/report", { period: "month" }).catch(() => null);
    this.hidden = !report;
    if (!report) return;
    const { workouts, distance_m, duration_s, energy_kcal } = report.total;
    const figures: [string, string, string?][] = [[say("workouts"), number(workouts)]];
    if (distance_m !== undefined) figures.push([say("distance"), distance(distance_m).value, distance(distance_m).unit]);
    if (duration_s !== undefined) figures.push([say("duration"), duration(duration_s)]);
    if (energy_kcal !== undefined) figures.push([say("energy"), energy(energy_kcal).value, energy(energy_kcal).unit]);
    fill(this.#body, facts("two", figures));
  }
}

customElements.define("vitals-month-card", MonthCard);
