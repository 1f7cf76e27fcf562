"""Every figure on every surface. Four people live for some days, all made up from a seed (figures_month.py): straps, a band, a phone, a foot
pod, step counters and files of watches. What they measure comes in any order, some of it twice and some of it days late, and the consumer is
killed in between. One person changes her weight, and one has no profile.

Then each surface is asked for each day, each week and the month: the requests `statistics/…`, `heart-rate/graph`, `workouts/list`, `workouts/statistics` and
`groups/table`, the topic `today`, the command `vitals`, the page in a Chromium (Tests/Page/figures_shown.py), and the consumer's own `totals`
and `export`. Each figure is what an independent computation says (figures_own.py), and it is the same on all surfaces. In the short form, the
page is asked by one of the people; and it takes no part where nothing that drives a browser is installed, as `deploy/test` does.

    figures.py [short|normal|long] [SEED]
    VITALS_EARLIER=FOLDER figures.py …      in the first half of the time, the consumer is the one of that folder, of an earlier version
"""

import base64
import collections
import concurrent.futures
import contextlib
import datetime
import decimal
import json
import math
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import wire
from family import PASSWORD, Family
from figures_month import EVENING, LATER_WEIGHT, PEOPLE, PROFILES, STRAP, ZONE, Month
from figures_own import period
from household import PROJECT, RELEASE, can_connect, free_port
from outcome import Outcome
from people import LIMIT, PATIENCE

#: On which day the people begin, how many days they live, and on how many evenings the consumer is killed. Summer time begins on 28 March.
SIZES = {
    "short": (datetime.date(2027, 3, 22), 7, 2),
    "normal": (datetime.date(2027, 3, 15), 14, 10),
    "long": (datetime.date(2027, 3, 1), 31, 31),
}
#: How many evenings the topic `today` is read.
READ_TODAY = {"short": 1, "normal": 5, "long": 10}
#: Readings in a block, and blocks that are on their way at a time.
BLOCK, WINDOW = 64, 60
#: Bytes of a file that are sent at a time.
PART = 45_000
#: How many decimals figures have on their surfaces, by their names; whole numbers if they are not here.
DECIMALS = {"mean": 1, "resting": 1, "resting_baseline": 1, "max_heart_rate": 1}
LIST_DECIMALS = {"distance_m": 1, "energy_kcal": 1, "mean": 1, "duration_s": 3}
#: How far workouts may differ whose distance follows from places or a foot pod, or whose energy follows from something else than what a
#: device says: a share.
ROUGH = 0.01
#: The folder of the consumer of the first half of the time, if it is not the same.
EARLIER = os.environ.get("VITALS_EARLIER")
#: What is compared of a day, of a period and of a workout. Everything else is not a figure. A day without workouts has the same
#: figures by the earlier formulas, and keeps their number.
DAY = {"steps", "step_counts_left_out", "distance_m", "distances_m", "energy_kcal", "heart_rate"} | (set() if EARLIER else {"formulas"})
PERIOD = {"recorded_days", "steps", "distance_m", "distances_m", "energy_kcal", "heart_rate"}
WORKOUT = {"activity", "duration_s", "distance_m", "energy_kcal", "heart_rate"}
#: Of workouts' heart rates.
HEART_RATE = {"mean", "min", "max", "zones_s"}
#: What drives a browser.
PAGE_PYTHON = PROJECT / ".build/page-python/bin/python"


class Home(Family):
    """The people's sensors, whose gateway the rig is, their programs, and a consumer in danger."""

    def _write_settings(self):
        self.gateway, self.offset = wire.new_identity(), 0
        self.witnesses, self.strangers = ["witness"], []
        sensors = ", ".join(f'"home/{kind}-cleo"' for kind in ("strap", "steps", "pod", "wrist"))
        self.settings = self.folder / "consumer.json5"
        self.settings.write_text(f"""{{
          state: "consumer", root_key_file: "root.key", time_zone: "{ZONE.key}", accounts: {{}}, broker_rules: {{}},
          phones: {{ host: "127.0.0.1", port: {self.port}, tls: false }},
          broker: {{ port: {self.port}, username: "consumer", password_file: "broker/consumer.password" }},
          gateways: {{ home: {{ identity: "{wire.identity_text(self.gateway)}", password_file: "broker/home.password" }} }},
          people: {{ witness: {{ sensors: [] }}, cleo: {{ sensors: [{sensors}] }} }},
        }}""")

    #: Where the consumer is, until it is replaced by a later version.
    programs = Path(EARLIER or RELEASE)

    def start_consumer(self):
        self.consumer = self.start("consumer", self.clocked(self.programs / "vitals-consumer", "--settings", self.settings))

    def upgrade(self):
        if self.programs != RELEASE:
            self.kill_consumer()
            self.programs = RELEASE
            self.start_consumer()

    # The people

    def begin(self, month, dice):
        self.month, self.dice = month, dice
        self.lives, self.sealers, self.sent, self.groups = month.lives(), {}, [], {}
        self.users = {"cleo": "cleo"}
        self.set_to(0, 5)
        password = self.folder / "password"
        password.write_text(f"{PASSWORD}\n")
        for who in PROFILES:
            self.users[who] = self.lines(who, "sign-up", f"{who}@example.org", "--password-file", password)[0]["user"]
            self.set_profile(who, PROFILES[who].weight)
            self.data(who, "goals/set", {"distance_m": 9000, "energy_kcal": 400})
        self.data("ben", "consent/set", {"record_location": True})
        self.claim_all([(f"{kind}-{who}", who) for who, kinds in (("ada", ("arm", "strap", "steps", "pod")), ("dan", ("strap", "steps", "wrist")))
                        for kind in kinds])
        self.phone_of_ben = self.phone(self.users["ben"], True)
        for measure, length in (("distance", "month"), ("steps", "week"), ("distance", "week"), ("minutes", "week"), ("workouts", "week")):
            group = self.data("ada", "groups/create", {"name": f"{measure} of a {length}"})["group"]
            self.groups[group] = (measure, length)
            code = self.data("ada", "groups/code", {"group": group})["code"]
            self.data("ada", "groups/compete", {"group": group, "compete": True})
            self.data("ben", "groups/join", {"code": code, "compete": True})
            if length == "month":
                self.data("ada", "groups/challenge", {"group": group, "measure": measure, "period": length})

    def data(self, who, name, fields=None):
        return self.voice.data(self.users[who], name, fields)

    def set_profile(self, who, weight):
        profile = PROFILES[who]
        self.data(who, "profile/set", {
            "name": who.title(), "date_of_birth": str(profile.born), "gender": profile.sex or "other", "height_cm": profile.height,
            "weight_kg": weight, "time_zone": ZONE.key, "continuous_heart_rate": True})

    def claim_all(self, sensors):
        """Gives people sensors of the gateway for which the rig speaks, and starts the consumer again."""
        self.kill_consumer()
        with contextlib.closing(wire.sqlite3.connect(self.folder / "consumer/vitals.db")) as rows, rows:
            rows.executemany(
                "INSERT INTO claims (gateway, sensor, person, kinds, claimed_ms) VALUES ('home', ?, ?, 22, ?)",
                [(sensor, self.users[who], self.now()) for sensor, who in sensors])
        self.start_consumer()
        if not self.voice.wait(lambda: all(sensor in self.voice.grants for sensor, _ in sensors), 60):
            raise TimeoutError("there are no grants")

    def set_to(self, day, hour, minute=0):
        """It is this time of this day now, where the people live."""
        self.advance((self.month.at(day, hour, minute) - self.now()) / 60_000)

    # Commands

    def environment(self, who):
        home = self.folder / f"home-{who}"
        home.mkdir(exist_ok=True)
        return {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": ZONE.key}

    def lines(self, who, *words):
        """What the command `vitals` prints for somebody as objects, one from each line."""
        command = self.clocked(RELEASE / "vitals", "--port", str(self.port), "--timeout", "120", *words, "--json")
        end = time.monotonic() + LIMIT
        while True:
            done = subprocess.run(list(map(str, command)), env=self.environment(who), capture_output=True, text=True, timeout=300)
            # A fast machine asks more than a person may in a second, and the reply says to try again in one.
            if done.returncode != os.EX_TEMPFAIL or "rate-limited" not in done.stdout + done.stderr or time.monotonic() > end:
                break
            time.sleep(1)
        if done.returncode != 0:
            raise RuntimeError(f"{who}: vitals {' '.join(map(str, words))}: {done.returncode}: {done.stdout}{done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    # What comes

    def morning(self, day):
        self.set_to(day, 6, 30)
        if day == self.month.weight_day:
            self.set_profile("ada", LATER_WEIGHT)
            since = self.month.first + datetime.timedelta(days=day)
            self.lives["ada"].profiles.append((since, wire.dataclasses.replace(PROFILES["ada"], weight=LATER_WEIGHT)))
        if day == max(0, self.month.days - 7):
            for group, (measure, length) in self.groups.items():
                if length == "week":
                    self.data("ada", "groups/challenge", {"group": group, "measure": measure, "period": length})

    def evening(self, day, is_dangerous):
        """All that comes on an evening. In danger, the consumer is killed in the middle of it, twice."""
        self.set_to(day, EVENING, 15)
        parts = [part for part in self.month.parts if part.due == day]
        self.deliver_all([part for part in parts if part.kind in ("hearts", "counts", "pod")], is_dangerous)
        rest = [part for part in parts if part.kind in ("workout", "phone", "records", "file")]
        # Of two files of one workout, the second one comes second.
        self.dice.shuffle(rest)
        rest.sort(key=lambda part: part.keeps_both)
        killed = self.dice.choice(rest) if is_dangerous and rest else None
        for part in rest:
            getattr(self, f"bring_{part.kind}")(part, part is killed and not part.keeps_both)
        for part in parts:
            part.enter(self.lives[part.user])

    def sealer_of(self, sensor):
        """The session of a sensor, and whether it is new."""
        if is_new := sensor not in self.sealers or self.dice.random() < 0.1:
            self.sealers[sensor] = self.sealer(sensor)
        return self.sealers[sensor], is_new

    def blocks(self, part):
        sealer, is_new = self.sealer_of(part.source)
        kind = {"hearts": wire.HEART_RATE, "counts": wire.STEPS, "pod": wire.MOTION}[part.kind]
        times, blocks = sorted(part.values), [sealer.key_block] if is_new else []
        for index in range(0, len(times), BLOCK):
            rows = [{"time": time_, "monotonic": 1} | self.fields(part, part.values[time_]) for time_ in times[index : index + BLOCK]]
            blocks.append(sealer.block(wire.READINGS, wire.write_readings(kind, rows)))
        return blocks

    @staticmethod
    def fields(part, value):
        if part.kind == "hearts":
            return {"bpm": value[0], "contact": value[1]} | ({"rr_1024": [800]} if part.source == STRAP else {})
        return {"steps": value} if part.kind == "counts" else {"speed_mps": 2.8, "distance_m": value, "cadence": 165, "source": "foot"}

    def deliver_all(self, parts, is_dangerous):
        blocks = sum((self.blocks(part) for part in parts), [])
        keys = [block for block in blocks if len(block) == 196 and wire.Header.of(block).type == wire.KEY]
        others = [block for block in blocks if block not in keys]
        self.dice.shuffle(others)

        def deliver():
            self.deliver(keys)
            self.deliver(others)

        self.meanwhile(deliver, is_dangerous)
        # Some come again: of today, and of days before.
        self.sent += others
        for block in self.dice.sample(self.sent, min(len(self.sent), len(others) // 20 + 1)):
            self.voice.send(block)

    def deliver(self, blocks):
        """Sends blocks, some at a time, until all of them are acknowledged."""
        waiting = {wire.Header.of(block).identity: block for block in blocks}
        end = time.monotonic() + LIMIT
        while waiting:
            if time.monotonic() > end:
                raise TimeoutError(f"{len(waiting)} blocks were never acknowledged")
            some = set(list(waiting)[:WINDOW])
            for identity in some:
                self.voice.send(waiting[identity])
            self.voice.wait(lambda: some <= self.voice.acknowledged, 1.5)
            with self.voice.arrived:
                waiting = {identity: block for identity, block in waiting.items() if identity not in self.voice.acknowledged}

    def meanwhile(self, do, is_dangerous):
        """Does something, and if it is dangerous, kills the consumer in the middle of it. It is started from here: what a thread has started
        ends with that thread."""
        if not is_dangerous:
            return do()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            done = pool.submit(do)
            time.sleep(self.dice.uniform(0, 0.3))
            self.kill_consumer()
            self.start_consumer()
            return done.result()

    def brought(self, user, ask):
        """Asks for an import until it is done; returns the result."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            reply = ask()
            while is_going_on(reply):
                time.sleep(0.02)
                reply = self.voice.ask(user, "imports/result")
            if reply["status"] == "ok":
                return reply["data"]
            # It has to be sent again only if the consumer that had it is gone.
            if reply["error"]["code"] != "not-found" and "from byte 0" not in reply["error"]["message"]:
                break
            time.sleep(0.1)
        raise RuntimeError(f"an import of {user}: {reply}")

    def bring_file(self, part, is_dangerous):
        data, user = part.text.encode(), self.users[part.user]
        if part.keeps_both:
            # What is asked once must not get lost because the consumer is still starting.
            self.settle()

        def ask():
            for offset in range(0, len(data), PART):
                fields = {"name": part.name, "size": len(data), "offset": offset,
                          "data": base64.b64encode(data[offset : offset + PART]).decode()}
                # Asked again while it is read, a file is read again, and is there already. With `keep_both` it would be there twice.
                more, patience = ({"keep_both": True}, LIMIT) if part.keeps_both else ({}, PATIENCE)
                reply = self.voice.ask(user, "imports/file", fields | ({} if offset else more), patience=patience)
                if reply["status"] != "ok":
                    return reply
            return reply

        done = [one["outcome"] for one in self.meanwhile(lambda: self.brought(user, ask), is_dangerous)["workouts"]]
        if done != ["imported"] and (done != ["duplicate"] or part.keeps_both):
            raise RuntimeError(f"a file of {part.user}, {part.workout}: {done}")

    def bring_records(self, part, is_dangerous):
        times, spans, fields = sorted(part.values), sorted(part.spans), {"source": part.source}
        if times:
            fields["heart_rates"] = {"times": steps_between(times), "bpm": [part.values[time_][0] for time_ in times]}
        if spans:
            fields["steps"] = {"times": steps_between([span[1] for span in spans]), "lengths": [span[1] - span[0] for span in spans],
                               "steps": [span[2] for span in spans]}
        user = self.users[part.user]
        self.meanwhile(lambda: self.brought(user, lambda: self.voice.ask(user, "imports/records", fields)), is_dangerous)

    def bring_phone(self, part, _):
        spans = self.dice.sample(part.spans, len(part.spans))

        def say():
            for first, last, steps in spans:
                self.phone_of_ben.say({"_type": "steps", "tst": last // 1000, "from": first // 1000, "to": last // 1000, "steps": steps},
                                      "/step")

        self.surely(say)

    def bring_workout(self, part, _):
        workout, who = part.workout, part.user
        self.data(who, "workouts/start", {"activity": workout.activity, "at": workout.started})
        for before, after in zip(workout.pieces, workout.pieces[1:]):
            self.data(who, "workouts/pause", {"at": before[1]})
            self.data(who, "workouts/resume", {"at": after[0]})
        self.data(who, "workouts/stop", {"at": workout.ended})

    # The page

    def serve(self):
        """Serves the page; returns where."""
        port = free_port()
        page = self.start("page", [PROJECT / "deploy/page", self.folder / "page", port, self.port])
        self.wait(page, "the page is served", lambda: can_connect(port), 120)
        return f"http://127.0.0.1:{port}"

    def look(self, who, address, views):
        """What the page shows somebody in some views."""
        asked = {"address": address, "email": f"{who}@example.org", "password": PASSWORD, "ahead": self.ahead, "views": views}
        done = subprocess.run(
            [PAGE_PYTHON, "-B", PROJECT / "Tests/Page/figures_shown.py"], input=json.dumps(asked), capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"the page of {who}: {done.stdout[-500:]}{done.stderr}")
        return list(map(json.loads, done.stdout.splitlines()))

    def until_counted(self, is_started_again):
        """Waits until all that follows from the readings is computed; by a consumer that knows nothing from before, if wanted."""
        if is_started_again:
            self.kill_consumer()
            self.start_consumer()
        self.settle()
        self.wait(self.consumer, "workouts and days are computed", lambda: not self.stored(
            "SELECT (SELECT count(*) FROM workouts WHERE marks > 0) + (SELECT count(*) FROM stale)"), 90)


    # Commands that say many days

    def ask_totals(self, user, dates):
        def one(date):
            done = self.ask_consumer("totals", "--user", user, "--day", date)
            return json.loads(done.stdout) if done.returncode == 0 else {"failed": done.stderr}

        return self.side_by_side(one, dates)

    def ask_vitals(self, who, commands):
        return self.side_by_side(lambda words: self.lines(who, *words), commands)

    @staticmethod
    def side_by_side(do, many):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(do, many))


def is_going_on(reply):
    """Whether an import is not over yet."""
    if reply["status"] != "ok":
        return reply["error"]["code"] == "busy"
    return reply["data"].get("state") != "done"


def steps_between(times):
    return [time_ - before for before, time_ in zip([0, *times], times)]


# Comparing

class Judge:
    """Holds what surfaces say against what is computed, and against each other."""

    def __init__(self, home, outcome):
        self.home, self.outcome = home, outcome
        self.dates = [home.month.first + datetime.timedelta(days=day) for day in range(home.month.days)]
        #: How many figures were compared, and which surfaces differ in how many places.
        self.differing = collections.Counter()
        #: What each person's days come to in the end.
        self.rights = {}
        #: Of each person: distance and energy in the list of workouts of those that are only roughly known, by their start.
        self.measured = {who: {} for who in PEOPLE}
        #: By how much sums may differ because of those, whose figures the list rounds.
        self.vague = 0.0

    def differ(self, surface, where, found, due, decimals, slack=0.0):
        """Compares figures; numbers may differ by their rounding, and by a share."""
        if isinstance(due, dict) and isinstance(found, dict):
            for name in sorted(found.keys() | due.keys()):
                self.differ(surface, f"{where}: {name}", found.get(name), due.get(name), decimals, slack)
            return
        self.outcome.cases += 1
        if isinstance(due, (int, float)) and isinstance(found, (int, float)):
            name = where.rpartition(": ")[2]
            is_of_amount = name in ("mean", "total", "max") and any(x in where for x in (": steps: ", "distance_m: ", "energy_kcal: "))
            vague = self.vague if "distance" in where or "energy_kcal" in where else 0
            rounding = vague + 0.5 if is_of_amount else vague + 0.5 * 10 ** -decimals.get(name, 0)
            if abs(found - due) <= rounding + 1e-6 + slack * abs(due):
                return
        elif found == due:
            return
        self.differing[surface] += 1
        due = round(due, 3) if isinstance(due, float) else due
        self.outcome.problems.append(f"{surface}: {where}: it says {json.dumps(found)}, and {json.dumps(due)} is right")

    def same(self, surface, where, found, other):
        """Two surfaces say the same, to the letter."""
        self.outcome.cases += 1
        if found != other:
            self.differing[f"{surface}, against another one"] += 1
            self.outcome.problems.append(f"{surface}: {where}: it says {json.dumps(found)}, and another surface {json.dumps(other)}")

    # Workouts

    def workouts(self, who):
        """Also remembers what the list says of those that are only roughly known: sums are made of that."""
        self.vague = 0.0
        life, lines, until = self.home.lives[who], {}, {}
        while until is not None:
            part = self.home.data(who, "workouts/list", {"limit": 50} | until)
            lines |= {line["started"]: line for line in part["workouts"]}
            until = {"to": part["next_to"]} if "next_to" in part else None
        due = {workout.started: workout for workout in life.workouts}
        for started in sorted(lines.keys() | due.keys()):
            line, workout, where = lines.get(started), due.get(started), f"{who}, {moment(started)}"
            if not line or not workout:
                self.outcome.problems.append(f"workouts/list: {where}: it is {'not ' if not line else ''}in the list")
                continue
            right, found = life.workout_figures(workout), only(line, WORKOUT)
            if "heart_rate" in found:
                found["heart_rate"] = only(found["heart_rate"], HEART_RATE)
            if "heart_rate" in right:
                right["heart_rate"] = only(right["heart_rate"], HEART_RATE)
            if workout.hearts == "unsure":
                found.pop("heart_rate", None)
            rough = {"distance_m": bool(workout.pod or workout.places),
                     "energy_kcal": right.get("energy_kcal") is not None and not self.is_told(life, workout)}
            for name in sorted(found.keys() | right.keys()):
                self.differ("workouts/list", f"{where} {workout.activity}: {name}", found.get(name), right.get(name), LIST_DECIMALS,
                            ROUGH if rough.get(name) else 0)
            if any(rough.values()):
                self.measured[who][started] = (
                    line.get("distance_m") if rough["distance_m"] else workout.way(),
                    line.get("energy_kcal") if rough["energy_kcal"] else life.energy(workout))
        self.vague = 0.06 * len(self.measured[who])

    def only_listen(self, who):
        """The same before the end, when a workout's own figures are not judged yet."""
        outcome, differing, self.outcome, self.differing = self.outcome, self.differing, Outcome("figures"), collections.Counter()
        self.workouts(who)
        self.outcome, self.differing = outcome, differing

    @staticmethod
    def is_told(life, workout):
        """Whether the device's own energy counts."""
        profile = life.profile(life.day_of(workout.started))
        return bool(workout.gross) and workout.gross <= 25 * profile.weight * workout.active / 3_600_000

    # Days and periods

    def right_day(self, who, day):
        return self.home.lives[who].figures(day, self.measured[who])

    def person(self, who):
        home = self.home
        self.workouts(who)
        counted = [workout for workout in home.lives[who].workouts if not workout.is_double]
        self.differ("workouts/statistics", f"{who}: workouts", home.data(who, "workouts/statistics", {}).get("workouts"), len(counted), {})
        rights = self.rights[who] = {day: self.right_day(who, day) for day in self.dates}
        compare_rests([rights[day][0].get("heart_rate") or {} for day in self.dates])
        shown = {day: home.data(who, "statistics/day", {"day": str(day)}) for day in self.dates}
        for day in self.dates:
            self.differ("statistics/day", f"{who}, {day}", only(shown[day], DAY), only(rights[day][0], DAY), DECIMALS)
            self.goals(who, day, shown[day])
            self.graph(who, day, rights[day][0].get("heart_rate"))
            if who in PROFILES:
                burned = home.data(who, "meals/day", {"day": str(day)})["burned"]
                self.same("meals/day", f"{who}, {day}", burned.get("active_kcal"), shown[day].get("energy_kcal"))
        self.periods(who, rights, shown)

    def goals(self, who, day, shown):
        for name, goal in shown.get("goals", {}).items():
            self.same("goals of a day", f"{who}, {day}: {name}", goal.get("value"), shown.get(name))

    def graph(self, who, day, right):
        begin, end = self.home.lives[who].times(day)
        found = self.home.data(who, "heart-rate/graph", {"from": begin, "to": end, "points": 288}).get("span")
        right = only(right, {"mean", "min", "max", "recorded_s"}) if right else None
        self.differ("heart-rate/graph", f"{who}, {day}: span", found or {}, right or {}, DECIMALS)

    def periods(self, who, rights, shown):
        first, last = self.dates[0], self.dates[-1]
        # What began on the last evening may go on after midnight.
        after = last + datetime.timedelta(days=1)
        dates = [*self.dates, after]
        rights = rights | {after: self.right_day(who, after)}
        whole_month = period([rights[day] for day in dates if day.month == first.month])
        asked = [("statistics/summary", {"from": str(first), "to": str(last)}, self.dates)]
        asked.append(("statistics/summary", {"from": str(self.dates[1]), "to": str(self.dates[-2])}, self.dates[1:-1]))
        asked += [("statistics/week", {"day": str(monday)}, [day for day in dates if monday <= day < monday + datetime.timedelta(days=7)])
                  for monday in self.dates if monday.weekday() == 0]
        asked.append(("statistics/month", {"month": f"{first:%Y-%m}"}, [day for day in dates if day.month == first.month]))
        asked.append(("statistics/year", {"year": first.year}, dates))
        for name, fields, days in asked:
            found, where = self.home.data(who, name, fields), f"{who}, {' '.join(map(str, fields.values()))}"
            right = period([rights[day] for day in days])
            self.differ(name, where, only(found.get("summary", found), PERIOD), right, DECIMALS)
            for day in found.get("days", []):
                if (date := datetime.date.fromisoformat(day["day"])) in shown:
                    self.same(name, f"{who}, {date}", day, shown[date])
            for month in found.get("months", []):
                if month.get("month") == f"{first:%Y-%m}":
                    self.differ(name, f"{where}, {month['month']}", only(month, PERIOD), whole_month, DECIMALS)
        self.shown_to(who, shown)

    def shown_to(self, who, shown):
        """What the command, `totals` and the export say."""
        self.export(who, shown)
        for day, said in zip(self.dates, self.home.ask_totals(self.home.users[who], self.dates)):
            self.same("vitals-consumer totals", f"{who}, {day}", said, shown[day])
        if who not in PROFILES:
            return
        for day, said in zip(self.dates, self.home.ask_vitals(who, [("day", str(day)) for day in self.dates])):
            self.same("vitals day", f"{who}, {day}", said[0], shown[day])
        first, last = str(self.dates[0]), str(self.dates[-1])
        mondays = [str(day) for day in self.dates if day.weekday() == 0]
        month = first[:7]
        words = [("today",), ("summary", "--from", first, "--to", last), ("month", month), ("year", first[:4]), *(("week", day) for day in mondays)]
        requests = [("statistics/today", {}), ("statistics/summary", {"from": first, "to": last}), ("statistics/month", {"month": month}),
                    ("statistics/year", {"year": int(first[:4])}), *(("statistics/week", {"day": day}) for day in mondays)]
        for command, (name, fields), said in zip(words, requests, self.home.ask_vitals(who, words)):
            self.same(f"vitals {command[0]}", f"{who}, {' '.join(command)}", said[0] if len(said) == 1 else said, self.home.data(who, name, fields))

    def export(self, who, shown):
        folder = self.home.folder / f"export-{who}"
        done = self.home.ask_consumer("export", "--user", self.home.users[who], folder)
        if done.returncode != 0:
            self.outcome.problems.append(f"vitals-consumer export: {who}: {done.stderr}")
            return
        days = {line["day"]: line for line in map(json.loads, (folder / "days.jsonl").read_text().splitlines())}
        for day in self.dates:
            self.same("days.jsonl of an export", f"{who}, {day}", days.get(str(day), {"day": str(day)}), shown[day])

    # The page

    def page(self, who, address):
        """What the page shows of each day, and of the weeks, the month and the year, as people read it."""
        home, life = self.home, self.home.lives[who]
        due = {}
        for day in self.dates:
            said = home.data(who, "statistics/day", {"day": str(day)})
            due[f"#/days/{day}"] = day_on_page(said)
            begin, end = life.times(day)
            if heart := said.get("heart_rate"):
                due[f"#/heart?from={begin}&to={end}"] = heart_on_page(heart)
        mondays = [day for day in self.dates if day.weekday() == 0]
        first = self.dates[0]
        for place, name, fields in [(f"#/days/{first:%Y-%m}", "statistics/month", {"month": f"{first:%Y-%m}"}),
                                    (f"#/years/{first.year}", "statistics/year", {"year": first.year}),
                                    *((f"#/weeks/{day}", "statistics/week", {"day": str(day)}) for day in mondays)]:
            summary = home.data(who, name, fields)["summary"]
            due |= {f"{place}?of={measure}": period_on_page(summary, measure) for measure in (*SUMS, "heart_rate") if measure in summary}
        for view, shown in zip(due, home.look(who, address, list(due))):
            # The heading of a period's chart has its name.
            found = {label: value for heading in shown.values() for label, value in heading.items()}
            self.same("the page", f"{who}, {view}", {label: found.get(label) for label in due[view]}, due[view])

    # What is retained, and groups

    def today(self, who, day):
        """The topic `today`, and what is asked of today, on the evening of a day."""
        date, topic = self.dates[day], f"{self.home.users[who]}/today"
        shown = {}

        def is_as_asked():
            shown.update(found=json.loads(self.home.voice.retained.get(topic) or b"{}"))
            return {**shown["found"], "time": 0} == {**shown["asked"], "time": 0}

        shown["asked"] = self.home.data(who, "statistics/today")
        # What a heart rate at rest is compared with, statistics alone say.
        for name in ("resting_baseline", "resting_difference"):
            shown["asked"].get("heart_rate", {}).pop(name, None)
        for name, goal in self.home.data(who, "goals/get")["goals"].items():
            self.same("goals/get", f"{who}, {date}: {name}", goal.get("value"), shown["asked"].get(name))
        if not self.home.voice.wait(is_as_asked, 12):
            self.same("topic today", f"{who}, {date}", {**shown["found"], "time": 0}, {**shown["asked"], "time": 0})
        self.only_listen(who)
        self.differ("topic today", f"{who}, {date}, in the evening", only(shown["found"], DAY), only(self.right_day(who, date)[0], DAY), DECIMALS)

    def tables(self):
        """The values of challenges. A distance is the one on foot."""
        for group, (measure, length) in self.home.groups.items():
            table = self.home.data("ada", "groups/table", {"group": group})
            first, last = (datetime.date.fromisoformat(table[name]) for name in ("from", "to"))
            values = {row["name"]: row["value"] for row in table["rows"]}
            for who in ("ada", "ben"):
                days = [day for day in self.dates if first <= day <= last]
                counted = [workout for day in days for workout in self.home.lives[who].began(day) if not workout.is_double]
                rights = [self.rights[who][day] for day in days]
                right = {"steps": sum(day.get("steps", 0) for day, _ in rights),
                         "distance": sum(kinds["foot"] for _, kinds in rights),
                         "minutes": sum(workout.active for workout in counted) // 60_000, "workouts": len(counted)}[measure]
                self.differ("groups/table", f"{who}, {measure} of a {length}", values.get(who.title()), right, {})


#: What adds up, by its name on the page, with the decimals that it has there and its unit.
SUMS = {"steps": ("Steps", 0, ""), "distance_m": ("Distance", 2, "km"), "energy_kcal": ("Active energy", 0, "kcal")}


def compare_rests(hearts):
    """Adds to the heart rates of days, one after the other, the median of those at rest of the seven days before, of the same kind, and how
    far theirs is above it: 0 if that is less than 3."""
    for number, heart in enumerate(hearts):
        before = [own["resting"] for own in hearts[max(0, number - 7) : number] if own.get("resting_of") == heart.get("resting_of", "none")]
        if len(before) >= 3:
            baseline = statistics.median(before)
            difference = heart["resting"] - baseline
            whole = int(math.copysign(math.floor(abs(difference) + 0.5), difference))
            heart |= {"resting_baseline": baseline, "resting_difference": 0 if abs(difference) < 3 else whole}


def on_page(value, decimals=0, unit=""):
    """A number as the page writes it in English."""
    rounded = decimal.Decimal(repr(value)).quantize(decimal.Decimal(1).scaleb(-decimals), decimal.ROUND_HALF_UP)
    return f"{rounded:,}{unit}"


def sum_on_page(measure, value):
    _, decimals, unit = SUMS[measure]
    return on_page(value / 1000 if unit == "km" else value, decimals, unit)


def spread_on_page(heart):
    shown = {"Lowest": heart["min"], "Average": heart["mean"], "Highest": heart["max"]}
    if "resting" in heart:
        shown["Resting, by day" if heart.get("resting_of") == "day" else "Resting"] = heart["resting"]
    return {label: on_page(value, 0, "bpm") for label, value in shown.items()}


def day_on_page(day):
    shown = {SUMS[measure][0]: sum_on_page(measure, day[measure]) for measure in SUMS if measure in day}
    if heart := day.get("heart_rate"):
        minutes, seconds = divmod(heart["recorded_s"], 60)
        recorded = f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes >= 60 else f"{minutes}:{seconds:02}"
        shown |= spread_on_page(heart) | {"Recorded": recorded}
    return shown


def heart_on_page(heart):
    return {"": f"{on_page(heart['mean'])} bpm Average, lowest {heart['min']}, highest {heart['max']}"}


def period_on_page(summary, measure):
    if measure == "heart_rate":
        return spread_on_page(summary[measure])
    names = {"total": "Total", "mean": "Average", "max": "Highest"}
    return {label: sum_on_page(measure, summary[measure][name]) for name, label in names.items()}


def only(value, names):
    return {name: inner for name, inner in (value or {}).items() if name in names}


def moment(time_):
    return f"{datetime.datetime.fromtimestamp(time_ / 1000, ZONE):%Y-%m-%d %H:%M}"


@contextlib.contextmanager
def log_of(home):
    """If the rig breaks down, the end of the consumer's log says why."""
    try:
        yield
    except Exception:
        print((home.folder / "consumer.log").read_text(errors="replace")[-3000:], file=sys.stderr)
        raise


def look(judge, people):
    if not PAGE_PYTHON.exists():
        judge.outcome.remarks.append("the page took no part: deploy/test installs what drives a browser")
        return
    address = judge.home.serve()
    for who in people:
        judge.page(who, address)


def run(size, seed) -> Outcome:
    outcome, dice = Outcome("figures"), random.Random(seed)
    first, days, kills = SIZES[size]
    month = Month(first, days, random.Random(dice.random()))
    if EARLIER:
        # It may not be able to keep a second recording of a workout.
        for part in month.parts:
            if part.kind == "file" and part.keeps_both:
                part.due = max(part.due, days // 2)
    dangerous = set(dice.sample(range(days), kills))
    read = sorted(dice.sample(range(days), READ_TODAY[size]))
    with Home() as home, log_of(home):
        home.begin(month, dice)
        judge = Judge(home, outcome)
        for day in range(days):
            if day == days // 2:
                home.upgrade()
            home.morning(day)
            home.evening(day, day in dangerous)
            if day in read and home.programs == RELEASE:
                # By turns, by a consumer that has been there, and by one that was just started.
                home.until_counted(read.index(day) % 2 == 1)
                for who in PEOPLE:
                    judge.today(who, day)
        # What was on its way.
        for day in range(days, max(days, *(part.due for part in month.parts)) + 1):
            home.evening(day, False)
        home.until_counted(True)
        for who in PEOPLE:
            judge.person(who)
        judge.tables()
        look(judge, [dice.choice(sorted(PROFILES))] if size == "short" else PROFILES)
        home.check(outcome)
        recount = home.ask_consumer("recount")
        if recount.returncode != 0 or (said := json.loads(recount.stdout), said["differing"], said["waiting"])[1:] != (0, 0):
            outcome.problems.append(f"the consumer's recount: {recount.stdout}{recount.stderr}")
        readings = sum(len(part.values) + len(part.spans) for part in month.parts)
        outcome.remarks.append(f"{days} days of {len(PEOPLE)} people, {readings:,} readings, {home.kills} kills, "
                               f"{outcome.cases:,} figures; differing: {dict(judge.differing) or 'none'}")
    return outcome


if __name__ == "__main__":
    words = sys.argv[1:]
    found = run(words[0] if words else "short", int(words[1]) if words[1:] else int.from_bytes(os.urandom(4)))
    for line in [*found.problems[: int(os.environ.get("MOST", 60))], *found.remarks]:
        print(line)
    sys.exit(0 if found.holds else 1)
