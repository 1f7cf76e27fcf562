import { decoded } from "../library/bytes";
import { element, fill, pressed } from "../library/element";
import { dayOf, number } from "../library/format";
import type { Person } from "../library/person";
import { after, Refusal } from "../library/requests";
import { reason, say } from "../library/words";
import { Archive } from "../library/zip";
import { Card, spinner } from "../parts/card";
import { confirmed } from "../parts/dialog";
import { busy, button } from "../parts/form";
import { download } from "../parts/download";
import { toast } from "../parts/toast";

/** How often a part is asked for before the export is given up. */
const patience = 10;

/** Everything that is stored about the person, as one file; and a new key for what comes. */
export class ExportCard extends Card {
  readonly #person: Person;
  readonly #told = element("span");
  readonly #outcome = element("div", { role: "status" });
  #isWanted = false;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const all = button(say("exportAll"), "soft"), stop = button(say("cancel"), "", { hidden: true }), key = button(say("newKey"), "");
    this.frame(say("yourData"), "");
    const meanwhile = element("p", { class: "with", hidden: true }, spinner(), this.#told);
    this.append(
      element("p", { class: "hint" }, say("exportMeans")), element("div", { class: "btns" }, all, stop), meanwhile, this.#outcome,
      element("p", { class: "hint" }, say("newKeyMeans")), element("div", { class: "btns" }, key));
    pressed(all, () => void busy(all, async () => {
      this.#isWanted = true;
      stop.hidden = meanwhile.hidden = false;
      fill(this.#told);
      fill(this.#outcome);
      try {
        const archive = new Archive();
        if (!await this.#collect(archive)) return;
        download(`vitals-${dayOf(Date.now())}.zip`, await archive.finish());
        fill(this.#outcome, say("exported", { size: sizeOf(archive) }));
      } catch (error) {
        fill(this.#outcome, error instanceof Refusal ? reason(error) : say("exportFailed"));
      } finally {
        stop.hidden = meanwhile.hidden = true;
      }
    }));
    const end = () => {
      this.#isWanted = false;
    };
    pressed(stop, end);
    this.whileShown(end);
    pressed(key, () => void (async () => {
      if (!await confirmed(say("newKeyQuestion"), say("newKeyMeans"), say("newKey"))) return;
      await busy(key, async () => {
        const { version } = await this.#person.ask("secret/rotate", {});
        toast(say("newKeyMade", { version }));
      });
    })());
  }

  /** Asks for one part after the other, of which the service makes each when it is asked. Resolves to whether that went to the end. */
  async #collect(archive: Archive): Promise<boolean> {
    let cursor: string | undefined;
    do {
      const part = await this.#part(cursor);
      if (!part || !this.#isWanted) return false;
      // A name that leads nowhere else when the archive is unpacked.
      if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/.test(part.file)) throw new Refusal("internal", say("exportFailed"));
      await archive.append(part.file, part.encoding === "base64" ? decoded(part.data) : new TextEncoder().encode(part.data));
      this.#told.textContent = say("exporting", { file: part.file, size: sizeOf(archive) });
      if (part.next !== undefined && part.next === cursor) throw new Refusal("internal", say("exportFailed"));
      cursor = part.next;
    } while (cursor !== undefined);
    return true;
  }

  async #part(cursor: string | undefined) {
    for (let tries = 1; this.#isWanted; tries += 1) {
      try {
        return await this.#person.ask("export/part", cursor === undefined ? {} : { cursor }, 30);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const mayPass = ["no-answer", "offline", "busy", "rate-limited", "timeout"].includes(error.code);
        if (!mayPass || tries === patience) throw error;
        await after(error.retryAfter ?? 1);
      }
    }
    return null;
  }
}

function sizeOf({ size }: Archive): string {
  return size < 1e6 ? `${number(size / 1e3)}\u202fkB` : `${number(size / 1e6, 1)}\u202fMB`;
}

customElements.define("vitals-export-card", ExportCard);
