"""Goals and thumbs while the consumer is killed. Step counts of several people come, in any order, and reach their goals; friends give
each other thumbs, and ask again until a reply has come, as programs of people do, and often after it. Meanwhile the consumer is killed again and again.

In the end each goal that was reached is announced once: there is one notification of each (day, goal) in the person's list, and on their
topic none but those of the list, each at least once, the same bytes under the same id. Each thumb whose reply came was given once, and
none that was refused; what was retained of the day is what it comes to; and the consumer's own check finds nothing wrong.

    goals.py [short|normal|long]
"""

import collections
import datetime
import json
import os
import random
import sys
import threading
import time

import wire
from outcome import Outcome
from people import LIMIT, Neighbourhood, noon

#: How many people there are, how often the consumer is killed, and how many thumbs each gives to each of two friends.
SIZES = {"short": (4, 8, 6), "normal": (6, 25, 15), "long": (8, 150, 22)}
#: Thumbs for a friend on a day.
MOST_THUMBS = 20
#: Steps of each of the two days, and how many blocks they come in. Today's goals are below their totals.
STEPS, BLOCKS = 15_000, 12
TARGETS = {"steps": 12_000, "distance_m": 5_000, "energy_kcal": 100}


class Rig(Neighbourhood):
    """People with a pedometer each, who are friends."""

    def begin(self, people, dice):
        self.dice = dice
        self.offset, zone = noon()
        super().begin([f"p{index}" for index in range(people)], "s", zone)
        for user in self.people:
            self.voice.data(user, "profile/set", {
                "name": f"Person {user}", "date_of_birth": "1990-12-10", "gender": "female", "height_cm": 170,
                "weight_kg": 65})
            self.voice.data(user, "goals/set", TARGETS)
        self.friends = [(self.people[i], self.people[(i + step) % people]) for i in range(people) for step in (1, people - 1)]
        for one, other in zip(self.people, self.people[1:] + self.people[:1]):
            share = {"share": {"steps": True}}
            code = self.voice.data(one, "friends/code", share)["code"]
            self.voice.data(other, "friends/invite", {"code": code, **share})

    # What people do meanwhile

    def walk(self, failures):
        """Sends what everybody's pedometers have counted, yesterday and today, each block again until it is acknowledged."""
        try:
            now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=self.offset)
            midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) - datetime.timedelta(hours=self.offset)
            self.days = [str((now + datetime.timedelta(days=days)).date()) for days in (-1, 0)]
            blocks = []
            for user in self.people:
                sealer = self.sealer(f"s{user}")
                blocks.append(sealer.key_block)
                counts = [
                    (midnight + datetime.timedelta(days=days, minutes=5 + 20 * index), (days + 1) * STEPS + STEPS * index // BLOCKS)
                    for days in (-1, 0) for index in range(BLOCKS + 1)
                ]
                for time_, count in counts:
                    rows = [{"time": int(time_.timestamp() * 1000), "monotonic": 1, "steps": count}]
                    blocks.append(sealer.block(wire.READINGS, wire.write_readings(wire.STEPS, rows)))
            # A few at a time, so that kills come in between.
            self.voice.deliver(blocks, self.dice, 1 + len(self.people), self.pause)
        except Exception as error:
            failures.append(f"walking: {error!r}")

    def cheer(self, one, other, count, failures):
        try:
            for number in range(count):
                fields, key = {"friend": other, "thumb": "up" if number % 3 else "down"}, os.urandom(12)
                reply = self.voice.ask(one, "friends/cheer", fields, key)
                self.given[other, one, reply["status"]] += 1
                time.sleep(self.pause)
                if reply["status"] == "ok" and number % 2:
                    # As if the reply had been lost; perhaps another consumer answers.
                    time.sleep(0.5)
                    with self.voice.arrived:
                        del self.voice.replies[key]
                    again = self.voice.ask(one, "friends/cheer", fields, key)
                    if again != reply:
                        failures.append(f"{one} is told of the same thumb for {other}: {reply}, then {again}")
        except Exception as error:
            failures.append(f"{one} cheers {other}: {error!r}")

    # Judging

    def judge(self, thumbs, outcome):
        for user in self.people:
            listed = self.voice.notifications(user)
            goals = collections.Counter((x["day"], x["goal"]) for x in listed if x["kind"] == "goal-reached")
            due = {(self.days[0], "steps")} | {(self.days[1], goal) for goal in ("steps", "distance", "energy")}
            for what in due | goals.keys():
                outcome.cases += 1
                if goals[what] != 1 or what not in due:
                    outcome.problems.append(f"{user}: {what} was announced {goals[what]} times")
                    outcome.lost += goals[what] == 0
                    outcome.duplicated += goals[what] > 1
            given = collections.Counter(x["from"] for x in listed if x["kind"].startswith("thumbs-"))
            for one, other in self.friends:
                if other != user:
                    continue
                outcome.cases += thumbs
                done = self.given[user, one, "ok"]
                if given[one] != done or done != min(thumbs, MOST_THUMBS):
                    outcome.problems.append(f"{user} has {given[one]} thumbs of {one}, who was told of {done}, of {thumbs}")
            self.judge_told(user, listed, outcome)
            self.look_at_day(user, outcome)

    def look_at_day(self, user, outcome):
        """What is retained is what the day comes to."""
        friend = next(other for one, other in self.friends if one == user)

        def is_right():
            today = json.loads(self.voice.retained.get(f"{user}/today", b"{}") or b"{}")
            shown = json.loads(self.voice.retained.get(f"{friend}/friends/{user}/today", b"{}") or b"{}")
            goal = json.loads(self.voice.retained.get(f"{user}/goals/steps", b"{}") or b"{}")
            return today.get("steps") == shown.get("steps") == goal.get("value") == STEPS and goal["state"] == "reached"

        if not self.voice.wait(is_right, 30):
            found = {x: y for x, y in self.voice.retained.items() if user in x}
            outcome.problems.append(f"{user}: what is retained of the day is not what it comes to: {found}")


def run(size, seed) -> Outcome:
    people, kills, thumbs = SIZES[size]
    outcome, failures = Outcome("goals"), []
    dice = random.Random(seed)
    with Rig() as rig:
        rig.begin(people, dice)
        rig.given, rig.pause = collections.Counter(), 0.02 if size == "short" else 0.1
        workers = [threading.Thread(target=rig.walk, args=(failures,))]
        workers += [threading.Thread(target=rig.cheer, args=(*pair, thumbs, failures)) for pair in rig.friends]
        for worker in workers:
            worker.start()
        killed = rig.kill_while(workers, kills, dice, (0.2, 0.9), outcome)
        for worker in workers:
            worker.join(LIMIT * 2)
        outcome.problems += failures
        if not failures:
            rig.wait_for_announcements()
            rig.judge(thumbs, outcome)
        rig.check(outcome)
        again = sum(len(x) for x in rig.voice.told.values())
        outcome.remarks.append(
            f"{killed} kills, {sum(rig.given.values())} thumbs of {people} people, {again} notifications")
    return outcome


if __name__ == "__main__":
    found = run(sys.argv[1] if len(sys.argv) > 1 else "short", int.from_bytes(os.urandom(4)))
    for line in [*found.problems[:40], *found.remarks]:
        print(line)
    sys.exit(0 if found.holds else 1)
