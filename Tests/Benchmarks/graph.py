"""How long somebody waits for a curve of their heart, of one month and of years, and how many bytes a heart rate takes when it is at rest.
Called by deploy/bench.

Somebody wears a strap day and night, at one heart rate a second: the recorded activities of deploy/activities, two a day, and rest in
between. All of it goes the way that it always goes, from a gateway's blocks through a broker to a consumer, which stores, adds up and packs
it; then a curve of 1,000 points is asked for many times, through the broker. The floor is what a request takes that reads nothing, in the
same run. Seconds in the life of the consumer are hours in that of the data: what is packed here in minutes has years for it otherwise."""

import csv
import json
import os
import socket
import sqlite3
import statistics
import subprocess
import threading
import time
from contextlib import contextmanager

import paho.mqtt.client as mqtt
from consumer_rate import expect, tell
from household import PROJECT, RELEASE, Household, processor_seconds, resident_kilobytes, stop
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

USER = "vitals/v1/users/demo"
MONTH, YEAR = 30 * 86_400, 365.25 * 86_400


def run(years, days, times):
    # What is packed is the same however many heart rates came in a block; with fewer blocks, years are here sooner.
    with stored(int(years * YEAR), 64) as (household, _):
        curves(household, years, times)
    for has_intervals in (False, True):
        with stored(days * 86_400, 10, has_intervals) as (household, samples):
            bytes_at_rest(household, samples, " (with RR intervals)" if has_intervals else "")


@contextmanager
def stored(samples, readings, has_intervals=False):
    """A household with so many heart rates, up to now, stored and packed; and how many they are."""
    with Household() as household:
        _, _, settings, key = household.enrol()
        # Years within minutes are more than a gateway may store in a day.
        limits = 'limits: { gateway: { day: "1000 GB" }, person: { day: "1000 GB" } }, people: {'
        settings.write_text(settings.read_text().replace("people: {", limits, 1))
        consumer = household.start("consumer", [RELEASE / "vitals-consumer", "--settings", settings])
        activities = household.folder / "activities"
        activities.write_text("".join(recorded(x) for x in ("run-9km.csv", "ride-41km.csv")))
        blocks = samples // readings
        samples = blocks * readings
        load = household.start("load", [
            RELEASE / "vitals-load", "--port", household.port, "--username", "home", "--password-file",
            household.password_file("home"), "--identity", household.folder / "gateway/identity.key", "--consumer", key,
            "--blocks", blocks, "--readings", readings, "--activities", activities, *(["--intervals"] if has_intervals else []),
        ], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        expect(household, load, "ready")
        result = tell(household, load, "acknowledged")
        took = (result["end"] - result["begin"]) / 1000
        print(f"{samples:,} heart rates{' with RR intervals' if has_intervals else ''}, {readings} a block: {took:.0f} s to store them,"
              f" {samples / took:,.0f} a second")
        began = time.monotonic()
        used = processor_seconds(consumer.pid)
        wait_until_at_rest(household, consumer, household.folder / "consumer/vitals.db")
        print(f"    packed {time.monotonic() - began:.0f} s later, {processor_seconds(consumer.pid) - used:.0f} s of processor time,"
              f" {resident_kilobytes(consumer.pid) / 1024:.0f} MB resident")
        yield household, samples
        stop(consumer)


def curves(household, years, times):
    asker = Asker(household)
    now = int(time.time() * 1000)
    floor = asker.milliseconds("profile/get", {}, times)
    print(f"    floor, a request that reads nothing: {floor:.1f} ms")
    found = []
    for span, seconds in [("1 month", MONTH), (name(years), years * YEAR)]:
        curve = {"from": now - int(seconds * 1000), "to": now, "points": 1000}
        found.append(asker.milliseconds("heart-rate/graph", curve, times))
        reply = asker.ask("heart-rate/graph", curve)
        print(f"heart-rate graph, {span}: {found[-1]:.1f} ms")
        print(f"    {len(reply['index'])} points of {reply['tier']}, {found[-1] / floor:.1f} × the floor, at most {asker.slowest:.1f} ms")
    print(f"    ratio of the two: {found[1] / found[0]:.2f}")
    for what, fields in [("at", {"time": now - 86_400_000}), ("intervals", {"from": now - 86_400_000, "to": now - 82_800_000}),
                         ("variability", {"from": now - 86_400_000, "to": now - 82_800_000})]:
        print(f"    heart-rate/{what}: {asker.milliseconds(f'heart-rate/{what}', fields, times):.1f} ms")
    # An answer that takes long is kept until something changes: here each is made once, and then asked for again.
    for request in ["day", "month", "year", "years", "summary"]:
        fields = {"day": {"day": date(now - 86_400_000)}, "summary": {"from": date(now - int(seconds * 1000)), "to": date(now)}}
        took = asker.milliseconds(f"statistics/{request}", fields.get(request, {}), times)
        print(f"    statistics/{request}: {took:.1f} ms, at most {asker.slowest:.1f} ms")
    asker.stop()


def date(milliseconds):
    return time.strftime("%Y-%m-%d", time.gmtime(milliseconds / 1000))


def bytes_at_rest(household, samples, label):
    size, tables = sizes(household.folder / "consumer/vitals.db")
    print(f"bytes per heart-rate sample{label}: {size / samples:.2f}")
    print("    " + ", ".join(f"{table} {bytes / samples:.3f}" for table, bytes in tables if bytes / samples >= 0.01))


def name(years):
    if years >= 1:
        return f"{years:g} year{'s' if years != 1 else ''}"
    days = round(years * 365.25)
    return f"{days} day{'s' if days != 1 else ''}"


def recorded(file):
    """The heart rates of a recorded activity, one a second."""
    rates, last = [], 70
    with open(PROJECT / "deploy/activities" / file) as rows:
        for row in csv.DictReader(rows):
            last = int(row["heart_rate_bpm"] or last)
            rates += [last] * max(1, int(row["elapsed_s"]) + 1 - len(rates))
    return " ".join(map(str, rates)) + "\n"


def wait_until_at_rest(household, consumer, path):
    """Until all hours that are over are packed, and folded."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60) as database:
        def is_at_rest():
            closed = int(time.time()) // 3600 - 3
            time.sleep(2)
            return not any(database.execute(query, [closed]).fetchone()[0] for query in [
                "SELECT EXISTS (SELECT 1 FROM blocks WHERE type = 2 AND first_hour < ?)",
                "SELECT EXISTS (SELECT 1 FROM heart_rate_hours WHERE hour < ?)"])

        household.wait(consumer, "all is packed", is_at_rest, limit=7200)


def sizes(path):
    """Bytes of the whole file but for free pages, and of each table and index, the largest first."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages, free, size = (database.execute(f"PRAGMA {x}").fetchone()[0] for x in ("page_count", "freelist_count", "page_size"))
        try:
            tables = database.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC").fetchall()
        except sqlite3.OperationalError:  # Not every Python has dbstat.
            tables = []
    return (pages - free) * size, tables


def send_at_once(client, data, socket_):
    """Otherwise a small message waits up to 40 ms until the one before it has been acknowledged."""
    socket_.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class Asker:
    """Asks as the person, through the broker."""

    def __init__(self, household):
        self.reply, self.came, self.slowest = None, threading.Event(), 0.0
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        # Whoever may do everything at this broker: it has no accounts of people.
        self.client.username_pw_set("consumer", household.password_file("consumer").read_text().strip())
        ready = threading.Event()
        self.client.on_connect = lambda client, *_: client.subscribe(f"{USER}/responses/#", 1)
        self.client.on_subscribe = lambda *_: ready.set()
        self.client.on_message = self._received
        self.client.on_socket_open = send_at_once
        self.client.connect("127.0.0.1", household.port)
        self.client.loop_start()
        if not ready.wait(10):
            raise TimeoutError("the broker does not answer")

    def stop(self):
        self.client.disconnect()
        self.client.loop_stop()

    def _received(self, client, data, message):
        self.reply = message.payload
        self.came.set()

    def ask(self, name, fields):
        reply = self.exchange(f"{USER}/requests/{name}", json.dumps(fields))
        if reply["status"] != "ok" and reply.get("error", {}).get("code") != "not-found":
            raise TimeoutError(f"{name}: {reply}")
        return reply.get("data")

    def exchange(self, topic, payload):
        """The reply to a message."""
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic, properties.CorrelationData = f"{USER}/responses/bench", os.urandom(16)
        self.came.clear()
        self.client.publish(topic, payload, 1, properties=properties)
        if not self.came.wait(60):
            raise TimeoutError(f"no reply to {topic}")
        return json.loads(self.reply)

    def milliseconds(self, name, fields, times):
        """What a reply takes, the median."""
        took = []
        for _ in range(times):
            time.sleep(0.11)  # Nobody may ask more than ten times a second.
            began = time.monotonic()
            self.ask(name, fields)
            took.append((time.monotonic() - began) * 1000)
        self.slowest = max(took)
        return statistics.median(took)
