// The page's service worker. It keeps the files of one build, so that the page opens without its server, and shows what the service pushes.
// Nothing of a person is kept here: readings never come by HTTP, and the push holds no more than is shown.

declare const self: ServiceWorkerGlobalScope;
/** What the page was made from, and the files that it is shown with: deploy/page fills both in. */
declare const build: string;
declare const files: string[];

const prefix = "vitals-";
const scope = self.registration.scope;
const places = new Set(files.map((file) => new URL(file, scope).href));
/** The operator changes them without a new build. */
const settings = new URL("settings.json", scope).href;
const patience = 3_000;

// A new build is another worker. It takes over when it has all files of its build, and only then those of the one before go.
self.addEventListener("install", (event) => event.waitUntil((async () => {
  const cache = await caches.open(prefix + build);
  await cache.addAll([...places].map((place) => new Request(place, { cache: "no-cache" })));
  await self.skipWaiting();
})()));

self.addEventListener("activate", (event) => event.waitUntil((async () => {
  const others = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== prefix + build);
  await Promise.all(others.map((name) => caches.delete(name)));
})()));

// What is not answered here goes its usual way.
self.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  const place = origin + pathname;
  if (event.request.method !== "GET") return;
  if (places.has(place)) event.respondWith(kept(place, event.request));
  else if (place === settings) event.respondWith(fresh(place));
});

async function kept(place: string, request: Request): Promise<Response> {
  const cache = await caches.open(prefix + build);
  return await cache.match(place) ?? fetch(request);
}

/** From the server, if it answers soon. */
async function fresh(place: string): Promise<Response> {
  const cache = await caches.open(prefix + build);
  const asked = fetch(place, { cache: "no-cache" }).then(async (answer) => {
    if (!answer.ok) return answer;
    const before = await (await cache.match(place))?.text();
    await cache.put(place, answer.clone());
    // The policy, which came with the page itself, follows from them: the next visit has the one that fits.
    if (before !== undefined && before !== await answer.clone().text()) await cache.add(new Request(scope, { cache: "no-cache" }));
    return answer;
  }, () => null);
  const late = new Promise<null>((giveUp) => setTimeout(() => giveUp(null), patience));
  return await Promise.race([asked, late]) ?? await cache.match(place) ?? Response.error();
}

// Browsers want each push to be seen, also one that cannot be read.
self.addEventListener("push", (event) => {
  const { id, title, text, alert } = read(event.data);
  event.waitUntil(self.registration.showNotification(title, {
    body: text, icon: "icon-192.png", requireInteraction: alert, ...(id && { tag: id }),
  }));
});

function read(data: PushMessageData | null): { id: string; title: string; text: string; alert: boolean } {
  let said: Record<string, unknown> = {};
  try {
    said = Object(data?.json()) as Record<string, unknown>;
  } catch {
    // It is shown without words.
  }
  const short = (value: unknown, usual: string) => (typeof value === "string" && value ? value.slice(0, 1_000) : usual);
  return { id: short(said["id"], ""), title: short(said["title"], "Vitals"), text: short(said["text"], ""), alert: said["alert"] === true };
}

// What has happened stands there, whatever the notification said.
self.addEventListener("notificationclick", (event) => event.waitUntil((async () => {
  event.notification.close();
  const [open] = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (!open) return void await self.clients.openWindow("./#/lately");
  open.postMessage("lately");
  await open.focus();
})()));

export {};
