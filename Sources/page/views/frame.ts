import { element, fill, give, plain } from "../library/element";
import { clock } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { liveMilliseconds } from "../library/sensors";
import { say, type Word } from "../library/words";
import { portrait } from "../parts/face";
import { icon } from "../parts/icons";
import { logo } from "../parts/ring";
import { unseen } from "./lately";
import type { Heading, Place } from "./view";

/** What stands above the content of each view while there is a reason, such as a workout that is under way. */
export interface Banner {
  (person: Person): HTMLElement;
  /** Also above views that take the whole page. */
  isEverywhere?: boolean;
}

/** What stands about each view of a person: navigation, heading, the state of the connection, the bell. */
export function frame(
  person: Person, places: Place[], banners: Banner[], address: string, { title, under, back, isWhole }: Heading, content: HTMLElement,
): HTMLElement {
  const above = banners.filter(({ isEverywhere }) => isEverywhere || !isWhole).map((banner) => banner(person));
  const main = element("main", { class: "main", id: "main" }, new OfflineLine(person), ...above, content);
  const ends = isWhole ? [] : [new Bell(person), new Picture(person)];
  return element(
    "div", { class: isWhole ? "app whole" : "app" },
    isWhole ? null : navigation(person, places, back?.address ?? address),
    element(
      "div", { class: "page" },
      element(
        "header", { class: "top" },
        element("div", { class: "top-title" },
          back ? element("a", { class: "back", href: back.address }, icon("back", "i-s"), say(back.word)) : null,
          element("h1", { tabindex: -1 }, title), under ? element("p", {}, under) : null),
        new StatePill(person, isWhole ?? false), ...ends),
      main));
}

function navigation(person: Person, places: Place[], current: string): HTMLElement {
  const entry = ({ address, word, icon: name }: Place) => element(
    "li", {}, element("a", { href: address, "aria-current": address === current || current.startsWith(`${address}/`) ? "page" : undefined }, icon(name), element("span", {}, say(word))));
  const house = places.filter(({ isOfHouse }) => isOfHouse);
  return element(
    "nav", { class: "nav", "aria-label": say("main") },
    element("div", { class: "nav-brand" }, element("a", { class: "brand", href: "#/today" }, logo(), "Vitals")),
    element("ul", {}, ...places.filter(({ isOfHouse }) => !isOfHouse).map(entry)),
    element("ul", { class: "nav-more", "data-title": say("house"), "aria-label": say("house") }, ...house.map(entry)),
    element("ul", { class: "nav-me" }, element("li", {}, new NameLink(person, current))));
}

/** How things stand: an alert, recording a workout, live, online, connecting, offline. */
class StatePill extends Part {
  readonly #person: Person;
  readonly #isOfWorkout: boolean;

  /** @param isOfWorkout on other views there is a line that says that a workout is under way */
  constructor(person: Person, isOfWorkout: boolean) {
    super();
    this.#person = person;
    this.#isOfWorkout = isOfWorkout;
  }

  begin(): void {
    const show = () => {
      const [look, word, count = 0] = this.#state();
      const text = say(word, { count });
      if (this.dataset["state"] === text) return;
      this.dataset["state"] = text;
      give(this, { class: `pill ${look}` });
      fill(this, look === "live" || look === "alarm" ? element("span", { class: "dot" }) : null, text);
    };
    show();
    for (const kind of ["change", "silence"]) this.hear(this.#person.broker, kind, show);
    for (const kind of ["beat", "list"]) this.hear(this.#person.sensors, kind, show);
    this.hear(this.#person.alerts, "change", show);
    this.hear(this.#person.underWay, "change", show);
    this.each(1_000, show);
  }

  #state(): [look: string, word: Word, count?: number] {
    const { alerts, broker, sensors, underWay } = this.#person;
    if (broker.state === "offline") return ["off", "offline"];
    if (broker.state !== "online") return ["", "connecting"];
    if (broker.isSilent) return ["off", "noData"];
    const count = alerts.open.length;
    if (count > 0) return ["alarm", count === 1 ? "oneAlert" : "openAlerts", count];
    if (this.#isOfWorkout && underWay.now) return underWay.now.state === "paused" ? ["", "paused"] : ["live", "recording"];
    const beat = sensors.shown?.beat;
    if (beat && Date.now() - beat.arrived < liveMilliseconds) return ["live", "live"];
    return ["", sensors.list?.length === 0 ? "noSensor" : "online"];
  }
}

/** Since when the page is offline, or hears nothing. What was seen stays where it is. */
class OfflineLine extends Part {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    give(this, { role: "status" });
    fill(this);
    const { broker } = this.#person;
    let said = "";
    const show = () => {
      const isAway = broker.state === "offline" || broker.state === "connecting" && this.#person.hasBeenOnline;
      document.documentElement.toggleAttribute("data-offline", isAway || broker.isSilent);
      const words = broker.isSilent ? say("noDataSince", { time: clock(broker.heardAt) })
        : !isAway ? "" : this.#person.hasBeenOnline ? say("offlineSince", { time: clock(broker.since) }) : say("neverOnline");
      // It is read out once.
      if (words !== said) fill(this, words && element("p", { class: "offline" }, icon("warn", "i-s"), element("span", {}, words)));
      said = words;
    };
    show();
    for (const kind of ["change", "silence"]) this.hear(broker, kind, show);
  }
}

/** Leads to what has happened, and says how much of it is new. */
class Bell extends Part {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const show = () => {
      const count = unseen(this.#person);
      fill(this, element(
        "a", { class: "round", href: "#/lately", "aria-label": say("notifications", { count }) },
        icon("bell"), count > 0 ? element("span", { class: "count", "aria-hidden": "true" }, `${Math.min(count, 99)}`) : null));
    };
    show();
    this.hear(this.#person.news, "change", show);
  }
}

/** On a phone: the picture that leads to oneself. */
class Picture extends Part {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    give(this, { class: "phone-only" });
    const show = () => {
      const name = this.#person.profile?.name;
      fill(this, element(
        "a", { class: "round", href: "#/you", "aria-label": name ? `${plain(name)}: ${say("you")}` : say("you") },
        portrait(this.#person, "s")));
    };
    show();
    for (const kind of ["profile", "picture"]) this.hear(this.#person, kind, show);
  }
}

/** On a desktop: the same, with the name. */
class NameLink extends Part {
  readonly #person: Person;
  readonly #current: string;

  constructor(person: Person, current: string) {
    super();
    this.#person = person;
    this.#current = current;
  }

  begin(): void {
    const show = () => {
      const name = this.#person.profile?.name;
      fill(this, element(
        "a", { href: "#/you", "aria-current": this.#current === "#/you" ? "page" : undefined },
        portrait(this.#person, "s"), element("span", {}, name ? plain(name) : say("you"))));
    };
    show();
    for (const kind of ["profile", "picture"]) this.hear(this.#person, kind, show);
  }
}

customElements.define("vitals-state", StatePill);
customElements.define("vitals-offline", OfflineLine);
customElements.define("vitals-bell", Bell);
customElements.define("vitals-picture", Picture);
customElements.define("vitals-name", NameLink);
