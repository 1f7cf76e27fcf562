import type { ImportedWorkout } from "service";
import { element, fill, plain, pressed, written } from "../library/element";
import { clock, longDay, percent } from "../library/format";
import { Imports, mayBeSentAgain, type Brought } from "../library/imports";
import type { Person } from "../library/person";
import { reason, say, translated } from "../library/words";
import { nameOf } from "../parts/activities";
import { Card, meter } from "../parts/card";
import { button, waits } from "../parts/form";
import { icon } from "../parts/icons";

/** So many files are listed. Of more, those that something is to be said of come first. */
const most = 100;

/** Takes workouts that other devices have recorded: files that are dropped on the page, or chosen. */
export class ImportCard extends Card {
  readonly #imports: Imports;
  readonly #sum = element("p", { class: "small", role: "status" });
  readonly #rows = element("ul", { class: "rows" });
  /** The row of each file, and what of it is shown there. */
  readonly #made = new WeakMap<Brought, { row: HTMLElement; shown: string }>();

  constructor(person: Person) {
    super();
    this.#imports = Imports.of(person);
  }

  begin(): void {
    this.frame(say("bringAlong"), "drop");
    const input = element("input", { type: "file", multiple: true, hidden: true, "aria-label": say("chooseFiles") });
    input.addEventListener("change", () => {
      this.#take(input.files);
      input.value = "";
    });
    const choose = button("", "s");
    choose.append(icon("share", "i-s"), say("chooseFiles"));
    pressed(choose, () => input.click());
    this.append(element("p", { class: "small muted" }, say("bringAlongHow")), this.#sum, this.#rows, element("div", { class: "btns" }, choose, input));
    this.#show();
    this.hear(this.#imports, "change", () => this.#show());
    this.#catch();
  }

  /** Takes files that are dropped anywhere on the view: a browser would show them instead of the page. */
  #catch(): void {
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") ?? false;
    const mark = (isOver: boolean) => this.classList.toggle("over", isOver);
    const acts: [kind: "dragover" | "dragleave" | "drop", act: (event: DragEvent) => void][] = [
      ["dragover", (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        mark(true);
      }],
      ["dragleave", (event) => event.relatedTarget === null && mark(false)],
      ["drop", (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        mark(false);
        this.#take(event.dataTransfer?.files);
      }],
    ];
    for (const [kind, act] of acts) {
      addEventListener(kind, act);
      this.whileShown(() => removeEventListener(kind, act));
    }
  }

  #take(files: FileList | null | undefined): void {
    if (files && files.length > 0) this.#imports.add([...files]);
  }

  #show(): void {
    const { files } = this.#imports;
    const isOver = files.filter(({ state }) => state === "done" || state === "failed").length;
    const outcomes = files.flatMap(({ outcome }) => outcome?.workouts ?? []);
    const count = (wanted: string) => outcomes.filter(({ outcome }) => outcome === wanted).length;
    const words = say("broughtAlong", { imported: count("imported"), known: count("duplicate"), refused: count("refused") });
    const told = files.length === 0 ? "" : isOver < files.length ? say("fileOf", { number: isOver + 1, count: files.length }) : words;
    // Readers hear it again only if it has changed.
    if (this.#sum.textContent !== told) this.#sum.textContent = told;
    const listed = files.length <= most ? files : [...files.filter(isWorthSaying), ...files.filter((file) => !isWorthSaying(file))].slice(0, most);
    // A row stays where it is while others change: somebody may be about to press its button.
    listed.forEach((brought, at) => {
      const row = this.#row(brought), there = this.#rows.children[at] ?? null;
      if (row !== there) this.#rows.insertBefore(row, there);
    });
    for (const left of [...this.#rows.children].slice(listed.length)) left.remove();
    if (files.length > most) this.#rows.append(element("li", { class: "small muted" }, say("moreFiles", { count: files.length - most })));
  }

  #row(brought: Brought): HTMLElement {
    const { file, state, share, problem } = brought;
    const made = this.#made.get(brought) ?? { row: element("li", { class: "row" }), shown: "" };
    this.#made.set(brought, made);
    const shown = `${state} ${share}`;
    if (shown === made.shown) return made.row;
    made.shown = shown;
    const again = state === "failed" && problem && mayBeSentAgain(problem)
      ? button(say("sendAgain"), "s", { "aria-label": say("sendAgainName", { name: plain(file.name) }) }) : null;
    if (again) pressed(again, () => again.ariaDisabled !== "true" && this.#imports.again(brought));
    if (again && problem?.retryAfter) waits(again, problem.retryAfter);
    const both = state === "done" && known(brought).length > 0 ? button(say("keepBoth"), "s", { "aria-label": say("keepBothName", { name: plain(file.name) }) }) : null;
    if (both) pressed(both, () => this.#imports.keepBoth(brought));
    const isMoving = state === "sending" || state === "storing";
    fill(made.row,
      element("span", { class: `badge ${state === "done" ? "good" : state === "failed" ? "bad" : ""}` },
        icon(state === "done" ? "check" : state === "failed" ? "warn" : "share")),
      element("span", { class: "grow" }, element("b", {}, written(file.name)),
        ...lines(brought).map((line) => element("small", { class: "whole" }, line)), isMoving ? meter(share) : null),
      isMoving ? element("span", { class: "val" }, percent(100 * share)) : again ?? both);
    return made.row;
  }
}

function isWorthSaying(brought: Brought): boolean {
  const { state, outcome } = brought;
  return state === "failed" || state === "sending" || state === "storing" || known(brought).length > 0
    || outcome?.workouts?.some((one) => one.outcome === "refused") === true;
}

/** What workouts of a file were taken for that another device has recorded. */
function known({ outcome }: Brought): ImportedWorkout[] {
  return (outcome?.workouts ?? []).filter((one) => one.outcome === "duplicate" && one.same !== true);
}

/** What is there already, and where it is from. */
function knownText({ name, activity = "", started, source }: ImportedWorkout): string {
  const fields = { what: name ?? nameOf(activity), when: `${longDay(started)}, ${clock(started)}`, source: source ?? "" };
  return say(source === undefined ? "thereAlreadyFromHere" : "thereAlready", fields);
}

/** What is said of a file. */
function lines(brought: Brought): (string | HTMLElement)[] {
  const { state, outcome, problem } = brought;
  switch (state) {
    case "waiting": return [say("fileWaits")];
    case "sending": return [say("fileSending")];
    case "storing": return [say("fileStoring")];
    case "failed": return [problem ? told(reason(problem)) : ""];
    case "done": {
      const workouts = outcome?.workouts ?? [];
      const count = (wanted: string) => workouts.filter((one) => one.outcome === wanted).length;
      const refused = new Set(workouts.flatMap((one) => one.reason ?? []));
      return [
        say("broughtAlong", { imported: count("imported"), known: count("duplicate"), refused: count("refused") }),
        ...known(brought).slice(0, 10).map((one) => written(knownText(one))),
        ...[...refused, ...(outcome?.omissions ?? [])].slice(0, 10).map(told),
      ];
    }
  }
}

/** A sentence of the service's, in which a file may have put names. */
function told(sentence: string): HTMLElement {
  return written(translated(sentence));
}

customElements.define("vitals-import-card", ImportCard);
