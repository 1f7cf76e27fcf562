import { forget } from "../library/credential";
import { element, pressed } from "../library/element";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say } from "../library/words";
import { section } from "../parts/card";
import { confirmed } from "../parts/dialog";
import { busy, button } from "../parts/form";
import { icon } from "../parts/icons";
import { AccountCard } from "./account-card";
import { ConsentCard } from "./consent-card";
import { DevicesCard } from "./devices-card";
import { EndingCard } from "./ending-card";
import { ExportCard } from "./export-card";
import { PhonesCard } from "./phones-card";
import { ProfileCard } from "./profile-card";
import { PushCard } from "./push-card";
import { ServicesCard } from "./services-card";
import type { Place, View, Visit } from "./view";

export const youView: View = {
  address: /^#\/you$/,
  open: (visit) => ({ title: say("you"), content: you(visit) }),
};

/** Oneself: who one is, what one agrees to, what is one's own, and the way out. */
function you({ person, house, leave }: Visit): HTMLElement {
  return element(
    "div", { class: "grid" },
    ofHouse(house),
    element("div", { class: "side s7" }, new ProfileCard(person), new ConsentCard(person), new ExportCard(person), new EndingCard(person, leave)),
    element(
      "div", { class: "side s5" },
      new AccountCard(person), new DevicesCard(person), signOut(person, leave), new PhonesCard(person), new PushCard(person), new ServicesCard(person)));
}

/** On a phone: the places of the house, which the navigation of a desktop has. */
function ofHouse(house: Place[]): HTMLElement | null {
  if (house.length === 0) return null;
  return section(say("house"), "phone-only", element("ul", { class: "rows" }, ...house.map(({ address, word, icon: name }) => element(
    "li", {}, element("a", { class: "row", href: address }, element("span", { class: "badge" }, icon(name)), element("b", { class: "grow" }, say(word)), icon("next"))))));
}

/** Revokes this device. Without a connection, what is kept of it here can be removed nevertheless, if the person wants that. */
async function isRevoked(person: Person): Promise<boolean> {
  try {
    await person.ask("account/sign-out", { device: person.device });
    return true;
  } catch (error) {
    if (!(error instanceof Refusal) || !["offline", "no-answer"].includes(error.code)) throw error;
    return confirmed(say("signOutQuestion"), say("forgetHereMeans"), say("forgetHere"));
  }
}

function signOut(person: Person, leave: () => void): HTMLElement {
  const out = button(say("signOut"), "danger");
  return pressed(out, () => void (async () => {
    if (!await confirmed(say("signOutQuestion"), say("signOutMeans"), say("signOut"))) return;
    await busy(out, async () => {
      if (!await isRevoked(person)) return;
      await forget();
      leave();
    });
  })());
}
