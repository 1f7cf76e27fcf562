import type { Profile } from "service";
import { dayName } from "../library/calendar";
import { fill, pressed, written } from "../library/element";
import { number } from "../library/format";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { zoneOrigin } from "../library/zones";
import { bodyMeasures } from "../parts/body-measures";
import { Card, pairs, skeleton } from "../parts/card";
import { button } from "../parts/form";
import { PictureRow } from "./picture-row";
import { languageName, profileForm } from "./profile-form";

/** Who the person is, with their picture; and the form that changes it, which stands there by itself if nothing is known yet. */
export class ProfileCard extends Card {
  readonly #person: Person;
  readonly #body = document.createElement("div");

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const edit = button(say("edit"), "s quiet");
    this.frame(say("profile"), "", edit);
    this.append(new PictureRow(this.#person), this.#body);
    let isEdited = false;
    const show = () => {
      const { profile } = this.#person;
      if (isEdited) return;
      edit.hidden = !profile;
      if (profile === undefined) return fill(this.#body, skeleton());
      if (profile === null) return fill(this.#body, profileForm(this.#person, () => {}));
      fill(this.#body, read(profile, this.#person));
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

function read(profile: Profile, { zones, bicycleZones }: Person): HTMLElement {
  const isImperial = profile.units === "imperial";
  const measures = (["height_cm", "weight_kg"] as const).map((name): [string, string] =>
    [bodyMeasures[name].label(isImperial), bodyMeasures[name].shown(profile[name], isImperial)]);
  const onOrOff = (isOn: boolean) => say(isOn ? "on" : "off");
  return pairs([
    [say("personName"), written(profile.name)],
    [say("birth"), dayName(profile.date_of_birth, { day: "numeric", month: "long", year: "numeric" })],
    [say("gender"), say(profile.gender)],
    ...measures,
    [say("bodyMass"), number(profile.weight_kg / (profile.height_cm / 100) ** 2, 1)],
    [say("units"), say(profile.units)],
    [say("language"), profile.locale ? languageName(profile.locale) : say("ofBrowser")],
    [say("timeZone"), profile.time_zone ?? say("ofBrowser")],
    ...[[say("zonesWord"), zones] as const, [say("zonesOnBicycle"), bicycleZones] as const].flatMap(([label, known]): [string, string][] =>
      (known ? [[label, `${zoneOrigin(known)} ${say("zonesFrom", { list: known.bounds.join(", ") })}`]] : [])),
    [say("keepHeart"), onOrOff(profile.continuous_heart_rate)],
    [say("voiceProfile"), onOrOff(profile.voice)],
  ]);
}

customElements.define("vitals-profile-card", ProfileCard);
