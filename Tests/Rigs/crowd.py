"""Many people at one home with accounts, a few of whom ask too much: a broker with the plugin, a consumer and the page's web server, as they
are installed; people who sign up for real; clients that listen and never read; and what the kernel says of the programs meanwhile."""

import contextlib
import json
import math
import os
import re
import secrets
import socket
import stat
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import paho.mqtt.client as mqtt
from household import PROJECT, RELEASE, Household, can_connect, free_port, identity
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

ROOT = "vitals/v1"
PASSWORD = "Zq7#horse-Pond"
#: How long a reply is waited for, in seconds. One that does not come by then was lost.
LIMIT = 30


class Asker:
    """A connection that asks: as a guest or, signed in, as a person. What it asks may overlap."""

    def __init__(self, port, person=None):
        self.person, self.port, self._changed = person, port, threading.Condition()
        #: By correlation data: when each request was sent; its reply, and after how many seconds it came.
        self._sent, self._replies = {}, {}
        if person:
            self._requests, self.responses = f"{ROOT}/users/{person['user']}/requests", f"{ROOT}/users/{person['user']}/responses/rig"
        else:
            self._requests, self.responses = f"{ROOT}/accounts", f"{ROOT}/accounts/responses/{secrets.token_hex(16)}"
        self._client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=f"rig-{secrets.token_hex(8)}", protocol=mqtt.MQTTv5)
        self._client.max_inflight_messages_set(0)
        if person:
            self._client.username_pw_set(person["device"], person["password"])
        ready = threading.Event()
        self._client.on_connect = lambda client, *_: client.subscribe(self.responses, 1)
        self._client.on_subscribe = lambda *_: ready.set()
        self._client.on_message = self._heard
        self._client.on_socket_open = lambda _c, _d, connection: connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()
        if not ready.wait(LIMIT):
            raise TimeoutError("the broker does not answer")

    def close(self):
        self._client.disconnect()
        self._client.loop_stop()

    def _heard(self, _client, _data, message):
        came = time.monotonic()
        with self._changed:
            sent = self._sent.pop(message.properties.CorrelationData, None)
            if sent is not None:
                self._replies[message.properties.CorrelationData] = (json.loads(message.payload), came - sent)
                self._changed.notify_all()

    def send(self, verb, fields):
        """Asks, and does not wait."""
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic, properties.CorrelationData = self.responses, secrets.token_bytes(12)
        payload = json.dumps(fields)
        with self._changed:
            self._sent[properties.CorrelationData] = time.monotonic()
        self._client.publish(f"{self._requests}/{verb}", payload, 1, properties=properties)
        return properties.CorrelationData

    def reply(self, key, limit=LIMIT):
        """What was answered: `ok`, an error's code, or `lost`; how many seconds it took; and the reply itself."""
        with self._changed:
            if not self._changed.wait_for(lambda: key in self._replies, limit):
                return "lost", limit, {}
            reply, took = self._replies.pop(key)
        return reply.get("error", {}).get("code", reply["status"]), took, reply

    def ask(self, verb, fields=None, limit=LIMIT):
        return self.reply(self.send(verb, fields or {}), limit)

    def data(self, verb, fields=None, patience=120):
        """What an answer says. Who is told to come again later does."""
        end = time.monotonic() + patience
        while True:
            said, _, reply = self.ask(verb, fields)
            if said == "ok":
                return reply["data"]
            if said not in ("busy", "rate-limited") or time.monotonic() > end:
                raise RuntimeError(f"{verb}: {reply}")
            time.sleep(reply["error"].get("retry_after_s", 1))


class Crowd(Household):
    """A home with accounts, whose page a web server carries to the broker."""

    def __enter__(self):
        super(Household, self).__enter__()
        self.folder, self.port, self.page_port = self._make_folder(), free_port(), free_port()
        broker = [PROJECT / "deploy/broker", "--accounts", self.folder / "broker", str(self.port)]
        subprocess.run(broker, check=True, stdout=subprocess.DEVNULL)
        settings = self.folder / "consumer.json5"
        settings.write_text(f"""{{
          state: "consumer", root_key_file: "root.key", accounts: {{}}, broker_rules: {{}},
          phones: {{ host: "127.0.0.1", port: {self.port}, tls: false }},
          broker: {{ port: {self.port}, username: "consumer", password_file: "broker/consumer.password" }},
        }}""")
        identity("vitals-consumer", settings)
        subprocess.run([*broker, settings], check=True, capture_output=True, env=os.environ | {"VITALS_PROGRAMS": str(RELEASE)})
        with open(self.folder / "broker/mosquitto.conf", "a") as lines:
            lines.write("log_type error\nlog_type warning\nlog_type subscribe\n")
        self.start_broker()
        self.consumer = self.start("consumer", [RELEASE / "vitals-consumer", "--settings", settings])
        log = self.folder / "broker.log"
        self.wait(self.consumer, "it has subscribed", lambda: f"{ROOT}/accounts/+" in log.read_text(errors="replace"))
        self._serve()
        self.guest = self._asker()
        return self

    def _serve(self):
        """The web server with the page's configuration. Nobody fetches the page itself."""
        self.origin, here = f"http://127.0.0.1:{self.page_port}", PROJECT / "deploy/lighttpd"
        (self.folder / "page").mkdir()
        (self.folder / "page/settings.json").write_text("{}")
        (self.folder / "lighttpd.conf").write_text(f"""
var.page = "{self.folder}/page"
var.settings = "{self.folder}/page/settings.json"
var.policy = "default-src 'none'"
var.broker = "{self.port}"
var.origin = "{self.origin}"
server.port = {self.page_port}
server.bind = "127.0.0.1"
server.errorlog = "{self.folder}/lighttpd.log"
include "{here}/modules.conf"
include "{here}/page.conf"
""")
        self.page = self.start("page", ["lighttpd", "-D", "-f", self.folder / "lighttpd.conf"])
        self.wait(self.page, "the page is served", lambda: can_connect(self.page_port))

    def _asker(self, person=None):
        made = Asker(self.port, person)
        self.callback(made.close)
        return made

    def people(self, names):
        """People who sign up, two at a time, each with an e-mail address of their name; where they are may be recorded."""
        def one(name):
            person = self._asker(self.guest.data("sign-up", credential(name)))
            person.data("consent/set", {"record_location": True})
            return person

        with ThreadPoolExecutor(2) as threads:
            return list(threads.map(one, names))

    def sign_in(self, name):
        """What a sign-in came to, and how long it took."""
        return self.guest.ask("sign-in", credential(name))[:2]


def credential(name):
    return {"email": f"{name}@example.org", "password": PASSWORD}


# Clients that do not read

class Line:
    """A connection in bytes: MQTT 5, at the broker's own port or, with an origin, through the page's WebSocket. Once it has subscribed,
    nothing is read from it any more."""

    def __init__(self, port, origin=None, person=None, listens=None):
        self._is_page, self._socket = origin is not None, socket.socket()
        # What waits for it is to wait in the programs, and not in the kernel, which gives a connection within a machine megabytes.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1460)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.settimeout(LIMIT)
        self._socket.connect(("127.0.0.1", port))
        if origin:
            self._socket.sendall(
                f"GET /mqtt HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: {origin}\r\n"
                "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                "Sec-WebSocket-Protocol: mqtt\r\n\r\n".encode())
            self._expect(b"\r\n\r\n")
        who = text(person["device"]) + text(person["password"]) if person else b""
        self.send(packet(0x10, text("MQTT") + bytes([5, 0xC2 if person else 0x02, 0, 0, 0]) + text(f"rig-{secrets.token_hex(8)}") + who))
        self._expect(b"\x20")
        if listens:
            self.send(packet(0x82, b"\0\1\0" + text(listens) + b"\0"))
            heard = self._expect(b"\x90")
            if heard[-1] > 2:
                raise ConnectionError(f"the subscription was refused: {heard[-1]}")

    def _expect(self, part):
        heard = b""
        while part not in heard:
            heard += (some := self._socket.recv(4096))
            if not some:
                raise ConnectionError("the connection was refused")
        return heard

    def send(self, bytes_):
        """Sends a whole packet, in a frame if it goes through the page; masked with zeros, it stays the same."""
        if self._is_page:
            length = bytes([0x80 | len(bytes_)]) if len(bytes_) < 126 else b"\xfe" + len(bytes_).to_bytes(2, "big") \
                if len(bytes_) < 65_536 else b"\xff" + len(bytes_).to_bytes(8, "big")
            bytes_ = b"\x82" + length + bytes(4) + bytes_
        self._socket.sendall(bytes_)

    def close(self):
        self._socket.close()


def packet(kind, body):
    length, left = b"", len(body)
    while True:
        length += bytes([left % 128 | (128 if left > 127 else 0)])
        left //= 128
        if not left:
            return bytes([kind]) + length + body


def text(words):
    bytes_ = words if isinstance(words, bytes) else words.encode()
    return len(bytes_).to_bytes(2, "big") + bytes_


def request(topic, responses, correlation, payload=b"{}"):
    """A request of quality 0."""
    properties = b"\x08" + text(responses) + b"\x09" + text(correlation)
    count = packet(0, properties)[1:]
    return packet(0x30, text(topic) + count + payload)


def flood(lines, packets, bytes_per_second, seconds):
    """Sends from these lines by turns at that rate. Returns how many packets and bytes went out; a line that ends is given up."""
    lines, began, count, sent = list(lines), time.monotonic(), 0, 0
    while lines and (now := time.monotonic() - began) < seconds:
        if sent > now * bytes_per_second:
            time.sleep(0.01)
            continue
        one = packets[count % len(packets)]
        try:
            lines[count % len(lines)].send(one)
        except OSError:
            lines.pop(count % len(lines))
            continue
        count, sent = count + 1, sent + len(one)
    return count, sent


# What the kernel says

def megabytes(pid, what="VmHWM"):
    """Memory of a program: at most since `forget_peak`, or VmRSS, at this moment."""
    found = re.search(rf"^{what}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M)
    return int(found[1]) / 1024 if found else 0


def forget_peak(pid):
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def temporary_megabytes(pid):
    """What a web server keeps in files that it has made for itself, whether they have a name or not."""
    total = 0
    for one in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            target, state = os.readlink(one), one.stat()
            if stat.S_ISREG(state.st_mode) and ("lighttpd-upload" in target or target.endswith("(deleted)")):
                total += state.st_blocks * 512
    return total / (1 << 20)


class Watch(threading.Thread):
    """What programs take at most while this runs, in MB."""

    def __init__(self, crowd):
        super().__init__(daemon=True)
        self.crowd, self._is_over, self.files = crowd, threading.Event(), 0
        self._programs = {"broker": crowd.broker, "consumer": crowd.consumer, "page": crowd.page}
        self.memory = {}

    def __enter__(self):
        for program in self._programs.values():
            forget_peak(program.pid)
        self.start()
        return self

    def run(self):
        while not self._is_over.wait(0.05):
            self.files = max(self.files, temporary_megabytes(self.crowd.page.pid))

    def __exit__(self, *_):
        self._is_over.set()
        self.join()
        self.memory = {name: megabytes(program.pid) for name, program in self._programs.items()}

    def __str__(self):
        return ", ".join(f"{name} {size:.0f} MB" for name, size in self.memory.items()) + f", temporary files {self.files:.0f} MB"


def p99(seconds):
    return sorted(seconds)[math.ceil(len(seconds) * 0.99) - 1] if seconds else math.inf
