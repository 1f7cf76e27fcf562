"""Goals and thumbs while the consumer is killed. Step counts of several people come, in any order, and reach their goals; friends give
each other thumbs, and ask again until a reply has come, as programs of people do, and often after it. Meanwhile the consumer is killed again and again.

In the end each goal that was reached is announced once: there is one notification of each (day, goal) in the person's list, and on their
topic none but those of the list, each at least once, the same bytes under the same id. Each thumb whose reply came was given once, and
none that was refused; what was retained of the day is what it comes to; and the consumer's own check finds nothing wrong.

    goals.py [short|normal|long]
"""

import collections
import datetime
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import paho.mqtt.client as mqtt
import wire
from household import RELEASE, Household, identity
from outcome import Outcome
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

ROOT = "vitals/v1"
#: How many people there are, how often the consumer is killed, and how many thumbs each gives to each of two friends.
SIZES = {"short": (4, 8, 6), "normal": (6, 25, 15), "long": (8, 150, 22)}
#: Thumbs for a friend on a day.
MOST_THUMBS = 20
#: Steps of each of the two days, and how many blocks they come in. Today's goals are below their totals.
STEPS, BLOCKS = 15_000, 12
TARGETS = {"steps": 12_000, "distance_m": 5_000, "energy_kcal": 100}
#: How long to wait for a reply before asking again, and in all, in seconds.
PATIENCE, LIMIT = 0.7, 120


class Voice:
    """The one client: it asks in everybody's name, and speaks for the gateway."""

    def __init__(self, household):
        self.arrived = threading.Condition()
        self.replies: dict[bytes, dict] = {}
        self.grants: dict[str, wire.Grant] = {}
        self.acknowledged: set[bytes] = set()
        #: (user, id) of each notification that came on a topic, and the payloads that came under it.
        self.told = collections.defaultdict(set)
        self.retained: dict[str, bytes] = {}
        version = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
        self.client = mqtt.Client(*version, client_id="goals", protocol=mqtt.MQTTv5)
        self.client.username_pw_set("consumer", household.password_file("consumer").read_text().strip())
        self.client.on_message = self._heard
        subscribed = threading.Event()
        self.client.on_subscribe = lambda *_: subscribed.set()
        self.client.on_connect = lambda client, *_: client.subscribe(
            [(f"{ROOT}/users/#", 1), (f"{ROOT}/gateways/home/#", 1)])
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
            if levels[0] == "gateways" and levels[-1] in ("grant", "control"):
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

    def ask(self, user, name, fields=None, key=None):
        """The reply to a request, which is sent again, the same, until there is one."""
        key = key or os.urandom(12)
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic, properties.CorrelationData = f"{ROOT}/users/{user}/responses/rig", key
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            self.client.publish(
                f"{ROOT}/users/{user}/requests/{name}", json.dumps(fields or {}), qos=1, properties=properties)
            if self.wait(lambda: key in self.replies, PATIENCE):
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


class Rig(Household):
    """A broker, a consumer, and people with a pedometer each."""

    def begin(self, people, dice):
        self.dice, self.people = dice, [f"p{index}" for index in range(people)]
        # A zone where it is about noon, so that midnight does not come in between.
        hour = datetime.datetime.now(datetime.timezone.utc).hour
        self.offset, zone = (0, "Etc/GMT") if 6 <= hour < 18 else (-12, "Etc/GMT+12")
        self.gateway = wire.new_identity()
        sensors = ", ".join(f'{user}: {{ sensors: ["home/s{user}"] }}' for user in self.people)
        self.settings = self.folder / "consumer.json5"
        self.settings.write_text(f"""{{
          state: "consumer", root_key_file: "root.key", time_zone: "{zone}", accounts: {{}}, broker_rules: {{}},
          broker: {{ port: {self.port}, username: "consumer", password_file: "broker/consumer.password" }},
          gateways: {{ home: {{ identity: "{wire.identity_text(self.gateway)}" }} }},
          people: {{ {sensors} }},
        }}""")
        # Makes the keys.
        identity("vitals-consumer", self.settings)
        self.voice = Voice(self)
        self.callback(self.voice.close)
        self.start_consumer()
        if not self.voice.wait(lambda: len(self.voice.grants) == people, 60):
            raise TimeoutError("there are no grants")
        self.streams = {
            user: wire.Sealer(self.voice.grants[f"s{user}"].stream, self.voice.grants[f"s{user}"].person, self.gateway)
            for user in self.people
        }
        for user in self.people:
            self.voice.data(user, "profile/set", {
                "name": f"Person {user}", "date_of_birth": "1990-12-10", "gender": "female", "height_cm": 170,
                "weight_kg": 65})
            self.voice.data(user, "goals/set", TARGETS)
        self.friends = [(self.people[i], self.people[(i + step) % people]) for i in range(people) for step in (1, people - 1)]
        for one, other in zip(self.people, self.people[1:] + self.people[:1]):
            share = {"share": {"steps": True}}
            code = self.voice.data(one, "friends/code", share)["code"]
            self.voice.data(other, "friends/invite", {"code": code, **share})

    def start_consumer(self):
        self.consumer = self.start("consumer", [RELEASE / "vitals-consumer", "--settings", self.settings])

    def kill_consumer(self):
        if self.consumer.poll() is not None:
            log = (self.folder / "consumer.log").read_text(errors="replace")
            raise RuntimeError(f"the consumer had ended by itself: {log[-2000:]}")
        self.consumer.send_signal(signal.SIGKILL)
        self.consumer.wait()

    # What people do meanwhile

    def walk(self, failures):
        """Sends what everybody's pedometers have counted, yesterday and today, each block again until it is acknowledged."""
        try:
            now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=self.offset)
            midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) - datetime.timedelta(hours=self.offset)
            self.days = [str((now + datetime.timedelta(days=days)).date()) for days in (-1, 0)]
            blocks = []
            for user, sealer in self.streams.items():
                blocks.append(sealer.key_block)
                counts = [
                    (midnight + datetime.timedelta(days=days, minutes=5 + 20 * index), (days + 1) * STEPS + STEPS * index // BLOCKS)
                    for days in (-1, 0) for index in range(BLOCKS + 1)
                ]
                for time_, count in counts:
                    rows = [{"time": int(time_.timestamp() * 1000), "monotonic": 1, "steps": count}]
                    blocks.append(sealer.block(wire.READINGS, wire.write_readings(wire.STEPS, rows)))
            waiting = {wire.Header.of(block).identity: block for block in blocks}
            end = time.monotonic() + LIMIT * 2
            while waiting and time.monotonic() < end:
                # A few at a time, so that kills come in between.
                for identity in self.dice.sample(list(waiting), min(len(waiting), 1 + len(self.people))):
                    self.voice.client.publish(f"{ROOT}/gateways/home/blocks", waiting[identity], qos=1)
                self.voice.wait(lambda: not self.voice.acknowledged.isdisjoint(waiting), PATIENCE)
                for identity in self.voice.acknowledged & waiting.keys():
                    del waiting[identity]
                time.sleep(self.pause)
            if waiting:
                failures.append(f"{len(waiting)} blocks were never acknowledged")
        except Exception as error:
            failures.append(f"walking: {error!r}")

    def cheer(self, one, other, count, failures):
        try:
            for number in range(count):
                fields, key = {"friend": other, "thumb": "up" if number % 3 else "down"}, os.urandom(12)
                reply = self.voice.ask(one, "friends/cheer", fields, key)
                self.given[other, one, reply["status"]] += 1
                time.sleep(self.pause)
                if reply["status"] == "ok" and number % 2:
                    # As if the reply had been lost; perhaps another consumer answers.
                    time.sleep(0.5)
                    with self.voice.arrived:
                        del self.voice.replies[key]
                    again = self.voice.ask(one, "friends/cheer", fields, key)
                    if again != reply:
                        failures.append(f"{one} is told of the same thumb for {other}: {reply}, then {again}")
        except Exception as error:
            failures.append(f"{one} cheers {other}: {error!r}")

    # Judging

    def judge(self, thumbs, outcome):
        for user in self.people:
            listed, before = [], None
            while True:
                fields = {"all": True, "limit": 100} | ({"before": before} if before else {})
                part = self.voice.data(user, "notifications/list", fields)
                listed += part["notifications"]
                if not part["more"]:
                    break
                before = listed[-1]["id"]
            goals = collections.Counter((x["day"], x["goal"]) for x in listed if x["kind"] == "goal-reached")
            due = {(self.days[0], "steps")} | {(self.days[1], goal) for goal in ("steps", "distance", "energy")}
            for what in due | goals.keys():
                outcome.cases += 1
                if goals[what] != 1 or what not in due:
                    outcome.problems.append(f"{user}: {what} was announced {goals[what]} times")
                    outcome.lost += goals[what] == 0
                    outcome.duplicated += goals[what] > 1
            given = collections.Counter(x["from"] for x in listed if x["kind"].startswith("thumbs-"))
            for one, other in self.friends:
                if other != user:
                    continue
                outcome.cases += thumbs
                done = self.given[user, one, "ok"]
                if given[one] != done or done != min(thumbs, MOST_THUMBS):
                    outcome.problems.append(f"{user} has {given[one]} thumbs of {one}, who was told of {done}, of {thumbs}")
            ids = {x["id"] for x in listed}
            heard = {id for who, id in self.voice.told if who == user}
            if len(ids) != len(listed) or ids != heard:
                outcome.problems.append(f"{user}: {len(listed)} notifications in the list, {len(ids)} ids, {len(heard)} told")
            for who, id in self.voice.told:
                if who == user and len(self.voice.told[who, id]) != 1:
                    outcome.problems.append(f"{user}: {id} came with different words")
            self.look_at_day(user, outcome)

    def look_at_day(self, user, outcome):
        """What is retained is what the day comes to."""
        friend = next(other for one, other in self.friends if one == user)

        def is_right():
            today = json.loads(self.voice.retained.get(f"{user}/today", b"{}") or b"{}")
            shown = json.loads(self.voice.retained.get(f"{friend}/friends/{user}/today", b"{}") or b"{}")
            goal = json.loads(self.voice.retained.get(f"{user}/goals/steps", b"{}") or b"{}")
            return today.get("steps") == shown.get("steps") == goal.get("value") == STEPS and goal["state"] == "reached"

        if not self.voice.wait(is_right, 30):
            found = {x: y for x, y in self.voice.retained.items() if user in x}
            outcome.problems.append(f"{user}: what is retained of the day is not what it comes to: {found}")


def run(size, seed) -> Outcome:
    people, kills, thumbs = SIZES[size]
    outcome, failures = Outcome("goals"), []
    dice = random.Random(seed)
    with Rig() as rig:
        rig.begin(people, dice)
        rig.given, rig.pause = collections.Counter(), 0.02 if size == "short" else 0.1
        workers = [threading.Thread(target=rig.walk, args=(failures,))]
        workers += [threading.Thread(target=rig.cheer, args=(*pair, thumbs, failures)) for pair in rig.friends]
        for worker in workers:
            worker.start()
        while kills and any(x.is_alive() for x in workers):
            time.sleep(dice.uniform(0.2, 0.9))
            rig.kill_consumer()
            kills -= 1
            outcome.cases += 1
            time.sleep(dice.uniform(0, 0.1))
            rig.start_consumer()
        for worker in workers:
            worker.join(LIMIT * 2)
        outcome.problems += failures
        if not failures:
            # Wait for notifications that are still on their way: none is, once all of them are published.
            def is_quiet():
                with wire.read_only(rig.folder / "consumer/vitals.db") as rows:
                    return not rows.execute("SELECT count(*) FROM notifications WHERE published = 0").fetchone()[0]

            rig.wait(rig.consumer, "all notifications are published", is_quiet, 30)
            rig.judge(thumbs, outcome)
        check = subprocess.run(
            [RELEASE / "vitals-consumer", "check", "--settings", rig.settings], capture_output=True, text=True)
        if check.returncode != 0:
            outcome.corrupt += 1
            outcome.problems.append(f"the consumer's check: {check.stdout}{check.stderr}")
        again = sum(len(x) for x in rig.voice.told.values())
        outcome.remarks.append(
            f"{SIZES[size][1] - kills} kills, {sum(rig.given.values())} thumbs of {people} people, {again} notifications")
    return outcome


if __name__ == "__main__":
    found = run(sys.argv[1] if len(sys.argv) > 1 else "short", int.from_bytes(os.urandom(4)))
    for line in [*found.problems[:40], *found.remarks]:
        print(line)
    sys.exit(0 if found.holds else 1)
