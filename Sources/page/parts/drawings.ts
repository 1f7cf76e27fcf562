// Drawings for the help, each 240 by 130: grey lines for what is there, teal for what one does, rose for the heart.

import { drawing } from "../library/element";

type Line = [look: string, path: string];

export type DrawingName = "wear" | "pair" | "nothing" | "install";

const lines: Record<DrawingName, Line[]> = {
  // Shoulders and chest, the strap beneath the chest muscle, its pod in the middle, and a drop of water.
  wear: [
    ["", "M88 8c0 14-8 18-22 22-12 4-16 12-16 24v68M152 8c0 14 8 18 22 22 12 4 16 12 16 24v68M74 62v60M166 62v60"],
    ["faint", "M92 62c8 7 18 8 26 3M148 62c-8 7-18 8-26 3"],
    ["act", "M74 82c14 5 26 7 34 7M166 82c-14 5-26 7-34 7M74 94c14 5 26 7 34 7M166 94c-14 5-26 7-34 7"],
    ["act full", "M112 84h16a5 5 0 0 1 5 5v12a5 5 0 0 1-5 5h-16a5 5 0 0 1-5-5V89a5 5 0 0 1 5-5z"],
    ["heart", "M120 99c-3-2.4-5-4.2-5-6.3a2.6 2.6 0 0 1 5-1.2 2.6 2.6 0 0 1 5 1.2c0 2.1-2 3.9-5 6.3z"],
    ["act", "M212 40c6 8 9 13 9 17a9 9 0 0 1-18 0c0-4 3-9 9-17z"],
  ],
  // A pod sends; the gateway, a small computer under a roof, hears it.
  pair: [
    ["act full", "M30 56h26a7 7 0 0 1 7 7v12a7 7 0 0 1-7 7H30a7 7 0 0 1-7-7V63a7 7 0 0 1 7-7z"],
    ["heart", "M43 76c-4-3.2-6.6-5.6-6.6-8.4a3.4 3.4 0 0 1 6.6-1.6 3.4 3.4 0 0 1 6.6 1.6c0 2.8-2.6 5.2-6.6 8.4z"],
    ["act", "M78 58a16 16 0 0 1 0 22M90 50a28 28 0 0 1 0 38M102 42a40 40 0 0 1 0 54"],
    ["", "M130 54l46-36 46 36M140 47v71h72V47"],
    ["", "M158 76h36a5 5 0 0 1 5 5v18a5 5 0 0 1-5 5h-36a5 5 0 0 1-5-5V81a5 5 0 0 1 5-5zM162 97h12"],
    ["act", "M188 97v.1"],
  ],
  // A telephone holds the sensor's only link; its battery is empty.
  nothing: [
    ["", "M40 18h34a7 7 0 0 1 7 7v80a7 7 0 0 1-7 7H40a7 7 0 0 1-7-7V25a7 7 0 0 1 7-7zM52 103h10"],
    ["act", "M48 56l18 18-9 9V47l9 9-18 18"],
    ["faint", "M88 65h34"],
    ["bad", "M97 57l16 16M113 57l-16 16"],
    ["act full", "M132 56h20a6 6 0 0 1 6 6v8a6 6 0 0 1-6 6h-20a6 6 0 0 1-6-6v-8a6 6 0 0 1 6-6z"],
    ["", "M184 50h34a4 4 0 0 1 4 4v24a4 4 0 0 1-4 4h-34a4 4 0 0 1-4-4V54a4 4 0 0 1 4-4zM226 61v10"],
    ["bad", "M187 57v18"],
  ],
  // A telephone whose screen has the page's mark among others.
  install: [
    ["", "M86 8h68a9 9 0 0 1 9 9v96a9 9 0 0 1-9 9H86a9 9 0 0 1-9-9V17a9 9 0 0 1 9-9zM112 115h16"],
    ["faint", "M91 26h14v14H91zM113 26h14v14h-14zM135 26h14v14h-14zM91 52h14v14H91z"],
    ["act", "M113 52h14v14h-14z"],
    ["heart", "M120 59v.1"],
    ["act", "M200 84V52M188 64l12-12 12 12M184 78v18a4 4 0 0 0 4 4h24a4 4 0 0 0 4-4V78"],
    ["act", "M40 56v28M26 70h28"],
  ],
};

/** A drawing beside words that say the same. */
export function picture(name: DrawingName): SVGElement {
  return drawing(
    "svg", { class: "drawn", viewBox: "0 0 240 130", "aria-hidden": "true" },
    ...lines[name].map(([look, d]) => drawing("path", { class: look || undefined, d })));
}
