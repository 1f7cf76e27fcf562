import { element } from "../library/element";
import type { Person } from "../library/person";
import { say } from "../library/words";
import { friends } from "./friends";
import { groups } from "./groups";
import { lookingAfter } from "./looking-after";
import { partners } from "./partners";
import { peopleTabs } from "./people-tabs";
import { posts } from "./posts";
import type { View } from "./view";
import { whoSeesMe } from "./who-sees-me";

const sides: Record<string, (person: Person) => HTMLElement> = { posts, groups, partners, "looking-after": lookingAfter, "who-sees-me": whoSeesMe };

/** Friends, what they have posted, groups, partners, the people one looks after, and those who look after oneself. */
export const peopleView: View = {
  address: /^#\/people(?:\/(posts|groups|partners|looking-after|who-sees-me))?$/,
  place: { address: "#/people", word: "people", icon: "people" },
  open: ({ person, address, found: [side = ""] }) => ({
    title: say("people"),
    content: element("div", { class: "side" }, element("div", {}, peopleTabs(address)), (sides[side] ?? friends)(person)),
  }),
};
