import type { Requests as Asked } from "service";
import { element, fill, plain, written } from "../library/element";
import { ago, clock, height, joined } from "../library/format";
import { placeText, type Place } from "../library/places";
import { say } from "../library/words";
import { AnswerCard } from "../parts/answer-card";
import { facts } from "../parts/card";
import { tick } from "../parts/form";
import { mapOf } from "../parts/map";
import { motions } from "./looking-after";

type Shown = Asked["place/get"]["replies"];

/** A position is old after this, in seconds. */
const oldAfter = 600;

/** Where somebody is and how they move: oneself, or whom one's programs show. */
export class PlaceCard extends AnswerCard {
  readonly #map = mapOf();
  readonly #words = element("div");

  begin(): void {
    this.frame(say("place"), "");
    this.ask(async () => {
      const shown = await this.person.ask("place/get", {});
      this.#show(shown);
      return [element("figure", { hidden: !shown.position }, this.#map), this.#words];
    });
    this.whileShown(this.person.follow("chosen-dependent", () => void this.load()), this.person.follow("place", () => void this.load()));
    this.each(60_000, () => void this.load());
  }

  #show(shown: Shown): void {
    const { dependent, name = say("somebody"), position, area, state, since, exercise_min, age_s = 0 } = shown;
    const whose = dependent === undefined ? say("you") : plain(name), isOld = age_s > oldAfter;
    const where = position ? area ?? placeText([position.lat, position.lon]) : "";
    if (position) {
      const place: Place = [position.lat, position.lon];
      this.#map.show({
        ways: [], here: { place, accuracy: position.accuracy_m ?? 0, label: `${whose}, ${ago(position.time)}`, isOld },
        says: say("mapSays", { name: whose, time: ago(position.time), where: plain(where) }),
      });
    }
    const figures: [string, string, string?][] = [];
    if (state) figures.push([say("motion"), say(motions[state])]);
    if (state && since !== undefined) figures.push([say("movesSince"), clock(since)]);
    if (exercise_min !== undefined) figures.push([say("exerciseToday"), `${exercise_min}`, "min"]);
    if (position?.accuracy_m !== undefined) figures.push([say("position"), `±${joined(height(position.accuracy_m))}`]);
    fill(this.#words,
      element("p", {}, element("b", {}, written(whose)), position ? `: ${say("seenAt", { time: ago(position.time) })}, ` : null, position ? written(where) : null),
      figures.length > 0 ? facts("three", figures) : null,
      position ? null : element("p", { class: "muted" }, this.#why(shown)),
      dependent === undefined && shown.recorded
        ? tick(say("publishPlace"), shown.published ?? false, (published) => this.person.ask("place/publish", { published })) : null);
  }

  /** Why there is no position. */
  #why({ dependent, not_shown = [], recorded }: Shown): string {
    if (dependent !== undefined) return say(not_shown.includes("location") ? "positionNotShared" : "noPosition");
    return say(recorded ? "noPositionYet" : "recordPositionWhy");
  }
}

customElements.define("vitals-place", PlaceCard);
