"""A week of three people, played through the command `vitals`, each with a device of their own: Ada and Ben are friends, and Cleo is a
stranger. They choose and do workouts by plans, log meals, like quotes, compete in a group, post, look for partners, and try what they
may not. Steps come from sensors whose gateway the rig is, some of them days late.

The week is played once in peace, and twice while the consumer is killed again and again in the middle of what people ask. Each request of
theirs is sent once, and answered as if nothing had happened. What the three are shown in the end is always the same, and the same as in
week.json, in which ids are numbered and times are days of the week.

    week.py [short|normal|long|write]        write: writes week.json again, from a week in peace
"""

import base64
import collections
import datetime
import json
import os
import random
import re
import subprocess
import sys
import time
import zoneinfo
from pathlib import Path

import wire
from family import PASSWORD, Family
from household import RELEASE, identity
from outcome import Outcome

GOLDEN = Path(__file__).with_name("week.json")
ZONE = "Europe/Berlin"
#: A Monday without a change of clocks in its week.
MONDAY = datetime.date(2027, 3, 1)
#: Of how many commands one is in danger.
SIZES = {"short": 4, "normal": 2, "long": 1}
#: What each day's steps are. Ada's and Ben's are the same in the end.
STEPS = {
    "ada": [6000, 8000, 12000, 4000, 9000, 15000, 3000],
    "ben": [10000, 10000, 7000, 10000, 5000, 12000, 3000],
    "cleo": [20000] * 7,
}
PEOPLE = {"ada": ("Ada", "1985-12-10", "female", 170, 65), "ben": ("Ben", "1990-05-05", "male", 182, 84), "cleo": ("Cleo", "1970-01-01", "other", 165, 95)}
#: A picture of one pixel.
PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
#: Fields that are an id, of whatever kind, and those that are a time.
IDS = {"group", "member", "post", "author", "choice", "workout", "done", "offer", "ask", "partner", "meal", "food", "id", "about", "from", "friend", "user"}
TIMES = {"time", "since", "created", "expires", "started", "ended"}
#: What depends on how many milliseconds something took.
VAGUE = {"energy_kcal", "burned", "balance_kcal", "left_kcal", "revision"}


class Failed(Exception):
    """A command did not end as it should."""


class Week(Family):
    """Three people, and a consumer in danger."""

    def _write_settings(self):
        self.gateway, self.offset = wire.new_identity(), 0
        self.witnesses, self.strangers = ["witness"], []
        data = Path(__file__).resolve().parents[2] / "deploy"
        self.settings = self.folder / "consumer.json5"
        self.settings.write_text(f"""{{
          state: "consumer", root_key_file: "root.key", time_zone: "{ZONE}", accounts: {{}}, broker_rules: {{}},
          training: {{ exercises: "{data}/training/exercises.json" }},
          quotes: {{ catalogue: "{data}/quotes/quotes.json" }}, meals: {{ ideas: "{data}/meals/ideas.json" }},
          broker: {{ port: {self.port}, username: "consumer", password_file: "broker/consumer.password" }},
          gateways: {{ home: {{ identity: "{wire.identity_text(self.gateway)}", password_file: "broker/home.password" }} }},
          people: {{ witness: {{ sensors: [] }} }},
        }}""")

    def vitals(self, who, *words, told=None, fails=None):
        """What a command prints for somebody. It may be in danger meanwhile.

        `fails` is a part of what it has to say if it has to fail."""
        home = self.folder / f"home-{who}"
        home.mkdir(exist_ok=True)
        command = self.clocked(RELEASE / "vitals", "--port", str(self.port), "--timeout", "180", *words)
        self.asked += 1
        program = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": ZONE})
        if self.every and self.dice.randrange(self.every) == 0:
            # Somewhere in the middle of it.
            time.sleep(self.dice.uniform(0, 0.2))
            self.kill_consumer()
            self.start_consumer()
        output, errors = program.communicate(told, timeout=300)
        if (program.returncode != 0) != (fails is not None) or fails and fails not in output + errors:
            raise Failed(f"{who}: vitals {' '.join(words)}: {program.returncode}: {output}{errors}")
        return output

    def data(self, who, *words):
        """The same as objects, one from each line."""
        return [json.loads(line) for line in self.vitals(who, *words, "--json").splitlines()]

    # The days

    def begin(self, every, dice):
        self.every, self.dice, self.asked = 0, dice, 0
        self.set_to(0, 9)
        password = self.folder / "password"
        password.write_text(f"{PASSWORD}\n")
        self.users = {}
        for number, (who, (name, born, gender, height, weight)) in enumerate(PEOPLE.items()):
            self.users[who] = self.data(who, "sign-up", f"{who}@example.org", "--password-file", str(password))[0]["user"]
            self.vitals(who, "profile", "set", "--name", name, "--date-of-birth", born, "--gender", gender, "--height-cm", str(height),
                        "--weight-kg", str(weight), "--time-zone", ZONE)
            self.claim(f"s{number}", self.users[who])
        code = self.data("ada", "friends", "code", "--share-steps", "on")[0]["code"]
        self.vitals("ben", "friends", "invite", code, "--share-steps", "on")
        self.every = every

    def set_to(self, day, hour, minute=0):
        """It is this time of this day of the week now, where the three live."""
        at = datetime.datetime.combine(MONDAY + datetime.timedelta(days=day), datetime.time(hour, minute), zoneinfo.ZoneInfo(ZONE))
        self.advance((at.timestamp() - time.time() - self.ahead / 1000) / 60)

    def walk(self, who, days):
        """Somebody's sensor brings the steps of these days."""
        sealer, total, rows = self.sealer(f"s{list(PEOPLE).index(who)}"), 0, []
        for day, steps in enumerate(STEPS[who]):
            morning, evening = (datetime.datetime.combine(MONDAY + datetime.timedelta(days=day), datetime.time(hour), zoneinfo.ZoneInfo(ZONE))
                                for hour in (6, 20))
            for at, count in ((morning, total), (evening, total + steps)):
                if day in days:
                    rows.append({"time": int(at.timestamp() * 1000), "monotonic": 1, "steps": count})
            total += steps
        blocks = [sealer.key_block, sealer.block(wire.READINGS, wire.write_readings(wire.STEPS, rows))]
        self.voice.deliver(blocks, self.dice, len(blocks), 0.01)

    def play(self):
        self.monday()
        self.tuesday()
        self.later()
        self.ends()

    def monday(self):
        offer = self.data("ada", "train", "offer", "--kind", "weights", "--minutes", "20", "--seed", "7", "--equipment", "dumbbell")[0]
        again = self.data("ada", "train", "offer", "--kind", "weights", "--minutes", "20", "--seed", "7", "--equipment", "dumbbell")[0]
        if offer != again:
            raise Failed("the same seed leads to other plans")
        self.plans = [plan["plan"] for plan in offer["offers"]]
        for plan in self.plans[:2]:
            self.vitals("ada", "train", "choose", plan)
        chosen = self.data("ada", "train", "week")[0]["chosen"]
        self.vitals("ada", "train", "unchoose", chosen[1]["choice"])
        self.vitals("ben", "train", "offer", "--kind", "intervals", "--minutes", "15")
        self.vitals("ada", "groups", "create", "The early birds")
        code = self.data("ada", "groups", "code", "The early birds")[0]["code"]
        self.vitals("cleo", "groups", "join", "7QKM-2DZX-0H4W-9C1T-V6RA-XP3E", fails="code")
        self.vitals("ben", "groups", "join", code, "--compete")
        self.vitals("ada", "groups", "compete", "The early birds", "on")
        self.vitals("ada", "groups", "challenge", "The early birds", "steps", "week")
        self.vitals("ada", "quote", "like")
        self.vitals("ben", "quote", "like")
        self.vitals("ada", "meals", "log", "Porridge", "--energy", "380", "--protein", "14", "--carbohydrate", "60", "--fat", "9")
        self.vitals("ada", "meals", "add-food", "Apple", "--energy", "72", "--grams", "138")
        self.vitals("ada", "meals", "log", "--food", "Apple")

    def tuesday(self):
        self.set_to(1, 18)
        self.vitals("ada", "train", "start", self.plans[0])
        # Each word comes in the middle of a phase, so that it does not matter how long the commands before it took.
        for minutes, word in [(0.5, "next"), (0.5, "next"), (1, "skip"), (1, "next"), (0.5, "previous"), (1, "next")]:
            self.advance(minutes)
            self.vitals("ada", "train", word)
        self.advance(5)
        self.vitals("ada", "workout", "stop")
        self.vitals("ada", "posts", "add", "Dumbbells, and it was good.", "--to", "friends", "--to", "The early birds")
        post = self.data("ben", "posts")[0]["post"]
        self.vitals("ben", "posts", "thumb", post, "up")
        self.vitals("cleo", "posts", "thumb", post, "up", fails="post")
        self.vitals("cleo", "posts", "report", post, "is rude", fails="post")
        for who in PEOPLE:
            self.walk(who, [0, 1])

    def later(self):
        self.set_to(2, 7)
        self.vitals("ada", "quote", "like")
        self.vitals("ada", "quote", "unlike")
        self.set_to(3, 20)
        self.walk("ada", [2, 3])
        self.vitals("ada", "partners", "contact", "ada@example.org")
        self.vitals("ada", "partners", "offer", "running", "--area", "Old Town", "--pace", "5:30-6:15")
        offer = self.data("cleo", "partners", "find", "--activity", "running")[0]["offer"]
        self.vitals("cleo", "partners", "ask", offer, "--text", "Sundays?")
        ask = next(one for line in self.data("ada", "partners") for one in line.get("asked", [line]) if one.get("ask"))["ask"]
        self.vitals("ada", "partners", "accept", ask)
        self.set_to(4, 12)
        picture = self.folder / "pixel.png"
        picture.write_bytes(PIXEL)
        self.vitals("ben", "posts", "add", "Lunch.", "--picture", str(picture), "--to", "The early birds")
        self.vitals("ben", "posts", "add", "Nobody should see this.", "--to", "friends")
        mine = self.data("ben", "posts", "--own")[0]["post"]
        self.vitals("ben", "posts", "delete", mine, "--yes")
        self.set_to(5, 20)
        self.vitals("cleo", "groups", "table", "The early birds", fails="group")
        self.walk("ben", [2, 3, 4, 5])
        self.walk("ada", [4, 5])

    def ends(self):
        # The challenge is over, and Sunday comes a day late.
        self.set_to(7, 21)
        self.hears_of_the_end()
        self.walk("ada", [6])
        self.walk("ben", [6])
        # And now it is too late.
        self.set_to(10, 12)
        self.settle()

    def hears_of_the_end(self):
        """Waits until both have been told that the challenge is over."""
        def is_told(user):
            return any(who == user and b'"challenge-over"' in payload for (who, _), payloads in self.voice.told.items() for payload in payloads)
        if not self.voice.wait(lambda: all(is_told(self.users[who]) for who in ("ada", "ben")), 180):
            raise Failed("nobody is told within 180 s that the challenge is over")

    # What is shown in the end

    def shown(self):
        """What everybody sees, with ids numbered, and times as days of the week."""
        self.every = 0
        table, posts = ("groups", "table", "The early birds", "--from", str(MONDAY)), ("posts",)
        asked = {
            "ada": [("train", "week", str(MONDAY)), ("train", "day", str(MONDAY + datetime.timedelta(days=1))), table, posts, ("quote", "liked"),
                    ("meals", "--day", str(MONDAY)), ("meals", "foods"), ("partners",), ("groups",), ("notifications", "--all")],
            "ben": [("train", "week", str(MONDAY)), table, posts, ("quote", "liked"), ("groups",), ("notifications", "--all")],
            "cleo": [("groups",), posts, ("partners",), ("quote", "liked"), ("notifications", "--all")],
        }
        ids, result = Numbers(), {}
        for who, commands in asked.items():
            for words in commands:
                result[f"{who}: {' '.join(words)}"] = [ids.normal(line) for line in self.data(who, *words)]
        return result


class Numbers:
    """Gives ids numbers in the order in which they come."""

    def __init__(self):
        self.known = collections.defaultdict(lambda: f"#{len(self.known) + 1}")

    def normal(self, value, key=""):
        if isinstance(value, dict):
            return {name: self.normal(inner, name) for name, inner in sorted(value.items()) if name not in VAGUE}
        if isinstance(value, list):
            return [self.normal(inner, key) for inner in value]
        if key in TIMES and isinstance(value, int):
            day = datetime.datetime.fromtimestamp(value / 1000, zoneinfo.ZoneInfo(ZONE)).date()
            return f"{day:%A} {(day - MONDAY).days // 7 + 1}"
        if key == "duration_s":
            # By five minutes, of which commands that took long change nothing.
            return 5 * round(value / 300)
        if key in IDS and isinstance(value, str) and re.fullmatch("[a-z0-9-]{8,36}", value) and not re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            return self.known[value]
        return value


def play(every, dice, outcome):
    with Week() as week:
        week.begin(every, dice)
        week.play()
        shown = week.shown()
        week.check(outcome)
        outcome.cases += week.asked
        return shown, week.kills


def compare(name, shown, golden, outcome):
    for what in golden.keys() | shown.keys():
        if shown.get(what) != golden.get(what):
            outcome.problems.append(f"{name}: {what}: {json.dumps(shown.get(what))}, where it is {json.dumps(golden.get(what))}")


def run(size, seed) -> Outcome:
    outcome, dice = Outcome("week"), random.Random(seed)
    golden = json.loads(GOLDEN.read_text())
    for name, every in (("in peace", 0), ("with kills", SIZES[size]), ("with kills again", SIZES[size])):
        shown, kills = play(every, random.Random(dice.random()), outcome)
        compare(name, shown, golden, outcome)
        outcome.remarks.append(f"{name}: {kills} kills")
    return outcome


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        written, _ = play(0, random.Random(1), Outcome("week"))
        GOLDEN.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n")
        sys.exit()
    found = run(sys.argv[1] if len(sys.argv) > 1 else "short", int.from_bytes(os.urandom(4)))
    for line in [*found.problems[:40], *found.remarks]:
        print(line)
    sys.exit(0 if found.holds else 1)
