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
import json
import os
import random
import sys
import threading
import time

import courses
import wire
from exercise import HOUR, Exercise, Workout, now
from outcome import Outcome
from people import LIMIT, Voice

#: How many people there are, how often the consumer is killed, and how many rounds of workouts and of files each person does.
SIZES = {"short": (3, 15, 1), "normal": (4, 60, 4), "long": (6, 300, 12)}
#: Distances may differ by this.
TOLERANCE = 0.005
#: Bytes in the parts of a file: with small ones it takes longer than the consumer lives, with large ones it gets through.
PARTS = (4_000, 15_000, 45_000)
#: Files in a round, samples of a file, and heart rates and spans of steps of records.
FILES, SAMPLES, RECORDS = 3, 1500, (4000, 300)


class Rig(Exercise):
    """People who work out, and also have a watch and a telephone."""

    def begin(self, people, dice):
        super().begin(people, dice)
        #: How often a file had to be sent again because it was not whole, and because it was not stored.
        self.again = collections.Counter()

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
        texts = collections.Counter(text for workout in due.values() for text in (workout.text, workout.said) if text)
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
