import type { Reminder } from "service";
import { weekdayName, weekdays, type Weekday } from "../library/calendar";
import { element, fill, plain, pressed } from "../library/element";
import { dayOf } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { say, translated } from "../library/words";
import { answered } from "../parts/answered";
import { empty, section } from "../parts/card";
import { confirmed } from "../parts/dialog";
import { busy, button, check, checks, field, form, select, text } from "../parts/form";
import { toast } from "../parts/toast";
import { alertText, remindersView } from "./reminders";
import type { View } from "./view";

/** Alerts that people choose from, in minutes before the time. */
const alerts = [0, 5, 10, 15, 30, 60, 120, 1440];

/** What the service takes as a title, in characters as people count them. */
const longestLabel = 64;

/** A reminder that is added or changed. */
class ReminderEditor extends Part {
  readonly #person: Person;
  readonly #id: string | null;

  constructor(person: Person, id: string | null) {
    super();
    this.#person = person;
    this.#id = id;
  }

  begin(): void {
    if (!this.#id) return fill(this, reminderCard(this.#person, null));
    const place = element("div");
    fill(this, place);
    // Asked once: somebody may be typing when the connection is back.
    answered(this, this.#person, place, async (isShown) => {
      if (isShown) return null;
      const { reminders } = await this.#person.ask("reminders/list", {});
      const found = reminders.find(({ reminder }) => reminder === this.#id);
      return [found ? reminderCard(this.#person, found) : element("div", { class: "card" }, empty("reminders", say("noSuchReminder")))];
    });
  }
}

function reminderCard(person: Person, reminder: Reminder | null): HTMLElement {
  const close = () => { location.hash = "#/reminders"; };
  return section(say(reminder ? "changeReminder" : "addReminder"), "", editor(person, reminder, close), reminder ? deletion(person, reminder, close) : null);
}

/** What may be wrong with a reminder, the service says, and in which words. */
function editor(person: Person, reminder: Reminder | null, close: () => void): HTMLFormElement {
  const days = checks(say("repeat"), weekdays.map((day) => [day, weekdayName(day, "long")]), reminder?.weekdays ?? []);
  const known = reminder ? reminder.alert_min === undefined ? "none" : `${reminder.alert_min}` : "0";
  const minutes = alerts.includes(Number(known)) || known === "none" ? alerts : [...alerts, Number(known)].sort((one, other) => one - other);
  const alert = select([
    ["none", say("noAlert")], ...minutes.map((alert_min): [string, string] => [`${alert_min}`, alertText({ alert_min })]), ["other", say("otherAlert")],
  ], known);
  const other = field(say("minutesBefore"), text({ type: "number", inputmode: "numeric", min: 0, max: 10_080, step: 1 }));
  other.node.hidden = true;
  alert.addEventListener("change", () => { other.node.hidden = alert.value !== "other"; });
  const fields = {
    label: field(say("title"), text({ maxlength: 256, value: reminder?.label }), { look: "all" }),
    time: field(say("time"), text({ type: "time", value: reminder?.time ?? "18:30" })),
    first_day: field(say("firstDay"), text({ type: "date", value: reminder?.first_day ?? dayOf(Date.now()) })),
    weekdays: days,
    alert_min: field(say("alert"), alert),
  };
  const enabled = check(say("enabled"), reminder?.enabled ?? true);
  const send = element("button", { class: "btn first" }, say("save"));
  const cancel = pressed(button(say("cancel"), ""), close);
  return form(fields, [
    fields.label.node, fields.time.node, fields.first_day.node, days.node, fields.alert_min.node, other.node, enabled.node,
    element("div", { class: "btns all" }, send, cancel),
  ], send, async () => {
    const label = fields.label.input.value;
    const asked = {
      label, time: fields.time.input.value, weekdays: days.chosen() as Weekday[], enabled: enabled.input.checked,
      ...(fields.first_day.input.value && { first_day: fields.first_day.input.value }),
      // What is no number is none of the alerts, and the service says so.
      alert_min: alert.value === "none" ? null : alert.value !== "other" ? Number(alert.value) : other.input.value === "" ? -1 : Number(other.input.value),
    };
    // Whatever is missing or too long is said before anybody is asked. The service counts what people see as one character.
    const isWhole = label.trim() !== "" && [...new Intl.Segmenter().segment(label)].length <= longestLabel && asked.weekdays.length > 0 && (asked.alert_min ?? 0) >= 0;
    if (isWhole && !await confirmed(say("saveQuestion", { name: plain(label) }), say("saveMeans", { time: asked.time }), say("save"), "first")) return;
    const { message } = reminder ? await person.ask("reminders/change", { reminder: reminder.reminder, ...asked }) : await person.ask("reminders/add", asked);
    toast(translated(message));
    close();
  });
}

function deletion(person: Person, reminder: Reminder, close: () => void): HTMLElement {
  const remove = button(say("deleteReminder"), "danger");
  pressed(remove, () => void (async () => {
    if (!await confirmed(say("deleteReminderQuestion", { name: plain(reminder.label) }), say("deleteReminderMeans"), say("delete"))) return;
    await busy(remove, async () => {
      const { message } = await person.ask("reminders/delete", { reminder: reminder.reminder });
      toast(translated(message));
      close();
    });
  })());
  return element("div", { class: "btns" }, remove);
}

export const reminderView: View = {
  address: /^#\/reminders\/([a-zA-Z0-9-]{1,64})$/,
  open: ({ person, found: [id = ""] }) =>
    ({ title: say("reminder"), back: remindersView.place, content: new ReminderEditor(person, id === "new" ? null : id) }),
};

customElements.define("vitals-reminder", ReminderEditor);
