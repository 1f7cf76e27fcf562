import type { Requests as Asked } from "service";
import { decoded } from "../library/bytes";
import { element, fill, plain, pressed, written } from "../library/element";
import type { Person } from "../library/person";
import { pictureAddress } from "../library/pictures";
import { after, Refusal } from "../library/requests";
import { reason, say } from "../library/words";
import { complaint } from "../parts/form";
import { spinner } from "../parts/card";
import { opened } from "../parts/dialog";
import { busy, button, checks, field, lines } from "../parts/form";

export type Shared = Omit<Asked["share/preview"]["asks"], "id">;
type Preview = Asked["share/preview"]["replies"];

/** Shows what would be shared, and posts it where the person says, or nowhere. */
export function shareOut(person: Person, what: Shared): void {
  const place = element("div", { class: "side" }, spinner(), say("loading"));
  const dialog = opened(say("shareOutside"), place);
  let shown: Preview | null = null, address: string | null = null;
  dialog.addEventListener("close", () => {
    if (address) URL.revokeObjectURL(address);
    // What was not posted is forgotten, and not only when its time is over.
    if (shown) void person.ask("share/cancel", { share: shown.share }).catch(() => {});
  });
  const close = pressed(button(say("cancel"), ""), () => dialog.close()), picture = element("div", { class: "preview" });
  void person.ask("share/preview", what, 60).then((preview) => {
    if (!dialog.open) return;
    shown = preview;
    fill(place, ...content(person, preview, picture, close, () => (shown = null)));
    return pictureOf(person, preview).then((bytes) => {
      address = bytes && dialog.open ? pictureAddress(bytes) : null;
      if (address) fill(picture, element("img", { src: address, alt: say("pictureSays", { text: plain(preview.text) }) }));
    });
  }).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    fill(place, complaint(reason(error)), element("div", { class: "btns" }, close));
  });
}

function content(person: Person, preview: Preview, picture: HTMLElement, close: HTMLElement, posted: () => void): (HTMLElement | null)[] {
  const { share, to, text: words, link } = preview;
  const said = field(say("textToShare"), lines(words.split("\n").map(plain).join("\n"), { maxlength: 1000 }), { look: "all" });
  const services = to.length > 0 ? checks(say("whereToPost"), to.map(({ service, label }) => [service, plain(label)]), to.map(({ service }) => service)) : null;
  const post = button(say("postThere"), "first"), told = element("div", { role: "status" }), problem = element("div");
  pressed(post, () => void busy(post, async () => {
    const chosen = services?.chosen() ?? [];
    if (chosen.length === 0) throw new Refusal("invalid", "Empty Fields");
    const results = await postedTo(person, { share, to: chosen, text: said.input.value });
    posted();
    post.hidden = true;
    close.textContent = say("close");
    fill(told, element("ul", { class: "rows" }, ...results.map(({ label, sent, problem }) => element("li", { class: "row" },
      element("span", { class: "grow" }, element("b", {}, written(label)), element("small", { class: "whole" }, sent ? say("wasPosted") : problem ? written(problem) : say("wasNotPosted")))))));
  }, (refusal) => fill(problem, complaint(reason(refusal)))));
  return [
    preview.picture ? picture : null,
    said.node, link ? element("p", { class: "small" }, written(link)) : null,
    services ? services.node : element("p", { class: "hint" }, say("noServices")), problem, told,
    element("div", { class: "btns" }, ...[["Facebook", preview.facebook], ["X", preview.x]].map(([name, url]) => outside(name ?? "", url)), close, services ? post : null),
  ];
}

/** The whole picture of a preview, which comes in parts; null if there is none. */
async function pictureOf(person: Person, { share, picture }: Preview): Promise<Uint8Array | null> {
  if (!picture) return null;
  const bytes = new Uint8Array(picture.length);
  let part: Omit<typeof picture, "length"> = picture, at = 0;
  for (;;) {
    const piece = decoded(part.data);
    bytes.set(piece.subarray(0, bytes.length - at), at);
    at += piece.length;
    if (part.next === undefined || part.next !== at) return bytes;
    part = await person.ask("share/picture", { share, offset: at }, 30);
  }
}

/** Posts it, and asks again until it is known everywhere what became of it. */
async function postedTo(person: Person, what: Asked["share/post"]["asks"]): Promise<Asked["share/post"]["replies"]["results"]> {
  for (;;) {
    const { results } = await person.ask("share/post", what, 60);
    if (results.every(({ state }) => state !== "waiting" && state !== "going")) return results;
    await after(1);
  }
}

/** The sharing page of a network, which the person's own browser opens in a tab of its own. */
function outside(name: string, address: string | undefined): HTMLElement | null {
  if (!address || !/^https:\/\/(www\.facebook\.com|x\.com)\//.test(address)) return null;
  return pressed(button(name, "s", { "aria-label": say("openNetwork", { name }) }), () => void window.open(address, "_blank", "noopener,noreferrer"));
}

/** A button that posts how a day, week or month went. */
export function postReport(person: Person, period: "day" | "week" | "month", day: string): HTMLElement {
  return pressed(button(say("postThere"), "s quiet"), () => shareOut(person, { what: "report", period, day }));
}
