import { element, freshId, give, pressed, type Child } from "../library/element";
import { say } from "../library/words";
import { button } from "./form";
import { toastPlace } from "./toast";

/** Opens a dialog over the view, which Escape and the way to another view close. */
export function opened(title: string, ...content: Child[]): HTMLDialogElement {
  const id = freshId();
  const dialog = element("dialog", { "aria-labelledby": id }, element("h2", { id }, title), ...content, toastPlace());
  const close = () => dialog.close();
  dialog.addEventListener("close", () => {
    removeEventListener("hashchange", close);
    dialog.remove();
  });
  addEventListener("hashchange", close);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks before something is lost, or kept. Resolves to whether the person wants it; the focus is on Cancel.
 *  @param look of the button that does it: red if something is lost */
export async function confirmed(question: string, consequence: string, verb: string, look: "stop" | "first" = "stop"): Promise<boolean> {
  return await asked(question, consequence, [[null, say("cancel"), ""], [true, verb, look]]) ?? false;
}

/** Asks something with a button for each answer. Resolves to the answer, which is null if the dialog was closed without one; the focus
 *  is on the button of null, after which nothing is other than before. */
export function asked<Answer>(
  question: string, consequence: string, answers: [answer: Answer | null, label: string, look: string][],
): Promise<Answer | null> {
  return new Promise((done) => {
    let given: Answer | null = null;
    const words = element("p", { id: freshId() }, consequence);
    const buttons = answers.map(([answer, label, look]) => pressed(button(label, look), () => {
      given = answer;
      dialog.close();
    }));
    const dialog = opened(question, words, element("div", { class: "btns" }, ...buttons));
    give(dialog, { "aria-describedby": words.id });
    dialog.addEventListener("close", () => done(given));
    buttons[answers.findIndex(([answer]) => answer === null)]?.focus();
  });
}
