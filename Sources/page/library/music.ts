import type { Artwork, Playlist, Track } from "service";
import { decoded } from "./bytes";
import type { Gateway } from "./household";
import { Refusal } from "./requests";
import { say } from "./words";

/** No playlist is read further, and no picture is larger, whatever a gateway says. */
const mostTracks = 1000, mostBytes = 1 << 20;
const mostTries = 3;

/** The whole playlist, page by page. */
export async function playlistOf(gateway: Gateway): Promise<Track[]> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const tracks = await wholePlaylist(gateway);
    if (tracks) return tracks;
  }
  throw new Refusal("busy", say("playlistChanges"));
}

/** Null if it changes between two pages. */
async function wholePlaylist(gateway: Gateway): Promise<Track[] | null> {
  const tracks: Track[] = [];
  let version: number | undefined;
  while (tracks.length < mostTracks) {
    const page: Playlist = await gateway.ask("music/list", { from: tracks.length + 1 });
    if (page.version !== (version ?? page.version)) return null;
    version = page.version;
    tracks.push(...page.tracks);
    if (page.tracks.length === 0 || tracks.length >= page.length) break;
  }
  return tracks.slice(0, mostTracks);
}

/** The artwork of a track, part by part; null if it changes meanwhile. */
export async function artworkOf(gateway: Gateway, song: number): Promise<Uint8Array | null> {
  let picture: Uint8Array | null = null;
  let length = 0;
  do {
    const part: Artwork = await gateway.ask("music/artwork", { song, offset: length }, 20);
    const bytes = decoded(part.data);
    picture ??= new Uint8Array(Math.min(part.size, mostBytes));
    const isNext = part.offset === length && part.size === picture.length && bytes.length > 0 && length + bytes.length <= picture.length;
    if (!isNext) return null;
    picture.set(bytes, length);
    length += bytes.length;
  } while (length < picture.length);
  return picture;
}
