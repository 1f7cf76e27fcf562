"""Disks that fail: every call on the files of gateway and consumer fails once, one after the other, and what was promised
must still be stored.

A preloaded library (faults.c) counts the calls of an unmodified program in its state folder, and lets one fail with EIO
or ENOSPC, or write only half of its bytes, for real; or that call and all of its kind after it, until the disk is said to
be well again. A first run without faults tells how many calls of each kind there are. The cases:

- `enrolment`: `vitals-gateway identity` and `vitals-consumer identity` in a folder without anything.
- `gateway`, `consumer`: a household from its first start. The gateway gets its grant, ten heart rates and a question for
  steps, everything becomes blocks and is acknowledged, and both stop. Where the fault lasts, either the disk is well
  again while the programs run, or they are stopped while it is broken, and started again.

After a fault a program goes on, or it ends with a message and an exit status; it does not hang, and does not end by a
signal. In the end both run without faults until nothing waits. Then the databases are sound, nothing is stored twice or
was never sent, and there are:

- all that the gateway was sent, where neither program ended or was stopped while something was broken: what could not be
  written waits in memory;
- otherwise, where it was the gateway: all that was replied with, and all that the consumer had before;
- where it was the consumer: everything, since the gateway had it.

Besides, for real: a disk that is full and gets room again, after which a program goes on, or is killed and started again; a
folder that can only be read; a database that another process keeps locked for longer than the five seconds that a program
waits. All but the last need the right to mount, and are left out, with a remark, where there is none."""

import collections
import contextlib
import itertools
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from pathlib import Path

import disk
import faults
import load
from faults import Fault
from household import RELEASE, stop
from outcome import Outcome

# How many cases to run of each program, and of each enrolment; None: all.
SIZES = {"short": (6, 10), "normal": (30, 40), "long": (None, None)}
LINES = 'outbox: { flush_interval: "100 ms", block_interval: "100 ms" },'
PROGRAMS = ["gateway", "consumer"]
ERRORS = {
    "openat": ["EIO", "ENOSPC"], "write": ["EIO", "ENOSPC", "short"], "pwrite64": ["EIO", "ENOSPC", "short"],
    "ftruncate": ["EIO", "ENOSPC"], "fsync": ["EIO", "ENOSPC"], "fdatasync": ["EIO", "ENOSPC"],
}
#: Heart rates of each case, before the fault is over, and after it where the programs had to start again.
FIRST, LATER = range(1000, 1010), range(1010, 1015)
TOLD = {("bpm", x) for x in [*FIRST, *LATER]} | {("steps", x) for x in (0, 4000, 5000, 5001, 5002)}
#: The most that a start, a stop or a recovery may take, in seconds.
LIMIT = 20


def run(size, seed):
    households, enrolments = SIZES[size]
    choose = random.Random(seed)
    outcome = Outcome("io_errors", recovery=0.0)
    with Ailing() as home:
        for program in PROGRAMS:
            enrolment(home, program, enrolments, choose, outcome)
            cases(home, program, households, choose, outcome)
        real = [locked]
        if can_mount(home.folder):
            real += [full, full_and_killed, read_only]
        else:
            outcome.remarks.append("no right to mount: full and read-only file systems were not tried")
        for case in real:
            for program in PROGRAMS:
                try:
                    case(home, program, outcome)
                except Exception as error:
                    outcome.problems.append(f"{program}, {case.__name__}: {error!r}")
    return outcome


class Ailing(load.Home):
    """A home that begins anew for each case, one of whose programs may have a failing disk."""

    #: On a failing disk there may be no database.
    patience = 0

    def __init__(self):
        super().__init__(gateway_lines=LINES)
        self.faulty, self.fault = None, None

    def __enter__(self):
        super().__enter__()
        self.calls, self.over = self.folder / faults.LOG, self.folder / faults.OVER
        self.newborn = {x: disk.snapshot(self.folder / x) for x in PROGRAMS}
        return self

    def start(self, name, command, **options):
        if name == self.faulty:
            command = [*self.fault.wrapper(self.folder, name), *command]
        return super().start(name, command, **options)

    def prepare(self):
        """Folders as after enrolment, and a broker that knows nothing."""
        for name, state in self.newborn.items():
            disk.rebuild(self.folder / name, state)
        self.forget_memory()
        for path in (self.calls, self.over, self.folder / "gateway.log", self.folder / "consumer.log"):
            path.unlink(missing_ok=True)
        self.kill("broker")
        self.start_again("broker")
        self.lives.clear()
        self.faulty = None

    def begin(self, faulty=None, fault=None):
        """The same, and both programs are started, one with a fault."""
        self.prepare()
        self.faulty, self.fault = faulty, fault
        self.start_both()

    def start_both(self):
        self.start_consumer()
        self.start_gateway()

    def until(self, what, limit=LIMIT):
        """Whether it has come about in time; not where a program ends before."""
        end = time.monotonic() + limit
        pause = threading.Event()
        while not what():
            if time.monotonic() > end or any(x.poll() is not None for x in (self.gateway, self.consumer)):
                return what()
            pause.wait(0.02)
        return True

    def is_recording(self):
        return self.lives[-1].listens is not None and "sensor strap: recorded" in self.log("gateway")

    def is_drained(self):
        with contextlib.suppress(sqlite3.Error, TimeoutError):
            return self._held() == (0, 0)
        return False

    def end(self, program, name, outcome, case):
        """Stops a program, where it runs still, and says what is wrong with its end."""
        ended = program.poll()
        begin = time.monotonic()
        if ended is None:
            # In a program's first milliseconds SIGTERM ends it as it ends any other.
            while program.poll() is None and not waits_for_signals(program.pid) and time.monotonic() < begin + 10:
                time.sleep(0.005)
            begin = time.monotonic()
            stop(program)
        took = time.monotonic() - begin
        if took > 14 or program.returncode < 0 or ended == 0:
            outcome.problems.append(f"{case}: the {name} ended with {program.returncode}, {took:.1f} s after SIGTERM")
        elif program.returncode > 0 and not self.log(name).strip():
            outcome.problems.append(f"{case}: the {name} ended with {program.returncode} and no message")

    def end_both(self, outcome, case):
        self.end(self.gateway, "gateway", outcome, case)
        self.end(self.consumer, "consumer", outcome, case)

    def stored_blocks(self):
        """How many blocks the consumer's ledger has."""
        file = f"file:{self.folder}/consumer/vitals.db?mode=ro"
        with contextlib.closing(sqlite3.connect(file, uri=True, timeout=5)) as database:
            return database.execute("SELECT count(*) FROM ledger").fetchone()[0]

    def counts(self):
        """How many calls of each kind there were."""
        with contextlib.suppress(FileNotFoundError):
            return collections.Counter(x.split()[0] for x in self.calls.read_text().splitlines())
        return collections.Counter()

    def was_hit(self):
        with contextlib.suppress(FileNotFoundError):
            return " hit " in self.calls.read_text()
        return False


def choose_faults(counts, limit, choose):
    """Every call with every error, once and lasting; or a sample of these, from all kinds of calls."""
    found = [
        Fault(call, number, error, lasts) for call, count in sorted(counts.items()) for number in range(1, count + 1)
        for error in ERRORS[call] for lasts in (False, True)]
    if limit is None or len(found) <= limit:
        return found
    groups = collections.defaultdict(list)
    for fault in found:
        groups[fault.call].append(fault)
    # Choose from the kinds in turn, so that a rare kind is not left out among hundreds of others.
    for group in groups.values():
        choose.shuffle(group)
    chosen = []
    while len(chosen) < limit:
        for group in groups.values():
            if group and len(chosen) < limit:
                chosen.append(group.pop())
    return chosen


# A household

def cases(home, program, limit, choose, outcome):
    """Lets one call after another fail in a household's first minute."""
    home.begin(program, Fault())
    judge(home, outcome, f"{program} without faults", *scenario(home, outcome, f"{program} without faults"), False)
    counts, missed, begin = home.counts(), 0, time.monotonic()
    chosen = choose_faults(counts, limit, choose)
    for fault in chosen:
        outcome.cases += 1
        case = f"{program}, {fault}"
        restarts = fault.lasts and choose.random() < 0.5
        try:
            missed += not one_case(home, program, fault, restarts, outcome, case + (", restarted" if restarts else ""))
        except Exception as error:
            outcome.problems.append(f"{case}: {error!r}")
    outcome.remarks.append(
        f"{program}: {len(chosen)} faults in {time.monotonic() - begin:.0f} s, {missed} of them at calls that did not come; "
        + ", ".join(f"{count} {call}" for call, count in sorted(counts.items())) + " in a run")


def one_case(home, program, fault, restarts, outcome, case):
    """One household with one fault. Returns whether the fault came about."""
    home.begin(program, fault)
    due, replied, had = scenario(home, outcome, case, is_well=not restarts)
    has_ended = restarts or home.gateway.returncode != 0 or home.consumer.returncode != 0
    hit = home.was_hit()
    if has_ended:
        # The disk works again. What a program owed before it ended must come now.
        home.faulty = None
        home.over.touch()
        if program == "gateway":
            due = due & (replied | had)
        begin = time.monotonic()
        home.start_both()
        if not home.until(lambda: home.is_recording() and home.is_drained()):
            outcome.problems.append(f"{case}: does not recover\n{home.log('gateway')[-500:]}{home.log('consumer')[-500:]}")
        outcome.recovery = max(outcome.recovery, time.monotonic() - begin)
        # And they work as well as ever.
        for value in LATER:
            home.tell_sensor(f"heart-rate {value}")
            due.add(("bpm", value))
        # A question that comes before the gateway has subscribed is lost.
        answers = any(load.read_steps(home, value, 5) is not None for value in (5000, 5001, 5002))
        if not answers or not home.until(home.is_drained):
            outcome.problems.append(f"{case}: does not work after the fault")
        for name in PROGRAMS:
            if getattr(home, name).poll() is not None:
                outcome.problems.append(f"{case}: the {name} ends with {getattr(home, name).poll()} after the fault")
        home.end_both(outcome, case)
    judge(home, outcome, case, due, replied, had, program == "gateway" and has_ended)
    return hit


def scenario(home, outcome, case, is_well=True):
    """A household's first readings, and its end. Returns the (kind, value) that are due, those of which a reply told, and
    those that the consumer had before anything was stopped. `is_well`: lasting faults end before the programs do."""
    is_ready = home.until(home.is_recording, 4)
    if not is_ready and is_well:
        home.over.touch()
        is_ready = home.until(home.is_recording)
        if not is_ready and home.gateway.poll() is None and home.consumer.poll() is None:
            outcome.problems.append(f"{case}: neither ends nor works after the fault")
    due, replied = set(), set()
    for value in FIRST:
        home.tell_sensor(f"heart-rate {value}")
        if is_ready:
            due.add(("bpm", value))
    if is_ready and home.gateway.poll() is None:
        reply = load.read_steps(home, 4000, 3)
        if reply is not None:
            replied.add(("steps", reply[1]))
    due |= replied
    home.until(home.is_drained, 1.5)
    if is_well:
        begin = time.monotonic()
        home.over.touch()
        if is_ready and not home.until(home.is_drained) and all(x.poll() is None for x in (home.gateway, home.consumer)):
            outcome.problems.append(f"{case}: not everything is acknowledged after {LIMIT} s")
        outcome.recovery = max(outcome.recovery, time.monotonic() - begin)
    had = stored_now(home)
    home.end_both(outcome, case)
    return due, replied, set(had)


def stored_now(home):
    """(kind, value) of what the consumer has, and how often. Nothing, where it has not even begun."""
    found = collections.Counter()
    with contextlib.suppress(RuntimeError):
        for kind, name in [("heart-rate", "bpm"), ("steps", "steps")]:
            found.update((name, row.get("data", row)[name]) for row in home.stored(kind))
    return found


def judge(home, outcome, case, due, replied, had, may_lose):
    """Compares what is stored at last with what is due."""
    found = stored_now(home)
    lost = due - set(found)
    outcome.lost += len(lost)
    outcome.duplicated += sum(x > 1 for x in found.values())
    strange = [x for x in found if x not in TOLD]
    damaged = list(unsound(home))
    outcome.corrupt += len(strange) + len(damaged)
    if lost or strange or damaged or any(x > 1 for x in found.values()):
        outcome.problems.append(f"{case}: lost {sorted(lost)}, stored {dict(found)}, damaged {damaged}")


def unsound(home):
    """Databases that do not pass SQLite's own check, and blocks that the consumer refused."""
    for path in [home.folder / "gateway/outbox.db", home.folder / "consumer/vitals.db", home.folder / "consumer/keys.db"]:
        with contextlib.closing(sqlite3.connect(path)) as database:
            if (finding := database.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
                yield f"{path.name}: {finding}"
    if home.dead_letters():
        yield "dead letters"


# Enrolment

def enrolment(home, program, limit, choose, outcome):
    """Identities are made on a failing disk: what was once printed stays."""
    folder, kept = home.folder / program, home.folder / f"{program}.enrolled"
    root = home.folder / "root.key"
    root_bytes = root.read_bytes()
    folder.rename(kept)
    home.calls.unlink(missing_ok=True)

    def identity(fault=None):
        settings = {"gateway": home.gateway_settings, "consumer": home.consumer_settings}[program]
        wrapper = fault.wrapper(home.folder, program) if fault else []
        command = [*wrapper, RELEASE / f"vitals-{program}", "identity", "--settings", settings]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=LIMIT)

    def clean():
        shutil.rmtree(folder, ignore_errors=True)
        if program == "consumer":
            root.unlink(missing_ok=True)
        for path in (home.calls, home.over):
            path.unlink(missing_ok=True)

    clean()
    identity(Fault())
    for fault in choose_faults(home.counts(), limit, choose):
        outcome.cases += 1
        clean()
        said = identity(fault)
        case = f"vitals-{program} identity, {fault}"
        if said.returncode < 0 or (said.returncode and not said.stderr.strip()):
            outcome.problems.append(f"{case}: status {said.returncode}, said {said.stderr!r}")
        home.over.touch()
        again = identity()
        if again.returncode or (not said.returncode and said.stdout != again.stdout):
            outcome.problems.append(
                f"{case}: status {said.returncode}, then without the fault {again.returncode}: {again.stderr.strip()}")
    clean()
    kept.rename(folder)
    if program == "consumer":
        with open(os.open(root, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(root_bytes)


# For real

@contextlib.contextmanager
def mounted(folder, size):
    """A small file system of its own, with the files that the folder has."""
    files = disk.snapshot(folder)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "vitals", folder], check=True)
    try:
        disk.rebuild(folder, files)
        yield
    finally:
        files = disk.snapshot(folder)
        # Anything that a failed case may still have running there ends later.
        subprocess.run(["umount", "--lazy", folder], check=True)
        disk.rebuild(folder, files)


def can_mount(folder):
    trial = folder / "trial"
    trial.mkdir()
    said = subprocess.run(["mount", "-t", "tmpfs", "vitals", trial], capture_output=True)
    if said.returncode == 0:
        subprocess.run(["umount", trial], check=True)
    return said.returncode == 0


def full(home, program, outcome):
    """A disk that is full while readings come, and then gets room again: nothing is lost."""
    full_disk(home, program, outcome, f"{program}, full disk", is_killed=False)


def full_and_killed(home, program, outcome):
    """The same, but the program is killed before there is room, and with it goes what waits in its memory. What a reply
    told of was on the disk by then; what a gateway told to nobody may be lost."""
    full_disk(home, program, outcome, f"{program}, full disk, killed", is_killed=True)


def full_disk(home, program, outcome, case, is_killed):
    outcome.cases += 1
    home.prepare()
    with mounted(home.folder / program, "16m"):
        home.start_both()
        if not home.until(home.is_recording):
            outcome.problems.append(f"{case}: does not start")
        filler = home.folder / program / "filler"
        with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        told = set()
        while "full" not in home.log(program) and len(told) < 20_000:
            value = 1000 + len(told)
            home.tell_sensor(f"heart-rate {value}")
            told.add(("bpm", value))
            # The consumer does not store more than 1,000 readings in a second, because no sensor sends so many.
            time.sleep(0.002)
        if "full" not in home.log(program):
            outcome.problems.append(f"{case}: nothing is said of it\n{home.log(program)[-500:]}")
        due = set(told)
        if program == "gateway":
            replied, refused = ask(home, outcome, case)
            told |= replied | refused
            due = replied if is_killed else due | replied
        if program == "consumer":
            acknowledged = home.outbox("SELECT count(*) FROM blocks WHERE state = 1")[0][0]
            known = home.stored_blocks()
            if acknowledged > known:
                outcome.problems.append(f"{case}: {acknowledged} blocks are acknowledged, {known} are stored")
        if is_killed:
            home.kill(program)
        filler.unlink()
        if is_killed:
            home.start_again(program)
        finish(home, outcome, case, due, told)


def ask(home, outcome, case):
    """Asks for steps while the gateway's disk is full, until one reading was refused and another, later, replied with.

    A full disk takes a little now and then: as much as fits into a log that was just emptied. So a reply is no mistake, but
    a promise, and whether the first reading is refused is chance. Returns the (kind, value) of either sort; what was
    refused may have been kept nevertheless."""
    replied, refused, end = set(), set(), time.monotonic() + LIMIT
    for value in itertools.count(4000):
        reply = load.read_steps(home, value, 5)
        (refused if reply is None else replied).add(("steps", value))
        if (refused and reply is not None) or time.monotonic() > end:
            break
    if not replied:
        outcome.problems.append(f"{case}: nothing was replied with in {LIMIT} s")
    if not refused:
        outcome.problems.append(f"{case}: {len(replied)} readings were replied with, and none was refused")
    return replied, refused


def finish(home, outcome, case, due, told):
    """Everything must be acknowledged. What is due must be stored once, and nothing that was never told."""
    begin = time.monotonic()
    if not home.until(home.is_drained):
        outcome.problems.append(f"{case}: does not recover\n{home.log('gateway')[-500:]}{home.log('consumer')[-500:]}")
    outcome.recovery = max(outcome.recovery, time.monotonic() - begin)
    home.end_both(outcome, case)
    found = stored_now(home)
    if lost := due - set(found):
        outcome.problems.append(f"{case}: lost {sorted(lost)[:20]}")
    outcome.lost += len(lost)
    outcome.duplicated += sum(x > 1 for x in found.values())
    outcome.corrupt += len(set(found) - told) + len(list(unsound(home)))


def read_only(home, program, outcome):
    """A folder that can only be read: the program says so, and ends."""
    case = f"{program}, read-only"
    outcome.cases += 1
    home.begin()
    home.until(home.is_recording)
    home.end_both(outcome, case)
    with mounted(home.folder / program, "16m"):
        subprocess.run(["mount", "-o", "remount,ro", home.folder / program], check=True)
        settings = {"gateway": home.gateway_settings, "consumer": home.consumer_settings}[program]
        command = [RELEASE / f"vitals-{program}", "--settings", settings]
        try:
            said = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
            if said.returncode <= 0 or not said.stderr.strip():
                outcome.problems.append(f"{case}: status {said.returncode}, said {said.stderr!r}")
            else:
                outcome.remarks.append(f"{case}: status {said.returncode}, {said.stderr.strip().splitlines()[0]}")
        except subprocess.TimeoutExpired:
            outcome.problems.append(f"{case}: it neither ends nor says anything")
        subprocess.run(["mount", "-o", "remount,rw", home.folder / program], check=True)


def locked(home, program, outcome):
    """Another process keeps the database locked for longer than a program waits."""
    case = f"{program}, locked"
    outcome.cases += 1
    home.begin()
    if not home.until(home.is_recording):
        outcome.problems.append(f"{case}: does not start")
    path = home.folder / program / {"gateway": "outbox.db", "consumer": "vitals.db"}[program]
    told = {("bpm", value) for value in range(1000, 1100)}
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        begin = time.monotonic()
        for _, value in sorted(told):
            home.tell_sensor(f"heart-rate {value}")
        if program == "consumer":
            # The gateway's blocks wait: nobody acknowledges them.
            home.until(lambda: home._held()[1] > 0)
        home.until(lambda: "locked" in home.log(program) and time.monotonic() - begin > 6)
        if "locked" not in home.log(program):
            outcome.problems.append(f"{case}: nothing is said of it\n{home.log(program)[-500:]}")
        if program == "consumer" and home.outbox("SELECT count(*) FROM blocks WHERE state = 1 AND sequence > 0")[0][0]:
            outcome.problems.append(f"{case}: a block was acknowledged that could not be stored")
        database.execute("ROLLBACK")
    finish(home, outcome, case, told, told)


def waits_for_signals(pid):
    """Whether a process has blocked SIGTERM in order to wait for it. Who waits has it unblocked meanwhile, as Linux tells it; the
    other threads have not."""
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        with contextlib.suppress(OSError):
            blocked = next((x for x in status.read_text().splitlines() if x.startswith("SigBlk:")), "SigBlk: 0")
            if int(blocked.split()[1], 16) & 1 << (signal.SIGTERM - 1):
                return True
    return False
