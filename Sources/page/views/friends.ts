import type { Today } from "service";
import { element, fill, plain, pressed, refill, written, type Child } from "../library/element";
import { ago, dates, number } from "../library/format";
import type { FriendNow } from "../library/friends";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { answered } from "../parts/answered";
import { Card, empty, meter } from "../parts/card";
import { confirmed } from "../parts/dialog";
import { face } from "../parts/face";
import { busy, button, field, form, named, text, type Input } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";
import { looks } from "./friends-card";
import { thumbs, underName } from "./thumbs";

/** Friends and their day, who would like to be one, and who was invited. */
export function friends(person: Person): HTMLElement {
  return element("div", { class: "grid" },
    element("div", { class: "side s7" }, new StepsToday(person), new Circle(person)),
    element("div", { class: "side s5" }, new Asking(person), new Invite(person)));
}

/** Everybody's steps of the day, with one's own among them. */
class StepsToday extends Card {
  readonly #person: Person;
  readonly #body = element("div");
  readonly #sharing = element("div");
  #own: number | undefined;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const { friends } = this.#person;
    this.frame(say("stepsToday"), "");
    this.append(this.#body, this.#sharing);
    answered(this, this.#person, this.#body, async () => {
      if (!friends.list) await friends.load();
      return this.#rows();
    });
    const show = () => friends.list && refill(this.#body, ...this.#rows());
    this.hear(friends, "change", show);
    this.whileShown(this.#person.follow<Today>("today", (day) => {
      this.#own = day?.steps;
      show();
    }));
    answered(this, this.#person, this.#sharing, async () => [this.#share((await this.#person.ask("consent/get", {})).steps)]);
  }

  #rows(): Child[] {
    const friends = this.#person.friends.in("friend");
    if (friends.length === 0) return [empty("people", say("noFriends"))];
    const own = { name: this.#person.profile?.name ?? say("you"), steps: this.#own };
    const all = [...friends, own].sort((one, other) => (other.steps ?? -1) - (one.steps ?? -1));
    const most = Math.max(1, ...all.map(({ steps = 0 }) => steps));
    return [element("ol", { class: "rows" }, ...all.map((one) => {
      const friend = "friend" in one ? one : null;
      return element("li", { class: "row", "data-row": friend?.friend },
        face(one.name, friend ? looks[friends.indexOf(friend) % 4] : ""),
        element("span", { class: "grow" },
          element("span", { class: "pair" }, element("b", {}, friend ? written(one.name) : say("you")),
            one.steps === undefined ? null : element("span", { class: "val" }, number(one.steps))),
          one.steps === undefined ? null : meter(one.steps / most, friend ? "other" : ""), ...(friend ? underName(this.#person, friend) : [])),
        friend ? thumbs(this.#person, friend) : element("span", { class: "pair two" }));
    }))];
  }

  #share(isShared: boolean): HTMLElement {
    const change = button(say(isShared ? "stopSharing" : "shareSteps"), "s quiet", { "data-is": "sharing" });
    pressed(change, () => void busy(change, async () => {
      const { steps } = await this.#person.ask("consent/set", { steps: !isShared });
      refill(this.#sharing, this.#share(steps));
    }));
    return element("p", { class: "small muted" }, say(isShared ? "friendsSee" : "friendsSeeNothing"), " ", change);
  }
}

/** Friends one by one, invitations that are open, and who is blocked. Somebody who knows nobody does not see the card. */
class Circle extends Card {
  readonly #person: Person;
  readonly #rows = element("ul", { class: "rows" });

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("yourFriends"), "");
    this.append(this.#rows);
    const show = () => {
      const { friends } = this.#person;
      const [all, invited, blocked] = [friends.in("friend"), friends.in("invited"), friends.in("blocked")];
      this.hidden = all.length + invited.length + blocked.length === 0;
      refill(this.#rows,
        ...all.map((one) => this.#row(one.name, one.muted ? say("isMuted") : say("friendSince", { time: ago(one.since) }), "people", [
          act(say(one.muted ? "unmute" : "mute"), one.name, () => this.#do("friends/mute", { friend: one.friend, muted: !one.muted })),
          this.#ending("friends/remove", one, "removeNameQuestion", "removeFriendMeans", "remove"),
          this.#ending("friends/block", one, "blockQuestion", "blockMeans", "block"),
        ])),
        ...invited.map((one) => this.#row(one.to ?? "", say("invitedAt", { time: ago(one.since) }), "share", [
          act(say("takeBack"), one.to ?? "", () => this.#do("friends/remove", { friend: one.friend }))])),
        ...blocked.map((one) => this.#row(one.name || say("somebody"), say("isBlocked"), "close", [
          act(say("unblock"), one.name, () => this.#do("friends/unblock", { friend: one.friend }))])));
    };
    show();
    this.hear(this.#person.friends, "change", show);
  }

  #row(name: string, under: string, look: "people" | "share" | "close", acts: HTMLElement[]): HTMLElement {
    return element("li", {},
      element("div", { class: "row" }, element("span", { class: "badge" }, icon(look)),
        element("span", { class: "grow" }, element("b", {}, written(name)), element("small", {}, under))),
      element("div", { class: "btns" }, ...acts));
  }

  #ending(
    verb: "friends/remove" | "friends/block", { friend, name }: FriendNow, question: "removeNameQuestion" | "blockQuestion",
    means: "removeFriendMeans" | "blockMeans", word: "remove" | "block",
  ): HTMLElement {
    return act(say(word), name, async () => {
      if (await confirmed(say(question, { name: plain(name) }), say(means), say(word))) await this.#do(verb, { friend });
    });
  }

  async #do(verb: "friends/mute" | "friends/remove" | "friends/block" | "friends/unblock", fields: { friend: string; muted?: boolean }): Promise<void> {
    if (verb === "friends/mute") await this.#person.ask(verb, { friend: fields.friend, muted: fields.muted ?? false });
    else await this.#person.ask(verb, { friend: fields.friend });
    await this.#person.friends.load();
  }
}

/** A button that does something with somebody, whose name is read out for it. */
export function act(label: string, name: string, does: () => Promise<void>, look = "s"): HTMLButtonElement {
  const made = button(label, look, { "aria-label": `${label}: ${plain(name)}` });
  return pressed(made, () => void busy(made, does));
}

/** Who would like to be a friend. */
class Asking extends Card {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const { friends } = this.#person, rows = element("div");
    this.frame(say("askFriend"), "");
    this.append(rows);
    const show = () => {
      const asked = friends.in("asked");
      this.hidden = asked.length === 0;
      refill(rows, ...asked.map(({ friend, name, since }, at) => element("div", {},
        element("div", { class: "row" }, face(name, looks[at % 4]),
          element("span", { class: "grow" }, element("b", {}, written(name)), element("small", {}, say("askedAt", { time: ago(since) })))),
        element("div", { class: "btns" },
          act(say("accept"), name, () => this.#answer("friends/accept", friend), "first s"),
          act(say("decline"), name, () => this.#answer("friends/refuse", friend)),
          act(say("block"), name, () => this.#answer("friends/block", friend), "s quiet")))));
    };
    show();
    this.hear(friends, "change", show);
  }

  async #answer(verb: "friends/accept" | "friends/refuse" | "friends/block", friend: string): Promise<void> {
    await this.#person.ask(verb, { friend });
    await this.#person.friends.load();
  }
}

/** By address, number or code; and a code of one's own for somebody else. */
class Invite extends Card {
  readonly #person: Person;
  readonly #own = element("div", { class: "row" });

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("inviteSomebody"), "");
    const send = element("button", { class: "btn first" }, say("invite"));
    const whom = field(say("inviteWhom"), text({ autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 254 }),
      { hint: say("inviteHint"), look: "all", after: send });
    this.append(form({ email: whom, phone: whom, code: whom }, [whom.node], send, async () => {
      const { state } = await this.#person.ask("friends/invite", invitation(whom.input));
      toast(say(state === "friend" ? "isFriend" : "isInvited"));
      whom.input.value = "";
      await this.#person.friends.load();
    }), this.#own);
    this.#offer();
  }

  #offer(): void {
    const get = button(say("getCode"), "s");
    pressed(get, () => void busy(get, async () => this.#show(await this.#person.ask("friends/code", {}))));
    fill(this.#own, element("span", { class: "badge" }, icon("share")),
      element("span", { class: "grow" }, element("b", {}, say("ownCode")), element("small", { class: "whole" }, say("ownCodeWhy"))), get);
  }

  #show({ code, expires }: { code: string; expires: number }): void {
    const give = button(say("share"), "s");
    pressed(give, () => void busy(give, async () => {
      // Who closes the sheet has not failed.
      if ("share" in navigator) await navigator.share({ text: code }).catch(() => {});
      else await (navigator as Navigator).clipboard.writeText(code).then(() => toast(say("copied")), () => toast(say("notCopied")));
    }));
    const canGive = "share" in navigator || "clipboard" in navigator;
    const day = dates({ day: "numeric", month: "long" }).format(expires);
    fill(this.#own, element("span", { class: "badge" }, icon("share")),
      element("span", { class: "grow", role: "status" }, element("b", {}, code), element("small", {}, say("codeOnce", { day }))), canGive ? give : null);
  }
}

/** A number has nothing but digits, and what is between them; what is neither that nor an address is a code. */
function invitation(input: Input): { email: string } | { phone: string } | { code: string } {
  const name = named(input);
  return "phone" in name && !/^[\d\s()/.+-]+$/.test(name.phone) ? { code: name.phone } : name;
}

customElements.define("vitals-steps-today", StepsToday);
customElements.define("vitals-circle", Circle);
customElements.define("vitals-asking", Asking);
customElements.define("vitals-invite", Invite);
