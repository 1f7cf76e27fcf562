#!/usr/bin/env python3
"""ID tokens, good ones and forged ones, by an implementation that is not ours.

    tokens.py FILE

FILE has {"now": seconds, "nonce": ..., "nonces": {name: nonce}}. Prints keys and tokens as JSON: {"keys": {...}, "all": {...},
"rotated": {...}, "good": {name: token}, "algorithms": {name: token}, "forged": {name: token}, "after": token}.

The provider that the forged tokens are for allows RS256 and ES256, its issuer is ISSUER and its audience AUDIENCE. What each
is to be refused for, the Swift side says; both sides have the same names.
"""

import base64
import hashlib
import hmac
import json
import sys

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

ISSUER = "https://login.example.com"
AUDIENCE = "vitals"
HASHES = {"256": hashes.SHA256, "384": hashes.SHA384, "512": hashes.SHA512}
CURVES = {"P-256": ec.SECP256R1(), "P-384": ec.SECP384R1(), "P-521": ec.SECP521R1()}
SIZES = {"P-256": 32, "P-384": 48, "P-521": 66}
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256

given = json.load(open(sys.argv[1], encoding="utf-8"))
now = given["now"]


def b64(data):
    if isinstance(data, str):
        data = data.encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value, size=None):
    return b64(value.to_bytes(size or (value.bit_length() + 7) // 8, "big"))


def curve_of(key):
    return {256: "P-256", 384: "P-384", 521: "P-521"}[key.curve.key_size]


def jwk(key, kid=None, **more):
    public = key.public_key()
    if isinstance(key, rsa.RSAPrivateKey):
        n = public.public_numbers()
        entry = {"kty": "RSA", "n": number(n.n), "e": number(n.e)}
    elif isinstance(key, ec.EllipticCurvePrivateKey):
        n, crv = public.public_numbers(), curve_of(key)
        entry = {"kty": "EC", "crv": crv, "x": number(n.x, SIZES[crv]), "y": number(n.y, SIZES[crv])}
    else:
        raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        entry = {"kty": "OKP", "crv": "Ed25519", "x": b64(raw)}
    if kid is not None:
        entry["kid"] = kid
    return entry | more


def raw_ec(key, message, digest):
    size = SIZES[curve_of(key)]
    r, s = decode_dss_signature(key.sign(message, ec.ECDSA(digest())))
    return r.to_bytes(size, "big") + s.to_bytes(size, "big")


def signature(key, alg, message):
    if alg == "EdDSA":
        return key.sign(message)
    digest = HASHES[alg[2:]]
    if alg.startswith("RS"):
        return key.sign(message, padding.PKCS1v15(), digest())
    if alg.startswith("PS"):
        return key.sign(message, padding.PSS(padding.MGF1(digest()), digest().digest_size), digest())
    return raw_ec(key, message, digest)


def text(value):
    return value if isinstance(value, (bytes, str)) else json.dumps(value, separators=(",", ":"))


def sign(header, claims, key, alg=None):
    """A token of these, which are values, or JSON as it is to stand there."""
    alg = alg or (json.loads(header)["alg"] if isinstance(header, str) else header["alg"])
    signed = b64(text(header)) + "." + b64(text(claims))
    return signed + "." + b64(signature(key, alg, signed.encode()))


r1, r2, r3, attacker, other = (rsa.generate_private_key(65537, 2048) for _ in range(5))
small = rsa.generate_private_key(65537, 1024)
e1, e384, e521 = (ec.generate_private_key(curve) for curve in CURVES.values())
ed = ed25519.Ed25519PrivateKey.generate()

one = jwk(r3, "exponent-one") | {"e": number(1)}
off = jwk(e1, "off-curve")
off["y"] = number((e1.public_key().public_numbers().y + 1) % 2**256, 32)
secret = b64(b"0123456789abcdef0123456789abcdef")
POISONED = [
    jwk(small, "small"), one, jwk(r3, "even-exponent") | {"e": number(65536)},
    jwk(r3, "enc", use="enc"), jwk(r3, "ops", key_ops=["sign", "encrypt"]),
    jwk(r3, "private") | {"d": number(r3.private_numbers().d)},
    jwk(r3, "mislabelled", alg="ES256"), jwk(r3, "unknown-alg", alg="HS256"),
    {"kty": "oct", "k": secret, "kid": "oct"}, off,
    jwk(e1, "short-x") | {"x": jwk(e1)["x"][:-2]}, jwk(e1, "other-curve") | {"crv": "P-384"},
    jwk(r1, "twin"), jwk(r2, "twin"), jwk(r3, "no-modulus") | {"n": ""}, jwk(r3, "padded") | {"n": jwk(r3)["n"] + "=="},
    jwk(r3, 7), {"kty": "RSA"}, {"kty": ["RSA"]}, {}, 7, None, "key", jwk(r2, "K1"),
]
KEYS = {"keys": [jwk(r1, "r1", alg="RS256", use="sig", key_ops=["verify"]), jwk(e1, "e1", use="sig")] + POISONED}
ALL = {
    "keys": [jwk(r1, "r"), jwk(e1, "e256"), jwk(e384, "e384"), jwk(e521, "e521"), jwk(ed, "ed"), jwk(r2, "ps", alg="PS256")]
}

claims = {
    "iss": ISSUER, "aud": AUDIENCE, "sub": "subject-1", "iat": now - 5, "exp": now + 3600, "nonce": given["nonce"],
    "email": "ada@example.com", "email_verified": True,
}
header = {"alg": "RS256", "kid": "r1", "typ": "JWT"}
elliptic = {"alg": "ES256", "kid": "e1"}


def with_claims(**changes):
    """A token with some claims changed; None takes one away."""
    changed = {name: value for name, value in (claims | changes).items() if value is not None}
    return sign(header, changed, r1)


def with_text(old, new):
    """A signed token whose claims are altered as text."""
    written = text(claims)
    assert old in written, old
    return sign(header, written.replace(old, new), r1)


def with_header(key=r1, **changes):
    changed = {name: value for name, value in (header | changes).items() if value is not None}
    return sign(changed, claims, key, "RS256")


# Good tokens

good = {
    "RS256": sign(header, claims, r1),
    "ES256": sign(elliptic, claims, e1),
    "no typ": with_header(typ=None),
    "typ in small letters": with_header(typ="jwt"),
    "one audience in a list": with_claims(aud=[AUDIENCE]),
    "several audiences, all ours, and one the authorized party": with_claims(aud=["vitals-ios", AUDIENCE], azp=AUDIENCE),
    "the other of our audiences": with_claims(aud="vitals-ios", azp=AUDIENCE),
    "times with fractions": with_claims(iat=now - 0.5, exp=now + 60.25),
    "just expired": with_claims(exp=now - 59, iat=now - 3600),
    "clock a little ahead": with_claims(iat=now + 59),
    "nbf": with_claims(nbf=now + 59),
    "a subject of 255 bytes": with_claims(sub="s" * 255),
    "white space": sign(header, json.dumps(claims, indent=4), r1),
    "escapes": with_text('"aud"', '"\\u0061ud"'),
    "claims that we do not know": with_claims(address={"country": "NL", "lines": ["a", "b"]}, at_hash="x", amr=["pwd"]),
}
other_claims = claims | {"iss": "https://all.example.com", "nonce": given["nonces"]["all"]}
every = [
    ("RS256", "r", r1), ("RS384", "r", r1), ("RS512", "r", r1), ("PS256", "ps", r2), ("PS256", "r", r1), ("PS384", "r", r1),
    ("PS512", "r", r1), ("ES256", "e256", e1), ("ES384", "e384", e384), ("ES512", "e521", e521), ("EdDSA", "ed", ed),
]
algorithms = {f"{alg} by {kid}": sign({"alg": alg, "kid": kid}, other_claims, key) for alg, kid, key in every}
algorithms["EdDSA without a key's name"] = sign({"alg": "EdDSA"}, other_claims, ed)
algorithms["ES384 without a key's name"] = sign({"alg": "ES384"}, other_claims, e384)

# Forged ones

valid = good["RS256"]
head, body, tail = valid.split(".")
raw_tail = base64.urlsafe_b64decode(tail + "==")
valid_es = good["ES256"]
signed_es = valid_es.rsplit(".", 1)[0]
raw_es = base64.urlsafe_b64decode(valid_es.rsplit(".", 1)[1] + "==")
r_es, s_es = raw_es[:32], raw_es[32:]
forged = {}


def resigned(raw):
    return f"{head}.{body}.{b64(raw)}"


def es(raw):
    return f"{signed_es}.{b64(raw)}"


def flipped(raw, index, bit=1):
    changed = bytearray(raw)
    changed[index] ^= bit
    return bytes(changed)


forged |= {
    "form: empty": "",
    "form: no token": "nonsense",
    "form: two parts": f"{head}.{body}",
    "form: a trailing dot": valid + ".",
    "form: a leading dot": "." + valid,
    "form: five parts": valid + ".AAAA.AAAA",
    "form: only dots": "..",
    "form: padding": f"{head}.{body}.{tail}==",
    "form: a newline at the end": valid + "\n",
    "form: a space inside": f"{head}. {body}.{tail}",
    "form: the alphabet of base64": resigned(b"\xfb\xff\xfe" + raw_tail[3:]).replace("-", "+").replace("_", "/"),
    "form: bits behind the last byte": valid[:-1] + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".index(valid[-1]) + 1],
    "form: a length that no bytes have": valid + "AAA",
    "form: letters beyond ASCII": f"{head}.{body}.{tail[:-1]}Ａ",
    "form: a zero byte": f"{head}.{body}.{tail}\0",
    "form: too long": with_claims(filler="x" * 12_300),
    "form: no signature": f"{head}.{body}.",
    "form: no claims": f"{head}..{tail}",
    "form: JSON serialization": json.dumps({"protected": head, "payload": body, "signature": tail}),
    "header: not JSON": sign("RS256", claims, r1, "RS256"),
    "header: a list": sign('["RS256"]', claims, r1, "RS256"),
    "header: a byte order mark": sign("\ufeff" + text(header), claims, r1, "RS256"),
    "header: UTF-16": sign(text(header).encode("utf-16-le"), claims, r1, "RS256"),
    "header: not UTF-8": sign(text(header).encode().replace(b"JWT", b"J\xffT"), claims, r1, "RS256"),
    "header: an overlong letter": sign(text(header).encode().replace(b"JWT", b"J\xc1\x97T"), claims, r1, "RS256"),
    "header: alg twice": sign('{"alg":"RS256","alg":"none","kid":"r1"}', claims, r1, "RS256"),
    "header: kid twice, escaped": sign('{"alg":"RS256","kid":"r1","\\u006bid":"r2"}', claims, r1, "RS256"),
    "header: crit": with_header(crit=["exp"]),
    "header: an empty crit": with_header(crit=[]),
    "header: b64": with_header(b64=False),
    "header: zip": with_header(zip="DEF"),
    "header: enc": with_header(enc="A256GCM"),
    "header: a token in the token": with_header(cty="JWT"),
    "header: jwk": with_header(attacker, jwk=jwk(attacker, "r1")),
    "header: jku": with_header(attacker, jku="https://evil.example.com/keys"),
    "header: x5u": with_header(attacker, x5u="https://evil.example.com/cert"),
    "header: x5c": with_header(attacker, x5c=["MIIB"]),
    "header: an access token": with_header(typ="at+jwt"),
    "header: typ is no text": with_header(typ=1),
    "header: typ is empty": with_header(typ=""),
    "header: kid is empty": with_header(kid=""),
    "header: kid is a number": with_header(kid=1),
    "header: kid is null": sign('{"alg":"RS256","kid":null}', claims, r1, "RS256"),
    "header: kid is a list": with_header(kid=["r1"]),
    "header: kid is too long": with_header(kid="r" * 257),
}

for word in ["none", "None", "NONE", "nOnE", "", "rs256", "RS256 ", "ＲＳ256", "HS256", "HS384", "RS1", "ES256K", "../none", "RS256\0"]:
    forged[f"alg: {json.dumps(word)}"] = f"{b64(text(header | {'alg': word}))}.{body}.{tail}"
forged["alg: none without a signature"] = f"{b64(text({'alg': 'none'}))}.{body}."
forged["alg: missing"] = f"{b64(text({'kid': 'r1'}))}.{body}.{tail}"
for word in [None, 0, True, ["RS256"], {"RS256": 1}]:
    forged[f"alg: {json.dumps(word)}"] = f"{b64(text(header | {'alg': word}))}.{body}.{tail}"


def hmac_token(secret, **changes):
    signed = b64(text(header | {"alg": "HS256"} | changes)) + "." + body
    return signed + "." + b64(hmac.new(secret, signed.encode(), hashlib.sha256).digest())


pem = r1.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
der = r1.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
forged |= {
    "confusion: HS256 with the public key as PEM": hmac_token(pem),
    "confusion: HS256 with the public key as DER": hmac_token(der),
    "confusion: HS256 with the modulus": hmac_token(r1.public_key().public_numbers().n.to_bytes(256, "big")),
    "confusion: HS256 with the set's secret": hmac_token(b"0123456789abcdef0123456789abcdef", kid="oct"),
    "confusion: HS256 with an empty secret": hmac_token(b""),
    "confusion: RS256 in name, HMAC in fact": f"{head}.{body}." + b64(
        hmac.new(pem, f"{head}.{body}".encode(), hashlib.sha256).digest()),
    "confusion: PS256, which is not allowed": sign(header | {"alg": "PS256"}, claims, r1),
    "confusion: RS512, which is not allowed": sign(header | {"alg": "RS512"}, claims, r1),
    "confusion: ES384, which is not allowed": sign({"alg": "ES384", "kid": "e384"}, claims, e384),
    "confusion: EdDSA, which is not allowed": sign({"alg": "EdDSA", "kid": "ed"}, claims, ed),
    "confusion: ES256 with an RSA key": sign({"alg": "ES256", "kid": "r1"}, claims, e1),
    "confusion: RS256 with a key on a curve": sign({"alg": "RS256", "kid": "e1"}, claims, r1),
    "confusion: RS256 in name, PSS in fact": f"{head}.{body}." + b64(signature(r1, "PS256", f"{head}.{body}".encode())),
    "confusion: RS256 in name, SHA-512 in fact": f"{head}.{body}." + b64(signature(r1, "RS512", f"{head}.{body}".encode())),
    "confusion: RS256 in name, SHA-1 in fact": f"{head}.{body}." + b64(
        r1.sign(f"{head}.{body}".encode(), padding.PKCS1v15(), hashes.SHA1())),
    "confusion: ES256 in name, on P-384 in fact": es(raw_ec(e384, signed_es.encode(), hashes.SHA256)),
    "confusion: ES256 in name, SHA-384 in fact": es(raw_ec(e1, signed_es.encode(), hashes.SHA384)),
}

forged |= {
    "signature: the header altered": f"{b64(text(header | {'typ': 'jWT'}))}.{body}.{tail}",
    "signature: the claims altered": f"{head}.{b64(text(claims | {'sub': 'subject-2'}))}.{tail}",
    "signature: the claims spelt otherwise": f"{head}.{b64(json.dumps(claims))}.{tail}",
    "signature: its first bit": resigned(flipped(raw_tail, 0, 0x80)),
    "signature: a bit in the middle": resigned(flipped(raw_tail, 128)),
    "signature: its last bit": resigned(flipped(raw_tail, -1)),
    "signature: a byte short": resigned(raw_tail[:-1]),
    "signature: a byte short at the front": resigned(raw_tail[1:]),
    "signature: a zero at the end": resigned(raw_tail + b"\0"),
    "signature: a zero at the front": resigned(b"\0" + raw_tail),
    "signature: one byte": resigned(b"\1"),
    "signature: zeros": resigned(bytes(256)),
    "signature: ones": resigned(b"\xff" * 256),
    "signature: one": resigned(bytes(255) + b"\1"),
    "signature: the modulus added": resigned(
        (int.from_bytes(raw_tail, "big") + r1.public_key().public_numbers().n).to_bytes(257, "big")),
    "signature: another token's": resigned(base64.urlsafe_b64decode(with_claims(sub="x").split(".")[2] + "==")),
    "signature: somebody else's": sign(header, claims, attacker),
    "signature: the padded digest itself": resigned(
        b"\0\1" + b"\xff" * (256 - 3 - 51) + b"\0" + bytes.fromhex("3031300d060960864801650304020105000420")
        + hashlib.sha256(f"{head}.{body}".encode()).digest()),
    "signature: r is zero": es(bytes(32) + s_es),
    "signature: s is zero": es(r_es + bytes(32)),
    "signature: both are zero": es(bytes(64)),
    "signature: r is the order": es(ORDER.to_bytes(32, "big") + s_es),
    "signature: s is the order": es(r_es + ORDER.to_bytes(32, "big")),
    "signature: r and s exchanged": es(s_es + r_es),
    "signature: r negated": es((ORDER - int.from_bytes(r_es, "big")).to_bytes(32, "big") + s_es),
    "signature: DER": es(e1.sign(signed_es.encode(), ec.ECDSA(hashes.SHA256()))),
    "signature: r and s a byte longer": es(b"\0" + r_es + b"\0" + s_es),
    "signature: r and s of another curve's length": es(bytes(16) + r_es + bytes(16) + s_es),
    "signature: ES256, a byte short": es(raw_es[:-1]),
    "signature: ES256, a bit": es(flipped(raw_es, 40)),
    "signature: ES256, somebody else's": sign(elliptic, claims, ec.generate_private_key(ec.SECP256R1())),
}

forged |= {
    "key: unknown": with_header(attacker, kid="r9"),
    "key: unnamed, where several fit": with_header(kid=None),
    "key: a path": with_header(attacker, kid="../../../../dev/null"),
    "key: an address": with_header(attacker, kid="https://evil.example.com/key"),
    "key: SQL": with_header(attacker, kid="r1' OR '1'='1"),
    "key: a command": with_header(attacker, kid="r1|id"),
    "key: a zero byte": with_header(kid="r1\0"),
    "key: in capitals": with_header(kid="R1"),
    "key: the Kelvin sign for K": with_header(r2, kid="\u212a1"),
    "key: two of one name": with_header(kid="twin"),
    "key: of 1024 bits": with_header(small, kid="small"),
    "key: with the exponent 1": f"{b64(text(header | {'kid': 'exponent-one'}))}.{body}." + b64(
        b"\0\1" + b"\xff" * (256 - 3 - 51) + b"\0" + bytes.fromhex("3031300d060960864801650304020105000420")
        + hashlib.sha256(f"{b64(text(header | {'kid': 'exponent-one'}))}.{body}".encode()).digest()),
    "key: beside the curve": sign(elliptic | {"kid": "off-curve"}, claims, e1),
    "key: on another curve than it says": sign(elliptic | {"kid": "other-curve"}, claims, e1),
    "key: a coordinate too short": sign(elliptic | {"kid": "short-x"}, claims, e1),
    "key: a secret one": with_header(attacker, kid="oct"),
}
for kid in ["even-exponent", "enc", "ops", "private", "mislabelled", "unknown-alg", "no-modulus", "padded"]:
    forged[f"key: {kid}"] = with_header(r3, kid=kid)

forged |= {
    "claims: not JSON": sign(header, "claims", r1),
    "claims: a list": sign(header, "[]", r1),
    "claims: a text": sign(header, '"claims"', r1),
    "claims: null": sign(header, "null", r1),
    "claims: something behind": sign(header, text(claims) + "{}", r1),
    "claims: a zero byte behind": sign(header, text(claims) + "\0", r1),
    "claims: a byte order mark": sign(header, "\ufeff" + text(claims), r1),
    "claims: not UTF-8": sign(header, text(claims).encode().replace(b"subject-1", b"subject\xff1"), r1),
    "claims: a surrogate in UTF-8": sign(header, text(claims).encode().replace(b"subject-1", b"\xed\xa0\x80"), r1),
    "claims: half of a surrogate pair": with_text("subject-1", "\\ud800"),
    "claims: a surrogate pair the wrong way round": with_text("subject-1", "\\udc00\\ud800"),
    "claims: an escape that is none": with_text("subject-1", "\\x41"),
    "claims: a short escape": with_text("subject-1", "\\u+041"),
    "claims: a control character": with_text("subject-1", "subject\n1"),
    "claims: nested too deeply": with_text('{"iss"', '{"deep":' + "[" * 5000 + "]" * 5000 + ',"iss"'),
    "claims: aud twice": with_text('"aud":"vitals"', '"aud":"vitals","aud":"other"'),
    "claims: aud twice, the last is ours": with_text('"aud":"vitals"', '"aud":"other","aud":"vitals"'),
    "claims: aud twice, escaped": with_text('"aud":"vitals"', '"\\u0061ud":"other","aud":"vitals"'),
    "claims: sub twice, escaped": with_text('"sub":"subject-1"', '"sub":"subject-1","su\\u0062":"subject-2"'),
    "claims: twice the same": with_text('"aud":"vitals"', '"aud":"vitals","aud":"vitals"'),
    "claims: twice, further in": with_text('{"iss"', '{"address":{"a":[{"b":1,"\\u0062":2}]},"iss"'),
    "claims: a comment": with_text('{"iss"', '{/* */"iss"'),
    "claims: quotation marks of JSON5": with_text('"iss"', "'iss'"),
    "claims: a comma too many": sign(header, text(claims)[:-1] + ",}", r1),
    "claims: a leading zero": with_text(f'"exp":{now + 3600}', f'"exp":0{now + 3600}'),
    "claims: a plus sign": with_text(f'"exp":{now + 3600}', f'"exp":+{now + 3600}'),
    "claims: NaN": with_text(f'"exp":{now + 3600}', '"exp":NaN'),
    "claims: Infinity": with_text(f'"exp":{now + 3600}', '"exp":Infinity'),
    "claims: a number beyond a Double": with_text(f'"exp":{now + 3600}', '"exp":1e400'),
    "claims: hexadecimal": with_text(f'"exp":{now + 3600}', f'"exp":{hex(now + 3600)}'),
    "claims: unended": sign(header, text(claims)[:-1], r1),
    "iss: missing": with_claims(iss=None),
    "iss: null": with_text(f'"iss":"{ISSUER}"', '"iss":null'),
    "iss: a list": with_claims(iss=[ISSUER]),
    "iss: another": with_claims(iss="https://evil.example.com"),
    "iss: with a slash": with_claims(iss=ISSUER + "/"),
    "iss: in capitals": with_claims(iss="https://LOGIN.example.com"),
    "iss: http": with_claims(iss="http://login.example.com"),
    "iss: without a scheme": with_claims(iss="login.example.com"),
    "iss: as a prefix": with_claims(iss=ISSUER + ".evil.example.com"),
    "iss: a letter that looks alike": with_claims(iss="https://l\u043egin.example.com"),
    "iss: a zero byte": with_claims(iss=ISSUER + "\0"),
    "aud: missing": with_claims(aud=None),
    "aud: null": with_text('"aud":"vitals"', '"aud":null'),
    "aud: a number": with_claims(aud=1),
    "aud: true": with_claims(aud=True),
    "aud: an object": with_claims(aud={"vitals": 1}),
    "aud: an empty list": with_claims(aud=[]),
    "aud: another": with_claims(aud="other"),
    "aud: in capitals": with_claims(aud="Vitals"),
    "aud: with a space": with_claims(aud="vitals "),
    "aud: as a part": with_claims(aud="vitals-android"),
    "aud: all in one text": with_claims(aud="other,vitals"),
    "aud: others": with_claims(aud=["other", "another"], azp=AUDIENCE),
    "aud: ours and somebody else's": with_claims(aud=["somebody", AUDIENCE], azp=AUDIENCE),
    "aud: a list with a number": with_claims(aud=[1, AUDIENCE], azp=AUDIENCE),
    "aud: a list in a list": with_claims(aud=[[AUDIENCE]]),
    "azp: missing, with several audiences": with_claims(aud=[AUDIENCE, "vitals-ios"]),
    "azp: missing, with our audience twice": with_claims(aud=[AUDIENCE, AUDIENCE]),
    "azp: another, with several audiences": with_claims(aud=[AUDIENCE, "vitals-ios"], azp="other"),
    "azp: another": with_claims(azp="other"),
    "azp: a list": with_claims(azp=[AUDIENCE]),
    "azp: null": with_text('{"iss"', '{"azp":null,"iss"'),
    "exp: missing": with_claims(exp=None),
    "exp: a text": with_claims(exp=str(now + 3600)),
    "exp: true": with_claims(exp=True),
    "exp: over": with_claims(exp=now - 61, iat=now - 3600),
    "exp: zero": with_claims(exp=0),
    "exp: negative": with_claims(exp=-1),
    "exp: milliseconds": with_claims(exp=(now + 3600) * 1000),
    "exp: huge": with_text(f'"exp":{now + 3600}', '"exp":1e300'),
    "exp: beyond 64 bits": with_text(f'"exp":{now + 3600}', '"exp":18446744073709551616'),
    "exp: before iat": with_claims(exp=now - 30, iat=now - 10),
    "iat: missing": with_claims(iat=None),
    "iat: a text": with_claims(iat=str(now)),
    "iat: of tomorrow": with_claims(iat=now + 61),
    "iat: of long ago": with_claims(iat=now - 86_400),
    "iat: milliseconds": with_claims(iat=now * 1000),
    "nbf: of tomorrow": with_claims(nbf=now + 61),
    "nbf: a text": with_claims(nbf=str(now)),
    "sub: missing": with_claims(sub=None),
    "sub: empty": with_claims(sub=""),
    "sub: a number": with_claims(sub=1),
    "sub: a list": with_claims(sub=["subject-1"]),
    "sub: of 256 bytes": with_claims(sub="s" * 256),
    "sub: a zero byte": with_claims(sub="subject\0-1"),
    "nonce: missing": with_claims(nonce=None),
    "nonce: null": with_text(f'"nonce":"{given["nonce"]}"', '"nonce":null'),
    "nonce: a number": with_claims(nonce=1),
    "nonce: empty": with_claims(nonce=""),
    "nonce: made up": with_claims(nonce=b64(bytes(56))),
    "nonce: with a bit changed": with_claims(nonce=("B" if given["nonce"][0] == "A" else "A") + given["nonce"][1:]),
    "nonce: with padding": with_claims(nonce=given["nonce"] + "="),
    "nonce: cut short": with_claims(nonce=given["nonce"][:-4]),
    "nonce: of another provider": with_claims(nonce=given["nonces"]["all"]),
    "nonce: of another service": with_claims(nonce=given["nonces"]["elsewhere"]),
    "nonce: too old": with_claims(nonce=given["nonces"]["old"]),
    "nonce: of the future": with_claims(nonce=given["nonces"]["future"]),
    "nonce: used before": with_claims(nonce=given["nonces"]["used"]),
}

print(json.dumps({
    "keys": KEYS, "all": ALL, "good": good, "algorithms": algorithms, "forged": forged,
    # The provider has changed its keys: the old one is gone, another one signs.
    "rotated": {"keys": [jwk(other, "r2024")]},
    "after": sign(header | {"kid": "r2024"}, claims, other),
}))
