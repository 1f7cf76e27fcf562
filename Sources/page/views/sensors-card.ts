import { bodyPart } from "../library/body-parts";
import { element, fill, written } from "../library/element";
import { percent } from "../library/format";
import type { Person } from "../library/person";
import { liveMilliseconds, nameOf, type Seen } from "../library/sensors";
import { say } from "../library/words";
import { Card, skeleton } from "../parts/card";
import { icon, type IconName } from "../parts/icons";

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
    this.frame(say("sensors"), this.#look, element("a", { href: "#/sensors" }, say("all")));
    this.append(this.#rows);
    this.#shown = "";
    const show = () => this.#show();
    for (const kind of ["change", "list", "beat"]) this.hear(this.#person.sensors, kind, show);
    this.hear(this.#person, "profile", show);
    // By then no heart rate is live any longer.
    this.hear(this.#person.broker, "silence", show);
    this.each(5_000, show);
    show();
  }

  #show(): void {
    const list = this.#person.sensors.list;
    if (!list) return fill(this.#rows, element("li", {}, skeleton()));
    const rows = list.map((sensor) => ({ sensor, state: stateOf(sensor) }));
    // A heart rate a second changes none of it.
    const shown = JSON.stringify(rows.map(({ sensor, state }) => [state, nameOf(sensor), sensor.info?.battery]));
    if (shown === this.#shown) return;
    this.#shown = shown;
    fill(this.#rows, ...rows.map(({ sensor, state }) => row(sensor, state)));
  }
}

/** Whether a sensor is there, in words. */
export function stateOf({ beat, isOnline, isGatewayOnline, info }: Seen): string {
  if (isOnline === null && isGatewayOnline === null) return say("sensorUnseen");
  if (isGatewayOnline === false) return say("gatewayGone");
  if (!isOnline) return say(info?.paused ? "sensorPaused" : "sensorGone");
  const isLive = beat !== null && Date.now() - beat.arrived < liveMilliseconds;
  const words = [say(isLive ? "live" : "connected")];
  const place = info?.body_location && bodyPart(info.body_location);
  if (place) words.push(say("wornAt", { place }));
  return words.join(", ");
}

/** Whether a sensor is connected, as far as the person may know. */
export function isThere({ isOnline, isGatewayOnline }: Seen): boolean {
  return isOnline === true && isGatewayOnline === true;
}

export function sensorIcon({ info }: Seen): IconName {
  return info?.capabilities.includes("heart-rate") ? "wave" : info?.capabilities.includes("temperature") ? "temp" : "sensors";
}

function row(sensor: Seen, state: string): HTMLElement {
  const battery = sensor.info?.battery;
  return element(
    "li", { class: "row" }, element("span", { class: `badge ${isThere(sensor) ? "good" : ""}` }, icon(sensorIcon(sensor))),
    element("span", { class: "grow" }, element("b", {}, written(nameOf(sensor))), element("small", {}, state)),
    battery === undefined ? null : element(
      "span", { class: `val ${isThere(sensor) ? "" : "muted"}` },
      element("span", { class: "hidden" }, say("batteryIs", { percent: percent(battery) })),
      element("span", { "aria-hidden": "true" }, percent(battery))));
}

customElements.define("vitals-sensors-card", SensorsCard);
