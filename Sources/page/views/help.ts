import { element, type Child } from "../library/element";
import { number, percent } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { say, type Word } from "../library/words";
import { zoneLimits, zoneShares } from "../library/zones";
import { section } from "../parts/card";
import { picture, type DrawingName } from "../parts/drawings";
import { tips } from "./sensors";
import type { View } from "./view";

/** How to begin, and what to do when something does not work, in pictures and words. */
class Help extends Part {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const zones = element("div");
    const show = () => zones.replaceChildren(zoneTable(this.#person));
    show();
    this.hear(this.#person, "profile", show);
    this.replaceChildren(element(
      "div", { class: "grid" },
      told("helpWear", "wear", steps("helpWear1", "helpWear2", "helpWear3", "helpWear4")),
      told("helpPair", "pair", steps("helpPair1", "helpPair2", "helpPair3"), element("a", { href: "#/sensors" }, say("toSensors"))),
      told("nothingFoundAsk", "nothing", tips()),
      told("helpInstall", "install", steps("helpInstall1", "helpInstall2", "helpInstall3")),
      section(say("helpZones"), "h s6", element("p", { class: "hint" }, say("helpZonesWhy")), zones),
      section(say("helpKeys"), "h s6", keys())));
  }
}

function told(title: Word, drawn: DrawingName, ...content: Child[]): HTMLElement {
  return section(say(title), "h s6", picture(drawn), ...content);
}

function steps(...words: Word[]): HTMLElement {
  return element("ol", { class: "told" }, ...words.map((word) => element("li", {}, say(word))));
}

/** Where each zone begins: in percent, and in beats if the person's age is known. */
function zoneTable({ profile }: Person): HTMLElement {
  const limits = zoneLimits(profile).map(Math.ceil);
  const from = (value: string) => element("td", {}, say("fromValue", { value }));
  return element("table", {}, element("thead", {}, element("tr", {},
    ...(["zoneWord", "shareOfMaximum", ...(limits.length > 0 ? ["bpm" as const] : []), "feelsLike"] as Word[]).map((word) => element("th", { scope: "col" }, say(word))))),
  element("tbody", {}, ...zoneShares.map((share, at) => element("tr", {},
    element("th", { scope: "row" }, element("span", { class: "zone-line" },
      element("b", { class: `zone z${at + 1}`, "aria-hidden": "true" }, `${at + 1}`), say(`zone${at + 1}` as Word))),
    from(percent(share)), limits.length > 0 ? from(number(limits[at] ?? 0)) : null,
    element("td", {}, say(`feels${at + 1}` as Word))))));
}

const keyWords: [keys: string[], does: Word][] = [
  [["Tab"], "keyTab"], [["Enter"], "keyEnter"], [["Esc"], "keyEsc"], [["←", "→"], "keyPoint"], [["Shift", "←", "→"], "keyPan"],
  [["+", "−"], "keyZoom"], [["Home", "End"], "keyEnds"],
];

function keys(): HTMLElement {
  return element("dl", { class: "kv" }, ...keyWords.map(([pressed, does]) => element(
    "div", {}, element("dt", {}, ...pressed.flatMap((key): Child[] => [element("kbd", {}, key), " "])), element("dd", {}, say(does)))));
}

export const helpView: View = {
  address: /^#\/help$/,
  place: { address: "#/help", word: "help", icon: "help", isOfHouse: true },
  open: ({ person }) => ({ title: say("help"), content: new Help(person) }),
};

customElements.define("vitals-help", Help);
