"""Power cuts: gateway and consumer run under load, and strace records all that they write, flush and say (disk.py). Then the
folders are rebuilt as a power cut at sampled instants might have left them, and each promise that had been made by then
is looked up in them. Of a few states both programs go on, drain, and what is stored at last is compared with what was
there.

The record is of one run in which gateway and consumer are each killed once and started again, and stopped at the end.
What they said is taken from the bytes that had gone into their sockets before the instant: of the gateway the blocks,
live heart rates and replies with steps, of the consumer the acknowledgements and grants. What each state must hold:

- gateway: outbox.db and the identity are there and sound; every block that was sent, with the same bytes; every reading
  that was replied with; every reading that is older than the flush interval (but for those of the last 50 ms before a
  kill, which are load.py's affair); none of them twice, in journal and blocks together; a grant for each stream of the
  journal, without which the gateway would not start again. All is opened with the person's key, and so each value is
  compared.
- consumer: vitals.db and keys.db are sound; every block that was acknowledged is in the ledger, with the digest of what
  the gateway sent, and is stored with the same bytes; where a grant was sent, its stream and the person's secret are
  there.

The age of a reading counts from the time that the gateway gave it. To the flush interval come 50 ms, the slowest flush of
the run, which is the disk's, and half a second for a machine that has others to serve and is slowed by strace.

The control: the same run with fsync and fdatasync turned into nothing by a preloaded library, which is what
`synchronous=OFF` amounts to. It must fail, for the gateway as for the consumer: a rig that finds nothing there finds
nothing."""

import bisect
import contextlib
import dataclasses
import hashlib
import json
import random
import sqlite3
import tempfile
import threading
import time
from pathlib import Path

import disk
import load
import wire
from faults import Fault
from household import stop
from outcome import Outcome

# Seconds of load, number of states, of states of the control, and of states that the programs go on from.
SIZES = {"short": (6, 60, 20, 3), "normal": (16, 400, 60, 12), "long": (60, 3000, 200, 150)}
RATE = 60
# Many blocks, so that in the longer records both databases empty their logs under load.
FLUSH_INTERVAL = 0.25
LINES = 'outbox: { flush_interval: "250 ms", block_interval: "250 ms" },'
PROGRAMS = ["gateway", "consumer"]
SLACK = 0.5


def run(size, seed):
    seconds, count, control_count, continued = SIZES[size]
    choose = random.Random(seed)
    outcome = Outcome("powercut")
    with Recorder() as home:
        record = home.record(seconds)
        for program in PROGRAMS:
            examine(record, program, count // 2, choose, outcome)
        outcome.remarks.append(f"{record.summary()}; the oldest reading that a cut cost was {record.worst_age:.2f} s old")
        go_on(home, record, continued, choose, outcome)
    with Recorder(Fault("fsync,fdatasync", 1, "ignored", lasts=True)) as home:
        control = home.record(min(seconds, 8))
    for program in PROGRAMS:
        found = Outcome("control")
        examine(control, program, control_count // 2, choose, found)
        if found.holds:
            outcome.problems.append(f"without flushes the {program} passed all the same: the rig proves nothing")
        outcome.remarks.append(
            f"control, {program} without flushes: {len(found.problems)} problems in {found.cases} states, {found.lost} lost")
    return outcome


# The record

@dataclasses.dataclass
class Timeline:
    """What one program did, and where its folder began."""

    folder: Path
    base: dict
    events: list
    #: (index of the event, topic, payload) of what it published.
    said: list

    def before(self, index):
        """What it had said before it came to this event."""
        return self.said[:bisect.bisect_left(self.said, index, key=lambda x: x[0])]


@dataclasses.dataclass
class Record:
    timelines: dict
    keys: wire.Keys
    gateway_key: object
    #: Every value that the sensor was told, by kind.
    sent: set
    slowest_flush: float
    #: The times in which a reading may have been lost with a killed gateway, in Unix seconds.
    excused: list
    worst_age: float = 0
    opened: dict = dataclasses.field(default_factory=dict)

    def may_be_gone(self, time, cut):
        """Whether a reading of this time may be missing after a cut; both in Unix seconds."""
        if any(begin <= time <= end < cut for begin, end in self.excused):
            return True
        if cut - time > FLUSH_INTERVAL + 0.05 + self.slowest_flush + SLACK:
            return False
        self.worst_age = max(self.worst_age, cut - time)
        return True

    def summary(self):
        parts = []
        for name, timeline in self.timelines.items():
            kinds = [x.kind for x in timeline.events]
            moved = sum(x.kind == "flush-end" and x.path.endswith(".db") for x in timeline.events)
            flushes = kinds.count("flush-end")
            parts.append(f"{name}: {kinds.count('write'):,} writes, {flushes} flushes, {moved} of them of a database")
        return "; ".join(parts) + f", the slowest took {self.slowest_flush * 1000:.1f} ms"

    def open(self, key, function):
        """Opening is slow, and the states have the same blocks again and again."""
        if key not in self.opened:
            self.opened[key] = function()
        return self.opened[key]


class Recorder(load.Home):
    """A home whose gateway and consumer are traced while it records, with a fault of their disks if there is to be one, and
    with further options for strace."""

    def __init__(self, fault=None, options=()):
        super().__init__(gateway_lines=LINES)
        self._fault, self._options = fault, options
        self._traces = None

    def start(self, name, command, **options):
        if name not in PROGRAMS or self._traces is None:
            return super().start(name, command, **options)
        path = self.folder / f"{name}.{len(self._traces)}.trace"
        if self._fault:
            command = [*self._fault.wrapper(self.folder, name), *command]
        program = super().start(name, disk.traced(list(map(str, command)), str(path), *self._options), **options)
        self._traces.append((name, path, program))
        return program

    def record(self, seconds):
        """Puts everything under load for so long, and returns what was recorded."""
        self._traces = []
        bases = {x: disk.snapshot(self.folder / x) for x in PROGRAMS}
        self.up()
        pause = threading.Event()
        with load.Beats(self, RATE) as beats, load.Steps(self, 0.3) as steps:
            for name in ["gateway", "consumer"]:
                pause.wait(seconds / 3)
                self.kill(name)
                self.start_again(name)
            self.wait(self.gateway, "the gateway listens again", lambda: self.lives[-1].listens is not None)
            pause.wait(seconds / 3)
            self.until_flowing()
            beats.stop()
            steps.stop()
        for program in [self.gateway, self.consumer]:
            stop(program)
        traces, self._traces = self._traces, None
        sent = {("bpm", x.value) for x in beats.beats} | {("steps", x) for x in range(steps._next + 1)}
        return self._read(traces, bases, sent)

    def _read(self, traces, bases, sent):
        timelines = {}
        for name in PROGRAMS:
            reader = disk.TraceReader(self.folder / name)
            for _, path, program in (x for x in traces if x[0] == name):
                self._until_complete(path, program)
                reader.read(path)
                path.unlink()
            sender, said = disk.Sent(), []
            for index, event in enumerate(reader.events):
                if event.kind == "send":
                    said += [(index, topic, payload) for topic, payload in sender.take(event)]
            timelines[name] = Timeline(self.folder / name, bases[name], reader.events, said)
        keys = wire.Keys(self.folder / "consumer/keys.db", self.folder / "root.key")
        flushes = [
            event.at - event.value.at for x in timelines.values() for event in x.events if event.kind == "flush-end"]
        gateway = wire.gateway_identity(self.folder / "gateway").public_key()
        # A killed gateway may lose readings younger than 50 ms; these are the times of those readings.
        wall = time.time() - time.monotonic()
        excused = [(wall + x.killed - load.YOUNG - x.waited, wall + x.killed) for x in self.lives if x.killed]
        return Record(timelines, keys, gateway, sent, max(flushes, default=0), excused)

    def _until_complete(self, path, program):
        """strace ends a little after its program."""
        ends = (f"{program.pid} ", "+++")
        limit = time.monotonic() + 20
        while True:
            with open(path, "rb") as file:
                file.seek(max(0, path.stat().st_size - 4096))
                lines = file.read().decode(errors="replace").splitlines()
            if any(x.startswith(ends[0]) and ends[1] in x for x in lines):
                return
            if time.monotonic() > limit:
                raise RuntimeError(f"the trace {path} does not end")
            time.sleep(0.02)


# The states

def sample(timeline, count, choose):
    """Instants between two events, most of them close to where something was flushed, named or said."""
    said = {index for index, *_ in timeline.said}
    weights = [1] * (len(timeline.events) + 1)
    for index, event in enumerate(timeline.events):
        if index in said or event.kind not in ("write", "send"):
            for near in range(max(0, index - 3), min(len(weights), index + 4)):
                weights[near] = 8
    return sorted(choose.choices(range(len(weights)), weights, k=count))


def examine(record, program, count, choose, outcome):
    """Rebuilds so many states of a program's folder, and checks each."""
    timeline = record.timelines[program]
    follower = disk.Disk(timeline.folder, timeline.base)
    check = {"gateway": check_gateway, "consumer": check_consumer}[program]
    position = 0
    with scratch() as folder:
        for index in sample(timeline, count, choose):
            for event in timeline.events[position:index]:
                follower.follow(event)
            position = index
            disk.rebuild(folder, follower.cut(choose))
            outcome.cases += 1
            try:
                check(record, timeline, index, folder, outcome)
            except Exception as error:
                outcome.corrupt += 1
                outcome.problems.append(f"{program}, cut before event {index}: {error!r}")


@contextlib.contextmanager
def scratch():
    """A folder in memory: what is rebuilt need not outlive anything."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="vitals-cut-", dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder) / "state"


@contextlib.contextmanager
def opened(path):
    """A database as SQLite recovers it; raises where it is not sound."""
    if not path.exists():
        raise FileNotFoundError(path.name)
    database = sqlite3.connect(path, isolation_level=None)
    try:
        finding = database.execute("PRAGMA integrity_check").fetchone()[0]
        if finding != "ok":
            raise sqlite3.DatabaseError(f"{path.name}: {finding}")
        yield database
    finally:
        database.close()


def instant(timeline, index):
    """When an event happened; the end for the one after the last."""
    return timeline.events[min(index, len(timeline.events) - 1)].at


# The gateway's promises

@dataclasses.dataclass
class Held:
    """What lies in an outbox, opened: (kind, value), and how often."""

    blocks: dict
    values: dict

    def add(self, rows):
        for row in rows:
            name = "bpm" if "bpm" in row else "steps"
            key = (name, row[name], row["time"])
            self.values[key] = self.values.get(key, 0) + 1


def held(record, database):
    """All of an outbox. Raises for what does not open, or belongs to nobody."""
    found = Held({}, {})
    keys = {}
    person = record.keys.person("demo").stream
    rows = database.execute("SELECT bytes, stream, session, sequence FROM blocks ORDER BY sequence").fetchall()
    for data, stream, session, sequence in rows:
        header = wire.Header.of(data)
        if (header.stream, header.session, header.seq) != (stream, session, sequence):
            raise wire.Malformed("a block under another's name")
        found.blocks[header.identity] = data
        if header.type == wire.KEY:
            keys[header.session] = record.open(data, lambda: wire.open_key_block(data, person, record.gateway_key))[0]
    for data in found.blocks.values():
        if wire.Header.of(data).type in (wire.READINGS, wire.LOOSE):
            found.add(record.open(data, lambda: wire.open_block(data, keys)))
    granted = {stream for stream, in database.execute("SELECT stream FROM grants")}
    for stream, session, number, sealed in database.execute("SELECT stream, session, number, sealed FROM journal"):
        if stream not in granted:
            raise wire.Malformed("a journal record of a stream without a grant")
        found.add(record.open(
            (session, number, sealed), lambda: wire.open_record(number, sealed, stream, session, keys[session])))
    return found


def check_gateway(record, timeline, index, folder, outcome):
    identity = (folder / "identity.key").read_bytes()
    if identity != timeline.base["identity.key"]:
        raise wire.Malformed("another identity")
    found = Held({}, {})
    # Before the program has said anything there may be no database, or an empty one.
    if (folder / "outbox.db").exists():
        with opened(folder / "outbox.db") as database:
            if has_tables(database):
                found = held(record, database)
    promised(record, timeline, index, found, outcome)


def promised(record, timeline, index, found, outcome):
    """Compares what an outbox holds with what the gateway had said."""
    at = instant(timeline, index)
    for key, count in found.values.items():
        if count > 1:
            outcome.duplicated += 1
            outcome.problems.append(f"gateway, cut before event {index}: {key} is there {count} times")
        if key[:2] not in record.sent:
            outcome.corrupt += 1
            outcome.problems.append(f"gateway, cut before event {index}: {key} was never sent")
    for _, topic, payload in timeline.before(index):
        what = said_by_gateway(topic, payload)
        if what is None:
            continue
        if isinstance(what, bytes):
            if found.blocks.get(wire.Header.of(what).identity) != what:
                outcome.lost += 1
                outcome.problems.append(f"gateway, cut before event {index}: a block that was sent is not there")
        elif what not in found.values:
            age = at - what[2] / 1000
            if what[0] == "bpm" and record.may_be_gone(what[2] / 1000, at):
                continue
            outcome.lost += 1
            outcome.problems.append(f"gateway, cut before event {index}: {what}, {age:.2f} s old, is not there")


def said_by_gateway(topic, payload):
    """The block, or the (kind, value, time), that a message tells of; None for others."""
    if topic.endswith("/blocks"):
        return payload
    if topic.endswith("/heart-rate"):
        said = json.loads(payload)
        return "bpm", said["bpm"], said["time"]
    if "/response" in topic:
        said = json.loads(payload)
        said = said.get("data") or {}
        return ("steps", said["steps"], said["time"]) if "steps" in said else None
    return None


# The consumer's promises

def check_consumer(record, timeline, index, folder, outcome):
    with opened(folder / "keys.db") as database:
        people = database.execute("SELECT count(*) FROM secrets").fetchone()[0] if has_tables(database) else 0
    acknowledged, granted = set(), set()
    for _, topic, payload in timeline.before(index):
        if topic.endswith("/control"):
            said = wire.read_control(payload, record.keys.identity.public_key())
            if said.purpose == wire.ACKNOWLEDGEMENT:
                acknowledged.update(said.identities)
        elif topic.endswith("/grant") and payload:
            granted.add(wire.read_control(payload, record.keys.identity.public_key()).grant.stream)
    if granted and not people:
        raise wire.Malformed("a person's secret is gone that a grant was sent for")
    if not granted and not (folder / "vitals.db").exists():
        return
    with opened(folder / "vitals.db") as database:
        is_made = has_tables(database)
        streams = {x for x, in database.execute("SELECT id FROM streams")} if is_made else set()
        ledger, blocks = stored(database) if is_made else ({}, {})
    if not granted <= streams:
        raise wire.Malformed("a stream is gone that a grant was sent for")
    sent = sent_blocks(record)
    for identity in acknowledged:
        block = sent[identity]
        is_known = ledger.get(identity) == hashlib.sha256(block).digest()
        # A loose block whose records all came before is acknowledged but not stored.
        is_kept = wire.Header.of(block).type in (wire.KEY, wire.LOOSE) or blocks.get(identity) == block[36:]
        if not is_known or not is_kept:
            outcome.lost += 1
            outcome.problems.append(f"consumer, cut before event {index}: an acknowledged block is not there")


def has_tables(database):
    return database.execute("PRAGMA user_version").fetchone()[0] > 0


def stored(database):
    """Digests in the ledger and sealed bytes of the blocks, both by identity."""
    names = {number: stream + session for number, stream, session in database.execute(
        "SELECT sessions.number, streams.id, session FROM sessions JOIN streams ON streams.number = sessions.stream")}
    ledger = {names[session] + seq.to_bytes(8, "big"): digest for session, seq, digest in database.execute(
        "SELECT session, seq, digest FROM ledger")}
    blocks = {}
    for session, seq, sealed in database.execute("SELECT session, seq, sealed FROM blocks"):
        identity = names[session] + seq.to_bytes(8, "big")
        if identity in blocks or identity not in ledger:
            raise wire.Malformed("a block is stored twice, or is not in the ledger")
        blocks[identity] = sealed
    return ledger, blocks


def sent_blocks(record):
    """Every block that the gateway ever sent, by identity."""
    return record.open("sent", lambda: {
        wire.Header.of(payload).identity: payload
        for _, topic, payload in record.timelines["gateway"].said if topic.endswith("/blocks")})


# Going on

def go_on(home, record, count, choose, outcome):
    """Lets gateway and consumer go on from so many instants. Each time one of them, or both, lost their power; who did
    not was only killed."""
    followers = {x: disk.Disk(timeline.folder, timeline.base) for x, timeline in record.timelines.items()}
    positions = dict.fromkeys(PROGRAMS, 0)
    moments = []
    for program in PROGRAMS:
        timeline = record.timelines[program]
        moments += [instant(timeline, x) for x in sample(timeline, count // 2 + count % 2, choose)]
    slowest = 0.0
    for at in sorted(moments)[:count]:
        states = {}
        without = choose.choice([["gateway"], ["consumer"], PROGRAMS])
        for name, follower in followers.items():
            timeline = record.timelines[name]
            index = bisect.bisect_left(timeline.events, at, lo=positions[name], key=lambda x: x.at)
            for event in timeline.events[positions[name]:index]:
                follower.follow(event)
            positions[name] = index
            states[name] = follower.cut(choose) if name in without else follower.whole()
        outcome.cases += 1
        before = (outcome.lost, outcome.duplicated, outcome.corrupt)
        try:
            slowest = max(slowest, continue_from(home, record, states, outcome))
        except (Exception, SystemExit) as error:
            outcome.problems.append(f"after a cut of {' and '.join(without)}: {error}")
        after = (outcome.lost, outcome.duplicated, outcome.corrupt)
        if after != before:
            outcome.problems.append(f"going on after a cut of {' and '.join(without)} at {at:.6f}: "
                                    f"lost, duplicated, corrupt: {before} became {after}")
    outcome.recovery = slowest


def continue_from(home, record, states, outcome):
    """Starts both on these states and waits until all is stored. Returns how long that took."""
    for name, state in states.items():
        disk.rebuild(home.folder / name, state)
    # What was in memory at that instant is not known, so it goes even if the gateway was only killed.
    home.forget_memory()
    due = values_in(record, states)
    home.kill("broker")
    home.start_again("broker")
    begin = time.monotonic()
    home.start_consumer()
    home.start_gateway()
    try:
        home.wait(home.gateway, "the gateway listens", lambda: home.lives[-1].listens is not None)
        home.wait(home.gateway, "the outbox is empty", lambda: home._held() == (0, 0))
        took = time.monotonic() - begin
    finally:
        for program in [home.gateway, home.consumer]:
            stop(program)
    found = {}
    for kind, name in [("heart-rate", "bpm"), ("steps", "steps")]:
        for row in home.stored(kind):
            row = row.get("data", row)
            key = (name, row[name], row["time"])
            found[key] = found.get(key, 0) + 1
    outcome.lost += len(due - set(found))
    outcome.duplicated += sum(count > 1 for count in found.values())
    outcome.corrupt += len(set(found) - due) + home.dead_letters()
    return took


def values_in(record, states):
    """Every reading that lies in these states, gateway's or consumer's."""
    values = set()
    sent = sent_blocks(record)
    with scratch() as folder:
        disk.rebuild(folder, states["gateway"])
        if (folder / "outbox.db").exists():
            with opened(folder / "outbox.db") as database:
                if has_tables(database):
                    values |= set(held(record, database).values)
        disk.rebuild(folder, states["consumer"])
        if (folder / "vitals.db").exists():
            with opened(folder / "vitals.db") as database:
                if has_tables(database):
                    values |= stored_values(record, database, sent)
    return values


def stored_values(record, database, sent):
    person = record.keys.person("demo").stream
    keys, found = {}, Held({}, {})
    blocks = [sent[x] for x in stored(database)[0]]
    for block in sorted(blocks, key=lambda x: wire.Header.of(x).seq):
        header = wire.Header.of(block)
        if header.type == wire.KEY:
            keys[header.session] = record.open(block, lambda: wire.open_key_block(block, person, record.gateway_key))[0]
    for block in blocks:
        if wire.Header.of(block).type in (wire.READINGS, wire.LOOSE):
            found.add(record.open(block, lambda: wire.open_block(block, keys)))
    return set(found.values)
