import type { Requests as Asked } from "service";
import { drawing, element, fill, plain, pressed, written } from "../library/element";
import { dates, distance, duration, energy, height, joined, speed } from "../library/format";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { iconOf, nameOf } from "../parts/activities";
import { busy, button, check, checks, field, form, text } from "../parts/form";
import { opened } from "../parts/dialog";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";

type Shown = NonNullable<Asked["posts/list"]["replies"]["posts"][number]["workout"]>;

/** A workout that somebody shows, and its way when it is asked for. */
export function postedWorkout(person: Person, post: string, workout: Shown): HTMLElement {
  const { activity, day, duration_s, distance_m, ascent_m, energy_kcal, speed_mps, heart_rate, way } = workout;
  const figures = [
    distance_m === undefined ? null : joined(distance(distance_m)), duration_s === undefined ? null : duration(Math.round(duration_s)),
    speed_mps === undefined ? null : joined(speed(speed_mps)), ascent_m === undefined ? null : `↑ ${joined(height(ascent_m))}`,
    energy_kcal === undefined ? null : joined(energy(energy_kcal)), heart_rate === undefined ? null : `${Math.round(heart_rate)} bpm`,
  ].filter((figure): figure is string => figure !== null);
  const place = element("div"), show = button(say("showWay"), "s soft");
  pressed(show, () => void busy(show, async () => {
    const { way: pieces } = await person.ask("posts/way", { post }, 60);
    show.hidden = true;
    fill(place, pieces.flat().length > 1 ? drawn(pieces) : element("p", { class: "small muted" }, say("wayTooShort")));
  }));
  return element("div", { class: "side" },
    element("div", { class: "row" }, element("span", { class: "badge accent" }, icon(iconOf(activity))),
      element("span", { class: "grow" }, element("b", {}, written(nameOf(activity))),
        element("small", {}, [dates({ day: "numeric", month: "long", timeZone: "UTC" }).format(new Date(`${day}T12:00:00Z`)), ...figures].join(" · ")))),
    way ? element("div", {}, show, place) : null);
}

/** A way without a place on the Earth: metres east and north, north at the top. */
function drawn(pieces: number[][][]): HTMLElement {
  const points = pieces.flat(), easts = points.map(([east = 0]) => east), norths = points.map(([, north = 0]) => north);
  const [west, top] = [Math.min(...easts), Math.max(...norths)];
  const width = Math.max(...easts) - west, high = top - Math.min(...norths), rim = 0.04 * Math.max(width, high, 1);
  const path = pieces.filter((piece) => piece.length > 0).map((piece) => `M${piece.map(([east = 0, north = 0]) => `${east - west} ${top - north}`).join("L")}`).join("");
  return element("figure", { class: "post-way" }, drawing("svg", { viewBox: `${-rim} ${-rim} ${width + 2 * rim} ${high + 2 * rim}`, role: "img", "aria-label": say("wayWithoutEnds") },
    drawing("path", { d: path, "vector-effect": "non-scaling-stroke" })));
}

/** Shows friends or groups one of the person's workouts. */
export function showFriends(person: Person, id: string, hasWay: boolean): void {
  const place = element("div");
  const dialog = opened(say("showFriends"), place);
  void person.ask("groups/list", {}).then(({ groups }) => groups, () => []).then((groups) => {
    const words = field(say("postWords"), text({ maxlength: 1000, autocomplete: "off" }), { look: "all" });
    const way = check(say("showItsWay"), false), heart = check(say("showItsHeart"), false), friends = check(say("toFriends"), true);
    const to = groups.length > 0 ? checks(say("toGroups"), groups.map(({ group, name }) => [group, plain(name)]), []) : null;
    const send = element("button", { class: "btn first" }, say("postIt"));
    const cancel = pressed(button(say("cancel"), ""), () => dialog.close());
    fill(place, element("p", { class: "hint" }, say("showFriendsMeans")), form({ text: words, ...(to && { groups: to }) }, [
      words.node, hasWay ? way.node : null, heart.node, friends.node, to?.node, element("div", { class: "btns all" }, cancel, send)], send, async () => {
      const content = words.input.value.trim(), chosen = to?.chosen() ?? [];
      await person.ask("posts/add", {
        workout: id, way: way.input.checked, heart_rate: heart.input.checked, friends: friends.input.checked,
        ...(content && { text: content }), ...(chosen.length > 0 && { groups: chosen }) }, 30);
      dialog.close();
      toast(say("isPosted"));
    }));
  });
}
