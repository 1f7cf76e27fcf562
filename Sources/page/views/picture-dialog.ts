import { element, freshId, pressed } from "../library/element";
import { Refusal } from "../library/requests";
import { say, type Word } from "../library/words";
import { opened } from "../parts/dialog";
import { button } from "../parts/form";

/** What the service keeps. */
const limit = 32_768;
const sides = [512, 384, 256, 160];
const qualities = [0.85, 0.7, 0.5];

/** Lets somebody choose the square of a picture that is shown of them. Resolves to a JPEG that the service keeps; to null if they would
 *  rather not. */
export function squareOf(picture: ImageBitmap): Promise<Blob | null> {
  return new Promise((done, fail) => {
    const shown = element("canvas", { width: 512, height: 512, class: "square", role: "img", "aria-label": say("pictureShown") });
    const zoom = slider("pictureZoom", 1, 4, 1), across = slider("pictureAcross", 0, 1, 0.5), down = slider("pictureDown", 0, 1, 0.5);
    const cancel = button(say("cancel"), ""), take = element("button", { class: "btn first" }, say("takePicture"));
    const draw = (canvas: HTMLCanvasElement) => {
      const side = Math.min(picture.width, picture.height) / Number(zoom.input.value);
      const [x, y] = [(picture.width - side) * Number(across.input.value), (picture.height - side) * Number(down.input.value)];
      const pen = canvas.getContext("2d");
      if (!pen) return;
      // A JPEG has no transparency.
      pen.fillStyle = "white";
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.imageSmoothingQuality = "high";
      pen.drawImage(picture, x, y, side, side, 0, 0, canvas.width, canvas.height);
    };
    for (const { input } of [zoom, across, down]) input.addEventListener("input", () => draw(shown));
    const form = element("form", { class: "side" }, shown, zoom.node, across.node, down.node, element("div", { class: "btns" }, cancel, take));
    const dialog = opened(say("pictureTitle"), form);
    pressed(cancel, () => dialog.close());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void small(draw).then(done, fail).finally(() => dialog.close());
    });
    dialog.addEventListener("close", () => done(null));
    draw(shown);
    zoom.input.focus();
  });
}

function slider(word: Word, min: number, max: number, value: number): { node: HTMLElement; input: HTMLInputElement } {
  const id = freshId();
  const input = element("input", { id, type: "range", min, max, step: 0.01, value });
  return { node: element("div", { class: "field" }, element("label", { for: id }, say(word)), input), input };
}

/** The largest and best that is small enough. */
async function small(draw: (canvas: HTMLCanvasElement) => void): Promise<Blob> {
  for (const side of sides) {
    const canvas = element("canvas", { width: side, height: side });
    draw(canvas);
    for (const quality of qualities) {
      const made = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/jpeg", quality));
      if (made && made.size <= limit) return made;
    }
  }
  throw new Refusal("invalid", say("noPicture"));
}
