import type { Guardian, GuardiansCodeData, ListedGuardian } from "service";
import { dayName } from "../library/calendar";
import { element, fill, plain, pressed, written } from "../library/element";
import { ago } from "../library/format";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say, type Word } from "../library/words";
import { answered } from "../parts/answered";
import { Card, empty } from "../parts/card";
import { confirmed } from "../parts/dialog";
import { face } from "../parts/face";
import { busy, button, field, form, named, text, tick } from "../parts/form";
import { toast } from "../parts/toast";
import { act } from "./friends";
import { looks } from "./friends-card";

/** Who looks after oneself, and what each may see; what everybody may see; and the code with which somebody becomes a guardian. */
export function whoSeesMe(person: Person): HTMLElement {
  return element("div", { class: "grid" },
    element("div", { class: "side s7" }, new Guardians(person), new Sharing(person)),
    element("div", { class: "side s5" }, new Code(person), new CallForHelp(person)));
}

class Guardians extends Card {
  readonly #person: Person;
  readonly #rows = element("div");

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("yourGuardians"), "");
    this.append(this.#rows);
    const load = answered(this, this.#person, this.#rows, async () => {
      const { guardians } = await this.#person.ask("guardians/list", {});
      if (guardians.length === 0) return [empty("eye", say("noGuardians"))];
      return [element("ul", { class: "rows" }, ...guardians.map((one, at) => (one.blocked ? this.#blocked(one, load) : this.#guardian(one as Guardian, at, load))))];
    });
    this.hear(this.#person.news, "told", () => void load());
  }

  #guardian(one: Guardian, at: number, load: () => Promise<void>): HTMLElement {
    const { guardian, name = say("somebody"), since, looked = [] } = one;
    const sight = (field: "location" | "motion" | "steps" | "heart_rate", word: Word) =>
      tick(say(word), one[field], (isAllowed) => this.#person.ask("guardians/allow", { guardian, [field]: isAllowed }));
    const days = looked.map(({ day, times }) => say("lookedOn", { day: dayName(day), times })).join(", ");
    const ending = (verb: "guardians/remove" | "guardians/block", question: Word, means: Word, word: Word) =>
      act(say(word), name, async () => {
        if (!await confirmed(say(question, { name: plain(name) }), say(means), say(word))) return;
        await this.#person.ask(verb, { guardian });
        await load();
      }, verb === "guardians/remove" ? "danger s" : "s");
    return element("li", { "data-row": guardian },
      element("div", { class: "row" }, face(name, looks[at % 4]), element("span", { class: "grow" },
        element("b", {}, written(name)), element("small", {}, say("guardianSince", { time: ago(since) })))),
      element("fieldset", { "aria-label": say("maySeeOf", { name: plain(name) }) }, element("legend", {}, say("maySee")),
        sight("location", "seesPosition"), sight("motion", "seesMotion"), sight("steps", "seesSteps"), sight("heart_rate", "seesHeart")),
      element("p", { class: "hint" }, days ? say("looked", { days }) : say("neverLooked")),
      element("div", { class: "btns" },
        ending("guardians/remove", "endGuardianQuestion", "endGuardianMeans", "end"),
        ending("guardians/block", "blockQuestion", "blockGuardianMeans", "block")));
  }

  /** The service does not say who it is. */
  #blocked({ guardian }: ListedGuardian, load: () => Promise<void>): HTMLElement {
    return element("li", { class: "row", "data-row": guardian },
      element("span", { class: "grow" }, element("b", {}, say("somebody")), element("small", {}, say("isBlocked"))),
      act(say("unblock"), say("somebody"), async () => {
        await this.#person.ask("guardians/unblock", { guardian });
        await load();
      }));
  }
}

/** What is shared with all friends, and whether there is a position that could be shared. */
class Sharing extends Card {
  readonly #person: Person;
  readonly #ticks = element("div");

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("sharing"), "");
    this.append(this.#ticks);
    answered(this, this.#person, this.#ticks, async () => {
      const consent = await this.#person.ask("consent/get", {});
      return [
        tick(say("friendsSeeSteps"), consent.steps, (steps) => this.#person.ask("consent/set", { steps })),
        tick(say("positionRecorded"), consent.record_location, (isRecorded) => this.#person.ask("consent/set", { record_location: isRecorded })),
        element("p", { class: "hint" }, say("recordPositionWhy")),
      ];
    });
  }
}

/** The verification code, which a guardian has to know. */
class Code extends Card {
  readonly #person: Person;
  readonly #state = element("div", { role: "status" });

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("verificationCode"), "");
    const code = field(say("verificationCode"), text({ autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 64 }),
      { hint: say("verificationHint"), look: "all" });
    const whom = field(say("onlyFor"), text({ autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 254 }),
      { hint: say("onlyForHint"), look: "all" });
    const send = element("button", { class: "btn first" }, say("setCode"));
    this.append(this.#state, form({ code, email: whom, phone: whom }, [code.node, whom.node, element("div", { class: "btns all" }, send)], send, async () => {
      if (code.input.value === "") throw new Refusal("invalid", "Empty Fields");
      const name = whom.input.value.trim() === "" ? {} : named(whom.input);
      const set = await this.#person.ask("guardians/code", { code: code.input.value, ...name }, 30);
      code.input.value = whom.input.value = "";
      fill(this.#state, this.#said(set));
    }));
    answered(this, this.#person, this.#state, async () => [this.#said(await this.#person.ask("guardians/list", {}))]);
  }

  #said({ code_set, code_for }: GuardiansCodeData): HTMLElement {
    if (code_set === undefined) return element("p", { class: "muted" }, say("noVerificationCode"));
    const remove = button(say("remove"), "s");
    pressed(remove, () => void busy(remove, async () => {
      fill(this.#state, this.#said(await this.#person.ask("guardians/code", { code: null })));
    }));
    return element("div", { class: "row" }, element("span", { class: "grow" }, element("b", {}, say("codeIsSet", { time: ago(code_set) })),
      code_for === undefined ? null : element("small", {}, say("codeFor"), " ", written(code_for))), remove);
  }
}

/** Somebody who needs help tells all guardians at once. */
class CallForHelp extends Card {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("callForHelp"), "");
    const words = field(say("helpWords"), text({ maxlength: 200, autocomplete: "off" }), { look: "all" });
    const send = element("button", { class: "btn stop" }, say("callForHelp"));
    this.append(element("p", { class: "hint" }, say("helpWhy")), form({ text: words }, [words.node, element("div", { class: "btns all" }, send)], send, async () => {
      const said = words.input.value.trim();
      const { told } = await this.#person.ask("guardians/help", said === "" ? {} : { text: said });
      words.input.value = "";
      toast(say("helpTold", { count: told }));
    }));
  }
}

customElements.define("vitals-guardians", Guardians);
customElements.define("vitals-sharing", Sharing);
customElements.define("vitals-code", Code);
customElements.define("vitals-help-wanted", CallForHelp);
