import type { Phone, PhonesLinkData } from "service";
import { element, plain, pressed, written } from "../library/element";
import { ago } from "../library/format";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say } from "../library/words";
import { answered } from "../parts/answered";
import { Card } from "../parts/card";
import { confirmed, opened } from "../parts/dialog";
import { busy, button, check, field, form, text } from "../parts/form";
import { icon } from "../parts/icons";
import { qrPicture } from "../parts/qr-picture";
import { toast } from "../parts/toast";

const beginning = "owntracks:///config?inline=";

/** Phones that say where the person is, by the app OwnTracks. */
export class PhonesCard extends Card {
  readonly #person: Person;
  readonly #body = element("div", { class: "side" });
  #load = async () => {};

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("phones"), "");
    this.append(element("p", { class: "hint" }, say("phonesMean")), this.#body);
    // Made once: what is typed there stays when the connection comes back.
    const adding = this.#adding();
    this.#load = answered(this, this.#person, this.#body, async () => {
      const { phones, recorded } = await this.#person.ask("phones/list", {});
      return [
        phones.length > 0 && element("ul", { class: "rows" }, ...phones.map((phone) => this.#row(phone))),
        recorded ? adding : element("p", { class: "note warn" }, icon("warn", "i-s"), element("span", { class: "grow" }, say("locationOff"))),
      ];
    });
    this.hear(this.#person, "consent", () => void this.#load());
  }

  #row({ phone, name, encrypted, created, signed_in }: Phone): HTMLElement {
    const shown = name === "" ? phone : name;
    const link = button(say("link"), "s", { "aria-label": say("linkOf", { name: plain(shown) }) });
    pressed(link, () => void busy(link, async () => this.#show(await this.#person.ask("phones/link", { phone }))));
    const remove = element("button", { class: "round", type: "button", "aria-label": say("removeName", { name: plain(shown) }) }, icon("close"));
    pressed(remove, () => void (async () => {
      if (!await confirmed(say("removeNameQuestion", { name: plain(shown) }), say("removePhoneMeans"), say("remove"))) return;
      await busy(remove, async () => {
        await this.#person.ask("phones/remove", { phone });
        await this.#load();
      });
    })());
    const state = signed_in ? say(encrypted ? "sealedSince" : "openSince", { time: ago(created) }) : say("phoneSignedOut");
    return element(
      "li", { class: "row" }, element("span", { class: `badge ${signed_in ? "good" : ""}` }, icon("phone")),
      element("span", { class: "grow" }, element("b", {}, written(shown)), element("small", {}, state)), signed_in && link, remove);
  }

  #adding(): HTMLElement {
    const name = field(say("deviceName"), text({ maxlength: 64, autocomplete: "off" }), { look: "all" });
    const sealed = check(say("sealPhone"), true);
    const send = element("button", { class: "btn soft" }, say("connectPhone"));
    const made = form({ name }, [name.node, sealed.node, element("div", { class: "btns all" }, send)], send, async () => {
      this.#show(await this.#person.ask("phones/add", { name: name.input.value.trim() || say("phone"), encrypted: sealed.input.checked }, 20));
      made.reset();
      await this.#load();
    });
    return made;
  }

  /** Shows what configures the app: it has a password and a secret in it. */
  #show({ link }: PhonesLinkData): void {
    if (!link.startsWith(beginning)) throw new Refusal("internal", say("noPhoneLink"));
    const copy = button(say("copy"), "first"), close = button(say("close"), "");
    const open = element("a", { class: "btn phone-only" }, say("openOnPhone"));
    // The one address that leads out of the page, to an app on the same telephone.
    open.href = link;
    const dialog = opened(
      say("phoneLink"), element("p", {}, say("phoneLinkMeans")), qrPicture(link, say("phoneLink")),
      element("p", { class: "scroll", tabindex: 0 }, element("code", { class: "small" }, link)),
      element("div", { class: "btns" }, close, open, copy));
    pressed(close, () => dialog.close());
    pressed(copy, () => void navigator.clipboard.writeText(link).then(() => toast(say("copied")), () => toast(say("notCopied"))));
  }
}

customElements.define("vitals-phones-card", PhonesCard);
