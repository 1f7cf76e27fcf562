"""A year of reminders, of five people in zones with daylight saving, while the consumer is killed and started again. A preloaded
library (leaps.c) gives the unmodified consumer a wall clock that leaps: to shortly before an alarm is due, and to just after it.

When each alarm is due is worked out here, from events with RRULE and VALARM, by other people's programs: icalendar and
recurring_ical_events. Two of the people travel, one of them disables a reminder for some days, and for some minutes or hours there is no
consumer. What was told is what was due, each alarm once, none before its time, and each within the minute; or, if nobody was there to tell
it, within the hour, and after that not at all.

    reminders.py [short|normal|long]
"""

import collections
import dataclasses
import datetime
import json
import os
import random
import struct
import subprocess
import sys
import time
import zoneinfo
from pathlib import Path

import icalendar
import recurring_ical_events

from household import stop
from outcome import Outcome
from people import Neighbourhood

YEAR = 2027
#: Days of the year that are played, as (month, day) of their first and last; and how often the consumer is killed or absent. The
#: short form plays the days around which clocks are changed.
SIZES = {
    "short": ([((3, 10), (4, 6)), ((9, 2), (9, 7)), ((10, 1), (10, 5)), ((10, 28), (11, 9))], 12),
    "normal": ([((2, 20), (5, 1)), ((8, 20), (11, 20))], 40),
    "long": ([((1, 1), (12, 31))], 150),
}
#: Who lives where at first, and where they travel: from which moment on, and where to.
HOMES = ["Europe/Berlin", "America/New_York", "Australia/Sydney", "America/Santiago", "Australia/Lord_Howe"]
TRAVELS = {
    0: [("2027-03-24T11:02:13Z", "America/New_York"), ("2027-10-30T17:32:11Z", "Europe/Berlin")],
    1: [("2027-03-22T06:50:17Z", "Europe/Berlin"), ("2027-11-03T12:00:19Z", "America/Los_Angeles")],
}
#: Who disables the first of their reminders, and from when until when.
SILENCE = (2, "2027-03-29T00:00:23Z", "2027-04-02T12:00:29Z")
#: Times around which clocks are changed somewhere, and others.
TIMES = ["02:30", "02:15", "01:30", "00:30", "07:30", "12:00", "18:45", "23:50"]
ALERTS = [0, 0, 15, 90, 1440]
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
MINUTE, HOUR = 60_000, 3_600_000
#: How late an alarm is told if nobody was there, and how long before it the rig looks, in milliseconds.
LATEST, BEFORE = HOUR, 20_000
#: How many notifications of a person are kept.
MOST_KEPT = 500


def milliseconds(moment):
    return round(moment.timestamp() * 1000)


def moment(text):
    return milliseconds(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")))


@dataclasses.dataclass
class Reminder:
    label: str
    time: str
    weekdays: list[str]
    alert: int
    id: str = ""

    def event(self, first_day, zone):
        """As a calendar has it."""
        event, alarm = icalendar.Event(), icalendar.Alarm()
        alarm.add("action", "DISPLAY")
        alarm.add("trigger", -datetime.timedelta(minutes=self.alert))
        start = datetime.datetime.combine(first_day, datetime.time.fromisoformat(self.time), zoneinfo.ZoneInfo(zone))
        event.add("uid", self.label)
        event.add("dtstart", start)
        event.add("rrule", {"freq": "weekly", "byday": [day[:2].upper() for day in self.weekdays]})
        event.add_component(alarm)
        calendar = icalendar.Calendar()
        calendar.add_component(event)
        return icalendar.Calendar.from_ical(calendar.to_ical())

    def alarms(self, zone):
        """When its alarms are due in a zone, in their order, each with its day."""
        first = datetime.date(YEAR - 1, 12, 1)
        # An event has to begin on one of its days: RFC 5545, 3.8.5.3.
        while WEEKDAYS[first.weekday()] not in self.weekdays:
            first += datetime.timedelta(days=1)
        calendar = self.event(first, zone)
        span = (datetime.datetime(YEAR - 1, 12, 2), datetime.datetime(YEAR + 1, 1, 9))
        for found in recurring_ical_events.of(calendar).between(*span):
            start, trigger = found["DTSTART"].dt, found.walk("VALARM")[0]["TRIGGER"].dt
            yield milliseconds(start.astimezone(datetime.timezone.utc) + trigger), start.date()


def told_of(reminder, stays, silence):
    """The alarms that a person is told of who is in these zones from these moments on, if somebody is always there to tell: when,
    and the day. A day is told once, and what an eastward journey skips is told late."""
    last = datetime.date.min
    for index, (begin, zone) in enumerate(stays):
        end = stays[index + 1][0] if index + 1 < len(stays) else sys.maxsize
        for due, day in sorted(reminder.alarms(zone), key=lambda alarm: alarm[1]):
            if not (begin - LATEST if index else begin) <= due < end or day <= last:
                continue
            if silence and silence[0] <= due < silence[1]:
                continue
            last = day
            yield due, max(due, begin)


class Rig(Neighbourhood):
    """People with reminders, and a consumer whose wall clock leaps."""

    def _make_folder(self):
        folder = super()._make_folder()
        library = Path(__file__).with_name("leaps.c")
        subprocess.run(["cc", "-O2", "-Wall", "-shared", "-fPIC", "-o", folder / "leaps.so", library], check=True)
        (folder / "leaps").write_bytes(bytes(16))
        return folder

    def start(self, name, command, **options):
        if name == "consumer":
            told = [f"VITALS_LEAPS={self.folder / 'leaps'}", f"LD_PRELOAD={self.folder / 'leaps.so'}"]
            command = ["env", *told, *command]
        return super().start(name, command, **options)

    def leap(self, to):
        """It is this time now, and a little more than a second has passed, so that the consumer looks what is due."""
        self.passed = getattr(self, "passed", 0) + 1100
        self.ahead = to - time.time() * 1000
        with open(self.folder / "leaps", "r+b", buffering=0) as clock:
            clock.write(struct.pack("=qq", self.passed, round(self.ahead) - self.passed))

    def now(self):
        return time.time() * 1000 + self.ahead

    def settle(self):
        """The consumer has looked: between two replies it has come round."""
        for user in self.people[:2]:
            self.voice.data(user, "notifications/list", {"limit": 1})

    def move(self, user, zone):
        self.voice.data(user, "profile/set", {
            "name": f"Person {user}", "date_of_birth": "1990-12-10", "gender": "female", "height_cm": 170, "weight_kg": 65,
            "time_zone": zone})

    def begin(self, dice):
        self.leap(moment(f"{YEAR - 1}-12-31T00:00:00Z"))
        super().begin([f"p{index}" for index in range(len(HOMES))], [])
        self.reminders = {}
        for user, zone in zip(self.people, HOMES):
            self.move(user, zone)
            self.reminders[user] = []
            for number, at in enumerate(dice.sample(TIMES, 3)):
                reminder = Reminder(
                    f"{user} {number}", at, dice.sample(WEEKDAYS, dice.randint(1, 4)) + ["sunday"] * (number == 0), dice.choice(ALERTS))
                reminder.weekdays = sorted(set(reminder.weekdays), key=WEEKDAYS.index)
                reminder.id = self.voice.data(user, "reminders/add", {
                    "label": reminder.label, "time": at, "weekdays": reminder.weekdays, "alert_min": reminder.alert,
                    "first_day": f"{YEAR - 1}-12-31"})["reminder"]
                self.reminders[user].append(reminder)

    def count(self):
        """How many reminders were told so far."""
        return sum(b'"kind":"reminder"' in payload for payloads in self.voice.told.values() for payload in payloads)

    # Playing

    def plan(self, spans, absences, dice):
        """What happens when, and what is told: (when, whom, label, due). Sets `events` and `expected`."""
        journeys = {index: [(moment(at), zone) for at, zone in stops] for index, stops in TRAVELS.items()}
        silent, *when = SILENCE
        silence = tuple(map(moment, when))
        alarms = []
        for index, user in enumerate(self.people):
            stays = [(0, HOMES[index]), *journeys.get(index, [])]
            for number, reminder in enumerate(self.reminders[user]):
                quiet = silence if (index, number) == (silent, 0) else None
                alarms += [(at, user, reminder.label, due) for due, at in told_of(reminder, stays, quiet)]
        played = [
            tuple(milliseconds(datetime.datetime(YEAR, *day, 0, 0, second, tzinfo=datetime.timezone.utc)) for day, second in ((a, 31), (b, 37)))
            for a, b in spans]
        inside = [alarm[0] for alarm in alarms if any(a + HOUR < alarm[0] < b - 6 * HOUR for a, b in played)]
        fixed = [at for stops in journeys.values() for at, _ in stops] + list(silence)
        gaps, self.kills, ends = [], set(), 0
        for at in sorted(dice.sample(inside, absences)):
            length = dice.choice([0, 0, 0, 3 * MINUTE, 40 * MINUTE, 70 * MINUTE, 3 * HOUR])
            if at < ends + HOUR or any(abs(at - other) < 5 * HOUR for other in fixed):
                continue
            if length == 0:
                self.kills.add(at)
            else:
                gaps.append((at - BEFORE, ends := at + length + 7_123))
        # Days that are not played are leapt over.
        leaps = list(zip([0] + [b for _, b in played], [a for a, _ in played] + [sys.maxsize]))

        def arrival(at):
            for begin, end in gaps + leaps:
                if begin <= at < end:
                    return end if end < sys.maxsize and at >= end - LATEST else None
            return at

        self.expected = [(when, *alarm[1:]) for alarm in alarms if (when := arrival(alarm[0])) is not None]
        events = [(when, 3, "due", None) for when in {alarm[0] for alarm in self.expected}]
        events += [(a, 1, "leap", None) for a, _ in played]
        events += [(at, 2, "move", (self.people[index], zone)) for index, stops in journeys.items() for at, zone in stops]
        first = self.reminders[self.people[silent]][0].id
        events += [(at, 2, "switch", (self.people[silent], first, on)) for at, on in zip(silence, (False, True))]
        events += [event for a, b in gaps for event in ((a, 1, "kill", None), (b, 1, "start", None))]
        self.events = sorted(events, key=lambda event: event[:2])
        self.absences = len(gaps)

    def play(self, dice, outcome):
        when = sorted(alarm[0] for alarm in self.expected)
        is_there = True
        for at, _, what, detail in self.events:
            so_far = sum(time < at for time in when)
            if what == "due" and is_there and at - BEFORE > self.now():
                self.leap(at - BEFORE)
                self.settle()
                told = self.count()
                if told != so_far and self.now() < at:
                    outcome.problems.append(f"before {at}, {told} reminders were told, and not {so_far}")
                    return
            self.leap(max(at, round(self.now())) + (1000 if what == "due" else 0))
            if what == "move":
                self.move(*detail)
            elif what == "switch":
                user, id, on = detail
                self.voice.data(user, "reminders/change", {"reminder": id, "enabled": on})
            elif what == "kill":
                if dice.random() < 0.5:
                    self.kill_consumer()
                else:
                    stop(self.consumer)
                is_there = False
            elif what == "start":
                self.start_consumer()
                is_there = True
            elif what == "due":
                if at in self.kills:
                    # Before it has told, meanwhile or afterwards.
                    time.sleep(dice.uniform(0, 0.03))
                    self.kill_consumer()
                    self.start_consumer()
                due = sum(time <= at for time in when)
                if not self.voice.wait(lambda: self.count() >= due, 30):
                    outcome.problems.append(f"30 s after {at}, {self.count()} reminders were told, and not {due}")
                    return

    # Judging

    def judge(self, outcome):
        rows = []
        for index, user in enumerate(self.people):
            listed = self.voice.notifications(user)
            said = [json.loads(payload) for (who, _), payloads in self.voice.told.items() if who == user for payload in payloads]
            told = collections.Counter(
                (x["text"].removeprefix("Reminder: ").split(",")[0], x["time"]) for x in said if x["kind"] == "reminder")
            due = collections.Counter((label, at) for _, who, label, at in self.expected if who == user)
            lost, wrong = due - told, told - due
            twice = sum((told - collections.Counter(dict.fromkeys(told, 1))).values())
            outcome.cases += due.total()
            outcome.lost += lost.total()
            outcome.duplicated += twice
            outcome.problems += [f"{user}: {label} of {at} was not told" for label, at in lost]
            outcome.problems += [f"{user}: {label} of {at} was told {count} times too often" for (label, at), count in wrong.items()]
            if len(listed) < MOST_KEPT:
                self.judge_told(user, listed, outcome)
            zones = [HOMES[index], *(zone for _, zone in TRAVELS.get(index, []))]
            rows.append([" > ".join(zones), due.total(), told.total(), lost.total(), twice])
        head = ["zones", "due", "told", "lost", "twice"]
        widths = [max(len(str(row[column])) for row in [head, *rows]) for column in range(len(head))]
        outcome.remarks += ["  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [head, *rows]]


def run(size, seed) -> Outcome:
    spans, absences = SIZES[size]
    outcome, dice = Outcome("reminders"), random.Random(seed)
    with Rig() as rig:
        rig.begin(dice)
        rig.plan(spans, absences, dice)
        rig.play(dice, outcome)
        rig.wait_for_announcements()
        rig.judge(outcome)
        rig.check(outcome)
        outcome.remarks.append(f"{len(rig.kills)} kills at an alarm, {rig.absences} absences")
    return outcome


if __name__ == "__main__":
    found = run(sys.argv[1] if len(sys.argv) > 1 else "short", int.from_bytes(os.urandom(4)))
    for line in [*found.problems[:40], *found.remarks]:
        print(line)
    sys.exit(0 if found.holds else 1)
