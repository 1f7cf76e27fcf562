"""Proofs of an enrolment code and a claim code, computed by Python's own library.

codes.py ID(hex) SECRET(hex) GATEWAY_KEY(hex) CONSUMER_KEY(hex) GATEWAY SENSOR WINDOW NONCE
"""
import hashlib
import hmac
import sys

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def digits(number, count, group):
    text = "".join(DIGITS[(number >> (5 * place)) & 31] for place in reversed(range(count)))
    return "-".join(text[start:start + group] for start in range(0, count, group))


def mac(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


identity, secret, gateway_key, consumer_key = (bytes.fromhex(word) for word in sys.argv[1:5])
gateway, sensor = (word.encode() for word in sys.argv[5:7])
window, nonce = (int(word) for word in sys.argv[7:9])

name = digits(int.from_bytes(identity, "big"), 8, 8)
pseudorandom = mac(name.encode(), secret)
enrolment = mac(pseudorandom, b"enrolment\x01")
claim = mac(pseudorandom, b"claim\x01")
tag = mac(claim, b"claim" + sensor + window.to_bytes(8, "big") + nonce.to_bytes(4, "big"))
print(digits(int.from_bytes(identity + secret, "big"), 24, 4))
print(mac(enrolment, b"enrol" + gateway_key).hex())
print(mac(enrolment, b"enrolled" + gateway + consumer_key + gateway_key).hex())
print(claim.hex())
print(digits(nonce << 55 | int.from_bytes(tag, "big") >> 201, 15, 5))
