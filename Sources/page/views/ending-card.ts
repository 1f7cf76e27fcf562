import type { Progress, ResetAllAskData } from "service";
import type { Broker } from "../library/broker";
import { forget } from "../library/credential";
import { element, fill, pressed, type Child } from "../library/element";
import type { Person } from "../library/person";
import { takeAnswer, type Answer, type Purpose } from "../library/providers";
import { Refusal } from "../library/requests";
import { reason, say, translated, type Word } from "../library/words";
import { Card, meter } from "../parts/card";
import { opened } from "../parts/dialog";
import { busy, button, form, passwordField } from "../parts/form";
import { toast } from "../parts/toast";
import { inWords } from "./belongings";
import { providerButtons } from "./provider-buttons";

/** What shows that somebody is the person: a password, or a provider's proof. */
type Proof = { password: string } | { provider: string; id_token: string } | Record<string, never>;
type Ending = Exclude<Purpose, "sign-in">;

/** What the topic `progress` calls each. */
const operations: Record<Ending, string> = { "reset-all": "reset-all", "delete-account": "account/delete" };

/** The longest that deleting years may take, in seconds. */
const patience = 300;

/** Deleting everything, and deleting the account. Both ask who one is: by the password, or with a provider, from whom one comes back here. */
export class EndingCard extends Card {
  readonly #person: Person;
  readonly #leave: () => void;

  constructor(person: Person, leave: () => void) {
    super();
    this.#person = person;
    this.#leave = leave;
  }

  begin(): void {
    const all = button(say("resetAll"), "danger"), account = button(say("deleteAccount"), "danger");
    this.frame(say("ending"), "");
    this.append(element("p", { class: "hint" }, say("endingMeans")), element("div", { class: "btns" }, all, account));
    const begin: [Ending, HTMLButtonElement, (proof?: Answer) => Promise<void>][] = [
      ["reset-all", all, (proof) => this.#resetAll(proof)], ["delete-account", account, (proof) => this.#deleteAccount(proof)],
    ];
    for (const [ending, made, act] of begin) {
      pressed(made, () => void busy(made, () => act()));
      // Somebody has gone to a provider for it, and is back. The view may be opened again before all is known.
      const answer = takeAnswer(ending);
      if (answer) void busy(made, () => act(answer), (refusal) => notDone(made.textContent ?? "", reason(refusal)));
    }
  }

  async #resetAll(answer?: Answer): Promise<void> {
    const proof = await answer?.proof();
    const asked: ResetAllAskData = await this.#person.ask("reset-all/ask", {});
    const dialog = this.#confirm("reset-all", say("resetAllQuestion"), [
      element("p", {}, translated(asked.message)), element("ul", { class: "tips" }, ...inWords(asked.what).map((line) => element("li", {}, line))),
    ], asked, proof, async (proof) => {
      const { message } = await this.#person.ask("reset-all/confirm", { confirmation: asked.confirmation, ...proof }, patience);
      this.#person.became({ profile: null });
      void this.#person.loadPicture();
      void this.#person.news.load().catch(() => {});
      this.#person.dispatchEvent(new Event("consent"));
      return translated(message);
    });
    // What comes next is who they are.
    dialog.addEventListener("close", () => {
      if (this.#person.profile === null) document.querySelector<HTMLElement>("vitals-profile-card form input")?.focus();
    });
  }

  async #deleteAccount(answer?: Answer): Promise<void> {
    const proof = await answer?.proof();
    const account = await this.#person.ask("account/get", {});
    this.#confirm("delete-account", say("deleteAccountQuestion"), [element("p", {}, say("deleteAccountMeans"))], account, proof, async (proof, hasBegun) => {
      const reply = this.#person.ask("account/delete", proof, patience);
      // The broker ends this device with the account, and the reply may be lost with the connection.
      const isReplied = await Promise.race([reply.then(() => true), end(this.#person.broker).then(() => false)]);
      if (!isReplied && !hasBegun()) throw new Refusal("not-allowed", say("signedOut"));
      await forget();
      this.#leave();
      return say("Your account was deleted");
    });
  }

  /** Asks for what shows who somebody is, and does it when they have.
   *  @param act resolves to what is said then */
  #confirm(
    ending: Ending, title: string, words: Child[], { has_password, providers = [] }: Pick<ResetAllAskData, "has_password" | "providers">,
    proof: Proof | undefined,
    act: (proof: Proof, hasBegun: () => boolean) => Promise<string>,
  ): HTMLDialogElement {
    const cancel = button(say("cancel"), ""), send = element("button", { class: "btn stop" }, say(ending === "reset-all" ? "resetAll" : "deleteAccount"));
    const password = passwordField(say("password"), "current-password");
    password.node.classList.add("all");
    const told = element("div", { class: "all side" });
    const buttons = proof || has_password ? [] : providerButtons(ending, () => true, providers);
    const isMissing = !proof && !has_password && providers.length > 0;
    const dialog = opened(title, ...words, form({ password }, [
      !proof && has_password ? password.node : null,
      isMissing ? element("p", { class: "all" }, say(buttons.length > 0 ? "showWhoYouAre" : "noProviderHere")) : null,
      buttons.length > 0 ? element("div", { class: "side all" }, ...buttons) : null,
      told, element("div", { class: "btns all" }, cancel, isMissing ? null : send),
    ], send, async () => {
      let hasBegun = false;
      const stop = this.#person.hear("progress", (value) => {
        const come = value as Progress | undefined;
        if (come?.operation !== operations[ending]) return;
        hasBegun = true;
        fill(told, ...progress(come));
      });
      cancel.hidden = true;
      try {
        const words = await act(proof ?? (has_password ? { password: password.input.value } : {}), () => hasBegun);
        dialog.close();
        toast(words);
      } finally {
        stop();
        fill(told);
        cancel.hidden = false;
      }
    }));
    pressed(cancel, () => dialog.close());
    // What is being deleted cannot be left. Browsers let a page refuse one Escape, and close the dialog with the next: only the key itself
    // can be refused every time.
    dialog.addEventListener("cancel", (event) => cancel.hidden && event.preventDefault());
    dialog.addEventListener("keydown", (event) => event.key === "Escape" && cancel.hidden && event.preventDefault());
    cancel.focus();
    return dialog;
  }
}

/** Resolves when the broker does not know the device any longer, after which the page has closed the connection. */
function end(broker: Broker): Promise<void> {
  return new Promise((done) => {
    broker.addEventListener("change", () => ["refused", "closed"].includes(broker.state) && done());
  });
}

function notDone(title: string, why: string): void {
  const close = button(say("close"), "first");
  const dialog = opened(title, element("p", {}, why), element("div", { class: "btns" }, close));
  pressed(close, () => dialog.close());
}

const steps = new Map<string, Word>([
  ["account", "stepAccount"], ["streams", "stepStreams"], ["secrets", "stepSecrets"], ["readings", "stepReadings"], ["log", "stepLog"],
  ["proof", "stepProof"], ["done", "done"],
]);

/** How far it has come. */
function progress({ step, done, of }: Progress): Child[] {
  const word = steps.get(step);
  return word ? [element("p", { role: "status" }, say(word)), meter(of > 0 ? done / of : 0)] : [];
}

customElements.define("vitals-ending-card", EndingCard);
