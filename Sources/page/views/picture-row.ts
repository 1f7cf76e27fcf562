import { encoded } from "../library/bytes";
import { element, fill, pressed } from "../library/element";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say } from "../library/words";
import { portrait } from "../parts/face";
import { busy, button } from "../parts/form";
import { toast } from "../parts/toast";
import { squareOf } from "./picture-dialog";

/** No file is read that is larger. */
const largestFile = 40_000_000;

/** The person's picture, and what changes it. */
export class PictureRow extends Part {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.className = "row";
    const file = element("input", { type: "file", accept: "image/*", hidden: true });
    const choose = button("", "s soft");
    const remove = button(say("remove"), "s quiet");
    const place = element("span", { class: "grow" });
    pressed(choose, () => file.click());
    file.addEventListener("change", () => {
      const chosen = file.files?.[0];
      // The same file may be chosen again.
      file.value = "";
      if (chosen) void busy(choose, () => this.#take(chosen));
    });
    pressed(remove, () => void busy(remove, async () => {
      await this.#person.ask("picture/remove", {});
      await this.#person.loadPicture();
      toast(say("pictureRemoved"));
      choose.focus();
    }));
    const show = () => {
      const { picture } = this.#person;
      fill(place, portrait(this.#person, "l"));
      choose.textContent = say(picture ? "otherPicture" : "choosePicture");
      remove.hidden = !picture;
    };
    fill(this, place, file, element("span", { class: "btns" }, choose, remove));
    show();
    for (const kind of ["profile", "picture"]) this.hear(this.#person, kind, show);
  }

  async #take(file: Blob): Promise<void> {
    // Drawn again, a picture keeps nothing of what its file says besides, such as where it was taken.
    const picture = file.size > largestFile ? null : await createImageBitmap(file).catch(() => null);
    if (!picture) throw new Refusal("invalid", say("noPicture"));
    const square = await squareOf(picture).finally(() => picture.close());
    if (!square) return;
    await this.#person.ask("picture/set", { picture: encoded(new Uint8Array(await square.arrayBuffer())) });
    await this.#person.loadPicture();
    toast(say("pictureSaved"));
  }
}

customElements.define("vitals-picture-row", PictureRow);
