import { element, pressed } from "../library/element";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say } from "../library/words";
import { opened } from "../parts/dialog";
import { button, field, form, text } from "../parts/form";
import { toast } from "../parts/toast";

/** Reports somebody else's post or comment to the operator, with a reason. */
export function reportTo(person: Person, what: { post: string } | { comment: string }, title: string): void {
  const reason = field(say("reportReason"), text({ maxlength: 500, autocomplete: "off" }), { hint: say("reportMeans"), look: "all" });
  const send = element("button", { class: "btn first" }, say("report"));
  const cancel = pressed(button(say("cancel"), ""), () => dialog.close());
  const dialog = opened(title, form({ reason }, [reason.node, element("div", { class: "btns all" }, cancel, send)], send, async () => {
    if (reason.input.value.trim() === "") throw new Refusal("invalid", "Empty Fields");
    await person.ask("posts/report", { ...what, reason: reason.input.value.trim() });
    dialog.close();
    toast(say("isReported"));
  }));
}
