import { forget, kept, type Credential } from "./library/credential";
import { element, fill } from "./library/element";
import { Person } from "./library/person";
import { say, speak } from "./library/words";
import { empty } from "./parts/card";
import { toast, toastPlace } from "./parts/toast";
import { reset, signIn, signUp } from "./views/door";
import { frame, type Heading, type Place } from "./views/frame";
import { Heart } from "./views/heart";
import { LatelyCard } from "./views/lately";
import { Today, todayTitle } from "./views/today";
import { Workout } from "./views/workout";
import { Workouts } from "./views/workouts";
import { you } from "./views/you";

// The page: who is there, and which view the address names. Addresses hold neither names nor health values.

const workouts: Place = { address: "#/workouts", word: "workouts", icon: "workouts" };
const places: Place[] = [
  { address: "#/today", word: "today", icon: "today" },
  { address: "#/heart", word: "heart", icon: "heart" },
  workouts,
];

const place = element("div");
let person: Person | null = null;

/** Shows the view of the address. */
function show(hasMoved: boolean): void {
  const [address = "", query = ""] = location.hash.split("?");
  fill(place, person ? ofPerson(person, address, query) : ofStranger(address));
  document.title = `${place.querySelector("h1")?.textContent ?? ""} · Vitals`;
  if (!hasMoved) return;
  scrollTo(0, 0);
  place.querySelector("h1")?.focus();
}

function ofStranger(address: string): HTMLElement {
  switch (address) {
    case "#/sign-up": return signUp(enter);
    case "#/reset": return reset();
    default: return signIn(enter);
  }
}

function ofPerson(person: Person, address: string, query: string): HTMLElement {
  const view = (title: string, content: HTMLElement, more: Partial<Heading> = {}) =>
    frame(person, places, { current: address, title, ...more }, content);
  const [, workout] = /^#\/workouts\/([a-z0-9-]{1,36})$/.exec(address) ?? [];
  if (workout) return view(say("workout"), new Workout(person, workout), { current: workouts.address, back: workouts });
  switch (address) {
    case "": case "#/": case "#/today": case "#/sign-in": case "#/sign-up": case "#/reset": {
      const [title, under] = todayTitle(person);
      return view(title, new Today(person), { current: "#/today", under });
    }
    case "#/heart": return view(say("heartRate"), new Heart(person, query));
    case "#/workouts": return view(say("workouts"), new Workouts(person));
    case "#/lately": return view(say("lately"), new LatelyCard(person, Infinity, ""));
    case "#/you": return view(say("you"), you(person, leave));
    default:
      return view(say("noSuchView"), empty("today", say("noSuchView"), "", element("a", { class: "btn first", href: "#/today" }, say("toToday"))));
  }
}

function enter(credential: Credential): void {
  const entered = new Person(credential);
  person = entered;
  entered.broker.addEventListener("change", () => {
    if (entered.broker.state !== "refused") return;
    void forget();
    leave();
    toast(say("signedOut"));
  });
  // The language, and whether there is anything yet.
  const looks = () => [document.documentElement.lang, ...todayTitle(entered)].join("\n");
  let seen = looks();
  const look = () => {
    if (person !== entered || looks() === seen) return;
    seen = looks();
    show(false);
  };
  entered.addEventListener("profile", look);
  entered.sensors.addEventListener("list", look);
  entered.broker.open();
  if (/^#\/(sign-in|sign-up|reset)/.test(location.hash)) history.replaceState(null, "", "#/today");
  show(true);
}

function leave(): void {
  person?.broker.close();
  person = null;
  history.replaceState(null, "", "#/sign-in");
  show(true);
}

speak(navigator.languages);
const skip = element("a", { class: "skip", href: "#main" }, say("skip"));
skip.addEventListener("click", (event) => {
  // The address is the view's.
  event.preventDefault();
  place.querySelector("h1")?.focus();
});
document.body.replaceChildren(skip, place, toastPlace());
addEventListener("hashchange", () => show(true));
const credential = await kept().catch(() => null);
if (credential) enter(credential);
else show(false);
