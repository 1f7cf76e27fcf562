import { element, fill, written } from "../library/element";
import { percent } from "../library/format";
import type { Person } from "../library/person";
import { liveMilliseconds, nameOf, type Sensor } from "../library/sensors";
import { say } from "../library/words";
import { Card, skeleton } from "../parts/card";
import { icon } from "../parts/icons";

/** The person's sensors: whether each is there, and how full its battery is. */
export class SensorsCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #rows = element("ul", { class: "rows" });
  #shown = "";

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    this.frame(say("sensors"), this.#look);
    this.append(this.#rows);
    this.#shown = "";
    const show = () => this.#show();
    for (const kind of ["change", "list", "beat"]) this.hear(this.#person.sensors, kind, show);
    this.hear(this.#person, "profile", show);
    this.each(5_000, show);
    show();
  }

  #show(): void {
    const list = this.#person.sensors.list;
    if (!list) return fill(this.#rows, element("li", {}, skeleton()));
    const rows = list.map((sensor) => ({ sensor, state: state(sensor) }));
    // A heart rate a second changes none of it.
    const shown = JSON.stringify(rows.map(({ sensor, state }) => [state, nameOf(sensor), sensor.info?.battery]));
    if (shown === this.#shown) return;
    this.#shown = shown;
    fill(this.#rows, ...rows.map(({ sensor, state }) => row(sensor, state)));
  }
}

function state({ beat, isOnline, isGatewayOnline, info }: Sensor): string {
  if (isOnline === null && isGatewayOnline === null) return say("sensorUnseen");
  if (isGatewayOnline === false) return say("gatewayGone");
  if (!isOnline) return say("sensorGone");
  const isLive = beat !== null && Date.now() - beat.arrived < liveMilliseconds;
  const words = [say(isLive ? "sensorLive" : "sensorOnline")];
  if (info?.body_location) words.push(say("wornAt", { place: info.body_location }));
  return words.join(", ");
}

function row(sensor: Sensor, state: string): HTMLElement {
  const { info, isOnline, isGatewayOnline } = sensor;
  const isThere = isOnline === true && isGatewayOnline === true;
  const name = info?.capabilities.includes("heart-rate") ? "wave" : info?.capabilities.includes("temperature") ? "temp" : "sensors";
  const battery = info?.battery;
  return element(
    "li", { class: "row" },
    element("span", { class: `badge ${isThere ? "good" : ""}` }, icon(name)),
    element("span", { class: "grow" }, element("b", {}, written(nameOf(sensor))), element("small", {}, state)),
    battery === undefined ? null : element(
      "span", { class: `val ${isThere ? "" : "muted"}` },
      element("span", { class: "hidden" }, say("batteryIs", { percent: percent(battery) })),
      element("span", { "aria-hidden": "true" }, percent(battery))));
}

customElements.define("vitals-sensors-card", SensorsCard);
