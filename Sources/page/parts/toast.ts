import { element, pressed } from "../library/element";
import { say } from "../library/words";
import { icon } from "./icons";

const seconds = 6;
let shown: HTMLElement | null = null;

/** Where toasts appear: part of the page, and of each dialog, from its beginning, so that readers hear what comes into it. */
export function toastPlace(): HTMLElement {
  return element("div", { class: "toasts", role: "status" });
}

/** Says something in passing: for six seconds, and longer under a pointer or with the focus. */
export function toast(text: string): void {
  shown?.remove();
  const close = element("button", { class: "round", type: "button", "aria-label": say("close") }, icon("close", "i-s"));
  const made = element("div", { class: "toast" }, element("span", { class: "grow" }, text), close);
  pressed(close, () => made.remove());
  shown = made;
  // While a dialog is open, what is beneath it is neither seen nor heard.
  [...document.querySelectorAll("body > .toasts, dialog[open] > .toasts")].pop()?.append(made);
  let timer = setTimeout(() => made.remove(), seconds * 1000);
  const stay = () => clearTimeout(timer);
  const go = () => {
    clearTimeout(timer);
    timer = setTimeout(() => made.remove(), seconds * 1000);
  };
  for (const kind of ["pointerenter", "focusin"]) made.addEventListener(kind, stay);
  for (const kind of ["pointerleave", "focusout"]) made.addEventListener(kind, go);
}
