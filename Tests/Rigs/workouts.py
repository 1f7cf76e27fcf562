"""Workouts and files while the consumer is killed. People with a strap and a receiver start, pause, resume, stop and cancel workouts,
and ask again until a reply has come. The rig speaks for their gateway: what they measure comes at once and in blocks, late, doubled,
and after the end. Some workouts have a goal that ends them: a distance or a duration. Meanwhile people import files of watches, in
parts, and records of all day, and the consumer is killed again and again.

In the end each workout is there once, and those that were cancelled are not. One that ended at its goal ended at the right moment, and
the person was told once: one notification in the list, and the same bytes under the same id on the topic. Durations, pauses, heart
rates and distances are what the rig works out from what it has sent (courses.py), in the list and in detail. An imported file is one
workout. Each reading that was sent is stored once. No topic `workout` is retained. The consumer's own `check` and `recount` find nothing wrong.

    workouts.py [short|normal|long]
"""

import base64
import collections
import csv
import dataclasses
import json
import os
import random
import sys
import threading
import time

import courses
import wire
from outcome import Outcome
from people import LIMIT, Neighbourhood, Voice

#: How many people there are, how often the consumer is killed, and how many rounds of workouts and of files each person does.
SIZES = {"short": (3, 15, 1), "normal": (4, 60, 4), "long": (6, 300, 12)}
#: Distances may differ by this.
TOLERANCE = 0.005
#: Samples in a block. What is sent at once is ahead of the blocks by no more than one.
BLOCK = 25
#: Bytes in the parts of a file: with small ones it takes longer than the consumer lives, with large ones it gets through.
PARTS = (4_000, 15_000, 45_000)
#: Files in a round, samples of a file, and heart rates and spans of steps of records.
FILES, SAMPLES, RECORDS = 3, 1500, (4000, 300)
HOUR = 3_600_000


@dataclasses.dataclass
class Workout:
    """A workout that is expected in the list."""

    started: int
    #: What was done, and when; a goal adds the end.
    events: list
    course: courses.Course
    #: The earliest and the latest moment at which it may have ended.
    ends: tuple
    #: What the person is told, if it ended at its goal.
    text: str | None = None


def now():
    return int(time.time() * 1000)


class Rig(Neighbourhood):
    """People with a strap and a receiver each, who also have a watch."""

    def begin(self, people, dice):
        self.dice = dice
        #: How often a file had to be sent again because it was not whole, and because it was not stored.
        self.again = collections.Counter()
        super().begin([f"p{index}" for index in range(people)], ("strap-", "place-"), are_claimed=True)
        self.expected: dict[str, list[Workout]] = {user: [] for user in self.people}
        #: What was sent: of each person and kind, the values by their times.
        self.sent = collections.defaultdict(dict)
        self.sealers = {}
        for user in self.people:
            self.voice.data(user, "consent/set", {"record_location": True})

    # The gateway

    def blocks(self, user, course):
        """All that is measured on a course, by the strap and by the receiver. Each begins a new session with its key block."""
        sorts = []
        for sensor, kind, samples in (("strap", wire.HEART_RATE, course.hearts), ("place", wire.POSITION, course.places)):
            sealer = self.sealers[user, kind] = self.sealer(f"{sensor}-{user}")
            times = sorted(samples)
            self.sent[user, kind].update({time_: self.row(kind, course, time_) for time_ in times})
            sorts.append([sealer.key_block] + [
                sealer.block(wire.READINGS, wire.write_readings(
                    kind, [self.row(kind, course, time_) for time_ in times[index : index + BLOCK]]))
                for index in range(0, len(times), BLOCK)
            ])
        return sorts

    @staticmethod
    def row(kind, course, time_):
        row = {"time": time_, "monotonic": 1}
        if kind == wire.HEART_RATE:
            return row | {"bpm": course.hearts[time_]}
        latitude, longitude, altitude = course.places[time_]
        return row | {"latitude": latitude, "longitude": longitude, "altitude_m": altitude, "source": "receiver"}

    def at_once(self, user, course, times):
        """Sends what is measured at these times at once. Nobody knows whether it arrives."""
        for time_ in times:
            for kind in (wire.HEART_RATE, wire.POSITION):
                body = wire.write_readings(kind, [self.row(kind, course, time_)])
                self.voice.send_live(self.sealers[user, kind].live(body))

    # Workouts

    def exercise(self, user, rounds, dice):
        """Does workouts one after the other: most of them in the past, because requests can say when something was."""
        done = [self.by_hand, self.until_distance, self.until_distance_at_once, self.until_duration, self.cancelled] * rounds
        dice.shuffle(done)
        start = now() - 22 * HOUR
        for do in done:
            do(user, start, dice)
            start += HOUR // 4
        for _ in range(rounds):
            self.until_duration_now(user, dice)

    def change(self, user, name, fields, *done):
        """Asks for a change of a workout. An error that is among `done` says that an earlier try has done it."""
        if self.dice.random() < 0.25:
            self.aimed.set()
        reply = self.voice.ask(user, f"workouts/{name}", fields)
        code = reply.get("error", {}).get("code")
        if reply["status"] != "ok" and code not in done:
            raise RuntimeError(f"workouts/{name} of {user} with {fields}: {reply}")
        return code

    def set_off(self, user, start, dice, goal=None):
        """Starts a workout; a goal that ends it is in the request, or was saved before."""
        fields = {"activity": "running", "at": start}
        if goal and dice.random() < 0.5:
            fields["goal"] = goal | {"enabled": True}
        elif goal:
            self.change(user, "goal", goal | {"enabled": True})
        elif self.voice.data(user, "workouts/goal").get("chosen"):
            self.change(user, "goal", {"enabled": False})
        # An earlier try may have started it, and its goal may have ended it already.
        self.change(user, "start", fields, "busy", "invalid")

    def until_over(self, user):
        """Waits until no workout is under way; then the topic says nothing, either."""
        end = time.monotonic() + LIMIT
        while self.voice.data(user, "workouts/current")["workout"] is not None:
            if time.monotonic() > end:
                raise TimeoutError("a workout has not ended")
            time.sleep(0.3)
        topic = f"{user}/workout"
        if not self.voice.wait(lambda: not self.voice.retained.get(topic), 30):
            raise RuntimeError(f"no workout is under way, but this is on the topic: {self.voice.retained[topic]}")

    def by_hand(self, user, start, dice):
        """It is stopped, after pauses. Blocks come in any order, doubled, and some of them after the end."""
        seconds = dice.randint(150, 300)
        course = courses.made_up(dice, start - 20_137, seconds + 40)
        times = sorted(dice.sample(range(20, seconds - 20), 2 * dice.randint(0, 2)))
        events = [("start", start)]
        events += [("resume" if index % 2 else "pause", start + at * 1000) for index, at in enumerate(times)]
        events.append(("stop", start + seconds * 1000))
        (key, *hearts), (other_key, *places) = self.blocks(user, course)
        self.voice.deliver([key, other_key], dice, 2, 0)
        blocks = hearts + places
        dice.shuffle(blocks)
        self.set_off(user, start, dice)
        if not self.voice.wait(lambda: self.voice.retained.get(f"{user}/workout"), 30):
            raise TimeoutError("the workout is not on its topic")
        share = len(blocks) // (len(events) + 1)
        for kind, at in events[1:]:
            self.voice.deliver(blocks[:share], dice, 4, 0)
            blocks = blocks[share:] + blocks[: share // 4]
            self.change(user, kind, {"at": at}, "not-allowed", "not-found")
        self.until_over(user)
        self.voice.deliver(blocks, dice, 4, 0)
        self.expected[user].append(Workout(start, events, course, (events[-1][1], events[-1][1])))

    def cancelled(self, user, start, dice):
        """Nothing is kept of it, except for the readings."""
        course = courses.made_up(dice, start, 100)
        blocks = sum(self.blocks(user, course), [])
        self.set_off(user, start, dice, {"distance_m": 100_000})
        self.voice.deliver(blocks[:6], dice, 4, 0)
        self.change(user, "cancel", {}, "not-found")
        self.until_over(user)
        self.voice.deliver(blocks, dice, 4, 0)

    def until_distance(self, user, start, dice, is_at_once=False):
        """A distance ends it. Places come in order, and in blocks only, so that the moment is known exactly."""
        course = courses.made_up(dice, start - 5_137, dice.randint(8, 12) * BLOCK, is_straight=True)
        times = sorted(course.places)
        events = [("start", start)]
        if dice.random() < 0.6:
            # From between two blocks to between two others.
            events += [("pause", times[2 * BLOCK] - 400), ("resume", times[3 * BLOCK] - 400)]
        line = courses.way(course, courses.intervals(events))
        reached = int(len(line) * dice.uniform(0.5, 0.8))
        target = round((line[reached - 1][1] + line[reached][1]) / 2, 2)
        (key, *hearts), (other_key, *places) = self.blocks(user, course)
        self.voice.deliver([key, other_key], dice, 2, 0)
        self.set_off(user, start, dice, {"distance_m": target})
        undone = events[1:]
        for index, block in enumerate(places):
            if undone and undone[0][1] < times[index * BLOCK]:
                kind, at = undone.pop(0)
                self.change(user, kind, {"at": at}, "not-allowed")
            if is_at_once:
                self.at_once(user, course, times[index * BLOCK : (index + 1) * BLOCK])
                # No sensor sends more than a hundred in a second.
                time.sleep(dice.uniform(BLOCK / 80, 0.5))
            self.voice.deliver([block], dice, 1, 0)
            if dice.random() < 0.3:
                self.voice.send(dice.choice(places[: index + 1]))
            if dice.random() < 0.5:
                self.voice.deliver([hearts.pop(dice.randrange(len(hearts)))], dice, 1, 0)
        self.until_over(user)
        self.voice.deliver(hearts, dice, 4, 0)
        moment = line[reached][0]
        self.expected[user].append(Workout(
            start, events, course, (moment, moment + (BLOCK * 1000 if is_at_once else 0)),
            f"You have reached the goal of your workout: {int(target + 0.5):,} m."))

    def until_distance_at_once(self, user, start, dice):
        """Everything is sent at once, too. What is lost of that makes the end later, by no more than a block."""
        self.until_distance(user, start, dice, is_at_once=True)

    def until_duration(self, user, start, dice):
        """A duration ends it that was over before anybody heard of it. All readings come after the end."""
        seconds = 60 * dice.randint(2, 5)
        course = courses.made_up(dice, start - 20_137, seconds + 60)
        self.set_off(user, start, dice, {"duration_s": seconds})
        self.until_over(user)
        self.voice.deliver(sum(self.blocks(user, course), []), dice, 4, 0)
        self.expect_duration(user, seconds, [("start", start)], course)

    def until_duration_now(self, user, dice):
        """A duration of some seconds, which pass now, perhaps with a pause."""
        start, seconds = now(), dice.randint(8, 14) / 4
        course = courses.made_up(dice, start - 537, 5, is_straight=True, period=250)
        times, events = sorted(course.places), [("start", start)]
        blocks = self.blocks(user, course)
        self.voice.deliver([sort.pop(0) for sort in blocks], dice, 2, 0)
        self.set_off(user, start, dice, {"duration_s": seconds})

        def go_on(until):
            while now() < until:
                self.at_once(user, course, [times.pop(0) for time_ in list(times) if time_ <= now()])
                time.sleep(0.1)

        go_on(start + 500)
        pause = now()
        # If it had ended by itself before, it was not paused.
        if dice.random() < 0.7 and self.change(user, "pause", {"at": pause}, "not-allowed", "not-found") != "not-found":
            go_on(pause + dice.randint(300, 900))
            events += [("pause", pause), ("resume", now())]
            self.change(user, "resume", {"at": events[-1][1]}, "not-allowed", "not-found")
        go_on(start + 1000 * seconds)
        self.until_over(user)
        self.voice.deliver(sum(blocks, []), dice, 4, 0)
        self.expect_duration(user, seconds, events, course)
        # The next one measures its own.
        time.sleep(max(0, max(course.places) + 1000 - now()) / 1000)

    def expect_duration(self, user, seconds, events, course):
        paused = events[2][1] - events[1][1] if len(events) > 1 else 0
        end = events[0][1] + int(seconds * 1000) + paused
        self.expected[user].append(Workout(
            events[0][1], events, course, (end, end),
            f"You have reached the goal of your workout: {int(seconds / 60 + 0.5):,} min."))

    # Files and records

    def bring(self, user, rounds, dice):
        """Imports files of a watch and records of all day, one after the other."""
        today = now() // 1000 * 1000
        for number in range(FILES * rounds):
            time.sleep(dice.uniform(0, 2))
            self.bring_file(user, today - (100 + 3 * number) * HOUR, dice)
            self.bring_records(user, today - (2400 + 12 * number) * HOUR, dice)

    def bring_file(self, user, start, dice):
        course = courses.made_up(dice, start, SAMPLES)
        times = sorted(course.places)
        one, other = sorted(dice.sample(range(100, SAMPLES - 100), 2))
        spans = [(times[0], times[one]), (times[other], times[-1])]
        write = dice.choice([courses.tcx, courses.gpx])
        for time_ in times:
            if not courses.is_active(time_, spans) or dice.random() < 0.03:
                del course.hearts[time_]
            if not courses.is_active(time_, spans):
                del course.places[time_]
        for kind, samples in ((wire.HEART_RATE, course.hearts), (wire.POSITION, course.places)):
            self.sent[user, kind].update({time_: self.row(kind, course, time_) for time_ in samples})
        data = write(course, spans).encode()
        outcomes = self.whole(user, f"run.{write.__name__}", data)["workouts"]
        if [x["outcome"] for x in outcomes] not in (["imported"], ["duplicate"]):
            raise RuntimeError(f"an import of {user}: {outcomes}")
        events = [("start", times[0]), ("pause", times[one]), ("resume", times[other]), ("stop", times[-1])]
        self.expected[user].append(Workout(times[0], events, course, (times[-1], times[-1])))

    def whole(self, user, name, data):
        """Sends a file in parts, again from byte 0 when the consumer says so, until it is done. Returns the result."""
        offset, length, end = 0, self.dice.choice(PARTS), time.monotonic() + LIMIT * 2
        while time.monotonic() < end:
            part = data[offset : offset + length]
            time.sleep(self.dice.uniform(0, 0.04))
            if offset + len(part) == len(data) or self.dice.random() < 0.1:
                self.aimed.set()
            reply = self.voice.ask(user, "imports/file", {
                "name": name, "size": len(data), "offset": offset, "data": base64.b64encode(part).decode()})
            if "received" in reply.get("data", {}):
                offset += len(part)
            elif "from byte 0" not in reply.get("error", {}).get("message", "") and (found := self.result(user, reply)):
                return found
            else:
                self.again["in parts" if offset + len(part) < len(data) else "stored"] += 1
                offset, length = 0, self.dice.choice(PARTS)
        raise TimeoutError(f"a file of {user} was not imported")

    def result(self, user, reply):
        """What came of an import; None if it has to be sent again."""
        while True:
            if reply["status"] == "ok" and reply["data"]["state"] == "done":
                return reply["data"]
            code = reply.get("error", {}).get("code")
            if code == "not-found":
                return None
            if code not in (None, "busy"):
                raise RuntimeError(f"an import of {user}: {reply}")
            time.sleep(0.1)
            reply = self.voice.ask(user, "imports/result")

    def bring_records(self, user, start, dice):
        hearts = {start + 5000 * index: dice.randint(50, 120) for index in range(RECORDS[0])}
        steps = {start + 60_000 * (index + 1): dice.randint(1, 150) for index in range(RECORDS[1])}
        self.sent[user, wire.HEART_RATE].update({time_: {"bpm": bpm} for time_, bpm in hearts.items()})
        self.sent[user, wire.PEDOMETER].update({time_: {"from": time_ - 60_000, "steps": x} for time_, x in steps.items()})
        fields = {
            "source": "Rig phone",
            "heart_rates": {"times": [start] + [5000] * (RECORDS[0] - 1), "bpm": list(hearts.values())},
            "steps": {"times": [start + 60_000] + [60_000] * (RECORDS[1] - 1), "lengths": [60_000] * RECORDS[1],
                      "steps": list(steps.values())},
        }
        for _ in range(100):
            self.aimed.set()
            if self.result(user, self.voice.ask(user, "imports/records", fields)):
                return
            self.again["stored"] += 1
        raise TimeoutError(f"records of {user} were not imported")

    # Judging

    def settle(self):
        """Waits until all that follows from the readings is computed, by a consumer that knows nothing from before."""
        self.kill_consumer()
        self.start_consumer()
        self.wait_for_announcements()
        self.wait(self.consumer, "workouts and days are computed", lambda: not self.stored(
            "SELECT (SELECT count(*) FROM workouts WHERE marks > 0) + (SELECT count(*) FROM stale)"), 60)

    def judge(self, user, outcome):
        lines, until = [], {}
        while until is not None:
            part = self.voice.data(user, "workouts/list", {"limit": 10} | until)
            lines += part["workouts"]
            until = {"to": part["next_to"]} if "next_to" in part else None
        found = collections.Counter(line["started"] for line in lines)
        due = {workout.started: workout for workout in self.expected[user]}
        for started in found.keys() | due.keys():
            outcome.cases += 1
            if found[started] != (started in due):
                outcome.problems.append(f"{user}: the workout of {started} is {found[started]} times in the list, "
                                        f"and {'one' if started in due else 'none'} is due")
        for line in lines:
            if line["started"] in due:
                self.compare(user, line, due[line["started"]], outcome)
        listed = self.voice.notifications(user)
        self.judge_told(user, listed, outcome)
        told = collections.Counter(x["text"] for x in listed if x["kind"].startswith("workout-"))
        texts = collections.Counter(workout.text for workout in due.values() if workout.text)
        if told != texts:
            outcome.problems.append(f"{user} was told {told - texts} too often, {texts - told} too rarely")
        self.judge_readings(user, outcome)

    def compare(self, user, line, workout, outcome):
        """Holds a line of the list, and what `workouts/show` says, against what the rig works out."""
        shown = self.voice.data(user, "workouts/show", {"id": line["id"]})
        ended = line.get("ended", 0)
        if not workout.ends[0] <= ended <= workout.ends[1]:
            outcome.problems.append(f"{user}: {workout.started} ended at {ended}, not in {workout.ends}: {workout.events}")
        by = "goal" if workout.text else "person"
        if (line["state"], line["ended_by"]) != ("stopped", by):
            outcome.problems.append(f"{user}: {workout.started} is {line['state']} by {line['ended_by']}, not by {by}")
        spans = courses.intervals(workout.events + [("stop", ended)])
        pauses = [{"from": one[1], "to": next_[0]} for one, next_ in zip(spans, spans[1:])]
        if shown.get("pauses", []) != pauses:
            outcome.problems.append(f"{user}: {workout.started} has the pauses {shown.get('pauses')}, not {pauses}")
        figures = courses.figures(workout.course, spans)
        for where, found in (("in the list", line), ("in detail", shown)):
            outcome.problems += [
                f"{user}: {workout.started} {where}: {words}" for words in courses.differences(found, figures, TOLERANCE)]

    def judge_readings(self, user, outcome):
        """Everything that was sent of a person is in their export, once."""
        folder = self.folder / f"export-{user}"
        exported = self.ask_consumer("export", "--user", user, folder)
        if exported.returncode != 0:
            outcome.problems.append(f"the export of {user}: {exported.stderr}")
            return
        for kind, name, fields in (
                (wire.HEART_RATE, "heart-rate", {"bpm": int}), (wire.POSITION, "position", {"latitude": float, "longitude": float}),
                (wire.PEDOMETER, "pedometer", {"from": int, "steps": int})):
            with open(folder / f"{name}.csv", newline="") as table:
                stored = collections.Counter(
                    (int(row["unix_ms"]), *(make(row[field]) for field, make in fields.items())) for row in csv.DictReader(table))
            sent = collections.Counter((time_, *(row[field] for field in fields)) for time_, row in self.sent[user, kind].items())
            outcome.cases += sent.total()
            outcome.lost += (sent - stored).total()
            outcome.duplicated += sum(stored[one] - sent[one] for one in stored if one in sent)
            outcome.corrupt += sum(stored[one] for one in stored if one not in sent)

    def judge_topics(self, outcome):
        """The broker has kept no workout."""
        late = Voice(self, "late")
        self.callback(late.close)
        if not late.wait(lambda: late.has_heard_all, 30):
            outcome.problems.append("the broker has not said what it had kept")
        outcome.problems += [
            f"this is kept on {topic}: {payload}" for topic, payload in late.retained.items()
            if topic.endswith("/workout") and payload]

    def judge_totals(self, outcome):
        self.check(outcome)
        recount = self.ask_consumer("recount")
        said = json.loads(recount.stdout or "{}")
        if recount.returncode != 0 or (said["differing"], said["waiting"]) != (0, 0):
            outcome.problems.append(f"the consumer's recount: {recount.stdout}{recount.stderr}")


def run(size, seed) -> Outcome:
    people, kills, rounds = SIZES[size]
    outcome = Outcome("workouts")
    dice = random.Random(seed)
    with Rig() as rig:
        rig.begin(people, dice)

        def work(do, user, own):
            try:
                do(user, rounds, own)
            except Exception as error:
                outcome.problems.append(f"{do.__name__} of {user}: {error!r}")

        workers = [
            threading.Thread(target=work, args=(do, user, random.Random(dice.random())))
            for user in rig.people for do in (rig.exercise, rig.bring)]
        for worker in workers:
            worker.start()
        killed = rig.kill_while(workers, kills, dice, (0.6, 2.5), outcome)
        for worker in workers:
            worker.join()
        if not outcome.problems:
            rig.settle()
            for user in rig.people:
                rig.judge(user, outcome)
            rig.judge_topics(outcome)
            rig.judge_totals(outcome)
        outcome.remarks.append(
            f"{killed} kills, {sum(map(len, rig.expected.values()))} workouts of {people} people, "
            f"{sum(map(len, rig.sent.values()))} readings; imports were sent again {rig.again['in parts']} "
            f"times in parts, {rig.again['stored']} times after that")
    return outcome


if __name__ == "__main__":
    found = run(sys.argv[1] if len(sys.argv) > 1 else "short", int.from_bytes(os.urandom(4)))
    for line in [*found.problems[:40], *found.remarks]:
        print(line)
    sys.exit(0 if found.holds else 1)
