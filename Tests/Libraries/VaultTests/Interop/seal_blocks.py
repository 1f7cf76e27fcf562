#!/usr/bin/env python3
"""Seals one session of Vitals blocks, from the public description alone, and prints it as JSON with every key and step.

    seal_blocks.py            fixed keys: the vectors in Vectors/blocks.json (everything in a block follows from its inputs)
    seal_blocks.py --fresh    random keys

Never seal real readings with this: the private keys stand beside the blocks.
"""
import json
import os
import sys

from open_block import said, wire

FRESH = "--fresh" in sys.argv


def secret(first, count=32):
    """Random bytes, or the fixed ones: first, first + 1, ..."""
    return os.urandom(count) if FRESH else bytes((first + index) % 256 for index in range(count))


def plaintexts(boot):
    """Type and plaintext of each block but the loose one."""
    start, monotonic = 1_700_000_000_000, 86_400_000
    # Four heart rates; contact lost in the third; energy with the second and fourth; RR intervals with all but the third.
    yield wire.READINGS, wire.write_readings(wire.HEART_RATE, [
        {"time": start, "monotonic": monotonic, "bpm": 72, "contact": True, "rr_1024": [853]},
        {"time": start + 1000, "bpm": 74, "contact": True, "energy_kj": 100, "rr_1024": [830, 835]},
        {"time": start + 2001, "bpm": 73, "contact": False},
        {"time": start + 2999, "bpm": 75, "contact": True, "energy_kj": 101, "rr_1024": [819]},
    ])
    yield wire.READINGS, wire.write_readings(
        wire.STEPS, [{"time": start, "monotonic": monotonic, "steps": 8042}, {"time": start + 60_000, "steps": 8100}])
    yield wire.READINGS, wire.write_readings(
        wire.TEMPERATURE, [{"time": start, "monotonic": monotonic, "celsius": 36.970, "site": "armpit"}])
    yield wire.CLOCK, wire.write_clock(boot, -3_600_000, 86_500_000)
    # From the beginning of a second to the end of one, as gateways say it.
    yield wire.GAP, wire.write_gap(128, start - 5000, start - 1, 1)


def main():
    recipient = wire.X25519PrivateKey.from_private_bytes(secret(0x00))
    gateway = wire.Ed25519PrivateKey.from_private_bytes(secret(0x20))
    ephemeral = wire.X25519PrivateKey.from_private_bytes(secret(0x40))
    session_key, boot = secret(0x60), secret(0x80, 16)
    stream, session = secret(0xA0, 16), secret(0xB0, 8)

    recipient_public = wire.public(recipient)
    shared = ephemeral.exchange(wire.X25519PublicKey.from_public_bytes(recipient_public))
    key_block = wire.make_key_block(stream, session, session_key, boot, recipient_public, gateway, ephemeral)

    # One journal record, number 7, and the loose block that carries it. (A real one carries those of an earlier session.)
    record = wire.write_readings(wire.HEART_RATE, [{"time": 1_700_000_003_000, "monotonic": 86_403_000, "bpm": 76}])
    sealed = wire.seal_record(7, record, stream, session, session_key)
    loose = wire.write_loose(session, [(7, sealed)])

    blocks = []
    for number, (kind, plaintext) in enumerate([*plaintexts(boot), (wire.LOOSE, loose)], start=1):
        block = wire.seal(wire.Header(kind, stream, session, number), plaintext, session_key)
        opened = said(block, {session: session_key})
        blocks.append({"type": kind, "seq": number, "plaintext": plaintext.hex(), "block": block.hex(), "says": opened})
    named = {
        "recipient_private_key": wire.private(recipient), "recipient_public_key": recipient_public,
        "gateway_private_key": wire.private(gateway), "gateway_public_key": wire.public(gateway),
        "ephemeral_private_key": wire.private(ephemeral), "ephemeral_public_key": wire.public(ephemeral),
        "stream": stream, "session": session, "boot": boot, "session_key": session_key,
        "shared_secret": shared, "wrapping_key": wire.wrapping_key(shared, wire.public(ephemeral), recipient_public),
        "block_key": wire.block_key(session_key, stream, session),
        "journal_key": wire.journal_key(session_key, stream, session),
        "live_key": wire.live_key(session_key, stream, session),
        "key_block": key_block, "journal_record": record, "journal_sealed": sealed,
        # The same reading, sent at once.
        "live_block": wire.seal_live(stream, session, 1, record, session_key),
    }
    print(json.dumps({name: value.hex() for name, value in named.items()} | {"blocks": blocks}, indent=1))


if __name__ == "__main__":
    main()
