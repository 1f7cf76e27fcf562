import { drawing, type Child } from "../library/element";
import type { Muscle } from "../library/training";
import { say } from "../library/words";

// A figure of the body, from the front and from behind. One half is drawn; the other one is its mirror image. All shapes are our own.

const outline = "M0 24 5 25 6 31C12 34 20 35 24 39 29 43 29 50 30 57 32 66 35 76 37 86 39 92 40 98 41 104L36 106C33 100 31 94 29 87 27 80 25 72 23 64 22 72 20 80 19 88 20 96 22 104 22 112 23 126 21 138 19 148 20 160 19 172 16 184L17 192H8C9 180 8 168 8 158 6 146 4 132 2 118L0 116Z";

const shoulders = "M17 36C24 37 28 42 28.5 51 25 50 21 46 18 41Z";
const upperArm = "M23 52C26 51 28.5 53 29.5 57 31 63 31.5 68 30 73 27 70 25 64 23.5 58Z";
const forearm = "M27 75C30 73 33 75 35 81 37 87 38.5 93 39 98L36 100C32 93 29 84 27 75Z";

type Shapes = Partial<Record<Muscle, string>>;

const front: Shapes = {
  "neck": "M0 25 4.5 26 5.5 31 0 34Z",
  "traps": "M6.5 31C9 33 13 34 17 35L7 36Z",
  "shoulders": shoulders,
  "chest": "M1 38C7 36 13 37 17 41 19 46 19 50 17 53 12 56 6 55 1 53Z",
  "biceps": upperArm,
  "forearms": forearm,
  "abdominals": "M1 56C6 57 11 57 14 56 14 66 13 76 12 84 8 90 4 94 1 96Z",
  "abductors": "M17 92C20 95 22 102 22 110 19 106 17 100 16 95Z",
  "quadriceps": "M10 98C15 96 19 103 20.5 112 21 124 19.5 136 17 145 13 143 10 135 9 124 8 114 8 105 10 98Z",
  "adductors": "M2 104C5 101 8 100 8.5 102 7 112 7 120 7.5 128 5 122 3 114 2 106Z",
  "calves": "M11 152C15 150 18 155 18 163 17.5 171 16 178 14.5 183 11 174 10 162 11 152Z",
};

const back: Shapes = {
  "neck": "M0 22 4 24 4.5 29 0 25Z",
  "traps": "M0 27 5 30C9 33 13 34 17 36 11 40 6 48 0 60Z",
  "shoulders": shoulders,
  "middle back": "M14 41C17 44 18 49 17 54 11 54 6 56 2 61 5 53 9 46 14 41Z",
  "lats": "M18 55C20 60 19.5 67 17 73 12 76 7 76 3 74 3 68 4 63 7 60 11 57 15 57 18 55Z",
  "lower back": "M1 76C6 78 11 78 15 76 14 81 14 86 15 90 10 89 5 89 1 91Z",
  "triceps": upperArm,
  "forearms": forearm,
  "glutes": "M1 93C7 90 14 91 17.5 95 19 101 18 108 13 111 8 112 4 110 1 107Z",
  "abductors": "M18.5 95C21 99 22.5 105 22.5 111 20 110 19.5 106 18.5 95Z",
  "hamstrings": "M4 113C9 114 15 113 20 112 20.5 124 19 136 17 146 13 149 10 148 8 144 6 134 4 124 4 113Z",
  "calves": "M9 151C13 148 18 151 18.5 159 18.5 168 16.5 174 14.5 180 10.5 174 8.5 162 9 151Z",
};

/** The body with its muscles, shaded in four steps by how much of the work was theirs. What it shows stands beside it as text, too.
 *  @param shares of each muscle that has worked, 0 to 1 of the one that worked most */
export function body(shares: ReadonlyMap<string, number>): SVGElement {
  return drawing(
    "svg", { class: "body", viewBox: "0 0 184 200", role: "img", "aria-label": say("bodyShows") },
    figure(front, 46, shares), figure(back, 138, shares));
}

function figure(shapes: Shapes, x: number, shares: ReadonlyMap<string, number>): SVGElement {
  const muscles = Object.entries(shapes).map(([muscle, d]) => {
    const share = shares.get(muscle) ?? 0;
    return drawing("path", { class: share > 0 ? `m${Math.min(4, Math.ceil(4 * share))}` : "m0", d });
  });
  const half = (...shapes: Child[]) => drawing("g", {}, drawing("path", { class: "skin", d: outline }), ...shapes);
  const mirrored = half(...muscles.map((one) => one.cloneNode(true)));
  mirrored.setAttribute("transform", "scale(-1 1)");
  return drawing("g", { transform: `translate(${x} 4)` }, drawing("ellipse", { class: "skin", cx: 0, cy: 13, rx: 9, ry: 11 }), half(...muscles), mirrored);
}
