"""Pressure by few, with little traffic, and what others notice of it. In bursts that end:

- strangers and people have more answered than they read: many connections listen and never read, and one asks for what is refused, less
  than 1 MB a second; straight to the broker, through the page, with a device's credential, and with a phone's;
- somebody asks all the time for what needs a password hash, while others sign in and one changes a password;
- people with large workouts ask for them in detail, while others look at their lists, graphs and posts;
- three hold all room for uploads by a byte now and then, while a newcomer wants to import;
- eleven ask at once for what needs memory, and then rest (not in a short run).

For each it prints what it took others at most (99 of 100), how much memory each program took and what the web server wrote into temporary
files. Bounds of memory and files are absolute, and nobody else is told `busy`. What others wait is compared with what the issue of these bounds
demands (more for programs that were built for debugging), or with what the same took in the same run before the burst, six times
over, whichever is longer: other programs may be running beside.

    pressure.py [short|normal|long] [PART…]"""

import base64
import contextlib
import json
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from crowd import PASSWORD, ROOT, Crowd, Line, Watch, flood, megabytes, p99, packet, request, text
from household import RELEASE
from outcome import Outcome
from rides import LEFT, WHOLE, bring, fill, large_file

#: What others may wait for, in seconds, and how many times as long as in peace it may be where that is longer.
SIGN_IN, LIST, TIMES = 2.0, 0.2, 6
#: Programs that were built for debugging take many times as long for what they compute themselves, which hashes are not: lists may take ten
#: times as long, and sign-ins three times.
IS_DEBUG = RELEASE.resolve().name == "debug"
SIGN_IN_ALLOWED, LIST_ALLOWED = (3 * SIGN_IN, 10 * LIST) if IS_DEBUG else (SIGN_IN, LIST)
#: What others ask for most of the time.
LISTS = ("workouts/list", {"limit": 50})
#: What programs may take, in MB, while strangers press on them; and the consumer always.
BROKER, FILES, CONSUMER = 128, 64, 384
#: And the consumer after a rest.
RESTING = 192
#: Listeners that do not read, and what one asks for meanwhile, in bytes a second.
LISTENERS, RATE = 100, 900_000
#: Seconds of each burst; points of a large workout, and how many people have one; seconds of rest, and between two bytes of an upload.
SIZES = {"short": (3, 6_000, 2, 3, 5), "normal": (10, 150_000, 8, 60, 25), "long": (60, 150_000, 8, 180, 25)}
#: For how many seconds a newcomer tries again.
PATIENCE = 40


class Pressure:
    """How much is played, and what is found out."""

    def __init__(self, size, outcome):
        self.outcome, self.is_short = outcome, size == "short"
        self.seconds, self.points, self.large, self.rest, self.bytes_apart = SIZES[size]

    def check(self, is_right, problem):
        self.outcome.cases += 1
        if not is_right:
            self.outcome.problems.append(problem)

    def tell(self, line):
        """A figure, which is printed at once: in a short run, too."""
        print(f"  pressure: {line}")

    def within(self, what, seconds, limit, quiet):
        """Others were answered, in time."""
        allowed = max(limit, TIMES * quiet)
        self.check(seconds <= allowed, f"{what}: others waited {seconds:.2f} s, and {allowed:.2f} s are allowed")

    def judge(self, what, others, quiet, least=0.0):
        """What others noticed. Their lists may take so many seconds at least."""
        self.check(not others.refused, f"{what}: others were told {set(others.refused)}")
        self.within(f"{what}, lists", p99(others.looked), max(LIST_ALLOWED, least), p99(quiet.looked))
        if others.sign_ins:
            self.within(f"{what}, sign-ins", p99(others.signed_in), SIGN_IN_ALLOWED, p99(quiet.signed_in))

    def judge_consumer(self, what, crowd, watch):
        """How much memory the consumer has taken, and how much it keeps after a rest."""
        found = watch.memory["consumer"]
        time.sleep(self.rest)
        kept = megabytes(crowd.consumer.pid, "VmRSS")
        self.tell(f"{what}: the consumer took {found:.0f} MB at most, and has {kept:.0f} after {self.rest} s of rest")
        self.check(found <= CONSUMER, f"{what}: the consumer took {found:.0f} MB, and {CONSUMER} are allowed")
        self.check(kept <= RESTING, f"{what}: the consumer keeps {kept:.0f} MB, and {RESTING} are allowed")


class Others(threading.Thread):
    """People who are not part of it: they look at something again and again, and sign in."""

    def __init__(self, looking, verbs, signing_in=None, crowd=None):
        super().__init__(daemon=True)
        self._looking, self._verbs, self._who, self._crowd = looking, verbs, signing_in, crowd
        self._is_over, self.looks, self.sign_ins = threading.Event(), [], []

    def __enter__(self):
        self.start()
        return self

    def run(self):
        signer = threading.Thread(target=self._sign_in, daemon=True)
        signer.start()
        number = 0
        while not self._is_over.wait(0.1):
            verb, fields = self._verbs[number % len(self._verbs)]
            self.looks.append(self._looking[number % len(self._looking)].ask(verb, fields)[:2])
            number += 1
        signer.join()

    def _sign_in(self):
        while self._who and not self._is_over.wait(0.5):
            self.sign_ins.append(self._crowd.sign_in(self._who))

    def __exit__(self, *_):
        self._is_over.set()
        self.join()

    @property
    def refused(self):
        return [said for said, _ in self.looks + self.sign_ins if said != "ok"]

    @property
    def looked(self):
        return [took for _, took in self.looks]

    @property
    def signed_in(self):
        return [took for _, took in self.sign_ins]

    def __str__(self):
        words = f"others' lists p99 {1000 * p99(self.looked):.0f} ms"
        if self.sign_ins:
            words += f", sign-ins p99 {p99(self.signed_in):.2f} s"
        return words + (f", {len(self.refused)} of {len(self.looks) + len(self.sign_ins)} refused" if self.refused else "")


# Listeners that do not read

def unread(pressure):
    """Strangers and people have more answered than they read. In a short run all of it is played in one home."""
    bursts = ["guests", "guests through the page", "a device's credential", "a phone's credential"]
    # What a program has taken it may keep for a while, and would be seen in the next burst.
    for together in [bursts] if pressure.is_short else [[one] for one in bursts]:
        with Crowd() as crowd:
            for what in together:
                burst(pressure, crowd, what)


def burst(pressure, crowd, what):
    """One who sends, and those who listen and do not read."""
    if not hasattr(crowd, "looking"):
        crowd.looking, crowd.asking, crowd.phoning = crowd.people(["other", "asking", "phoning"])
        with Others([crowd.looking], [LISTS], "other", crowd) as quiet:
            time.sleep(2)
        pressure.tell(f"in peace: {quiet}")
        crowd.quiet = quiet
    port, person, topic, packets = attack(crowd, what)
    origin = crowd.origin if port == crowd.page_port else None
    with contextlib.ExitStack() as lines, Others([crowd.looking], [LISTS], "other", crowd) as others, Watch(crowd) as watch:
        listening = 0
        for _ in range(LISTENERS):
            # A broker may refuse some.
            with contextlib.suppress(OSError):
                lines.callback(Line(port, origin, person, topic).close)
                listening += 1
        senders = [Line(port, origin, person) for _ in range(2)]
        for one in senders:
            lines.callback(one.close)
        count, sent = flood(senders, packets, RATE, pressure.seconds)
    pressure.tell(f"{what}: {listening} listeners, {count:,} messages with {sent / 1e6:.1f} MB: {others}; {watch}")
    for name, found, most in (("the broker", watch.memory["broker"], BROKER), ("temporary files", watch.files, FILES)):
        pressure.check(found <= most, f"{what}: {name} took {found:.0f} MB, and {most} are allowed")
    pressure.judge(what, others, crowd.quiet)


def attack(crowd, what):
    """Through which port, with whose credential, on what topic is listened, and what is sent."""
    own = f"{ROOT}/users/{crowd.asking.person['user']}"
    if what == "a phone's credential":
        phone = crowd.phoning.data("phones/add", {"name": "Phone", "encrypted": False})
        settings = json.loads(base64.b64decode(phone["link"].split("inline=")[1].replace("%2B", "+")))
        topic = f"{ROOT}/users/{crowd.phoning.person['user']}/phone/{phone['phone']}/cmd"
        person = {"device": settings["username"], "password": settings["password"]}
        return crowd.port, person, topic, [packet(0x30, text(topic) + b"\0" + os.urandom(100_000))]
    if what == "a device's credential":
        # No feature has such a verb.
        topic = f"{own}/responses/x"
        return crowd.port, crowd.asking.person, topic, [
            request(f"{own}/requests/profile/{os.urandom(8).hex()}", topic, os.urandom(1024)) for _ in range(8)]
    topic = f"{ROOT}/accounts/responses/{os.urandom(16).hex()}"
    port = crowd.page_port if "page" in what else crowd.port
    return port, None, topic, [request(f"{ROOT}/accounts/nonce", topic, os.urandom(1024), b"[]") for _ in range(8)]


# Hashes

def hashing(pressure):
    """Somebody asks all the time for what needs a password hash."""
    with Crowd() as crowd:
        press_hashes(pressure, crowd)


def press_hashes(pressure, crowd):
    """Eight sign in at once and one changes a password: in peace, and then beside somebody who asks all the time."""
    names = [f"signing-{number}" for number in range(8)]
    crowd.people(names)
    greedy, changing = crowd.people(["greedy", "changing"])
    passwords = [PASSWORD, PASSWORD + "s"]

    def change():
        said, took, _ = changing.ask("account/change-password", {"current": passwords[0], "password": passwords[1]})
        passwords.reverse()
        return said, took

    def all_at_once():
        with ThreadPoolExecutor(len(names)) as threads:
            return list(threads.map(crowd.sign_in, names))

    def play():
        return all_at_once() if pressure.is_short else all_at_once() + all_at_once(), [change()]

    quiet, quiet_change = play()
    is_over = threading.Event()

    def ask_all_the_time():
        number = 0
        # As many as one may ask at once, and then as many as one may ask all the time.
        while number < 40 or not is_over.wait(0.1):
            greedy.send("guardians/code", {"code": f"blue-horse {number}"})
            if number % 2:
                greedy.send("account/change-password", {"current": f"{PASSWORD}?", "password": f"{PASSWORD}{number}"})
            else:
                greedy.send("account/delete", {"password": f"{PASSWORD}?"})
            number += 1

    pressing = threading.Thread(target=ask_all_the_time, daemon=True)
    pressing.start()
    try:
        time.sleep(1)
        with Watch(crowd) as watch:
            found, changed = play()
    finally:
        is_over.set()
        pressing.join()
    refused = [said for said, _ in found + changed if said != "ok"]
    longest, change_longest = (p99([took for _, took in some]) for some in (found, changed))
    quiet_longest, quiet_change_longest = (p99([took for _, took in some]) for some in (quiet, quiet_change))
    pressure.tell(
        f"hashes: eight sign-ins at once p99 {longest:.2f} s (in peace {quiet_longest:.2f} s), a password change {change_longest:.2f} s "
        f"({quiet_change_longest:.2f} s), {len(refused)} of {len(found + changed)} refused; {watch}")
    pressure.check(not refused, f"hashes: others were told {set(refused)}")
    pressure.within("hashes, sign-ins", longest, SIGN_IN_ALLOWED, quiet_longest)
    pressure.within("hashes, a password change", change_longest, SIGN_IN_ALLOWED, quiet_change_longest)


# Readers' threads

def reading(pressure):
    """People with large workouts ask for them in detail; all of them together (not in a short run), and one alone."""
    with Crowd() as crowd:
        people = crowd.people([f"large-{number}" for number in range(pressure.large)])
        looking = crowd.people(["looking-0", "looking-1"])
        file = large_file(pressure.points)
        with ThreadPoolExecutor(2) as threads:
            list(threads.map(lambda person: bring(person, file), people))
        ids = [person.data("workouts/list", {"limit": 1})["workouts"][0]["id"] for person in people]
        # What follows from an import may still be computed during the first.
        detail = min(person.ask("workouts/show", {"id": id, "points": 199 - turn})[1] for turn in range(2) for person, id in zip(people, ids))
        now = int(time.time() * 1000)
        verbs = [LISTS, ("heart-rate/graph", {"from": now - 86_400_000, "to": now, "points": 200}), ("posts/list", {})]
        with Others(looking, verbs) as quiet:
            time.sleep(1)
        # What is counted in the background may change something between two.
        again = max(min(person.ask("workouts/show", {"id": id, "points": 198})[1] for _ in range(3)) for person, id in zip(people, ids))
        pressure.tell(f"large workouts of {pressure.points:,} points, in peace: {quiet}, one in detail {detail:.2f} s, once more {again:.3f} s")
        # What takes less than a tenth of a second is not remembered.
        pressure.check(again < max(0.1, detail / 2), f"a workout that nothing has changed since took {again:.3f} s when it was asked for once more")
        together = (f"{len(people)} who ask every two seconds, by turns", people, 2.0)
        alone = ("one who asks ten times a second", people[:1], 0.1)
        # Few people with smaller workouts, as in a short run, do not press together.
        for what, some, pause in [alone] if pressure.is_short else [together, alone]:
            number, end = 0, time.monotonic() + max(5, pressure.seconds)
            with Others(looking, verbs) as others, Watch(crowd) as watch:
                while time.monotonic() < end:
                    some[number % len(some)].send("workouts/show", {"id": ids[number % len(some)], "points": 200 + number % 800})
                    number += 1
                    time.sleep(pause)
            pressure.tell(f"{what}: {others}; {watch}")
            # With programs for debugging, others may wait for what is being computed already, and not for what waits itself.
            pressure.judge(what, others, quiet, 2 * detail if IS_DEBUG else 0)


# Uploads that never end

def uploading(pressure):
    """Three hold all room for uploads, each by a byte now and then."""
    with Crowd() as crowd:
        *holders, newcomer = crowd.people(["holding-0", "holding-1", "holding-2", "newcomer"])
        with Watch(crowd) as watch:
            with ThreadPoolExecutor(3) as threads:
                list(threads.map(fill, holders))
            is_over, told = threading.Event(), []

            def hold():
                offset = WHOLE - LEFT
                while not is_over.wait(pressure.bytes_apart):
                    for person in holders:
                        told.append(person.ask("imports/file", {"name": "ride.gpx.gz", "size": WHOLE, "offset": offset, "data": "AA=="})[0])
                    offset += 1

            holding = threading.Thread(target=hold, daemon=True)
            holding.start()
            began, problem = time.monotonic(), None
            try:
                bring(newcomer, large_file(500), PATIENCE)
            except RuntimeError as error:
                problem = error
            finally:
                waited = time.monotonic() - began
                is_over.set()
                holding.join()
        came_to = "was refused for" if problem else "has imported after"
        pressure.tell(f"uploads: a newcomer {came_to} {waited:.1f} s, holders were told {sorted(set(told))}; {watch}")
        pressure.check(problem is None, f"uploads: a newcomer cannot import: {problem}")
        pressure.judge_consumer("uploads", crowd, watch)


# Memory

def filling(pressure):
    """Eleven ask at once for what needs memory: three send files that do not end, the others import and ask for much. Then all rest."""
    with Crowd() as crowd:
        people = crowd.people([f"filling-{number}" for number in range(11)])
        before, file = megabytes(crowd.consumer.pid, "VmRSS"), large_file(pressure.points)

        def press(person):
            with contextlib.suppress(RuntimeError):
                fill(person) if person in people[:3] else ask_for_much(person, file)

        with Watch(crowd) as watch, ThreadPoolExecutor(len(people)) as threads:
            list(threads.map(press, people))
        pressure.judge_consumer(f"memory for {len(people)} people, {before:.0f} MB before", crowd, watch)


def ask_for_much(person, file):
    """Imports a file, and asks at once for whatever is made of all of it."""
    bring(person, file)
    own = {"id": person.data("workouts/list", {"limit": 1})["workouts"][0]["id"]}
    asked = [person.send("workouts/show", own | {"points": 1000}), person.send("workouts/file", own | {"format": "gpx"}),
             person.send("workouts/picture", own | {"format": "png"}), person.send("export/part", {})]
    for key in asked:
        person.reply(key)


PARTS = {"unread": unread, "hashing": hashing, "reading": reading, "uploading": uploading, "filling": filling}


def run(size, seed, only=()) -> Outcome:
    outcome = Outcome("pressure")
    for name, part in PARTS.items():
        # What needs memory most takes minutes; in a short run, uploads show what is kept.
        if name in only if only else not (size == "short" and part is filling):
            began = time.monotonic()
            part(Pressure(size, outcome))
            print(f"  pressure: {name} took {time.monotonic() - began:.0f} s")
    return outcome


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    found = run(sys.argv[1] if len(sys.argv) > 1 else "short", 0, sys.argv[2:])
    for line in found.problems:
        print(line)
    sys.exit(0 if found.holds else 1)
