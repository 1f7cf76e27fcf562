"""Who may do what at the broker: a real Mosquitto with the rules that our consumer wrote and keeps, and every role trying everything.

The expectations are the tables below, written by hand from deploy/topics.md ("Who may do what"); nothing of them is computed from our
code. Which requests people may send, and which topics the consumer publishes to them, is read from the same document, which a test
compares with the code: so what a new feature asks and tells is tried here as soon as it exists. Three worlds are tried:

- owners: `household: "owners"`; the plugin's file is written by `vitals-consumer broker-rules`.
- anyone: `household: "anyone"`; the plugin's file is spoilt before (denials gone, default access allowed, a role and a client that
  nobody knows), and the running consumer has to put it right.
- spoilt: the same spoilt file and no consumer. Here the tables must find crossings, or they prove nothing.

In each world every role publishes to every topic, subscribes to every filter, and hears, live and kept, what the consumer publishes
to every topic. Besides: wills, client ids taken over, devices and gateways that are removed while they are connected and while they
are not, wrong passwords, replies that are asked to somebody else's topics, or to topics that make the broker throw out who replies there; and the settings of mosquitto/public.conf with certificates of
deploy/certificates: who is let in by which listener, and as whom.

    access.py [long]     prints what is not as expected, and the number of cases; long also makes mistakes in the rules, one at a
                         time, each of which has to be found
"""

import base64
import contextlib
import hashlib
import json
import os
import re
import signal
import sqlite3
import ssl
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor

import paho.mqtt.client as mqtt
from household import PROJECT, RELEASE, Household, broker_settings, certify, free_port, identity, stop
from outcome import Outcome
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

ROOT = "vitals/v1"
ALICE, BOB = "alice" + "a" * 11, "bob" + "b" * 13
GATEWAY_A, GATEWAY_B, HOME = "gwaaaaaa", "gwbbbbbb", "home"
STORE = "0" * 32
PHONE = "phone-" + "p" * 16
DRAWN, OTHER = "0123456789abcdef" * 2, "f" * 32

# The roles: guest, Alice and Bob on a device each, a phone that tells where Alice is, the gateways of Alice and of Bob, one of the settings, Home Assistant, the consumer.
ROLES = {"g": "guest", "A": "Alice", "B": "Bob", "p": "Alice's phone", "a": "gateway A", "b": "gateway B", "m": "gateway home", "s": "Home Assistant",
         "C": "consumer"}

def documented(heading):
    """The rows of the tables under a heading of deploy/topics.md, as lists of columns."""
    with open(os.path.join(PROJECT, "deploy/topics.md"), encoding="utf-8") as file:
        section = file.read().split(f"\n{heading}", 1)[1]
    section = re.split(r"\n##? ", section, maxsplit=1)[0]
    return [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| `")]


def documented_requests():
    """What people may ask: `profile/get`, …"""
    names = [name for row in documented("## Requests") for name in re.findall(r"`([a-z-]+/[a-z-]+)`", row[0])]
    assert len(names) > 50, "deploy/topics.md no longer lists the requests as this reads them"
    return names


def documented_topics(friend):
    """Where the consumer publishes to people: `goals/steps`, …"""
    names = []
    for row in documented("## A person's topics"):
        name = row[0].strip().strip("`")
        if not name.startswith(("requests/", "responses/")):
            spelt = re.search(r"{([^{}]*,[^{}]*)}", name)
            names += [name.replace(spelt[0], one) for one in spelt[1].split(",")] if spelt else [
                re.sub(r"{[^{}]*}", friend, name)]
    assert len(names) >= 8, "deploy/topics.md no longer lists the topics as this reads them"
    return names


# What a household may ask about the music in the house.
MUSIC = [f"music/{name}" for name in ("show", "play", "pause", "next", "previous", "choose", "list", "artwork", "search", "add", "remove")]

# topic, who may publish there, who may receive from there. h: the household of that gateway, which in the world
# "owners" is Alice for gateway A (she enrolled it that way) and nobody for the others, and in "anyone" is guest, Alice
# and Bob for all.
TOPICS = [
    # A guest: publishes the existing requests, but to no topic of its own choice, because the broker would retain it;
    # receives accounts/responses/{its random level}.
    ("accounts/sign-up", "gC", "C"),
    ("accounts/sign-in", "gC", "C"),
    ("accounts/enrol", "gC", "C"),
    ("accounts/nonce", "gC", "C"),
    ("accounts/sign-in-with", "gC", "C"),
    ("accounts/request-reset", "gC", "C"),
    ("accounts/reset-password", "gC", "C"),
    ("accounts/nonsense", "C", "C"),
    ("accounts", "C", "C"),
    ("accounts/sign-up/x", "C", "C"),
    ("accounts/responses", "C", "C"),
    (f"accounts/responses/{DRAWN}", "C", "gC"),
    (f"accounts/responses/{OTHER}", "C", "C"),
    (f"accounts/responses/{DRAWN}/x", "C", "C"),
    # A person: publishes users/{user}/requests/{resource}/{verb}, receives users/{user}/#, except what other devices of
    # theirs ask: that may contain a password.
    *[
        row
        for user, letter in ((ALICE, "A"), (BOB, "B"))
        for row in [
            (f"users/{user}", "C", letter + "C"),
            *[(f"users/{user}/requests/{name}", letter + "C", "C") for name in documented_requests()],
            (f"users/{user}/requests/nonsense/x", letter + "C", "C"),
            (f"users/{user}/requests/profile", "C", "C"),
            (f"users/{user}/requests/a/b/c", "C", "C"),
            (f"users/{user}/responses/profile/get", "C", letter + "C"),
            (f"users/{user}/responses/phone", "C", letter + "C"),
            *[
                (f"users/{user}/{name}", "C", letter + "C")
                for name in documented_topics(BOB if letter == "A" else ALICE)
            ],
            (f"users/{user}/dependents/x/location", "C", letter + "C"),
        ]
    ],
    # A phone: publishes its own topic and one level beneath it, except for commands, and receives these. What it publishes reaches its
    # person, who may not publish it.
    (f"users/{ALICE}/phone", "C", "AC"),
    (f"users/{ALICE}/phone/{PHONE}", "pC", "AC"),
    (f"users/{ALICE}/phone/{PHONE}/event", "pC", "AC"),
    (f"users/{ALICE}/phone/{PHONE}/cmd", "C", "ApC"),
    (f"users/{ALICE}/phone/{PHONE}/a/b", "C", "AC"),
    (f"users/{ALICE}/phone/{PHONE}x", "C", "AC"),
    (f"users/{ALICE}/phone/other/cmd", "C", "AC"),
    (f"users/{BOB}/phone/{PHONE}", "C", "BC"),
    ("users", "C", "C"),
    (f"users/{ALICE}x/today", "C", "C"),
    (f"users/{ALICE[:-1]}/today", "C", "C"),
    # A gateway: publishes and receives gateways/{gw}/#, receives stores/+/consumers/+. The household: publishes
    # requests and reads, receives everything but blocks (live ones, too), control, the grants that go back to the consumer, and what may be asked. With
    # topics of its own choice, except for a sensor's name, it could make the broker retain anything. Home Assistant: publishes
    # reads, receives what is shown.
    *[
        row
        for gateway, letter in ((GATEWAY_A, "a"), (GATEWAY_B, "b"), (HOME, "m"))
        for row in [
            (f"gateways/{gateway}/status", letter + "C", letter + "hsC"),
            (f"gateways/{gateway}/info", letter + "C", letter + "hC"),
            (f"gateways/{gateway}/health", letter + "C", letter + "hsC"),
            (f"gateways/{gateway}/events", letter + "C", letter + "hC"),
            (f"gateways/{gateway}/blocks", letter + "C", letter + "C"),
            (f"gateways/{gateway}/live", letter + "C", letter + "C"),
            (f"gateways/{gateway}/control", letter + "C", letter + "C"),
            (f"gateways/{gateway}/grants", letter + "C", letter + "C"),
            *[
                (f"gateways/{gateway}/requests/{name}", letter + "hC", letter + "C")
                for name in ("scan", "connect", "disconnect", "forget", "rename", *MUSIC)
            ],
            (f"gateways/{gateway}/requests/music/nonsense", letter + "C", letter + "C"),
            (f"gateways/{gateway}/music", letter + "C", letter + "hC"),
            (f"gateways/{gateway}/requests", letter + "C", letter + "C"),
            (f"gateways/{gateway}/requests/nonsense", letter + "C", letter + "C"),
            (f"gateways/{gateway}/requests/a/b", letter + "C", letter + "C"),
            (f"gateways/{gateway}/sensors/strap/heart-rate/get", letter + "C", letter + "hC"),
            (f"gateways/{gateway}/responses/me", letter + "C", letter + "hC"),
            (f"gateways/{gateway}/sensors/strap/info", letter + "C", letter + "hsC"),
            (f"gateways/{gateway}/sensors/strap/heart-rate", letter + "C", letter + "hsC"),
            (f"gateways/{gateway}/sensors/strap/steps/get", letter + "hsC", letter + "C"),
            (f"gateways/{gateway}/sensors/strap/temperature/get", letter + "hsC", letter + "C"),
            *[
                (f"gateways/{gateway}/sensors/strap/{name}", letter + "C", letter + "hsC")
                for name in ("availability", "running", "cycling", "steps/response", "temperature/response")
            ],
            (f"gateways/{gateway}/sensors/strap/get", letter + "C", letter + "hC"),
            (f"gateways/{gateway}/sensors/strap/grant", letter + "C", letter + "hC"),
        ]
    ],
    (f"stores/{STORE}/consumers/other", "C", "abmsC"),
    (f"stores/{STORE}", "C", "C"),
    # What people show in Home Assistant is copied to topics of its own, which nobody else hears, not even the person.
    *[
        row
        for user in (ALICE, BOB)
        for row in [
            (f"home-assistant/{user}/today", "C", "sC"),
            (f"home-assistant/{user}", "C", "C"),
            (f"home-assistant/{user}/other", "C", "C"),
            (f"home-assistant/{user}/today/x", "C", "C"),
        ]
    ],
    ("nonsense", "C", "C"),
]
# Topics where nothing stays retained while the consumer is there.
REQUESTS = re.compile(
    r"accounts/[^/]+|users/[^/]+/requests(/.*)?|users/[^/]+/phone/[^/]+(/[^/]+)?|gateways/[^/]+/(requests(/.*)?|sensors/[^/]+/(steps|temperature)/get)")

# Topics outside the root, and who may publish there: a gateway describes its own devices to Home Assistant, the consumer describes
# people, and speaks with the plugin.
OUTSIDE = [
    ("vitals", ""), ("vitals/v2/x", ""), ("other", ""), ("/vitals/v1/x", ""), ("$SYS/broker/x", ""), ("$CONTROL/x", ""),
    ("$CONTROL/dynamic-security/v1", "C"), ("$CONTROL/dynamic-security/v1/response", "C"),
    ("homeassistant", "s"), ("homeassistant/status", "s"), ("homeassistant/sensor/x/config", "s"), ("homeassistant/device/x/config", "s"),
    ("homeassistant/device/vitals_people", "C"), ("homeassistant/device/vitals_people/config", "C"),
    (f"homeassistant/device/vitals_people/{ALICE}/config", "C"), (f"homeassistant/device/vitals_peoplex/{ALICE}/config", "s"),
    *[
        row
        for gateway, letter in ((GATEWAY_A, "a"), (GATEWAY_B, "b"), (HOME, "m"))
        for row in [
            (f"homeassistant/device/{gateway}/config", letter + "s"),
            (f"homeassistant/device/{gateway}/strap/config", letter + "s"),
            (f"homeassistant/device/{gateway}x/config", "s"),
            (f"homeassistant/sensor/{gateway}/config", "s"),
        ]
    ],
]

# filter, who may subscribe to it. H: the household in the world "anyone" only.
FILTERS = [
    ("#", ""),
    ("+/#", ""),
    ("+", ""),
    ("vitals/#", ""),
    ("vitals/+/#", ""),
    ("+/v1/#", ""),
    (f"{ROOT}/#", "C"),
    (f"{ROOT}/+/#", "C"),
    (f"{ROOT}/accounts/#", "C"),
    (f"{ROOT}/accounts/+", "C"),
    (f"{ROOT}/accounts/sign-up", "C"),
    (f"{ROOT}/accounts/+/+", "C"),
    (f"{ROOT}/accounts/+/{DRAWN}", "C"),
    (f"{ROOT}/accounts/responses", "C"),
    (f"{ROOT}/accounts/responses/+", "C"),
    (f"{ROOT}/accounts/responses/#", "C"),
    (f"{ROOT}/accounts/responses/{DRAWN}", "gC"),
    (f"{ROOT}/accounts/responses/{DRAWN}/#", "C"),
    (f"{ROOT}/accounts/responses/{DRAWN}/+", "C"),
    (f"{ROOT}/accounts/responses/+/#", "C"),
    (f"{ROOT}/accounts/responses/+/+", "C"),
    (f"{ROOT}/+/responses/{DRAWN}", "C"),
    (f"{ROOT}/+/+/{DRAWN}", "C"),
    (f"vitals/+/accounts/responses/{DRAWN}", ""),
    (f"+/v1/accounts/responses/{DRAWN}", ""),
    (f"{ROOT}/users/#", "C"),
    (f"{ROOT}/users/+", "C"),
    (f"{ROOT}/users/+/#", "C"),
    (f"{ROOT}/users/+/today", "C"),
    (f"{ROOT}/users/+/requests/+/+", "C"),
    (f"{ROOT}/users/+/heart-rate", "C"),
    (f"{ROOT}/users/+/goals/+", "C"),
    (f"{ROOT}/users/+/friends/+/today", "C"),
    (f"{ROOT}/users/+/friends/{ALICE}/today", "C"),
    (f"{ROOT}/users/+/notifications", "C"),
    (f"{ROOT}/+/{ALICE}/#", "C"),
    (f"{ROOT}/+/{ALICE}/today", "C"),
    (f"{ROOT}/users/{ALICE}/#", "AC"),
    (f"{ROOT}/users/{ALICE}/+", "AC"),
    (f"{ROOT}/users/{ALICE}/today", "AC"),
    (f"{ROOT}/users/{ALICE}/+/+", "AC"),
    # What comes there never reaches her.
    (f"{ROOT}/users/{ALICE}/requests/#", "AC"),
    (f"{ROOT}/users/{ALICE}/responses/phone", "AC"),
    (f"{ROOT}/users/{ALICE}/phone/{PHONE}", "AC"),
    (f"{ROOT}/users/{ALICE}/phone/{PHONE}/+", "AC"),
    (f"{ROOT}/users/{ALICE}/phone/{PHONE}/#", "AC"),
    (f"{ROOT}/users/{ALICE}/phone/{PHONE}/cmd", "ApC"),
    (f"{ROOT}/users/{ALICE}/phone/+/cmd", "AC"),
    (f"{ROOT}/users/+/phone/{PHONE}/cmd", "C"),
    (f"{ROOT}/users/+/phone/+", "C"),
    (f"{ROOT}/users/{BOB}/#", "BC"),
    (f"{ROOT}/users/{BOB}/+", "BC"),
    (f"{ROOT}/users/{BOB}/today", "BC"),
    (f"{ROOT}/users/{BOB}/friends/{ALICE}/today", "BC"),
    (f"{ROOT}/users/{BOB}/goals/+", "BC"),
    (f"{ROOT}/users/{BOB}/notifications", "BC"),
    (f"{ROOT}/users/{BOB}/responses/phone", "BC"),
    (f"{ROOT}/users/{ALICE}x/#", "C"),
    (f"{ROOT}/users/{ALICE[:-1]}/#", "C"),
    (f"{ROOT}/gateways/#", "HC"),
    (f"{ROOT}/gateways/+/#", "HC"),
    (f"{ROOT}/gateways/+/status", "HsC"),
    (f"{ROOT}/gateways/+/sensors/+/heart-rate", "HsC"),
    (f"{ROOT}/gateways/+/sensors/+/+", "HC"),
    (f"{ROOT}/gateways/+/sensors/+/info", "HsC"),
    (f"{ROOT}/gateways/+/sensors/+/grant", "HC"),
    (f"{ROOT}/gateways/+/sensors/+/steps/response", "HsC"),
    (f"{ROOT}/gateways/+/health", "HsC"),
    (f"{ROOT}/gateways/+/music", "HC"),
    *[(f"{ROOT}/gateways/+/sensors/strap/{name}", "HsC") for name in ("availability", "running", "cycling", "temperature/response")],
    # What these topics carry never reaches a household, whoever may subscribe.
    (f"{ROOT}/gateways/+/blocks", "HC"),
    (f"{ROOT}/gateways/+/live", "HC"),
    (f"{ROOT}/gateways/+/control", "HC"),
    *[
        row
        for gateway, letter in ((GATEWAY_A, "a"), (GATEWAY_B, "b"), (HOME, "m"))
        for row in [
            (f"{ROOT}/gateways/{gateway}/#", letter + "hC"),
            (f"{ROOT}/gateways/{gateway}/+", letter + "hC"),
            (f"{ROOT}/gateways/{gateway}/sensors/+/heart-rate", letter + "hsC"),
            (f"{ROOT}/gateways/{gateway}/requests/+", letter + "hC"),
            (f"{ROOT}/gateways/{gateway}/control", letter + "hC"),
        ]
    ],
    (f"{ROOT}/stores/#", "C"),
    (f"{ROOT}/stores/+/consumers/+", "abmsC"),
    (f"{ROOT}/stores/{STORE}/consumers/other", "abmsC"),
    (f"{ROOT}/home-assistant/#", "C"),
    (f"{ROOT}/home-assistant/+", "C"),
    (f"{ROOT}/home-assistant/+/+", "C"),
    (f"{ROOT}/home-assistant/+/today", "sC"),
    (f"{ROOT}/home-assistant/{ALICE}/#", "C"),
    (f"{ROOT}/home-assistant/{ALICE}/today", "sC"),
    (f"{ROOT}/+/{ALICE}/+", "C"),
    (f"{ROOT}/stores/+/consumers/#", "C"),
    ("$SYS/#", ""),
    ("$SYS/broker/clients/connected", ""),
    ("$SYS/+/version", ""),
    ("$CONTROL/#", ""),
    ("$CONTROL/+/v1", ""),
    ("$CONTROL/dynamic-security/#", "C"),
    ("$CONTROL/dynamic-security/v1/response", "C"),
    ("other", ""),
    ("homeassistant/#", "s"),
    ("homeassistant/+/+/config", "s"),
    ("homeassistant/+", "s"),
    ("homeassistant/status", "abmsC"),
    ("homeassistant/device/vitals_people/#", "sC"),
    ("homeassistant/device/vitals_people/+/config", "sC"),
    *[(f"homeassistant/device/{gateway}/#", "s") for gateway in (GATEWAY_A, GATEWAY_B, HOME)],
]
# Shared subscriptions are the consumer's alone, of what is below the root.
SHARED = [f"$share/x/{filter}" for filter, _ in FILTERS if not filter.startswith("$")]


def whoever(letters, world, topic):
    """The roles that letters of a table stand for in a world."""
    roles = set(letters) - set("hH")
    if world == "anyone" and set(letters) & set("hH"):
        roles |= set("gAB")
    if world == "owners" and "h" in letters and f"/{GATEWAY_A}" in topic:
        roles |= set("A")
    return roles


class Client:
    """One connection, whose answers are waited for by packet id."""

    def __init__(self, port, user=None, password=None, client_id=None, will=None, version=mqtt.MQTTv5, expiry=None,
                 tls=None, transport="tcp"):
        self.heard, self.answers, self.over = [], {}, threading.Event()
        self.changed = threading.Condition()
        self.code = None
        self.mqtt = mqtt.Client(
            mqtt.CallbackAPIVersion.VERSION2, client_id=client_id or f"rig-{os.urandom(8).hex()}", protocol=version,
            transport=transport, reconnect_on_failure=False)
        self.mqtt.max_inflight_messages_set(0)
        self.mqtt.max_queued_messages_set(0)
        self.mqtt.on_connect = lambda _c, _u, _f, code, _p: self._note("connected", code)
        self.mqtt.on_disconnect = lambda *_: self._over()
        self.mqtt.on_message = lambda _c, _u, message: self._hear(message)
        self.mqtt.on_publish = lambda _c, _u, number, code, _p: self._note(number, code)
        self.mqtt.on_subscribe = lambda _c, _u, number, codes, _p: self._note(number, codes[0])
        if user is not None:
            self.mqtt.username_pw_set(user, password)
        if will:
            self.mqtt.will_set(will[0], will[1], 1, will[2])
        if tls:
            self.mqtt.tls_set_context(tls)
        options = {}
        if version == mqtt.MQTTv5:
            options["clean_start"] = expiry is None
            options["properties"] = Properties(PacketTypes.CONNECT)
            if expiry is not None:
                options["properties"].SessionExpiryInterval = expiry
        self.mqtt.connect("127.0.0.1", port, **options)
        self.mqtt.loop_start()
        self.code = self.answer("connected")

    def _note(self, key, value):
        with self.changed:
            self.answers[key] = value
            self.changed.notify_all()

    def _over(self):
        with self.changed:
            self.over.set()
            self.changed.notify_all()

    def _hear(self, message):
        with self.changed:
            self.heard.append(message)
            self.changed.notify_all()

    @property
    def is_in(self):
        return self.code is not None and not self.code.is_failure

    def answer(self, key, limit=10):
        """The broker's answer; None where the connection ended without one."""
        with self.changed:
            self.changed.wait_for(lambda: key in self.answers or self.over.is_set(), limit)
            return self.answers.get(key)

    def hears(self, limit, is_so):
        with self.changed:
            return self.changed.wait_for(lambda: any(is_so(x) for x in self.heard), limit)

    def publish(self, topic, payload, retain=False, properties=None):
        return self.mqtt.publish(topic, payload, 1, retain, properties).mid

    def subscribe(self, filter):
        return self.mqtt.subscribe(filter, 1)[1]

    def allowed(self, number):
        """Whether the broker said yes."""
        code = self.answer(number)
        return code is not None and not code.is_failure

    def drop(self):
        """Ends without a goodbye: the will is due."""
        with contextlib.suppress(OSError):
            self.mqtt.socket().shutdown(2)
        self.over.wait(10)
        self.mqtt.loop_stop()

    def close(self):
        self.mqtt.disconnect()
        self.mqtt.loop_stop()


class World(Household):
    """A broker with the plugin, a consumer's database with Alice, Bob, their devices and gateways, and who connects to it."""

    def __init__(self, name):
        super().__init__()
        self.name, self.clients, self.passwords = name, {}, {}
        self.cases, self.wrong, self.tag = 0, [], 0

    def __enter__(self):
        contextlib.ExitStack.__enter__(self)
        self.folder = self._make_folder()
        self.port = free_port()
        subprocess.run([PROJECT / "deploy/broker", "--accounts", self.folder / "broker", str(self.port)], check=True)
        self.settings = self.folder / "consumer.json5"
        key = base64.b64encode(bytes(31) + b"\x09").decode()
        household = "owners" if self.name == "owners" else "anyone"
        self.settings.write_text(f"""{{
          state: "consumer", root_key_file: "root.key",
          broker: {{ port: {self.port}, username: "consumer", password_file: "broker/consumer.password" }},
          gateways: {{ {HOME}: {{ identity: "{key}", password_file: "broker/home.password" }} }},
          accounts: {{}}, broker_rules: {{ household: "{household}", home_assistant: {{}} }},
        }}""")
        for name in ("consumer", HOME):
            self.passwords[name] = self.password_file(name).read_text().strip()
        self._make_database()
        self.write_rules()
        self._add_home_assistant()
        return self

    def _add_home_assistant(self):
        """As an operator does it, with a role of ours: the consumer leaves the client alone."""
        credential = self.credential("homeassistant")
        file = json.loads(self.rules.read_text())
        file["clients"].append({
            "username": "homeassistant", "salt": base64.b64encode(credential[:12]).decode(),
            "password": base64.b64encode(credential[12:]).decode(), "iterations": 101,
            "roles": [{"rolename": "home-assistant"}]})
        self.rules.write_text(json.dumps(file))

    def write_rules(self):
        command = [RELEASE / "vitals-consumer", "broker-rules", self.rules, "--settings", self.settings]
        subprocess.run(command, check=True, capture_output=True)

    @property
    def rules(self):
        return self.folder / "broker/vitals-rules.json"

    def _make_database(self):
        """The service's own schema: it is started once, without a broker."""
        identity("vitals-consumer", self.settings)
        service = self.start_consumer()
        self.wait(service, "the database is there", lambda: b"next try" in self.log())
        stop(service)
        with self.database() as database:
            for device, user in (("alicephone", ALICE), ("aliceold", ALICE), ("alicelost", ALICE), ("bobphone", BOB), (PHONE, ALICE)):
                database.execute(
                    "INSERT INTO devices VALUES (?, ?, ?, 0, 1, x'00')", (device, user, self.credential(device)))
            gateways = ((GATEWAY_A, ALICE, 1), (GATEWAY_B, BOB, 0), ("gwgone00", BOB, 0), ("gwlost00", BOB, 0))
            for gateway, owner, household in gateways:
                database.execute(
                    "INSERT INTO gateways VALUES (?, ?, ?, ?, x'00', ?, 0)",
                    (gateway, owner, os.urandom(32), self.credential(gateway), household))

    def credential(self, name):
        """Salt and hash as the plugin makes them, by somebody else's PBKDF2."""
        self.passwords[name] = base64.b64encode(os.urandom(32)).decode()
        salt = os.urandom(12)
        return salt + hashlib.pbkdf2_hmac("sha512", self.passwords[name].encode(), salt, 101)

    @contextlib.contextmanager
    def database(self):
        with contextlib.closing(sqlite3.connect(self.folder / "consumer/vitals.db", timeout=10)) as database, database:
            yield database

    def start_consumer(self):
        return self.start("consumer", [RELEASE / "vitals-consumer", "--settings", self.settings])

    def log(self):
        return (self.folder / "consumer.log").read_bytes()

    def bring_in_line(self, act):
        """Does something upon which the running consumer brings the rules in line, and waits until it has."""
        words = b"the broker's rules are as the database says"
        count = self.log().count(words)
        act()
        self.wait(self.service, "the rules are in line", lambda: self.log().count(words) > count)

    def connect(self, user=None, **options):
        client = Client(self.port, user, self.passwords.get(user), **options)
        self.callback(client.close)
        return client

    def connect_all(self):
        users = {
            "g": None, "A": "alicephone", "B": "bobphone", "p": PHONE, "a": GATEWAY_A, "b": GATEWAY_B, "m": HOME,
            "s": "homeassistant", "C": "consumer",
        }
        self.clients = {letter: self.connect(user) for letter, user in users.items()}
        for letter, client in self.clients.items():
            self.check(client.is_in, True, f"{ROLES[letter]} signs in")

    def check(self, found, expected, what):
        self.cases += 1
        if found != expected:
            self.wrong.append(f"{self.name}: {what}: {'yes' if found else 'no'}, expected {'yes' if expected else 'no'}")

    def next_tag(self):
        self.tag += 1
        return f"rig-{self.tag}".encode()


# What every role may do.

def publish_everywhere(world):
    """Each role to each topic: what the broker answers, and what arrives."""
    observer = world.connect("consumer")
    observer.allowed(observer.subscribe(f"{ROOT}/#"))
    for retain in (False, True):
        tried = []
        for letter, client in world.clients.items():
            for topic, publishers, _ in TOPICS:
                tag = world.next_tag()
                number = client.publish(f"{ROOT}/{topic}", tag, retain)
                expected = letter in whoever(publishers, world.name, topic)
                tried.append((client, number, tag, expected, f"{ROLES[letter]} publishes{' retained' * retain} to {topic}"))
            for topic, publishers in OUTSIDE:
                expected = letter in publishers
                tag = world.next_tag()
                tried.append((client, client.publish(topic, tag), None, expected, f"{ROLES[letter]} publishes to {topic}"))
        found = [client.allowed(number) for client, number, *_ in tried]
        end = world.next_tag()
        world.clients["C"].publish(f"{ROOT}/nonsense", end)
        observer.hears(10, lambda x: x.payload == end)
        arrived = {x.payload for x in observer.heard}
        for said, (_, _, tag, expected, what) in zip(found, tried):
            world.check(said, expected, what)
            if tag is not None:
                world.check(tag in arrived, expected, f"{what}, and it arrives")
    clear(world)
    observer.close()


def clear(world):
    """Nothing is kept any more."""
    numbers = [world.clients["C"].publish(f"{ROOT}/{topic}", b"", True) for topic, _, _ in TOPICS]
    for number in numbers:
        world.clients["C"].answer(number)


def subscribe_everywhere(world):
    """Each role to each filter, shared ones too: what the broker answers. The subscriptions stay."""
    tried = []
    for letter, client in world.clients.items():
        for filter, subscribers in FILTERS:
            expected = letter in whoever(subscribers, world.name, filter)
            tried.append((client, client.subscribe(filter), expected, f"{ROLES[letter]} subscribes to {filter}"))
        if letter == "C":
            continue  # It would take messages away from itself that are checked below.
        for filter in SHARED:
            tried.append((client, client.subscribe(filter), False, f"{ROLES[letter]} subscribes to {filter}"))
    for client, number, expected, what in tried:
        world.check(client.allowed(number), expected, what)


def hear_everything(world, clients, retained):
    """What reaches whom, of one message to each topic: with all subscriptions that were granted."""
    tags = {topic: world.next_tag() for topic, _, _ in TOPICS}
    numbers = [world.clients["C"].publish(f"{ROOT}/{topic}", tag, retained) for topic, tag in tags.items()]
    for number in numbers:
        world.clients["C"].answer(number)
    if retained:
        for client in clients.values():
            for number in [client.subscribe(filter) for filter, _ in FILTERS]:
                client.answer(number)
    for letter, client in clients.items():
        heard = everything_heard(world, letter, client)
        kind = "kept before it subscribed" if retained else "live"
        for topic, _, receivers in TOPICS:
            if retained and world.name != "spoilt" and REQUESTS.fullmatch(topic):
                continue  # The consumer deletes it as soon as it can: see keep_requests.
            expected = letter in whoever(receivers, world.name, topic)
            world.check(tags[topic] in heard, expected, f"{ROLES[letter]} hears {topic} ({kind})")
    if retained:
        clear(world)


def everything_heard(world, letter, client):
    """The payloads of all that a client has heard until now."""
    # This comes after all others, and every role has a topic on which it may receive it.
    own = {
        "g": f"accounts/responses/{DRAWN}", "A": f"users/{ALICE}/today", "B": f"users/{BOB}/today", "C": "nonsense",
        "p": f"users/{ALICE}/phone/{PHONE}/cmd",
        "a": f"gateways/{GATEWAY_A}/status", "b": f"gateways/{GATEWAY_B}/status", "m": f"gateways/{HOME}/status",
        "s": f"gateways/{HOME}/status",
    }
    end = world.next_tag()
    world.clients["C"].publish(f"{ROOT}/{own[letter]}", end)
    client.hears(10, lambda x: x.payload == end)
    return {x.payload for x in client.heard}


def hear_outside(world):
    """What gateways and the consumer describe, and that Home Assistant is there: with all subscriptions that were granted."""
    rows = [(letter, f"homeassistant/device/{gateway}/strap/config", "s") for gateway, letter in ((GATEWAY_A, "a"), (HOME, "m"))]
    rows += [("C", f"homeassistant/device/vitals_people/{ALICE}/config", "sC"), ("s", "homeassistant/status", "abmsC"), ("s", "homeassistant/sensor/x/config", "s")]
    tags = {topic: world.next_tag() for _, topic, _ in rows}
    for publisher, topic, _ in rows:
        client = world.clients[publisher]
        client.answer(client.publish(topic, tags[topic]))
    for letter, client in world.clients.items():
        heard = everything_heard(world, letter, client)
        for _, topic, receivers in rows:
            world.check(tags[topic] in heard, letter in receivers, f"{ROLES[letter]} hears {topic}")


def hear_kept(world):
    users = {"g": None, "A": "alicephone", "B": "bobphone", "p": PHONE, "a": GATEWAY_A, "b": GATEWAY_B, "m": HOME,
             "s": "homeassistant"}
    hear_everything(world, {letter: world.connect(user) for letter, user in users.items()}, retained=True)


def publish_with_311(world):
    """MQTT 3.1.1 says yes to a publication that is thrown away: what arrives counts."""
    observer = world.connect("consumer")
    observer.allowed(observer.subscribe(f"{ROOT}/#"))
    tried = []
    for letter, user in (("g", None), ("A", "alicephone"), ("a", GATEWAY_A)):
        client = world.connect(user, version=mqtt.MQTTv311)
        numbers = []
        for topic, publishers, _ in TOPICS:
            tag = world.next_tag()
            numbers.append(client.publish(f"{ROOT}/{topic}", tag))
            expected = letter in whoever(publishers, world.name, topic)
            tried.append((tag, expected, f"{ROLES[letter]} publishes to {topic} by MQTT 3.1.1"))
        for number in numbers:
            client.answer(number)
        client.close()
    end = world.next_tag()
    world.clients["C"].publish(f"{ROOT}/nonsense", end)
    observer.hears(10, lambda x: x.payload == end)
    arrived = {x.payload for x in observer.heard}
    for tag, expected, what in tried:
        world.check(tag in arrived, expected, what)
    observer.close()


def leave_wills(world):
    observer = world.connect("consumer")
    observer.allowed(observer.subscribe(f"{ROOT}/#"))
    rows = [
        (None, "g", f"users/{ALICE}/requests/account/delete"),
        (None, "g", "accounts/sign-in"),
        (None, "g", f"gateways/{GATEWAY_A}/control"),
        ("alicephone", "A", f"users/{BOB}/requests/account/delete"),
        ("alicephone", "A", f"users/{ALICE}/requests/profile/get"),
        ("alicephone", "A", f"users/{ALICE}/today"),
        ("alicephone", "A", f"gateways/{GATEWAY_B}/requests/scan"),
        ("bobphone", "B", f"users/{ALICE}/notifications"),
        ("bobphone", "B", f"stores/{STORE}/consumers/other"),
        (PHONE, "p", f"users/{ALICE}/phone/{PHONE}"),
        (PHONE, "p", f"users/{ALICE}/phone/other/cmd"),
        (GATEWAY_A, "a", f"gateways/{GATEWAY_A}/status"),
        (GATEWAY_A, "a", f"gateways/{GATEWAY_B}/status"),
        (GATEWAY_A, "a", f"users/{ALICE}/requests/profile/get"),
        (GATEWAY_B, "b", f"gateways/{GATEWAY_B}/status"),
        (GATEWAY_B, "b", f"gateways/{GATEWAY_A}/blocks"),
        (HOME, "m", f"stores/{STORE}/consumers/other"),
    ]
    tried = []
    for user, letter, topic in rows:
        for retain in (False, True):
            tag = world.next_tag()
            client = world.connect(user, will=(f"{ROOT}/{topic}", tag, retain))
            client.drop()
            publishers = next((x for name, x, _ in TOPICS if name == topic), None)
            if publishers is None:  # A request that the tables spell differently.
                publishers = "AC" if topic.startswith(f"users/{ALICE}/requests/") else "BC"
            tried.append((tag, letter in whoever(publishers, world.name, topic), f"{ROLES[letter]}'s will comes to {topic}"))
    # The broker sees a broken connection when it next looks: the expected messages decide how long to wait.
    due = {tag for tag, expected, _ in tried if expected}
    end = time.monotonic() + 5
    while due - {x.payload for x in observer.heard} and time.monotonic() < end:
        time.sleep(0.02)
    end = world.next_tag()
    world.clients["C"].publish(f"{ROOT}/nonsense", end)
    observer.hears(10, lambda x: x.payload == end)
    for tag, expected, what in tried:
        world.check(tag in {x.payload for x in observer.heard}, expected, what)
    clear(world)
    observer.close()


def sign_in_wrongly(world):
    right = world.passwords["alicephone"]
    for user, password, expected, what in [
        ("alicephone", right, True, "Alice's phone with its password"),
        ("alicephone", right + "x", False, "Alice's phone with another password"),
        ("alicephone", "", False, "Alice's phone with an empty password"),
        ("alicephone", None, False, "Alice's phone without a password"),
        ("alicephone", world.passwords["bobphone"], False, "Alice's phone with Bob's password"),
        ("bobphone", right, False, "Bob's phone with Alice's password"),
        ("ALICEPHONE", right, False, "Alice's phone in capitals"),
        (ALICE, right, False, "Alice by her id"),
        ("consumer", "consumer", False, "the consumer with a guess"),
        (GATEWAY_A, right, False, "gateway A with Alice's password"),
        ("admin", "admin", False, "somebody that nobody knows"),
        ("", "x", False, "an empty name with a password"),
        ("anonymous", "", False, "the group's name"),
        ("guest", "guest", False, "a role's name"),
    ]:
        client = Client(world.port, user, password)
        world.check(client.is_in, expected, f"{what} signs in")
        if not expected and client.is_in and user == "":
            # It may count as a guest, but never as more.
            world.wrong.pop()
            found = client.allowed(client.subscribe(f"{ROOT}/users/{ALICE}/#"))
            world.check(found, False, "an empty name is more than a guest")
        client.close()


def take_over(world):
    """A client id is taken over by whoever knows it: that ends a connection, and must give nothing away."""
    consumer = world.clients["C"]
    for user, letter, filter, topic in [
        ("alicephone", "A", f"users/{ALICE}/#", f"users/{ALICE}/today"),
        (GATEWAY_A, "a", f"gateways/{GATEWAY_A}/#", f"gateways/{GATEWAY_A}/control"),
        ("consumer", "C", "#", "accounts/sign-up"),
    ]:
        # The owner of the id gets what waited; apart from that, the id gives nothing that others do not get.
        for thief_user, thief_name in ((None, "a guest"), ("bobphone", "Bob"), (user, "itself")):
            is_own, name = thief_user == user, f"taken-{letter}-{thief_user}"
            victim = world.connect(user, client_id=name, expiry=3600)
            victim.allowed(victim.subscribe(f"{ROOT}/{filter}"))
            victim.drop()
            queued, live = world.next_tag(), world.next_tag()
            consumer.answer(consumer.publish(f"{ROOT}/{topic}", queued))
            thief = world.connect(thief_user, client_id=name, expiry=3600)
            consumer.answer(consumer.publish(f"{ROOT}/{topic}", live))
            # Anything that was going to come has come before the answer to our ping, which is a subscription that is
            # refused, or useless.
            thief.answer(thief.subscribe(f"{ROOT}/nonsense"))
            heard = {x.payload for x in thief.heard}
            world.check(queued in heard, is_own, f"{thief_name} with {ROLES[letter]}'s client id gets what waited")
            world.check(live in heard, is_own, f"{thief_name} with {ROLES[letter]}'s client id gets what comes")
            thief.mqtt.disconnect()


def reply_elsewhere(world):
    """Our consumer answers a request, and never at a topic that is not the asker's."""
    observer = world.connect("consumer")
    observer.allowed(observer.subscribe(f"{ROOT}/#"))
    foreign = [
        f"users/{BOB}/responses/x", f"users/{ALICE}/today", f"users/{ALICE}/responsesx/y", f"users/{ALICE}/responses",
        f"gateways/{GATEWAY_A}/control", f"gateways/{GATEWAY_A}/sensors/strap/grant", f"stores/{STORE}/consumers/other",
        f"accounts/responses/{DRAWN}", f"users/{ALICE}/responses/../../{BOB}/today", "accounts/sign-up",
    ]

    def ask(client, topic, response):
        key = os.urandom(8)
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic, properties.CorrelationData = response, key
        client.publish(topic, b"{}", properties=properties)
        return key

    def answers(message, key):
        return getattr(message.properties, "CorrelationData", None) == key and b'"status"' in message.payload

    def reply(key, unless=None):
        end = time.monotonic() + 5
        while not observer.hears(0.1 if unless else 5, lambda x: answers(x, key)):
            if time.monotonic() > end or unless and unless.is_set():
                return None
        return next(x for x in observer.heard if answers(x, key))

    for response in foreign + ["$CONTROL/dynamic-security/v1", "other"]:
        full = response if response[0] == "$" or response == "other" else f"{ROOT}/{response}"
        came = reply(ask(world.clients["A"], f"{ROOT}/users/{ALICE}/requests/devices/list", full))
        is_own = response.startswith(f"users/{ALICE}/responses/")
        world.check(bool(came), True, f"Alice, who asks for a reply at {response}, gets one")
        if came:
            world.check(came.topic == full, is_own, f"Alice's reply comes to {response}")
    # A request that would make the broker end the consumer's connection is refused, and the connection goes on.
    sessions = world.log().count(b"connected to the broker")
    listed = f"{ROOT}/users/{ALICE}/responses/devices/list"
    for levels, length in [(250, 1), (202, 1), (21 - 5, 1), (1, 1024)]:
        full = f"{ROOT}/users/{ALICE}/responses/" + "/".join(["a" * length] * levels)
        # Mosquitto 2.0.21 ends the connection of a client that sends a Response Topic with more than 200 levels.
        asker = world.connect("alicephone")
        came = reply(ask(asker, f"{ROOT}/users/{ALICE}/requests/devices/list", full), unless=asker.over)
        is_refused = bool(came) and came.topic == listed and b"bad-request" in came.payload
        world.check(is_refused or levels > 200 and asker.over.is_set(), True,
                    f"Alice, who asks for a reply at {levels} more levels of {length} bytes, is refused at the listed topic")
    world.check(world.log().count(b"connected to the broker") == sessions, True, "the consumer stays connected")
    # A guest without a response topic of its own gets none. The last one shows that those before it were checked.
    guest = world.clients["g"]
    elsewhere = [f"users/{ALICE}/responses/x", "accounts/responses/short", f"accounts/responses/{DRAWN}/x", "accounts/sign-in",
                 f"gateways/{HOME}/control"]
    keys = [(x, ask(guest, f"{ROOT}/accounts/enrol", f"{ROOT}/{x}")) for x in elsewhere]
    last = reply(ask(guest, f"{ROOT}/accounts/enrol", f"{ROOT}/accounts/responses/{DRAWN}"))
    world.check(bool(last), True, "a guest gets a reply")
    for response, key in keys:
        came = any(answers(x, key) for x in observer.heard)
        world.check(came, False, f"a guest's reply comes to {response}")
    observer.close()


def ask_for_others(world):
    """What people ask for is theirs, whoever they name: nobody has, changes or cheers somebody whose friend they are not."""
    observer = world.connect("consumer")
    observer.allowed(observer.subscribe(f"{ROOT}/users/#"))
    names = {"friend": BOB, "user": BOB, "from": BOB, "to": BOB, "muted": True, "thumb": "up", "code": BOB, "ids": [BOB], "before": BOB}
    for name in ("accept", "refuse", "remove", "block", "unblock", "mute", "cheer", "invite"):
        reply = ask_as_alice(world, observer, f"friends/{name}", names)
        world.check(reply.get("status"), "error", f"Alice does friends/{name} to Bob, whose friend she is not")
    for name in ("friends/list", "notifications/list", "goals/get", "notifications/confirm"):
        reply = ask_as_alice(world, observer, name, names)
        world.check(BOB in json.dumps(reply), False, f"Alice's {name} says something of Bob")
    end = world.next_tag()
    world.clients["C"].publish(f"{ROOT}/users/{BOB}/responses/x", end)
    observer.hears(10, lambda x: x.payload == end)
    told = [x.topic for x in observer.heard if x.topic.startswith(f"{ROOT}/users/{BOB}/") and x.payload != end]
    world.check(told, [], "Bob is told something by what Alice asks")
    observer.close()


def ask_as_alice(world, observer, name, fields):
    """The consumer's reply."""
    key = os.urandom(8)
    properties = Properties(PacketTypes.PUBLISH)
    properties.ResponseTopic, properties.CorrelationData = f"{ROOT}/users/{ALICE}/responses/phone", key
    payload = json.dumps(fields).encode()
    world.clients["A"].publish(f"{ROOT}/users/{ALICE}/requests/{name}", payload, properties=properties)

    def is_reply(message):
        return getattr(message.properties, "CorrelationData", None) == key and b'"status"' in message.payload

    if not observer.hears(5, is_reply):
        return {}
    return json.loads(next(x.payload for x in observer.heard if is_reply(x)))


def keep_requests(world):
    """A request that was published to be kept is not: it would fill the broker's memory, and may hold a password."""
    observer = world.connect("consumer")
    observer.allowed(observer.subscribe(f"{ROOT}/#"))
    own = f"users/{ALICE}/requests"
    places = [("g", "accounts/sign-up"), ("g", "accounts/enrol"), ("A", f"{own}/profile/get"), ("A", f"{own}/No/THING"),
              ("A", f"{own}/{'long' * 400}/{'name' * 400}"), ("a", f"gateways/{GATEWAY_A}/requests/a/b"),
              ("b", f"gateways/{GATEWAY_B}/sensors/_/steps/get"), ("p", f"users/{ALICE}/phone/{PHONE}")]
    for letter, topic in places:
        tag = world.next_tag()
        world.clients[letter].publish(f"{ROOT}/{topic}", tag, True)
        observer.hears(10, lambda x: x.topic == f"{ROOT}/{topic}" and x.payload == b"")
        late = world.connect("consumer")
        late.allowed(late.subscribe(f"{ROOT}/{topic}"))
        end = world.next_tag()
        world.clients["C"].publish(f"{ROOT}/{topic}", end)
        late.hears(10, lambda x: x.payload == end)
        world.check(any(x.payload == tag for x in late.heard), False, f"{ROLES[letter]}'s request to {topic} is kept")
    observer.close()


def remove_some(world):
    """Devices and a gateway that are removed from the database: while they are connected, and while they are not."""
    consumer = world.clients["C"]
    observer = world.connect("consumer")
    observer.allowed(observer.subscribe(f"{ROOT}/#"))
    will, kept = world.next_tag(), world.next_tag()
    online = world.connect("aliceold", will=(f"{ROOT}/users/{ALICE}/requests/account/delete", will, False))
    online.allowed(online.subscribe(f"{ROOT}/users/{ALICE}/#"))
    other = world.connect("alicephone")
    other.allowed(other.subscribe(f"{ROOT}/users/{ALICE}/today"))
    gateway = world.connect("gwgone00", will=(f"{ROOT}/gateways/gwgone00/status", will, True))
    gateway.allowed(gateway.subscribe(f"{ROOT}/gateways/gwgone00/#"))
    number = gateway.publish(f"{ROOT}/gateways/gwgone00/events", kept)
    world.check(gateway.allowed(number), True, "a gateway publishes before it is removed")
    world.check(world.connect("alicelost").is_in, True, "a device signs in before it is revoked")

    def remove():
        with world.database() as database:
            database.execute("DELETE FROM devices WHERE device IN ('aliceold', 'alicelost')")
            database.execute("DELETE FROM gateways WHERE gateway IN ('gwgone00', 'gwlost00')")
        world.service.send_signal(signal.SIGHUP)

    world.bring_in_line(remove)
    tag = world.next_tag()
    consumer.answer(consumer.publish(f"{ROOT}/users/{ALICE}/today", tag))
    world.check(other.hears(10, lambda x: x.payload == tag), True, "Alice's other device goes on")
    world.check(online.over.wait(10), True, "a device that is revoked is thrown out")
    world.check(gateway.over.wait(10), True, "a gateway that is removed is thrown out")
    world.check(any(x.payload == tag for x in online.heard), False, "a revoked device hears what comes later")
    world.check(any(x.payload == will for x in observer.heard), False, "the will of who was removed comes")
    for user in ("aliceold", "alicelost", "gwgone00", "gwlost00"):
        world.check(world.connect(user).is_in, False, f"{user} signs in after it was removed")
    world.check(not other.over.is_set(), True, "Alice's other device stays connected")
    # While the broker is away: gateway A is removed, and with it everything that Alice had of it.
    stop(world.service)
    with world.database() as database:
        database.execute("DELETE FROM gateways WHERE gateway = ?", (GATEWAY_A,))
    world.bring_in_line(lambda: setattr(world, "service", world.start_consumer()))
    world.check(world.connect(GATEWAY_A).is_in, False, "gateway A signs in after it was removed while the consumer was away")
    alice = world.connect("alicephone")
    expected = world.name == "anyone"
    found = alice.allowed(alice.subscribe(f"{ROOT}/gateways/{GATEWAY_A}/#"))
    world.check(found, expected, "Alice subscribes to a gateway that is gone")
    found = alice.allowed(alice.subscribe(f"{ROOT}/users/{ALICE}/#"))
    world.check(found, True, "Alice subscribes to what is hers, as before")
    observer.close()


def spoil(world):
    """Does to the plugin's file whatever the consumer has to put right."""
    file = json.loads(world.rules.read_text())
    file["defaultACLAccess"] = dict.fromkeys(file["defaultACLAccess"], True)
    for role in file["roles"]:
        role["acls"] = [x for x in role["acls"] if x["allow"]]
    file["roles"].append({"rolename": "person-nobody", "acls": [{"acltype": "subscribePattern", "topic": "#", "allow": True}]})
    stray = dict(next(x for x in file["clients"] if x["username"] == "alicephone"), username="stray")
    world.passwords["stray"] = world.passwords["alicephone"]
    file["clients"].append(stray | {"roles": [{"rolename": "person-nobody"}]})
    world.rules.write_text(json.dumps(file))


# One rule too many, or too few: the tables must notice each of them.
def role(file, name):
    return next(x for x in file["roles"] if x["rolename"] == name)


def allow(file, name, action, topic):
    role(file, name)["acls"].append({"acltype": action, "topic": topic, "allow": True, "priority": 0})


def drop(file, name, is_dropped):
    role(file, name)["acls"] = [x for x in role(file, name)["acls"] if not is_dropped(x)]


MISTAKES = {
    "a person may subscribe to everybody's topics": lambda f: allow(f, f"person-{ALICE}", "subscribePattern", f"{ROOT}/users/#"),
    "a guest may subscribe with wildcards": lambda f: drop(f, "guest", lambda x: x["acltype"] == "subscribeLiteral"),
    "a guest may share a subscription": lambda f: allow(f, "guest", "subscribePattern", f"$share/+/{ROOT}/accounts/responses/+"),
    "a household hears blocks": lambda f: drop(f, f"household-{GATEWAY_A}", lambda x: not x["allow"]),
    "a gateway speaks as another": lambda f: allow(f, f"gateway-{GATEWAY_B}", "publishClientSend", f"{ROOT}/gateways/+/status"),
    "a gateway changes the rules": lambda f: allow(f, f"gateway-{HOME}", "publishClientSend", "$CONTROL/dynamic-security/#"),
    "Bob has Alice's role": lambda f: next(x for x in f["clients"] if x["username"] == "bobphone")["roles"].append(
        {"rolename": f"person-{ALICE}"}),
    "a phone has its person's role": lambda f: next(x for x in f["clients"] if x["username"] == PHONE)["roles"].append(
        {"rolename": f"person-{ALICE}"}),
    "guests are a household": lambda f: f["groups"][0]["roles"].append({"rolename": "household"}),
    "Home Assistant hears what it likes": lambda f: allow(f, "home-assistant", "subscribePattern", f"{ROOT}/gateways/#"),
    "a gateway describes another's sensors": lambda f: allow(f, f"gateway-{GATEWAY_B}", "publishClientSend", "homeassistant/device/#"),
    "Home Assistant describes people": lambda f: drop(f, "home-assistant", lambda x: not x["allow"]),
    "Home Assistant hears what a person sees": lambda f: allow(f, "home-assistant", "subscribePattern", f"{ROOT}/users/+/today"),
    "a gateway describes people": lambda f: allow(f, f"gateway-{GATEWAY_A}", "publishClientSend", "homeassistant/device/vitals_people/#"),
    "a person hears what another shows": lambda f: allow(f, f"person-{BOB}", "subscribePattern", f"{ROOT}/home-assistant/+/today"),
    "the consumer hears $SYS": lambda f: allow(f, "consumer", "subscribePattern", "$SYS/#"),
}


def see_mistakes(outcome):
    for what, make in MISTAKES.items():
        with World("owners") as world:
            file = json.loads(world.rules.read_text())
            make(file)
            world.rules.write_text(json.dumps(file))
            world.start_broker()
            world.connect_all()
            matrix(world)
        outcome.remarks.append(f"where {what}, {len(world.wrong)} cases were found wrong")
        if not world.wrong:
            outcome.problems.append(f"the tables do not see that {what}")


def matrix(world):
    publish_everywhere(world)
    publish_with_311(world)
    subscribe_everywhere(world)
    hear_everything(world, world.clients, retained=False)
    hear_outside(world)
    hear_kept(world)


# TLS.

class SecureWorld(World):
    """A broker from mosquitto/public.conf, its listener for certificates switched on, with certificates of deploy/certificates."""

    def __enter__(self):
        super().__enter__()
        self.certificates = self.folder / "broker/certs"
        certify(self.certificates, "authority")
        certify(self.certificates, "server", "localhost", "127.0.0.1")
        for gateway in (GATEWAY_A, "gwnobody", "gwgone00"):
            certify(self.certificates, "gateway", gateway)
        # An authority that nobody knows, and its certificate for the gateway.
        for words in (["authority"], ["gateway", GATEWAY_A]):
            certify(self.folder / "foreign", *words)
        self.tls_port, self.certificate_port = free_port(), free_port()
        ports = {1883: self.port, 8883: self.tls_port, 8884: self.certificate_port, 8083: free_port()}
        text = broker_settings("public.conf", self.folder / "broker", ports, is_all_on=True)
        (self.folder / "broker/mosquitto.conf").write_text(text)
        return self

    def context(self, name=None, folder=None, newest=None, trusts=True):
        context = ssl.create_default_context(cafile=self.certificates / "authority.crt" if trusts else None)
        if name:
            folder = folder or self.certificates
            context.load_cert_chain(folder / f"{name}.crt", folder / f"{name}.key")
        if newest:
            context.minimum_version, context.maximum_version = ssl.TLSVersion.MINIMUM_SUPPORTED, newest
            context.set_ciphers("ALL:@SECLEVEL=0")
        return context

    def try_tls(self, port, context, user=None):
        """A connection that was let in, or None."""
        try:
            client = Client(port, user, self.passwords.get(user), tls=context)
        except OSError:  # ssl.SSLError is one.
            return None
        self.callback(client.close)
        return client if client.is_in else None


def look_at_tls(world):
    right, port, strict = world.context(), world.tls_port, world.certificate_port
    gateway = f"gateway-{GATEWAY_A}"
    for port_, context, user, expected, what in [
        (port, right, "alicephone", True, "Alice signs in by TLS"),
        (port, right, None, True, "a guest connects by TLS"),
        (port, right, "nobody", False, "somebody that nobody knows signs in by TLS"),
        (port, world.context(newest=ssl.TLSVersion.TLSv1_2), "alicephone", True, "Alice signs in by TLS 1.2"),
        (port, world.context(newest=ssl.TLSVersion.TLSv1_1), "alicephone", False, "Alice signs in by TLS 1.1"),
        (port, world.context(trusts=False), "alicephone", False, "who does not trust the authority connects"),
        (port, None, "alicephone", False, "Alice signs in without TLS where it is asked for"),
        (strict, right, "alicephone", False, "Alice signs in without a certificate where one is asked for"),
        (strict, right, None, False, "a guest connects without a certificate where one is asked for"),
        (strict, world.context("server"), None, False, "the server's own certificate is good for a client"),
        (strict, world.context(gateway, world.folder / "foreign"), None, False, "a certificate of another authority is good"),
        (strict, world.context(gateway), None, True, "gateway A signs in by its certificate"),
    ]:
        world.check(world.try_tls(port_, context, user) is not None, expected, what)
    for who, user, mine, name in [
        (gateway, None, True, "gateway A by its certificate"),
        # The certificate decides the identity, whatever else the client claims.
        (gateway, "alicephone", True, "gateway A by its certificate, with Alice's name and password"),
        ("gateway-gwnobody", None, False, "a gateway that nobody knows, with a certificate"),
    ]:
        client = world.try_tls(strict, world.context(who), user)
        found = client and client.allowed(client.subscribe(f"{ROOT}/gateways/{GATEWAY_A}/#"))
        world.check(bool(found), mine, f"{name}, hears gateway A")
        for filter in (f"{ROOT}/users/{ALICE}/#", f"{ROOT}/gateways/{GATEWAY_B}/#", "#"):
            found = client and client.allowed(client.subscribe(filter))
            world.check(bool(found), False, f"{name}, subscribes to {filter}")
    gone = world.try_tls(strict, world.context("gateway-gwgone00"))
    found = gone and gone.allowed(gone.subscribe(f"{ROOT}/gateways/gwgone00/#"))
    world.check(bool(found), True, "a gateway with a certificate hears its own")

    def remove():
        with world.database() as database:
            database.execute("DELETE FROM gateways WHERE gateway = 'gwgone00'")
        world.service.send_signal(signal.SIGHUP)

    world.bring_in_line(remove)
    world.check(bool(gone and gone.over.wait(10)), True, "a gateway with a certificate is thrown out when it is removed")
    again = world.try_tls(strict, world.context("gateway-gwgone00"))
    found = again and again.allowed(again.subscribe(f"{ROOT}/gateways/gwgone00/#"))
    world.check(bool(found), False, "it hears anything later")

    # A renewed certificate is loaded at SIGHUP, and nobody is disconnected.
    before = world.try_tls(port, right, "alicephone")
    served = ssl.get_server_certificate(("localhost", port))
    certify(world.certificates, "server", "localhost", "127.0.0.1")
    world.broker.send_signal(signal.SIGHUP)
    end = time.monotonic() + 10
    while ssl.get_server_certificate(("localhost", port)) == served and time.monotonic() < end:
        time.sleep(0.05)
    found = ssl.get_server_certificate(("localhost", port)) != served
    world.check(found, True, "the broker serves the new certificate after SIGHUP")
    world.check(world.try_tls(port, right, "bobphone") is not None, True, "Bob signs in with the new certificate")
    world.check(before is not None and not before.over.is_set(), True, "Alice stays connected")


# The worlds. Each is tried by itself, and says what came of it.

def live_in(name):
    with World(name) as world:
        if name == "anyone":
            spoil(world)
        world.start_broker()
        world.bring_in_line(lambda: setattr(world, "service", world.start_consumer()))
        if name == "anyone":
            found = world.connect("stray").is_in
            world.check(found, False, "a client that nobody knows signs in after the rules were put right")
        world.connect_all()
        for part in (matrix, leave_wills, sign_in_wrongly, take_over, reply_elsewhere, ask_for_others, keep_requests,
                     remove_some):
            part(world)
    return Outcome("access", cases=world.cases, problems=world.wrong)


def live_with_certificates():
    with SecureWorld("owners") as world:
        world.start_broker()
        world.bring_in_line(lambda: setattr(world, "service", world.start_consumer()))
        look_at_tls(world)
    return Outcome("access", cases=world.cases, problems=world.wrong)


def live_with_spoilt_rules():
    with World("spoilt") as world:
        spoil(world)
        world.start_broker()
        world.connect_all()
        matrix(world)
    outcome = Outcome("access")
    if len(world.wrong) < 500:
        outcome.problems.append(f"with spoilt rules only {len(world.wrong)} of {world.cases} cases were found wrong")
    words = f"{len(world.wrong):,} of {world.cases:,} cases were found wrong, as they must be"
    outcome.remarks.append(f"with spoilt rules {words}")
    return outcome


def run(size, seed) -> Outcome:
    outcome = Outcome("access")
    # Side by side: nothing here is measured in time, and a world leaves half of two processors idle.
    with ProcessPoolExecutor(2) as worlds:
        under_way = [worlds.submit(live_in, "owners"), worlds.submit(live_in, "anyone"),
                     worlds.submit(live_with_spoilt_rules), worlds.submit(live_with_certificates)]
        for found in (world.result() for world in under_way):
            outcome.cases += found.cases
            outcome.problems += found.problems
            outcome.remarks += found.remarks
    if size != "short":
        see_mistakes(outcome)
    print(f"access matrix: {outcome.cases:,} cases, {outcome.cases - len(outcome.problems):,} as expected")
    return outcome


if __name__ == "__main__":
    found = run(sys.argv[1] if len(sys.argv) > 1 else "short", 0)
    for line in found.problems[:60]:
        print(line)
    for line in found.remarks:
        print(line)
    sys.exit(0 if found.holds else 1)
