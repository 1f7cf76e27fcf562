"""A gateway's claim key, computed by Python's own integers and library: once as the gateway does, and once as the consumer does.

claim_key.py GATEWAY_SEED(hex) CONSUMER_SEED(hex) CODE_KEY(hex)
"""
import hashlib
import hmac
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

P = 2**255 - 19


def public(seed):
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def montgomery(key):
    y = int.from_bytes(key, "little") & (2**255 - 1)
    return ((1 + y) * pow(1 - y, P - 2, P) % P).to_bytes(32, "little")


def secret(seed, other):
    own = X25519PrivateKey.from_private_bytes(hashlib.sha512(seed).digest()[:32])
    return own.exchange(X25519PublicKey.from_public_bytes(montgomery(other)))


def mac(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


gateway_seed, consumer_seed, code_key = (bytes.fromhex(word) for word in sys.argv[1:4])
gateway, consumer = public(gateway_seed), public(consumer_seed)
print(gateway.hex())
print(consumer.hex())
for shared in [secret(gateway_seed, consumer), secret(consumer_seed, gateway)]:
    print(mac(mac(gateway + consumer, shared + code_key), b"vitals/1 claim\x01").hex())
