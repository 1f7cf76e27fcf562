import type { Requests as Asked } from "service";
import { nameOfDays } from "../library/days";
import { element, fill, plain, pressed, refill, written, type Child } from "../library/element";
import { ago, dates, distance, joined, minutes, number } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say, type Word } from "../library/words";
import { AnswerCard } from "../parts/answer-card";
import { answered } from "../parts/answered";
import { Card, empty, meter } from "../parts/card";
import { confirmed } from "../parts/dialog";
import { face } from "../parts/face";
import { busy, button, check, field, form, select, text, tick } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";
import { act } from "./friends";
import { looks } from "./friends-card";
import type { View } from "./view";
import { workoutsText } from "./workouts";

type Group = Asked["groups/list"]["replies"]["groups"][number];
type Shown = Asked["groups/show"]["replies"];
type Table = Asked["groups/table"]["replies"];
type Challenge = NonNullable<Group["challenge"]>;
type Measure = Challenge["measure"];

const measures: [measure: Measure, word: Word][] = [["steps", "steps"], ["distance", "distanceOnFoot"], ["all-distance", "distanceInAllWays"],
  ["minutes", "minutesOfWorkouts"], ["workouts", "workouts"]];

/** How much it is, in the unit of its measure. */
function amount(measure: Measure, value: number): string {
  switch (measure) {
    case "distance": case "all-distance": return joined(distance(value));
    case "minutes": return minutes(60 * value);
    case "workouts": return workoutsText(value);
    default: return say("stepsValue", { steps: number(value) });
  }
}

function challengeText({ measure, from, to, target }: Challenge): string {
  const what = say(measures.find(([one]) => one === measure)?.[1] ?? "steps");
  return [what, nameOfDays(from, to), ...(target === undefined ? [] : [amount(measure, target)])].join(" · ");
}

/** The name of somebody, who may have no profile. */
function named(name: string | undefined): string {
  return name ?? say("somebody");
}

/** The groups that somebody is in, and the ways into others. */
export function groups(person: Person): HTMLElement {
  return element("div", { class: "grid" },
    element("div", { class: "side s7" }, new GroupList(person)),
    element("div", { class: "side s5" }, new JoinGroup(person), new NewGroup(person)));
}

class GroupList extends AnswerCard {
  begin(): void {
    this.frame(say("groups"), "");
    this.ask(async () => {
      const { groups } = await this.person.ask("groups/list", {});
      return [groups.length === 0 ? empty("people", say("noGroups")) : element("ul", { class: "rows" }, ...groups.map((group, at) =>
        element("li", { class: "row" }, face(group.name, looks[at % 4]),
          element("a", { class: "grow", href: `#/people/groups/${group.group}` }, element("b", {}, written(group.name)),
            element("small", { class: "whole" }, say(group.members === 1 ? "oneMember" : "membersCount", { count: number(group.members) }),
              group.challenge ? ` · ${challengeText(group.challenge)}` : null)), icon("next", "i-s"))))];
    });
    this.hear(this.person.news, "told", () => void this.load());
  }
}

class JoinGroup extends Card {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("joinGroup"), "");
    const code = field(say("groupCode"), text({ autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 64 }), { look: "all" });
    const compete = check(say("competeToo"), false), send = element("button", { class: "btn first" }, say("join"));
    this.append(form({ code }, [code.node, compete.node, element("p", { class: "hint all" }, say("groupSees")), element("div", { class: "btns all" }, send)], send, async () => {
      if (code.input.value.trim() === "") throw new Refusal("invalid", "Empty Fields");
      const { group } = await this.#person.ask("groups/join", { code: code.input.value.trim(), compete: compete.input.checked });
      location.hash = `#/people/groups/${group}`;
    }));
  }
}

class NewGroup extends Card {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("newGroup"), "");
    const name = field(say("groupName"), text({ maxlength: 64, autocomplete: "off" }), { look: "all" });
    const send = element("button", { class: "btn" }, say("create"));
    this.append(form({ name }, [name.node, element("div", { class: "btns all" }, send)], send, async () => {
      if (name.input.value.trim() === "") throw new Refusal("invalid", "Enter Name", "name");
      const { group } = await this.#person.ask("groups/create", { name: name.input.value.trim() });
      location.hash = `#/people/groups/${group}`;
    }));
  }
}

/** One group: its challenge and table, its people, and what can be done with it. */
class GroupPage extends Part {
  readonly #person: Person;
  readonly #id: string;
  readonly #body = element("div", { class: "grid" });
  readonly #people = element("ul", { class: "rows" });
  #load = async (): Promise<void> => {};
  /** What the page was drawn for. */
  #drawn = "";
  #table: TableCard | null = null;
  #competing: HTMLInputElement | null = null;
  /** It is made once: a code that was got stays. */
  readonly #invitation: HTMLElement;

  constructor(person: Person, id: string) {
    super();
    this.#person = person;
    this.#id = id;
    this.#invitation = this.#code();
  }

  begin(): void {
    fill(this, this.#body);
    this.#drawn = "";
    this.#load = answered(this, this.#person, this.#body, async (isShown) => this.#take(await this.#person.ask("groups/show", { group: this.#id }), isShown), "card");
    this.hear(this.#person.news, "told", () => void this.#load());
  }

  /** Returns cards for another challenge; otherwise the people and the table are new, and forms stay as they are. */
  #take(group: Shown, isShown: boolean): Child[] | null {
    const { name, owner, challenge = null } = group;
    const wanted = JSON.stringify([name, owner, challenge]);
    const isDrawn = isShown && wanted === this.#drawn;
    this.#drawn = wanted;
    const cards = isDrawn ? null : this.#cards(group);
    refill(this.#people, ...group.people.map((one, at) => this.#member(group, one, at)));
    if (isDrawn) void this.#table?.load();
    if (this.#competing) this.#competing.checked = group.competing;
    return cards;
  }

  #cards(group: Shown): Child[] {
    const card = (title: string, ...content: Child[]) => element("section", { class: "card", "aria-label": title }, element("div", { class: "card-head" }, element("h2", {}, title)), ...content);
    this.#table = group.challenge ? new TableCard(this.#person, group.group, group.challenge) : null;
    const competing = tick(say("competeToo"), group.competing, async (compete) => {
      await this.#person.ask("groups/compete", { group: this.#id, compete });
      await this.#load();
    });
    this.#competing = competing.querySelector("input");
    return [
      element("div", { class: "side s7" }, element("h2", { class: "whole" }, written(group.name)),
        this.#table ?? card(say("challenge"), empty("target", say("noChallenge"))),
        group.owner ? card(say(group.challenge ? "changeChallenge" : "newChallenge"), this.#challenge(group)) : null),
      element("div", { class: "side s5" },
        card(say("members"), this.#people), card(say("you"), competing, group.owner && this.#invitation, this.#ending(group))),
    ];
  }

  #member({ owner }: Shown, one: Shown["people"][number], at: number): HTMLElement {
    return element("li", { class: "row", "data-row": one.member }, face(named(one.name), one.you ? "" : looks[at % 4]),
      element("span", { class: "grow" }, element("b", {}, one.you ? say("you") : written(named(one.name))),
        element("small", {}, say(one.competing ? "competes" : "competesNot"), " · ", ago(one.since))),
      owner && !one.you ? act(say("remove"), named(one.name), () => this.#remove(one)) : null);
  }

  async #remove({ member, name }: Shown["people"][number]): Promise<void> {
    if (!await confirmed(say("removeMemberQuestion", { name: plain(named(name)) }), say("removeMemberMeans"), say("remove"))) return;
    await this.#person.ask("groups/remove", { group: this.#id, member });
    await this.#load();
  }

  #code(): HTMLElement {
    const place = element("div", { class: "row", role: "status" });
    const get = button(say("getGroupCode"), "s soft");
    pressed(get, () => void busy(get, async () => {
      const { code, expires } = await this.#person.ask("groups/code", { group: this.#id });
      fill(place, element("span", { class: "grow" }, element("b", {}, code),
        element("small", { class: "whole" }, say("groupCodeUntil", { day: dates({ day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(expires) }))));
    }));
    fill(place, get);
    return place;
  }

  #ending({ owner, name }: Shown): HTMLElement {
    const leave = button(say("leaveGroup"), "s quiet"), end = owner ? button(say("deleteGroup"), "s danger") : null;
    const away = async (verb: "groups/leave" | "groups/delete") => {
      await this.#person.ask(verb, { group: this.#id });
      location.hash = "#/people/groups";
    };
    pressed(leave, () => void (async () => {
      if (await confirmed(say("leaveGroupQuestion", { name: plain(name) }), say("leaveGroupMeans"), say("leaveGroup"))) await busy(leave, () => away("groups/leave"));
    })());
    if (end) pressed(end, () => void (async () => {
      if (await confirmed(say("deleteGroupQuestion", { name: plain(name) }), say("deleteGroupMeans"), say("delete"))) await busy(end, () => away("groups/delete"));
    })());
    return element("div", { class: "btns" }, leave, end);
  }

  #challenge({ challenge }: Shown): HTMLElement {
    const measure = field(say("measure"), select(measures.map(([value, word]) => [value, say(word)]), challenge?.measure ?? "steps"));
    const period = field(say("period"), select([["week", say("thisWeek")], ["month", say("thisMonth")]], challenge?.period ?? "week"));
    const begin = element("button", { class: "btn first" }, say("beginChallenge"));
    const end = challenge ? button(say("endChallenge"), "") : null;
    if (end) pressed(end, () => void busy(end, async () => {
      await this.#person.ask("groups/end-challenge", { group: this.#id });
      await this.#load();
    }));
    return form({ measure, period }, [measure.node, period.node, element("div", { class: "btns all" }, end, begin)], begin, async () => {
      await this.#person.ask("groups/challenge", { group: this.#id, measure: measure.input.value as Measure, period: period.input.value as Challenge["period"] });
      toast(say("challengeBegun"));
      await this.#load();
    });
  }
}

/** The table of a challenge, which follows what comes. Somebody who does not compete is not in it. */
class TableCard extends Card {
  readonly #person: Person;
  readonly #group: string;
  readonly #challenge: Challenge;
  readonly #body = element("div");
  /** Asks again. */
  load: () => Promise<void> = async () => {};

  constructor(person: Person, group: string, challenge: Challenge) {
    super();
    this.#person = person;
    this.#group = group;
    this.#challenge = challenge;
  }

  begin(): void {
    this.frame(say("challenge"), "");
    this.append(element("p", { class: "muted" }, challengeText(this.#challenge)), this.#body);
    this.load = answered(this, this.#person, this.#body, async () => this.#rows(await this.#person.ask("groups/table", { group: this.#group })));
    this.whileShown(this.#person.follow<Table>(`groups/${this.#group}/table`, (table) => table && fill(this.#body, ...this.#rows(table))));
  }

  #rows({ rows, measure, over, final }: Table): Child[] {
    if (rows.length === 0) return [empty("people", say("nobodyCompetes"))];
    const most = Math.max(1, ...rows.map(({ value }) => value));
    return [
      element("ol", { class: "rows" }, ...rows.map(({ rank, name, value, you }, at) => element("li", { class: "row" },
        element("b", { class: "rank" }, number(rank)), face(named(name), you ? "" : looks[at % 4]),
        element("span", { class: "grow" },
          element("span", { class: "pair" }, element("b", {}, you ? say("you") : written(named(name))), element("span", { class: "val" }, amount(measure, value))),
          meter(value / most, you ? "" : "other"))))),
      over ? element("p", { class: "small muted" }, say(final ? "tableIsFinal" : "tableMayChange")) : null,
    ];
  }
}

export const groupView: View = {
  address: /^#\/people\/groups\/([a-z0-9-]+)$/,
  open: ({ person, found: [id = ""] }) => ({ title: say("group"), back: { address: "#/people/groups", word: "groups", icon: "people" }, content: new GroupPage(person, id) }),
};

customElements.define("vitals-group-list", GroupList);
customElements.define("vitals-join-group", JoinGroup);
customElements.define("vitals-new-group", NewGroup);
customElements.define("vitals-group", GroupPage);
customElements.define("vitals-group-table", TableCard);
