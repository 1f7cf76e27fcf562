#!/usr/bin/env python3
"""Opens sealed Vitals blocks with a person's private key and prints what they say, as JSON.

    open_block.py session.json          (or the same JSON on standard input)

session.json holds hexadecimal strings:

    {"recipient_private_key": "...", "gateway_public_key": "...", "key_block": "...", "blocks": ["...", "..."]}

It follows the public description of the blocks, shares no code with the gateway, and needs Python's "cryptography" package.
"""
import json
import struct
import sys

try:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
except ImportError:
    sys.exit("this program needs the Python package cryptography: pip install cryptography")

HEADER = struct.Struct(">BBBB16s8sQ")  # version, suite, type, flags, stream, session, number
KEY, READINGS, LOOSE, CLOCK, GAP = 1, 2, 3, 4, 5
SITES = [None, "armpit", "body", "ear", "finger", "gastro-intestinal", "mouth", "rectum", "toe", "tympanum"]
CONTACT = [None, False, True]


def hkdf(secret, salt, info):
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(secret)


def open_key_block(block, recipient, gateway):
    """The session key and the boot id; raises InvalidSignature or InvalidTag for anything but the gateway's own block."""
    if len(block) != 196:
        raise ValueError("a key block has 196 bytes")
    header, ephemeral, sealed, signature = block[:36], block[36:68], block[68:132], block[132:]
    public = recipient.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    gateway.verify(signature, b"vitals/1 key block" + block[:132] + public)
    shared = recipient.exchange(X25519PublicKey.from_public_bytes(ephemeral))
    plaintext = AESGCM(hkdf(shared, ephemeral + public, b"vitals/1 key")).decrypt(bytes(12), sealed, header)
    return plaintext[:32], plaintext[32:]


class Reader:
    """Takes bytes, varints and zigzags off the front."""

    def __init__(self, data):
        self.data = data

    def take(self, count):
        if count > len(self.data):
            raise ValueError("truncated")
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise ValueError("varint too long")

    def zigzag(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def end(self):
        if self.data:
            raise ValueError("bytes after the end")


def readings(reader):
    """The readings of a block, oldest first."""
    kind, count, columns = reader.byte(), reader.varint(), reader.byte()
    if kind not in (1, 2, 3) or not 1 <= count <= 64 or columns > 7:
        raise ValueError("unknown kind, count or columns")
    times = [reader.zigzag()]
    base_monotonic = reader.varint()
    step = 0
    for _ in range(count - 1):
        step += reader.zigzag()  # second differences
        times.append(times[-1] + step)
    value, rows = 0, []
    for time in times:
        value += reader.zigzag()  # first differences
        row = {"time": time, "monotonic": base_monotonic + time - times[0]}
        rows.append(row | ({"bpm": value} if kind == 1 else {"steps": value} if kind == 2 else {"celsius": value / 1000}))
    if columns & 1:  # contact or site, in runs
        name, states = ("contact", CONTACT) if kind == 1 else ("site", SITES)
        index = 0
        while index < count:
            run, state = reader.varint(), reader.byte()
            if run == 0 or index + run > count:
                raise ValueError("a run does not fit")
            for row in rows[index : index + run]:
                if states[state] is not None:
                    row[name] = states[state]
            index += run
    if columns & 2:  # energy, of few readings
        index, energy = -1, 0
        for _ in range(reader.varint()):
            index += reader.varint() + 1
            energy += reader.zigzag()
            rows[index]["energy_kj"] = energy
    if columns & 4:  # RR intervals, in 1/1024 s
        interval = 0
        for row in rows:
            row["rr_1024"] = []
            for _ in range(reader.varint()):
                interval += reader.zigzag()
                row["rr_1024"].append(interval)
    reader.end()
    return rows


def loose(reader, stream, session_keys):
    """Journal records that a crash left behind, sealed under an earlier session of the same stream."""
    session, rows = reader.take(8), []
    journal_key = hkdf(session_keys[session], stream + session, b"journal")
    for _ in range(reader.varint()):
        number, sealed = struct.unpack(">Q", reader.take(8))[0], reader.take(reader.varint())
        rows += readings(Reader(AESGCM(journal_key).decrypt(struct.pack(">IQ", 0, number), sealed, stream + session)))
    reader.end()
    return rows


def open_block(block, session_keys):
    """What a block says. `session_keys` maps a session's 8 bytes to its key."""
    version, suite, kind, flags, stream, session, number = HEADER.unpack(block[:36])
    if (version, suite, flags) != (1, 1, 0):
        raise ValueError("unknown version, suite or flags")
    block_key = hkdf(session_keys[session], stream + session, b"block")
    reader = Reader(AESGCM(block_key).decrypt(struct.pack(">IQ", 0, number), block[36:], block[:36]))
    if kind == READINGS:
        return {"seq": number, "readings": readings(reader)}
    if kind == LOOSE:
        return {"seq": number, "loose": loose(reader, stream, session_keys)}
    if kind == CLOCK:
        said = {"boot": reader.take(16).hex(), "correction_ms": reader.zigzag(), "until_monotonic": reader.varint()}
    elif kind == GAP:
        said = {"lost": reader.varint(), "first": reader.zigzag(), "last": reader.zigzag(), "reason": reader.byte()}
    else:
        raise ValueError(f"unknown type {kind}")
    reader.end()
    return {"seq": number, {CLOCK: "clock", GAP: "gap"}[kind]: said}


def main():
    source = open(sys.argv[1]) if len(sys.argv) > 1 else sys.stdin
    given = json.load(source)
    recipient = X25519PrivateKey.from_private_bytes(bytes.fromhex(given["recipient_private_key"]))
    gateway = Ed25519PublicKey.from_public_bytes(bytes.fromhex(given["gateway_public_key"]))
    key_block = bytes.fromhex(given["key_block"])
    session_key, boot = open_key_block(key_block, recipient, gateway)
    session_keys = {HEADER.unpack(key_block[:36])[5]: session_key}
    opened = [open_block(bytes.fromhex(block), session_keys) for block in given["blocks"]]
    print(json.dumps({"boot": boot.hex(), "blocks": opened}, indent=1))


if __name__ == "__main__":
    main()
