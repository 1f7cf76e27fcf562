import type { AlertsSetRequest, WatchRule } from "service";
import { element, pressed } from "../library/element";
import { percent } from "../library/format";
import type { Person } from "../library/person";
import { say, type Word } from "../library/words";
import { button, check, field, form, numberIn, select, text } from "../parts/form";
import { toast } from "../parts/toast";

type Kind = WatchRule["kind"];
type Limit = "minutes" | "below" | "above" | "at";

/** What can be watched besides areas, and what has to be said of each. */
const kinds: [kind: Kind, word: Word, limits: Limit[]][] = [
  ["silence", "watchSilence", ["minutes"]], ["battery", "watchBattery", ["below"]],
  ["heart-rate", "watchHeart", ["below", "above", "minutes"]], ["stillness", "watchStillness", ["at"]],
];
const usual: Record<Kind, Partial<Record<Limit, string>>> = {
  silence: { minutes: "60" }, battery: { below: "15" }, "heart-rate": { above: "140", minutes: "10" }, stillness: { at: "10:00" },
};

/** What a rule watches, in words. */
export function ruleText({ kind, minutes = 0, below, above, at = "" }: WatchRule): string {
  switch (kind) {
    case "silence": return say("silenceFor", { minutes });
    case "battery": return say("batteryBelow", { percent: percent(below ?? 0) });
    case "stillness": return say("stillBy", { at });
    case "heart-rate": return [below === undefined ? null : say("heartBelow", { below }), above === undefined ? null : say("heartAbove", { above }),
      say("forMinutes", { minutes })].filter(Boolean).join(", ");
  }
}

/** Adds something that is watched, or changes it.
 *  @param close is called when it is saved or left */
export function ruleForm(person: Person, dependent: string, rule: WatchRule | undefined, close: () => void): HTMLFormElement {
  const whole = () => text({ type: "number", inputmode: "numeric", min: 1, max: 1440, step: 1 });
  const fields = {
    kind: field(say("watch"), select(kinds.map(([kind, word]) => [kind, say(word)]), rule?.kind), { look: "all" }),
    below: field(say("below"), whole()), above: field(say("above"), whole()),
    minutes: field(say("minutes"), whole()), at: field(say("byWhen"), text({ type: "time" })),
    escalate_min: field(say("escalate"), text({ type: "number", inputmode: "numeric", min: 1, max: 1440, step: 1, value: rule?.escalate_min }),
      { hint: say("escalateHint"), look: "all" }),
  };
  const enabled = check(say("isWatched"), rule?.enabled ?? true);
  const limits = () => kinds.find(([kind]) => kind === fields.kind.input.value)?.[2] ?? [];
  const show = () => {
    const kind = fields.kind.input.value as Kind;
    for (const limit of ["minutes", "below", "above", "at"] as const) {
      fields[limit].node.hidden = !limits().includes(limit);
      fields[limit].input.value = `${(rule?.kind === kind ? rule[limit] : usual[kind][limit]) ?? ""}`;
    }
  };
  fields.kind.input.addEventListener("change", show);
  show();
  const send = element("button", { class: "btn first" }, say("save"));
  return form(fields, [
    ...Object.values(fields).map(({ node }) => node), element("div", { class: "all" }, enabled.node),
    element("div", { class: "btns all" }, pressed(button(say("cancel"), ""), close), send),
  ], send, async () => {
    const said = Object.fromEntries(limits().flatMap((limit) => {
      const value = limit === "at" ? fields.at.input.value || null : numberIn(fields[limit], limit);
      return value === null ? [] : [[limit, value]];
    })) as Pick<AlertsSetRequest, Limit>;
    const minutes = numberIn(fields.escalate_min, "escalate_min");
    await person.ask("alerts/set", {
      ...(rule ? { alert: rule.alert } : { dependent }), kind: fields.kind.input.value as Kind, ...said,
      enabled: enabled.input.checked, ...(minutes !== null && { escalate_min: minutes }),
    });
    toast(say("ruleSaved"));
    close();
  });
}
