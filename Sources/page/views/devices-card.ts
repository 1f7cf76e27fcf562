import type { SignedInDevice } from "service";
import { element, plain, pressed, written } from "../library/element";
import { ago } from "../library/format";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { answered } from "../parts/answered";
import { Card } from "../parts/card";
import { opened } from "../parts/dialog";
import { busy, button, field, form, text } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";

/** Where the person is signed in. */
export class DevicesCard extends Card {
  readonly #person: Person;
  readonly #rows = element("div");
  #load = async () => {};

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("devices"), "");
    this.append(this.#rows);
    this.#load = answered(this, this.#person, this.#rows, async () => {
      const { devices } = await this.#person.ask("devices/list", {});
      return [element("ul", { class: "rows" }, ...devices.map((device) => this.#row(device)))];
    });
  }

  #row({ device, name, created }: SignedInDevice): HTMLElement {
    const isThis = device === this.#person.device;
    const shown = name === "" ? device : name;
    const rename = element("button", { class: "round", type: "button", "aria-label": say("renameName", { name: plain(shown) }) }, icon("pen"));
    pressed(rename, () => this.#rename(device, shown));
    const revoke = button(say("signOut"), "s", { "aria-label": say("revokeDevice", { name: plain(shown) }) });
    pressed(revoke, () => void busy(revoke, async () => {
      await this.#person.ask("devices/revoke", { device });
      toast(say("revoked", { name: plain(shown) }));
      await this.#load();
    }));
    return element(
      "li", { class: "row" },
      element("span", { class: "badge" }, icon("phone")),
      element("span", { class: "grow" }, element("b", {}, written(shown)),
        element("small", {}, isThis ? say("thisDevice") : say("signedInOn", { time: ago(created) }))),
      rename, isThis ? null : revoke);
  }

  #rename(device: string, old: string): void {
    const name = field(say("deviceName"), text({ maxlength: 64, value: old, required: true, autocomplete: "off" }), { look: "all" });
    const cancel = button(say("cancel"), ""), save = element("button", { class: "btn first" }, say("save"));
    const dialog = opened(say("renameTitle"), form({ name }, [name.node, element("div", { class: "btns all" }, cancel, save)], save, async () => {
      await this.#person.ask("devices/name", { device, name: name.input.value });
      dialog.close();
      await this.#load();
    }));
    pressed(cancel, () => dialog.close());
    name.input.focus();
  }
}

customElements.define("vitals-devices-card", DevicesCard);
