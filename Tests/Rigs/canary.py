"""Readings like no others are sent, and then looked for where they must not be: in all files of gateway, consumer and
broker, in their logs at level debug, and in a capture of the topics `blocks`, `control`, `grant` and `grants`. Memory is
not searched.

Each heart rate has a value, an energy and three RR intervals that the rig draws; so have steps and temperatures. They are
looked for as they came (the notification's bytes), as JSON spells them, as digits in logs, as arrays of integers and
doubles of either byte order, and as the columns of a block or a journal record in the clear. Nothing shorter than five
bytes is looked for: chance would find it.

The files are searched while all runs, after all was killed, after a restart, and after a proper end; the broker is made
to keep a persistence file, which the programs do not rely on, with the blocks of a consumer that is away. The same search
finds every reading in the capture of the live topics and in what `vitals-consumer readings` prints, and finds the columns
in the blocks once they are opened with the consumer's keys: so it can find.

A card image of the gateway (its whole state folder, its identity's key with it) is tried against itself: nothing of 32
bytes that lies on it opens a block, a key block or a journal record that lies on it. The same trial does open them with
the session's key, which is in the consumer's database, under the person's key."""

import dataclasses
import hashlib
import json
import random
import re
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path

import wire
from eavesdropper import Eavesdropper
from household import TOPICS, stop
from load import QUICK, Home
from outcome import Outcome

ROOT = "vitals/v1"
#: How many heart rates are sent, how many patterns are looked for at most, how many candidates for a key are tried at most.
SIZES = {"short": (60, 800, 3_000), "normal": (240, 3_000, 40_000), "long": (2_000, 12_000, 400_000)}
LOUD = 'log: "debug",'


@dataclasses.dataclass
class Canary:
    """A heart rate as it was sent."""

    bpm: int
    energy: int
    intervals: list

    @property
    def notification(self) -> bytes:
        """Flags: two bytes of heart rate, no contact, energy, RR intervals. No heart beats so fast: with contact, it would not be shown live."""
        return struct.pack("<BHH3H", 0x1D, self.bpm, self.energy, *self.intervals)


def run(size, seed) -> Outcome:
    outcome, rng = Outcome("canary"), random.Random(seed)
    count, limit, tries = SIZES[size]
    with Home(gateway_lines=QUICK + LOUD, consumer_lines=LOUD) as home:
        keep_persistence_file(home)
        sealed = [f"{ROOT}/gateways/+/{topic}" for topic in ("blocks", "control", "grants", "sensors/+/grant")]
        live = [f"{TOPICS}/sensors/strap/{topic}" for topic in ("heart-rate", "steps/response", "temperature/response")]
        with Eavesdropper(home, "consumer", sealed) as capture, Eavesdropper(home, "consumer", live) as open_capture:
            home.up()
            canaries = send(home, open_capture, rng, count)
            home.until_stored()
            rows = {kind: home.stored(kind) for kind in ("heart-rate", "steps", "temperature")}
            check_rows(rows, canaries, outcome)
            search = Search(patterns(rows, canaries, rng, limit), [row["bpm"] for row in rows["heart-rate"]])
            outcome.cases += len(search.patterns)
            control(home, search, open_capture, rows, outcome)

            everywhere(home, search, "while all runs", outcome)
            away(home, rng, search, outcome)
            everywhere(home, search, "after a restart", outcome)
            card(home, rng, tries, outcome)
            for program in (home.gateway, home.consumer, home.broker):
                stop(program)
            everywhere(home, search, "at the end", outcome)
        found = search.find(b"\n".join(x.topic.encode() + b" " + x.payload for x in capture.heard))
        tell(found, "the capture of the sealed topics", outcome)
        outcome.remarks.append(
            f"{len(search.patterns):,} patterns in {search.searched / 1e6:.0f} MB of files, logs and captures, "
            f"{len(capture.heard):,} messages captured")
    return outcome


def keep_persistence_file(home):
    home.kill("broker")
    settings = home.folder / "broker/mosquitto.conf"
    text = settings.read_text()
    assert "\npersistence false" in text
    text = text.replace("\npersistence false", f"\npersistence true\npersistence_location {home.folder}/broker/")
    settings.write_text(text)
    home.start_broker()


# What is sent

def send(home, live, rng, count) -> list:
    canaries = []
    for value in rng.sample(range(61_000, 65_536), count):  # Above all port numbers that a log may contain.
        canary = Canary(value, rng.randrange(20_000, 65_000), [rng.randrange(20_000, 65_000) for _ in range(3)])
        home.tell_sensor(f"malformed {canary.notification.hex()}")
        home.tell_sensor("heart-rate 60")
        canaries.append(canary)
        time.sleep(0.005)  # A reading has a millisecond of its own.
    for _ in range(3):
        home.tell_sensor(f"temperature {rng.randrange(30_000, 42_000) / 1000:.3f}")
        steps = rng.randrange(3_000_000_000, 4_200_000_000)
        home.tell_sensor(f"steps {steps}")
        for kind in ("steps", "temperature"):
            topic = f"{TOPICS}/sensors/strap/{kind}"
            replies = len([x for x in live.heard if x.topic == f"{topic}/response"])
            live.publish([(f"{topic}/get", b"{}")])
            live.wait("a reply", lambda: len([x for x in live.heard if x.topic == f"{topic}/response"]) > replies)
    return canaries


def check_rows(rows, canaries, outcome):
    """All of it is stored: what is not there cannot be found anywhere."""
    if [row["bpm"] for row in rows["heart-rate"]] != [canary.bpm for canary in canaries]:
        outcome.problems.append("not exactly the heart rates that were sent are stored")
    if len(rows["steps"]) < 3 or len(rows["temperature"]) != 3:
        outcome.problems.append("not all steps and temperatures are stored")


# What is looked for

def patterns(rows, canaries, rng, limit) -> list:
    """Pairs of a name and bytes."""
    made = []
    hearts = [
        {"time": row["time"], "monotonic": 0, "bpm": canary.bpm, "contact": False, "energy_kj": canary.energy,
         "rr_1024": canary.intervals}
        for row, canary in zip(rows["heart-rate"], canaries)]
    for row, canary in zip(hearts, canaries):
        made.append(("the notification", canary.notification))
        made.append(("the JSON", b'"bpm":%d' % canary.bpm))
        made.append(("the JSON", b'"energy_kj":%d' % canary.energy))
        # The rig does not know the monotonic time, a zero here: it looks for what comes before it, and after it.
        head, tail = columns(wire.HEART_RATE, row)
        made += [("a record's columns", head), ("a record's columns", tail)]
        made.append(("the RR column", b"".join(
            wire.zigzag(after - before) for before, after in zip(canary.intervals, canary.intervals[1:]))))
        made += [("intervals", form) for form in arrays(canary.intervals)]
    for first in range(len(hearts) - 3):
        values = [row["bpm"] for row in hearts[first : first + 4]]
        made.append(("the value column", wire.differences(values)[len(wire.zigzag(values[0])):]))
        made += [("values", form) for form in arrays(values)]
    for row in rows["steps"]:
        steps = row["steps"]
        made += [("steps", b"%d" % steps), ("steps", wire.zigzag(steps))]
        made += [("steps", struct.pack(form, steps)) for form in ("<Q", ">Q", "<d", ">d")]
        made.append(("a record's columns", columns(wire.STEPS, row | {"monotonic": 0})[0]))
    for row in rows["temperature"]:
        made += [("temperature", b'"celsius":%s' % json.dumps(row["celsius"]).encode()),
                 ("temperature", struct.pack("<d", row["celsius"])), ("temperature", struct.pack(">d", row["celsius"])),
                 ("a record's columns", columns(wire.TEMPERATURE, row | {"monotonic": 0, "site": None})[0])]
    made = [(name, form) for name, form in made if len(form) >= 5]
    return made if len(made) <= limit else rng.sample(made, limit)


def columns(kind, row):
    """The columns of one reading, before and after its monotonic time."""
    body = wire.write_readings(kind, [row])
    head = 3 + len(wire.zigzag(row["time"]))
    return body[:head], body[head + 1:]


def arrays(values):
    for order in "<>":
        for form in "HIQd":
            yield struct.pack(f"{order}{len(values)}{form}", *values)


class Search:
    def __init__(self, patterns, rates):
        self.patterns = patterns
        self.searched = 0
        self._digits = re.compile(rb"(?<![0-9a-f.])(%s)(?![0-9a-f])" % b"|".join(b"%d" % rate for rate in rates))

    def find(self, data: bytes, is_text=False) -> list:
        """The names of what is in there."""
        self.searched += len(data)
        found = [name for name, form in self.patterns if form in data]
        if is_text:
            found += [f"the digits {digits.decode()}" for digits in self._digits.findall(data)]
        return found


def tell(found, where, outcome):
    if found:
        outcome.problems.append(f"{where}: found {len(found)} times, such as {found[0]}")


def everywhere(home, search, when, outcome):
    """All files of the household and what is in memory, but for the settings of the rig itself."""
    for path in [*home.folder.rglob("*"), *home.memory.iterdir()]:
        if path.is_file() and path.name not in ("silence.csv",):
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                continue  # A database's log, at its end.
            outcome.cases += 1
            tell(search.find(data, is_text=path.suffix == ".log"), f"{when}: {path}", outcome)


def control(home, search, live, rows, outcome):
    """The same search finds every reading where it is to be seen."""
    topics = "\n".join(f"{x.topic} {x.payload.decode()}" for x in live.heard).encode()
    printed = json.dumps([row for kind in rows.values() for row in kind], separators=(",", ":")).encode()
    wanted = [form for name, form in search.patterns if name == "the JSON"]
    for where, data in (("the live topics", topics), ("what is printed", printed)):
        missing = [form for form in wanted if form not in data]
        if missing or not search.find(data):
            outcome.problems.append(f"the search itself does not find {len(missing)} readings in {where}")
    keys = wire.Keys(home.folder / "consumer/keys.db", home.folder / "root.key")
    store = wire.Store(home.folder / "consumer/vitals.db", keys)
    session_keys = store.session_keys()
    opened = b"".join(
        wire.open_body(block, session_keys[block[4:20], block[20:28]]) for block in store.blocks())
    found = search.find(opened)
    if "the value column" not in found or "the RR column" not in found:
        outcome.problems.append(f"the search itself does not find the columns in blocks that are open: {set(found)}")
    search.searched = 0


def away(home, rng, search, outcome):
    """Blocks wait at the broker, which writes them down; then all is killed, and searched as it lies there."""
    home.kill("consumer")
    block = home.last_block()
    more = send_some(home, rng)
    home.wait(home.gateway, "blocks are made", lambda: home.last_block() > block)
    home.broker.send_signal(signal.SIGUSR1)  # Mosquitto writes its file.
    file = home.folder / "broker/mosquitto.db"
    home.wait(home.broker, "the broker's file is there", file.exists)
    more += send_some(home, rng)
    for name in ("gateway", "broker"):
        home.kill(name)
    everywhere(home, search, "after all was killed", outcome)
    leftover = Search(patterns({"heart-rate": [], "steps": [], "temperature": []}, [], rng, 10), [c.bpm for c in more])
    leftover.patterns = [(name, form) for canary in more for name, form in [
        ("the notification", canary.notification), ("the JSON", b'"bpm":%d' % canary.bpm),
        ("the RR column", b"".join(wire.zigzag(b - a) for a, b in zip(canary.intervals, canary.intervals[1:]))),
        *(("intervals", form) for form in arrays(canary.intervals))]]
    outcome.cases += len(leftover.patterns)
    everywhere(home, leftover, "after all was killed, not sent yet", outcome)
    home.start_broker()
    home.start_consumer()
    home.start_gateway()
    home.until_stored()
    everywhere(home, leftover, "after a restart, sent late", outcome)


def send_some(home, rng):
    canaries = []
    for _ in range(20):
        canary = Canary(rng.randrange(61_000, 65_536), rng.randrange(20_000, 65_000),
                        [rng.randrange(20_000, 65_000) for _ in range(3)])
        home.tell_sensor(f"malformed {canary.notification.hex()}")
        home.tell_sensor("heart-rate 60")
        canaries.append(canary)
    return canaries


# The card

def card(home, rng, tries, outcome):
    """What somebody has who pulls the gateway's card: everything in its folder. It opens nothing in it."""
    # Without a folder for readings in memory, the journal on the card has them at once.
    home.kill("gateway")
    memory, home.memory = home.memory, None
    home.start_gateway()
    home.wait(home.gateway, "the gateway listens", lambda: home.lives[-1].listens is not None)
    send_some(home, rng)
    home.wait(home.gateway, "something is in the journal", lambda: home.outbox("SELECT count(*) FROM journal")[0][0])
    home.kill("gateway")
    image = home.folder / "card"
    shutil.copytree(home.folder / "gateway", image)
    shutil.copy(home.gateway_settings, image)
    with wire.read_only(image / "outbox.db") as rows:
        blocks = [block for (block,) in rows.execute("SELECT bytes FROM blocks")]
        records = rows.execute("SELECT stream, session, number, sealed FROM journal").fetchall()
        grants = [message for (message,) in rows.execute("SELECT message FROM grants")]
    people = [wire.read_control(message).grant.person for message in grants]
    candidates = card_keys(image, rng, tries)
    targets = Targets(blocks, records, people)
    outcome.cases += len(candidates)
    opened = [what for candidate in candidates for what in targets.opened_by(candidate)]
    if opened:
        outcome.problems.append(f"the card opens what is on it: {opened[0]}, {len(opened)} times")
    keys = wire.Keys(home.folder / "consumer/keys.db", home.folder / "root.key")
    store = wire.Store(home.folder / "consumer/vitals.db", keys)
    session_keys = store.session_keys()
    person = wire.private(keys.person("demo").stream)
    genuine = [what for key in [person, session_keys.get((targets.block[4:20], targets.block[20:28]), b"")] if key
               for what in targets.opened_by(key)]
    if set(genuine) != {"a block", "a key block"}:
        outcome.problems.append(f"the trial itself does not open what it should: {genuine}")
    shutil.rmtree(image)
    outcome.remarks.append(f"a card image of {len(blocks)} blocks and {len(records)} journal records: {len(candidates):,} "
                           "candidates for a key on it open none")
    home.memory = memory
    home.start_gateway()
    home.until_stored()


def card_keys(image, rng, tries) -> list:
    """Everything of 32 bytes on the card: its key and what derives from it, and every place in every file, or some."""
    seed = wire.key_file(image / "identity.key")
    whole = hashlib.sha512(seed).digest()
    public = wire.public(wire.gateway_identity(image))
    known = [seed, whole[:32], whole[32:], hashlib.sha256(seed).digest(), public, bytes(32)]
    data = [path.read_bytes() for path in sorted(Path(image).rglob("*")) if path.is_file()]
    places = [(file, offset) for file, content in enumerate(data) for offset in range(len(content) - 31)]
    places = rng.sample(places, min(tries, len(places)))
    return known + [data[file][offset : offset + 32] for file, offset in places]


class Targets:
    """A block, its session's key block and a journal record, against which keys are tried."""

    def __init__(self, blocks, records, people):
        self.people = people
        sessions = {block[4:28] for block in blocks if block[2] == wire.READINGS}
        self.key_block = next(block for block in blocks if block[2] == wire.KEY and block[4:28] in sessions)
        self.block = next(block for block in blocks if block[2] == wire.READINGS and block[4:28] == self.key_block[4:28])
        self.record = records[0] if records else None

    def opened_by(self, key):
        """What this key opens, taken for any of the keys that there are."""
        block, key_block = self.block, self.key_block
        for try_key in (key, wire.block_key(key, block[4:20], block[20:28])):
            if opens(try_key, wire.nonce(int.from_bytes(block[28:36], "big")), block[36:], block[:36]):
                yield "a block"
        ephemeral = key_block[36:68]
        try:
            other = wire.X25519PublicKey.from_public_bytes(ephemeral)
            shared = wire.X25519PrivateKey.from_private_bytes(key).exchange(other)
        except ValueError:
            shared = bytes(32)
        for recipient in self.people:
            for try_key in (key, wire.wrapping_key(shared, ephemeral, recipient)):
                if opens(try_key, bytes(12), key_block[68:132], key_block[:36]):
                    yield "a key block"
        if self.record:
            stream, session, number, sealed = self.record
            for try_key in (key, wire.journal_key(key, stream, session)):
                if opens(try_key, wire.nonce(number), sealed, stream + session):
                    yield "a journal record"


def opens(key, nonce, sealed, context):
    try:
        wire.AESGCM(key).decrypt(nonce, sealed, context)
        return True
    except wire.InvalidTag:
        return False
