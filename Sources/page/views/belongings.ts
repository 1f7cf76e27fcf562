import type { Hanging, StoredExtent } from "service";
import { number } from "../library/format";
import { say, type Word } from "../library/words";

type Kind = Exclude<keyof Hanging, "from" | "to">;

const kinds: Record<Kind, Word> = {
  friends: "friends", invitations: "invitations", groups: "groups", competing: "competing", posts: "posts", offers: "yourOffers",
  partners: "yourPartners", consent: "consent", devices: "devices", gateways: "gateways", sensors: "sensors",
  documents: "documents", "heart-rate": "heartRates", steps: "stepCounts", temperature: "temperatures", motion: "motions",
  pedometer: "pedometers", position: "positions",
};

/** What belongs to somebody, in words: how much there is of each kind. */
export function inWords(belongings: Partial<Hanging & StoredExtent> = {}): string[] {
  return (Object.keys(kinds) as Kind[]).flatMap((kind) => {
    const there = belongings[kind] ?? 0;
    const count = Array.isArray(there) ? there.length : there;
    return count > 0 ? [`${say(kinds[kind])}: ${number(count)}`] : [];
  });
}
