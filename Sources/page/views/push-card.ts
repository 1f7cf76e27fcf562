import type { ListedPushAddress } from "service";
import { element, plain, pressed, written } from "../library/element";
import { ago } from "../library/format";
import type { Person } from "../library/person";
import { reason, say } from "../library/words";
import { Refusal } from "../library/requests";
import { answered } from "../parts/answered";
import { Card } from "../parts/card";
import { busy, button, field, form, text, tick } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";

/** Where the person's notifications are brought. */
export class PushCard extends Card {
  readonly #person: Person;
  readonly #body = element("div", { class: "side" });
  #load = async () => {};

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("push"), "");
    this.append(element("p", { class: "hint" }, say("pushMeans")), this.#body);
    // Made once: what is typed there stays when the connection comes back.
    const adding = this.#adding();
    this.#load = answered(this, this.#person, this.#body, async () => {
      const { addresses, details } = await this.#person.ask("push/list", {});
      return [
        addresses.length > 0 && element("ul", { class: "rows" }, ...addresses.map((address) => this.#row(address))),
        tick(say("pushDetails"), details, (isOn) => this.#person.ask("push/set", { details: isOn })),
        adding,
      ];
    });
  }

  #row({ push, address, label = "", enabled, sent, failed, problem, waiting }: ListedPushAddress): HTMLElement {
    const shown = label === "" ? address : label;
    const act = (word: "test" | "confirm") => {
      const made = button(say(word), "s", { "aria-label": say(word === "test" ? "testIt" : "confirmIt", { name: plain(shown) }) });
      return pressed(made, () => void busy(made, async () => {
        // A receiver may need its time.
        try {
          await this.#person.ask(`push/${word}`, { push }, 70);
          toast(say(word === "test" ? "testSent" : "confirmedIt"));
        } finally {
          await this.#load();
        }
      }, (refusal) => toast(reason(refusal))));
    };
    const remove = element("button", { class: "round", type: "button", "aria-label": say("removeIt", { name: plain(shown) }) }, icon("close"));
    pressed(remove, () => void busy(remove, async () => {
      await this.#person.ask("push/remove", { push });
      await this.#load();
    }));
    const how = !enabled ? say("pushOff")
      : failed !== undefined && failed > (sent ?? 0) ? say("pushFailed", { time: ago(failed), why: plain(problem ?? "") })
      : sent !== undefined ? say("pushSent", { time: ago(sent) }) : say("pushNever");
    return element(
      "li", { class: "row" }, element("span", { class: "badge" }, icon("bell")),
      element("span", { class: "grow" }, element("b", {}, written(shown)),
        element("small", {}, waiting > 0 ? `${how}, ${say("pushWaiting", { count: waiting })}` : how)),
      act(enabled ? "test" : "confirm"), remove);
  }

  #adding(): HTMLElement {
    const address = field(say("pushAddress"), text({ autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 1024, required: true }),
      { hint: say("pushAddressHint"), look: "all" });
    const label = field(say("deviceName"), text({ maxlength: 64, autocomplete: "off" }), { look: "all" });
    const send = element("button", { class: "btn soft" }, say("add"));
    const made = form({ address, label }, [address.node, label.node, element("div", { class: "btns all" }, send)], send, async () => {
      const [to, called] = [address.input.value.trim(), label.input.value.trim()];
      if (to === "") throw new Refusal("invalid", say("pushAddressEmpty"), "address");
      const added = await this.#person.ask("push/add", { address: to, ...(called && { label: called }) });
      toast(say("pushAdded", { address: plain(added.address) }));
      made.reset();
      await this.#load();
    });
    return element("details", {}, element("summary", {}, say("addPush")), made);
  }
}

customElements.define("vitals-push-card", PushCard);
