import type { Requests as Asked } from "service";
import { element, fill, plain, pressed, written, type Child } from "../library/element";
import { ago, joined, paceText } from "../library/format";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say } from "../library/words";
import { AnswerCard } from "../parts/answer-card";
import { activities, iconOf, nameOf } from "../parts/activities";
import { Card, empty } from "../parts/card";
import { confirmed } from "../parts/dialog";
import { face } from "../parts/face";
import { busy, button, field, form, select, text, type Field } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";
import { act } from "./friends";
import { looks } from "./friends-card";

type Listed = Asked["partners/list"]["replies"];
type Offer = Omit<Listed["offers"][number], "expires">;

/** Finding somebody to train with: nobody learns who somebody is before both agree. */
export function partners(person: Person): HTMLElement {
  const own = new OwnPartners(person), load = () => own.load();
  return element("div", { class: "grid" },
    element("div", { class: "side s7" }, own, new FindPartner(person, load)),
    element("div", { class: "side s5" }, new OfferForm(person, load)));
}

/** "Running · Riverside · 5:30–6:00 /km". */
function offerText({ activity, area, pace }: Offer): Child[] {
  return [written(nameOf(activity)), " · ", written(area), pace ? ` · ${paceRange(pace)}` : null];
}

function paceRange({ from_s_per_km, to_s_per_km }: NonNullable<Offer["pace"]>): string {
  return `${paceText(from_s_per_km).value}–${joined(paceText(to_s_per_km))}`;
}

/** Partners, what was asked both ways, and one's own offers. */
class OwnPartners extends AnswerCard {
  begin(): void {
    this.frame(say("partners"), "");
    this.ask(async () => this.#content(await this.person.ask("partners/list", {})));
    this.hear(this.person.news, "told", () => void this.load());
  }

  #content({ offers, asked, asks, partners }: Listed): Child[] {
    if (offers.length + asked.length + asks.length + partners.length === 0) return [empty("people", say("noPartners"))];
    const list = (title: string, rows: HTMLElement[]) => rows.length === 0 ? null : element("div", {}, element("h3", {}, title), element("ul", { class: "rows" }, ...rows));
    return [
      list(say("asksYou"), asked.map((one) => element("li", {},
        element("div", { class: "row" }, element("span", { class: "badge accent" }, icon(iconOf(one.activity))), element("span", { class: "grow" },
          element("b", {}, say("somebody"), " · ", written(nameOf(one.activity))), one.text ? element("small", { class: "whole" }, written(one.text)) : null, element("small", {}, ago(one.time)))),
        element("div", { class: "btns" },
          act(say("accept"), say("somebody"), () => this.#answer(one.ask, true), "first s"),
          act(say("decline"), say("somebody"), () => this.#answer(one.ask, false)))))),
      list(say("yourPartners"), partners.map(({ partner, name = say("somebody"), contact, activity }, at) => element("li", { class: "row wraps" }, face(name, looks[at % 4]),
        element("span", { class: "grow" }, element("b", {}, written(name)), element("small", { class: "whole" }, written(nameOf(activity)), contact ? " · " : null, contact ? written(contact) : null)),
        act(say("remove"), name, async () => {
          if (!await confirmed(say("endPartnerQuestion", { name: plain(name) }), say("endPartnerMeans"), say("remove"))) return;
          await this.person.ask("partners/end", { partner });
          await this.load();
        })))),
      list(say("yourOffers"), offers.map((offer) => element("li", { class: "row wraps" }, element("span", { class: "badge accent" }, icon(iconOf(offer.activity))),
        element("span", { class: "grow" }, element("b", { class: "whole" }, ...offerText(offer)), offer.text ? element("small", { class: "whole" }, written(offer.text)) : null),
        act(say("withdraw"), nameOf(offer.activity), async () => {
          await this.person.ask("partners/withdraw", { offer: offer.offer });
          await this.load();
        })))),
      list(say("youAsked"), asks.map((one) => element("li", { class: "row" }, element("span", { class: "grow" },
        element("b", {}, written(nameOf(one.activity))), one.text ? element("small", { class: "whole" }, written(one.text)) : null, element("small", {}, ago(one.time)))))),
    ];
  }

  async #answer(ask: string, accept: boolean): Promise<void> {
    await this.person.ask("partners/answer", { ask, accept });
    await this.load();
  }
}

function activityField(first: [string, string][]): Field {
  const known = activities.map(({ activity }): [string, string] => [activity, nameOf(activity)]);
  return field(say("activity"), select([...first, ...known], first.length > 0 ? "" : "running"));
}

/** Looks for somebody by activity and area. */
class FindPartner extends Card {
  readonly #person: Person;
  readonly #changed: () => Promise<void>;
  readonly #found = element("div", { class: "side", "aria-live": "polite" });

  constructor(person: Person, changed: () => Promise<void>) {
    super();
    this.#person = person;
    this.#changed = changed;
  }

  begin(): void {
    this.frame(say("findPartner"), "");
    const activity = activityField([["", say("anyActivity")]]), area = field(say("area"), text({ maxlength: 64, autocomplete: "off" }));
    const look = element("button", { class: "btn first" }, say("search"));
    this.append(form({ activity, area }, [activity.node, area.node, element("div", { class: "btns all" }, look)], look, async () => {
      const { offers } = await this.#person.ask("partners/find", {
        ...(activity.input.value && { activity: activity.input.value }), ...(area.input.value.trim() && { area: area.input.value.trim() }) });
      fill(this.#found, offers.length === 0 ? empty("people", say("nobodyFound")) : element("ul", { class: "rows" }, ...offers.map((offer) => this.#row(offer))));
    }), this.#found);
  }

  #row(offer: Offer): HTMLElement {
    const ask = button(say("askPartner"), "s soft");
    pressed(ask, () => void busy(ask, async () => {
      await this.#person.ask("partners/ask", { offer: offer.offer });
      toast(say("partnerAsked"));
      await this.#changed();
    }));
    return element("li", { class: "row wraps" }, element("span", { class: "badge accent" }, icon(iconOf(offer.activity))),
      element("span", { class: "grow" }, element("b", { class: "whole" }, ...offerText(offer)), offer.text ? element("small", { class: "whole" }, written(offer.text)) : null), ask);
  }
}

/** Says what somebody looks for, and how a partner reaches them. */
class OfferForm extends Card {
  readonly #person: Person;
  readonly #changed: () => Promise<void>;

  constructor(person: Person, changed: () => Promise<void>) {
    super();
    this.#person = person;
    this.#changed = changed;
  }

  begin(): void {
    this.frame(say("offerPartner"), "");
    const activity = activityField([]), area = field(say("area"), text({ maxlength: 64, autocomplete: "off" }), { hint: say("areaHint"), look: "all" });
    const words = field(say("offerWords"), text({ maxlength: 200, autocomplete: "off" }), { look: "all" });
    const contact = field(say("contactForPartner"), text({ maxlength: 100, autocomplete: "off" }), { hint: say("contactHint"), look: "all" });
    const send = element("button", { class: "btn first" }, say("offerIt"));
    this.append(form({ activity, area, text: words, contact }, [activity.node, area.node, words.node, contact.node, element("div", { class: "btns all" }, send)], send, async () => {
      if (area.input.value.trim() === "") throw new Refusal("invalid", "Enter Name", "area");
      if (contact.input.value.trim()) await this.#person.ask("partners/contact", { contact: contact.input.value.trim() });
      await this.#person.ask("partners/offer", {
        activity: activity.input.value, area: area.input.value.trim(), ...(words.input.value.trim() && { text: words.input.value.trim() }) });
      toast(say("isOffered"));
      area.input.value = words.input.value = "";
      await this.#changed();
    }));
  }
}

customElements.define("vitals-own-partners", OwnPartners);
customElements.define("vitals-find-partner", FindPartner);
customElements.define("vitals-offer-form", OfferForm);
