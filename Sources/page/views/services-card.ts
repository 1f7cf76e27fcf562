import type { Requests as Asked } from "service";
import { element, plain, pressed, written } from "../library/element";
import { ago } from "../library/format";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say } from "../library/words";
import { answered } from "../parts/answered";
import { Card } from "../parts/card";
import { confirmed, opened } from "../parts/dialog";
import { button, field, form, text } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";
import { act } from "./friends";

type Service = Asked["share/services"]["replies"]["services"][number];

/** Where the person can post to, such as their Mastodon. In a home without that there is no card. */
export class ServicesCard extends Card {
  readonly #person: Person;
  readonly #body = element("div");
  #load = async (): Promise<void> => {};

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("whereIShare"), "", pressed(button(say("add"), "s soft", { "aria-label": say("addService") }), () => this.#add()));
    this.append(element("p", { class: "small muted" }, say("whereIShareMeans")), this.#body);
    this.#load = answered(this, this.#person, this.#body, async () => {
      const { services, available } = await this.#person.ask("share/services", {});
      this.hidden = !available;
      return [services.length === 0 ? element("p", { class: "muted" }, say("noServicesYet")) : element("ul", { class: "rows" }, ...services.map((one) => this.#row(one)))];
    });
  }

  #row({ service, label, address, created }: Service): HTMLElement {
    const name = label ?? address;
    return element("li", { class: "row wraps", "data-row": service }, element("span", { class: "badge" }, icon("share")),
      element("span", { class: "grow" }, element("b", {}, written(name)), element("small", { class: "whole" }, written(address), " · ", ago(created))),
      act(say("remove"), name, async () => {
        if (!await confirmed(say("removeServiceQuestion", { name: plain(name) }), say("removeServiceMeans"), say("remove"))) return;
        await this.#person.ask("share/remove", { service });
        await this.#load();
      }));
  }

  #add(): void {
    const address = field(say("pushAddress"), text({ maxlength: 1024, autocomplete: "off", autocapitalize: "none", spellcheck: "false" }), { hint: say("serviceHint"), look: "all" });
    const label = field(say("personName"), text({ maxlength: 64, autocomplete: "off" }), { look: "all" });
    const save = element("button", { class: "btn first" }, say("add"));
    const dialog = opened(say("addService"), form({ address, label }, [address.node, label.node,
      element("div", { class: "btns all" }, pressed(button(say("cancel"), ""), () => dialog.close()), save)], save, async () => {
      if (address.input.value.trim() === "") throw new Refusal("invalid", "Empty Fields");
      await this.#person.ask("share/add", { address: address.input.value.trim(), ...(label.input.value.trim() && { label: label.input.value.trim() }) }, 30);
      dialog.close();
      toast(say("Data Saved Successfully"));
      await this.#load();
    }));
  }
}

customElements.define("vitals-services-card", ServicesCard);
