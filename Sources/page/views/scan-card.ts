import type { Device } from "service";
import { element, fill, plain, pressed, written, type Child } from "../library/element";
import { number, percent } from "../library/format";
import type { Gateway } from "../library/household";
import type { Person } from "../library/person";
import { say, type Word } from "../library/words";
import { Card, meter } from "../parts/card";
import { busy, button, field, select } from "../parts/form";
import { bars, icon } from "../parts/icons";
import { toast } from "../parts/toast";
import { connectingSeconds } from "./household";

/** How long a gateway looks for sensors, in seconds. */
const scanSeconds = 10;
/** What a sensor can do, by what it advertises. */
const services: Record<string, Word> = {
  "heart-rate": "heartRate", "health-thermometer": "temperature", "running-speed-and-cadence": "running", "cycling-speed-and-cadence": "cycling",
  "cycling-power": "power", "location-and-navigation": "location", "physical-activity-monitor": "steps",
};

/** Looks for sensors near a gateway, and connects them. Only those see it who may ask a gateway. */
export class ScanCard extends Card {
  readonly #person: Person;
  /** What stands on the button: what it does, or how many seconds are left. */
  readonly #words = element("span", {}, say("scan"));
  readonly #scan = button("", "s soft", { "aria-label": say("scan") });
  readonly #which = element("div");
  readonly #bar = element("div");
  readonly #rows = element("ul", { class: "rows", "aria-live": "polite" });
  readonly #under = element("div");
  readonly #devices = new Map<string, { device: Device; node: HTMLElement }>();
  /** The sensors that were connected here, by the addresses of their devices. */
  readonly #added = new Map<string, string>();
  #gateway: Gateway | undefined;
  #isScanning = false;
  #help: string[] | null = null;

  constructor(person: Person) {
    super();
    this.#person = person;
    this.#scan.append(this.#words);
    pressed(this.#scan, () => void busy(this.#scan, () => this.#look()));
  }

  begin(): void {
    this.frame(say("addSensor"), "", this.#scan);
    // Without a gap for what is empty.
    this.append(this.#which, this.#bar, element("div", {}, this.#rows), this.#under);
    let shown = "";
    const show = () => {
      const gateways = (this.#person.household.list ?? []).filter(({ isHeard }) => isHeard);
      this.hidden = gateways.length === 0;
      if (!this.#gateway || !gateways.includes(this.#gateway)) this.#gateway = gateways.find(({ isOnline }) => isOnline) ?? gateways[0];
      const ids = gateways.map(({ id }) => id).join();
      if (ids !== shown) {
        shown = ids;
        fill(this.#which, gateways.length > 1 ? this.#choice(gateways) : null);
      }
      this.#show();
    };
    show();
    this.hear(this.#person.household, "change", show);
  }

  #choice(gateways: Gateway[]): HTMLElement {
    const chosen = field(say("gateway"), select(gateways.map(({ id, name }) => [id, plain(name)]), this.#gateway?.id));
    chosen.input.addEventListener("change", () => {
      this.#gateway = gateways.find(({ id }) => id === chosen.input.value);
      this.#show();
    });
    return chosen.node;
  }

  /** The heading, and why nothing can be looked for. */
  #show(): void {
    const { isOnline = false, health } = this.#gateway ?? {};
    const bluetooth = health?.bluetooth ?? "ready";
    const trouble = !isOnline ? say("gatewayGone") : bluetooth !== "ready" ? say("noBluetooth", { why: plain(bluetooth) }) : "";
    const title = this.#isScanning ? "Scanning Started" : trouble ? "addSensor" : this.#devices.size > 0 ? "Device Found" : this.#help ? "nothingFound" : "addSensor";
    const heading = this.querySelector("h2");
    if (heading && heading.textContent !== say(title)) heading.textContent = say(title);
    this.#scan.hidden = trouble !== "";
    const shown = `${trouble}\n${title}\n${this.#help?.join("\n")}`;
    if (this.#under.dataset["shown"] === shown) return;
    this.#under.dataset["shown"] = shown;
    fill(this.#under, trouble ? element("p", { class: "note warn" }, icon("warn", "i-s"), element("span", { class: "grow" }, trouble))
      : title === "addSensor" ? element("p", { class: "hint" }, say("scanWhy"))
        : title === "nothingFound" ? element("ul", { class: "tips" }, ...(this.#help ?? []).map((line) => element("li", {}, plain(line)))) : null);
  }

  async #look(): Promise<void> {
    const gateway = this.#gateway;
    if (!gateway) return;
    this.#devices.clear();
    this.#added.clear();
    fill(this.#rows);
    this.#help = null;
    this.#isScanning = true;
    const began = Date.now();
    const count = () => {
      const passed = Math.min(scanSeconds, (Date.now() - began) / 1000);
      this.#words.textContent = `${Math.ceil(scanSeconds - passed)}\u202fs`;
      fill(this.#bar, meter(passed / scanSeconds));
    };
    count();
    this.#show();
    const timer = setInterval(count, 250);
    const stop = gateway.hear(({ kind, device }) => {
      if (kind === "found" && device) this.#found(gateway, device);
    });
    try {
      const { devices, help } = await gateway.ask("scan", { seconds: scanSeconds }, scanSeconds + 10);
      for (const device of devices) this.#found(gateway, device);
      if (devices.length === 0) this.#help = help ?? [];
    } finally {
      clearInterval(timer);
      stop();
      this.#isScanning = false;
      this.#words.textContent = say("scan");
      fill(this.#bar);
      this.#show();
    }
  }

  /** A device that is found again keeps its place. The gateway tells at most 64. */
  #found(gateway: Gateway, device: Device): void {
    const known = this.#devices.get(device.address);
    // Somebody may be about to press its button, and another signal strength is not worth the focus.
    if (known ? known.node.matches(":focus-within") || JSON.stringify(known.device) === JSON.stringify(device) : this.#devices.size >= 64) return;
    const node = this.#row(gateway, device);
    if (known) known.node.replaceWith(node);
    else this.#rows.append(node);
    this.#devices.set(device.address, { device, node });
    this.#show();
  }

  #row(gateway: Gateway, device: Device): HTMLElement {
    const { address, name, rssi, battery, connected } = device;
    const called = name || address;
    const can = device.services.flatMap((service) => services[service] ?? []).map((word) => say(word));
    const strength = rssi === undefined ? 0 : [-90, -80, -67, -55].filter((least) => rssi >= least).length;
    const words = [say("Device Found"), ...can, ...(battery === undefined ? [] : [say("batteryIs", { percent: percent(battery) })]),
      ...(strength === 1 ? [say("farAway")] : [])];
    const row = element("div", { class: "row" },
      element("span", { class: "badge" }, icon(device.services.includes("heart-rate") ? "heart" : device.services.includes("health-thermometer") ? "temp" : "sensors")),
      element("span", { class: "grow" }, element("b", {}, written(called)), element("small", { class: "whole" }, words.join(", "))),
      rssi === undefined ? null : bars(strength, say("signal", { count: number(strength) })),
      connected ? element("span", { class: "pill live" }, icon("check", "i-s"), say("connected")) : this.#connecting(gateway, device, plain(called)));
    return element("li", {}, row, ...this.#next(gateway, this.#added.get(address)));
  }

  /** What somebody does with a sensor that was connected, and that is not theirs yet. */
  #next(gateway: Gateway, sensor: string | undefined): Child[] {
    if (sensor === undefined || this.#person.sensors.list?.some((one) => one.gateway === gateway.id && one.sensor === sensor)) return [];
    return [element("p", { class: "hint" }, say("claimNext")), element("p", {}, element("code", {}, `vitals-gateway claim-code ${plain(sensor)}`))];
  }

  #connecting(gateway: Gateway, device: Device, name: string): HTMLButtonElement {
    const connect = button(say("connect"), "s soft", { "aria-label": say("connectName", { name }) });
    return pressed(connect, () => void busy(connect, async () => {
      const { sensor } = await gateway.ask("connect", { device: device.address }, connectingSeconds);
      toast(say("Device Connected"));
      this.#added.set(device.address, sensor);
      const known = this.#devices.get(device.address);
      if (!known) return;
      const connected = { ...device, connected: true };
      const node = this.#row(gateway, connected);
      known.node.replaceWith(node);
      this.#devices.set(device.address, { device: connected, node });
    }));
  }
}

customElements.define("vitals-scan-card", ScanCard);
