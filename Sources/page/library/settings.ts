/** A kind of map that people can choose, with the tiles it is made of. */
export interface MapKind {
  name: string;
  /** Such as `https://tile.example.org/{z}/{x}/{y}.png`. */
  tiles: string;
  /** Whom the map is from, as its licence asks to be said. */
  attribution: string;
  /** The closest that there are tiles of; 19 if it is left out. */
  closest?: number;
}

/** Somebody with whom people can sign in, by OpenID Connect. */
export interface Provider {
  /** What the service calls them in its settings. */
  provider: string;
  /** What people call them. */
  label: string;
  client_id: string;
  /** Where people are asked. */
  authorization: string;
  /** Where the code is exchanged for an ID token, with PKCE; left out if the provider does that only for those who have a secret, and
   *  sends the ID token instead of a code. */
  token?: string;
}

/** What the operator has set for the page: `settings.json`, beside it. */
export interface Settings {
  maps: MapKind[];
  providers: Provider[];
}

let read: Settings = { maps: [], providers: [] };

export function settings(): Settings {
  return read;
}

/** Reads the settings once, before anything is shown. */
export async function readSettings(): Promise<void> {
  const answer = await fetch("settings.json").catch(() => null);
  if (!answer?.ok) return;
  const found = await answer.json() as Partial<Settings>;
  read = { ...read, ...found };
}
