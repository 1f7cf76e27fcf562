#!/usr/bin/env python3
"""A provider's signer, by an implementation that is not ours. Prints its key set; then, for each line of its standard input, a line:

    rotate      a new key, and the key set that has it alone
    {claims}    a token with these claims, signed by the key
"""

import base64
import json
import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value):
    return b64(value.to_bytes((value.bit_length() + 7) // 8, "big"))


class Signer:
    count = 0

    def __init__(self):
        Signer.count += 1
        self.name = f"key-{Signer.count}"
        self.key = rsa.generate_private_key(65537, 2048)

    def keys(self):
        public = self.key.public_key().public_numbers()
        key = {"kty": "RSA", "kid": self.name, "alg": "RS256", "use": "sig", "n": number(public.n), "e": number(public.e)}
        return json.dumps({"keys": [key]})

    def token(self, claims):
        signed = b64(json.dumps({"alg": "RS256", "kid": self.name, "typ": "JWT"}).encode()) + "." + b64(claims.encode())
        return signed + "." + b64(self.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))


signer = Signer()
print(signer.keys(), flush=True)
for line in sys.stdin:
    if line.strip() == "rotate":
        signer = Signer()
        print(signer.keys(), flush=True)
    else:
        print(signer.token(line.strip()), flush=True)
