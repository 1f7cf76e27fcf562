"""The wire, read and written a second time: blocks, key blocks, control messages, journal records, and the keys of
people, from the public description (Telemetry.docc/Blocks.md) and with Python's `cryptography` alone. Nothing here is
shared with the programs, so what both agree on is what the description says.

Bytes go in and out; a reading is a dictionary with `time` and `monotonic` (milliseconds) and, by its kind, `bpm` (`contact`,
`energy_kj`, `rr_1024` where it has them), `steps` (`derived`), or `celsius` (`site`); a reading of several numbers has the fields
that FIELDS names, as far as they are known. What does not open raises InvalidTag or InvalidSignature, what is no block or message
raises Malformed.

Only rigs and tests write with this: whoever holds all these keys at once is nobody that the design knows."""

import base64
import dataclasses
import hashlib
import os
import sqlite3
import struct
from pathlib import Path

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

HEADER = struct.Struct(">BBBB16s8sQ")  # version, suite, type, flags, stream, session, number
KEY, READINGS, LOOSE, CLOCK, GAP = 1, 2, 3, 4, 5
LIVE = 6  # only on `live`
HEART_RATE, STEPS, TEMPERATURE, POSITION, MOTION, PEDOMETER = 1, 2, 3, 4, 5, 6
ACKNOWLEDGEMENT, REFUSAL, KEY_REQUEST, GRANT = 1, 2, 3, 4
CONTACT = [None, False, True]
SITES = [None, "armpit", "body", "ear", "finger", "gastro-intestinal", "mouth", "rectum", "toe", "tympanum"]
# The field of the state column, and what its numbers mean there.
STATES = {
    HEART_RATE: ("contact", CONTACT), STEPS: ("derived", [None, True]), TEMPERATURE: ("site", SITES),
    POSITION: ("source", ["phone", "receiver", "sensor", "file"]), MOTION: ("source", ["foot", "bicycle"]),
}
# The fields of readings of several numbers, in the order of their columns: name, what a number is multiplied by, whether it may be
# absent, and whether it is steady.
FIELDS = {
    POSITION: [("latitude", 1_000_000, False, True), ("longitude", 1_000_000, False, True), ("altitude_m", 10, True, False),
               ("accuracy_m", 10, True, False)],
    MOTION: [("speed_mps", 1000, True, False), ("distance_m", 10, True, True), ("cadence", 10, True, False),
             ("power_w", 1, True, False)],
    PEDOMETER: [("milliseconds", 1, False, False), ("steps", 1, False, False)],
}


class Malformed(ValueError):
    """Bytes that are no block, body or message."""


# Keys

def hkdf(secret: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(secret)


def nonce(number: int) -> bytes:
    return struct.pack(">IQ", 0, number)


def public(key) -> bytes:
    """The 32 bytes of a public key, or of a private key's public half."""
    half = key if isinstance(key, (Ed25519PublicKey, X25519PublicKey)) else key.public_key()
    return half.public_bytes(Encoding.Raw, PublicFormat.Raw)


def private(key) -> bytes:
    """The 32 bytes of a private key."""
    return key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())


def key_file(path) -> bytes:
    """The 32 bytes of a key file: a root key, an identity."""
    return base64.b64decode(Path(path).read_text(), validate=False)


def new_identity() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.generate()


def identity_text(key) -> str:
    """A public key as settings files have it."""
    return base64.b64encode(public(key)).decode()


def gateway_identity(state) -> Ed25519PrivateKey:
    """Who a gateway is, from its state folder."""
    return Ed25519PrivateKey.from_private_bytes(key_file(Path(state) / "identity.key"))


def block_key(session_key: bytes, stream: bytes, session: bytes) -> bytes:
    return hkdf(session_key, stream + session, b"block")


def journal_key(session_key: bytes, stream: bytes, session: bytes) -> bytes:
    return hkdf(session_key, stream + session, b"journal")


def live_key(session_key: bytes, stream: bytes, session: bytes) -> bytes:
    return hkdf(session_key, stream + session, b"live")


@dataclasses.dataclass
class Person:
    """What derives from one version of a person's secret."""

    #: The key that gateways seal session keys to.
    stream: X25519PrivateKey
    #: Seals what the consumer itself writes about the person.
    rows: bytes


class Keys:
    """A consumer's keys.db, opened with its root key."""

    def __init__(self, database, root_key_file):
        self._root = key_file(root_key_file)
        with read_only(database) as rows:
            self._wrapped = dict(rows.execute("SELECT name, sealed FROM wrapped"))
            self._secrets = {(user, version): sealed for user, version, sealed in rows.execute("SELECT person, version, sealed FROM secrets")}
        if self._open(self._wrapped["check"], b"check") != b"vitals root key":
            raise InvalidTag
        self.identity = Ed25519PrivateKey.from_private_bytes(self.wrapped("identity"))

    def wrapped(self, name: str) -> bytes:
        return self._open(self._wrapped[name], b"wrapped\0" + name.encode())

    @property
    def people(self) -> list:
        """User and version of each secret."""
        return sorted(self._secrets)

    def person(self, user: str, version: int = 1) -> Person:
        secret = self._open(self._secrets[user, version], b"person\0%s\0%d" % (user.encode(), version))
        return Person(X25519PrivateKey.from_private_bytes(hkdf(secret, b"", b"stream")), hkdf(secret, b"", b"rows"))

    def _open(self, sealed: bytes, context: bytes) -> bytes:
        return open_row(self._root, sealed, context)


def open_row(key: bytes, sealed: bytes, context: bytes) -> bytes:
    """What the consumer sealed under a key of its own: nonce 12 | ciphertext | tag."""
    return AESGCM(key).decrypt(sealed[:12], sealed[12:], context)


class read_only(sqlite3.Connection):
    """A database beside the program that writes it; closed at the end of a `with`."""

    def __init__(self, path):
        super().__init__(f"file:{path}?mode=ro", uri=True, timeout=10)

    def __exit__(self, *exception):
        self.close()


# Numbers

class Reader:
    """Takes bytes, varints and zigzags off the front."""

    def __init__(self, data: bytes):
        self.data = data

    def take(self, count: int) -> bytes:
        if count > len(self.data):
            raise Malformed("truncated")
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self, count: int = 8, signed: bool = False) -> int:
        return int.from_bytes(self.take(count), "big", signed=signed)

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise Malformed("varint too long")

    def zigzag(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def name(self) -> str:
        return self.take(self.byte()).decode("ascii")

    def end(self):
        if self.data:
            raise Malformed("bytes after the end")


def varint(value: int) -> bytes:
    groups = []
    while True:
        groups.append(value & 0x7F | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(groups)


def zigzag(value: int) -> bytes:
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def differences(values: list) -> bytes:
    """First differences, from 0."""
    return b"".join(zigzag(value - before) for before, value in zip([0] + values, values))


def name(text: str) -> bytes:
    return bytes([len(text)]) + text.encode("ascii")


# Blocks

@dataclasses.dataclass(frozen=True)
class Header:
    """The 36 bytes in front, which are also the additional authenticated data."""

    type: int
    stream: bytes
    session: bytes
    seq: int

    @classmethod
    def of(cls, block: bytes) -> "Header":
        if len(block) < HEADER.size:
            raise Malformed("shorter than a header")
        version, suite, kind, flags, stream, session, seq = HEADER.unpack(block[:HEADER.size])
        if (version, suite, flags) != (1, 1, 0) or kind not in range(KEY, GAP + 1) or (kind == KEY) != (seq == 0):
            raise Malformed("unknown version, suite, type, flags or number")
        return cls(kind, stream, session, seq)

    @property
    def bytes(self) -> bytes:
        return HEADER.pack(1, 1, self.type, 0, self.stream, self.session, self.seq)

    @property
    def identity(self) -> bytes:
        """Stream, session and number: 32 bytes."""
        return self.bytes[4:]


def make_key_block(
    stream: bytes, session: bytes, session_key: bytes, boot: bytes, recipient: bytes, gateway: Ed25519PrivateKey,
    ephemeral: X25519PrivateKey | None = None,
) -> bytes:
    """A session's key, sealed to a person's public key and signed by a gateway: 196 bytes."""
    ephemeral = ephemeral or X25519PrivateKey.generate()
    header = Header(KEY, stream, session, 0).bytes
    wrapping = wrapping_key(ephemeral.exchange(X25519PublicKey.from_public_bytes(recipient)), public(ephemeral), recipient)
    block = header + public(ephemeral) + AESGCM(wrapping).encrypt(bytes(12), session_key + boot, header)
    return block + gateway.sign(b"vitals/1 key block" + block + recipient)


def open_key_block(block: bytes, recipient: X25519PrivateKey, gateway: Ed25519PublicKey) -> tuple:
    """The session key and the boot id; raises InvalidSignature or InvalidTag for anything but the gateway's own block."""
    if len(block) != 196:
        raise Malformed("a key block has 196 bytes")
    header, ephemeral, sealed, signature = block[:36], block[36:68], block[68:132], block[132:]
    gateway.verify(signature, b"vitals/1 key block" + block[:132] + public(recipient))
    shared = recipient.exchange(X25519PublicKey.from_public_bytes(ephemeral))
    plaintext = AESGCM(wrapping_key(shared, ephemeral, public(recipient))).decrypt(bytes(12), sealed, header)
    return plaintext[:32], plaintext[32:]


def wrapping_key(shared: bytes, ephemeral: bytes, recipient: bytes) -> bytes:
    return hkdf(shared, ephemeral + recipient, b"vitals/1 key")


def seal(header: Header, body: bytes, session_key: bytes) -> bytes:
    """A block of any type but key."""
    key = block_key(session_key, header.stream, header.session)
    return header.bytes + AESGCM(key).encrypt(nonce(header.seq), body, header.bytes)


def seal_live(stream: bytes, session: bytes, seq: int, body: bytes, session_key: bytes) -> bytes:
    """A live block: its numbers are its own."""
    header = Header(LIVE, stream, session, seq).bytes
    return header + AESGCM(live_key(session_key, stream, session)).encrypt(nonce(seq), body, header)


def open_body(block: bytes, session_key: bytes) -> bytes:
    """The plaintext of a block of any type but key."""
    header = Header.of(block)
    if len(block) < HEADER.size + 16:
        raise Malformed("shorter than a tag")
    key = block_key(session_key, header.stream, header.session)
    return AESGCM(key).decrypt(nonce(header.seq), block[HEADER.size:], block[:HEADER.size])


def open_block(block: bytes, session_keys: dict):
    """What a block says: readings of a readings or loose block, the fields of a clock or gap block. `session_keys` maps a
    session's 8 bytes to its key."""
    header = Header.of(block)
    body = open_body(block, session_keys[header.session])
    if header.type == READINGS:
        return read_readings(body)
    if header.type == LOOSE:
        return open_loose(body, header.stream, session_keys)
    return {CLOCK: read_clock, GAP: read_gap}[header.type](body)


# Bodies

def read_readings(body: bytes) -> list:
    """The readings of a block, oldest first."""
    reader = Reader(body)
    kind, count, columns = reader.byte(), reader.varint(), reader.byte()
    if kind not in range(HEART_RATE, PEDOMETER + 1) or not 1 <= count <= 64:
        raise Malformed("unknown kind or count")
    if columns & ~{HEART_RATE: 7, PEDOMETER: 0}.get(kind, 1):
        raise Malformed("unknown columns")
    times = [reader.zigzag()]
    base_monotonic = reader.varint()
    step = 0
    for _ in range(count - 1):
        step += reader.zigzag()  # second differences
        times.append(times[-1] + step)
    rows = [{"time": time, "monotonic": max(0, base_monotonic + time - times[0])} for time in times]
    for field in FIELDS.get(kind, []):
        _read_field(reader, rows, *field)
    value = 0
    for row in rows if kind not in FIELDS else []:
        value += reader.zigzag()  # first differences
        row |= [{}, {"bpm": value}, {"steps": value}, {"celsius": value / 1000}][kind]
    if columns & 1:
        _read_states(reader, rows, *STATES[kind])
    if columns & 2:
        index, energy = -1, 0
        for _ in range(reader.varint()):
            index += reader.varint() + 1
            energy += reader.zigzag()
            if index >= count:
                raise Malformed("an energy beyond the last reading")
            rows[index]["energy_kj"] = energy
    if columns & 4:
        interval = 0
        for row in rows:
            row["rr_1024"] = []
            for _ in range(reader.varint()):
                interval += reader.zigzag()
                row["rr_1024"].append(interval)
    reader.end()
    return rows


def _read_field(reader, rows, field, scale, is_optional, is_steady):
    """The column of one field; a row that does not have it stays without it."""
    having, is_present = [] if is_optional else rows, True
    index = 0
    while is_optional and index < len(rows):
        run = reader.varint()
        if (run == 0 and index + (not is_present) > 0) or index + run > len(rows):
            raise Malformed("a run does not fit")
        having += rows[index : index + run] if is_present else []
        index, is_present = index + run, not is_present
    number, step = 0, 0
    for place, row in enumerate(having):
        step = reader.zigzag() + (step if is_steady and place > 1 else 0)
        number += step
        row[field] = number / scale if scale > 1 else number


def _write_field(rows, field, scale, is_optional, is_steady) -> bytes:
    body, index, is_present = b"", 0, True
    while is_optional and index < len(rows):
        run = 0
        while index + run < len(rows) and (rows[index + run].get(field) is not None) == is_present:
            run += 1
        body += varint(run)
        index, is_present = index + run, not is_present
    numbers = [round(row[field] * scale) for row in rows if row.get(field) is not None]
    steps = [after - before for before, after in zip([0] + numbers, numbers)]
    if is_steady:
        steps[2:] = [after - before for before, after in zip(steps[1:], steps[2:])]
    return body + b"".join(map(zigzag, steps))


def _read_states(reader, rows, field, states):
    """Contact, derivation or site, in runs."""
    index = 0
    while index < len(rows):
        run, state = reader.varint(), reader.byte()
        if run == 0 or index + run > len(rows) or state >= len(states):
            raise Malformed("a run does not fit")
        for row in rows[index : index + run]:
            if states[state] is not None:
                row[field] = states[state]
        index += run


def write_readings(kind: int, rows: list) -> bytes:
    """The plaintext of a readings block, and with one reading of a journal record."""
    walls = [row["time"] for row in rows]
    steps = [after - before for before, after in zip(walls, walls[1:])]
    body = zigzag(walls[0]) + varint(rows[0]["monotonic"]) + differences(steps)
    if kind in FIELDS:
        body += b"".join(_write_field(rows, *field) for field in FIELDS[kind])
    else:
        field, scale = {HEART_RATE: ("bpm", 1), STEPS: ("steps", 1), TEMPERATURE: ("celsius", 1000)}[kind]
        body += differences([round(row[field] * scale) for row in rows])
    columns = 0
    state, states = STATES.get(kind, ("", [None]))
    if any(row.get(state) is not None for row in rows):
        columns |= 1
        body += _runs([states.index(row.get(state, states[0])) for row in rows])
    with_energy = [index for index, row in enumerate(rows) if row.get("energy_kj") is not None]
    if with_energy:
        columns |= 2
        body += varint(len(with_energy))
        last, energy = -1, 0
        for index in with_energy:
            body += varint(index - last - 1) + zigzag(rows[index]["energy_kj"] - energy)
            last, energy = index, rows[index]["energy_kj"]
    if any(row.get("rr_1024") for row in rows):
        columns |= 4
        interval = 0
        for row in rows:
            body += varint(len(row.get("rr_1024", [])))
            for next_interval in row.get("rr_1024", []):
                body += zigzag(next_interval - interval)
                interval = next_interval
    return bytes([kind]) + varint(len(rows)) + bytes([columns]) + body


def _runs(states: list) -> bytes:
    out, start = b"", 0
    for index in range(1, len(states) + 1):
        if index == len(states) or states[index] != states[start]:
            out += varint(index - start) + bytes([states[start]])
            start = index
    return out


def seal_record(number: int, plaintext: bytes, stream: bytes, session: bytes, session_key: bytes) -> bytes:
    """A journal record: the columns of one reading, sealed."""
    return AESGCM(journal_key(session_key, stream, session)).encrypt(nonce(number), plaintext, stream + session)


def open_record(number: int, sealed: bytes, stream: bytes, session: bytes, session_key: bytes) -> list:
    """The reading of a journal record, in a list."""
    plaintext = AESGCM(journal_key(session_key, stream, session)).decrypt(nonce(number), sealed, stream + session)
    return read_readings(plaintext)


def read_loose(body: bytes) -> tuple:
    """The session whose journal the records are from, and number and sealed bytes of each."""
    reader = Reader(body)
    session, records = reader.take(8), []
    count = reader.varint()
    if not 1 <= count <= 256:
        raise Malformed("count, 1 to 256")
    for _ in range(count):
        number = reader.number()
        records.append((number, reader.take(reader.varint())))
    reader.end()
    return session, records


def write_loose(session: bytes, records: list) -> bytes:
    body = session + varint(len(records))
    return body + b"".join(struct.pack(">Q", number) + varint(len(sealed)) + sealed for number, sealed in records)


def open_loose(body: bytes, stream: bytes, session_keys: dict) -> list:
    """The readings of a loose block's records."""
    session, records = read_loose(body)
    rows = []
    for number, sealed in records:
        rows += open_record(number, sealed, stream, session, session_keys[session])
    return rows


def read_clock(body: bytes) -> dict:
    reader = Reader(body)
    said = {"boot": reader.take(16).hex(), "correction_ms": reader.zigzag(), "until_monotonic": reader.varint()}
    reader.end()
    return said


def write_clock(boot: bytes, correction: int, until: int) -> bytes:
    return boot + zigzag(correction) + varint(until)


def read_gap(body: bytes) -> dict:
    reader = Reader(body)
    said = {"lost": reader.varint(), "first": reader.zigzag(), "last": reader.zigzag(), "reason": reader.byte()}
    reader.end()
    return said


def write_gap(lost: int, first: int, last: int, reason: int) -> bytes:
    return varint(lost) + zigzag(first) + zigzag(last) + bytes([reason])


# Control messages

@dataclasses.dataclass(frozen=True)
class Grant:
    """Whose stream a sensor is; the body of a control message of this purpose."""

    serial: int
    sensor: str
    stream: bytes
    start: int
    until: int
    person: bytes
    kinds: int = 7

    @property
    def bytes(self) -> bytes:
        return (struct.pack(">Q", self.serial) + name(self.sensor) + self.stream
                + struct.pack(">qq", self.start, self.until) + self.person + bytes([self.kinds]))


@dataclasses.dataclass(frozen=True)
class Control:
    """What a consumer tells a gateway. Which fields count depends on the purpose."""

    purpose: int
    store: bytes
    gateway: str
    #: Acknowledgement: identities of 32 bytes. Refusal: one.
    identities: tuple = ()
    digest: bytes = b""
    reason: int = 0
    stream: bytes = b""
    session: bytes = b""
    grant: Grant | None = None

    @property
    def unsigned(self) -> bytes:
        head = bytes([1, self.purpose]) + self.store + name(self.gateway)
        if self.purpose == ACKNOWLEDGEMENT:
            return head + varint(len(self.identities)) + b"".join(self.identities)
        if self.purpose == REFUSAL:
            return head + self.identities[0] + self.digest + bytes([self.reason])
        return head + (self.stream + self.session if self.purpose == KEY_REQUEST else self.grant.bytes)

    def signed(self, consumer: Ed25519PrivateKey) -> bytes:
        return self.unsigned + consumer.sign(b"vitals/1 control" + self.unsigned)


def read_control(message: bytes, consumer: Ed25519PublicKey | None = None) -> Control:
    """A control message; with the consumer's key its signature is checked, too."""
    if len(message) < 64:
        raise Malformed("shorter than a signature")
    unsigned, signature = message[:-64], message[-64:]
    if consumer:
        consumer.verify(signature, b"vitals/1 control" + unsigned)
    reader = Reader(unsigned)
    version, purpose, store, gateway = reader.byte(), reader.byte(), reader.take(16), reader.name()
    if version != 1:
        raise Malformed("unknown version")
    if purpose == ACKNOWLEDGEMENT:
        said = {"identities": tuple(reader.take(32) for _ in range(reader.varint()))}
    elif purpose == REFUSAL:
        said = {"identities": (reader.take(32),), "digest": reader.take(16), "reason": reader.byte()}
    elif purpose == KEY_REQUEST:
        said = {"stream": reader.take(16), "session": reader.take(8)}
    elif purpose == GRANT:
        said = {"grant": Grant(reader.number(), reader.name(), reader.take(16), reader.number(signed=True),
                               reader.number(signed=True), reader.take(32), reader.byte())}
    else:
        raise Malformed("unknown purpose")
    reader.end()
    return Control(purpose, store, gateway, **said)


def digest(block: bytes) -> bytes:
    """How a refusal says which bytes it means."""
    return hashlib.sha256(block).digest()[:16]


# A gateway and a consumer's store, from outside

class Sealer:
    """One session of a stream, as a gateway has it: makes its key block and its blocks, each number once."""

    def __init__(self, stream: bytes, recipient: bytes, gateway: Ed25519PrivateKey, boot: bytes | None = None):
        self.stream, self.session = stream, os.urandom(8)
        self.key, self.boot = os.urandom(32), boot or os.urandom(16)
        self.key_block = make_key_block(stream, self.session, self.key, self.boot, recipient, gateway)
        self.next, self.next_live = 1, 1

    def block(self, kind: int, body: bytes) -> bytes:
        header = Header(kind, self.stream, self.session, self.next)
        self.next += 1
        return seal(header, body, self.key)

    def live(self, body: bytes) -> bytes:
        """A live block, whose number counts apart."""
        self.next_live += 1
        return seal_live(self.stream, self.session, self.next_live - 1, body, self.key)

    def record(self, number: int, plaintext: bytes) -> bytes:
        return seal_record(number, plaintext, self.stream, self.session, self.key)


class Store:
    """A consumer's vitals.db, opened with its keys: what is stored, block by block, without asking the consumer."""

    def __init__(self, database, keys: Keys):
        self.database, self.keys = database, keys

    @property
    def id(self) -> bytes:
        with read_only(self.database) as rows:
            return rows.execute("SELECT id FROM store").fetchone()[0]

    def streams(self) -> dict:
        """Gateway, sensor, user and secret's version of each stream."""
        with read_only(self.database) as rows:
            found = rows.execute("SELECT id, gateway, sensor, person, secret_version FROM streams").fetchall()
        return {stream: tuple(rest) for stream, *rest in found}

    def ledger(self) -> dict:
        """The SHA-256 of the block that was accepted under each identity (32 bytes)."""
        with read_only(self.database) as rows:
            found = rows.execute("""SELECT streams.id, sessions.session, seq, digest FROM ledger
                JOIN sessions ON sessions.number = ledger.session JOIN streams ON streams.number = sessions.stream""")
            return {stream + session + struct.pack(">q", seq): digest for stream, session, seq, digest in found}

    def blocks(self) -> list:
        """The stored blocks, whole again: readings, loose, clock and gap."""
        with read_only(self.database) as rows:
            found = rows.execute("""SELECT type, streams.id, sessions.session, seq, sealed FROM blocks
                JOIN sessions ON sessions.number = blocks.session JOIN streams ON streams.number = blocks.stream
                ORDER BY blocks.number""")
            return [Header(kind, stream, session, seq).bytes + sealed for kind, stream, session, seq, sealed in found]

    def session_keys(self) -> dict:
        """The key of each session, by (stream, session)."""
        with read_only(self.database) as rows:
            found = rows.execute("""SELECT streams.id, person, secret_version, session, boot, sealed_key FROM sessions
                JOIN streams ON streams.number = sessions.stream""").fetchall()
        return {
            (stream, session): open_row(
                self.keys.person(user, version).rows, sealed, b"session" + stream + session + boot)
            for stream, user, version, session, boot, sealed in found
        }
