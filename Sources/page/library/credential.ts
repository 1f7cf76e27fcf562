import type { SignIn } from "./broker";

/** Who the page is: a person, on a device of theirs. */
export interface Credential extends SignIn {
  user: string;
}

// A device that stays signed in has its password in IndexedDB, sealed with a key that the browser keeps and never gives to any script.
// Otherwise the password is in the tab's own storage, and gone with the tab.
const tabKey = "vitals";
const database = "vitals";

interface Kept {
  key: CryptoKey;
  nonce: Uint8Array;
  sealed: ArrayBuffer;
}

/** Whether this device can stay signed in: browsers have their keys only for addresses that nobody can listen to. */
export function canStay(): boolean {
  return isSecureContext && "indexedDB" in window;
}

/** Whether whoever is signed in stays so when the tab is closed. */
export function staysSignedIn(): boolean {
  return sessionStorage.getItem(tabKey) === null;
}

/** Keeps a credential for the tab, or until somebody signs out. A browser that refuses its database keeps it for the tab. */
export async function keep(credential: Credential, isStaying: boolean): Promise<void> {
  try {
    await forget();
    if (isStaying && canStay()) return await seal(credential);
  } catch {
    // A device that nobody has would stay in the list.
  }
  sessionStorage.setItem(tabKey, JSON.stringify(credential));
}

async function seal(credential: Credential): Promise<void> {
  const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  const nonce = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, key, new TextEncoder().encode(JSON.stringify(credential)));
  await inStore("readwrite", (store) => store.put({ key, nonce, sealed }, "device"));
}

/** What was kept, or null. */
export async function kept(): Promise<Credential | null> {
  const ofTab = sessionStorage.getItem(tabKey);
  if (ofTab) return JSON.parse(ofTab) as Credential;
  if (!canStay()) return null;
  const found = (await inStore("readonly", (store) => store.get("device"))) as Kept | undefined;
  if (!found) return null;
  try {
    const opened = await crypto.subtle.decrypt({ name: "AES-GCM", iv: found.nonce }, found.key, found.sealed);
    return JSON.parse(new TextDecoder().decode(opened)) as Credential;
  } catch {
    return null;
  }
}

/** Removes all that was kept in this browser. */
export async function forget(): Promise<void> {
  sessionStorage.removeItem(tabKey);
  if (canStay()) await inStore("readwrite", (store) => store.clear());
}

/** Does something with what this browser keeps: the credential, and small things that are about the browser itself. */
export function inStore(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(database, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("credentials");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction("credentials", mode);
      const request = act(transaction.objectStore("credentials"));
      transaction.oncomplete = () => {
        opening.result.close();
        resolve(request.result);
      };
      transaction.onabort = () => reject(transaction.error);
    };
  });
}
