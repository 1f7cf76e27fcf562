import { element, fill, pressed } from "../library/element";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { skeleton } from "../parts/card";
import { busy, button } from "../parts/form";
import { icon } from "../parts/icons";
import { WayMap } from "../parts/way-map";

/** How often the way is asked for, in milliseconds. */
const askedEvery = 10_000;

/** The way so far: the path in red, and where the person is in green. Without a position, it says why there is none. */
export class LiveWay extends Part {
  readonly #person: Person;
  readonly #id: string;
  #map: WayMap | null = null;
  /** Undefined until it is known. */
  #isRecorded: boolean | undefined;
  /** What `#isRecorded` was when it was told that there is no position: it is told once, as what is shown may have the focus. */
  #told: boolean | undefined;

  /** @param id of the workout that is under way */
  constructor(person: Person, id: string) {
    super();
    this.#person = person;
    this.#id = id;
  }

  begin(): void {
    this.className = "m";
    this.#map = null;
    this.#told = undefined;
    fill(this, element("div", { class: "card" }, skeleton()));
    const look = () => void this.#look();
    look();
    this.each(askedEvery, () => document.visibilityState === "visible" && look());
    this.hear(this.#person.broker, "change", look);
  }

  async #look(): Promise<void> {
    if (this.#person.broker.state !== "online") return;
    this.#isRecorded ??= await this.#person.ask("consent/get", {}).then(({ record_location }) => record_location, () => undefined);
    // What cannot be had now is asked for again soon.
    const shown = await this.#person.ask("workouts/show", { id: this.#id, points: 300 }).catch(() => null);
    if (!this.isConnected) return;
    const path = shown?.path ?? [];
    if (path.length > 0) this.#show(path);
    else if (!this.#map && this.#isRecorded !== undefined && this.#isRecorded !== this.#told) this.#tellNothing(this.#isRecorded);
  }

  #show(path: number[][][]): void {
    if (!this.#map) {
      this.#map = new WayMap();
      fill(this, this.#map);
    }
    this.#map.show(path);
    this.#map.mark(1);
  }

  #tellNothing(isRecorded: boolean): void {
    this.#told = isRecorded;
    if (isRecorded) {
      return fill(this, element("div", { class: "card" },
        element("div", { class: "empty" }, element("span", { class: "badge" }, icon("target")), element("p", {}, say("noPositionYet")))));
    }
    const allow = button(say("recordPosition"), "s soft");
    pressed(allow, () => void busy(allow, async () => {
      this.#isRecorded = (await this.#person.ask("consent/set", { record_location: true })).record_location;
      this.#tellNothing(this.#isRecorded);
    }));
    fill(this, element("section", { class: "card" },
      element("div", { class: "empty" }, element("span", { class: "badge" }, icon("target")),
        element("h2", {}, say("Location Services Disabled")), element("p", {}, say("positionMeans")), allow)));
  }
}

customElements.define("vitals-live-way", LiveWay);
