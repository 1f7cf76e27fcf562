"""A stranger with full rights at the broker, and a neighbour whose gateway is enrolled at the same consumer, try to get a
reading stored that no gateway sealed, and to have the gateway forget, bury or seal to somebody else what is not theirs to
decide.

The gateway `home` and the consumer are the real programs, and there is load all the time. Beside `home/strap`, which is
demo's, the consumer has two more streams: `home/band`, which is guest's, and `next-door/strap`, which is neighbour's. The
rig itself is the gateway of these two: it seals for the band with home's own key, and is the neighbour's gateway in
person. So it has genuine blocks of every type, and can hold them back: each is published only after everything that was
made of it.

What is genuine, and may be stored, the rig knows: what home's outbox holds, and what it has itself sealed and published
where it belongs. A forgery is accepted where the consumer's ledger or blocks have anything else, where home's outbox has
a block acknowledged that is not in the ledger, or buried, or has a grant that the consumer has not published. Both
databases are read from outside, and the consumer's is opened with its keys.

Nothing genuine may suffer: at the end, all that the sensor sent is stored once, all that the rig sealed is acknowledged, no
genuine block was refused, and both programs run, in no more memory than before."""

import collections
import contextlib
import hashlib
import json
import os
import random
import struct
import subprocess
import time

import wire
from eavesdropper import Eavesdropper
from household import TOPICS, resident_kilobytes, stop
from load import Beats, Home, judge
from outcome import Outcome

ROOT = "vitals/v1"
NEXT_DOOR = f"{ROOT}/gateways/next-door"
#: How many of the bits of each genuine message are flipped (None: all), how often everything is done, and how many
#: messages a flood has.
SIZES = {"short": (24, 1, 500), "normal": (None, 1, 2_000), "long": (None, 12, 20_000)}
#: What a program may have grown by at the end, in kilobytes: buffers that it keeps for the next message.
GROWTH = 24_000


def run(size, seed) -> Outcome:
    outcome = Outcome("forgery")
    bits, rounds, flood = SIZES[size]
    with Rig(random.Random(seed), bits, outcome) as rig:
        rig.begin()
        for _ in range(rounds):
            rig.altered_blocks()
            rig.strangers_blocks()
            rig.other_places()
            rig.reordered()
            rig.replayed()
        rig.grants_handed_back()
        rig.held_back_blocks_of_home()
        rig.answers_to_the_gateway()
        rig.hostile(flood)
        rig.end()
        outcome.remarks.append("; ".join(f"{count:,} {what}" for what, count in sorted(rig.cases.items())))
    return outcome


class Rig(contextlib.ExitStack):
    def __init__(self, rng, bits, outcome):
        super().__init__()
        self.rng, self.bits, self.outcome = rng, bits, outcome
        #: How many cases there were of each sort.
        self.cases = collections.Counter()
        #: The block of each identity that may be stored: sealed by the rig, and published where it belongs.
        self.genuine: dict[bytes, bytes] = {}
        #: Grants that the consumer signed.
        self.grants: dict[bytes, wire.Control] = {}
        #: (gateway, identity) of each acknowledgement, and how often.
        self.acknowledged = collections.Counter()
        self.refused = set()
        #: If so, only the rig speaks in its name.
        self.consumer_is_away = False
        self.lost_stream = None
        self.known_forgeries = set()
        self.fences = 0

    # The household

    def begin(self):
        # Without a folder in memory, what is on the card's journal when the gateway is killed will be a loose block.
        home = Home(has_memory=False)
        home.is_broker_limited = False  # The programs themselves must withstand huge messages.
        self.home = self.enter_context(home)
        self.neighbour, self.stranger = wire.new_identity(), wire.new_identity()
        settings = self.home.consumer_settings
        text = settings.read_text()
        for old, new in [
            ("gateways: {", f'gateways: {{ "next-door": {{ identity: "{wire.identity_text(self.neighbour)}" }},'),
            ("people: {", 'people: { guest: { sensors: ["home/band"] }, neighbour: { sensors: ["next-door/strap"] },'),
        ]:
            assert old in text
            text = text.replace(old, new)
        settings.write_text(text)
        state = self.home.folder / "consumer"
        self.keys = wire.Keys(state / "keys.db", self.home.folder / "root.key")
        self.consumer = wire.Ed25519PublicKey.from_public_bytes(wire.public(self.keys.identity))
        self.store = wire.Store(state / "vitals.db", self.keys)
        self.home_identity = wire.gateway_identity(self.home.folder / "gateway")
        self.voice = self.enter_context(Eavesdropper(
            self.home, "consumer",
            [f"{ROOT}/gateways/+/{topic}" for topic in ("blocks", "control", "sensors/+/grant", "health")]
            + [f"{ROOT}/stores/+/consumers/+"], self._hears))
        self.home.up()
        self.voice.wait("the grants are published", lambda: len(self.grants) >= 3)
        for grant in [x.grant for x in self.grants.values()]:
            setattr(self, f"{self.store.streams()[grant.stream][2]}_stream", grant.stream)
        self.people = {x.grant.stream: x.grant.person for x in self.grants.values()}
        self.beats = self.enter_context(Beats(self.home, rate=20))
        self.home.until_flowing()
        # What was in the journal when the gateway is killed comes as a loose block.
        self.crash_gateway()
        self.home.start_gateway()
        self.home.until_flowing()
        # A block that the neighbour can send again, to learn that everything before it was checked.
        self.fence_session = self.sealer(self.neighbour_stream)
        self.deliver([self.fence_session.key_block])
        self.memory = {name: self._memory(name) for name in ("gateway", "consumer")}

    def crash_gateway(self):
        """Kills it while there is something in the journal, which will be a loose block."""
        self.home.wait(self.home.gateway, "something is in the journal",
                       lambda: self.home.outbox("SELECT count(*) > 1 FROM journal")[0][0])
        self.home.kill("gateway")

    def sealer(self, stream):
        """A new session of one of the rig's streams."""
        gateway = self.neighbour if stream == self.neighbour_stream else self.home_identity
        return wire.Sealer(stream, self.people[stream], gateway)

    def topic_of(self, block):
        """Where a genuine block belongs."""
        return f"{NEXT_DOOR if wire.Header.of(block).stream == self.neighbour_stream else TOPICS}/blocks"

    def _memory(self, name):
        return resident_kilobytes(getattr(self.home, name).pid)

    def _hears(self, heard):
        """What the consumer says; on the client's thread."""
        if not heard.topic.endswith(("/control", "/grant")) or self.consumer_is_away:
            return
        try:
            said = wire.read_control(heard.payload, self.consumer)
        except (wire.InvalidSignature, wire.Malformed, UnicodeDecodeError):
            return  # It is a forgery of ours.
        if said.purpose == wire.ACKNOWLEDGEMENT:
            self.acknowledged.update((said.gateway, one) for one in said.identities)
        elif said.purpose == wire.REFUSAL:
            self.refused.add((said.identities[0], said.digest))
        elif said.purpose == wire.GRANT:
            self.grants[heard.payload] = said

    # Publishing, and waiting until it was judged

    def attack(self, sort, messages):
        """Publishes (topic, payload), each a case, and waits until the consumer has judged all of them."""
        self.cases[sort] += len(messages)
        self.outcome.cases += len(messages)
        for start in range(0, len(messages), 1000):
            self.voice.publish(messages[start : start + 1000])
            self.consumer_fence()
        self.check_consumer(sort)

    def consumer_fence(self):
        """A duplicate is acknowledged again once all before it was judged."""
        header = wire.Header.of(self.fence_session.key_block)
        before = self.acknowledged["next-door", header.identity]
        self.voice.publish([(f"{NEXT_DOOR}/blocks", self.fence_session.key_block)])
        self.voice.wait("the consumer has judged", lambda: self.acknowledged["next-door", header.identity] > before, 60)

    def deliver(self, blocks, shuffled=False):
        """Publishes genuine blocks where they belong, as a gateway does: again until all are acknowledged."""
        waiting = {}
        for block in blocks:
            header = wire.Header.of(block)
            self.genuine[header.identity] = block
            waiting["next-door" if header.stream == self.neighbour_stream else "home", header.identity] = block
        before = {key: self.acknowledged[key] for key in waiting}
        for _ in range(5):
            order = list(waiting)
            if shuffled:
                self.rng.shuffle(order)
            self.voice.publish([(self.topic_of(waiting[key]), waiting[key]) for key in order])
            with contextlib.suppress(TimeoutError):
                self.voice.wait("acknowledgements", lambda: all(self.acknowledged[key] > before[key] for key in waiting), 3)
            waiting = {key: block for key, block in waiting.items() if self.acknowledged[key] == before[key]}
            if not waiting:
                return
        types = sorted(wire.Header.of(block).type for block in waiting.values())
        self.outcome.problems.append(f"{len(waiting)} genuine blocks were never acknowledged, of types {types}")
        self.outcome.lost += len(waiting)

    # Judging

    def check_consumer(self, when):
        """Nothing is in the consumer's database but what is genuine."""
        ledger, stored = self.store.ledger(), self.store.blocks()
        outbox = {wire.Header.of(block).identity: block for (block,) in self.home.outbox("SELECT bytes FROM blocks")}
        genuine = outbox | self.genuine
        found = [one for one, digest in ledger.items()
                 if one not in genuine or hashlib.sha256(genuine[one]).digest() != digest]
        found += [block for block in stored if genuine.get(wire.Header.of(block).identity) != block]
        found += [stream for stream in self.store.streams() if stream not in self.people and stream != self.lost_stream]
        self.accepted([("the consumer", one) for one in found], f"{when}: the consumer has what nobody sealed")
        refused = [one for one, digest in list(self.refused) if one in genuine and wire.digest(genuine[one]) == digest]
        if refused:
            self.outcome.problems.append(f"{when}: the consumer refused {len(refused)} genuine blocks")
        self.refused.clear()
        for name in ("gateway", "consumer"):
            self.is_running(name, when)

    def check_gateway(self, when, buried=()):
        """The gateway has forgotten nothing that is not stored, buried nothing but this, and has the consumer's own
        grants."""
        rows = self.home.outbox("SELECT stream, session, sequence, state FROM blocks")
        ledger = self.store.ledger()
        for stream, session, sequence, state in rows:
            one = stream + session + struct.pack(">q", sequence)
            if (state == 1 and one not in ledger) or (state == 2 and one not in buried):
                what = ["", "forgotten", "buried"][state]
                self.accepted([("the gateway", one)], f"{when}: the gateway has {what} a block")
        for sensor, message in self.home.outbox("SELECT sensor, message FROM grants"):
            if message not in self.grants or self.grants[message].grant.sensor != sensor:
                self.accepted(
                    [("the gateway", message)], f"{when}: the gateway has a grant for {sensor} that is not the consumer's")

    def accepted(self, forgeries, what):
        """Counts forgeries that were taken for genuine, each once."""
        new = [one for one in forgeries if one not in self.known_forgeries]
        self.known_forgeries.update(new)
        self.outcome.forged += len(new)
        if new:
            self.outcome.problems.append(f"{what} ({len(new)})")

    def is_running(self, name, when):
        program = getattr(self.home, name)
        was_killed = name == "gateway" and self.home.lives[-1].killed is not None
        if program.poll() is not None and not was_killed:
            self.outcome.problems.append(
                f"{when}: the {name} has ended with {program.returncode}: {self.home.log(name)[-500:]}")
            raise RuntimeError(f"the {name} has ended")

    # What can be made of a genuine message

    def altered(self, message):
        """Every bit flipped, or some; every truncation, or some; extended; some bytes replaced."""
        bits = range(len(message) * 8)
        lengths = range(len(message))
        if self.bits:
            bits = self.rng.sample(bits, min(self.bits, len(bits)))
            lengths = self.rng.sample(lengths, min(6, len(lengths)))
        for bit in bits:
            flipped = bytearray(message)
            flipped[bit // 8] ^= 1 << bit % 8
            yield bytes(flipped)
        for length in lengths:
            yield message[:length]
        for more in (b"\0", b"\xff", message[-16:], message, bytes(70_000)):
            yield message + more
        for _ in range(8):
            changed = bytearray(message)
            for _ in range(self.rng.randrange(2, 9)):
                changed[self.rng.randrange(len(changed))] = self.rng.randrange(256)
            if bytes(changed) != message:
                yield bytes(changed)

    def one_session(self, stream):
        """A genuine session with a block of every type; the loose one carries records of a session before it, whose key
        block comes first."""
        old, new = self.sealer(stream), self.sealer(stream)
        now = int(time.time() * 1000)
        rate = self.rng.randrange(1, 60_000)
        record = wire.write_readings(
            wire.HEART_RATE, [{"time": now - 5000, "monotonic": 5, "bpm": rate, "rr_1024": [800, 812]}])
        rows = [{"time": now + 1000 * index, "monotonic": 10_000, "bpm": 60 + index, "contact": True} for index in range(5)]
        blocks = [
            new.block(wire.READINGS, wire.write_readings(wire.HEART_RATE, rows)),
            new.block(wire.READINGS, wire.write_readings(wire.STEPS, [{"time": now, "monotonic": 10, "steps": rate}])),
            new.block(wire.LOOSE, wire.write_loose(old.session, [(0, old.record(0, record))])),
            new.block(wire.CLOCK, wire.write_clock(new.boot, 0, 1)),
            new.block(wire.GAP, wire.write_gap(3, now - 9000, now - 8000, 1)),
        ]
        return [old.key_block, new.key_block, *blocks]

    def everywhere(self, blocks):
        return [(f"{gateway}/blocks", block) for block in blocks for gateway in (TOPICS, NEXT_DOOR)]

    # Cases for the consumer

    def altered_blocks(self):
        """Altered ones before the genuine block, and after it."""
        for stream in (self.guest_stream, self.neighbour_stream):
            blocks = self.one_session(stream)
            for block in blocks:
                variants = list(self.altered(block))
                if self.bits and stream == self.neighbour_stream:
                    variants = self.rng.sample(variants, 12)
                topic = self.topic_of(block)
                self.attack("altered, before the genuine block", [(topic, one) for one in variants])
                self.deliver([block])
                self.attack("altered, after the genuine block", [(topic, one) for one in self.rng.sample(variants, 8)])

    def strangers_blocks(self):
        """Whole sessions with keys of the stranger's, and of the neighbour's for streams that are not his."""
        messages = []
        for signer in (self.stranger, self.neighbour):
            for stream, person in self.people.items():
                if signer is self.neighbour and stream == self.neighbour_stream:
                    continue
                for recipient in (person, wire.public(wire.X25519PrivateKey.generate())):
                    forged = wire.Sealer(stream, recipient, signer)
                    body = wire.write_readings(wire.HEART_RATE, [{"time": 1_700_000_000_000, "monotonic": 1, "bpm": 66}])
                    messages += [forged.key_block, forged.block(wire.READINGS, body),
                                 forged.block(wire.CLOCK, wire.write_clock(forged.boot, 10**9, 10**9))]
                    # Also under the session of a genuine block: the first key block of a session wins.
                    known = [x for x in self.genuine.values() if wire.Header.of(x).stream == stream]
                    if known:
                        forged.session = wire.Header.of(self.rng.choice(known)).session
                        messages.append(wire.make_key_block(
                            stream, forged.session, forged.key, forged.boot, recipient, signer))
                        messages.append(forged.block(wire.READINGS, body))
        # The neighbour's own session carries home's journal, as it lies on a card.
        own = self.sealer(self.neighbour_stream)
        self.deliver([own.key_block])
        journal = self.home.outbox("SELECT stream, session, number, sealed FROM journal LIMIT 8")
        for stream, session, number, sealed in journal:
            body = wire.write_loose(session, [(number, sealed)])
            messages.append(own.block(wire.LOOSE, body))
            messages.append(wire.seal(wire.Header(wire.LOOSE, stream, own.session, own.next), body, own.key))
        self.attack("made with other keys", self.everywhere(messages))

    def other_places(self):
        """Genuine blocks and their bodies in another stream, session, place or type, and of another gateway."""
        known = [block for block in self.genuine.values()]
        known += [block for (block,) in self.home.outbox("SELECT bytes FROM blocks ORDER BY id DESC LIMIT 40")]
        sessions = list({(wire.Header.of(block).stream, wire.Header.of(block).session) for block in known})
        made = []
        for block in self.rng.sample(known, min(len(known), 12 if self.bits else 60)):
            header, body = wire.Header.of(block), block[36:]
            for stream, session in self.rng.sample(sessions, min(len(sessions), 3 if self.bits else 12)):
                made.append(wire.Header(header.type, stream, session, header.seq).bytes + body)
                made.append(wire.Header(header.type, stream, header.session, header.seq).bytes + body)
            if header.type != wire.KEY:
                made.append(wire.Header(header.type, header.stream, header.session, header.seq + 1).bytes + body)
                made += [wire.Header(other, header.stream, header.session, header.seq).bytes + body
                         for other in range(wire.READINGS, wire.GAP + 1) if other != header.type]
        self.attack("in another place", self.everywhere(x for x in made if x not in known))
        # Blocks that have not been delivered, on the other gateway's topic; then where they belong.
        for stream, elsewhere in ((self.guest_stream, NEXT_DOOR), (self.neighbour_stream, TOPICS)):
            blocks = self.one_session(stream)
            self.attack("on another gateway's topic", [(f"{elsewhere}/blocks", block) for block in blocks])
            self.deliver(blocks[:2])
            self.attack("on another gateway's topic", [(f"{elsewhere}/blocks", block) for block in blocks])
            self.deliver(blocks)

    def reordered(self):
        """Windows of 32 genuine blocks of several sessions, shuffled; key blocks after the blocks that they open, too."""
        for _ in range(1 if self.bits else 3):
            blocks = []
            while len(blocks) < 32:
                blocks += self.one_session(self.rng.choice([self.guest_stream, self.neighbour_stream]))
            self.rng.shuffle(blocks)
            self.cases["reordered"] += len(blocks)
            self.outcome.cases += len(blocks)
            self.deliver(blocks, shuffled=True)
            self.check_consumer("reordered")

    def replayed(self):
        """The same bytes again after all the others, before and after a restart of the consumer: acknowledged, not
        stored."""
        everything = list(self.genuine.values())
        everything += [block for (block,) in self.home.outbox("SELECT bytes FROM blocks WHERE state = 1")]
        if self.bits:
            everything = self.rng.sample(everything, min(60, len(everything)))
        before = len([x for x in self.store.blocks() if wire.Header.of(x).stream != self.demo_stream])
        self.attack("replayed", [(self.topic_of(block), block) for block in everything])
        self.home.kill("consumer")
        self.home.start_consumer()
        self.until_back()
        half = self.rng.sample(everything, len(everything) // 2)
        self.attack("replayed", [(self.topic_of(block), block) for block in half])
        after = len([x for x in self.store.blocks() if wire.Header.of(x).stream != self.demo_stream])
        if after != before:
            self.outcome.duplicated += after - before
            self.outcome.problems.append(f"replayed blocks are stored again: {after - before}")

    def until_back(self):
        """The consumer answers again."""
        for _ in range(60):
            with contextlib.suppress(TimeoutError):
                header = wire.Header.of(self.fence_session.key_block)
                before = self.acknowledged["next-door", header.identity]
                self.voice.publish([(f"{NEXT_DOOR}/blocks", self.fence_session.key_block)])
                return self.voice.wait(
                    "an answer", lambda: self.acknowledged["next-door", header.identity] > before, 0.5)
        raise TimeoutError("the consumer does not answer within 30 s after its start")

    def grants_handed_back(self):
        """A gateway hands back the grants that it holds, for a consumer that was restored from a backup. What the
        consumer did not sign, or signed for another gateway, makes no stream."""
        known = next(x for x in self.grants.values() if x.grant.stream == self.demo_stream)
        grant = wire.Grant(5, "strap", os.urandom(16), 0, 0, known.grant.person)
        lost = wire.Control(wire.GRANT, known.store, "home", grant=grant)
        genuine = lost.signed(self.keys.identity)
        forged = [lost.signed(signer) for signer in (self.stranger, self.neighbour, self.home_identity)]
        forged += self.altered(genuine)
        forged += [wire.Control(wire.GRANT, known.store, "next-door", grant=grant).signed(self.keys.identity)]
        acknowledgement = wire.Control(wire.ACKNOWLEDGEMENT, known.store, "home", identities=(os.urandom(32),))
        forged += [acknowledgement.signed(self.keys.identity)]
        self.attack("grants handed back", [(f"{TOPICS}/grants", one) for one in forged]
                    + [(f"{NEXT_DOOR}/grants", one) for one in forged[:-2] + [genuine]])
        # It accepts a grant that it signed, for a store that it does not remember.
        self.lost_stream = grant.stream
        self.voice.publish([(f"{TOPICS}/grants", genuine)])
        self.consumer_fence()
        if grant.stream not in self.store.streams():
            self.outcome.problems.append("a grant of its own that was handed back is not taken")

    # Cases with blocks of the gateway itself, and for the gateway

    def held_back_blocks_of_home(self):
        """While the consumer is away, home seals; then the gateway is away, and the rig publishes what it sealed:
        altered, then shuffled. What the consumer says to that the gateway does not hear, and so there are answers to
        forge."""
        stop(self.home.consumer)
        last = self.home.last_block()
        self.home.wait(self.home.gateway, "home seals", lambda: self.home.last_block() >= last + 4)
        self.crash_gateway()
        self.home.start_gateway()  # A loose block, and the key block of a new session.
        self.home.wait(self.home.gateway, "home seals", lambda: self.home.last_block() >= last + 8)
        self.crash_gateway()
        held = [block for (block,) in self.home.outbox("SELECT bytes FROM blocks WHERE state = 0 ORDER BY id")]
        types = collections.Counter(wire.Header.of(block).type for block in held)
        if not all(types[kind] for kind in (wire.KEY, wire.READINGS, wire.LOOSE)):
            self.outcome.problems.append(f"the rig wanted key, readings and loose blocks of home's, and has {dict(types)}")
        self.home.start_consumer()
        self.until_back()
        chosen = [next(block for block in held if wire.Header.of(block).type == kind) for kind in types]
        for block in chosen:
            self.attack_without_gateway("altered blocks of home, before them", block)
        self.cases["reordered"] += len(held)
        self.outcome.cases += len(held)
        self.deliver(held, shuffled=True)
        for block in chosen:
            self.attack_without_gateway("altered blocks of home, after them", block)
        stop(self.home.consumer)
        self.check_goodbye()
        self.consumer_is_away = True
        self.home.start_gateway()
        self.home.wait(self.home.gateway, "the gateway listens", lambda: self.home.lives[-1].listens is not None)
        self.unheard = held
        self.gateway_fence()

    def check_goodbye(self):
        """A gateway is not to send to a consumer that has gone: its last word is that it goes."""
        topic = f"{ROOT}/stores/{self.store.id.hex()}/consumers/main"
        with contextlib.suppress(TimeoutError):
            return self.voice.wait(
                "the goodbye", lambda: b"offline" in [x.payload for x in self.voice.heard if x.topic == topic][-1], 5)
        self.outcome.problems.append("the consumer has gone, and its status at the broker says that it is there")

    def attack_without_gateway(self, sort, block):
        variants = list(self.altered(block))
        self.attack(sort, [(f"{TOPICS}/blocks", one) for one in variants])

    def answers_to_the_gateway(self):
        """Acknowledgements, refusals, key requests and grants: with other keys, altered, for others. The consumer is
        away, so that all that comes is ours; home holds blocks that nobody has told it to forget."""
        waiting = [stream + session + struct.pack(">q", sequence) for stream, session, sequence in
                   self.home.outbox("SELECT stream, session, sequence FROM blocks WHERE state = 0")]
        if not waiting:
            self.outcome.problems.append("home holds nothing that could be forgotten")
        block = self.unheard[-1]
        one, store = wire.Header.of(block).identity, self.store.id
        grant = next(x.grant for x in self.grants.values() if x.grant.sensor == "strap" and x.gateway == "home")
        newer = wire.Grant(grant.serial + 1000, "strap", grant.stream, grant.start, 0, grant.person)
        genuine = {
            "acknowledgement": wire.Control(wire.ACKNOWLEDGEMENT, store, "home", identities=(one,)),
            "refusal": wire.Control(wire.REFUSAL, store, "home", identities=(one,), digest=wire.digest(block), reason=1),
            "key request": wire.Control(wire.KEY_REQUEST, store, "home", stream=one[:16], session=one[16:24]),
            "grant": wire.Control(wire.GRANT, store, "home", grant=newer),
        }
        for sort, message in genuine.items():
            topic = f"{TOPICS}/sensors/strap/grant" if sort == "grant" else f"{TOPICS}/control"
            forged = [message.signed(signer) for signer in (self.stranger, self.neighbour, self.home_identity)]
            forged += self.altered(message.signed(self.keys.identity))
            forged += self.meant_for_others(message)
            self.tell_gateway(f"{sort}s", [(topic, payload) for payload in forged])
        self.tell_gateway("grants of the stranger's", self.strangers_grants(newer))
        self.tell_gateway("grants on another topic", [
            (f"{TOPICS}/{place}", genuine["grant"].signed(self.keys.identity))
            for place in ("control", "sensors/band/grant", "sensors/other/grant", "blocks")])
        self.cases_that_are_taken(genuine)
        self.consumer_is_away = False
        self.home.start_consumer()
        self.until_back()

    def cases_that_are_taken(self, genuine):
        """The same without a change is taken: so the cases before were judged by what was wrong with them."""
        last, before = self.unheard[-1], self.unheard[-2]
        one = wire.Header.of(before).identity
        genuine["refusal"] = wire.Control(
            wire.REFUSAL, self.store.id, "home", identities=(one,), digest=wire.digest(before), reason=1)
        grant = genuine["grant"].signed(self.keys.identity)
        self.grants[grant] = genuine["grant"]
        self.voice.publish(
            [(f"{TOPICS}/control", genuine[sort].signed(self.keys.identity)) for sort in ("acknowledgement", "refusal")]
            + [(f"{TOPICS}/sensors/strap/grant", grant)])
        self.gateway_fence()
        states = dict(self.home.outbox("SELECT bytes, state FROM blocks"))
        if (states[last], states[before]) != (1, 2):
            self.outcome.problems.append(f"the consumer's own answers were not taken: {states[last]}, {states[before]}")
        if (grant,) not in self.home.outbox("SELECT message FROM grants"):
            self.outcome.problems.append("the consumer's own grant was not taken")
        self.buried = {one}
        self.check_gateway("the consumer's own answers", self.buried)

    def meant_for_others(self, message):
        """Signed by the consumer, and meant for another gateway, from another store, or replayed under another purpose."""
        identity = self.keys.identity
        fields = {name: getattr(message, name) for name in message.__dataclass_fields__}
        if message.purpose != wire.GRANT:  # A grant of another store counts as that of a restored consumer.
            yield wire.Control(**fields | {"store": os.urandom(16)}).signed(identity)
        yield wire.Control(**fields | {"gateway": "next-door"}).signed(identity)
        if message.purpose == wire.REFUSAL:
            yield wire.Control(**fields | {"digest": os.urandom(16)}).signed(identity)
        signed = message.signed(identity)
        yield message.unsigned + identity.sign(message.unsigned)  # Without the prefix of a control message.
        yield signed[:-32] + ((int.from_bytes(signed[-32:], "little") + ORDER) % 2**256).to_bytes(32, "little")
        yield message.unsigned + bytes(64)

    def strangers_grants(self, grant):
        """Grants that would have the gateway seal to the stranger, or not at all."""
        own = wire.public(wire.X25519PrivateKey.generate())
        other = os.urandom(16)
        for person, stream in ((own, grant.stream), (own, other), (grant.person, other), (bytes(32), grant.stream)):
            for serial in (grant.serial, 2**63 - 1, 2**64 - 1):
                for store in (self.store.id, os.urandom(16)):
                    made = wire.Grant(serial, "strap", stream, 0, self.rng.choice([0, 1]), person, self.rng.choice([0, 7]))
                    message = wire.Control(wire.GRANT, store, "home", grant=made)
                    for signer in (self.stranger, self.neighbour):
                        yield f"{TOPICS}/sensors/strap/grant", message.signed(signer)

    def tell_gateway(self, sort, messages):
        messages = list(messages)
        self.cases[sort] += len(messages)
        self.outcome.cases += len(messages)
        self.voice.publish(messages)
        answered = self.gateway_fence()
        if answered != 1:
            self.outcome.forged += answered - 1
            self.outcome.problems.append(
                f"{sort}: the gateway answered {answered - 1} key requests that are not the consumer's")
        self.check_gateway(sort)
        self.is_running("gateway", sort)

    def gateway_fence(self):
        """The gateway answers the consumer's own key request once all before it was judged.
        - Returns: how often it has published a key block of that session meanwhile."""
        header = wire.Header.of(next(x for x in self.unheard if wire.Header.of(x).type == wire.KEY))
        key_block = next(x for x in self.unheard if wire.Header.of(x) == header)
        request = wire.Control(wire.KEY_REQUEST, self.store.id, "home", stream=header.stream, session=header.session)
        heard = (f"{TOPICS}/blocks", key_block)
        before, self.fences = self.fences, self.voice.counts[heard] + 1
        self.voice.publish([(f"{TOPICS}/control", request.signed(self.keys.identity))])
        self.voice.wait("the gateway has judged", lambda: self.voice.counts[heard] >= self.fences)
        count, self.fences = self.voice.counts[heard] - before, self.voice.counts[heard]
        return count

    # For both

    def hostile(self, flood):
        """Nonsense, retained, empty and huge, on every topic that the programs listen to."""
        store = self.store.id.hex()
        places = [f"{TOPICS}/blocks", f"{TOPICS}/control", f"{TOPICS}/sensors/strap/grant", f"{TOPICS}/sensors/other/grant",
                  f"{TOPICS}/status", f"{TOPICS}/sensors/strap/steps/get", f"{TOPICS}/sensors/strap/temperature/get",
                  f"{TOPICS}/grants", f"{NEXT_DOOR}/blocks", f"{ROOT}/stores/{store}/consumers/main",
                  f"{ROOT}/stores/{os.urandom(16).hex()}/consumers/main", f"{ROOT}/stores/{store}/consumers/other"]
        payloads = [b"", b"\0", b"{}", b"[" * 4000, b'{"state":"offline"}', b'{"state":"online"}', b"offline",
                    b'{"state":' + b"[" * 60_000, b"\xff" * 36, os.urandom(300), bytes(1 << 20), b"9" * 5_000_000]
        retained = [(topic, payload) for payload in payloads for topic in places]
        self.rng.shuffle(retained)
        self.flood("nonsense, retained", retained, retain=True)
        self.still_flows("after nonsense")
        # The consumer's own status is deleted or replaced.
        for payload in (b"", b"nonsense", b'{"state":"offline"}'):
            self.flood("nonsense, retained", [(f"{ROOT}/stores/{store}/consumers/main", payload)], retain=True)
            self.still_flows(f"after the consumer's status became {payload.decode()!r}")
        genuine = self.rng.choice(list(self.genuine.values()))
        names = ["HOME", "", "home ", "a" * 37, "é", "..", "a" * 60_000, "$SYS", "\u202e"]
        bad = [f"{ROOT}/gateways/{name}/blocks" for name in names]
        rests = ["blocks/", "blocks/0", "/blocks", "control/", "requests/x"]
        rests += ["sensors//grant", "sensors/A/grant", "sensors/strap/grant/x"]
        bad += [f"{ROOT}/gateways/home/{rest}" for rest in rests]
        bad += [f"{ROOT}/stores/{name}/consumers/main" for name in ("", "0" * 31, "G" * 32, "0" * 64)]
        self.flood("topics that are none", [(topic, payload) for topic in bad for payload in (genuine, b"", b"\0" * 100)])
        self.flood("unknown gateways", [
            (f"{ROOT}/gateways/g{self.rng.randrange(10**9)}/blocks", genuine) for _ in range(flood)])
        online = b'{"state":"online"}'
        self.flood("consumers that are none", [
            (f"{ROOT}/stores/{self.rng.randbytes(16).hex()}/consumers/x{index}", online) for index in range(flood)])
        unknown = [wire.Header(wire.READINGS, self.rng.randbytes(16), self.rng.randbytes(8), 1).bytes + bytes(40)
                   for _ in range(flood)]
        self.flood("unknown streams", [(f"{TOPICS}/blocks", block) for block in unknown])
        # Now a starting gateway meets what the broker has retained.
        self.home.kill("gateway")
        self.home.start_gateway()
        self.home.wait(self.home.gateway, "the gateway listens", lambda: self.home.lives[-1].listens is not None)
        self.still_flows("after the gateway's restart")
        self.second_consumer(store)

    def still_flows(self, when):
        """Readings reach the consumer. Where they do not, that is a problem, and a consumer that comes anew mends it."""
        try:
            self.home.until_flowing(limit=30)
        except TimeoutError:
            self.outcome.problems.append(f"{when}: the gateway does not send any more")
            self.home.kill("consumer")
            self.home.start_consumer()
            self.until_back()
            self.home.until_flowing()

    def second_consumer(self, store):
        """Somebody says that he is the store's consumer: the one that runs gives way, as it is meant to, with a status
        that has it started again; then it stays."""
        self.cases["consumers that are none"] += 1
        self.outcome.cases += 1
        status = [(f"{ROOT}/stores/{store}/consumers/main", b'{"state":"online","instance":"0123456789abcdef"}')]
        self.voice.publish(status, retain=True)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.home.consumer.wait(20)
        if self.home.consumer.returncode not in (None, 1, 75):
            self.outcome.problems.append(f"a second consumer ends the first with {self.home.consumer.returncode}")
        if self.home.consumer.returncode is not None:
            self.home.start_consumer()
            self.until_back()

    def flood(self, sort, messages, retain=False):
        self.cases[sort] += len(messages)
        self.outcome.cases += len(messages)
        for start in range(0, len(messages), 500):
            self.voice.publish(messages[start : start + 500], retain=retain)
            self.consumer_fence()
        self.check_consumer(sort)

    # The end

    def end(self):
        """Everything genuine is there, once, and the programs are as they were."""
        self.outcome.recovery = self.home.until_flowing(limit=60)
        self.beats.stop()
        self.home.until_stored()
        self.check_consumer("at the end")
        self.check_gateway("at the end", self.buried)
        found = judge(self.home, self.beats)
        self.outcome.lost += len(found.lost)
        self.outcome.duplicated += len(found.duplicated)
        self.outcome.corrupt += len(found.corrupt)
        self.outcome.problems += found.corrupt[:3]
        missing = set(self.genuine) - set(self.store.ledger())
        self.outcome.lost += len(missing)
        for name, before in self.memory.items():
            after = self._memory(name)
            self.outcome.remarks.append(f"the {name} had {before / 1000:.1f} MB, and has {after / 1000:.1f} MB")
            if after > before + GROWTH:
                self.outcome.problems.append(f"the {name} has grown from {before} to {after} kB")
        self.check_health()
        for name in ("gateway", "consumer"):
            lines = self.home.log(name).count("\n")
            if lines > 1000:
                self.outcome.problems.append(f"the {name} has written {lines:,} lines: whoever likes can fill its disk")
        self.outcome.remarks.append(f"{found.due} readings of the sensor's due, {found.stored} stored, beside "
                                    f"{len(self.genuine)} blocks that the rig sealed")

    def check_health(self):
        """The gateway's own report is right."""
        seen = len(self.voice.heard)

        def latest():
            found = [x.payload for x in self.voice.heard[seen:] if x.topic == f"{TOPICS}/health" and x.payload]
            return json.loads(found[-1]) if found else None

        self.voice.wait("the gateway's health", lambda: latest() is not None, 20)
        health = latest()
        if health["dead"] != len(self.buried) or health["outbox"]["blocks"] or health["dropped"]:
            self.outcome.problems.append(f"health is wrong: {health}")


#: Of Ed25519's base point: adding it to the second half of a signature would give another signature for the same
#: message.
ORDER = 2**252 + 27742317777372353535851937790883648493
