import { drawing } from "../library/element";
import { qrCode } from "../library/qr";

/** The light modules around a code, without which it may not be found. */
const margin = 4;

/** A text as a picture that a telephone's camera reads, dark on light in every theme; null if the text is too long for one. */
export function qrPicture(text: string, label: string): SVGElement | null {
  const rows = qrCode(text);
  if (!rows) return null;
  const side = rows.length + 2 * margin;
  const dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x + margin} ${y + margin}h1v1h-1z`] : []))).join("");
  return drawing(
    "svg", { class: "qr", viewBox: `0 0 ${side} ${side}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    drawing("rect", { width: side, height: side, fill: "#fff" }), drawing("path", { d: dark, fill: "#000" }));
}
