#!/usr/bin/env python3
"""Opens the stream of a home with nothing but what the public page of blocks says, and prints its readings.

    open_stream.py PAGE KEYS_DB ROOT_KEY USER GATEWAY IDENTITY CAPTURE

PAGE is Sources/Values/Telemetry/Telemetry.docc/Blocks.md: the texts that keys and signatures are made with are read from its section
"Texts". KEYS_DB and ROOT_KEY are the consumer's, and IDENTITY is the gateway's public key in base64. CAPTURE has one message per
line: its topic, a space, and its payload in hexadecimal, as mosquitto_sub prints them with -F '%t %x'.

It prints one JSON object: the readings of each kind in order of time, and how many blocks of each type and messages of each
purpose there were. It ends with an error if a signature or a block is not as the page says. It shares no code with the
programs or with the rigs, and needs Python's "cryptography".
"""
import base64
import json
import re
import sqlite3
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KINDS = {1: "heart-rate", 2: "steps", 3: "temperature", 4: "position", 5: "motion", 6: "pedometer"}
# The columns of kinds that are several numbers: whether each may be absent, and whether it has second differences.
FIELDS = {
    4: [(False, True), (False, True), (True, False), (True, False)],
    5: [(True, False), (True, True), (True, False), (True, False)],
    6: [(False, False), (False, False)],
}
KEY, READINGS, LOOSE, CLOCK, GAP, LIVE = 1, 2, 3, 4, 5, 6
SITES = [None, "armpit", "body", "ear", "finger", "gastro-intestinal", "mouth", "rectum", "toe", "tympanum"]


def need(is_so, what):
    if not is_so:
        raise ValueError(what)


# The page's texts

def texts_of(page):
    section = page.split("\n## Texts\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([a-z ]+) \| `([^`]+)` \|", section, re.MULTILINE)
    return {name: text.encode("ascii") for name, text in rows}


# Keys

def hkdf(secret, salt, info):
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(secret)


def public(key):
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def nonce(number):
    return bytes(4) + number.to_bytes(8, "big")


class Keys:
    """The consumer's signing key, and every private key of a person, by its public key."""

    def __init__(self, texts, database, root_key_file, user):
        root = AESGCM(base64.b64decode(Path(root_key_file).read_text()))

        def unseal(sealed, additional):
            return root.decrypt(sealed[:12], sealed[12:], additional)

        rows = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        wrapped = dict(rows.execute("SELECT name, sealed FROM wrapped"))
        secrets = rows.execute("SELECT version, sealed FROM secrets WHERE person = ?", [user]).fetchall()
        rows.close()
        need(unseal(wrapped["check"], texts["check"]) == texts["root check"], "this is not the root key")
        name = texts["identity"]
        seed = unseal(wrapped[name.decode()], texts["wrapped"] + b"\0" + name)
        self.signing = Ed25519PrivateKey.from_private_bytes(seed)
        self.person = {}
        for version, sealed in secrets:
            secret = unseal(sealed, texts["person"] + b"\0" + user.encode() + b"\0" + str(version).encode())
            key = X25519PrivateKey.from_private_bytes(hkdf(secret, b"", texts["stream"]))
            self.person[public(key)] = key


# Numbers

class Bytes:
    """Takes fields off the front."""

    def __init__(self, data):
        self.data, self.position = data, 0

    def take(self, count):
        need(self.position + count <= len(self.data), "truncated")
        self.position += count
        return self.data[self.position - count : self.position]

    def unsigned(self, count):
        return int.from_bytes(self.take(count), "big")

    def signed(self, count):
        return int.from_bytes(self.take(count), "big", signed=True)

    def varint(self, *allowed):
        value = 0
        for place in range(10):
            byte = self.unsigned(1)
            need(place < 9 or byte <= 1, "more than 64 bits")
            value |= (byte & 0x7F) << (7 * place)
            if byte < 0x80:
                need(not allowed or allowed[0] <= value <= allowed[1], f"{value} is not in {allowed}")
                return value
        raise ValueError("more than ten bytes")

    def zigzag(self):
        value = self.varint()
        return value // 2 if value % 2 == 0 else -(value + 1) // 2

    def name(self):
        name = self.take(self.unsigned(1)).decode("ascii")
        need(re.fullmatch("[a-z0-9-]{1,36}", name), "a name")
        return name

    def end(self):
        need(self.position == len(self.data), "more bytes than declared")


# Readings

def readings(columns):
    """Those of a block's plaintext: kind, wall time, monotonic time, and what `vitals-consumer readings` prints besides."""
    data = Bytes(columns)
    kind, count, present = data.unsigned(1), data.varint(1, 64), data.unsigned(1)
    need(kind in KINDS and present <= (7 if kind == 1 else 1), "a kind or a column that is not on the page")
    walls, base = [data.zigzag()], data.varint()
    distance = 0
    for _ in range(count - 1):
        distance += data.zigzag()
        walls.append(walls[-1] + distance)
    values, value = [], 0
    if kind in FIELDS:
        values = list(zip(*(column(data, count, *field) for field in FIELDS[kind])))
    while len(values) < count:
        value += data.zigzag()
        values.append(value)
    states = []
    while present & 1 and len(states) < count:
        length = data.varint(1, count - len(states))
        states += [data.unsigned(1)] * length
    states = states or [0] * count
    energies, position, energy = {}, -1, 0
    for _ in range(data.varint(1, count) if present & 2 else 0):
        position += 1 + data.varint()
        need(position < count, "an energy after the last reading")
        energy += data.zigzag()
        energies[position] = energy
    intervals, interval = [[] for _ in range(count)], 0
    for own in intervals if present & 4 else []:
        for _ in range(data.varint(0, 255)):
            interval += data.zigzag()
            own.append(interval)
    data.end()
    for index, wall in enumerate(walls):
        monotonic = min(max(base + wall - walls[0], 0), 2**53)
        yield kind, wall, monotonic, said(kind, values[index], states[index], energies.get(index), intervals[index])


def column(data, count, may_be_absent, is_steady):
    """The numbers of one field, None where it is absent."""
    present = [] if may_be_absent else [True] * count
    is_present = True
    while len(present) < count:
        present += [is_present] * data.varint(0 if is_present and not present else 1, count - len(present))
        is_present = not is_present
    numbers, number, distance, is_first = [], 0, 0, True
    for is_there in present:
        if is_there:
            distance += data.zigzag()
            number += distance
            distance = distance if is_steady and not is_first else 0
            is_first = False
        numbers.append(number if is_there else None)
    return numbers


def said(kind, value, state, energy, intervals):
    if kind in FIELDS:
        return several(kind, value, state)
    if kind == 2:
        need(state <= 1, "a derivation that is not on the page")
        return {"steps": value} | ({"derived": True} if state else {})
    if kind == 3:
        need(state < len(SITES), "a site that is not on the page")
        return {"celsius": value / 1000} | ({"site": SITES[state]} if state else {})
    need(state <= 2, "a contact that is not on the page")
    fields = {"bpm": value}
    if state:
        fields["contact"] = state == 2
    if intervals:
        fields["rr_ms"] = [(1000 * interval + 512) // 1024 for interval in intervals]
    if energy is not None:
        fields["energy_kj"] = energy
    return fields


def several(kind, numbers, state):
    if kind == 4:
        latitude, longitude, altitude, accuracy = numbers
        fields = {"latitude": latitude / 1e6, "longitude": longitude / 1e6}
        fields |= {} if altitude is None else {"altitude_m": altitude / 10}
        fields |= {} if accuracy is None else {"accuracy_m": accuracy / 10}
        return fields | {"source": ["phone", "receiver", "sensor", "file"][state]}
    if kind == 5:
        factors = [("speed_mps", 1000), ("distance_m", 10), ("cadence", 10), ("power_w", 1)]
        fields = {name: number / factor for (name, factor), number in zip(factors, numbers) if number is not None}
        return fields | {"source": ["foot", "bicycle"][state]}
    need(state == 0, "a state that is not on the page")
    return {"milliseconds": numbers[0], "steps": numbers[1]}


# The stream

class Stream:
    """All that came of a home, opened: blocks may have come in any order, and more than once."""

    def __init__(self, texts, keys, gateways):
        self.texts, self.keys, self.gateways = texts, keys, gateways
        self.recipients, self.blocks, self.live = {}, {}, {}
        self.sessions, self.boots = {}, {}
        self.corrections = {}
        #: Counted for the test: blocks by type, messages of the consumer by purpose.
        self.seen = {}

    def heard(self, topic, payload):
        levels = topic.split("/")
        if "gateways" not in levels or not payload:
            return
        gateway, *rest = levels[levels.index("gateways") + 1 :]
        if rest == ["blocks"]:
            self.block(gateway, payload)
        elif rest == ["live"]:
            need(len(payload) <= 2048 and payload[:4] == bytes([1, 1, LIVE, 0]), "a live block's header")
            need(self.live.setdefault(payload[4:36], payload) == payload, "the same number with other bytes")
        elif rest in (["control"], ["grants"]) or rest[0] == "sensors" and rest[2:] == ["grant"]:
            self.control(gateway, payload)

    def block(self, gateway, block):
        need(36 <= len(block) <= 65536 and block[:2] == b"\1\1" and 1 <= block[2] <= 5 and block[3] == 0, "a header")
        need((block[2] == KEY) == (block[28:36] == bytes(8)), "seq 0")
        known = self.blocks.setdefault(block[4:36], (gateway, block))
        need(known == (gateway, block), "the same identity with other bytes")

    def control(self, gateway, message):
        data, signature = message[:-64], message[-64:]
        self.keys.signing.public_key().verify(signature, self.texts["control signature"] + data)
        fields = Bytes(data)
        version, purpose, _store, named = fields.unsigned(1), fields.unsigned(1), fields.take(16), fields.name()
        need(version == 1 and named == gateway, "a message to another gateway")
        if purpose == 1:
            for _ in range(fields.varint(1, 256)):
                fields.take(32)
        elif purpose == 2:
            fields.take(32 + 16)
            need(fields.unsigned(1) in (1, 2), "a reason")
        elif purpose == 3:
            fields.take(16 + 8)
        elif purpose == 4:
            _serial, _sensor, stream = fields.unsigned(8), fields.name(), fields.take(16)
            _from, _until, person, _kinds = fields.signed(8), fields.signed(8), fields.take(32), fields.unsigned(1)
            self.recipients[stream] = person
        else:
            raise ValueError("a purpose that is not on the page")
        fields.end()
        self.seen[f"purpose {purpose}"] = self.seen.get(f"purpose {purpose}", 0) + 1

    def open(self):
        """Kind, corrected time and fields of each reading, in order of time."""
        for identity, (gateway, block) in self.blocks.items():
            if block[2] == KEY:
                self.open_key(identity[:16], identity[16:24], gateway, block)
        loose, found = [], []
        records = set()
        for identity, (_, block) in self.blocks.items():
            kind, stream, session = block[2], identity[:16], identity[16:24]
            self.seen[f"type {kind}"] = self.seen.get(f"type {kind}", 0) + 1
            if kind == KEY:
                continue
            key = hkdf(self.sessions[stream, session], stream + session, self.texts["block"])
            body = AESGCM(key).decrypt(nonce(int.from_bytes(identity[24:], "big")), block[36:], block[:36])
            if kind == READINGS:
                found += [(stream, self.boots[stream, session], reading) for reading in readings(body)]
            elif kind == LOOSE:
                loose += self.open_loose(stream, Bytes(body), records)
            elif kind == CLOCK:
                fields = Bytes(body)
                boot, correction, until = fields.take(16), fields.zigzag(), fields.varint()
                fields.end()
                self.corrections.setdefault((stream, boot), set()).add((correction, until))
            else:
                fields = Bytes(body)
                fields.varint(), fields.zigzag(), fields.zigzag()
                need(fields.unsigned(1) in (1, 2), "a reason")
                fields.end()
        found = [self.corrected(*one) for one in found]
        found += [one for one in (self.corrected(*one) for one in loose) if one not in found]
        self.seen["live only"] = sum(one not in found for one in self.open_live())
        return [(kind, wall, fields) for _, kind, wall, fields in sorted(found, key=lambda one: one[2])]

    def open_key(self, stream, session, gateway, block):
        need(len(block) == 196, "a key block has 196 bytes")
        recipient = self.recipients[stream]
        self.gateways[gateway].verify(block[132:], self.texts["key block signature"] + block[:132] + recipient)
        shared = self.keys.person[recipient].exchange(X25519PublicKey.from_public_bytes(block[36:68]))
        wrapping = hkdf(shared, block[36:68] + recipient, self.texts["key wrapping"])
        plaintext = AESGCM(wrapping).decrypt(bytes(12), block[68:132], block[:36])
        self.sessions[stream, session], self.boots[stream, session] = plaintext[:32], plaintext[32:]

    def open_live(self):
        for identity, block in self.live.items():
            stream, session = identity[:16], identity[16:24]
            key = hkdf(self.sessions[stream, session], stream + session, self.texts["live"])
            own = list(readings(AESGCM(key).decrypt(nonce(int.from_bytes(identity[24:], "big")), block[36:], block[:36])))
            need(len(own) == 1, "a live block has one reading")
            self.seen[f"type {LIVE}"] = self.seen.get(f"type {LIVE}", 0) + 1
            yield self.corrected(stream, self.boots[stream, session], own[0])

    def open_loose(self, stream, fields, records):
        session = fields.take(8)
        key = hkdf(self.sessions[stream, session], stream + session, self.texts["journal"])
        for _ in range(fields.varint(1, 256)):
            number = fields.unsigned(8)
            sealed = fields.take(fields.varint())
            if (stream, session, number) in records:
                continue
            records.add((stream, session, number))
            plaintext = AESGCM(key).decrypt(nonce(number), sealed, stream + session)
            own = list(readings(plaintext))
            need(len(own) == 1, "a record has one reading")
            yield stream, self.boots[stream, session], own[0]
        fields.end()

    def corrected(self, stream, boot, reading):
        kind, wall, monotonic, fields = reading
        clocks = self.corrections.get((stream, boot), set())
        return stream, kind, wall + sum(correction for correction, until in clocks if monotonic < until), fields


def main():
    page, database, root_key_file, user, gateway, identity, capture = sys.argv[1:]
    texts = texts_of(Path(page).read_text())
    gateways = {gateway: Ed25519PublicKey.from_public_bytes(base64.b64decode(identity))}
    stream = Stream(texts, Keys(texts, database, root_key_file, user), gateways)
    for line in Path(capture).read_text().splitlines():
        topic, _, payload = line.partition(" ")
        stream.heard(topic, bytes.fromhex(payload))
    said = {name: [] for name in KINDS.values()}
    for kind, time, fields in stream.open():
        said[KINDS[kind]].append({"time": time} | fields)
    print(json.dumps(said | {"seen": stream.seen}))


if __name__ == "__main__":
    main()
