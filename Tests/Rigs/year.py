"""A sped-up year of one home: eight sensors of eight people, and a gateway, a broker with TLS and a consumer that run unmodified
and with their default settings, but for a silence of an hour that sensors may keep. A preloaded library (leaps.c) moves all clocks of gateway and consumer forward. While people wear
their sensors, for up to half a minute of each day, twenty seconds pass in one; the rest of the day passes at once.

In the first part of the year, each of the programs is stopped, and killed, and started again, and all three at once. The gateway's disk
is full for a day, and the consumer's. The broker's certificate, made by deploy/certificates a year before, expires; for a day
nobody believes the broker, until the certificate is renewed. The gateway's wall clock is set, by up to 40 days, and back to the truth. The
broker starts with another configuration, and without all that it remembered. That stands for an upgrade: a Debian has only one
version of Mosquitto. In the second part, gateway and consumer are never started again, so that their memory can be judged;
the broker still is.

At the end, each heart rate that the gateway had for 50 ms is stored once, for each person and at its true time; the `check` and the
`recount` of a consumer that was started again, and has computed all that waited, find nothing; and memory, threads and descriptors of gateway and consumer have not grown.

Not the same as a year: the machine never boots; broker, message bus and sensors have the machine's clock, the full disk is ENOSPC from a preloaded library
(faults.c), and bytes for the card are those that the kernel counts of each program (write_bytes of /proc/PID/io), without the file
system's own. A year is 365 days in the long form only, 60 in the normal one, and 24 in the short one."""

import contextlib
import dataclasses
import json
import os
import random
import re
import signal
import sqlite3
import statistics
import struct
import subprocess
import time
from pathlib import Path

import faults
from household import PROJECT, RELEASE, SENSOR, free_port, resident_kilobytes, stop
from load import Beat, Home, judge, read_steps
from outcome import Outcome

#: Days, heart rates that each sensor sends in a day (a second apart), and days of the first part.
SIZES = {"short": (24, 12, 17), "normal": (60, 30, 30), "long": (365, 20, 180)}
SENSORS = ["strap"] + [f"strap{number}" for number in range(2, 9)]
DAY = 86_400_000
#: Milliseconds that a certificate of deploy/certificates is valid.
VALIDITY = 397 * DAY
#: While sensors are worn, a second passes in a twentieth of one.
LEAP, PAUSE = 950, 0.05
#: What happens in the first part; in the second; and what lasts until the next morning.
RESTARTS = ["stop gateway", "stop consumer", "stop broker", "kill gateway", "kill consumer", "kill broker", "kill all"]
CALM = ["stop broker", "kill broker"]
WHOLE_DAYS = ["full gateway", "full consumer", "expiry"]
#: What the broker's settings have after the upgrade besides.
UPGRADED = "max_inflight_messages 10\nmax_keepalive 600\n"
#: How many kilobytes of memory a program may gain in the second part, besides a twentieth of what it has; threads; descriptors.
GROWTH, MORE_THREADS, MORE_DESCRIPTORS = 2048, 0, 2


@dataclasses.dataclass
class Sample:
    """Of a program, in the evening."""

    day: int
    resident: int
    threads: int
    descriptors: int


class LongHome(Home):
    """A home whose programs have clocks that leap, disks that fill, and a broker with a certificate."""

    def __init__(self):
        super().__init__(gateway_lines="")
        self.leaped, self.wrong = 0, 0
        self.samples = {"gateway": [], "consumer": []}
        #: Bytes for the card: of each program, in lives that are over.
        self.written = {"gateway": 0, "consumer": 0, "broker": 0}
        self.beats = []

    # Before the first day

    def _make_folder(self):
        folder = super()._make_folder()
        library = Path(__file__).with_name("leaps.c")
        subprocess.run(["cc", "-O2", "-Wall", "-shared", "-fPIC", "-o", folder / "leaps.so", library], check=True)
        for name in ("gateway", "consumer", "authority"):
            (folder / f"{name}.leaps").write_bytes(bytes(16))
            (folder / f"{name}.well").touch()
        faults.library(folder)
        return folder

    def preloads(self, name):
        """The front of a command line by which a program has clocks that leap, and a disk that can be full."""
        libraries = [self.folder / "leaps.so"]
        told = {"VITALS_LEAPS": self.folder / f"{name}.leaps"}
        if name in self.samples:
            libraries.append(self.folder / "faults.so")
            told |= {"FAULT_FOLDER": f"{self.folder / name}/", "FAULT_CALLS": "write,pwrite64,ftruncate", "FAULT_FIRST": 1,
                     "FAULT_ERROR": 28, "FAULT_OVER": self.folder / f"{name}.well"}
        told["LD_PRELOAD"] = ":".join(map(str, libraries))
        return ["env", *(f"{key}={value}" for key, value in told.items())]

    def start(self, name, command, **options):
        if name in self.samples:
            command = [*self.preloads(name), *command]
        if name == "sensor":
            command = [*command, "--sensors", len(SENSORS), "--disconnect-delay", "1ms"]
        return super().start(name, command, **options)

    def enrol(self, bus="system", **settings):
        """With TLS, and eight people."""
        certificates = self.folder / "broker/certs"
        # Made so long ago that it expires when the rig says so; the authority is older.
        self._set("authority", -VALIDITY - DAY, 0)
        self.certify("authority")
        self.tls_port = free_port()
        (self.folder / "broker/server.lines").write_text(
            f"listener {self.tls_port} 127.0.0.1\ncertfile {certificates}/server.crt\nkeyfile {certificates}/server.key\n")
        settings["broker_lines"] = f'tls: {{ ca_file: "{certificates}/authority.crt" }},'
        settings["ports"] = {"gateway": self.tls_port, "consumer": self.tls_port}
        paths = super().enrol(bus, **settings)
        people = "".join(f'{person(name)}: {{ sensors: ["home/{name}"] }}, ' for name in SENSORS)
        text = paths[2].read_text().replace('demo: { sensors: ["home/strap"] }', people)
        paths[2].write_text(text)
        return paths

    def _write_gateway(self, path, *rest):
        super()._write_gateway(path, *rest)
        steps = 'steps: { uuid: "f1700002-76a1-4c53-9d5b-3f5f0d3c1a00", encoding: "uint32" }'
        others = "".join(
            f'{name}: {{ name: "{SENSOR} {number}", silence: "1 h", {steps} }},\n' for number, name in enumerate(SENSORS[1:], 2))
        path.write_text(path.read_text().replace("sensors: { strap: {", f'sensors: {{ {others} strap: {{ silence: "1 h",'))

    def certify(self, *words):
        """deploy/certificates, with the clock of the authority."""
        script = [PROJECT / "deploy/certificates", self.folder / "broker/certs", *words]
        subprocess.run([*self.preloads("authority"), *script], check=True, capture_output=True)

    def make_certificate(self, expiry):
        """The broker's, which expires at this time, in milliseconds from the beginning; and the listener for it."""
        self._set("authority", expiry - VALIDITY, 0)
        self.certify("server", "127.0.0.1", "localhost")
        with open(self.folder / "broker/mosquitto.conf", "a") as settings:
            settings.write((self.folder / "broker/server.lines").read_text())
        stop(self.broker)
        self.start_broker()

    def renew_certificate(self):
        self._set("authority", self.leaped, 0)
        self.certify("renew")
        self.broker.send_signal(signal.SIGHUP)

    # Clocks

    def _set(self, name, leaped, wrong):
        with open(self.folder / f"{name}.leaps", "r+b", buffering=0) as clock:
            clock.write(struct.pack("=qq", leaped, wrong))

    def leap(self, milliseconds):
        self.leaped += milliseconds
        self._set("consumer", self.leaped, 0)
        self._set("gateway", self.leaped, self.wrong)

    def set_clock(self, milliseconds):
        """From now on, the gateway's wall clock is wrong by so much."""
        self.wrong = milliseconds
        self.leap(0)

    def now(self):
        """The true time of the home, in Unix seconds."""
        return time.time() + self.leaped / 1000

    # Programs

    def _follow(self, lines, life):
        """Keeps a gateway's log; it listens once all sensors are connected."""
        connected = set()
        try:
            with lines, open(self.folder / "gateway.log", "ab", buffering=0) as log:
                for line in lines:
                    if found := re.search(rb"sensor (strap\d?): connected", line):
                        connected.add(found[1])
                        if life.listens is None and len(connected) == len(SENSORS):
                            life.listens = time.monotonic()
                    log.write(line)
        except ValueError:
            pass  # The gateway was stopped, and its output closed meanwhile.

    def halt(self, name):
        """Stops a program in order."""
        self.count_written(name)
        program = getattr(self, name)
        stop(program)
        if program.returncode != 0:
            raise RuntimeError(f"the {name}, told to stop, ended with {program.returncode}: {self.log(name)[-2000:]}")
        if name == "gateway":
            # Told to stop, it keeps all that it had: but what came while it stopped is nobody's.
            self.lives[-1].killed = time.monotonic()

    def kill(self, name):
        self.count_written(name)
        super().kill(name)

    def count_written(self, name):
        self.written[name] += bytes_written(getattr(self, name).pid)

    def all_written(self):
        return {name: count + bytes_written(getattr(self, name).pid) for name, count in self.written.items()}

    def sample(self, day):
        for name, samples in self.samples.items():
            pid = getattr(self, name).pid
            samples.append(Sample(
                day, resident_kilobytes(pid), len(os.listdir(f"/proc/{pid}/task")), len(os.listdir(f"/proc/{pid}/fd"))))

    # A day

    def until_listening(self):
        self.wait(self.gateway, "the gateway listens to all sensors", lambda: self.lives[-1].listens is not None)

    def wear(self, count, events):
        """Each sensor sends so many heart rates. `events` are functions to be called on the way, by the number of beats before."""
        self.until_listening()
        for number in range(count):
            for event in events.get(number, ()):
                event()
            value = len(self.beats) + 1
            wall, sent = self.now(), time.monotonic()
            self.tell_sensor(f"heart-rate {value}")
            self.beats.append(Beat(value, sent, time.monotonic(), wall))
            self.sample_waits()
            time.sleep(PAUSE)
            self.sample_waits()
            self.leap(LEAP)

    def until_all_stored(self):
        """Until the gateway has nothing that is not acknowledged; seconds pass quickly meanwhile."""
        self.until_listening()
        self.wait(self.gateway, "the gateway answers", lambda: read_steps(self, 0, 5) is not None)

        def is_all_stored():
            self.leap(LEAP)
            time.sleep(PAUSE)
            return self._held() == (0, 0)

        self.wait(self.gateway, "the outbox is empty", is_all_stored)

    def settle(self):
        """A consumer that knows nothing from before computes all that follows from the readings. Now no clock leaps: a night that leaps
        over its computing counts as time that this took. After each correction of a clock, all days since the boot are computed again, and
        this boot lasts for a year: how long that takes depends on programs and machine, so that only a standstill is a failure."""
        self.halt("consumer")
        self.start_consumer()
        least = self.stale_hours()
        while least:
            self.wait(self.consumer, f"of {least:,} stale hours, some are computed", lambda: self.stale_hours() < least)
            least = min(least, self.stale_hours())

    def stale_hours(self):
        """How many hours of all people are marked as to be computed again."""
        path = f"file:{self.folder}/consumer/vitals.db?mode=ro"
        with contextlib.closing(sqlite3.connect(path, uri=True, timeout=5)) as database:
            return database.execute("SELECT coalesce(sum(last_hour - first_hour + 1), 0) FROM stale").fetchone()[0]

    def night(self, day):
        """Until the next day begins."""
        self.leap((day + 1) * DAY - self.leaped)


def person(sensor):
    return "demo" if sensor == "strap" else sensor.replace("strap", "person")


def bytes_written(pid):
    """What a running program has given to disks: pages that it made dirty."""
    try:
        return int(re.search(r"^write_bytes: (\d+)", Path(f"/proc/{pid}/io").read_text(), re.M)[1])
    except FileNotFoundError:
        return 0


def plan(days, busy, dice):
    """What happens on which day, by its number; the first day is quiet. What takes whole days has the next morning, too."""
    pending = [*RESTARTS, "set clock", "set clock, kill gateway", "upgrade", *WHOLE_DAYS]
    spare = busy - 1 - len(pending) - len(WHOLE_DAYS)
    pending += [dice.choice(RESTARTS) for _ in range(spare)]
    dice.shuffle(pending)
    happens, day = {}, 1
    for what in pending:
        happens[day] = what
        day += 2 if what in WHOLE_DAYS else 1
    happens |= {day: dice.choice(CALM) for day in range(busy + 1, days, 3)}
    return happens


class Year:
    """The days of a home, one after the other."""

    def __init__(self, home, size, dice, outcome):
        self.home, self.dice, self.outcome = home, dice, outcome
        self.days, self.count, self.busy = SIZES[size]
        self.happens = plan(self.days, self.busy, dice)
        self.restarts = 0

    def live(self):
        for day in range(self.days):
            what = self.happens.get(day)
            self.day(day, what)
            self.outcome.cases += what is not None

    def day(self, day, what):
        home = self.home
        before = self.morning(day, self.happens.get(day - 1))
        when = self.dice.randrange(2, self.count - 2)
        home.wear(self.count, {when: [lambda: self.happen(what)]} if what else {})
        if home.wrong:
            home.set_clock(0)
            home.wear(3, {})
        home.sample(day)
        if what in WHOLE_DAYS:
            self.expect_trouble(what, before)
            home.leap(60_000)
        else:
            home.until_all_stored()
        home.night(day)

    def morning(self, day, yesterday):
        """Ends what lasted for a day, and begins what does. Returns how long the logs are."""
        home = self.home
        if yesterday in WHOLE_DAYS:
            kind, _, name = yesterday.partition(" ")
            if kind == "full":
                (home.folder / f"{name}.well").touch()
            else:
                home.renew_certificate()
        if self.happens.get(day) == "expiry":
            home.halt("broker")
            home.start_again("broker")
            self.restarts += 1
        return {name: len(home.log(name)) for name in home.samples}

    def happen(self, what):
        home = self.home
        verb, _, name = what.partition(" ")
        if what.startswith("set clock"):
            home.set_clock(self.dice.choice([-1, 1]) * self.dice.choice([1000, 30_000, 3_600_000, 26 * 3_600_000, 40 * DAY]))
            if name.endswith("gateway"):
                self.restart("kill", "gateway")
        elif verb in ("stop", "kill"):
            for each in self.dice.sample(list(home.written), 3) if name == "all" else [name]:
                self.restart(verb, each)
        elif what == "upgrade":
            home.halt("broker")
            with open(home.folder / "broker/mosquitto.conf", "a") as settings:
                settings.write(UPGRADED)
            home.start_again("broker")
            self.restarts += 1
        elif verb == "full":
            (home.folder / f"{name}.well").unlink()

    def restart(self, verb, name):
        (self.home.halt if verb == "stop" else self.home.kill)(name)
        self.home.start_again(name)
        self.restarts += 1

    def expect_trouble(self, what, before):
        """What was to go wrong all day has really gone wrong: the programs say so, and blocks wait."""
        home = self.home
        name, words = {
            "expiry": ("gateway", "certificate"), "full gateway": ("gateway", "full"), "full consumer": ("consumer", "full"),
        }[what]

        def is_said():
            home.leap(LEAP)
            time.sleep(PAUSE)
            return words in home.log(name)[before[name]:]

        try:
            home.wait(getattr(home, name), f"it speaks of the {what}", is_said, limit=10)
        except TimeoutError:
            self.outcome.problems.append(f"{what}: the {name} has not spoken of it: this day has proved nothing")


def run(size, seed):
    outcome = Outcome("year")
    dice = random.Random(seed)
    with LongHome() as home:
        year = Year(home, size, dice, outcome)
        expiry = next(day for day, what in year.happens.items() if what == "expiry")
        home.make_certificate(expiry * DAY - DAY // 2)
        home.up()
        for name in SENSORS:
            home.wait(home.gateway, f"{name} is recorded", lambda: f"sensor {name}: recorded" in home.log("gateway"))
        begin = home.all_written()
        year.live()
        judge_memory(home, year, outcome)
        written = home.all_written()
        home.settle()
        conclude(home, outcome)
        kinds = ", ".join(f"{day}: {what}" for day, what in sorted(year.happens.items()) if day <= year.busy)
        outcome.remarks.append(f"{year.days} days, {year.restarts} restarts of programs; {kinds}")
        report_writes(home, year, {name: written[name] - begin[name] for name in begin}, outcome)
    return outcome


def conclude(home, outcome):
    """Judges what is stored of each person, and has the consumer check itself."""
    due = stored = printed = 0
    for sensor in SENSORS:
        home.user = person(sensor)
        found = judge(home, home)
        due, stored = due + found.due, stored + found.stored
        printed += found.stored + len(home.stored("steps")) + len(home.stored("temperature"))
        for kind in ("lost", "duplicated", "corrupt"):
            lines = getattr(found, kind)
            setattr(outcome, kind, getattr(outcome, kind) + len(lines))
            outcome.problems += [f"{kind}, {sensor}: {', '.join(lines[:10])}"] if lines else []
    sent = len(home.beats) * len(SENSORS)
    outcome.remarks.append(f"{sent:,} heart rates sent; {due:,} must be stored, {stored:,} are")
    if due < 0.8 * sent:
        outcome.problems.append(f"only {due} of {sent} heart rates must be stored: this run has proved too little")
    if dead := home.dead_letters():
        outcome.problems.append(f"the consumer refused {dead} genuine blocks")
    checked, recounted = ask(home, "check", outcome), ask(home, "recount", outcome)
    if checked and (checked["readings"], checked["lost_in_gaps"]) != (printed, 0):
        outcome.problems.append(f"{printed} readings are printed, and the consumer's check says {checked}")
    if recounted and ((recounted["differing"], recounted["waiting"]) != (0, 0) or recounted["kept"] == 0):
        outcome.problems.append(f"the consumer's recount says {recounted}")


def ask(home, verb, outcome):
    """What a command of the consumer prints, beside the service, at the same time of the year."""
    said = subprocess.run(
        [*home.preloads("consumer"), RELEASE / "vitals-consumer", verb, "--settings", home.consumer_settings],
        capture_output=True, text=True)
    if said.returncode != 0:
        outcome.problems.append(f"vitals-consumer {verb}: status {said.returncode}: {(said.stdout + said.stderr).strip()}")
        return None
    return json.loads(said.stdout)


def judge_memory(home, year, outcome):
    """In the second part, after a quarter of it to warm up, a line is laid through each program's memory."""
    begin = year.busy + (year.days - year.busy) // 4
    for name, samples in home.samples.items():
        weekly = ", ".join(f"{x.resident / 1024:.1f}" for x in samples[::7])
        outcome.remarks.append(f"{name}: MB resident, a figure a week: {weekly}")
        late = [x for x in samples if x.day >= begin]
        slope = statistics.linear_regression([x.day for x in late], [x.resident for x in late]).slope
        growth = slope * (late[-1].day - late[0].day)
        limit = GROWTH + statistics.median(x.resident for x in late) / 20
        threads, descriptors = (
            late[-1].threads - late[0].threads, late[-1].descriptors - late[0].descriptors)
        outcome.remarks.append(
            f"{name}: from day {begin} on {slope:+.1f} KB a day, {growth:+.0f} KB in all (allowed: {limit:.0f}); {late[-1].threads} threads"
            f" ({threads:+d}), {late[-1].descriptors} descriptors ({descriptors:+d})")
        if growth > limit or threads > MORE_THREADS or descriptors > MORE_DESCRIPTORS:
            outcome.problems.append(outcome.remarks[-1])


def report_writes(home, year, written, outcome):
    worn = year.count * len(SENSORS)
    for name, bytes_ in written.items():
        outcome.remarks.append(
            f"{name}: {bytes_ / year.days / 1000:,.0f} kB written to the card a day, with {worn} readings; "
            f"{bytes_ / year.days * 365 / 1e6:,.1f} MB in 365 such days")
    sizes = {name: sum(x.stat().st_size for x in (home.folder / name).iterdir()) for name in ("gateway", "consumer")}
    outcome.remarks.append("; ".join(f"the {name}'s folder has {size / 1e6:.1f} MB" for name, size in sizes.items()))
