import { element, fill, plain, pressed, type Child } from "../library/element";
import { nameOfMeasure, type GoalKind } from "../library/measures";
import type { Person } from "../library/person";
import { reason, say } from "../library/words";
import { download } from "../parts/download";
import { button, busy } from "../parts/form";
import { toast } from "../parts/toast";

/** What can be shown to others of a day's goal: a sentence, and a picture as a file. The picture is the service's own drawing, which the
 *  page hands on as it is, and never takes for a part of itself. */
export function shareGoal(person: Person, day: string, kinds: GoalKind[]): HTMLElement {
  const made = element("div", { class: "side", role: "status" });
  const buttons = kinds.map((kind) => {
    const share = button(kinds.length > 1 ? nameOfMeasure(kind) : say("shareMake"), "s soft");
    return pressed(share, () => void busy(share, async () => fill(made, ...await shared(person, day, kind)), (refusal) => fill(made, element("p", {}, reason(refusal)))));
  });
  return element("details", {}, element("summary", {}, say("share")), element("div", { class: "side" }, element("div", { class: "btns" }, ...buttons), made));
}

async function shared(person: Person, day: string, goal: GoalKind): Promise<Child[]> {
  const { text, link, svg } = await person.ask("goals/share", { day, goal });
  const words = plain(link ? `${text} ${link}` : text);
  const copy = button(say("copyText"), "s"), picture = button(say("savePicture"), "s"), send = button(say("shareSend"), "s first");
  pressed(copy, () => void navigator.clipboard.writeText(words).then(() => toast(say("copied")), () => toast(say("notCopied"))));
  pressed(picture, () => download(`${day}.svg`, new Blob([svg], { type: "image/svg+xml" })));
  pressed(send, () => void navigator.share({ text: words }).catch(() => {}));
  return [
    element("p", {}, element("bdi", {}, words)),
    element("div", { class: "btns" }, picture, "clipboard" in navigator && copy, "share" in navigator && send),
  ];
}
