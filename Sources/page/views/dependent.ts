import type {
  Area, Dependent, DependentLocation, DependentMotion, DependentPath, DependentsDayData, DependentStatus, Notification, PhoneRegion, WatchRule,
} from "service";
import { dayName } from "../library/calendar";
import { element, fill, plain, pressed, refill, written, type Child } from "../library/element";
import { ago, clock, dates, dayOf, farText, height, joined, percent } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { metresBetween, metresOutside, placeText, type Place, type Shape } from "../library/places";
import { Refusal } from "../library/requests";
import { say } from "../library/words";
import { answered, refused } from "../parts/answered";
import { empty, facts, section, skeleton } from "../parts/card";
import { confirmed } from "../parts/dialog";
import { face } from "../parts/face";
import { busy, button, round } from "../parts/form";
import type { Sight } from "../parts/ground";
import { icon } from "../parts/icons";
import { mapOf } from "../parts/map";
import { toast } from "../parts/toast";
import { locate } from "./alert-banner";
import { areaForm, shapeOf } from "./area-form";
import { act } from "./friends";
import { motions } from "./looking-after";
import { peopleTabs } from "./people-tabs";
import { peopleView } from "./people";
import { ruleForm, ruleText } from "./rule-form";
import type { View } from "./view";

/** A position is old after this, and somebody on foot may have gone on since: metres a second, and no farther than is worth a circle. */
const oldAfter = 600_000, pace = 1.2, farthest = 5_000;
/** What somebody does now is not known any longer after this. */
const motionLasts = 900_000;
/** How many days back a guardian sees. */
const daysBack = 30;

/** Somebody whom one looks after: where they are and how they are, their way of a day, areas, and what one is told of. */
class DependentPage extends Part {
  readonly #person: Person;
  readonly #id: string;
  #dependent: Dependent | null = null;
  #here: DependentLocation | null = null;
  #path: DependentPath | null = null;
  #motion: DependentMotion | null = null;
  #status: DependentStatus | null = null;
  #areas: Area[] = [];
  #regions: PhoneRegion[] = [];
  #rules: WatchRule[] = [];
  /** The day before today that is shown, and what the service has said of it; null for today. */
  #past: { day: string; data: DependentsDayData | null } | null = null;
  /** What is being drawn, and of which area it is another shape. */
  #draft: { shape: Shape | null; area: string | undefined } | null = null;
  /** Ends the form that draws it. */
  #drawing = new AbortController();
  #load: () => Promise<void> = () => Promise.resolve();
  readonly #map = mapOf();
  readonly #notes = element("div", { class: "side" });
  readonly #pager = element("div", { class: "pager" });
  readonly #way = element("div");
  readonly #form = element("div");
  readonly #now = element("div", { class: "side" });
  readonly #alertRows = element("div");
  readonly #areaRows = element("div");
  readonly #ruleRows = element("div");

  constructor(person: Person, id: string) {
    super();
    this.#person = person;
    this.#id = id;
  }

  begin(): void {
    const body = element("div");
    fill(this, element("div", { class: "side" }, element("div", {}, peopleTabs("#/people/looking-after")), body));
    let isBuilt = false;
    this.#load = answered(this, this.#person, body, async (isShown) => {
      const [{ dependents }, areas, { rules }] = await Promise.all([
        this.#person.ask("dependents/list", {}), this.#person.ask("areas/list", {}), this.#person.ask("alerts/list", {})]);
      const mine = ({ dependent }: { dependent: string }) => dependent === this.#id;
      this.#dependent = dependents.find(mine) ?? null;
      if (!this.#dependent) {
        isBuilt = false;
        return [element("div", { class: "card" }, empty("people", say("noSuchDependent"), "",
          element("a", { class: "btn", href: "#/people/looking-after" }, say("lookingAfter"))))];
      }
      [this.#areas, this.#regions, this.#rules] = [areas.areas.filter(mine), areas.regions.filter(mine), rules.filter(mine)];
      const isFirst = !isShown || !isBuilt;
      isBuilt = true;
      this.#show();
      return isFirst ? this.#build(this.#dependent) : null;
    });
    const topic = <Value>(name: string, take: (value: Value | null) => void) =>
      this.whileShown(this.#person.hear(`dependents/${this.#id}/${name}`, (value) => {
        take((value as Value | undefined) ?? null);
        this.#show();
      }));
    topic<DependentLocation>("location", (value) => (this.#here = value));
    topic<DependentPath>("path", (value) => (this.#path = value));
    topic<DependentMotion>("motion", (value) => (this.#motion = value));
    topic<DependentStatus>("status", (value) => (this.#status = value));
    this.hear(this.#person.alerts, "change", () => this.#showAlerts());
    const told = (event: Event) => {
      if ((event as CustomEvent<Notification>).detail.from === this.#id) void this.#load();
    };
    this.#person.news.addEventListener("told", told);
    this.whileShown(() => this.#person.news.removeEventListener("told", told));
    // Whatever is shown becomes older.
    this.each(10_000, () => this.#show());
  }

  get #name(): string {
    return this.#dependent?.name ?? say("somebody");
  }

  #build({ name = say("somebody") }: Dependent): Child[] {
    const ask = button(say("askWhere"), "soft");
    ask.prepend(icon("target", "i-s"));
    pressed(ask, () => void busy(ask, () => locate(this.#person, this.#id)));
    const stop = act(say("stopLooking"), name, async () => {
      if (!await confirmed(say("stopLookingQuestion", { name: plain(name) }), say("stopLookingMeans"), say("end"))) return;
      await this.#person.ask("dependents/remove", { dependent: this.#id });
      location.hash = "#/people/looking-after";
    }, "danger s");
    return [element("div", { class: "side" },
      element("div", { class: "card-head" }, face(name), element("h2", {}, written(name)), ask),
      this.#notes,
      element("div", { class: "grid" },
        element("div", { class: "side s7" }, this.#pager, element("figure", {}, this.#map), this.#way),
        element("div", { class: "side s5" }, this.#form, section(say("now"), "", this.#now), section(say("alerts"), "", this.#alertRows)),
        section(say("areas"), "s7", this.#areaRows), section(say("toldOf"), "s5", this.#ruleRows)),
      element("p", { class: "small muted" }, say("theySee", { name: plain(name) })),
      element("div", { class: "btns" }, stop))];
  }

  #show(): void {
    if (!this.#dependent) return;
    this.#showMap();
    this.#showNow(this.#dependent);
    this.#showAlerts();
    this.#showAreas();
    this.#showRules();
  }

  // The map, and the day that it shows

  #showMap(): void {
    const isAllowed = this.#dependent?.location ?? false, here = isAllowed && !this.#past ? this.#here : null;
    const points = isAllowed ? [...(this.#past ? this.#past.data?.points : this.#path?.points) ?? []] : [];
    // The way comes once a minute, the position sooner.
    if (here && here.time > (points[points.length - 1]?.[0] ?? here.time)) points.push([here.time, here.lat, here.lon]);
    const way = points.flatMap(([, latitude, longitude]): Place[] => (latitude === undefined || longitude === undefined ? [] : [[latitude, longitude]]));
    const age = here ? Date.now() - here.time : 0;
    const sight: Sight = {
      ways: way.length > 0 ? [way] : [], hasEnds: this.#past !== null,
      areas: this.#areas.filter(({ area }) => area !== this.#draft?.area).flatMap((area) => {
        const shape = shapeOf(area);
        return shape ? [{ name: area.name, shape }] : [];
      }),
      here: here && {
        place: [here.lat, here.lon], accuracy: (here.accuracy_m ?? 0) + (age > oldAfter ? Math.min(farthest, (age / 1000) * pace) : 0),
        label: `${this.#name}, ${ago(here.time)}`, isOld: age > oldAfter,
      },
      draft: this.#draft,
      says: here ? say("mapSays", { name: plain(this.#name), time: ago(here.time), where: plain(this.#where([here.lat, here.lon])) }) : say("mapOfDay"),
    };
    this.#map.show(sight);
    this.#pager.hidden = this.#way.hidden = !isAllowed;
    this.#showPager();
    this.#showWay(points);
  }

  /** In which areas a place is, or how far it is from the nearest one; without areas, where it is. */
  #where(place: Place): string {
    const far = this.#areas.flatMap((area) => {
      const shape = shapeOf(area);
      return shape ? [{ name: area.name, metres: metresOutside(shape, place) }] : [];
    }).sort((one, other) => one.metres - other.metres);
    const within = far.filter(({ metres }) => metres === 0).map(({ name }) => name).join(", ");
    if (within) return say("withinArea", { area: within });
    return far[0] ? say("awayFromArea", { area: far[0].name, distance: farText(far[0].metres) }) : placeText(place);
  }

  #showPager(): void {
    const today = dayOf(Date.now()), shown = this.#past?.day ?? today;
    const step = (days: number) => new Date(Date.parse(shown) + days * 86_400_000).toISOString().slice(0, 10);
    const turn = (name: "back" | "next", label: string, day: string, isOffered: boolean) =>
      round(name, label, () => void this.#turn(day === today ? null : day), { disabled: !isOffered });
    const key = `${shown} ${today}`;
    if (isSame(this.#pager, key)) return;
    const earliest = new Date(Date.parse(today) - daysBack * 86_400_000).toISOString().slice(0, 10);
    refill(this.#pager, turn("back", say("before"), step(-1), shown > earliest),
      element("b", { role: "status" }, this.#past ? dayName(shown, { weekday: "short", day: "numeric", month: "long" }) : say("today")),
      turn("next", say("after"), step(1), shown < today));
  }

  async #turn(day: string | null): Promise<void> {
    const past = day === null ? null : { day, data: null as DependentsDayData | null };
    this.#past = past;
    delete this.#way.dataset["shown"];
    this.#map.fit();
    this.#showMap();
    if (!past) return;
    fill(this.#way, skeleton());
    try {
      past.data = await this.#person.ask("dependents/day", { dependent: this.#id, day: past.day }, 20);
      if (past === this.#past) this.#showMap();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (past === this.#past) fill(this.#way, refused(error, () => void this.#turn(day)));
    }
  }

  /** The way in words, and as a table. */
  #showWay(points: number[][]): void {
    if (this.#past && !this.#past.data) return;
    const key = `${this.#past?.day} ${points.length} ${points[points.length - 1]?.[0]} ${this.#dependent?.location}`;
    if (isSame(this.#way, key)) return;
    const [first, last] = [points[0]?.[0], points[points.length - 1]?.[0]];
    if (first === undefined || last === undefined || points.length < 2) return fill(this.#way, element("p", { class: "small muted" }, say("noWay")));
    const places = points.map(([time = 0, latitude = 0, longitude = 0]): { time: number; place: Place } => ({ time, place: [latitude, longitude] }));
    const metres = places.reduce((sum, { place }, at) => sum + metresBetween(places[at - 1]?.place ?? place, place), 0);
    const exercise = this.#past?.data?.exercise_min;
    const table = element("details", {}, element("summary", {}, say("asTable")));
    // 500 rows are made for those who look at them.
    table.addEventListener("toggle", () => {
      if (table.querySelector("table")) return;
      table.append(element("table", {},
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, say("time")), element("th", { scope: "col" }, say("place")))),
        element("tbody", {}, ...places.map(({ time, place }) => element("tr", {}, element("td", {}, clock(time)), element("td", {}, written(this.#where(place))))))));
    });
    fill(this.#way, element("p", { class: "small" }, say("wayIs", { from: clock(first), to: clock(last), distance: farText(metres) }),
      exercise === undefined ? null : ` ${say("exerciseThen", { minutes: exercise })}`), table);
  }

  // How they are

  #showNow(dependent: Dependent): void {
    const now = Date.now(), here = dependent.location ? this.#here : null, motion = dependent.motion ? this.#motion : null;
    const status = dependent.location || dependent.motion ? this.#status : null;
    const figures: [string, string, string?][] = [];
    if (motion && now - motion.time < motionLasts) figures.push([say("motion"), say(motions[motion.state])]);
    if (motion && dayOf(motion.time) === dayOf(now)) figures.push([say("exerciseToday"), `${motion.exercise_min}`, "min"]);
    if (here?.accuracy_m !== undefined) figures.push([say("position"), `±${joined(height(here.accuracy_m))}`]);
    if (status?.battery_percent !== undefined) figures.push([say(status.charging ? "phoneCharging" : "phone"), percent(status.battery_percent)]);
    for (const { sensor, online } of status?.sensors.slice(0, 6) ?? []) figures.push([plain(sensor.split("/")[1] ?? sensor), say(online ? "on" : "off")]);
    const age = here ? now - here.time : 0;
    fill(this.#now,
      figures.length > 0 ? facts("three", figures) : null,
      here ? element("p", {}, say("seenAt", { time: ago(here.time) }), ", ", written(this.#where([here.lat, here.lon])),
        this.#areas.length > 0 ? element("small", { class: "muted" }, ` (${placeText([here.lat, here.lon])})`) : null)
        : element("p", { class: "muted" }, say(dependent.location ? "noPosition" : "positionNotShared")),
      status?.phone === undefined ? null : element("p", { class: "small muted" }, say("phoneHeard", { time: ago(status.phone) })));
    const notes = [
      ...(dependent.location ? [] : [say(dependent.motion || dependent.heart_rate ? "consentWithdrawn" : "nothingAllowed", { name: plain(this.#name) })]),
      ...(here && age > oldAfter ? [say("positionOld", { distance: farText(Math.min(farthest, (age / 1000) * pace)) })] : []),
    ];
    fill(this.#notes, ...notes.map((note) => element("div", { class: "note warn" }, icon("warn"), element("p", { class: "grow" }, note))));
  }

  #showAlerts(): void {
    const { alerts } = this.#person;
    const told = alerts.list.filter(({ dependent }) => dependent === this.#id).slice(0, 12);
    if (told.length === 0) return fill(this.#alertRows, element("p", { class: "muted" }, say("noAlerts")));
    fill(this.#alertRows, element("ol", { class: "timeline" }, ...told.map(({ kind, text, time, confirmed, next }) => element(
      "li", { class: !confirmed ? "bad" : kind === "entered-area" ? "good" : "" },
      element("time", { datetime: new Date(time).toISOString() },
        dayOf(time) === dayOf(Date.now()) ? clock(time) : dates({ day: "numeric", month: "short" }).format(time)),
      element("div", {}, element("b", {}, written(text)),
        element("small", {}, confirmed ? say(confirmed.own ? "confirmedByYou" : "confirmedByOther", { name: plain(confirmed.name ?? say("somebody")), time: ago(confirmed.time) })
          : say("notConfirmed"), next && !confirmed ? ` · ${say("nextGuardianAt", { time: clock(next) })}` : null))))));
  }

  // Areas and rules

  #showAreas(): void {
    if (isSame(this.#areaRows, this.#areas)) return;
    const add = button(say("drawArea"), "soft");
    add.prepend(icon("draw", "i-s"));
    pressed(add, () => this.#edit(undefined));
    refill(this.#areaRows,
      this.#areas.length > 0 ? element("ul", { class: "rows" }, ...this.#areas.map((area) => this.#area(area)))
        : element("p", { class: "muted" }, say("noAreas")),
      element("div", { class: "btns" }, add));
  }

  #area(area: Area): HTMLElement {
    const { name, circle, polygon = [], region, leave, enter, from, to, weekdays = [], escalate_min: minutes, enabled } = area;
    const shape = circle ? say("circleOf", { distance: farText(circle.radius_m), place: placeText([circle.lat, circle.lon]) })
      : say("polygonOf", { count: polygon.length });
    const when = [leave ? say("leaving") : null, enter ? say("entering") : null, from && to ? `${from}–${to}` : null,
      weekdays.length > 0 ? say("someDays", { count: weekdays.length }) : null, minutes === undefined ? null : say("escalatesAfter", { minutes })];
    return element("li", {},
      element("div", { class: "row" }, element("span", { class: "badge accent" }, icon("target")),
        element("span", { class: "grow" }, element("b", {}, written(name)),
          element("small", {}, shape, ...(region === undefined ? [] : [" · ", written(region)])),
          element("small", {}, enabled ? when.filter(Boolean).join(", ") : say("isOff")))),
      element("div", { class: "btns" },
        act(say("edit"), name, async () => this.#edit(area)),
        act(say("delete"), name, async () => {
          if (!await confirmed(say("deleteAreaQuestion", { name: plain(name) }), say("deleteAreaMeans"), say("delete"))) return;
          await this.#person.ask("areas/remove", { area: area.area });
          toast(say("areaDeleted"));
          await this.#load();
        })));
  }

  /** Opens the form beside the map. */
  #edit(area: Area | undefined): void {
    this.#drawing.abort();
    const drawing = this.#drawing = new AbortController();
    const close = () => {
      drawing.abort();
      this.#draft = null;
      fill(this.#form);
      this.#showMap();
      void this.#load();
      this.#areaRows.querySelector("button")?.focus();
    };
    const draw = (shape: Shape | null) => {
      this.#draft = { shape, area: area?.area };
      this.#showMap();
    };
    const made = areaForm(this.#person, this.#id, area, this.#regions, this.#map, draw, close, drawing.signal);
    fill(this.#form, section(say(area ? "editArea" : "drawArea"), "", made));
    this.#map.scrollIntoView({ block: "start" });
    made.querySelector("input")?.focus({ preventScroll: true });
  }

  #showRules(): void {
    if (this.#ruleRows.querySelector("form") || isSame(this.#ruleRows, this.#rules)) return;
    const change = (rule: WatchRule | undefined) => fill(this.#ruleRows, ruleForm(this.#person, this.#id, rule, () => {
      fill(this.#ruleRows, skeleton());
      delete this.#ruleRows.dataset["shown"];
      void this.#load();
    }));
    refill(this.#ruleRows,
      this.#rules.length > 0 ? element("ul", { class: "rows" }, ...this.#rules.map((rule) => element("li", {},
        element("div", { class: "row" }, element("span", { class: "grow" }, element("span", { class: "name" }, ruleText(rule)),
          rule.enabled ? rule.escalate_min === undefined ? null : element("small", {}, say("escalatesAfter", { minutes: rule.escalate_min }))
            : element("small", {}, say("isOff")))),
        element("div", { class: "btns" },
          act(say("edit"), ruleText(rule), async () => change(rule)),
          act(say("delete"), ruleText(rule), async () => {
            await this.#person.ask("alerts/remove", { alert: rule.alert });
            toast(say("ruleDeleted"));
            await this.#load();
          }))))) : element("p", { class: "muted" }, say("noRules")),
      element("div", { class: "btns" }, pressed(button(say("addRule"), "soft"), () => change(undefined))));
  }
}

/** Whether a place shows something already: what is there keeps the focus then. */
function isSame(place: HTMLElement, shown: unknown): boolean {
  const key = JSON.stringify(shown);
  if (place.dataset["shown"] === key) return true;
  place.dataset["shown"] = key;
  return false;
}

export const dependentView: View = {
  address: /^#\/people\/([a-z0-9-]{1,36})$/,
  open: ({ person, found: [id = ""] }) => ({ title: say("lookingAfter"), back: peopleView.place, content: new DependentPage(person, id) }),
};

customElements.define("vitals-dependent", DependentPage);
