import type { ListedPushAddress } from "service";
import { element, plain, pressed, written, type Child } from "../library/element";
import { ago } from "../library/format";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { obstacle, own, subscribe, unsubscribe } from "../library/web-push";
import { reason, say, type Word } from "../library/words";
import { answered } from "../parts/answered";
import { Card } from "../parts/card";
import { busy, button, field, form, text, tick } from "../parts/form";
import { icon, type IconName } from "../parts/icons";
import { toast } from "../parts/toast";
import { deviceName } from "./door";

/** Where the person's notifications are brought: to this browser, if they want that, and to their other addresses. */
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
      const here = await own(addresses);
      const hindrance = obstacle() ?? (await this.#isOffered() ? null : "pushNowhere");
      const others = addresses.filter((one) => one !== here).map((one) => this.#row(one));
      return [
        element("ul", { class: "rows" }, this.#ofThisBrowser(here, hindrance !== null), ...others),
        hindrance && element("p", { class: "hint" }, say(hindrance)),
        tick(say("pushDetails"), details, (isOn) => this.#person.ask("push/set", { details: isOn })),
        element("p", { class: "hint" }, say("pushNeutral")),
        tick(say("tellWeeks"), (await this.#person.ask("weekly/get", {})).wanted, (isOn) => this.#person.ask("weekly/set", { wanted: isOn })),
        adding,
      ];
    });
  }

  /** Only a home that brings notifications to browsers has a key for them. */
  #isOffered(): Promise<boolean> {
    return this.#person.ask("push/key", {}).then(() => true, (error: unknown) => {
      if (error instanceof Refusal && error.code === "not-supported") return false;
      throw error;
    });
  }

  #ofThisBrowser(here: ListedPushAddress | undefined, isHindered: boolean): HTMLElement {
    const name = say("thisDevice");
    if (isHindered) return row("bell", name, say("off"), here && this.#turnOff(here));
    if (here?.enabled) return row("bell", name, how(here), this.#act("test", here), this.#turnOff(here));
    const on = button(say("switchOn"), "s first", { "aria-label": say("confirmIt", { name }) });
    pressed(on, () => void busy(on, async () => {
      await subscribe(this.#person, deviceName());
      await this.#load();
    }));
    return row("bell", name, say(here ? "pushOff" : "off"), on);
  }

  #turnOff(here: ListedPushAddress): HTMLElement {
    const off = button(say("switchOff"), "s", { "aria-label": say("switchOffIt", { name: say("thisDevice") }) });
    return pressed(off, () => void busy(off, async () => {
      await this.#person.ask("push/remove", { push: here.push });
      await unsubscribe();
      await this.#load();
    }));
  }

  #row(address: ListedPushAddress): HTMLElement {
    const name = nameOf(address);
    const remove = element("button", { class: "round", type: "button", "aria-label": say("removeName", { name: plain(name) }) }, icon("close"));
    pressed(remove, () => void busy(remove, async () => {
      await this.#person.ask("push/remove", { push: address.push });
      await this.#load();
    }));
    return row("bell", written(name), how(address), this.#act(address.enabled ? "test" : "confirm", address), remove);
  }

  #act(verb: "test" | "confirm", { push, ...address }: ListedPushAddress): HTMLElement {
    const [label, told, done]: [Word, Word, Word] = verb === "test" ? ["test", "testIt", "testSent"] : ["switchOn", "confirmIt", "confirmedIt"];
    const made = button(say(label), "s", { "aria-label": say(told, { name: plain(nameOf(address)) }) });
    return pressed(made, () => void busy(made, async () => {
      // A receiver may need its time.
      try {
        await this.#person.ask(`push/${verb}`, { push }, 70);
        toast(say(done));
      } finally {
        await this.#load();
      }
    }, (refusal) => toast(reason(refusal))));
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

function nameOf({ address, label = "" }: Pick<ListedPushAddress, "address" | "label">): string {
  return label === "" ? address : label;
}

/** How it went there last. */
function how({ enabled, failed, problem = "", sent, waiting }: ListedPushAddress): string {
  if (!enabled) return say("pushOff");
  const latest = failed !== undefined && failed > (sent ?? 0) ? say("pushFailed", { time: ago(failed), why: plain(problem) })
    : sent !== undefined ? say("pushSent", { time: ago(sent) }) : say("pushNever");
  return waiting > 0 ? `${latest}, ${say("pushWaiting", { count: waiting })}` : latest;
}

function row(name: IconName, title: Child, state: string, ...buttons: Child[]): HTMLElement {
  return element(
    "li", { class: "row" }, element("span", { class: "badge" }, icon(name)),
    element("span", { class: "grow" }, element("b", {}, title), element("small", {}, state)), ...buttons);
}

customElements.define("vitals-push-card", PushCard);
