import { element, type Child } from "../library/element";
import { number } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { say, type Word } from "../library/words";
import { zoneOrigin } from "../library/zones";
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

/** Where each zone begins, if that is known, what it feels like, and what the zones follow from. */
function zoneTable({ zones }: Person): HTMLElement {
  const head: Word[] = ["zoneWord", ...(zones ? ["bpm" as const] : []), "feelsLike"];
  return element("div", {},
    zones ? element("p", {}, zoneOrigin(zones)) : null,
    element("table", {}, element("thead", {}, element("tr", {}, ...head.map((word) => element("th", { scope: "col" }, say(word))))),
      element("tbody", {}, ...[1, 2, 3, 4, 5].map((zone) => element("tr", {},
        element("th", { scope: "row" }, element("span", { class: "zone-line" },
          element("b", { class: `zone z${zone}`, "aria-hidden": "true" }, `${zone}`), say(`zone${zone}` as Word))),
        zones ? element("td", {}, say("fromValue", { value: number(zones.bounds[zone - 1] ?? 0) })) : null,
        element("td", {}, say(`feels${zone}` as Word)))))));
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
