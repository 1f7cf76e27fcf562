import type { Profile } from "service";
import { forget } from "../library/credential";
import { element, fill, plain, pressed, written, type Child } from "../library/element";
import { ago, number } from "../library/format";
import type { Person } from "../library/person";
import { say, type Word } from "../library/words";
import { Card, skeleton } from "../parts/card";
import { button, busy, confirmed } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";
import { profileForm } from "./profile-form";
import type { View } from "./view";

export const youView: View = {
  address: /^#\/you$/,
  open: ({ person, leave }) => ({ title: say("you"), content: you(person, leave) }),
};

/** Oneself: the profile, the devices, signing out. */
function you(person: Person, leave: () => void): HTMLElement {
  return element(
    "div", { class: "grid" },
    new ProfileCard(person, "s7"),
    element("div", { class: "side s5" }, new DevicesCard(person, ""), signOut(person, leave)));
}

class ProfileCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #body = element("div");

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    const edit = button(say("edit"), "s quiet");
    this.frame(say("profile"), this.#look, edit);
    this.append(this.#body);
    let isEdited = false;
    const show = () => {
      const { profile } = this.#person;
      if (isEdited) return;
      edit.hidden = !profile;
      if (profile === undefined) return fill(this.#body, skeleton());
      if (profile === null) return fill(this.#body, profileForm(this.#person, () => {}));
      fill(this.#body, read(profile));
    };
    pressed(edit, () => {
      isEdited = true;
      edit.hidden = true;
      fill(this.#body, profileForm(this.#person, () => {
        isEdited = false;
        show();
        edit.focus();
      }));
      this.#body.querySelector("input")?.focus();
    });
    show();
    this.hear(this.#person, "profile", show);
  }
}

function read(profile: Profile): HTMLElement {
  const lines: [Word, Child][] = [
    ["personName", written(profile.name)],
    ["birth", profile.date_of_birth],
    ["gender", say(profile.gender)],
    ["height", number(profile.height_cm)],
    ["weight", number(profile.weight_kg, 1)],
    ["units", say(profile.units)],
    ["keepHeart", say(profile.continuous_heart_rate ? "on" : "off")],
    ["voiceProfile", say(profile.voice ? "on" : "off")],
  ];
  return element("dl", { class: "kv" }, ...lines.map(([word, value]) =>
    element("div", {}, element("dt", {}, say(word)), element("dd", {}, value))));
}

/** Where the person is signed in. */
class DevicesCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #rows = element("ul", { class: "rows" });

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    this.frame(say("devices"), this.#look);
    this.append(this.#rows);
    fill(this.#rows, element("li", {}, skeleton()));
    void this.#load();
    this.hear(this.#person.broker, "change", () => this.#person.broker.state === "online" && void this.#load());
  }

  async #load(): Promise<void> {
    const listed = await this.#person.ask("devices/list", {}).catch(() => null);
    if (!listed) return;
    fill(this.#rows, ...listed.devices.map(({ device, name = device, created }) => {
      const isThis = device === this.#person.device;
      const revoke = button(say("revoke"), "s", { "aria-label": say("revokeDevice", { name: plain(name) }) });
      pressed(revoke, () => void busy(revoke, async () => {
        await this.#person.ask("devices/revoke", { device });
        toast(say("revoked", { name: plain(name) }));
        await this.#load();
      }));
      return element(
        "li", { class: "row" },
        element("span", { class: "badge" }, icon("phone")),
        element("span", { class: "grow" }, element("b", {}, written(name)),
          element("small", {}, isThis ? say("thisDevice") : say("signedInOn", { time: ago(created) }))),
        isThis ? null : revoke);
    }));
  }
}

function signOut(person: Person, leave: () => void): HTMLElement {
  const out = button(say("signOut"), "danger");
  return pressed(out, () => void (async () => {
    if (!await confirmed(say("signOutQuestion"), say("signOutMeans"), say("signOut"))) return;
    await busy(out, async () => {
      await person.ask("account/sign-out", { device: person.device });
      await forget();
      leave();
    });
  })());
}

customElements.define("vitals-profile-card", ProfileCard);
customElements.define("vitals-devices-card", DevicesCard);
