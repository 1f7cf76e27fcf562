import type { Health } from "service";
import { howLong } from "../library/calendar";
import { element, fill, plain, pressed, written, type Child } from "../library/element";
import { number, percent, since } from "../library/format";
import type { Gateway } from "../library/household";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { locale, say } from "../library/words";
import { Card, empty, pairs, section } from "../parts/card";
import { confirmed } from "../parts/dialog";
import { busy, button, field, form, text } from "../parts/form";
import { toast } from "../parts/toast";
import { unloaded } from "./household";

/** A card for each gateway. */
export class GatewayCards extends Part {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    this.className = "side";
    const { household } = this.#person;
    let shown = "";
    const show = () => {
      const list = household.list;
      const now = list ? JSON.stringify(list.map(({ id }) => id)) : `${household.failure?.message}`;
      if (now === shown) return;
      shown = now;
      if (!list) return fill(this, section(say("gateways"), "", unloaded(this.#person)));
      if (list.length === 0) return fill(this, section(say("gateways"), "", empty("sensors", say("noGateways"))));
      fill(this, ...list.map((gateway) => new GatewayCard(this.#person, gateway)));
    };
    show();
    this.hear(household, "change", show);
  }
}

/** How a gateway is: what it says of itself, and what its owner can change. */
class GatewayCard extends Card {
  readonly #person: Person;
  readonly #gateway: Gateway;
  readonly #look: HTMLButtonElement;

  constructor(person: Person, gateway: Gateway) {
    super();
    this.#person = person;
    this.#gateway = gateway;
    this.#look = button("", "s");
    pressed(this.#look, () => void busy(this.#look, async () => {
      await person.ask("gateways/household", { gateway: gateway.id, household: !gateway.enrolled?.household });
      await person.household.load();
    }));
  }

  begin(): void {
    this.frame("", "");
    const state = element("div"), acts = element("div");
    this.append(state, acts);
    let shown = "";
    const show = () => {
      const made = lines(this.#gateway);
      this.#showLook();
      const now = JSON.stringify([this.#gateway.name, ...made.map(([label, value]) => [label, value instanceof Node ? value.textContent : value])]);
      if (now === shown) return;
      shown = now;
      fill(this.head.querySelector("h2") ?? this.head, say("gateway"), " ", written(this.#gateway.name));
      fill(state, pairs(made));
    };
    show();
    this.hear(this.#person.household, "change", show);
    this.each(30_000, show);
    this.#offer(acts);
  }

  /** Says whether its owner sees its live readings, or no longer; not where everybody sees them. */
  #showLook(): void {
    const isSeen = this.#gateway.enrolled?.household === true;
    const words = say(isSeen ? "hideLive" : "showLive");
    if (this.#look.textContent !== words) this.#look.textContent = words;
    this.#look.setAttribute("aria-label", say(isSeen ? "hideLiveOf" : "showLiveOf", { name: plain(this.#gateway.name) }));
    this.#look.hidden = !isSeen && this.#gateway.isHeard;
  }

  /** What the person who has enrolled it can do. */
  #offer(acts: HTMLElement): void {
    if (!this.#gateway.enrolled) return;
    const rename = button(say("rename"), "s", { "aria-label": say("renameName", { name: plain(this.#gateway.name) }) });
    const remove = button(say("remove"), "s danger", { "aria-label": say("removeName", { name: plain(this.#gateway.name) }) });
    pressed(rename, () => {
      fill(acts, this.#renaming(() => {
        this.#offer(acts);
        acts.querySelector("button")?.focus();
      }));
      acts.querySelector("input")?.focus();
    });
    pressed(remove, () => void (async () => {
      const { id, name } = this.#gateway;
      if (!await confirmed(say("removeNameQuestion", { name: plain(name) }), say("removeGatewayMeans"), say("remove"))) return;
      await busy(remove, async () => {
        await this.#person.ask("gateways/remove", { gateway: id });
        toast(say("gatewayRemoved", { name: plain(name) }));
        await Promise.all([this.#person.household.load(), this.#person.sensors.load()]);
      });
    })());
    fill(acts, element("div", { class: "btns" }, rename, this.#look, remove));
  }

  #renaming(close: () => void): HTMLElement {
    const name = field(say("gatewayName"), text({ maxlength: 64, value: this.#gateway.enrolled?.name }), { look: "all" });
    return nameForm(name, close, async () => {
      await this.#person.ask("gateways/rename", { gateway: this.#gateway.id, name: name.input.value.trim() });
      await this.#person.household.load();
    });
  }
}

/** A form for a name, with a way back. */
export function nameForm(name: ReturnType<typeof field>, close: () => void, save: () => Promise<void>): HTMLElement {
  const send = element("button", { class: "btn s first" }, say("save"));
  const cancel = pressed(button(say("cancel"), "s"), close);
  return form({ name }, [name.node, element("div", { class: "btns all" }, send, cancel)], send, async () => {
    await save();
    toast(say("Data Saved Successfully"));
    close();
  });
}

function lines({ isHeard, isOnline, status, info, health }: Gateway): [string, Child][] {
  if (!isHeard) return [[say("state"), say("sensorUnseen")]];
  const state = isOnline && status?.time ? say("onlineSince", { time: since(status.time) }) : say(isOnline ? "online" : "offline");
  return [
    [say("state"), isOnline ? element("span", { class: "ok" }, state) : state],
    ...(health && isOnline ? ofHealth(health) : []),
    ...(info ? [
      ...(info.adapters.length > 0 ? [[say("adapters"), plain(info.adapters.join(", "))] as [string, Child]] : []),
      [say("version"), plain(info.version)] as [string, Child],
    ] : []),
  ];
}

function ofHealth({ bluetooth, outbox, disk = "ok", disk_since, clock, sensors, dropped, dead }: Health): [string, Child][] {
  const waiting = outbox.blocks + outbox.journal === 0 ? say("outboxEmpty") : [
    say("blocksWait", { count: number(outbox.blocks) }),
    ...(outbox.oldest_s > 0 ? [say("oldestIs", { time: howLong(outbox.oldest_s * 1000, locale()) })] : []),
    ...(outbox.full_percent === undefined ? [] : [say("fullTo", { percent: percent(outbox.full_percent) })]),
  ].join(", ");
  return [
    [say("bluetooth"), bluetooth === "ready" ? say("ready") : plain(bluetooth)],
    [say("sensors"), say("connectedOf", { count: number(sensors.connected), all: number(sensors.configured) })],
    [say("outbox"), waiting],
    [say("disk"), disk === "ok" ? say("diskTakes") : say(disk === "full" ? "diskFull" : "diskFails", { time: since(disk_since ?? Date.now()) })],
    [say("clock"), say(clock === "ntp" ? "clockRight" : "clockAlone")],
    ...(dropped > 0 ? [[say("lostReadings"), number(dropped)] as [string, Child]] : []),
    ...(dead > 0 ? [[say("refusedBlocks"), number(dead)] as [string, Child]] : []),
  ];
}

customElements.define("vitals-gateways", GatewayCards);
customElements.define("vitals-gateway-card", GatewayCard);
