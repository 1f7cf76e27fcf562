"""People who do workouts, and the gateway of their straps and receivers: for the rig of workouts, which says what is tried."""

import collections
import dataclasses
import threading
import time

import courses
import wire
from people import LIMIT, Neighbourhood

#: Samples in a block. What is sent at once is ahead of the blocks by no more than one.
BLOCK = 25
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
    #: What the person is told, if it had a goal that ends nothing and was reached.
    said: str | None = None


def reached_text(goal):
    """What people are told of a goal that is reached."""
    if seconds := goal.get("duration_s"):
        target = f"{int(seconds / 60 + 0.5):,} min"
    else:
        metres = goal["distance_m"]
        target = f"{int(metres + 0.5):,} m" if metres < 1000 else f"{int(metres / 10 + 0.5) / 100:,.2f} km"
    return f"You have reached the goal of your workout: {target}."


def now():
    return int(time.time() * 1000)


class Exercise(Neighbourhood):
    """People with a strap and a receiver each."""

    def begin(self, people, dice):
        self.dice = dice
        super().begin([f"p{index}" for index in range(people)], ("strap-", "place-"), are_claimed=True)
        self.expected: dict[str, list[Workout]] = {user: [] for user in self.people}
        #: What was sent: of each person and kind, the values by their times.
        self.sent = collections.defaultdict(dict)
        self.sealers = {}
        #: The goal that each person has saved last.
        self.saved = {}
        #: More than these at a time would send more at once than the consumer takes of a gateway.
        self.few = threading.Semaphore(3)
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
        """Starts a workout; a goal that ends it is in the request, or was saved before. Without one, the goal that was saved last is told
        when it is reached, and ends nothing: it is returned."""
        fields = {"activity": "running", "at": start}
        if goal and dice.random() < 0.5:
            fields["goal"] = goal | {"enabled": True}
        elif goal:
            self.change(user, "goal", goal | {"enabled": True})
            self.saved[user] = goal
        elif self.voice.data(user, "workouts/goal").get("chosen"):
            self.change(user, "goal", {"enabled": False})
        # An earlier try may have started it, and its goal may have ended it already.
        self.change(user, "start", fields, "busy", "invalid")
        return None if goal else self.saved.get(user)

    def until_over(self, user):
        """Waits until no workout is under way; then the topic says nothing, either."""
        end = time.monotonic() + LIMIT
        while (workout := self.voice.data(user, "workouts/current")["workout"]) is not None:
            if time.monotonic() > end:
                raise TimeoutError(f"this has not ended within {LIMIT} s: {workout}")
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
        goal = self.set_off(user, start, dice)
        if not self.voice.wait(lambda: self.voice.retained.get(f"{user}/workout"), 30):
            raise TimeoutError("the workout is not on its topic")
        share = len(blocks) // (len(events) + 1)
        for kind, at in events[1:]:
            self.voice.deliver(blocks[:share], dice, 4, 0)
            blocks = blocks[share:] + blocks[: share // 4]
            self.change(user, kind, {"at": at}, "not-allowed", "not-found")
        self.until_over(user)
        self.voice.deliver(blocks, dice, 4, 0)
        figures = courses.figures(course, courses.intervals(events))
        said = reached_text(goal) if goal and all(figures[kind] >= target for kind, target in goal.items()) else None
        self.expected[user].append(Workout(start, events, course, (events[-1][1], events[-1][1]), said=said))

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
        # Some places add nothing to the way.
        further = [index for index in range(1, len(line)) if line[index][1] > line[index - 1][1]]
        reached = further[int(len(further) * dice.uniform(0.5, 0.8))]
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
                with self.few:
                    self.at_once(user, course, times[index * BLOCK : (index + 1) * BLOCK])
                    time.sleep(dice.uniform(0, 0.1))
                    self.voice.deliver([block], dice, 1, 0)
                    # All of it has been taken now, and of a hundred in a second nothing more would be.
                    time.sleep(BLOCK / 70)
            else:
                self.voice.deliver([block], dice, 1, 0)
            if dice.random() < 0.3:
                self.voice.send(dice.choice(places[: index + 1]))
            if dice.random() < 0.5:
                self.voice.deliver([hearts.pop(dice.randrange(len(hearts)))], dice, 1, 0)
        self.until_over(user)
        self.voice.deliver(hearts, dice, 4, 0)
        moment = line[reached][0]
        self.expected[user].append(Workout(
            start, events, course, (moment, moment + ((BLOCK + 1) * 1000 if is_at_once else 0)),
            reached_text({"distance_m": target})))

    def until_distance_at_once(self, user, start, dice):
        """Everything is sent at once, too. What is lost of that makes the end later, by no more than a block: then
        it is the first place after what is lost."""
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
        self.expected[user].append(Workout(events[0][1], events, course, (end, end), reached_text({"duration_s": seconds})))
