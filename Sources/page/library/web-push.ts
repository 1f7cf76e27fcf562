import type { ListedPushAddress } from "service";
import { staysSignedIn } from "./credential";
import type { Person } from "./person";
import { Refusal } from "./requests";
import { say, type Word } from "./words";
import { worker } from "./worker";

// Notifications that reach this browser while the page is closed: the browser subscribes at the push service of its maker, with the key of
// the person's service, and the service posts there. Nobody but this browser can read what it posts.

/** Why this browser takes no notifications; null if it could. */
export function obstacle(): Word | null {
  if (!isSecureContext || !("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) return "pushUnable";
  if (!staysSignedIn()) return "pushStay";
  return Notification.permission === "denied" ? "pushBlocked" : null;
}

/** Which of a person's addresses this browser is. */
export async function own(addresses: ListedPushAddress[]): Promise<ListedPushAddress | undefined> {
  const subscription = await (await worker())?.pushManager.getSubscription();
  if (!subscription) return undefined;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(subscription.endpoint));
  const mark = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return addresses.find(({ browser }) => browser === mark);
}

/** Has notifications brought to this browser. Asks the person first, so it has to follow from what they press. */
export async function subscribe(person: Person, label: string): Promise<void> {
  if (await Notification.requestPermission() !== "granted") throw new Refusal("not-allowed", say("pushBlocked"));
  const { key } = await person.ask("push/key", {});
  const manager = (await worker())?.pushManager;
  if (!manager) throw new Refusal("not-supported", say("pushUnable"));
  const subscription = await subscribed(manager, key);
  const { endpoint = "", keys: { p256dh = "", auth = "" } = {} } = subscription.toJSON();
  try {
    const { push, enabled } = await person.ask("push/browser", { endpoint, p256dh, auth, device: person.device, label });
    // After a reset of the password it is off until the person wants it again, which they have just said.
    if (!enabled) await person.ask("push/confirm", { push });
  } catch (error) {
    await subscription.unsubscribe();
    throw error;
  }
}

async function subscribed(manager: PushManager, key: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await manager.subscribe(options);
  } catch (error) {
    // It has subscribed to another service's key before.
    const earlier = error instanceof DOMException && error.name === "InvalidStateError" ? await manager.getSubscription() : null;
    if (!earlier) throw new Refusal("not-supported", say("pushUnreached"));
    await earlier.unsubscribe();
    return manager.subscribe(options).catch(() => { throw new Refusal("not-supported", say("pushUnreached")); });
  }
}

/** Nothing reaches this browser any more, and nothing that did is left on the screen. The service hears of it from the push service. */
export async function unsubscribe(): Promise<void> {
  try {
    // Where no worker works yet, there is nothing.
    const found = await navigator.serviceWorker?.getRegistration();
    for (const shown of await found?.getNotifications() ?? []) shown.close();
    await (await found?.pushManager?.getSubscription())?.unsubscribe();
  } catch {
    // The service has removed this browser already, or it ends with its device.
  }
}
