// The page's own icons: each a list of shapes, drawn on 24 with a line of 1.75.

import { drawing } from "../library/element";

/** A path, or a circle or rectangle by its attributes. */
type Shape = string | { circle: [number, number, number] } | { rectangle: [number, number, number, number, number] };

const icons = {
  today: ["M4 11.2 12 4.5l8 6.7V19a1.2 1.2 0 0 1-1.2 1.2H5.2A1.2 1.2 0 0 1 4 19z", "M9.5 20v-5.5h5V20"],
  heart: ["M12 20C7 16.2 3.8 13 3.8 9.2A4.4 4.4 0 0 1 8.2 4.8c1.6 0 3 .9 3.8 2.2a4.4 4.4 0 0 1 3.8-2.2 4.4 4.4 0 0 1 4.4 4.4C20.2 13 17 16.2 12 20z"],
  workouts: [{ circle: [14.5, 4.8, 1.8] }, "m6 10.5 3.5-2.3 3.7 1.3-2.4 4.3 3.2 2.2-.8 4.5M10.8 13.8 9 16.8H5.5M13.2 9.5l1.8 2.5h3"],
  walk: [{ circle: [12.5, 4.5, 1.8] }, "M12 9v5l3 2.500.8 4M12 14l-1.5 3-2.5 3.5M12 9l-3 1.5-1 3M12 9l2 2.5 2.5 1"],
  bike: [{ circle: [6, 16, 3.7] }, { circle: [18, 16, 3.7] }, "M6 16l3.5-6.5H15L18 16M9.5 9.5 12 16l3-6.5-1-3h2.2M8 7h2.5"],
  layers: ["m12 4 8.5 4.5L12 13 3.5 8.5zM4 13l8 4.2 8-4.2M4 17l8 4 8-4"],
  share: ["M12 15V4.5M8 8l4-4 4 4M5 13v5.5A1.5 1.5 0 0 0 6.5 20h11a1.5 1.5 0 0 0 1.5-1.5V13"],
  down: ["M12 4.5V15M8 11.5l4 4 4-4M5 19.5h14"],
  days: [{ rectangle: [4, 5.5, 16, 14.5, 2.5] }, "M4 10h16M8.5 3.5v3.5M15.5 3.5v3.5"],
  people: [{ circle: [9, 8, 3.3] }, "M3 19.5c.4-3.7 2.8-5.8 6-5.8s5.6 2.1 6 5.8M15.5 5a3.2 3.2 0 0 1 0 6M17.5 14.2c2 .8 3.2 2.6 3.5 5.3"],
  sensors: [{ rectangle: [8.5, 8.5, 7, 7, 2] }, "M5.5 17.5a8 8 0 0 1 0-11M18.5 6.5a8 8 0 0 1 0 11M3 20a12 12 0 0 1 0-16M21 4a12 12 0 0 1 0 16"],
  reminders: [{ circle: [12, 13, 7.2] }, "M12 9v4.2l2.6 1.6M4 5.8 6.5 3.5M20 5.8 17.5 3.5"],
  music: ["M9 17.5V5.5l10-2v11.5", { circle: [6.5, 17.5, 2.5] }, { circle: [16.5, 15.2, 2.5] }],
  meal: ["M7 3.5v6.5a2.5 2.5 0 0 0 5 0V3.5M9.5 12.5V20.5M9.5 3.5V8M17 20.5V3.5c-2 1-3 3.5-3 6.5 0 2 1 3 3 3.5"],
  help: [{ circle: [12, 12, 8.5] }, "M9.6 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.2.9-1.2 1.9M12 16.8v.1"],
  play: ["M8 5.5v13l10.5-6.5z"],
  pause: ["M8.5 5.5v13M15.5 5.5v13"],
  previousTrack: ["M18 5.5v13L8.5 12zM6 5.5v13"],
  nextTrack: ["M6 5.5v13l9.5-6.5zM18 5.5v13"],
  bell: ["M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.7h-15zM10 20.5h4"],
  back: ["m14.5 5.5-6.5 6.5 6.5 6.5"],
  next: ["m9.5 5.5 6.5 6.5-6.5 6.5"],
  up: ["M8 20.5H5.2A1.2 1.2 0 0 1 4 19.3v-7.1A1.2 1.2 0 0 1 5.2 11H8zm0-9 3.6-7.2c1.6 0 2.4 1 2.4 2.4V10h4.4a1.8 1.8 0 0 1 1.8 2.1l-1 6.7a2 2 0 0 1-2 1.7H8"],
  steps: ["M8.3 14.2c-1.900.3-3-.4-3.3-2.7C4.6 8.7 5 5 7.3 4.7 9.5 4.4 10.5 7 10.6 9c.1 2-.2 4.7-2.3 5.2zM6 17.2l2.8-.4c.4 2-.2 3.2-1.2 3.3-1 .2-1.6-.8-1.6-2.9zM15.7 16.2c1.900.3 3-.4 3.3-2.700.4-2.8 0-6.5-2.3-6.8-2.2-.3-3.2 2.3-3.3 4.3-.1 2 .2 4.7 2.3 5.2zM18 19.2l-2.8-.4"],
  temp: ["M14.2 13.7V6a2.2 2.2 0 0 0-4.4 0v7.7a4.2 4.2 0 1 0 4.4 0zM12 10v6.5"],
  warn: ["M12 4 2.8 19.5h18.4zM12 10v4.5M12 17.2v.1"],
  check: ["m5 12.5 4.5 4.5L19 7"],
  plus: ["M12 5v14M5 12h14"],
  minus: ["M5 12h14"],
  close: ["M6.5 6.5l11 11M17.5 6.5l-11 11"],
  eye: ["M2.8 12C5 8 8.3 6 12 6s7 2 9.2 6c-2.2 4-5.5 6-9.2 6s-7-2-9.2-6z", { circle: [12, 12, 2.8] }],
  me: [{ circle: [12, 8.5, 3.5] }, "M5 20c.6-4 3.4-6 7-6s6.4 2 7 6"],
  wave: ["M3 12h4l2.2-6 4.2 12 2.4-6H21"],
  target: [{ circle: [12, 12, 3] }, { circle: [12, 12, 7.5] }, "M12 2v3M12 19v3M2 12h3M19 12h3"],
  fit: ["M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15"],
  draw: ["m5 19 .8-3.8L16 5l3 3L8.8 18.2zM14 7l3 3"],
  stop: [{ rectangle: [6.5, 6.5, 11, 11, 1.5] }],
  voice: ["M4.5 9.8v4.4h3l4 3.3v-11l-4 3.3zM15 9.5a3.5 3.5 0 0 1 0 5M17.5 7a7 7 0 0 1 0 10"],
  pen: ["M4.5 19.5l1-4.2L16 4.8l3.2 3.2L8.7 18.5zM13.5 7.3l3.2 3.2"],
  mail: [{ rectangle: [3.5, 5.5, 17, 13, 2.5] }, "m4.5 7.5 7.5 6 7.5-6"],
  phone: [{ rectangle: [7, 3, 10, 18, 2.5] }, "M11 18h2"],
} as const;

export type IconName = keyof typeof icons;

/** An icon beside words that say the same: readers do not hear it. Those that point somewhere turn with the direction of text. */
export function icon(name: IconName, size: "" | "i-s" = ""): SVGElement {
  const turns = name === "back" || name === "next" ? " turn" : "";
  return drawing(
    "svg", { class: `i ${size}${turns}`, viewBox: "0 0 24 24", "aria-hidden": "true" },
    ...(icons[name] as readonly Shape[]).map(shape));
}

function shape(shape: Shape): SVGElement {
  if (typeof shape === "string") return drawing("path", { d: shape });
  if ("circle" in shape) {
    const [cx, cy, r] = shape.circle;
    return drawing("circle", { cx, cy, r });
  }
  const [x, y, width, height, rx] = shape.rectangle;
  return drawing("rect", { x, y, width, height, rx });
}

/** The star of a goal that was reached. */
export function star(label: string): SVGElement {
  return drawing(
    "svg", { class: "star", viewBox: "0 0 24 24", role: "img", "aria-label": label },
    drawing("path", { d: "M12 3.2l2.6 5.7 6.2.7-4.6 4.2 1.3 6.1L12 16.8l-5.5 3.1 1.3-6.1-4.6-4.2 6.2-.7z" }));
}

/** How strong a sensor is heard, in bars: 0 to 4. */
export function bars(count: number, label: string): SVGElement {
  return drawing(
    "svg", { class: "i", viewBox: "0 0 24 24", role: "img", "aria-label": label },
    ...[3, 7, 11, 15].map((height, at) => drawing("path", {
      class: at < count ? "" : "dim", "stroke-width": 3, d: `M${(5 + 4.6 * at).toFixed(1)} 19.5v-${height}` })));
}
