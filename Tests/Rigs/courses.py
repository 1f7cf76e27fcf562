"""What people measure in workouts, as a rig makes it up, and what it comes to, worked out a second time: from the samples
alone, and without the programs."""

import bisect
import dataclasses
import datetime
import math
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "Values/WorkoutsTests"))
import workout  # the second opinion on ways and heart rates, which knows nothing of the programs

#: The Earth's mean radius, in metres.
EARTH = 6_371_008.8


@dataclasses.dataclass
class Course:
    """Heart rates and places by their times, in Unix milliseconds."""

    hearts: dict[int, int] = dataclasses.field(default_factory=dict)
    #: Latitude, longitude, altitude.
    places: dict[int, tuple[float, float, float]] = dataclasses.field(default_factory=dict)


def made_up(dice, start, seconds, is_straight=False, period=1000):
    """A course from a time on, with a sample of each sort every period. On a straight one, places that are missing for a while
    shorten nothing."""
    course, heading = Course(), dice.uniform(0, 2 * math.pi)
    latitude, longitude, altitude = dice.uniform(-60, 60), dice.uniform(-179, 179), dice.uniform(0, 900)
    bpm = dice.randint(90, 130)
    for time in range(start, start + seconds * 1000, period):
        bpm = min(180, max(60, bpm + dice.randint(-2, 2)))
        course.hearts[time] = bpm
        course.places[time] = (round(latitude, 6), round(longitude, 6), round(altitude, 1))
        heading += 0 if is_straight else dice.gauss(0, 0.3)
        way = dice.uniform(2, 4) * period / 1000
        latitude += math.degrees(way * math.cos(heading) / EARTH)
        longitude += math.degrees(way * math.sin(heading) / EARTH / math.cos(math.radians(latitude)))
        altitude += dice.uniform(-0.2, 0.2)
    return course


def metres(one, other):
    """The way along a great circle."""
    (north, east), (north2, east2) = (map(math.radians, place[:2]) for place in (one, other))
    half = math.sin((north2 - north) / 2) ** 2
    half += math.cos(north) * math.cos(north2) * math.sin((east2 - east) / 2) ** 2
    return 2 * EARTH * math.asin(math.sqrt(half))


def intervals(events):
    """The times in which a workout was active, by what was done and when."""
    found = []
    for kind, time in events:
        if kind in ("start", "resume"):
            found.append([time, None])
        elif found and found[-1][1] is None:
            found[-1][1] = time
    return found


def is_active(time, spans):
    return any(first <= time and (last is None or time <= last) for first, last in spans)


def way(course, spans):
    """How far it was by each place that counts: (time, metres so far). Nothing is added from one span to the next."""
    rows = []
    for number, (first, last) in enumerate(spans):
        times = sorted(x for x in course.places if first <= x and (last is None or x <= last))
        rows += [(time / 1000, course.places[time][:2], course.places[time][2], number) for time in times]
    found, so_far = [], 0.0
    for row in workout.followed(rows, workout.FASTEST["running"], workout.STANDING["running"]):
        so_far += row["added"]
        found.append((round(row["second"] * 1000), so_far))
    return found


def hearts_of(course, spans):
    """Mean over the time for which heart rates hold, and extremes; None without any."""
    def is_in(time):
        return any(first <= time < (last or math.inf) for first, last in spans)

    own = [bpm for time, bpm in course.hearts.items() if is_in(time)]
    slots = workout.held(sorted((time // 1000, bpm) for time, bpm in course.hearts.items()))
    held = [bpm for second, bpm in slots.items() if is_in(second * 1000)] or own
    return {"mean": sum(held) / len(held), "min": min(own), "max": max(own)} if own else None


def figures(course, spans):
    """What a workout with these times of activity comes to."""
    line = way(course, spans)
    return {
        "duration_s": sum(last - first for first, last in spans) / 1000,
        "distance_m": line[-1][1] if line else None,
        "heart_rate": hearts_of(course, spans),
    }


def differences(found, expected, tolerance):
    """In what a line of a list differs from what was worked out, in words. Mean heart rates are rounded to a tenth, ways to a
    decimetre."""
    words = []
    if found.get("duration_s") != expected["duration_s"]:
        words.append(f"duration {found.get('duration_s')}, not {expected['duration_s']} s")
    hearts, due = found.get("heart_rate"), expected["heart_rate"]
    if (hearts is None) != (due is None) or hearts and (
            (hearts["min"], hearts["max"]) != (due["min"], due["max"]) or abs(hearts["mean"] - due["mean"]) > 0.051):
        words.append(f"heart rates {hearts}, not {due}")
    distance, due = found.get("distance_m"), expected["distance_m"]
    if (distance is None) != (due is None) or due is not None and abs(distance - due) > tolerance * due + 0.06:
        words.append(f"distance {distance}, not {due} m")
    return words


# Files

def parts(course, spans):
    """The times at which there is anything, for each span."""
    times = sorted(course.hearts.keys() | course.places.keys())
    return [times[bisect.bisect_left(times, first) : bisect.bisect_right(times, last)] for first, last in spans]


def date(time):
    moment = datetime.datetime.fromtimestamp(time / 1000, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time % 1000:03}Z"


def tcx(course, spans):
    """A TCX file with a track for each span: between two tracks of a lap there is a pause."""
    tracks = ""
    for times in parts(course, spans):
        tracks += "<Track>\n"
        for time in times:
            tracks += f"<Trackpoint><Time>{date(time)}</Time>"
            if place := course.places.get(time):
                tracks += f"<Position><LatitudeDegrees>{place[0]:.6f}</LatitudeDegrees>"
                tracks += f"<LongitudeDegrees>{place[1]:.6f}</LongitudeDegrees></Position>"
                tracks += f"<AltitudeMeters>{place[2]}</AltitudeMeters>"
            if time in course.hearts:
                tracks += f"<HeartRateBpm><Value>{course.hearts[time]}</Value></HeartRateBpm>"
            tracks += "</Trackpoint>\n"
        tracks += "</Track>\n"
    start, seconds = date(spans[0][0]), sum(last - first for first, last in spans) / 1000
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Activities><Activity Sport="Running"><Id>{start}</Id>
<Lap StartTime="{start}"><TotalTimeSeconds>{seconds}</TotalTimeSeconds><DistanceMeters>0</DistanceMeters><Calories>0</Calories>
<Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod>
{tracks}</Lap><Creator xsi:type="Device_t"><Name>Rig watch</Name><UnitId>7</UnitId><ProductID>1</ProductID></Creator>
</Activity></Activities></TrainingCenterDatabase>
"""


def gpx(course, spans):
    """A GPX file with a segment for each span. What has no place is no point of it."""
    segments = ""
    for times in parts(course, spans):
        segments += "<trkseg>\n"
        for time in times:
            if time not in course.places:
                continue
            latitude, longitude, altitude = course.places[time]
            segments += f'<trkpt lat="{latitude:.6f}" lon="{longitude:.6f}"><ele>{altitude}</ele><time>{date(time)}</time>'
            if time in course.hearts:
                segments += f"<extensions><e:TrackPointExtension><e:hr>{course.hearts[time]}</e:hr></e:TrackPointExtension></extensions>"
            segments += "</trkpt>\n"
        segments += "</trkseg>\n"
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Rig" xmlns="http://www.topografix.com/GPX/1/1"
 xmlns:e="http://www.garmin.com/xmlschemas/TrackPointExtension/v1"><trk><name>A run</name><type>running</type>
{segments}</trk></gpx>
"""
