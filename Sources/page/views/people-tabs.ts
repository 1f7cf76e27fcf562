import { element } from "../library/element";
import { say, type Word } from "../library/words";

const tabs: [address: string, word: Word][] = [
  ["#/people", "friends"], ["#/people/posts", "posts"], ["#/people/groups", "groups"], ["#/people/partners", "partners"],
  ["#/people/looking-after", "lookingAfter"], ["#/people/who-sees-me", "whoSeesMe"],
];

/** The sides of People. */
export function peopleTabs(current: string): HTMLElement {
  return element("nav", { class: "seg people-tabs", "aria-label": say("people") }, ...tabs.map(([address, word]) =>
    element("a", { href: address, "aria-current": address === current ? "page" : undefined }, say(word))));
}
