import { element, fill, give, written } from "../library/element";
import { percent } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { liveMilliseconds, nameOf, type Seen } from "../library/sensors";
import { say } from "../library/words";
import { Card, empty, section, skeleton } from "../parts/card";
import { icon } from "../parts/icons";
import { claimForm, enrolment } from "./enrolment";
import { GatewayCards } from "./gateway-cards";
import { ScanCard } from "./scan-card";
import { keepLoaded, linkButton } from "./household";
import { isThere, sensorIcon, stateOf } from "./sensors-card";
import type { View } from "./view";

/** The sensors of the person's and of their household, looking for others, and the gateways. */
class SensorsOfHouse extends Part {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    keepLoaded(this, this.#person);
    fill(this, element(
      "div", { class: "grid" },
      element("div", { class: "side s7" },
        new SensorList(this.#person), new ScanCard(this.#person),
        section(say("connectSensor"), "", element("p", { class: "hint" }, say("connectSensorWhy")), claimForm(this.#person))),
      element("div", { class: "side s5" },
        new GatewayCards(this.#person), section(say("enrolAnother"), "", enrolment(this.#person)),
        section(say("nothingFoundAsk"), "", tips(), element("a", { href: "#/help" }, say("helpWithPictures"))))));
  }
}

/** The sensors, each with its state and a button. */
class SensorList extends Card {
  readonly #person: Person;
  readonly #body = element("div");
  #shown = "";

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.frame(say("connected"), "");
    this.append(this.#body);
    this.#shown = "";
    const show = () => this.#show();
    this.hear(this.#person.sensors, "list", show);
    for (const target of [this.#person.sensors, this.#person.household]) this.hear(target, "change", show);
    show();
  }

  /** The rows change by themselves: they are made only when there are others, so that the focus stays where it is. */
  #show(): void {
    const { sensors, household } = this.#person;
    if (!sensors.list) return fill(this.#body, skeleton());
    const list = household.sensors;
    const shown = JSON.stringify(list.map((seen) => [seen.gateway, seen.sensor, nameOf(seen), "claim" in seen]));
    if (shown === this.#shown) return;
    this.#shown = shown;
    fill(this.#body, list.length === 0 ? empty("sensors", say("noSensors"))
      : element("ul", { class: "rows" }, ...list.map((seen) => element("li", {}, new SensorRow(this.#person, seen)))));
  }
}

class SensorRow extends Part {
  readonly #person: Person;
  readonly #seen: Seen;

  constructor(person: Person, seen: Seen) {
    super();
    this.#person = person;
    this.#seen = seen;
  }

  begin(): void {
    give(this, { class: "row" });
    const { gateway, sensor } = this.#seen;
    const badge = element("span"), state = element("small", { class: "whole" });
    const link = linkButton(this.#person, this.#seen);
    fill(this, badge,
      element("a", { class: "grow", href: `#/sensors/${gateway}/${sensor}` }, element("b", {}, written(nameOf(this.#seen))), state),
      link.button);
    const show = () => {
      // What is connected has a mark.
      give(badge, { class: `badge ${isThere(this.#seen) ? "good" : ""}` });
      fill(badge, icon(isThere(this.#seen) ? "check" : sensorIcon(this.#seen)));
      state.textContent = inWords(this.#seen);
      link.show();
    };
    show();
    for (const kind of ["change", "beat"]) this.hear(this.#person.sensors, kind, show);
    this.hear(this.#person.household, "change", show);
    this.each(5_000, show);
  }
}

/** The state, the heart rate and the battery. */
function inWords(seen: Seen): string {
  const { beat, info } = seen;
  const isLive = isThere(seen) && beat && Date.now() - beat.arrived < liveMilliseconds;
  return [
    stateOf(seen), ...(isLive ? [`${beat.bpm}\u202f${say("bpm")}`] : []),
    ...(info?.battery === undefined ? [] : [say("batteryIs", { percent: percent(info.battery) })]),
  ].join(", ");
}

/** What helps if a sensor is not found. */
export function tips(): HTMLElement {
  return element("ul", { class: "tips" }, ...(["tipWet", "tipClose", "tipBattery", "tipRestart", "tipReset"] as const)
    .map((word) => element("li", {}, say(word))));
}

export const sensorsView: View = {
  address: /^#\/sensors$/,
  place: { address: "#/sensors", word: "sensors", icon: "sensors", isOfHouse: true },
  open: ({ person }) => ({ title: say("sensors"), content: new SensorsOfHouse(person) }),
};

customElements.define("vitals-sensors", SensorsOfHouse);
customElements.define("vitals-sensor-list", SensorList);
customElements.define("vitals-sensor-row", SensorRow);
