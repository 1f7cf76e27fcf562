"""A provider of OpenID Connect on this machine, with whom people of the trial can sign in. It checks what real ones check: who asks, where
the answer goes, that a code is used once, and that who exchanges it knows what the digest (PKCE, S256) was made from."""

import base64
import contextlib
import hashlib
import json
import secrets
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT = "vitals"
#: What an authorization asks for besides, by the kind of its answer.
WANTED = {"code": {"code_challenge", "code_challenge_method"}, "id_token": set()}


class Provider:
    def __init__(self, folder, label):
        self.label, self.issuer = label, f"https://{secrets.token_hex(4)}.example.org"
        self.key = folder / f"{urlsplit(self.issuer).hostname}.pem"
        subprocess.run(["openssl", "genrsa", "-out", self.key, "2048"], check=True, capture_output=True)
        #: Who signs in, and what goes wrong: the answer's state, the nonce in the token, a code of before, no token endpoint.
        self.subject, self.state, self.nonce, self.code, self.is_away = "ada", None, None, None, False
        #: What the codes that have not been used stand for, what was asked, and what went to the token endpoint.
        self.codes, self.asked, self.exchanged = {}, [], []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *words: Handler(self, *words))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def settings(self):
        """Of the consumer."""
        return f'{{ issuer: "{self.issuer}", audience: ["{CLIENT}"], keys: "{self.address}/keys" }}'

    def entry(self, name, has_codes=True):
        """In the page's settings."""
        entry = {"provider": name, "label": self.label, "client_id": CLIENT, "authorization": f"{self.address}/ask?prompt=select_account"}
        return entry | ({"token": f"{self.address}/token"} if has_codes else {})

    def keys(self):
        made = subprocess.run(["openssl", "rsa", "-in", self.key, "-noout", "-modulus"], check=True, capture_output=True, text=True)
        modulus = bytes.fromhex(made.stdout.strip().split("=")[1])
        return {"keys": [{"kty": "RSA", "kid": "1", "alg": "RS256", "use": "sig", "n": b64(modulus), "e": b64(b"\1\0\1")}]}

    def ask(self, question):
        """What a person is shown, with links back to the page."""
        kind = question.get("response_type")
        missing = {"client_id", "redirect_uri", "state", "nonce", "scope"} | WANTED.get(kind, {"response_type"})
        missing -= question.keys()
        if missing or question["client_id"] != CLIENT or question["scope"] != "openid" or question.get("code_challenge_method", "S256") != "S256":
            return f"<p>Refused: {sorted(missing)}</p>"
        self.asked.append(question)
        back, state = question["redirect_uri"], self.state or question["state"]
        if kind == "code":
            code = self.code or secrets.token_urlsafe(16)
            if not self.code:
                self.codes[code] = question
            yes = f"{back}&{urlencode({'code': code, 'state': state})}"
        else:
            yes = f"{back}#{urlencode({'id_token': self.token(question['nonce']), 'state': state})}"
        no = f"{back}{'&' if kind == 'code' else '#'}{urlencode({'error': 'access_denied', 'state': state})}"
        quoted = [address.replace("&", "&amp;") for address in (yes, no)]
        return (f'<!doctype html><html lang="en"><title>Provider</title><h1>Who are you?</h1><p><a href="{quoted[0]}">Continue as Ada</a></p>'
                f'<p><a href="{quoted[1]}">Not now</a></p></html>')

    def exchange(self, fields):
        """What the token endpoint answers."""
        self.exchanged.append(fields)
        question = self.codes.pop(fields.get("code"), None)
        if fields.get("grant_type") != "authorization_code" or not question:
            return 400, {"error": "invalid_grant", "error_description": "<b>the code</b> is not known"}
        challenge = b64(hashlib.sha256(fields.get("code_verifier", "").encode()).digest())
        if (fields.get("client_id"), fields.get("redirect_uri"), challenge) != (CLIENT, question["redirect_uri"], question["code_challenge"]):
            return 400, {"error": "invalid_grant", "error_description": "somebody else has the code"}
        return 200, {"token_type": "Bearer", "access_token": "unused", "id_token": self.token(question["nonce"])}

    def token(self, nonce):
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "sub": self.subject, "iat": now, "exp": now + 300, "nonce": self.nonce or nonce}
        signed = ".".join(b64(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": "1", "typ": "JWT"}, claims))
        made = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.key], check=True, capture_output=True, input=signed.encode())
        return f"{signed}.{b64(made.stdout)}"

    @contextlib.contextmanager
    def that(self, **changes):
        """While this runs, something goes wrong."""
        before = {name: getattr(self, name) for name in changes}
        for name, value in changes.items():
            setattr(self, name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(self, name, value)


class Handler(BaseHTTPRequestHandler):
    def __init__(self, provider, *words):
        self.provider = provider
        super().__init__(*words)

    def do_GET(self):
        address = urlsplit(self.path)
        if address.path == "/keys":
            self.answer(200, self.provider.keys())
        elif address.path == "/ask":
            self.answer(200, self.provider.ask(single(address.query)))
        else:
            self.answer(204, "")

    def do_POST(self):
        if self.provider.is_away:
            return
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.answer(*self.provider.exchange(single(text)))

    def answer(self, status, content):
        is_page = isinstance(content, str)
        body = content.encode() if is_page else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8" if is_page else "application/json")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def single(text):
    return {name: values[0] for name, values in parse_qs(text).items()}


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
