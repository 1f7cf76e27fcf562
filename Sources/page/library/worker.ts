// The page's service worker (worker.ts), with which the page opens without its server, and takes notifications.

interface ScriptURLs {
  createScriptURL(address: string): string;
}

const file = "worker.js";
/** How long it may take to fetch its files. */
const patience = 10_000;

let registered: Promise<ServiceWorkerRegistration | null> = Promise.resolve(null);

/** Whether there is a build later than what is shown: it is there as soon as the page is loaded again. */
let isOutdated = false;

export function isLaterBuildThere(): boolean {
  return isOutdated;
}

/** Starts it, where browsers have one: for addresses that nobody can listen to.
 *  @param opened called when somebody has pressed a notification while the page is open */
export function startWorker(opened: () => void): void {
  if (!("serviceWorker" in navigator)) return;
  // Chromium asks for a policy by which an address of a script is made: this one makes this one address only.
  const rules: ScriptURLs = {
    createScriptURL(address) {
      if (address !== file) throw new TypeError("this is not the page's worker");
      return address;
    },
  };
  const { trustedTypes } = window as { trustedTypes?: { createPolicy(name: string, rules: ScriptURLs): ScriptURLs } };
  const address = (trustedTypes?.createPolicy("vitals-worker", rules) ?? rules).createScriptURL(file);
  const workers = navigator.serviceWorker;
  workers.addEventListener("controllerchange", () => { isOutdated = true; });
  workers.addEventListener("message", opened);
  registered = workers.register(address, { updateViaCache: "none" }).catch(() => null);
}

/** The worker, as soon as it works; null where none does. */
export async function worker(): Promise<ServiceWorkerRegistration | null> {
  const registration = await registered;
  if (!registration || registration.active) return registration;
  const late = new Promise<null>((giveUp) => setTimeout(() => giveUp(null), patience));
  return Promise.race([navigator.serviceWorker.ready, late]);
}
