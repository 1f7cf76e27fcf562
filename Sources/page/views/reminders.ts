import type { Reminder } from "service";
import { weekdayName, weekdays, type Weekday } from "../library/calendar";
import { element, fill, plain, pressed, written, type Child } from "../library/element";
import { dates, dayOf, clock, timeZone } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { locale, say } from "../library/words";
import { answered } from "../parts/answered";
import { Card, empty } from "../parts/card";
import { busy, button } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";
import { CalendarCard } from "./calendar-card";
import type { View } from "./view";


/** The person's reminders, those that come next first, and the calendar that they are in. */
class Reminders extends Part {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const zone = timeZone();
    fill(this, element(
      "div", { class: "grid" },
      element("div", { class: "side s7" }, new ReminderList(this.#person), zone ? element("p", { class: "muted small" }, say("inTimeZone", { zone: plain(zone) })) : null),
      element("div", { class: "side s5" }, new CalendarCard(this.#person))));
  }
}

class ReminderList extends Card {
  readonly #person: Person;
  readonly #body = element("div");
  #shown = "";
  #load: () => Promise<void> = async () => {};

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("reminders"), "", element("a", { class: "btn s soft", href: "#/reminders/new" }, say("add")));
    this.append(this.#body);
    this.#shown = "";
    this.#load = answered(this, this.#person, this.#body, (isShown) => this.#ask(isShown));
    const load = () => void this.#load();
    // The person's calendar, or another program, may change them.
    this.each(30_000, load);
    this.hear(this.#person.news, "told", load);
  }

  /** Null if nothing has changed: somebody may be about to press something. */
  async #ask(isShown: boolean): Promise<Child[] | null> {
    const { reminders } = await this.#person.ask("reminders/list", {});
    const shown = JSON.stringify(reminders);
    if (isShown && shown === this.#shown) return null;
    this.#shown = shown;
    if (reminders.length === 0) return [empty("reminders", say("noReminders"))];
    const list = [...reminders].sort((one, other) => (one.next ?? Infinity) - (other.next ?? Infinity) || one.time.localeCompare(other.time));
    return [element("ul", { class: "rows" }, ...list.map((reminder) => this.#row(reminder)))];
  }

  #row(reminder: Reminder): HTMLElement {
    const { label, enabled, next } = reminder;
    const under = enabled ? next === undefined ? alertText(reminder) : say("nextAt", { time: dayOf(next) === dayOf(Date.now())
      ? say("todayAt", { time: clock(next) }) : dates({ weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(next) })
      : say("silenced");
    const turn = button(say(enabled ? "disable" : "enable"), "s", { "aria-label": say(enabled ? "disableName" : "enableName", { name: plain(label) }) });
    pressed(turn, () => void busy(turn, async () => {
      await this.#person.ask("reminders/change", { reminder: reminder.reminder, enabled: !enabled });
      toast(say(enabled ? "reminderOff" : "reminderOn"));
      await this.#load();
      // The row is another one.
      this.#body.querySelector<HTMLElement>(`[data-reminder="${CSS.escape(reminder.reminder)}"] button`)?.focus();
    }));
    return element(
      "li", { class: "row", "data-reminder": reminder.reminder },
      element("span", { class: `badge ${enabled ? "accent" : ""}` }, icon("reminders")),
      element("a", { class: "grow", href: `#/reminders/${reminder.reminder}` },
        element("b", {}, written(label)), element("small", { class: "whole" }, `${daysText(reminder.weekdays)}, ${reminder.time}`), element("small", { class: "whole" }, under)),
      turn);
  }
}

/** "Mon, Thu", or "every day". */
function daysText(days: Weekday[]): string {
  if (days.length === 7) return say("everyDay");
  return weekdays.filter((day) => days.includes(day)).map((day) => weekdayName(day, "short")).join(", ");
}

/** When somebody is told. */
export function alertText({ alert_min }: Pick<Reminder, "alert_min">): string {
  if (alert_min === undefined) return say("noAlert");
  if (alert_min === 0) return say("atTheTime");
  const [unit, of] = alert_min % 1440 === 0 ? ["day", 1440] : alert_min % 60 === 0 ? ["hour", 60] : ["minute", 1];
  const time = new Intl.NumberFormat(locale(), { style: "unit", unit: `${unit}`, unitDisplay: "long" }).format(alert_min / Number(of));
  return say("beforeIt", { time });
}

export const remindersView: View = {
  address: /^#\/reminders$/,
  place: { address: "#/reminders", word: "reminders", icon: "reminders", isOfHouse: true },
  open: ({ person }) => ({ title: say("reminders"), content: new Reminders(person) }),
};

customElements.define("vitals-reminders", Reminders);
customElements.define("vitals-reminder-list", ReminderList);
