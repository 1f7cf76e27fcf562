#!/usr/bin/env python3
"""Seals one session of Vitals blocks, from the public description alone, and prints it as JSON with every key and step.

    seal_blocks.py            fixed keys: the vectors in Vectors/blocks.json (everything in a block follows from its inputs)
    seal_blocks.py --fresh    random keys

Never seal real readings with this: the private keys stand beside the blocks.
"""
import json
import os
import struct
import sys

from open_block import (
    AESGCM, HEADER, Encoding, PublicFormat, X25519PrivateKey, X25519PublicKey, hkdf, open_block, CLOCK, GAP, KEY, LOOSE, READINGS,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import NoEncryption, PrivateFormat

FRESH = "--fresh" in sys.argv


def private(key):
    """The 32 bytes of a private key."""
    return key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())


def secret(first, count=32):
    """Random bytes, or the fixed ones: first, first + 1, ..."""
    return os.urandom(count) if FRESH else bytes((first + index) % 256 for index in range(count))


def varint(value):
    groups = []
    while True:
        groups.append(value & 0x7F | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(groups)


def zigzag(value):
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def differences(values):
    return b"".join(zigzag(value - before) for before, value in zip([0] + values, values))


def times(base, monotonic, walls):
    steps = [after - before for before, after in zip([base] + walls, walls)]
    return zigzag(base) + varint(monotonic) + differences(steps)


def public(key):
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def plaintexts(boot):
    """Type and plaintext of each block but the loose one."""
    start = 1_700_000_000_000
    # Four heart rates; contact lost in the third; energy with the second and fourth; RR intervals with all but the third.
    yield READINGS, (
        bytes([1, 4, 0b111]) + times(start, 86_400_000, [start + 1000, start + 2001, start + 2999])
        + differences([72, 74, 73, 75])
        + varint(2) + b"\x02" + varint(1) + b"\x01" + varint(1) + b"\x02"
        + varint(2) + varint(1) + zigzag(100) + varint(1) + zigzag(1)
        + varint(1) + zigzag(853) + varint(2) + zigzag(830 - 853) + zigzag(835 - 830) + varint(0) + varint(1) + zigzag(819 - 835)
    )
    yield READINGS, bytes([2, 2, 0]) + times(start, 86_400_000, [start + 60_000]) + differences([8042, 8100])
    yield READINGS, bytes([3, 1, 1]) + times(start, 86_400_000, []) + differences([36_970]) + varint(1) + b"\x01"
    yield CLOCK, boot + zigzag(-3_600_000) + varint(86_500_000)
    yield GAP, varint(128) + zigzag(start - 5000) + zigzag(start - 1000) + b"\x01"


def main():
    recipient = X25519PrivateKey.from_private_bytes(secret(0x00))
    gateway = Ed25519PrivateKey.from_private_bytes(secret(0x20))
    ephemeral = X25519PrivateKey.from_private_bytes(secret(0x40))
    session_key, boot = secret(0x60), secret(0x80, 16)
    stream, session = secret(0xA0, 16), secret(0xB0, 8)

    def header(kind, number):
        return HEADER.pack(1, 1, kind, 0, stream, session, number)

    shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(public(recipient)))
    wrapping = hkdf(shared, public(ephemeral) + public(recipient), b"vitals/1 key")
    block_key = hkdf(session_key, stream + session, b"block")
    journal_key = hkdf(session_key, stream + session, b"journal")
    key_block = header(KEY, 0) + public(ephemeral)
    key_block += AESGCM(wrapping).encrypt(bytes(12), session_key + boot, header(KEY, 0))
    key_block += gateway.sign(b"vitals/1 key block" + key_block + public(recipient))

    # One journal record, number 7, and the loose block that carries it. (A real one carries those of an earlier session.)
    record = bytes([1, 1, 0]) + times(1_700_000_003_000, 86_403_000, []) + differences([76])
    sealed = AESGCM(journal_key).encrypt(struct.pack(">IQ", 0, 7), record, stream + session)
    loose = session + varint(1) + struct.pack(">Q", 7) + varint(len(sealed)) + sealed

    blocks = []
    for number, (kind, plaintext) in enumerate([*plaintexts(boot), (LOOSE, loose)], start=1):
        block = header(kind, number) + AESGCM(block_key).encrypt(struct.pack(">IQ", 0, number), plaintext, header(kind, number))
        opened = open_block(block, {session: session_key})
        blocks.append({"type": kind, "seq": number, "plaintext": plaintext.hex(), "block": block.hex(), "says": opened})
    named = {
        "recipient_private_key": private(recipient), "recipient_public_key": public(recipient),
        "gateway_private_key": private(gateway), "gateway_public_key": public(gateway),
        "ephemeral_private_key": private(ephemeral), "ephemeral_public_key": public(ephemeral),
        "stream": stream, "session": session, "boot": boot, "session_key": session_key,
        "shared_secret": shared, "wrapping_key": wrapping, "block_key": block_key, "journal_key": journal_key,
        "key_block": key_block, "journal_record": record, "journal_sealed": sealed,
    }
    print(json.dumps({name: value.hex() for name, value in named.items()} | {"blocks": blocks}, indent=1))


if __name__ == "__main__":
    main()
