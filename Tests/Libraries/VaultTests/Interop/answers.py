#!/usr/bin/env python3
"""What Python's "cryptography" answers: AES-256-GCM, HKDF-SHA256, X25519, Ed25519.

    answers.py make COUNT       prints COUNT random cases of each, with their answers, in the form of Vectors/published.json
    answers.py check FILE       checks such a file, and prints how many cases it has
"""
import json
import os
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "Rigs"))
try:
    import wire
except ImportError:
    sys.exit("this program needs the Python package cryptography: pip install cryptography")


def some(least, most):
    return os.urandom(random.randint(least, most))


def derive(secret, salt, info, count):
    return wire.HKDF(algorithm=wire.SHA256(), length=count, salt=salt, info=info).derive(secret)


def make(count):
    cases = {"aes_256_gcm": [], "hkdf_sha256": [], "x25519": [], "ed25519": []}
    for index in range(count):
        source = {"source": f"Python's, {index}"}
        key, nonce, aad, plaintext = os.urandom(32), os.urandom(12), some(0, 80), some(0, 600)
        sealed = wire.AESGCM(key).encrypt(nonce, plaintext, aad)
        cases["aes_256_gcm"].append(source | texts(key=key, nonce=nonce, aad=aad, plaintext=plaintext, sealed=sealed))
        secret, salt, info, length = some(1, 80), some(0, 80), some(0, 40), random.randint(1, 200)
        output = derive(secret, salt, info, length)
        cases["hkdf_sha256"].append(source | texts(secret=secret, salt=salt, info=info, output=output) | {"count": length})
        scalar, point = os.urandom(32), wire.X25519PrivateKey.generate().public_key()
        shared = wire.X25519PrivateKey.from_private_bytes(scalar).exchange(point)
        cases["x25519"].append(source | texts(scalar=scalar, point=wire.public(point), shared=shared))
        signing, message = wire.Ed25519PrivateKey.generate(), some(0, 300)
        cases["ed25519"].append(source | texts(
            seed=wire.private(signing), public_key=wire.public(signing), message=message, signature=signing.sign(message)))
    return cases


def texts(**values):
    return {name: value.hex() for name, value in values.items()}


def check(cases):
    for case in cases["aes_256_gcm"]:
        key, nonce, aad, sealed = (bytes.fromhex(case[name]) for name in ("key", "nonce", "aad", "sealed"))
        try:
            opened = wire.AESGCM(key).decrypt(nonce, sealed, aad).hex()
        except wire.InvalidTag:
            opened = None
        expect(opened == case.get("plaintext"), case)
    for case in cases["hkdf_sha256"]:
        output = derive(*(bytes.fromhex(case[name]) for name in ("secret", "salt", "info")), case["count"])
        expect(output.hex() == case["output"], case)
    for case in cases["x25519"]:
        scalar = wire.X25519PrivateKey.from_private_bytes(bytes.fromhex(case["scalar"]))
        shared = scalar.exchange(wire.X25519PublicKey.from_public_bytes(bytes.fromhex(case["point"])))
        expect(shared.hex() == case["shared"], case)
    for case in cases["ed25519"]:
        signing = wire.Ed25519PrivateKey.from_private_bytes(bytes.fromhex(case["seed"]))
        expect(wire.public(signing).hex() == case["public_key"], case)
        expect(signing.sign(bytes.fromhex(case["message"])).hex() == case["signature"], case)
    return sum(len(some) for some in cases.values())


def expect(is_so, case):
    if not is_so:
        sys.exit(f"another answer: {case}")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "make":
        print(json.dumps(make(int(sys.argv[2]))))
    elif len(sys.argv) == 3 and sys.argv[1] == "check":
        print(check(json.loads(Path(sys.argv[2]).read_text())))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
