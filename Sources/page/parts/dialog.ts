import { element, freshId, type Child } from "../library/element";

/** Opens a dialog over the view, which Escape and the way to another view close. */
export function opened(title: string, ...content: Child[]): HTMLDialogElement {
  const id = freshId();
  const dialog = element("dialog", { "aria-labelledby": id }, element("h2", { id }, title), ...content);
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
