import { askAsGuest } from "./accounts";
import { drawn } from "./broker";
import { plain } from "./element";
import { parsed, Refusal } from "./requests";
import { settings, type Provider } from "./settings";
import { say } from "./words";

// Signing in with a provider, by OpenID Connect. The person leaves the page for the provider's, and comes back to it with an answer in the
// address: a code, which the page exchanges for an ID token (RFC 6749, 4.1; with PKCE, RFC 7636), or the ID token itself, if the provider
// exchanges codes only for those who have a secret (OpenID Connect Core, 3.2). The service says whether it believes the token.
//
// What has to be known again afterwards is in the tab's storage while the person is away, and is used once.

/** What somebody shows who they are for. */
export type Purpose = "sign-in" | "reset-all" | "delete-account";

/** What was asked of a provider. */
interface Asked {
  provider: string;
  purpose: Purpose;
  isStaying: boolean;
  state: string;
  nonce: string;
  verifier: string;
}

/** What a provider has answered. */
export interface Answer extends Pick<Asked, "purpose" | "isStaying"> {
  /** What people call the provider; empty if nobody knows who has answered. */
  label: string;
  /** The proof that the service takes; or a `Refusal`, which says why there is none. */
  proof(): Promise<{ provider: string; id_token: string }>;
}

const key = "vitals-provider";
const longestReply = 65_536;
let answer: Answer | null = null;

/** Those with whom people can sign in here. Browsers compute the digest that PKCE needs only for addresses that nobody can listen to. */
export function providers(): Provider[] {
  return isSecureContext ? settings().providers : [];
}

/** Leaves the page for a provider's. */
export async function leaveFor(provider: Provider, purpose: Purpose, isStaying: boolean): Promise<void> {
  const { nonce } = await askAsGuest("nonce", { provider: provider.provider });
  const asked: Asked = { provider: provider.provider, purpose, isStaying, state: drawn(), nonce, verifier: drawn() + drawn() };
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(asked.verifier));
  const challenge = btoa(String.fromCharCode(...new Uint8Array(digest))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
  const address = new URL(provider.authorization);
  const questions = {
    client_id: provider.client_id, redirect_uri: addressFor(provider), scope: "openid", state: asked.state, nonce,
    ...(provider.token ? { response_type: "code", code_challenge: challenge, code_challenge_method: "S256" } : { response_type: "id_token" }),
  };
  for (const [name, value] of Object.entries(questions)) address.searchParams.set(name, value);
  sessionStorage.setItem(key, JSON.stringify(asked));
  location.assign(address);
}

/** Takes a provider's answer out of the address, before anything is shown and anybody can see or keep it. */
export function readAnswer(): void {
  const asked = parsed(sessionStorage.getItem(key) ?? "") as Asked | undefined;
  sessionStorage.removeItem(key);
  const from = new URLSearchParams(location.search).get("from");
  const said = new URLSearchParams(/^#[^/]/.test(location.hash) ? location.hash.slice(1) : location.search);
  if (!["code", "id_token", "error"].some((name) => said.has(name))) return;
  const purpose = asked?.purpose ?? "sign-in";
  history.replaceState(null, "", `${location.pathname}#/${purpose === "sign-in" ? "sign-in" : "you"}`);
  let proof: Promise<string> | undefined;
  const label = () => providers().find(({ provider }) => provider === asked?.provider)?.label ?? "";
  answer = {
    purpose, isStaying: asked?.isStaying ?? false,
    get label() {
      return label();
    },
    async proof() {
      proof ??= token(asked, from, said);
      return { provider: asked?.provider ?? "", id_token: await proof };
    },
  };
}

/** The answer that somebody has come back with for a purpose, once. */
export function takeAnswer(purpose: Purpose): Answer | null {
  if (answer?.purpose !== purpose) return null;
  const taken = answer;
  answer = null;
  return taken;
}

/** Where a provider sends people back to. Each has an address of its own: none can have the page take another's code for its own. */
function addressFor({ provider }: Provider): string {
  return `${location.origin}${location.pathname}?from=${encodeURIComponent(provider)}`;
}

/** Drops an answer that nobody has taken. */
export function dropAnswer(purpose?: Purpose): void {
  if (!purpose || answer?.purpose === purpose) answer = null;
}

async function token(asked: Asked | undefined, from: string | null, said: URLSearchParams): Promise<string> {
  const provider = providers().find(({ provider }) => provider === asked?.provider);
  // Anybody can lead somebody to an address with a code of their own in it.
  if (!asked || !provider || from !== asked.provider || said.get("state") !== asked.state) throw new Refusal("not-allowed", say("answerUnasked"));
  const values = { provider: provider.label };
  if (said.get("error") === "access_denied") throw new Refusal("not-allowed", say("providerCancelled", values));
  if (said.has("error")) throw refusedBy(provider, said.get("error_description") ?? said.get("error"));
  const code = said.get("code");
  const found = provider.token ? code && await exchanged(provider.token, provider, asked, code) : said.get("id_token");
  if (!found || !hasNonce(found, asked.nonce)) throw new Refusal("not-allowed", say("providerWrong", values));
  return found;
}

/** Exchanges a code for an ID token. */
async function exchanged(address: string, provider: Provider, asked: Asked, code: string): Promise<string | undefined> {
  const fields = {
    grant_type: "authorization_code", code, redirect_uri: addressFor(provider), client_id: provider.client_id, code_verifier: asked.verifier,
  };
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), 15_000);
  let text: string;
  try {
    const reply = await fetch(address, {
      method: "POST", body: new URLSearchParams(fields), credentials: "omit", redirect: "error", signal: limit.signal,
    });
    text = await beginning(reply);
  } catch {
    throw new Refusal("no-value", say("providerAway", { provider: provider.label }));
  } finally {
    clearTimeout(timer);
  }
  const { id_token, error, error_description } = (parsed(text) ?? {}) as Record<string, unknown>;
  if (error !== undefined) throw refusedBy(provider, error_description ?? error);
  return typeof id_token === "string" ? id_token : undefined;
}

/** The text of a reply, which ends where it is longer than any that is meant. */
async function beginning(reply: Response): Promise<string> {
  const reader = reply.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader?.read() ?? { value: undefined, done: true };
    if (value) text += decoder.decode(value, { stream: true });
    if (done) return text;
    if (text.length <= longestReply) continue;
    await reader?.cancel();
    return "";
  }
}

/** Whether a token is the one that was asked for here. Everything else about it the service checks. */
function hasNonce(token: string, nonce: string): boolean {
  try {
    const claims = parsed(atob((token.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/"))) as { nonce?: unknown } | undefined;
    return claims?.nonce === nonce;
  } catch {
    return false;
  }
}

function refusedBy({ label }: Provider, why: unknown): Refusal {
  return new Refusal("refused", say("providerRefused", { provider: label, why: plain(`${why}`.slice(0, 200)) }));
}
