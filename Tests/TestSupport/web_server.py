#!/usr/bin/env python3
"""A web server on a free loopback port, for what a fetcher may meet. Prints `port N`, then `GET PATH` for each request.

    web_server.py FOLDER [--tls good|expired|other-name]

It serves the files of FOLDER as they are at the time, and besides:

    /redirect     302 to /document        /status/N   that status         /garbage   no HTTP at all
    /announced    a huge Content-Length   /endless    bytes without end   /headers   header lines without end
    /slow         no answer               /half       less than announced         /port      that of the asker, again and
                                                                                             again on one connection

A request with another method than GET is answered with what stands in FOLDER/METHOD and its path with spaces in place of
slashes, such as `PROPFIND calendars ann`: a line with a status, header lines, an empty line, and what comes along. Without
such a file, it is answered as above.

With a file FOLDER/digest, which has `USER:PASSWORD`, such a request has to be signed as RFC 7616 says, with MD5. What was put
is in FOLDER/stored.

It answers each line of its standard input with `ok`: whoever reads that has read every request that was answered before.

With --tls it makes an authority of its own, whose certificate it writes to FOLDER/ca.pem. Ends with its standard input.
"""

import datetime
import hashlib
import http.server
import ipaddress
import os
import pathlib
import re
import ssl
import sys
import threading

folder = pathlib.Path(sys.argv[1])
tls = sys.argv[3] if sys.argv[2:3] == ["--tls"] else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in ({"Content-Length": len(body)} | headers).items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        print("GET", self.path, flush=True)
        self.close_connection = self.path != "/port"
        try:
            self.serve()
        except (BrokenPipeError, ConnectionResetError):
            pass

    def do_scripted(self):
        print(self.command, self.path, flush=True)
        self.close_connection = True
        try:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if (folder / "digest").is_file() and not self.is_signed((folder / "digest").read_text()):
                challenge = 'Digest realm="calendars", nonce="7ypf", qop="auth", algorithm=MD5'
                return self.answer(401, **{"WWW-Authenticate": challenge})
            script = folder / f"{self.command}{self.path.replace('/', ' ')}".rstrip()
            if not script.is_file():
                return self.serve()
            if self.command == "PUT":
                (folder / "stored").write_bytes(body)
            head, _, reply = script.read_text(encoding="utf-8").partition("\n\n")
            status, *lines = head.splitlines()
            self.answer(int(status), reply.encode(), **dict(line.split(": ", 1) for line in lines))
        except (BrokenPipeError, ConnectionResetError):
            pass

    def is_signed(self, account):
        said = dict(re.findall(r'(\w+)="?([^",]*)', self.headers.get("Authorization", "")))
        user, _, password = account.partition(":")

        def digest(*parts):
            return hashlib.md5(":".join(parts).encode()).hexdigest()

        secret, what = digest(user, "calendars", password), digest(self.command, self.path)
        names = ("nonce", "nc", "cnonce", "qop")
        return said.get("nonce") == "7ypf" and said.get("response") == digest(
            secret, *(said.get(name, "") for name in names), what)

    do_PROPFIND = do_REPORT = do_PUT = do_DELETE = do_MKCALENDAR = do_scripted

    def serve(self):
        match self.path:
            case "/redirect":
                self.answer(302, Location="/document")
            case path if path.startswith("/status/"):
                self.answer(int(path.removeprefix("/status/")), b"{}")
            case "/garbage":
                self.wfile.write(b"no HTTP at all\r\n\r\n")
            case "/announced":
                self.answer(200, b"x", **{"Content-Length": 1 << 40})
            case "/port":
                self.answer(200, str(self.client_address[1]).encode())
            case "/half":
                self.answer(200, b"half", **{"Content-Length": 8})
            case "/endless":
                self.send_response(200)
                self.end_headers()
                while True:
                    self.wfile.write(b"x" * 4096)
            case "/headers":
                self.wfile.write(b"HTTP/1.1 200 OK\r\n")
                while True:
                    self.wfile.write(b"X-Line: " + b"x" * 4096 + b"\r\n")
            case "/slow":
                threading.Event().wait()
            case path:
                file = folder / path.removeprefix("/")
                if file.is_file():
                    self.answer(200, file.read_bytes())
                else:
                    self.answer(404)


def certified(server):
    """Puts TLS in front of the server, with a certificate as asked for."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)

    def certificate(name, key, issuer, issuer_key, is_authority, address, end):
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(issuer or subject).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - 3 * day).not_valid_after(end)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        if address:
            names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))])
            builder = builder.add_extension(names, critical=False)
        return builder.sign(issuer_key, hashes.SHA256())

    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = certificate("authority", authority_key, None, authority_key, True, None, now + 3 * day)
    key = ec.generate_private_key(ec.SECP256R1())
    address = "127.0.0.2" if tls == "other-name" else "127.0.0.1"
    end = now - day if tls == "expired" else now + day
    own = certificate("server", key, authority.subject, authority_key, False, address, end)
    pem = serialization.Encoding.PEM
    (folder / "ca.pem").write_bytes(authority.public_bytes(pem))
    (folder / "server.pem").write_bytes(
        own.public_bytes(pem)
        + key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
if tls:
    certified(server)
print("port", server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
for _ in sys.stdin:
    print("ok", flush=True)
os._exit(0)
