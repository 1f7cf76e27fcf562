"""What guardians are told because something does not happen, and what they and their dependents ask of each other: for the rig of
guardians, which says what is tried."""

import time

import wire
from borders import Fix, out_of_range
from vigil import LOOKED, Vigil, circle
from wandering import MINUTE, away, somewhere


class Absences(Vigil):
    """What is done around somebody who is at home."""

    def battery(self, dice):
        """It goes down, comes up a little, is charged, and goes down again."""
        phone, grace = self.phones["home"], self.grace.user
        self.house = circle("Flat", somewhere(dice))
        self.voice.data(grace, "alerts/set", {"dependent": phone.owner, "kind": "battery", "below": 30, "escalate_min": 2})
        said = [(60, 1), (31, 1), (29, 1), (20, 1), (33, 1), (29, 1), (25, 2), (28, 1), (12, 1), (41, 1), (30, 1), (15, 1)]
        is_low, time_ = False, self.now() // 1000 * 1000 - 20 * MINUTE
        for percent, state in said:
            time_ += MINUTE
            # It has recovered when it is charged, or ten points above the limit.
            is_low = is_low and state == 1 and percent < 40
            if percent < 30 and state == 1 and not is_low:
                is_low = True
                self.expect("battery empty", grace, phone.owner, "battery-low", time_)
            self.say(phone, Fix(time_, away(self.house.middle, dice.uniform(0, 9), 0), 10, phone.id), batt=percent, bs=state)
        self.settle()
        # Of all but the last one, somebody knows: nobody else is told of those.
        last = self.due_of("battery-low")[-1]
        for told in self.told_of(self.grace, "battery-low"):
            if told["time"] != last.times[0]:
                self.voice.data(grace, "alerts/confirm", {"alert": told["alert"]})

    def due_of(self, kind):
        return [one for one in self.due if one.kind == kind]

    def told_of(self, guardian, kind):
        return [one for one in self.voice.notifications(guardian.user) if one["kind"] == kind]

    def silence(self, is_again):
        """A phone says nothing any longer, its owner does not move, and nobody confirms that."""
        home, runner, grace = self.people["home"], self.people["runner"], self.grace
        self.voice.data(grace.user, "alerts/set", {"dependent": home, "kind": "silence", "minutes": 5, "escalate_min": 2})
        zone_minutes = (self.now() + self.offset) // MINUTE + 4
        at = f"{zone_minutes // 60 % 24:02}:{zone_minutes % 60:02}"
        for user in (home, runner):
            self.voice.data(grace.user, "alerts/set", {"dependent": user, "kind": "stillness", "at": at})
        self.voice.data(grace.user, "alerts/set", {"dependent": runner, "kind": "heart-rate", "above": 140, "minutes": 1})
        begin = self.now()
        last = self.said[home][-1].fix.time
        self.advance(6)
        self.expect("phone dead", grace.user, home, "no-position", last, LOOKED)
        moment = zone_minutes * MINUTE - self.offset
        self.expect("no movement", grace.user, home, "no-movement", (moment, moment + MINUTE), LOOKED)
        # The latest alert about the battery was not confirmed either.
        battery = self.due_of("battery-low")[-1]
        self.expect("next guardian", self.hugo.user, home, "battery-low", battery.times, LOOKED)
        self.hearts(begin // 1000 * 1000 + MINUTE)
        self.until_told(grace, home, "no-position")
        self.locate(self.phones["home"])
        again = self.said[home][-1].fix.time
        self.advance(3)
        self.expect("next guardian", self.hugo.user, home, "no-position", last, LOOKED)
        # Since rules are looked at before what nobody has confirmed, it is known now that the phone has spoken.
        self.until_told(self.hugo, home, "no-position")
        if is_again:
            self.advance(6)
            self.expect("phone dead", grace.user, home, "no-position", again, LOOKED)
            self.until_told(grace, home, "no-position", 2)
            for told in self.told_of(grace, "no-position"):
                self.voice.data(grace.user, "alerts/confirm", {"alert": told["alert"]})
            self.advance(3)
        now = self.now()
        count = self.voice.data(home, "guardians/help", {"text": "at the bus stop"})["told"]
        self.must("help", count == 2, f"{count} guardians were told, not 2")
        for guardian in (grace, self.hugo):
            self.expect("help", guardian.user, home, "help-wanted", (now - 500, now + 5000))
        # The clock will be set forward again, and perhaps beyond midnight.
        for rule in self.voice.data(grace.user, "alerts/list")["rules"]:
            self.voice.data(grace.user, "alerts/remove", {"alert": rule["alert"]})

    def until_told(self, guardian, dependent, kind, count=1):
        """Waits for an alert; if it does not come, the judgement says so."""
        end = time.monotonic() + LOOKED
        while time.monotonic() < end:
            told = [one for one in self.told_of(guardian, kind) if one["from"] == dependent]
            if len(told) >= count:
                return
            guardian.wait(lambda: False, 0.5)

    def hearts(self, start):
        """Heart rates of the runner's strap: single ones that are wrong, and twice a while that is too high."""
        rates, time_ = {}, start
        for seconds, low, high in ((30, 70, 90), (100, 150, 190), (5, 80, 100), (20, 150, 180), (75, 70, 120), (70, 145, 200)):
            for _ in range(seconds):
                rates[time_] = self.dice.randint(low, high)
                time_ += 1000
        runner = self.people["runner"]
        for since in out_of_range(rates, 140, 1):
            self.expect("heart rate", self.grace.user, runner, "heart-rate-range", since)
        sealer = self.sealer("strap")
        rows = [{"time": moment, "monotonic": 1, "bpm": rate} for moment, rate in rates.items()]
        blocks = [
            sealer.block(wire.READINGS, wire.write_readings(wire.HEART_RATE, rows[index : index + 60]))
            for index in range(0, len(rows), 60)]
        for block in [sealer.key_block, *blocks]:
            self.voice.deliver([block], self.dice, 1, 0)

    def locate(self, phone):
        """A guardian asks, and the phone is asked, and answers."""
        asked = self.voice.data(self.grace.user, "dependents/locate", {"dependent": phone.owner})["asked"]
        with phone.told:
            is_asked = phone.told.wait_for(lambda: "reportLocation" in phone.asked, 10)
        self.must("asked where", asked == 1 and is_asked, f"{asked} phones were asked, and the phone heard {phone.asked}")
        fix = Fix(self.now() // 1000 * 1000, away(self.house.middle, 3, 3), 10, phone.id)
        self.say(phone, fix, t="r")
        key = f"{phone.owner}/location"
        is_seen = self.grace.wait(lambda: (self.grace.seen.get(key) or {}).get("time") == fix.time, 5)
        self.must("asked where", is_seen, "the answer is not seen")
