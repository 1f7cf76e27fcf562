#!/usr/bin/env python3
"""OwnTracks' sealed messages, as libsodium in Python (PyNaCl) makes and opens them.

    secretbox.py seal SECRET MESSAGE [NONCE]    prints {"_type":"encrypted",…}; the nonce in hexadecimal, or drawn at random
    secretbox.py open SECRET PAYLOAD            prints the message
"""
import base64
import json
import sys

try:
    import nacl.secret
except ImportError:
    sys.exit("this program needs the Python package PyNaCl: pip install PyNaCl")


def main(action, secret, text, nonce=None):
    box = nacl.secret.SecretBox(secret.encode().ljust(nacl.secret.SecretBox.KEY_SIZE, b"\0"))
    if action == "seal":
        sealed = bytes(box.encrypt(text.encode(), bytes.fromhex(nonce) if nonce else None))
        return json.dumps({"_type": "encrypted", "data": base64.b64encode(sealed).decode()}, separators=(",", ":"))
    message = json.loads(text)
    assert message["_type"] == "encrypted" and set(message) == {"_type", "data"}, "no sealed message"
    return box.decrypt(base64.b64decode(message["data"], validate=True)).decode()


if __name__ == "__main__":
    sys.stdout.write(main(*sys.argv[1:]))
