import type { Requests as Asked } from "service";
import { element, fill, plain, pressed, written, type Child } from "../library/element";
import { ago, joined, metresOfUnit, paceText, pacesOf } from "../library/format";
import type { Person } from "../library/person";
import { pageOf, Refusal } from "../library/requests";
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
type Wanted = Asked["partners/find"]["asks"];

/** The fastest and the slowest pace that the service takes, in seconds for a kilometre. */
const [fastest, slowest] = [60, 3600];

/** Finding somebody to train with: nobody learns who somebody is before both agree. */
export function partners(person: Person): HTMLElement {
  const own = new OwnPartners(person), load = () => own.load();
  return element("div", { class: "grid" },
    element("div", { class: "side s7" }, own, new FindPartner(person, load)),
    element("div", { class: "side s5" }, new OfferForm(person, load), new ContactForm(person)));
}

/** "Running · Riverside · 5:30–6:00 /km". */
function offerText({ activity, area, pace }: Offer): Child[] {
  return [written(nameOf(activity)), " · ", written(area), pace ? ` · ${paceRange(pace)}` : null];
}

/** The same as one line, for what is read out. */
function offerName({ activity, area }: Offer): string {
  return `${nameOf(activity)}, ${plain(area)}`;
}

/** Nobody knows yet by which name to call whoever asks. */
function askName({ activity, time }: Listed["asked"][number]): string {
  return `${nameOf(activity)}, ${ago(time)}`;
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
      list(say("asksYou"), asked.map((one) => element("li", { "data-row": one.ask },
        element("div", { class: "row" }, element("span", { class: "badge accent" }, icon(iconOf(one.activity))), element("span", { class: "grow" },
          element("b", {}, say("somebody"), " · ", written(nameOf(one.activity))), one.text ? element("small", { class: "whole" }, written(one.text)) : null, element("small", {}, ago(one.time)))),
        element("div", { class: "btns" },
          act(say("accept"), askName(one), () => this.#answer(one.ask, true), "first s"),
          act(say("decline"), askName(one), () => this.#answer(one.ask, false)))))),
      list(say("yourPartners"), partners.map(({ partner, name = say("somebody"), contact, activity }, at) => element("li", { class: "row wraps", "data-row": partner }, face(name, looks[at % 4]),
        element("span", { class: "grow" }, element("b", {}, written(name)), element("small", { class: "whole" }, written(nameOf(activity)), contact ? " · " : null, contact ? written(contact) : null)),
        act(say("remove"), name, async () => {
          if (!await confirmed(say("endPartnerQuestion", { name: plain(name) }), say("endPartnerMeans"), say("remove"))) return;
          await this.person.ask("partners/end", { partner });
          await this.load();
        })))),
      list(say("yourOffers"), offers.map((offer) => element("li", { class: "row wraps", "data-row": offer.offer }, element("span", { class: "badge accent" }, icon(iconOf(offer.activity))),
        element("span", { class: "grow" }, element("b", { class: "whole" }, ...offerText(offer)), offer.text ? element("small", { class: "whole" }, written(offer.text)) : null),
        act(say("withdraw"), offerName(offer), async () => {
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

function areaField(options: { hint?: string; look?: string } = {}): Field {
  return field(say("area"), text({ maxlength: 64, autocomplete: "off" }), options);
}

interface PaceField {
  field: Field;
  /** The paces that somebody has typed; nothing if the field is empty. */
  read(): Pick<Wanted, "pace">;
}

function paceField(): PaceField {
  // What is typed is for the unit that the label names, whatever the person reads by then.
  const metres = metresOfUnit(), [least, most] = [paceText(fastest), paceText(slowest)];
  const made = field(say("paces", { unit: least.unit }), text({ maxlength: 16, autocomplete: "off" }), { hint: say("pacesHint") });
  return {
    field: made,
    read: () => {
      if (made.input.value.trim() === "") return {};
      const paces = pacesOf(made.input.value, metres);
      if (!paces || paces[0] < fastest || paces[1] > slowest) {
        throw new Refusal("invalid", say("noPaces", { least: least.value, most: most.value }), "pace");
      }
      return { pace: { from_s_per_km: paces[0], to_s_per_km: paces[1] } };
    },
  };
}

/** Looks for somebody by activity, area and pace. */
class FindPartner extends Card {
  readonly #person: Person;
  readonly #changed: () => Promise<void>;
  readonly #found = element("div", { class: "side", tabindex: -1, "aria-live": "polite" });
  /** How many searches there were. */
  #search = 0;

  constructor(person: Person, changed: () => Promise<void>) {
    super();
    this.#person = person;
    this.#changed = changed;
  }

  begin(): void {
    this.frame(say("findPartner"), "");
    const activity = activityField([["", say("anyActivity")]]), area = areaField(), pace = paceField();
    const look = element("button", { class: "btn first" }, say("search"));
    this.append(form({ activity, area, pace: pace.field }, [activity.node, area.node, pace.field.node, element("div", { class: "btns all" }, look)], look, async () => {
      const wanted = {
        ...(activity.input.value && { activity: activity.input.value }), ...(area.input.value.trim() && { area: area.input.value.trim() }), ...pace.read(),
      };
      this.#search += 1;
      await this.#find(element("ul", { class: "rows" }), wanted, this.#search);
    }), this.#found);
  }

  /** Shows the next offers below those that were found.
   *  @param search what comes too late for another one is not shown */
  async #find(rows: HTMLElement, wanted: Wanted, search: number, after?: string): Promise<void> {
    const { offers, next } = await pageOf(
      (from) => this.#person.ask("partners/find", { ...wanted, ...from }), (page) => page.offers.length === 0, after);
    if (search !== this.#search) return;
    const more = button(say("showMore"), "s"), made = offers.map((offer) => this.#row(offer));
    rows.append(...made);
    pressed(more, () => void busy(more, () => this.#find(rows, wanted, search, next)));
    const others = next === undefined ? null : more;
    if (after !== undefined && rows.isConnected) {
      // What was there is not read out again.
      this.#found.lastElementChild?.remove();
      if (others) this.#found.append(others);
    } else fill(this.#found, rows.childElementCount > 0 ? rows : empty("people", say(others ? "nobodyFoundYet" : "nobodyFound")), others);
    // Whoever has pressed the button goes on with what has come, or with what stands in its place.
    if (after !== undefined) (made[0]?.querySelector("button") ?? others ?? this.#found).focus();
  }

  #row(offer: Offer): HTMLElement {
    const ask = act(say("askPartner"), offerName(offer), async () => {
      await this.#person.ask("partners/ask", { offer: offer.offer });
      toast(say("partnerAsked"));
      await this.#changed();
    }, "s soft");
    return element("li", { class: "row wraps" }, element("span", { class: "badge accent" }, icon(iconOf(offer.activity))),
      element("span", { class: "grow" }, element("b", { class: "whole" }, ...offerText(offer)), offer.text ? element("small", { class: "whole" }, written(offer.text)) : null), ask);
  }
}

/** Says what somebody looks for. */
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
    const activity = activityField([]), area = areaField({ hint: say("areaHint"), look: "all" }), pace = paceField();
    const words = field(say("offerWords"), text({ maxlength: 200, autocomplete: "off" }), { look: "all" });
    const send = element("button", { class: "btn first" }, say("offerIt"));
    this.append(form({ activity, area, pace: pace.field, text: words }, [activity.node, pace.field.node, area.node, words.node, element("div", { class: "btns all" }, send)], send, async () => {
      if (area.input.value.trim() === "") throw new Refusal("invalid", "Enter Name", "area");
      await this.#person.ask("partners/offer", {
        activity: activity.input.value, area: area.input.value.trim(), ...pace.read(), ...(words.input.value.trim() && { text: words.input.value.trim() }) });
      toast(say("isOffered"));
      area.input.value = words.input.value = pace.field.input.value = "";
      await this.#changed();
    }));
  }
}

/** How partners reach somebody. */
class ContactForm extends AnswerCard {
  begin(): void {
    this.frame(say("contactForPartner"), "");
    // What somebody types stays.
    this.ask(async () => this.body.querySelector("form") ? null : [this.#form((await this.person.ask("partners/list", {})).contact ?? "")]);
  }

  #form(known: string): HTMLElement {
    const contact = field(say("contactIs"), text({ maxlength: 100, autocomplete: "off", value: known }), { hint: say("contactHint"), look: "all" });
    const send = element("button", { class: "btn first" }, say("save"));
    return form({ contact }, [contact.node, element("div", { class: "btns all" }, send)], send, async () => {
      await this.person.ask("partners/contact", { contact: contact.input.value.trim() || null });
      toast(say("contactSaved"));
    });
  }
}

customElements.define("vitals-own-partners", OwnPartners);
customElements.define("vitals-find-partner", FindPartner);
customElements.define("vitals-offer-form", OfferForm);
customElements.define("vitals-contact-form", ContactForm);
