import type { WorkoutDetail } from "service";
import { entered, timeEntered } from "../library/calendar";
import { element, plain, pressed } from "../library/element";
import { metresOf, roundDistance } from "../library/format";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say } from "../library/words";
import { activities, nameOf } from "../parts/activities";
import { opened } from "../parts/dialog";
import { busy, button, field, form, lines, numberIn, select, text, type Field } from "../parts/form";
import { toast } from "../parts/toast";

/** Bytes of a title, and characters of a note. */
const [longestTitle, longestNote] = [64, 1000];

/** Corrects what was recorded: title, activity, note, start and end; makes two of one, and takes corrections back.
 *  @param changed is called when the workout is another one, with what there is now */
export function correctWorkout(person: Person, workout: WorkoutDetail, changed: () => void): void {
  const { id, started = 0, ended = 0, corrections = 0, by_hand: isByHand = false } = workout;
  const kinds = activities.map(({ activity }) => activity);
  const moment = (time: number) => text({ type: "datetime-local", step: 1, value: entered(time), min: entered(started), max: entered(ended) });
  const fields = {
    title: field(say("title"), text({ maxlength: longestTitle, autocomplete: "off", value: workout.name }), { look: "all" }),
    activity: activityField(kinds.includes(workout.activity) ? kinds : [...kinds, workout.activity], workout.activity),
    note: field(say("note"), lines(workout.note ?? "", { maxlength: longestNote, rows: 3 }), { hint: say("noteHint"), look: "all" }),
    from: field(say("startOf"), moment(started)),
    to: field(say("endOf"), moment(ended), { hint: say("trimHint") }),
  };
  const cut = field(say("splitAt"), moment(started + Math.round((ended - started) / 2000) * 1000));
  for (const { node } of [fields.from, fields.to]) node.hidden = isByHand;
  const done = () => {
    dialog.close();
    toast(say("Data Saved Successfully"));
    changed();
  };
  const save = element("button", { class: "btn first" }, say("save"));
  const edit = form(fields, [...Object.values(fields).map(({ node }) => node), element("div", { class: "btns all" }, save)], save, async () => {
    await person.ask("workouts/edit", { id, ...differences(fields, workout) }, 30);
    done();
  });
  const split = element("button", { class: "btn" }, say("split"));
  const parting = form({ at: cut }, [cut.node, element("div", { class: "btns all" }, split)], split, async () => {
    await person.ask("workouts/split", { id, at: moved(cut, started + 1, "at") }, 30);
    done();
  });
  const undo = (word: "undoLatest" | "undoAll", all: boolean) => {
    const made = button(say(word), "");
    return pressed(made, () => void busy(made, async () => {
      await person.ask("workouts/undo", { id, all }, 30);
      done();
    }));
  };
  const dialog = opened(say("correctWorkout"), edit, isByHand ? null : parting,
    corrections > 0 ? element("div", { class: "btns" }, undo("undoLatest", false), corrections > 1 ? undo("undoAll", true) : null) : null,
    element("div", { class: "btns" }, pressed(button(say("cancel"), ""), () => dialog.close())));
}

function activityField(kinds: string[], chosen: string | undefined): Field {
  return field(say("activity"), select(kinds.map((kind): [string, string] => [kind, plain(nameOf(kind))]), chosen), { look: "all" });
}

/** What the fields say that is not so already. */
function differences(fields: Record<"title" | "activity" | "note" | "from" | "to", Field>, workout: WorkoutDetail) {
  const { started = 0, ended = 0, name = "", note = "", activity } = workout;
  const [title, said, kind] = [fields.title.input.value.trim(), fields.note.input.value, fields.activity.input.value];
  const [from, to] = [moved(fields.from, started, "from"), moved(fields.to, ended, "to")];
  return {
    ...(title !== name && { title }), ...(said !== note && { note: said }), ...(kind !== activity && { activity: kind }),
    ...(from !== started && { from }), ...(to !== ended && { to }),
  };
}

/** The time in a field; the one that it stands for if it shows the same second. */
function moved({ input }: Field, known: number, name: string): number {
  const time = timeEntered(input.value);
  if (time === null) throw new Refusal("invalid", "Empty Fields", name);
  return entered(known) === entered(time) ? known : time;
}

/** Adds a workout of which nothing was recorded. */
export function addWorkout(person: Person, added: (id: string) => void): void {
  const amount = () => text({ type: "number", inputmode: "decimal", min: 0, step: "any" });
  const fields = {
    activity: activityField(activities.map(({ activity }) => activity), "running"),
    started: field(say("startOf"), text({ type: "datetime-local", value: entered(Math.floor(Date.now() / 60_000 - 60) * 60_000).slice(0, 16) })),
    duration_s: field(say("goalDuration"), amount()),
    distance_m: field(say("workoutGoalDistance", { unit: roundDistance(0).unit }), amount()),
    energy_kcal: field(say("workoutGoalEnergy"), amount()),
    heart_rate: field(say("averageHeart"), amount()),
    title: field(say("title"), text({ maxlength: longestTitle, autocomplete: "off" }), { look: "all" }),
    note: field(say("note"), lines("", { maxlength: longestNote, rows: 3 }), { look: "all" }),
  };
  const save = element("button", { class: "btn first" }, say("save"));
  const cancel = pressed(button(say("cancel"), ""), () => dialog.close());
  const made = form(fields, [...Object.values(fields).map(({ node }) => node), element("div", { class: "btns all" }, cancel, save)], save, async () => {
    const number = (name: keyof typeof fields) => numberIn(fields[name], name);
    const [minutes, way, energy, heart] = [number("duration_s"), number("distance_m"), number("energy_kcal"), number("heart_rate")];
    const started = timeEntered(fields.started.input.value);
    if (started === null) throw new Refusal("invalid", "Empty Fields", "started");
    const { workouts } = await person.ask("workouts/add", {
      activity: fields.activity.input.value, started, duration_s: Math.round((minutes ?? 0) * 60),
      ...(way !== null && { distance_m: metresOf(way) }), ...(energy !== null && { energy_kcal: energy }),
      ...(heart !== null && { heart_rate: Math.round(heart) }),
      title: fields.title.input.value.trim(), note: fields.note.input.value,
    }, 30);
    dialog.close();
    const [one] = workouts;
    if (one) added(one.id);
  });
  const dialog = opened(say("addWorkout"), element("p", { class: "muted small" }, say("addWorkoutWhy")), made);
}
