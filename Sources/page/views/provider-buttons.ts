import { plain, pressed } from "../library/element";
import { leaveFor, providers, type Purpose } from "../library/providers";
import { say } from "../library/words";
import { busy, button } from "../parts/form";

/** A button for each provider with whom somebody can show who they are.
 *  @param known those that count, by the names that the service has for them; all if it is left out */
export function providerButtons(purpose: Purpose, isStaying: () => boolean, known?: string[]): HTMLElement[] {
  return providers().filter(({ provider }) => !known || known.includes(provider)).map((provider) => {
    const made = button(say("continueWith", { provider: plain(provider.label) }), "wide-btn");
    return pressed(made, () => void busy(made, () => leaveFor(provider, purpose, isStaying())));
  });
}
