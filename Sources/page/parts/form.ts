import { element, fill, freshId, give, pressed, type Attributes, type Child } from "../library/element";
import { duration } from "../library/format";
import { Refusal } from "../library/requests";
import { reason, say } from "../library/words";
import { icon, type IconName } from "./icons";
import { spinner } from "./card";
import { toast } from "./toast";

export type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A field: its label above, and beneath it a hint, or what is wrong with it. */
export interface Field {
  node: HTMLElement;
  input: Input;
  complain(sentence: string | null): void;
}

export function field(label: string, input: Input, options: { hint?: string; look?: string; beside?: Child; after?: Child } = {}): Field {
  const [id, below] = [freshId(), freshId()];
  give(input, { id, class: "input" });
  const hint = options.hint ? element("p", { class: "hint", id: below }, options.hint) : null;
  if (hint) give(input, { "aria-describedby": below });
  const box = options.beside ? element("div", { class: "with inside" }, input, options.beside)
    : options.after ? element("div", { class: "with" }, input, options.after) : input;
  const node = element("div", { class: `field ${options.look ?? ""}` }, element("label", { for: id }, label), box, hint);
  return {
    node, input,
    complain(sentence) {
      node.querySelector(".err")?.remove();
      give(input, { "aria-invalid": sentence ? "true" : undefined, "aria-describedby": hint || sentence ? below : undefined });
      if (hint) hint.hidden = sentence !== null;
      if (sentence) {
        node.append(wrong(sentence, hint ? freshId() : below));
        const error = node.querySelector(".err");
        if (error && hint) give(input, { "aria-describedby": error.id });
      }
    },
  };
}

function wrong(sentence: string, id?: string): HTMLElement {
  return element("p", { class: "err", id }, icon("warn", "i-s"), element("span", {}, sentence));
}

/** What went wrong before a form or a card was there, and is read out. */
export function complaint(sentence: string): HTMLElement {
  return element("div", { class: "all", role: "alert" }, wrong(sentence));
}

export function text(attributes: Attributes): HTMLInputElement {
  return element("input", { type: "text", ...attributes });
}

/** Text of several lines. */
export function lines(value: string, attributes: Attributes): HTMLTextAreaElement {
  const made = element("textarea", { rows: 5, ...attributes });
  made.value = value;
  return made;
}

/** A password, which can be shown. */
export function passwordField(label: string, autocomplete: string, hint?: string): Field {
  const input = text({ type: "password", autocomplete, required: true, maxlength: 128 });
  const eye = round("eye", say("showPassword"), () => {
    const isShown = input.type === "text";
    input.type = isShown ? "password" : "text";
    give(eye, { "aria-label": say(isShown ? "showPassword" : "hidePassword"), "aria-pressed": `${!isShown}` });
  }, { "aria-pressed": "false" });
  return field(label, input, { beside: eye, ...(hint && { hint }) });
}

/** What somebody has typed who is known by an address or a number: what has an @ is an address. */
export function named(input: Input): { email: string } | { phone: string } {
  const entered = input.value.trim();
  if (entered === "") throw new Refusal("invalid", "Empty Fields");
  return entered.includes("@") ? { email: entered } : { phone: entered };
}

/** The number in a field; null if the field is empty. What is no number is refused: browsers say that such a field is empty, too.
 *  @param name of the field, as the form has it */
export function numberIn({ input }: Field, name: string, sentence = say("noNumber")): number | null {
  if (input.validity.badInput) throw new Refusal("invalid", sentence, name);
  return input.value.trim() === "" ? null : Number(input.value);
}

/** A box to tick, with its words. */
export function check(label: string, isChecked: boolean): { node: HTMLElement; input: HTMLInputElement } {
  const input = element("input", { type: "checkbox", checked: isChecked });
  return { node: element("label", { class: "check all" }, input, element("span", {}, label)), input };
}

/** A box that does something as soon as it is ticked or cleared, and goes back if that is refused. */
export function tick(label: string, isChecked: boolean, act: (isChecked: boolean) => Promise<unknown>): HTMLElement {
  const { node, input } = check(label, isChecked);
  input.addEventListener("change", () => void act(input.checked).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    input.checked = !input.checked;
    toast(reason(error));
  }));
  return node;
}

/** Boxes of which several may be ticked. */
export function checks(legend: string, options: [value: string, label: string][], ticked: string[]): Field & { chosen(): string[] } {
  const boxes = options.map(([value, label]) => ({ value, ...check(label, ticked.includes(value)) }));
  const id = freshId();
  const node = element("fieldset", { class: "field all" }, element("legend", {}, legend), element("div", { class: "ticks" }, ...boxes.map(({ node }) => node)));
  return {
    node, input: boxes[0]?.input ?? text({}),
    chosen: () => boxes.filter(({ input }) => input.checked).map(({ value }) => value),
    complain(sentence) {
      node.querySelector(".err")?.remove();
      give(node, { "aria-describedby": sentence ? id : undefined });
      if (sentence) node.append(element("p", { class: "err", id }, icon("warn", "i-s"), element("span", {}, sentence)));
    },
  };
}

export function select(options: [value: string, label: string][], chosen: string | undefined): HTMLSelectElement {
  return element("select", {}, ...options.map(([value, label]) => element("option", { value, selected: value === chosen }, label || "–")));
}

/** A form whose sending is awaited: its button says so meanwhile, and what the service refuses stands at the field that is meant, or
 *  above the form if it is about none.
 *  @param fields by the names that the service gives them */
export function form(
  fields: Record<string, Field>, children: Child[], send: HTMLButtonElement, act: () => Promise<void>,
): HTMLFormElement {
  const above = element("div", { class: "all", role: "alert" });
  const made = element("form", { class: "form", novalidate: true }, above, ...children);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    void busy(send, async () => {
      fill(above);
      for (const field of Object.values(fields)) field.complain(null);
      await act();
    }, (refusal) => {
      const meant = refusal.field ? fields[refusal.field] : undefined;
      // These words are about all of them.
      if (meant && refusal.message !== "Empty Fields") {
        meant.complain(reason(refusal));
        meant.input.focus();
      } else {
        fill(above, wrong(reason(refusal)));
        Object.values(fields)[0]?.input.focus();
      }
    });
  });
  return made;
}

/** Does something for a button, which waits meanwhile and cannot be pressed twice. */
export async function busy(
  button: HTMLButtonElement, act: () => Promise<unknown>, refused: (refusal: Refusal) => void = (refusal) => toast(reason(refusal)),
): Promise<void> {
  if (button.getAttribute("aria-disabled") === "true") return;
  give(button, { "aria-disabled": "true", "aria-busy": "true" });
  const spin = spinner();
  // What is over in a moment does not flicker.
  const timer = setTimeout(() => button.prepend(spin), 150);
  let seconds = 0;
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refused(error);
    seconds = error.retryAfter ?? 0;
  } finally {
    clearTimeout(timer);
    spin.remove();
    give(button, { "aria-busy": undefined, "aria-disabled": undefined });
  }
  if (seconds > 0) waits(button, seconds);
}

/** Counts the seconds on a button until it may be pressed again. */
export function waits(button: HTMLButtonElement, seconds: number): void {
  give(button, { "aria-disabled": "true" });
  const left = element("span", { class: "small" });
  // The service says whole seconds, and may mean almost one more.
  const end = Date.now() + (seconds + 1) * 1000;
  let wasShown = false;
  const show = () => {
    const rest = Math.ceil((end - Date.now()) / 1000);
    wasShown ||= button.isConnected;
    left.textContent = rest > 90 ? duration(rest) : `${rest}\u202fs`;
    // Nobody sees a button that has gone; whoever brings it back and presses it is told again.
    if (rest > 0 && (button.isConnected || !wasShown)) return;
    clearInterval(timer);
    left.remove();
    give(button, { "aria-disabled": undefined });
  };
  const timer = setInterval(show, 250);
  button.append(left);
  show();
}

export function button(label: string, look: string, attributes: Attributes = {}): HTMLButtonElement {
  return element("button", { type: "button", class: `btn ${look}`, ...attributes }, label);
}

/** A round button with an icon, which is read out as its label. */
export function round(name: IconName, label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return pressed(element("button", { class: "round", type: "button", "aria-label": label, ...attributes }, icon(name)), act);
}
