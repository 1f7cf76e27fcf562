import type { WorkoutDetail } from "service";
import { decoded } from "../library/bytes";
import { element, fill, pressed } from "../library/element";
import { height, joined, metresOf, minutes, number, roundDistance } from "../library/format";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { reason, say } from "../library/words";
import { nameOf } from "../parts/activities";
import { refused } from "../parts/answered";
import { spinner } from "../parts/card";
import { opened } from "../parts/dialog";
import { download } from "../parts/download";
import { busy, button, check, field, select, text } from "../parts/form";
import { toast } from "../parts/toast";

/** How much of a way can be hidden about its start and its end, in metres. The service hides 200 unless it is asked for something else. */
const hideable = [200, 500, 1000, 2000, 0];
/** No picture and no file of the service's is larger, in bytes. */
const largest = 32 * 1024 * 1024;

const formats = ["fit", "gpx", "tcx"] as const;

/** Shows a picture of a workout as others will see it, and shares it. */
export function shareWorkout(person: Person, workout: WorkoutDetail): void {
  const preview = element("div", { class: "preview", "aria-live": "polite" });
  const hide = field(say("hideEnds"), select(hideable.map((metres) => [`${metres}`, metres === 0 ? say("hideNothing") : joined(height(metres))]), "200"),
    { hint: say("hideEndsWhy"), look: "all" });
  const heart = check(say("showHeartRate"), true), date = check(say("showDate"), true);
  const words = field(say("textToShare"), text({ maxlength: 280, value: sentence(workout) }), { look: "all" });
  const share = button(say("share"), "first"), keep = button(say("savePicture"), ""), keepText = button(say("keepText"), "");
  const cancel = button(say("cancel"), "");
  let picture: File | null = null, address = "", asked = 0;
  const canShare = () => picture !== null && Boolean(navigator.canShare?.({ files: [picture] }));

  const draw = async () => {
    asked += 1;
    const mine = asked;
    picture = null;
    show();
    fill(preview, spinner(), say("loading"));
    try {
      const without = [...(heart.input.checked ? [] : ["heart-rate" as const]), ...(date.input.checked ? [] : ["date" as const])];
      const bytes = await pictureOf(person, { id: workout.id, format: "png", hidden_m: Number(hide.input.value), without });
      if (mine !== asked || !dialog.open) return;
      picture = new File([bytes], "workout.png", { type: "image/png" });
      URL.revokeObjectURL(address);
      address = URL.createObjectURL(picture);
      fill(preview, element("img", { src: address, alt: say("pictureSays", { text: sentence(workout) }), width: 1200, height: 1200 }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (mine !== asked) return;
      fill(preview, refused(error, draw));
    }
    show();
  };
  const hint = element("p", { class: "hint", role: "status" });
  const show = () => {
    for (const one of [share, keep]) one.hidden = picture === null;
    if (picture) share.hidden = !canShare();
    hint.textContent = picture && !canShare() ? say("cannotShare") : "";
  };
  for (const one of [hide.input, heart.input, date.input]) one.addEventListener("change", () => void draw());
  pressed(share, () => void busy(share, async () => {
    if (!picture) return;
    try {
      await navigator.share({ files: [picture], text: words.input.value });
      dialog.close();
      toast(say("shared"));
    } catch (error) {
      hint.textContent = say(error instanceof DOMException && error.name === "AbortError" ? "notShared" : "sharingFailed");
    }
  }));
  pressed(keep, () => picture && download(picture.name, picture));
  pressed(keepText, () => download("workout.txt", new Blob([words.input.value], { type: "text/plain" })));
  pressed(cancel, () => dialog.close());
  const dialog = opened(say("shareWorkout"),
    element("div", { class: "form" }, preview, hide.node, element("div", { class: "all" }, heart.node, date.node), words.node), hint,
    element("div", { class: "btns" }, cancel, keepText, keep, share));
  dialog.addEventListener("close", () => URL.revokeObjectURL(address));
  void draw();
}

/** What is told of a workout besides the picture, and as exactly as it: more would say how long what is hidden is. */
function sentence({ activity, distance_m, duration_s }: WorkoutDetail): string {
  const figures = [
    ...(distance_m === undefined ? [] : [`${number(distance_m / metresOf(1), 1)}\u202f${roundDistance(0).unit}`]),
    ...(duration_s === undefined ? [] : [minutes(60 * Math.round(duration_s / 60))]),
  ];
  return [nameOf(activity), ...(figures.length > 0 ? [figures.join(", ")] : [])].join(": ");
}

interface PictureAsked {
  id: string;
  format: "png";
  hidden_m: number;
  without: ("heart-rate" | "date")[];
}

async function pictureOf(person: Person, asked: PictureAsked): Promise<Blob> {
  return await inParts(async (cursor?: string) => {
    const { data, next } = await person.ask("workouts/picture", { ...asked, ...(cursor && { cursor }) }, 30);
    return { data, next };
  }, "cursor");
}

/** Offers a workout as a file. */
export function exportWorkout(person: Person, { id }: WorkoutDetail): void {
  const problem = element("div", { role: "alert" });
  const buttons = formats.map((format) => {
    const save = button(format.toUpperCase(), "");
    return pressed(save, () => void busy(save, async () => {
      fill(problem);
      let [name, mark] = ["", ""];
      const file = await inParts(async (offset?: number) => {
        const part = await person.ask("workouts/file", { id, format, ...(offset && { offset, mark }) }, 30);
        [name, mark] = [part.name, part.mark];
        return part;
      }, "mark");
      download(name, file);
      dialog.close();
      toast(say("fileKept"));
    }, (refusal) => fill(problem, element("p", { class: "err" }, reason(refusal)))));
  });
  const dialog = opened(say("exportWorkout"), element("p", {}, say("formatsMean")), problem,
    element("div", { class: "btns" }, pressed(button(say("cancel"), ""), () => dialog.close()), ...buttons));
}

/** Asks for something part by part. If it has changed meanwhile, it is asked for from its beginning.
 *  @param field that the service refuses then */
async function inParts<Next>(ask: (next?: Next) => Promise<{ data: string; next?: Next | undefined }>, field: string): Promise<Blob> {
  for (let tries = 1; ; tries += 1) {
    const parts: Uint8Array[] = [];
    let next: Next | undefined, length = 0;
    try {
      do {
        const part = await ask(next);
        parts.push(decoded(part.data));
        length += parts[parts.length - 1]?.length ?? 0;
        if (length > largest) throw new Refusal("internal", "the file is too large");
        next = part.next;
      } while (next !== undefined);
      return new Blob(parts);
    } catch (error) {
      if (!(error instanceof Refusal) || error.field !== field || tries === 3) throw error;
    }
  }
}
