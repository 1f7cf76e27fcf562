"""People with accounts who watch over each other: a broker with the plugin, a consumer whose wall clock the rig sets, phones with
the app OwnTracks, connected with the link that the consumer made, and guardians' programs, with a guardian's own rights."""

import base64
import contextlib
import json
import os
import subprocess
import threading
import time
from pathlib import Path

import nacl.secret
import paho.mqtt.client as mqtt
import wire
from household import PROJECT, RELEASE, Household, free_port, identity
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from people import ROOT, Neighbourhood, Voice, noon

PASSWORD, CODE = "Zq7#horse-Pond", "blue-horse 7"
#: What a notification is called that alerts a guardian.
ALERTS = {"left-area", "entered-area", "no-position", "battery-low", "heart-rate-range", "no-movement", "help-wanted"}
#: How a link begins that configures the app.
LINK = "owntracks:///config?inline="
#: People who ask for nothing but to know that the consumer has taken what came before: each may ask ten times a second.
WITNESSES = 30


def client(port, name, version, username=None, password=None):
    """A client that comes back soon when its connection ends."""
    callbacks = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
    made = mqtt.Client(*callbacks, client_id=name, protocol=version)
    made.reconnect_delay_set(1, 2)
    if username:
        made.username_pw_set(username, password)
    made.port_of_broker = port
    return made


def start(made, topics, **options):
    """Connects and subscribes, and waits until the broker has taken that."""
    subscribed = threading.Event()
    made.on_subscribe = lambda *_: subscribed.set()
    made.on_connect = lambda itself, *_: itself.subscribe([(topic, 1) for topic in topics])
    made.connect("127.0.0.1", made.port_of_broker, **options)
    made.loop_start()
    if not subscribed.wait(20):
        raise RuntimeError("the broker did not take a subscription within 20 s")


class Phone:
    """A phone, which knows nothing but the link that its owner has opened on it."""

    def __init__(self, owner, reply):
        self.owner, self.id = owner, reply["phone"]
        self.settings = json.loads(base64.b64decode(reply["link"].removeprefix(LINK).replace("%2B", "+")))
        key = self.settings["encryptionKey"].encode()
        self.box = nacl.secret.SecretBox(key.ljust(32, b"\0")) if key else None
        self.topic, self.asked, self.told = self.settings["pubTopicBase"], [], threading.Condition()
        self.mqtt = client(
            self.settings["port"], self.settings["clientId"], mqtt.MQTTv311, self.settings["username"],
            self.settings["password"])
        self.mqtt.on_message = self._heard
        start(self.mqtt, [f"{self.topic}/cmd"])

    def close(self):
        self.mqtt.disconnect()
        self.mqtt.loop_stop()

    def _heard(self, _client, _data, message):
        said = json.loads(message.payload)
        if self.box:
            said = json.loads(self.box.decrypt(base64.b64decode(said["data"])))
        with self.told:
            self.asked.append(said.get("action"))
            self.told.notify_all()

    def say(self, report, part=""):
        """Publishes a message, and waits until the broker has it."""
        payload = json.dumps(report)
        if self.box:
            sealed = base64.b64encode(self.box.encrypt(payload.encode())).decode()
            payload = json.dumps({"_type": "encrypted", "data": sealed})
        self.mqtt.publish(self.topic + part, payload, qos=1).wait_for_publish(20)


class Guardian:
    """A guardian's program, whose session outlives its connection. It hears what is the guardian's, and nothing else."""

    def __init__(self, port, signed_in, name):
        self.user, self.port, self.signed_in = signed_in["user"], port, signed_in
        self.changed = threading.Condition()
        #: What is on the topics `dependents/…`, and for each notification when it first came.
        self.seen, self.told = {}, {}
        #: For each dependent's topic `location`: the time of the fix, and when it came.
        self.shown = []
        self.mqtt = client(port, name, mqtt.MQTTv5, signed_in["device"], signed_in["password"])
        self.mqtt.on_message = self._heard
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 600
        start(self.mqtt, [f"{ROOT}/users/{self.user}/#"], properties=properties)

    def close(self):
        self.mqtt.disconnect()
        self.mqtt.loop_stop()

    def drop(self):
        """Its connection ends without a goodbye."""
        with contextlib.suppress(OSError, AttributeError):
            self.mqtt.socket().shutdown(2)

    def _heard(self, _client, _data, message):
        came, levels = time.monotonic(), message.topic.removeprefix(f"{ROOT}/users/{self.user}/").split("/")
        with self.changed:
            if levels[0] == "dependents":
                said = json.loads(message.payload) if message.payload else None
                self.seen["/".join(levels[1:])] = said
                if said and levels[2] == "location":
                    self.shown.append((levels[1], said["time"], came))
            elif levels[0] == "notifications":
                self.told.setdefault(json.loads(message.payload)["id"], came)
            self.changed.notify_all()

    def wait(self, is_so, limit):
        with self.changed:
            return self.changed.wait_for(is_so, limit)

    def retained(self):
        """What a program sees of dependents that begins to listen now: the last levels of the topics, and what they say."""
        heard, over = {}, threading.Event()

        def take(_client, _data, message):
            levels = message.topic.split("/")
            if "dependents" in levels:
                heard["/".join(levels[-2:])] = json.loads(message.payload)
            elif levels[-1] == "fence":
                over.set()

        fresh = client(
            self.port, f"fresh-{os.urandom(6).hex()}", mqtt.MQTTv5, self.signed_in["device"], self.signed_in["password"])
        fresh.on_message = take
        start(fresh, [f"{ROOT}/users/{self.user}/#"])
        # Whatever is retained comes before the answer to a request that is sent after the subscription.
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic, properties.CorrelationData = f"{ROOT}/users/{self.user}/responses/fence", os.urandom(12)
        for _ in range(20):
            fresh.publish(f"{ROOT}/users/{self.user}/requests/profile/get", "{}", 1, properties=properties)
            if over.wait(1):
                break
        fresh.disconnect()
        fresh.loop_stop()
        if not over.is_set():
            raise TimeoutError("the consumer did not answer a guardian's program within 20 s")
        return heard


class Family(Neighbourhood):
    """Everything of theirs but the people themselves."""

    def __enter__(self):
        super(Household, self).__enter__()
        self.folder, self.port, self.ahead = self._make_folder(), free_port(), 0
        # After how many kills the consumer was last heard.
        self.listening = -1
        #: How often the consumer was killed.
        self.kills, self.aimed, self.connecting = 0, threading.Event(), threading.Lock()
        subprocess.run(
            ["cc", "-O2", "-Wall", "-shared", "-fPIC", "-o", self.folder / "clock.so", Path(__file__).with_name("clock.c")],
            check=True)
        (self.folder / "clock").write_bytes(bytes(8))
        broker = [PROJECT / "deploy/broker", "--accounts", self.folder / "broker", str(self.port)]
        subprocess.run(broker, check=True, stdout=subprocess.DEVNULL)
        self._write_settings()
        identity("vitals-consumer", self.settings)
        subprocess.run(
            [*broker, self.settings], check=True, capture_output=True, env=os.environ | {"VITALS_PROGRAMS": str(RELEASE)})
        self.start_broker()
        self.voice = Voice(self, "rig")
        self.callback(self.voice.close)
        self.start_consumer()
        self.settle()
        return self

    def _write_settings(self):
        self.gateway = wire.new_identity()
        hours, zone = noon()
        # How far the clocks on people's walls are ahead, in milliseconds.
        self.offset = hours * 3_600_000
        self.witnesses = [f"witness-{number}" for number in range(WITNESSES)]
        self.strangers = [f"stranger-{number}" for number in range(WITNESSES)]
        people = ", ".join(f'"{user}": {{ sensors: [] }}' for user in self.witnesses + self.strangers)
        self.settings = self.folder / "consumer.json5"
        self.settings.write_text(f"""{{
          state: "consumer", root_key_file: "root.key", time_zone: "{zone}", accounts: {{}}, broker_rules: {{}},
          phones: {{ host: "127.0.0.1", port: {self.port}, tls: false }},
          broker: {{ port: {self.port}, username: "consumer", password_file: "broker/consumer.password" }},
          gateways: {{ home: {{ identity: "{wire.identity_text(self.gateway)}", password_file: "broker/home.password" }} }},
          people: {{ {people} }},
        }}""")

    # The consumer, and its clock

    def clocked(self, *command):
        return ["env", f"LD_PRELOAD={self.folder / 'clock.so'}", f"VITALS_CLOCK={self.folder / 'clock'}", *command]

    def start_consumer(self):
        self.consumer = self.start(
            "consumer", self.clocked(RELEASE / "vitals-consumer", "--settings", self.settings))

    def kill_consumer(self):
        self.kills += 1
        super().kill_consumer()

    def ask_consumer(self, command, *words):
        return subprocess.run(
            list(map(str, self.clocked(
                RELEASE / "vitals-consumer", command, *words, "--settings", self.settings))), capture_output=True, text=True)

    def now(self):
        """By the consumer's clock, in Unix milliseconds."""
        return int(time.time() * 1000) + self.ahead

    def advance(self, minutes):
        """The consumer's clock is set forward."""
        self.ahead += int(minutes * 60_000)
        with open(self.folder / "clock", "r+b", buffering=0) as clock:
            clock.write(self.ahead.to_bytes(8, "little", signed=True))

    def settle(self):
        """Waits until the consumer has taken all that the broker had before, and what follows from it is stored: messages come in
        their order, and replies leave after the commit."""
        witness = self.witnesses.pop(0)
        self.witnesses.append(witness)
        self.voice.ask(witness, "profile/get")

    def surely(self, do):
        """Does something until a consumer has taken it that was not killed meanwhile. Done twice, it has to be the same as once."""
        while True:
            kills = self.kills
            # Now the consumer listens.
            if kills != self.listening:
                self.settle()
                self.listening = kills
            do()
            self.settle()
            if kills == self.kills:
                return

    # People

    def sign_up(self, number, verb="sign-up"):
        """What is told to somebody who signs up, or in, with a phone number."""
        topic, came, replies = f"{ROOT}/accounts/responses/{os.urandom(16).hex()}", threading.Event(), []
        guest = client(self.port, f"guest-{os.urandom(6).hex()}", mqtt.MQTTv5)
        guest.on_message = lambda _c, _d, message: (replies.append(json.loads(message.payload)), came.set())
        start(guest, [topic])
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic, properties.CorrelationData = topic, os.urandom(8)
        guest.publish(f"{ROOT}/accounts/{verb}", json.dumps({"phone": number, "password": PASSWORD}), 1, properties=properties)
        came.wait(60)
        guest.disconnect()
        guest.loop_stop()
        if not replies or replies[0]["status"] != "ok":
            raise RuntimeError(f"{verb}: {replies}")
        return replies[0]["data"]

    def guardian(self, name, number):
        signed_in = self.sign_up(number)
        self.profile(signed_in["user"], name)
        made = Guardian(self.port, signed_in, f"program-of-{name}")
        self.callback(made.close)
        return made

    def profile(self, user, name):
        self.voice.data(user, "profile/set", {
            "name": name, "date_of_birth": "1950-12-10", "gender": "male", "height_cm": 170, "weight_kg": 65,
            "continuous_heart_rate": True})

    def phone(self, user, is_sealed):
        made = Phone(user, self.voice.data(user, "phones/add", {"name": "Phone", "encrypted": is_sealed}))
        self.callback(made.close)
        return made

    def connect(self, guardian, number):
        """Somebody becomes a guardian, with the right number and code: one after the other, as it has to be."""
        with self.connecting:
            return self.voice.ask(guardian, "dependents/connect", {"phone": number, "code": CODE})

    def claim(self, sensor, user):
        """Gives a person a sensor of the gateway for which the rig speaks, and starts the consumer again."""
        self.kill_consumer()
        with contextlib.closing(wire.sqlite3.connect(self.folder / "consumer/vitals.db")) as rows, rows:
            rows.execute(
                "INSERT INTO claims (gateway, sensor, person, kinds, claimed_ms) VALUES ('home', ?, ?, 22, ?)",
                (sensor, user, self.now()))
        self.start_consumer()
        if not self.voice.wait(lambda: sensor in self.voice.grants, 60):
            raise TimeoutError("there is no grant")
