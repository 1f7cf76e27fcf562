import type { Area, AreasSetRequest, PhoneRegion } from "service";
import { weekdayName, weekdays } from "../library/calendar";
import { element, fill, pressed } from "../library/element";
import { height, joined, metresOfSmallUnit } from "../library/format";
import { placesOf, placeText, type Place, type Shape } from "../library/places";
import type { Person } from "../library/person";
import { Refusal } from "../library/requests";
import { say, type Word } from "../library/words";
import { button, check, field, form, numberIn, select, text } from "../parts/form";
import type { SightMap } from "../parts/map";
import { toast } from "../parts/toast";

/** What the service takes as a radius, in metres. */
const radii = [20, 500_000] as const;

type Kind = "circle" | "polygon" | "region";

/** Where an area is. */
export function shapeOf({ circle, polygon }: Pick<Area, "circle" | "polygon">): Shape | null {
  if (circle) return { middle: [circle.lat, circle.lon], radius: circle.radius_m };
  const corners = (polygon ?? []).flatMap(([latitude, longitude]): Place[] =>
    latitude === undefined || longitude === undefined ? [] : [[latitude, longitude]]);
  return corners.length > 0 ? { corners } : null;
}

/** Draws an area on a map, or takes it as it is typed: both say the same all the time.
 *  @param area that is changed; undefined for another one
 *  @param draw shows what is drawn so far
 *  @param close is called when it is saved or left
 *  @param over ends it, also when another form takes its place */
export function areaForm(
  person: Person, dependent: string, area: Area | undefined, regions: PhoneRegion[], map: SightMap,
  draw: (shape: Shape | null) => void, close: () => void, over: AbortSignal,
): HTMLElement {
  const whole = (value: number | undefined, min: number, max: number) =>
    text({ type: "number", inputmode: "numeric", min, max, step: 1, value });
  const unit = metresOfSmallUnit(), radiusBefore = area?.circle?.radius_m ?? 200;
  const typed = { autocomplete: "off", spellcheck: "false", maxlength: 3000 };
  const fields = {
    name: field(say("areaName"), text({ maxlength: 64, autocomplete: "off", value: area?.name }), { look: "all" }),
    circle: field(say("areaMiddle"), text({ ...typed, value: area?.circle && placeText([area.circle.lat, area.circle.lon]) }), { hint: say("areaMiddleHint") }),
    radius_m: field(say(unit === 1 ? "areaRadius" : "areaRadiusFeet"), whole(Math.round(radiusBefore / unit), Math.ceil(radii[0] / unit), Math.floor(radii[1] / unit))),
    polygon: field(say("areaCorners"), text({ ...typed, value: (area?.polygon ?? []).map(([north = 0, east = 0]) => placeText([north, east])).join("; ") }),
      { hint: say("areaCornersHint"), look: "all" }),
    region: field(say("areaRegion"), select(regions.map(({ region }) => [region, region]), area?.region), { look: "all" }),
    from: field(say("from"), text({ type: "time", value: area?.from })),
    to: field(say("to"), text({ type: "time", value: area?.to })),
    escalate_min: field(say("escalate"), whole(area?.escalate_min, 1, 1440), { hint: say("escalateHint"), look: "all" }),
  };
  const { circle, radius_m, polygon, region } = fields;
  const [leave, enter, enabled] = [
    check(say("tellLeaving"), area?.leave ?? true), check(say("tellEntering"), area?.enter ?? false), check(say("isWatched"), area?.enabled ?? true)];
  const days = weekdays.map((day) => ({ day, ...check(weekdayName(day, "short"), area?.weekdays?.includes(day) ?? false) }));
  const undo = button(say("undoCorner"), "s"), kinds = element("div", { class: "seg all", role: "group", "aria-label": say("areaShape") });
  const help = element("p", { class: "hint all" });
  let kind: Kind = area?.region ? "region" : area?.polygon ? "polygon" : "circle";

  /** Metres; a radius that was only shown is not rounded. */
  const radiusTyped = (): number => {
    const { input } = radius_m;
    return input instanceof HTMLInputElement && input.value === input.defaultValue ? radiusBefore : Number(input.value) * unit;
  };

  /** What the fields say; null while it is not enough. */
  const drawn = (): Shape | null => {
    if (kind === "region") {
      const found = regions.find((one) => one.region === region.input.value);
      return found ? { middle: [found.lat, found.lon], radius: found.radius_m } : null;
    }
    const places = placesOf((kind === "circle" ? circle : polygon).input.value), radius = radiusTyped();
    if (kind === "polygon") return places && places.length > 0 ? { corners: places } : null;
    const [middle] = places ?? [];
    return middle && places?.length === 1 && radius > 0 ? { middle, radius } : null;
  };
  const show = () => draw(drawn());
  const choose = (chosen: Kind) => {
    kind = chosen;
    const offered: [Kind, Word][] = [["circle", "circle"], ["polygon", "polygon"], ...(regions.length > 0 ? [["region", "region"] as [Kind, Word]] : [])];
    fill(kinds, ...offered.map(([one, word]) =>
      pressed(element("button", { type: "button", "aria-pressed": `${one === kind}` }, say(word)), () => choose(one))));
    for (const one of [circle, radius_m]) one.node.hidden = kind !== "circle";
    for (const node of [polygon.node, undo]) node.hidden = kind !== "polygon";
    region.node.hidden = kind !== "region";
    help.textContent = kind === "region" ? "" : say(kind === "circle" ? "pressMiddle" : "pressCorners");
    show();
  };
  map.addEventListener("place", (event) => {
    const place = placeText((event as CustomEvent<Place>).detail);
    if (kind === "circle") circle.input.value = place;
    else if (kind === "polygon") polygon.input.value = [...polygon.input.value.split(";").map((part) => part.trim()).filter(Boolean), place].join("; ");
    show();
  }, { signal: over });
  pressed(undo, () => {
    polygon.input.value = polygon.input.value.split(";").slice(0, -1).join(";");
    show();
  });
  for (const { input } of [circle, radius_m, polygon, region]) {
    input.addEventListener("input", show);
    if (input === radius_m.input) input.addEventListener("input", () => map.fit());
    // Where was typed may be somewhere else.
    input.addEventListener("change", () => map.fit());
  }

  const request = (): AreasSetRequest => {
    const places = placesOf((kind === "circle" ? circle : polygon).input.value), radius = radiusTyped();
    if (kind === "circle" && places?.length !== 1) throw new Refusal("invalid", say("noPlace"), "circle");
    if (kind === "circle" && !(radius >= radii[0] && radius <= radii[1])) throw new Refusal("invalid", say("noRadius", { least: joined(height(radii[0])), most: joined(height(radii[1])) }), "radius_m");
    if (kind === "polygon" && (places?.length ?? 0) < 3) throw new Refusal("invalid", say("noCorners"), "polygon");
    const [middle] = places ?? [], minutes = numberIn(fields.escalate_min, "escalate_min"), chosen = days.filter(({ input }) => input.checked).map(({ day }) => day);
    return {
      ...(area ? { area: area.area } : { dependent }),
      name: fields.name.input.value.trim(),
      ...(kind === "region" ? { region: region.input.value } : kind === "polygon" ? { polygon: (places ?? []).map((place) => [...place]) }
        : middle && { circle: { lat: middle[0], lon: middle[1], radius_m: radius } }),
      leave: leave.input.checked, enter: enter.input.checked, enabled: enabled.input.checked,
      ...(fields.from.input.value && { from: fields.from.input.value }), ...(fields.to.input.value && { to: fields.to.input.value }),
      ...(chosen.length > 0 && { weekdays: chosen }), ...(minutes !== null && { escalate_min: minutes }),
    };
  };
  const send = element("button", { class: "btn first" }, say("save"));
  const made = form(fields, [
    fields.name.node, kinds, help, circle.node, radius_m.node, polygon.node, region.node,
    element("div", { class: "all" }, leave.node, enter.node, enabled.node),
    element("details", { class: "all", open: Boolean(area?.from ?? area?.weekdays) }, element("summary", {}, say("onlyThen")), element("div", { class: "form" },
      fields.from.node, fields.to.node, element("div", { class: "btns all", role: "group", "aria-label": say("onlyThen") }, ...days.map(({ node }) => node)))),
    fields.escalate_min.node,
    element("div", { class: "btns all" }, pressed(button(say("cancel"), ""), close), undo, send),
  ], send, async () => {
    await person.ask("areas/set", request());
    toast(say("areaSaved"));
    close();
  });
  choose(kind);
  return made;
}
