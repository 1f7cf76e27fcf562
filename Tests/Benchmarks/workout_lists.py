"""How long somebody waits for the list of all their workouts, and for one of them in detail. Called by deploy/bench.

The workouts are files of 47 places with heart rates each, some years of them, which `vitals workout import` brings along. The last one is the
recorded run of deploy/activities. Each figure is what passes from the first request to the last reply, read as JSON, through the
broker; the next part of a list is asked for when the one before is there. The floor is what the same replies take from a program that has
them in memory and reads nothing, in the same run."""

import csv
import datetime
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import time
import zipfile

import paho.mqtt.client as mqtt
from graph import Asker, send_at_once
from household import PROJECT, RELEASE, Household, resident_kilobytes

PLACES, PACE = 47, 20
APART = 30 * 3600
ECHO = "vitals/v1/bench/echo"
#: A burst of requests, and how long it takes until as many are allowed again.
PAUSE = 2.0
#: What `vitals workout list` asks for.
TABLE = ["activity", "duration_s", "distance_m", "speed_mps.mean", "speed_mps.pace", "heart_rate.mean", "energy_kcal"]
GPX = '<?xml version="1.0"?><gpx version="1.1" creator="bench" xmlns="http://www.topografix.com/GPX/1/1" ' \
      'xmlns:x="http://www.garmin.com/xmlschemas/TrackPointExtension/v1"><trk><type>running</type><trkseg>'


class Home(Household):
    broker_options = ("--person", "demo")


def run(count, times):
    with Home() as household:
        _, _, settings, _ = household.enrol()
        consumer = household.start("consumer", [RELEASE / "vitals-consumer", "--settings", settings])
        log = household.folder / "broker.log"
        household.wait(consumer, "it has subscribed", lambda: "users/+/requests" in log.read_text())
        asker = Asker(household)
        asker.ask("consent/set", {"record_location": True})
        bring(household, consumer, count)
        print(f"{count:,} workouts of {PLACES} places and heart rates each, and the recorded run")
        figures(household, consumer, asker, count, times)
        asker.stop()


def figures(household, consumer, asker, count, times):
    floor = asker.milliseconds("profile/get", {}, times)
    print(f"    floor of one request, which reads nothing: {floor:.1f} ms")
    tell("the latest 50", asker.milliseconds("workouts/list", {"limit": 50}, times), floor)
    tell("as many as a reply has", asker.milliseconds("workouts/list", {"limit": 200}, times), floor)
    run = asker.ask("workouts/list", {"limit": 1})["workouts"][0]["id"]
    plain = asker.ask("workouts/list", {"limit": 2})["workouts"][1]["id"]
    tell("one in detail, with charts", asker.milliseconds("workouts/show", {"id": plain}, times), floor)
    tell("the recorded run in detail, with charts", asker.milliseconds("workouts/show", {"id": run, "points": 200}, times), floor)
    for what, fields in (("all of them, what a table shows", {"fields": TABLE}), ("all of them, with everything", {})):
        replies = list(pages(asker, fields))
        if sum(len(page["workouts"]) for page in replies) != count + 1:
            raise TimeoutError("the list does not have all workouts")
        size = sum(len(json.dumps(page["workouts"], separators=(",", ":"), ensure_ascii=False)) for page in replies)
        topic = f"{ECHO}/{size}"
        start_echo(household, topic, replies)
        floor = median(lambda: [asker.exchange(topic, str(number)) for number in range(len(replies))], times)
        tell(f"{what}: {size / 1000:.0f} KB in {len(replies)} replies", median(lambda: list(pages(asker, fields)), times), floor)
        print(f"        the floor of that: {floor:.1f} ms")
    print(f"    the consumer has {resident_kilobytes(consumer.pid) / 1024:.0f} MB resident")
    for options in (["--limit", 50], ["--limit", count + 1], ["--limit", count + 1, "--json"]):
        tell(f"`vitals workout list {' '.join(map(str, options))}`, from its start to its end",
             median(lambda: vitals(household, "workout", "list", *options, stdout=subprocess.DEVNULL), times))


def tell(what, milliseconds, floor=None):
    print(f"    {what}: {milliseconds:.1f} ms" + (f", {milliseconds / floor:.1f} × the floor" if floor else ""))


def pages(asker, fields):
    """The list, reply by reply."""
    until = {}
    while True:
        page = asker.ask("workouts/list", {"limit": 1000} | fields | until)
        yield page
        if "next_to" not in page:
            return
        until = {"to": page["next_to"]}


def median(body, times):
    took = []
    for _ in range(times):
        time.sleep(PAUSE)
        began = time.monotonic()
        body()
        took.append((time.monotonic() - began) * 1000)
    return statistics.median(took)


def vitals(household, *words, **options):
    subprocess.run([RELEASE / "vitals", *map(str, words), "--port", str(household.port), "--username", "demo", "--password-file",
                    household.password_file("demo")], check=True, stdin=subprocess.DEVNULL, **options)


# What is brought along


def bring(household, consumer, count):
    """Imports the files, and waits until everything that follows from them is computed."""
    first = time.time() - 86_400 - (count + 1) * APART
    with zipfile.ZipFile(household.folder / "takeout.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(count):
            archive.writestr(f"{number}.gpx", gpx(places(number, first + number * APART)))
        archive.writestr("run.gpx", gpx(recorded(time.time() - 86_400)))
    vitals(household, "workout", "import", household.folder / "takeout.zip", stdout=subprocess.DEVNULL)
    with sqlite3.connect(f"file:{household.folder / 'consumer/vitals.db'}?mode=ro", uri=True, timeout=60) as database:
        def is_computed():
            time.sleep(0.5)
            return not any(database.execute(f"SELECT EXISTS ({query})").fetchone()[0] for query in (
                "SELECT 1 FROM workouts WHERE marks > 0", "SELECT 1 FROM stale"))

        household.wait(consumer, "all is computed", is_computed, limit=1800)


def places(number, start):
    """A way of a kilometre and a half or so, which is another one each time: time, latitude, longitude, altitude, heart rate."""
    for index in range(PLACES):
        yield (start + index * PACE, 48 + number * 1e-5 + index * 3e-4, 11 + (index % (5 + number % 7)) * 4e-5,
               500 + (index * (number % 5)) % 23, 110 + (index * 7 + number) % 60)


def recorded(start):
    with open(PROJECT / "deploy/activities/run-9km.csv") as rows:
        for row in csv.DictReader(rows):
            if row["latitude_deg"]:
                yield (start + int(row["elapsed_s"]), row["latitude_deg"], row["longitude_deg"], row["altitude_m"] or 0,
                       row["heart_rate_bpm"] or None)


def gpx(points):
    def point(moment, latitude, longitude, altitude, heart_rate):
        at = datetime.datetime.fromtimestamp(int(moment), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        heart = f"<extensions><x:TrackPointExtension><x:hr>{heart_rate}</x:hr></x:TrackPointExtension></extensions>" if heart_rate else ""
        return f'<trkpt lat="{latitude}" lon="{longitude}"><ele>{altitude}</ele><time>{at}</time>{heart}</trkpt>'

    return GPX + "".join(point(*one) for one in points) + "</trkseg></trk></gpx>"


# The floor


def start_echo(household, topic, replies):
    """Starts a process that answers with these on a topic."""
    for number, page in enumerate(replies):
        reply = {"status": "ok", "data": page}
        (household.folder / f"reply-{number}").write_text(json.dumps(reply, separators=(",", ":"), ensure_ascii=False))
    command = [sys.executable, __file__, household.port, household.password_file("consumer"), household.folder, topic, len(replies)]
    echo = household.start("echo", command)
    log = household.folder / "broker.log"
    household.wait(echo, "it has subscribed", lambda: topic in log.read_text())


def answer(port, password_file, folder, topic, count):
    """What that process does."""
    replies = [open(f"{folder}/reply-{number}", "rb").read() for number in range(int(count))]
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
    client.username_pw_set("consumer", open(password_file).read().strip())
    client.on_connect = lambda client, *_: client.subscribe(topic, 1)
    client.on_message = lambda client, _, message: client.publish(
        message.properties.ResponseTopic, replies[int(message.payload)], 1)
    client.on_socket_open = send_at_once
    client.connect("127.0.0.1", int(port))
    client.loop_forever()


if __name__ == "__main__":
    answer(*sys.argv[1:])
