import type { Dependent } from "service";
import { element, fill, plain, pressed, written } from "../library/element";
import { ago, percent } from "../library/format";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say, type Word } from "../library/words";
import { answered } from "../parts/answered";
import { Card, empty } from "../parts/card";
import { face } from "../parts/face";
import { busy, field, form, named, text } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";
import { looks } from "./friends-card";
import { PlaceCard } from "./place-card";

/** The people whom somebody looks after, whom their programs show, and how one becomes a guardian. */
export function lookingAfter(person: Person): HTMLElement {
  const dependents = new Dependents(person);
  return element("div", { class: "grid" }, element("div", { class: "side s7" }, new PlaceCard(person), dependents),
    element("div", { class: "side s5" }, new Connect(person, () => dependents.load())));
}

/** What somebody does now, in a word. */
export const motions: Record<NonNullable<Dependent["state"]>, Word> = {
  still: "isStill", walking: "isWalking", running: "isRunning", cycling: "isCycling", driving: "isDriving",
};

class Dependents extends Card {
  readonly #person: Person;
  readonly #rows = element("div", { class: "side" });
  load: () => Promise<void> = () => Promise.resolve();

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("lookingAfter"), "");
    this.append(this.#rows);
    this.load = answered(this, this.#person, this.#rows, async () => {
      const { dependents, chosen } = await this.#person.ask("dependents/list", {});
      if (dependents.length === 0) return [empty("people", say("noDependents"))];
      return [element("ul", { class: "rows" }, ...dependents.map((one, at) => element("li", {}, row(one, at)))), this.#chooser(dependents, chosen)];
    });
    this.hear(this.#person.news, "told", () => void this.load());
    // Another program may have chosen.
    this.whileShown(this.#person.follow("chosen-dependent", () => void this.load()));
  }

  /** Whom all of the guardian's programs show: one of them, or themselves. */
  #chooser(dependents: Dependent[], chosen: string | undefined): HTMLElement {
    const choices: [dependent: string | null, name: string][] = [
      [null, say("myself")], ...dependents.map(({ dependent, name }): [string, string] => [dependent, name ?? say("somebody")])];
    const buttons = element("div", { class: "seg", role: "group", "aria-label": say("programsShow") });
    const show = (shown: string | null) => fill(buttons, ...choices.map(([dependent, name]) => {
      const choose = element("button", { type: "button", "aria-pressed": `${dependent === shown}` }, plain(name));
      return pressed(choose, () => void busy(choose, async () => {
        await this.#person.ask("dependents/choose", { dependent });
        show(dependent);
      }));
    }));
    show(chosen ?? null);
    return element("div", {}, element("p", { class: "hint" }, say("programsShow")), buttons);
  }
}

function row({ dependent, name = say("somebody"), location, position, state, battery_percent }: Dependent, at: number): HTMLElement {
  const where = position ? say("seenAt", { time: ago(position.time) }) : say(location ? "noPosition" : "positionNotShared");
  return element("a", { class: "row", href: `#/people/${dependent}` },
    face(name, looks[at % 4]),
    element("span", { class: "grow" }, element("b", {}, written(name)), element("small", {}, state ? `${say(motions[state])} · ${where}` : where)),
    battery_percent === undefined ? null : element("span", { class: "val" }, percent(battery_percent)),
    icon("next", "i-s"));
}

class Connect extends Card {
  readonly #person: Person;
  readonly #connected: () => Promise<void>;

  constructor(person: Person, connected: () => Promise<void>) {
    super();
    this.#person = person;
    this.#connected = connected;
  }

  begin(): void {
    this.frame(say("becomeGuardian"), "");
    const plainText = { autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 254 };
    const whom = field(say("theirName"), text(plainText), { look: "all" });
    const code = field(say("theirCode"), text(plainText), { hint: say("theirCodeHint"), look: "all" });
    const send = element("button", { class: "btn first" }, say("connect"));
    this.append(form({ email: whom, phone: whom, code }, [whom.node, code.node, element("div", { class: "btns all" }, send)], send, async () => {
      if (code.input.value === "") throw new Refusal("invalid", "Empty Fields");
      const { name = say("somebody") } = await this.#person.ask("dependents/connect", { ...named(whom.input), code: code.input.value }, 30);
      whom.input.value = code.input.value = "";
      toast(say("isConnected", { name: plain(name) }));
      await this.#connected();
    }));
  }
}

customElements.define("vitals-dependents", Dependents);
customElements.define("vitals-connect", Connect);
