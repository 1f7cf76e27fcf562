import { forget, kept, type Credential } from "./library/credential";
import { element, fill } from "./library/element";
import { ownTimeZone, readAs, timeZone } from "./library/format";
import { Imports } from "./library/imports";
import { Person } from "./library/person";
import { dropAnswer, readAnswer } from "./library/providers";
import { readSettings } from "./library/settings";
import { unsubscribe } from "./library/web-push";
import { say, speak } from "./library/words";
import { isLaterBuildThere, startWorker } from "./library/worker";
import { empty } from "./parts/card";
import { toast, toastPlace } from "./parts/toast";
import { alertBanner } from "./views/alert-banner";
import { chosenBanner } from "./views/chosen-banner";
import { daysView } from "./views/days";
import { dependentView } from "./views/dependent";
import { reset, signIn, signUp } from "./views/door";
import { frame, type Banner } from "./views/frame";
import { gearView } from "./views/gear";
import { goalsView } from "./views/goals";
import { groupView } from "./views/groups";
import { heartView } from "./views/heart";
import { house } from "./views/house";
import { latelyView } from "./views/lately";
import { liveView } from "./views/live";
import { peopleView } from "./views/people";
import { plansView } from "./views/plans";
import { quotesView } from "./views/quotes";
import { startView } from "./views/start";
import { statisticsView } from "./views/statistics";
import { todayTitle, todayView } from "./views/today";
import type { View } from "./views/view";
import { workoutView } from "./views/workout";
import { workoutBanner } from "./views/workout-banner";
import { workoutsView } from "./views/workouts";
import { youView } from "./views/you";

// The page: who is there, and which view the address names. Addresses hold neither names nor health values.

/** The navigation has their places in this order. */
const views: View[] = [
  todayView,
  heartView,
  // Before any workout, whose ids are not their names.
  workoutsView, startView, liveView, plansView, gearView, statisticsView, workoutView,
  daysView, goalsView,
  // Before any dependent, whose ids are not their names.
  peopleView, groupView, dependentView,
  latelyView, quotesView,
  ...house,
  youView,
];
const banners: Banner[] = [alertBanner, chosenBanner, workoutBanner];
const places = views.flatMap(({ place }) => place ?? []);
const placesOfHouse = places.filter(({ isOfHouse }) => isOfHouse);

const skip = element("a", { class: "skip", href: "#main" });
const place = element("div");
let person: Person | null = null;
/** Whether somebody has typed or chosen something in the view that is shown. */
let isChanged = false;
place.addEventListener("input", () => { isChanged = true; });

/** Shows the view of the address. */
function show(hasMoved: boolean): void {
  const [address = "", query = ""] = location.hash.split("?");
  skip.textContent = say("skip");
  isChanged = false;
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
  for (const view of views) {
    const found = view.address.exec(address);
    if (!found) continue;
    const { content, ...heading } = view.open({ person, address, query, found: found.slice(1), house: placesOfHouse, leave, again: () => show(false) });
    return frame(person, places, banners, view.place?.address ?? address, heading, content);
  }
  const toToday = element("a", { class: "btn first", href: "#/today" }, say("toToday"));
  return frame(person, places, banners, address, { title: say("noSuchView") }, empty("today", say("noSuchView"), "", toToday));
}

function enter(credential: Credential): void {
  const entered = new Person(credential);
  person = entered;
  // Until the profile is known, nothing is left of how somebody else has read here before.
  readAs(null);
  dropAnswer("sign-in");
  entered.broker.addEventListener("change", () => {
    if (entered.broker.state !== "refused" || person !== entered) return;
    // Somebody else may have signed in meanwhile, in another tab.
    void kept().then((credential) => credential?.device === entered.device ? forget() : undefined);
    leave();
    toast(say("signedOut"));
  });
  // How everything is read: the language, the units, and the time zone.
  const reads = () => [document.documentElement.lang, entered.profile?.units ?? "metric", timeZone() ?? ownTimeZone()].join("\n");
  // The day, and whether there is anything yet: only Today shows it.
  const begins = () => todayTitle(entered).join("\n");
  let [read, begun] = [reads(), begins()];
  const look = () => {
    if (person !== entered) return;
    const isReadOtherwise = reads() !== read;
    const isOtherDay = begins() !== begun && todayView.address.test(location.hash.split("?")[0] ?? "");
    if (isReadOtherwise && !isOtherDay && isInUse()) return;
    [read, begun] = [reads(), begins()];
    if (isReadOtherwise || isOtherDay) show(false);
  };
  entered.addEventListener("profile", look);
  entered.sensors.addEventListener("list", look);
  // The day turns under one's eyes; and what could not be drawn again, because somebody used it, is drawn later.
  const turning = setInterval(() => (person === entered ? look() : clearInterval(turning)), 30_000);
  entered.broker.open();
  if (/^#\/(sign-in|sign-up|reset)/.test(location.hash)) history.replaceState(null, "", "#/today");
  show(true);
}

/** Whether somebody would lose something if the view was drawn again. What they have sent themselves, they wait for. */
function isInUse(): boolean {
  if (document.querySelector('[aria-busy="true"]')) return false;
  return isChanged || place.querySelector("main")?.contains(document.activeElement) === true;
}

function leave(): void {
  void unsubscribe();
  dropAnswer();
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
  if ("speechSynthesis" in window) speechSynthesis.cancel();
  person?.broker.close();
  person = null;
  history.replaceState(null, "", "#/sign-in");
  show(true);
}

readAnswer();
speak(navigator.languages);
skip.addEventListener("click", (event) => {
  // The address is the view's.
  event.preventDefault();
  place.querySelector("h1")?.focus();
});
document.body.replaceChildren(skip, place, toastPlace());
// A later build comes where nothing is lost: with the next view, unless files are on their way.
addEventListener("hashchange", () => (isLaterBuildThere() && !Imports.areUnderWay ? location.reload() : show(true)));
startWorker(() => { location.hash = "#/lately"; });
const [credential] = await Promise.all([kept().catch(() => null), readSettings().catch(() => {})]);
if (credential) enter(credential);
else {
  show(false);
  void unsubscribe();
}
