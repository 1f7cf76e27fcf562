import type { WorkoutDetail } from "service";
import { element, fill, plain } from "../library/element";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { reason, say } from "../library/words";
import { field, select } from "../parts/form";
import { toast } from "../parts/toast";

/** What a workout was done with, which can be chosen afterwards, too. */
export class GearField extends Part {
  readonly #person: Person;
  readonly #workout: WorkoutDetail;

  constructor(person: Person, workout: WorkoutDetail) {
    super();
    this.#person = person;
    this.#workout = workout;
  }

  begin(): void {
    void this.#load();
  }

  async #load(): Promise<void> {
    const listed = await this.#person.ask("gear/list", {}, 30).catch(() => null);
    if (!listed) return;
    const { id, gear: chosen } = this.#workout;
    const pieces = listed.gear.filter(({ id, retired }) => !retired || id === chosen?.id);
    if (pieces.length === 0) return fill(this, element("a", { class: "small", href: "#/workouts/gear" }, say("addGear")));
    const made = field(say("doneWith"), select([["", say("noGearChosen")], ...pieces.map(({ id, name }): [string, string] => [id, plain(name)])], chosen?.id ?? ""));
    made.input.addEventListener("change", () => void (async () => {
      try {
        await this.#person.ask("workouts/set", { workout: id, gear: made.input.value || null });
        made.complain(null);
        toast(say("Data Saved Successfully"));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        made.complain(reason(error));
      }
    })());
    fill(this, made.node);
  }
}

customElements.define("vitals-gear-field", GearField);
