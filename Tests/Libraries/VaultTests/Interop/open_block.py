#!/usr/bin/env python3
"""Opens sealed Vitals blocks with a person's private key and prints what they say, as JSON.

    open_block.py session.json          (or the same JSON on standard input)

session.json holds hexadecimal strings:

    {"recipient_private_key": "...", "gateway_public_key": "...", "key_block": "...", "blocks": ["...", "..."]}

It follows the public description of the blocks, as Tests/Rigs/wire.py spells it, shares no code with the gateway, and needs
Python's "cryptography" package.
"""
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "Rigs"))
try:
    import wire
except ImportError:
    sys.exit("this program needs the Python package cryptography: pip install cryptography")


def said(block, session_keys):
    """What a block says, with its number."""
    header = wire.Header.of(block)
    field = {wire.READINGS: "readings", wire.LOOSE: "loose", wire.CLOCK: "clock", wire.GAP: "gap"}[header.type]
    return {"seq": header.seq, field: wire.open_block(block, session_keys)}


def main():
    source = open(sys.argv[1]) if len(sys.argv) > 1 else sys.stdin
    given = json.load(source)
    recipient = wire.X25519PrivateKey.from_private_bytes(bytes.fromhex(given["recipient_private_key"]))
    gateway = wire.Ed25519PublicKey.from_public_bytes(bytes.fromhex(given["gateway_public_key"]))
    key_block = bytes.fromhex(given["key_block"])
    session_key, boot = wire.open_key_block(key_block, recipient, gateway)
    session_keys = {wire.Header.of(key_block).session: session_key}
    opened = [said(bytes.fromhex(block), session_keys) for block in given["blocks"]]
    print(json.dumps({"boot": boot.hex(), "blocks": opened}, indent=1))


if __name__ == "__main__":
    main()
