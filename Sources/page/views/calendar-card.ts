import type { Calendar } from "service";
import { element, fill, pressed, written, type Child } from "../library/element";
import { ago, number } from "../library/format";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say, translated, type Word } from "../library/words";
import { answered } from "../parts/answered";
import { Card, pairs } from "../parts/card";
import { download } from "../parts/download";
import { confirmed } from "../parts/dialog";
import { busy, button, field, form, passwordField, text } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";

/** A server may need long until it has answered everything, in seconds. */
const patience = 60;

/** What to do about what is wrong with a calendar, by what the service says. */
const remedies: [problem: RegExp, remedy: Word][] = [
  [/refused the password|was reset/, "calendarDoPassword"],
  [/leads to no calendar server|leads to another place|does not speak CalDAV/, "calendarDoAddress"],
  [/not reached/, "calendarDoNetwork"],
  [/claims to be/, "calendarDoTrust"],
  [/speaks to no calendar now/, "calendarDoOperator"],
];

function remedyOf(problem: string): Word | undefined {
  return remedies.find(([pattern]) => pattern.test(problem))?.[1];
}

/** Refuses with what to do about it, too. */
function advised(refusal: unknown): never {
  const remedy = refusal instanceof Refusal ? remedyOf(refusal.message) : undefined;
  if (!(refusal instanceof Refusal) || !remedy) throw refusal;
  throw new Refusal(refusal.code, `${translated(refusal.message)}. ${say(remedy)}`, refusal.field, refusal.retryAfter);
}

/** The calendar of the person's own in which their reminders are. */
export class CalendarCard extends Card {
  readonly #person: Person;
  readonly #body = element("div", { class: "side" });
  #shown = "";
  #load: () => Promise<void> = async () => {};

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("yourCalendar"), "");
    this.append(this.#body, this.#export());
    this.#shown = "";
    this.#load = answered(this, this.#person, this.#body, async (isShown) => this.#children(await this.#person.ask("calendar/show", {}), isShown));
    this.each(15_000, () => void this.#load());
  }

  #show(calendar: Calendar): void {
    const children = this.#children(calendar);
    if (children) fill(this.#body, ...children);
  }

  /** Null if nothing has changed: somebody may be typing there. */
  #children(calendar: Calendar, isShown = true): Child[] | null {
    const shown = JSON.stringify(calendar);
    if (isShown && shown === this.#shown) return null;
    this.#shown = shown;
    return calendar.connected ? this.#connected(calendar) : [element("p", { class: "hint" }, say("calendarWhy")), this.#connecting()];
  }

  /** @param calendar to give it another password */
  #connecting(calendar: Calendar = { connected: false }): HTMLElement {
    const fields = {
      address: field(say("calendarAddress"), text({ type: "url", autocomplete: "url", maxlength: 1024, value: calendar.address }), { hint: say("calendarAddressHint"), look: "all" }),
      user: field(say("calendarUser"), text({ autocapitalize: "none", autocomplete: "off", spellcheck: "false", maxlength: 256, value: calendar.user }), { look: "all" }),
      password: passwordField(say("appPassword"), "off", say("appPasswordHint")),
    };
    fields.password.node.classList.add("all");
    const send = element("button", { class: "btn first" }, say("connect"));
    return form(fields, [...Object.values(fields).map(({ node }) => node), element("div", { class: "btns all" }, send)], send, async () => {
      const { address, user, password } = fields;
      if ([address, user, password].every(({ input }) => input.value === "")) throw new Refusal("invalid", "Empty Fields");
      const made = await this.#person.ask("calendar/connect",
        { address: address.input.value.trim(), user: user.input.value.trim(), password: password.input.value }, patience).catch(advised);
      password.input.value = "";
      toast(say("calendarConnected"));
      this.#shown = "";
      this.#show(made);
    });
  }

  #connected(calendar: Calendar): Child[] {
    const { address = "", user = "", in_step, problem, stopped, reminders = 0, refused = 0, others = [] } = calendar;
    const remedy = remedyOf(problem ?? "");
    const look = button(say("lookNow"), "s soft"), stop = button(say("disconnect"), "s"), remove = button(say("disconnectAndDelete"), "s danger");
    pressed(look, () => void busy(look, async () => this.#show(await this.#person.ask("calendar/sync", {}, patience))));
    this.#ending(stop, ["disconnectCalendarQuestion", "disconnectCalendarMeans", "disconnect"], false);
    this.#ending(remove, ["deleteCalendarQuestion", "deleteCalendarMeans", "disconnectAndDelete"], true);
    const lines: [string, Child][] = [
      [say("calendarAddress"), written(address)], [say("calendarUser"), written(user)], [say("inBoth"), number(reminders)],
      [say("inStep"), in_step === undefined ? say("notYet") : ago(in_step)],
      ...(refused > 0 ? [[say("notTaken"), number(refused)] as [string, Child]] : []),
      ...others.map(({ count, why }): [string, Child] => [translated(why), number(count)]),
    ];
    return [
      problem === undefined ? null : element("div", { class: "note warn", role: "status" }, icon("warn"),
        element("div", { class: "grow" }, element("b", {}, written(translated(problem))), remedy ? element("p", {}, say(remedy)) : null)),
      pairs(lines),
      stopped ? element("details", { open: true }, element("summary", {}, say("connectAgain")), this.#connecting(calendar)) : null,
      element("div", { class: "btns" }, stopped ? null : look, stop, remove),
    ];
  }

  #ending(made: HTMLButtonElement, [question, means, verb]: [Word, Word, Word], isDeleted: boolean): void {
    pressed(made, () => void (async () => {
      if (!await confirmed(say(question), say(means), say(verb))) return;
      await busy(made, async () => {
        const { message } = await this.#person.ask("calendar/disconnect", { delete: isDeleted }, patience);
        toast(translated(message));
        await this.#load();
      });
    })());
  }

  /** The reminders as a file, for those who have no server. */
  #export(): HTMLElement {
    const take = button(say("exportCalendar"), "s");
    pressed(take, () => void busy(take, async () => {
      const { calendar, events } = await this.#person.ask("calendar/export", {});
      if (events === 0) return toast(say("noReminders"));
      download("reminders.ics", new Blob([calendar], { type: "text/calendar" }));
    }));
    return element("div", { class: "btns" }, take);
  }
}

customElements.define("vitals-calendar", CalendarCard);
