"""What many accounts cost at the broker: with 0, 1,000 and 10,000 devices, each a person's, the time to let one more in and out through
the plugin, how long the broker answers nobody else meanwhile, how long it takes to start, its memory, the size of the plugin's file, how
long `vitals-consumer broker-rules` takes to write it, and how long a consumer takes to bring the rules in line, and what somebody waits who signs up, or in on another device ("anew")."""

import base64
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Rigs"))

import access  # noqa: E402
import accounts  # noqa: E402
from household import processor_seconds, resident_kilobytes, stop  # noqa: E402

CONTROL = "$CONTROL/dynamic-security/v1"


class Crowd(access.World):
    def __init__(self, count):
        super().__init__("owners")
        self.count = count

    def _make_database(self):
        super()._make_database()
        with self.database() as database:
            salt = os.urandom(12)
            credential = salt + hashlib.pbkdf2_hmac("sha512", b"a password", salt, 101)
            database.executemany(
                "INSERT INTO devices VALUES (?, ?, ?, 0, 1, x'00')",
                ((f"d{i:015}", f"u{i:015}", credential) for i in range(self.count)))


def timed(what):
    begin = time.monotonic()
    result = what()
    return time.monotonic() - begin, result


def ask(client, command):
    """One command to the plugin, until its answer."""
    key = base64.b64encode(os.urandom(9)).decode()
    client.publish(CONTROL, json.dumps({"commands": [command | {"correlationData": key}]}))
    if not client.hears(120, lambda x: key.encode() in x.payload):
        raise TimeoutError(command)
    client.heard.clear()


def measure(count):
    with Crowd(count) as crowd:
        writing, _ = timed(lambda: (crowd.rules.unlink(), crowd.write_rules()))
        checking, _ = timed(crowd.write_rules)
        starting, _ = timed(crowd.start_broker)
        admin, other = crowd.connect("consumer"), crowd.connect("bobphone")
        admin.allowed(admin.subscribe(CONTROL + "/response"))
        other.allowed(other.subscribe(f"{access.ROOT}/users/{access.BOB}/#"))
        before = processor_seconds(crowd.broker.pid)
        adding, removing = [], []
        for i in range(20):
            role = {"rolename": f"person-new{i}", "acls": [
                {"acltype": "publishClientSend", "topic": f"{access.ROOT}/users/new{i}/requests/+/+", "allow": True},
                {"acltype": "publishClientReceive", "topic": f"{access.ROOT}/users/new{i}/#", "allow": True},
                {"acltype": "subscribePattern", "topic": f"{access.ROOT}/users/new{i}/#", "allow": True}]}
            adding.append(timed(lambda: (
                ask(admin, {"command": "createRole"} | role),
                ask(admin, {"command": "createClient", "username": f"new{i}", "password": "x" * 44,
                            "roles": [{"rolename": f"person-new{i}"}]})))[0])
        for i in range(20):
            removing.append(timed(lambda: ask(admin, {"command": "deleteClient", "username": f"new{i}"}))[0])
        processor = (processor_seconds(crowd.broker.pid) - before) / 60
        memory, size = resident_kilobytes(crowd.broker.pid), crowd.rules.stat().st_size
        admin.close()
        connecting = statistics.median(timed(lambda: crowd.connect("alicephone"))[0] for _ in range(20))
        service = None

        def bring():
            nonlocal service
            service = crowd.start_consumer()
            crowd.service = service
            crowd.wait(service, "in line", lambda: b"rules are as the database says" in crowd.log(), limit=300)

        lining, _ = timed(bring)
        cost = processor_seconds(service.pid)
        guest = accounts.Guest(crowd.port)
        signing_up = statistics.median(guest.ask("sign-up", f"person-{i}@example.org", "ok") for i in range(10))
        signing_in = statistics.median(guest.ask("sign-in", f"person-{i}@example.org", "ok") for i in range(10))
        guest.stop()
        stop(service)
        ms = 1000
        print(f"{count:>7,} {statistics.median(adding) * ms:>9.1f} {max(adding) * ms:>9.1f} {statistics.median(removing) * ms:>9.1f}"
              f" {processor * ms:>9.1f} {connecting * ms:>9.1f} {starting * ms:>9.0f} {memory / 1024:>9.1f} {size / 1e6:>9.2f}"
              f" {writing * ms:>9.0f} {checking * ms:>9.0f} {lining * ms:>9.0f} {cost * ms:>9.0f}"
              f" {signing_up * ms:>9.0f} {signing_in * ms:>9.0f}")


def run(counts):
    print("\nThe broker's rules with many accounts")
    print(subprocess.run(["mosquitto", "-h"], capture_output=True, text=True).stdout.split("\n")[0])
    heads = ["devices", "let in", "slowest", "let out", "CPU/chg", "connect", "start", "MB", "file MB", "write", "check", "in line", "its CPU",
             "sign up", "anew"]
    print(" ".join(f"{x:>{7 if i == 0 else 9}}" for i, x in enumerate(heads)) + "   (ms where not said)")
    for count in counts:
        measure(count)
