import { element, fill, pressed } from "../library/element";
import { clock } from "../library/format";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say } from "../library/words";
import { button, busy, field, form, text } from "../parts/form";
import { toast } from "../parts/toast";

/** Takes what a gateway's console prints: `vitals claim ang4tr7v/strap FY3XV-7XCDV-W8P39`, or the end of it. */
export function claimForm(person: Person): HTMLElement {
  const line = field(say("claimLine"), text({ autocapitalize: "none", autocomplete: "off", spellcheck: "false", maxlength: 200 }),
    { hint: say("claimHint"), look: "all" });
  const send = element("button", { class: "btn first" }, say("claim"));
  return form({ code: line }, [line.node, element("div", { class: "btns all" }, send)], send, async () => {
    const [, gateway, sensor, code] = /([a-z0-9-]{1,36})\/([a-z0-9-]{1,36})\s+([\w-]+)\s*$/.exec(line.input.value) ?? [];
    if (!gateway || !sensor || !code) throw new Refusal("invalid", say("claimUnread"), "code");
    await person.ask("sensors/claim", { gateway, sensor, code }, 20);
    line.input.value = "";
    toast(say("claimed", { sensor: `${gateway}/${sensor}` }));
    await person.sensors.load();
  });
}

/** A code for a gateway that nobody has enrolled yet. Whoever enrols it sees its live readings. */
export function enrolment(person: Person): HTMLElement {
  const told = element("div", { role: "status" });
  const get = button(say("getCode"), "s soft");
  pressed(get, () => void busy(get, async () => {
    const { code, expires } = await person.ask("gateways/invite", { household: true });
    fill(told,
      element("p", {}, say("enrolWith")), element("p", {}, element("code", {}, code)),
      element("p", { class: "hint" }, say("codeEnds", { time: clock(expires) })));
  }));
  return element("div", { class: "side" }, element("p", { class: "hint" }, say("enrolGatewayWhy")), element("div", { class: "btns" }, get), told);
}
