"""How fast people sign in, against scrypt alone on as many threads; whether the time tells if somebody has an account; and what
memory it takes. Called by deploy/bench.

Two passwords are hashed at once, whatever the machine has; the floor is Python's scrypt, which is OpenSSL's too, on two
threads with the same cost. All of it runs on this machine, broker and clients included."""

import hashlib
import json
import os
import secrets
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import paho.mqtt.client as mqtt
from household import PROJECT, RELEASE, Household, free_port, processor_seconds
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

ROOT = "vitals/v1/accounts"
PASSWORD = "Zq7#horse-Pond"
AT_ONCE = 8


def run(rounds):
    print(f"Signing in, {AT_ONCE} at once" + (f", medians of {rounds} rounds" if rounds > 1 else ""))
    found = [one() for _ in range(rounds)]
    floor, rate, nobody, cost, known, unknown, idle, peak = (median(column) for column in zip(*found))
    print(f"    scrypt alone:  {floor:6.1f}/s on two threads")
    print(f"    sign-ins:      {rate:6.1f}/s, {rate / floor:.2f} × scrypt's rate, {cost * 1000:.0f} ms of processor time each")
    print(f"    of nobody:     {nobody:6.1f}/s")
    print(f"    one at a time: {known * 1000:6.1f} ms with a wrong password, {unknown * 1000:.1f} ms with a name that nobody has")
    print(f"    memory:        {idle / 1024:6.1f} MB resident before, {peak / 1024:.1f} MB at most")


def one():
    with Office() as office:
        guest = Guest(office.port)
        try:
            people = [f"person-{number}@example.org" for number in range(AT_ONCE)]
            for email in people:
                guest.ask("sign-up", email, "ok")
            floor = scrypt_rate(2 * AT_ONCE)
            idle = memory(office.consumer.pid, "VmRSS")
            used = processor_seconds(office.consumer.pid)
            rate, count = at_once(people, lambda email: [guest.ask("sign-in", email, "ok") for _ in range(4)])
            cost = (processor_seconds(office.consumer.pid) - used) / (4 * count)
            nobody, _ = at_once(
                [f"{number}-{turn}@example.net" for number in range(AT_ONCE) for turn in range(4)],
                lambda email: guest.ask("sign-in", email, "wrong-credentials"))
            # A wrong password makes its account wait: each is tried once, known and unknown by turns.
            pairs = [(guest.ask("sign-in", email, "wrong-credentials", "Zq7#horse-pond"),
                      guest.ask("sign-in", f"x{email}", "wrong-credentials")) for email in people]
            known, unknown = (median(column) for column in zip(*pairs))
            return floor, rate * 4, nobody, cost, known, unknown, idle, memory(office.consumer.pid, "VmHWM")
        finally:
            guest.stop()


def at_once(work, body):
    """Pieces of work a second, AT_ONCE of them at a time; and how many there were."""
    began = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(body, work))
    return len(work) / (time.monotonic() - began), len(work)


def scrypt_rate(count):
    began = time.monotonic()
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda salt: hashlib.scrypt(
            bytes(32), salt=bytes([salt]) * 16, n=1 << 15, r=8, p=3, maxmem=256 << 20, dklen=32), range(count)))
    return count / (time.monotonic() - began)


def memory(pid, what):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what))


class Office(Household):
    """A consumer with accounts, and a broker that it rules."""

    def __enter__(self):
        super(Household, self).__enter__()
        self.folder = self._make_folder()
        self.port = free_port()
        broker = [PROJECT / "deploy/broker", "--accounts", self.folder / "broker", str(self.port)]
        subprocess.run(broker, check=True, stdout=subprocess.DEVNULL)
        _, _, settings, _ = self.enrol(consumer_lines="accounts: {}, broker_rules: {},")
        subprocess.run([*broker, settings], check=True, capture_output=True, env=os.environ | {"VITALS_PROGRAMS": str(RELEASE)})
        with open(self.folder / "broker/mosquitto.conf", "a") as lines:
            lines.write("log_type error\nlog_type warning\nlog_type subscribe\n")
        self.start_broker()
        self.consumer = self.start("consumer", [RELEASE / "vitals-consumer", "--settings", settings])
        log = self.folder / "broker.log"
        self.wait(self.consumer, "it has subscribed", lambda: f"{ROOT}/+" in log.read_text())
        return self


class Guest:
    """Asks without a name."""

    def __init__(self, port):
        self.replies, self.responses = {}, f"{ROOT}/responses/{secrets.token_hex(16)}"
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        ready = threading.Event()
        self.client.on_connect = lambda client, *_: client.subscribe(self.responses, 1)
        self.client.on_subscribe = lambda *_: ready.set()
        self.client.on_message = self._received
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        if not ready.wait(10):
            raise TimeoutError("the broker does not answer")

    def stop(self):
        self.client.disconnect()
        self.client.loop_stop()

    def _received(self, client, data, message):
        waiting = self.replies.get(message.properties.CorrelationData)
        if waiting:
            waiting["reply"] = json.loads(message.payload)
            waiting["came"].set()

    def ask(self, verb, email, expected, password=PASSWORD):
        """Seconds until the reply, which has to be as expected: `ok`, or an error's code."""
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic, properties.CorrelationData = self.responses, secrets.token_bytes(16)
        waiting = self.replies[properties.CorrelationData] = {"came": threading.Event()}
        began = time.monotonic()
        self.client.publish(f"{ROOT}/{verb}", json.dumps({"email": email, "password": password}), 1, properties=properties)
        if not waiting["came"].wait(60):
            raise TimeoutError(f"no reply to {verb}")
        took = time.monotonic() - began
        reply = self.replies.pop(properties.CorrelationData)["reply"]
        if expected not in (reply["status"], reply.get("error", {}).get("code")):
            raise TimeoutError(f"{verb}: {reply}")
        return took
