import type { UsedGear } from "service";
import { element, fill, plain, pressed, written, type Child } from "../library/element";
import { ago, distance, duration, joined, metresOf } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { reason, say, type Word } from "../library/words";
import { activities, nameOf } from "../parts/activities";
import { answered } from "../parts/answered";
import { empty } from "../parts/card";
import { confirmed, opened } from "../parts/dialog";
import { busy, button, check, field, form, numberIn, select, text, type Field } from "../parts/form";
import { icon, type IconName } from "../parts/icons";
import { toast } from "../parts/toast";
import type { View } from "./view";
import { workoutsText, workoutsView } from "./workouts";

type Kind = UsedGear["kind"];

const kinds: [kind: Kind, word: Word, icon: IconName][] = [["shoes", "shoes", "steps"], ["bicycle", "bicycle", "bike"], ["other", "otherGear", "target"]];

/** Shoes, bicycles and whatever else workouts are done with, and how far each has come. */
export class GearList extends Part {
  readonly #person: Person;
  readonly #body = element("div", { class: "side" });
  #load = async () => {};

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const add = button("", "first");
    add.append(icon("plus", "i-s"), say("addGear"));
    pressed(add, () => this.#edit(null));
    fill(this, element("div", { class: "side" }, this.#body, element("div", { class: "btns" }, add)));
    this.#load = answered(this, this.#person, this.#body, async () => this.#cards((await this.#person.ask("gear/list", {}, 30)).gear), "card");
  }

  #cards(gear: UsedGear[]): Child[] {
    if (gear.length === 0) return [element("div", { class: "card" }, empty("steps", say("noGear")))];
    const group = (word: Word, pieces: UsedGear[]) => pieces.length === 0 ? null : element(
      "section", { class: "card", "aria-label": say(word) }, element("div", { class: "card-head" }, element("h2", {}, say(word))),
      element("ul", { class: "rows" }, ...pieces.map((piece) => this.#row(piece))));
    return [group("gearInUse", gear.filter(({ retired }) => !retired)), group("gearRetired", gear.filter(({ retired }) => retired))];
  }

  #row(piece: UsedGear): HTMLElement {
    const { id, name, kind, retired, distance_m, duration_s, workouts, last_used } = piece;
    const word = retired ? "useAgain" : "retire";
    const retire = button(say(word), "s", { "aria-label": say(`${word}Name`, { name: plain(name) }) });
    pressed(retire, () => void busy(retire, async () => {
      await this.#person.ask("gear/change", { gear: id, retired: !retired });
      await this.#load();
    }));
    const edit = pressed(button(say("edit"), "s", { "aria-label": say("editName", { name: plain(name) }) }), () => this.#edit(piece));
    const used = workouts === 0 ? say("neverUsed")
      : [workoutsText(workouts), duration(duration_s), ...(last_used ? [say("lastUsed", { time: ago(last_used) })] : [])].join(" · ");
    return element("li", { class: "row wraps" },
      element("span", { class: "badge accent" }, icon(kinds.find(([one]) => one === kind)?.[2] ?? "target")),
      element("span", { class: "grow" }, element("b", {}, written(name)), element("small", { class: "whole" }, used)),
      element("span", { class: "val" }, joined(distance(distance_m))), element("span", { class: "btns" }, edit, retire));
  }

  /** Asks for a new piece, or changes one. */
  #edit(piece: UsedGear | null): void {
    const name = field(say("personName"), text({ maxlength: 64, autocomplete: "off", value: piece?.name ?? "" }), { look: "all" });
    const kind = field(say("gearKind"), select(kinds.map(([value, word]) => [value, say(word)]), piece?.kind ?? "shoes"));
    // What is typed is in the unit that the label names, whatever the person reads by then.
    const unit = metresOf(1);
    const far = text({ type: "number", inputmode: "decimal", min: 0, step: "any", value: piece ? `${Math.round((piece.before_m / unit) * 100) / 100}` : "0" });
    const before = field(say("gearBefore", { unit: distance(0).unit }), far);
    const used = [...new Set([...activities.map(({ activity }) => activity), ...(piece?.activities ?? [])])];
    const boxes = used.map((activity) => ({ activity, ...check(plain(nameOf(activity)), piece?.activities.includes(activity) ?? false) }));
    const save = element("button", { class: "btn first" }, say("save"));
    const remove = piece ? button(say("delete"), "danger", { "aria-label": say("deleteName", { name: plain(piece.name) }) }) : null;
    if (remove && piece) pressed(remove, () => void this.#delete(piece, remove, dialog, name));
    const fields: Record<string, Field> = { name, kind, before_m: before };
    const dialog = opened(say(piece ? "editGear" : "addGear"), form(fields, [name.node, kind.node, before.node,
      element("fieldset", { class: "all" }, element("legend", {}, say("usedFor")), ...boxes.map(({ node }) => node)),
      element("div", { class: "btns all" }, remove, pressed(button(say("cancel"), ""), () => dialog.close()), save)], save, async () => {
      // What was only shown is not rounded.
      const metres = piece && far.value === far.defaultValue ? piece.before_m : Math.round((numberIn(before, "before_m", "Enter Proper Distance") ?? 0) * unit);
      if (name.input.value.trim() === "") throw new Refusal("invalid", "Enter Name", "name");
      if (!(metres >= 0)) throw new Refusal("invalid", "Enter Proper Distance", "before_m");
      const entered = {
        name: name.input.value.trim(), kind: kind.input.value as Kind, before_m: metres,
        activities: boxes.filter(({ input }) => input.checked).map(({ activity }) => activity),
      };
      if (piece) await this.#person.ask("gear/change", { gear: piece.id, ...entered });
      else await this.#person.ask("gear/add", entered);
      dialog.close();
      toast(say("Data Saved Successfully"));
      await this.#load();
    }));
  }

  async #delete({ id, name }: UsedGear, remove: HTMLButtonElement, dialog: HTMLDialogElement, field: Field): Promise<void> {
    if (!await confirmed(say("deleteNameQuestion", { name: plain(name) }), say("deleteGearMeans"), say("delete"))) return;
    await busy(remove, async () => {
      await this.#person.ask("gear/delete", { gear: id });
      dialog.close();
      await this.#load();
    }, (refusal) => field.complain(reason(refusal)));
  }
}

export const gearView: View = {
  address: /^#\/workouts\/gear$/,
  open: ({ person }) => ({ title: say("gear"), back: workoutsView.place, content: new GearList(person) }),
};

customElements.define("vitals-gear", GearList);
