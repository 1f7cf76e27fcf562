import { element, plain, written, type Child } from "../library/element";
import { ago } from "../library/format";
import { settings } from "../library/settings";
import { say, translated } from "../library/words";
import { AnswerCard } from "../parts/answer-card";
import { pairs } from "../parts/card";
import { form, passwordField } from "../parts/form";
import { toast } from "../parts/toast";

/** How the person signs in, and a new password. */
export class AccountCard extends AnswerCard {
  begin(): void {
    this.frame(say("account"), "");
    // Made once: what is typed there stays when the connection comes back.
    const changing = this.#changing();
    this.ask(async () => {
      const { email, phone, verified, has_password, providers, created } = await this.person.ask("account/get", {});
      const name = email ?? phone;
      const lines: [string, Child][] = [];
      if (name) lines.push([say("name"), written(name)], [say("verified"), say(verified ? "yes" : "no")]);
      if (providers.length > 0) lines.push([say("signsInWith"), providers.map(labelOf).join(", ")]);
      return [
        pairs([...lines, [say("registered"), ago(created)]]),
        has_password ? changing : null,
      ];
    });
  }

  /** The form is made when it is wanted: Chromium keeps each form with a password, and all that it stood in, as long as the tab is open. */
  #changing(): HTMLElement {
    const changing = element("details", {}, element("summary", {}, say("changePassword")));
    changing.addEventListener("toggle", () => changing.append(this.#form()), { once: true });
    return changing;
  }

  #form(): HTMLFormElement {
    const current = passwordField(say("currentPassword"), "current-password");
    const password = passwordField(say("newPassword"), "new-password", say("passwordHint"));
    for (const { node } of [current, password]) node.classList.add("all");
    const send = element("button", { class: "btn first" }, say("setPassword"));
    const made = form({ current, password }, [current.node, password.node, element("div", { class: "btns all" }, send)], send, async () => {
      const { message } = await this.person.ask("account/change-password", { current: current.input.value, password: password.input.value });
      made.reset();
      toast(translated(message));
    });
    return made;
  }
}

/** What people call a provider. */
function labelOf(name: string): string {
  return plain(settings().providers.find(({ provider }) => provider === name)?.label ?? name);
}

customElements.define("vitals-account-card", AccountCard);
