"""What rigs about people stand on: a consumer that is killed, a voice that asks in everybody's name and speaks for their gateway, and
what a person was told."""

import collections
import contextlib
import datetime
import json
import os
import signal
import sqlite3
import subprocess
import threading
import time

import paho.mqtt.client as mqtt
import wire
from household import RELEASE, Household, identity, stop
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

ROOT = "vitals/v1"
#: How long to wait for a reply before asking again, and in all, in seconds.
PATIENCE, LIMIT = 0.7, 120


class Voice:
    """A client that asks in everybody's name, and speaks for the gateway."""

    def __init__(self, household, name):
        self.arrived = threading.Condition()
        self.replies: dict[bytes, dict] = {}
        self.grants: dict[str, wire.Grant] = {}
        self.acknowledged: set[bytes] = set()
        #: (user, id) of each notification that came on a topic, and the payloads that came under it.
        self.told = collections.defaultdict(set)
        self.retained: dict[str, bytes] = {}
        #: Whether the broker has said who is there: it says that after all that it had kept.
        self.has_heard_all = False
        version = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
        self.client = mqtt.Client(*version, client_id=name, protocol=mqtt.MQTTv5)
        self.client.username_pw_set("consumer", household.password_file("consumer").read_text().strip())
        self.client.on_message = self._heard
        subscribed = threading.Event()
        self.client.on_subscribe = lambda *_: subscribed.set()
        topics = ["users/#", "gateways/home/control", "gateways/home/sensors/+/grant", "stores/+/consumers/main"]
        self.client.on_connect = lambda client, *_: client.subscribe([(f"{ROOT}/{topic}", 1) for topic in topics])
        self.client.connect("127.0.0.1", household.port)
        self.client.loop_start()
        if not subscribed.wait(10):
            raise RuntimeError("the broker did not take the rig's subscription within 10 s")

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()

    def _heard(self, _client, _data, message):
        levels = message.topic.removeprefix(f"{ROOT}/").split("/")
        with self.arrived:
            if levels[0] == "stores":
                self.has_heard_all = True
            elif levels[0] == "gateways":
                said = wire.read_control(message.payload)
                if said.purpose == wire.GRANT:
                    self.grants[said.grant.sensor] = said.grant
                elif said.purpose == wire.ACKNOWLEDGEMENT:
                    self.acknowledged.update(said.identities)
            elif levels[2] == "responses":
                self.replies[message.properties.CorrelationData] = json.loads(message.payload)
            elif levels[2] == "notifications":
                self.told[levels[1], json.loads(message.payload)["id"]].add(message.payload)
            elif levels[2] != "requests":
                self.retained["/".join(levels[1:])] = message.payload
            self.arrived.notify_all()

    def wait(self, is_so, limit):
        with self.arrived:
            return self.arrived.wait_for(is_so, limit)

    def ask(self, user, name, fields=None, key=None, patience=PATIENCE):
        """The reply to a request, which is sent again, the same, until there is one."""
        key = key or os.urandom(12)
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic, properties.CorrelationData = f"{ROOT}/users/{user}/responses/rig", key
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            self.client.publish(
                f"{ROOT}/users/{user}/requests/{name}", json.dumps(fields or {}), qos=1, properties=properties)
            if self.wait(lambda: key in self.replies, patience):
                reply = self.replies[key]
                # The consumer's own limit on requests: nothing was done.
                if "too many requests" not in reply.get("error", {}).get("message", ""):
                    return reply
                with self.arrived:
                    del self.replies[key]
                time.sleep(0.5)
        raise TimeoutError(f"no reply to {name} of {user} within {LIMIT} s")

    def data(self, user, name, fields=None):
        reply = self.ask(user, name, fields)
        if reply["status"] != "ok":
            raise RuntimeError(f"{name} of {user}: {reply}")
        return reply["data"]

    def notifications(self, user):
        """All that a person was told, the latest first."""
        listed, before = [], None
        while True:
            fields = {"all": True, "limit": 100} | ({"before": before} if before else {})
            part = self.data(user, "notifications/list", fields)
            listed += part["notifications"]
            if not part["more"]:
                return listed
            before = listed[-1]["id"]

    # The gateway

    def send(self, block):
        self.client.publish(f"{ROOT}/gateways/home/blocks", block, qos=1)

    def send_live(self, block):
        self.client.publish(f"{ROOT}/gateways/home/live", block, qos=0)

    def deliver(self, blocks, dice, at_once, pause):
        """Sends blocks in any order, a few at a time, each again until it is acknowledged."""
        waiting = {wire.Header.of(block).identity: block for block in blocks}
        end = time.monotonic() + LIMIT * 2
        while waiting:
            if time.monotonic() > end:
                raise TimeoutError(f"{len(waiting)} blocks were never acknowledged")
            for identity_ in dice.sample(list(waiting), min(len(waiting), at_once)):
                self.send(waiting[identity_])
            self.wait(lambda: not self.acknowledged.isdisjoint(waiting), PATIENCE)
            with self.arrived:
                for identity_ in self.acknowledged & waiting.keys():
                    del waiting[identity_]
            time.sleep(pause)


class Neighbourhood(Household):
    """A broker, a consumer, and people whose sensors are at one gateway, for which the rig speaks."""

    def begin(self, users, kinds_of_sensors, time_zone="Etc/GMT", are_claimed=False):
        """Starts the consumer; each person has a sensor of each kind, named after both.

        Of sensors in the settings, always the same is recorded. What is recorded of sensors that are claimed follows from what
        their person does and allows."""
        self.people, self.aimed = users, threading.Event()
        self.gateway = wire.new_identity()
        sensors = {user: [f"{kind}{user}" for kind in kinds_of_sensors] for user in users}
        people = ", ".join(
            f"{user}: {{ sensors: {json.dumps([] if are_claimed else [f'home/{sensor}' for sensor in own])} }}"
            for user, own in sensors.items())
        self.settings = self.folder / "consumer.json5"
        self.settings.write_text(f"""{{
          state: "consumer", root_key_file: "root.key", time_zone: "{time_zone}", accounts: {{}}, broker_rules: {{}},
          broker: {{ port: {self.port}, username: "consumer", password_file: "broker/consumer.password" }},
          gateways: {{ home: {{ identity: "{wire.identity_text(self.gateway)}" }} }},
          people: {{ {people} }},
        }}""")
        # Makes the keys.
        identity("vitals-consumer", self.settings)
        self.voice = Voice(self, "rig")
        self.callback(self.voice.close)
        self.start_consumer()
        if are_claimed:
            self._claim(sensors)
        if not self.voice.wait(lambda: len(self.voice.grants) == len(users) * len(kinds_of_sensors), 60):
            raise TimeoutError("there are no grants")

    def _claim(self, sensors):
        """Writes claims while the consumer is not there. To ask for them takes a gateway that was enrolled with a code, and a
        broker with the plugin."""
        if not self.voice.wait(lambda: self.voice.has_heard_all, 60):
            raise TimeoutError("the consumer is not there")
        stop(self.consumer)
        with contextlib.closing(sqlite3.connect(self.folder / "consumer/vitals.db")) as rows, rows:
            rows.executemany(
                "INSERT INTO claims (gateway, sensor, person, kinds, claimed_ms) VALUES ('home', ?, ?, 22, ?)",
                [(sensor, user, int(time.time() * 1000)) for user, own in sensors.items() for sensor in own])
        self.start_consumer()

    def sealer(self, sensor):
        """A new session of a sensor's stream."""
        grant = self.voice.grants[sensor]
        return wire.Sealer(grant.stream, grant.person, self.gateway)

    def start_consumer(self):
        self.consumer = self.start("consumer", [RELEASE / "vitals-consumer", "--settings", self.settings])

    def kill_consumer(self):
        if self.consumer.poll() is not None:
            log = (self.folder / "consumer.log").read_text(errors="replace")
            raise RuntimeError(f"the consumer had ended by itself: {log[-2000:]}")
        self.consumer.send_signal(signal.SIGKILL)
        self.consumer.wait()

    def kill_while(self, workers, kills, dice, pauses, outcome):
        """Kills the consumer again and again while anybody works: after a pause between two lengths, or after the shorter one if
        somebody takes aim. Returns how often it was killed."""
        for number in range(kills):
            time.sleep(pauses[0])
            self.aimed.clear()
            if self.aimed.wait(dice.uniform(0, pauses[1] - pauses[0])):
                time.sleep(dice.uniform(0, 0.25))
            if not any(worker.is_alive() for worker in workers):
                return number
            self.kill_consumer()
            outcome.cases += 1
            time.sleep(dice.uniform(0, 0.1))
            self.start_consumer()
        return kills

    def ask_consumer(self, command, *words):
        """What a command of the consumer's says, beside the service: its end."""
        return subprocess.run(
            [RELEASE / "vitals-consumer", command, *map(str, words), "--settings", self.settings],
            capture_output=True, text=True)

    def stored(self, question):
        """The number that answers a question to the consumer's database."""
        with wire.read_only(self.folder / "consumer/vitals.db") as rows:
            return rows.execute(question).fetchone()[0]

    def wait_for_announcements(self):
        """Waits for notifications that are still on their way: none is, once all of them are published."""
        self.wait(self.consumer, "all notifications are published",
                  lambda: not self.stored("SELECT count(*) FROM notifications WHERE published = 0"), 30)

    # Judging

    def judge_told(self, user, listed, outcome):
        """On a person's topic is what is in their list, and nothing else, the same bytes under the same id."""
        ids = {x["id"] for x in listed}
        heard = {id for who, id in self.voice.told if who == user}
        if len(ids) != len(listed) or ids != heard:
            outcome.problems.append(f"{user}: {len(listed)} notifications in the list, {len(ids)} ids, {len(heard)} told")
        for who, id in self.voice.told:
            if who == user and len(self.voice.told[who, id]) != 1:
                outcome.problems.append(f"{user}: {id} came with different words")

    def check(self, outcome):
        check = self.ask_consumer("check")
        if check.returncode != 0:
            outcome.corrupt += 1
            outcome.problems.append(f"the consumer's check: {check.stdout}{check.stderr}")


def noon():
    """A time zone where it is about noon, so that midnight does not come in between: its hours from UTC, and its name."""
    hour = datetime.datetime.now(datetime.timezone.utc).hour
    return (0, "Etc/GMT") if 6 <= hour < 18 else (-12, "Etc/GMT+12")
