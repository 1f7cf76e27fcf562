"""What guardians see of a dependent who has two phones, takes back what was allowed in each way that there is, and deletes the
account: for the rig of guardians, which says what is tried."""

import dataclasses
import json

from family import PASSWORD
from vigil import Vigil, way

#: The topics that show where somebody is and how they are.
TOPICS = ("location", "path", "motion", "status")
#: How long what was withdrawn may be seen, in seconds.
GONE = 1


class Consents(Vigil):
    """What is done in the name of the owner of two phones."""

    def own_two(self, dice):
        """Two phones, one of which lies at home; then the dependent takes back what was allowed, in each way that there is."""
        name = "owner"
        phone, user = self.phones[name], self.people[name]
        tablet = self.phone(user, is_sealed=True)
        area = self.home_of_owner
        made, at_home = way(dice, area, phone, self.began), way(dice, area, tablet, self.began)
        for round_ in range(3):
            for step in (made.inside, made.outside, made.outside, made.inside):
                at_home.time = made.time
                at_home.at(dice.uniform(0, 20), pause=1)
                made.time = at_home.time
                step(2)
                self.go(phone, made.fixes[-2:], [area])
                self.go(tablet, at_home.fixes[-1:], [area])
        self.walk = made
        self.withdraw("consent withdrawn", lambda: self.allow(self.grace, name, False))
        self.allow(self.grace, name, True)
        self.see_again("consent withdrawn")
        self.withdraw("guardian removed", lambda: self.voice.data(user, "guardians/remove", {"guardian": self.grace.user}))
        self.become(self.grace, name)
        self.watch("guardian removed", self.grace.user, user, area)
        self.see_again("guardian removed")
        self.withdraw("guardian blocked", lambda: self.voice.data(user, "guardians/block", {"guardian": self.grace.user}))
        reply = self.connect(self.grace.user, self.numbers[name])
        self.must("guardian blocked", reply.get("error", {}).get("code") == "wrong-credentials", f"connects again: {reply}")
        self.erase(user)

    def excursion(self, at_home=2):
        """Out and back, now: rules begin when they are allowed. Returns when the last position was."""
        made, before = self.walk, len(self.walk.fixes)
        made.time = max(made.time, self.now() // 1000 * 1000)
        self.advance(4)
        made.inside(at_home).outside(3).inside(3)
        self.go(self.phones["owner"], made.fixes[before:], [self.home_of_owner])
        return self.said[self.people["owner"]][-1].fix.time

    def withdraw(self, scenario, do):
        """What was retained for the guardian is gone within a second, and then nothing comes, while another guardian sees all."""
        user, grace = self.people["owner"], self.grace
        keys = [f"{user}/{topic}" for topic in TOPICS]
        self.must(scenario, grace.wait(lambda: grace.seen.get(keys[0]), 10), "nothing was seen before")
        watches = [x for x in self.watches if (x.guardian, x.dependent, x.last) == (grace.user, user, None)]
        do()
        for one in watches:
            one.last = len(self.said[user])
        self.must(scenario, grace.wait(lambda: not any(grace.seen.get(key) for key in keys), GONE),
                  f"after {GONE} s there is still {[key for key in keys if grace.seen.get(key)]}")
        fresh = [key for key in grace.retained() if key.startswith(user)]
        self.must(scenario, not fresh, f"somebody who comes later sees {fresh}")
        shown = len([x for x in grace.shown if x[0] == user])
        latest = self.excursion()
        hugo = self.hugo
        is_seen = hugo.wait(lambda: (hugo.seen.get(keys[0]) or {}).get("time") == latest, 10)
        self.must(scenario, is_seen, "another guardian sees nothing")
        grace.retained()
        is_gone = not any(grace.seen.get(key) for key in keys) and len([x for x in grace.shown if x[0] == user]) == shown
        self.must(scenario, is_gone, "something came afterwards")
        # The rules that are left begin again when it is allowed.
        self.waiting = [] if scenario != "consent withdrawn" else watches

    def see_again(self, scenario):
        user, grace = self.people["owner"], self.grace
        for one in self.waiting:
            self.watches.append(dataclasses.replace(
                one, scenario=scenario, begin=self.now(), first=len(self.said[user]), last=None))
        latest = self.excursion()
        self.must(scenario, grace.wait(lambda: (grace.seen.get(f"{user}/location") or {}).get("time") == latest, 10),
                  "allowed again, and nothing is seen")

    def erase(self, user):
        """The dependent deletes the account: a guardian's copies go with it."""
        scenario, hugo = "dependent erased", self.hugo
        # Where somebody is who leaves an area that was set up a moment ago is known from before.
        self.watch("area just set up", hugo.user, user, self.home_of_owner)
        self.excursion(at_home=0)
        self.collect(hugo)
        self.collect(self.grace)
        self.must(scenario, hugo.wait(lambda: hugo.seen.get(f"{user}/location"), 10), "nothing was seen before")
        reply = self.voice.ask(user, "account/delete", {"password": PASSWORD}, patience=60)
        self.must(scenario, reply["status"] == "ok", f"the account is not deleted: {reply}")
        for one in self.watches:
            one.last = len(self.said[user]) if one.dependent == user and one.last is None else one.last
        is_gone = hugo.wait(lambda: not any(hugo.seen.get(f"{user}/{topic}") for topic in TOPICS), GONE)
        self.must(scenario, is_gone, "the guardian's copies stay")
        fresh = [key for key in hugo.retained() if key.startswith(user)]
        self.must(scenario, not fresh, f"somebody who comes later sees {fresh}")
        lists = [self.voice.data(hugo.user, name) for name in ("dependents/list", "areas/list", "alerts/list")]
        self.must(scenario, user not in json.dumps(lists), f"the lists still have the dependent: {lists}")
