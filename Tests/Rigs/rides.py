"""Rides as files, and how a person of a crowd imports them."""

import base64
import datetime
import gzip
import math
import os
import time

#: The largest file and what is missing of one that never ends, and a part, in bytes.
WHOLE, LEFT, PART = 16 << 20, 2000, 45_000


def large_file(points):
    """A compressed GPX file of a day's ride, with a heart rate at each of its points."""
    began, step = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=25), 80_000 / points

    def point(number):
        at = (began + datetime.timedelta(seconds=number * step)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        angle = number / 500
        place = f'lat="{48 + 0.05 * math.sin(angle) + number * 1e-6:.6f}" lon="{11 + 0.05 * math.cos(angle):.6f}"'
        return (f'<trkpt {place}><ele>{500 + number % 90}</ele><time>{at}</time><extensions><x:TrackPointExtension>'
                f'<x:hr>{110 + number * 7 % 60}</x:hr></x:TrackPointExtension></extensions></trkpt>')

    head = ('<?xml version="1.0"?><gpx version="1.1" creator="rig" xmlns="http://www.topografix.com/GPX/1/1" '
            'xmlns:x="http://www.garmin.com/xmlschemas/TrackPointExtension/v1"><trk><type>cycling</type><trkseg>')
    return gzip.compress((head + "".join(map(point, range(points))) + "</trkseg></trk></gpx>").encode(), 6)


def parts(data, size=None):
    """What is sent of a file, part by part."""
    for offset in range(0, len(data), PART):
        yield {"name": "ride.gpx.gz", "size": size or len(data), "offset": offset, "data": base64.b64encode(data[offset : offset + PART]).decode()}


def bring(person, data, patience=600):
    """Imports a file, and waits until it is stored."""
    for part in parts(data):
        said = person.data("imports/file", part, patience)
    end = time.monotonic() + patience
    while said.get("state") != "done" and time.monotonic() < end:
        said = person.data("imports/result", {}, patience)
    if [one["outcome"] for one in said["workouts"]] != ["imported"]:
        raise RuntimeError(f"a file was not imported: {said}")


def fill(person):
    """Sends all of a file but its end."""
    for part in parts(os.urandom(WHOLE - LEFT), WHOLE):
        said, _, _ = person.ask("imports/file", part)
        if said != "ok":
            return
