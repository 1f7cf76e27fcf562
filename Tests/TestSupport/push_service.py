#!/usr/bin/env python3
"""The push service of a browser's maker, and the browsers: a web server on a free port of a loopback address that takes messages (RFC 8030),
looks whether they are signed (VAPID, RFC 8292), and decrypts them as the browser would (RFC 8291). Prints `port N`, then each message as a
line of JSON: what is wrong with it stands there as `wrong`.

    push_service.py ADDRESS

Its standard input says what to do. It confirms each line with `ok`, an empty one, too, which changes nothing.

    subscribe KEY   makes a browser that takes messages from whoever signs with this key, and prints its subscription as a line of JSON
    status N        answers with this status from then on       redirect URL    that it is to be had there
    hang            does not answer                             endless         answers without an end

Ends with its standard input.
"""

import base64
import http.server
import json
import os
import select
import sys
import threading
import time

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CURVE = ec.SECP256R1()
answer = ["status", "201"]
browsers = {}


saying = threading.Lock()


def say(line):
    """A whole line at once: messages come on other threads than what is confirmed."""
    with saying:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def spelt(some):
    return base64.urlsafe_b64encode(some).rstrip(b"=").decode()


def read(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def raw(public):
    return public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


class Browser:
    def __init__(self, key):
        self.pair, self.secret, self.key = ec.generate_private_key(CURVE), os.urandom(16), key
        self.path = "/push/" + spelt(os.urandom(12))

    def subscription(self):
        return {"endpoint": f"http://{place}{self.path}", "p256dh": spelt(raw(self.pair.public_key())), "auth": spelt(self.secret)}

    def open(self, body):
        """The message in a body of aes128gcm with one record."""
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, sealed = body[21:21 + length], body[21 + length:]
        assert len(body) <= 4096 and len(sealed) <= size, "it is too long"
        shared = self.pair.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, sender))
        keys = b"WebPush: info\0" + raw(self.pair.public_key()) + sender
        secret = HKDF(SHA256(), 32, self.secret, keys).derive(shared)
        key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(secret)
        nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(secret)
        filled = AESGCM(key).decrypt(nonce, sealed, None).rstrip(b"\0")
        assert filled.endswith(b"\2"), "no last record"
        return filled[:-1].decode()


def signed(header, key):
    """What a VAPID header claims."""
    scheme, _, rest = header.partition(" ")
    parts = dict(part.strip().split("=", 1) for part in rest.split(","))
    assert scheme == "vapid" and parts["k"] == key, "it is from somebody else"
    message, _, signature = parts["t"].rpartition(".")
    signature = read(signature)
    public = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, read(key))
    numbers = [int.from_bytes(half, "big") for half in (signature[:32], signature[32:])]
    public.verify(encode_dss_signature(*numbers), message.encode(), ec.ECDSA(SHA256()))
    head, claims = (json.loads(read(part)) for part in message.split("."))
    assert head == {"typ": "JWT", "alg": "ES256"}, f"it is signed as {head}"
    assert claims["aud"] == f"http://{place}" and 0 < claims["exp"] - time.time() <= 86400, f"it claims {claims}"
    return claims


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        said = {"path": self.path, "length": len(body)} | {
            name: self.headers.get(name) for name in ("TTL", "Urgency", "Content-Encoding")}
        try:
            browser = browsers[self.path]
            said["claims"] = signed(self.headers.get("Authorization", ""), browser.key)
            said["message"] = browser.open(body)
        except (AssertionError, InvalidSignature, InvalidTag, KeyError, ValueError) as problem:
            said["wrong"] = repr(problem)
        say(json.dumps(said))
        self.close_connection = True
        word, *more = answer
        if word == "hang":
            select.select([self.connection], [], [])
            return
        self.send_response({"redirect": 307, "endless": 201}.get(word) or int(more[0]))
        if word == "redirect":
            self.send_header("Location", more[0])
        if word == "endless":
            self.end_headers()
            try:
                while True:
                    self.wfile.write(bytes(65536))
            except OSError:
                return
        self.send_header("Content-Length", "0")
        self.end_headers()


server = http.server.ThreadingHTTPServer((sys.argv[1], 0), Handler)
server.daemon_threads = True
place = "{}:{}".format(*server.server_address)
say(f"port {server.server_address[1]}")
threading.Thread(target=server.serve_forever, daemon=True).start()
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["subscribe"]:
        made = Browser(words[1])
        browsers[made.path] = made
        say(json.dumps(made.subscription()))
    elif words:
        answer = words
    say("ok")
os._exit(0)
