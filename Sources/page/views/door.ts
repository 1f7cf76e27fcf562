import type { Hanging } from "service";
import { askAsGuest } from "../library/accounts";
import { canStay, keep, type Credential } from "../library/credential";
import { element, fill, plain, pressed, type Child } from "../library/element";
import { takeAnswer } from "../library/providers";
import { Refusal } from "../library/requests";
import { reason, say, translated, type Word } from "../library/words";
import { spinner } from "../parts/card";
import { button, busy, check, complaint, field, form, named, passwordField, text, type Field } from "../parts/form";
import { logo } from "../parts/ring";
import { toast } from "../parts/toast";
import { inWords } from "./belongings";
import { providerButtons } from "./provider-buttons";

/** What a view of people who are not signed in does when somebody is. */
export type Enter = (credential: Credential) => void;

/** Signing in. Somebody who comes back from a provider is signed in at once. */
export function signIn(enter: Enter): HTMLElement {
  const answer = takeAnswer("sign-in");
  const links = [link("#/sign-up", "signUp"), link("#/reset", "reset")];
  if (!answer) return door("signInTitle", [withPassword(enter)], links);
  const place = element("div", { class: "side" }, element(
    "div", { class: "card", role: "status" }, element("p", { class: "with" }, spinner(), answer.label ? say("signingInWith", { provider: plain(answer.label) }) : say("loading"))));
  void (async () => {
    try {
      const signedIn = await askAsGuest("sign-in-with", { ...await answer.proof(), device: deviceName() });
      await keep(signedIn, answer.isStaying);
      enter(signedIn);
      toast(signedIn.new ? say("You are registered and signed in") : translated(signedIn.message));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      fill(place, withPassword(enter, reason(error)));
    }
  })();
  return door("signInTitle", [place], links);
}

/** @param problem why it did not work in another way */
function withPassword(enter: Enter, problem?: string): HTMLElement {
  const name = nameField(), password = passwordField(say("password"), "current-password");
  const stay = stayBox();
  const send = element("button", { class: "btn first wide-btn all" }, say("signIn"));
  const made = form({ email: name, phone: name, password }, [
    heading("signIn"), problem ? complaint(problem) : null, wide(name), wide(password), stay.node, send, ...withProviders(stay),
  ], send, async () => {
    const signedIn = await askAsGuest("sign-in", { ...named(name.input), password: password.input.value, device: deviceName() });
    await keep(signedIn, stay.isChosen());
    enter(signedIn);
  });
  made.classList.add("card");
  return made;
}

/** Making an account. */
export function signUp(enter: Enter): HTMLElement {
  const name = nameField(), password = passwordField(say("password"), "new-password", say("passwordHint"));
  const stay = stayBox();
  const send = element("button", { class: "btn first wide-btn all" }, say("signUp"));
  return door("signUpTitle", [form({ email: name, phone: name, password }, [
    heading("signUp"), wide(name), wide(password), stay.node, send, ...withProviders(stay),
  ], send, async () => {
    const signedIn = await askAsGuest("sign-up", { ...named(name.input), password: password.input.value, device: deviceName() });
    await keep(signedIn, stay.isChosen());
    enter(signedIn);
    toast(translated(signedIn.message));
  })], [link("#/sign-in", "signIn")]);
}

/** A new password, with a code that is sent to the person. */
export function reset(): HTMLElement {
  const name = nameField();
  const send = element("button", { class: "btn first wide-btn all" }, say("sendCode"));
  const have = button(say("haveCode"), "quiet wide-btn all");
  const card = element("div", { class: "side" });
  const ask = form({ email: name, phone: name }, [heading("resetTitle"), wide(name), send, have], send, async () => {
    const said = await askAsGuest("request-reset", named(name.input));
    toast(translated(said.message));
    fill(card, withCode(named(name.input)));
  });
  pressed(have, () => void busy(have, async () => fill(card, withCode(named(name.input))), () => name.complain(say("Empty Fields"))));
  fill(card, ask);
  return door("resetTitle", [card], [link("#/sign-in", "signIn")]);
}

/** The second step: the code, and the new password. */
function withCode(name: ReturnType<typeof named>): HTMLElement {
  const code = field(say("code"), text({ autocomplete: "one-time-code", required: true, maxlength: 64 }));
  const password = passwordField(say("newPassword"), "new-password", say("passwordHint"));
  const send = element("button", { class: "btn first wide-btn all" }, say("setPassword"));
  const set = async (keep?: boolean) => {
    const fields = { ...name, code: code.input.value.trim(), password: password.input.value, ...(keep !== undefined && { keep }) };
    const said = await askAsGuest("reset-password", fields);
    if (!said.changed) return choose(said.hanging);
    location.hash = "#/sign-in";
    toast(say("passwordChanged"));
  };
  // Nobody had shown before that the account is theirs: whose is what belongs to it?
  const choose = (hanging: Hanging | undefined) => {
    const keepIt = button(say("keepIt"), ""), deleteIt = button(say("deleteIt"), "danger");
    pressed(keepIt, () => void busy(keepIt, () => set(true)));
    pressed(deleteIt, () => void busy(deleteIt, () => set(false)));
    fill(made, element("div", { class: "all side" },
      element("h2", {}, say("hanging")), element("p", {}, say("hangingWhy")),
      element("ul", { class: "tips" }, ...inWords(hanging).map((line) => element("li", {}, line))),
      element("div", { class: "btns" }, deleteIt, keepIt)));
  };
  const made = form({ code, password }, [heading("resetTitle"), wide(code), wide(password), send], send, () => set());
  made.classList.add("card");
  return made;
}

function nameField(): Field {
  return field(say("name"), text({ autocomplete: "username", autocapitalize: "none", spellcheck: "false", required: true, maxlength: 254 }),
    { hint: say("nameHint") });
}

/** Whether the device stays signed in; where browsers do not allow that, why not. */
function stayBox(): { node: HTMLElement; isChosen(): boolean } {
  if (!canStay()) return { node: element("p", { class: "hint all" }, say("thisTab")), isChosen: () => false };
  const { node, input } = check(say("stay"), true);
  return { node, isChosen: () => input.checked };
}

/** A button for each provider that the operator has set. */
function withProviders(stay: { isChosen(): boolean }): HTMLElement[] {
  const buttons = providerButtons("sign-in", stay.isChosen);
  return buttons.length > 0 ? [element("p", { class: "or all" }, say("or")), element("div", { class: "side all" }, ...buttons)] : [];
}

/** What the list of devices calls this one. */
export function deviceName(): string {
  // One after another: Android calls itself Linux first, and an iPhone is "like Mac OS X".
  const system = ["Android", "iPhone", "iPad", "Mac OS X", "Windows", "Linux"].find((name) => navigator.userAgent.includes(name)) ?? "";
  return say("device", { system }).trim();
}

function wide(field: Field): HTMLElement {
  field.node.classList.add("all");
  return field.node;
}

function heading(word: Word): HTMLElement {
  return element("h2", { class: "all" }, say(word));
}

function link(href: string, word: Word): HTMLElement {
  return element("a", { href }, say(word));
}

function door(title: Word, inside: HTMLElement[], links: HTMLElement[]): HTMLElement {
  for (const made of inside) if (made instanceof HTMLFormElement) made.classList.add("card");
  const foot: Child[] = links.flatMap((link, at) => (at > 0 ? [" · ", link] : [link]));
  return element(
    "main", { class: "door", id: "main" },
    element(
      "div", { class: "door-in" },
      element("h1", { class: "hidden", tabindex: -1 }, say(title)),
      element("p", { class: "brand" }, logo(), "Vitals"),
      ...inside, element("p", { class: "foot" }, ...foot), element("p", { class: "foot" }, say("sealed"))));
}
