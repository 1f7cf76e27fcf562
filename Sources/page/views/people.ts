import { element } from "../library/element";
import { say } from "../library/words";
import { friends } from "./friends";
import { lookingAfter } from "./looking-after";
import { peopleTabs } from "./people-tabs";
import type { View } from "./view";
import { whoSeesMe } from "./who-sees-me";

/** Friends, the people one looks after, and those who look after oneself. */
export const peopleView: View = {
  address: /^#\/people(\/(?:looking-after|who-sees-me))?$/,
  place: { address: "#/people", word: "people", icon: "people" },
  open: ({ person, address, found: [side] }) => ({
    title: say("people"),
    content: element("div", { class: "side" }, element("div", {}, peopleTabs(address)),
      side === "/looking-after" ? lookingAfter(person) : side === "/who-sees-me" ? whoSeesMe(person) : friends(person)),
  }),
};
