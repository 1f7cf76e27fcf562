"""A made-up month of four people, all from a seed, and what of it comes when. The rig of figures (figures.py) plays it.

    Ada    a strap at 1 Hz, some nights too, with RR intervals, a foot pod, a step counter, a watch; at times an older sensor at her arm that
           sends rubbish; she changes her weight
    Ben    a band with a value each five minutes, at times together with a watch, a phone that tells of steps, a second watch
    Dan    a sensor with a value each minute, at times a second one with three, and a step counter that is read each ten minutes; he
           does not say his sex
    Cleo   a strap, at times a wrist sensor as fast as the strap, a step counter and a watch, and no profile

Each week has the same days, with other numbers. A part is what comes at once, on the evening of a day, in time or days late."""

import dataclasses
import datetime
import math
import zoneinfo

import courses
from figures_own import Life, Profile, Workout

ZONE = zoneinfo.ZoneInfo("Europe/Berlin")
#: Who has an account, and who they are.
PROFILES = {
    "ada": Profile(datetime.date(1988, 12, 10), "female", 170, 65),
    "ben": Profile(datetime.date(1970, 5, 5), "male", 182, 84),
    "dan": Profile(datetime.date(1999, 1, 20), None, 165.5, 95.5),
}
PEOPLE = [*PROFILES, "cleo"]
#: Ada's weight from her first Friday on.
LATER_WEIGHT = 62.5
SECOND, MINUTE, HOUR = 1000, 60_000, 3_600_000
#: The hour at which the day's parts come. What is measured after it comes a day later.
EVENING = 22
#: The sensor whose heart rates come with RR intervals.
STRAP = "strap-ada"
#: Heart rates that count for nothing.
NONSENSE = [1, 24, 241, 255]


@dataclasses.dataclass
class Part:
    """What comes at once of somebody."""

    user: str
    #: On the evening of which day of the month, from 0 on.
    due: int
    #: "hearts", "counts", "pod": readings of a sensor; "records": of all day, by one source; "phone": spans of a phone;
    #: "file": a watch's; "workout": one that was done with their own sensors.
    kind: str
    #: The sensor or the source.
    source: str = ""
    #: Values by their times, (bpm, contact) or counts or metres; and spans (from, to, steps).
    values: dict = dataclasses.field(default_factory=dict)
    spans: list = dataclasses.field(default_factory=list)
    name: str = ""
    text: str = ""
    workout: Workout | None = None
    #: Whether a file's workout is to be kept although it is there already.
    keeps_both: bool = False

    def enter(self, life):
        """What is known of the person when it has come."""
        if self.kind in ("hearts", "records"):
            life.hearts[self.source].update({time: bpm for time, (bpm, is_worn) in self.values.items() if is_worn})
            if self.kind == "records":
                life.records.add(self.source)
            if self.source == STRAP:
                life.straps.add(self.source)
        elif self.kind == "counts":
            life.counts[self.source].update(self.values)
        elif self.kind == "file" and self.values:
            life.hearts[self.workout.hearts].update(self.values)
            life.records.add(self.workout.hearts)
        if self.spans:
            life.spans[self.source].update(self.spans)
        if self.workout:
            life.workouts.append(self.workout)


class Month:
    """The parts of some days from a day on."""

    def __init__(self, first, days, dice):
        self.first, self.days, self.dice, self.parts, self.totals = first, days, dice, [], {}
        for day in range(days):
            weekday = (first + datetime.timedelta(days=day)).weekday()
            for person in (self.ada, self.ben, self.dan, self.cleo):
                person(day, weekday)

    def lives(self):
        """Of everybody, before anything has come."""
        return {user: Life(ZONE, [(self.first, PROFILES[user])] if user in PROFILES else []) for user in PEOPLE}

    @property
    def weight_day(self):
        """The first Friday."""
        return next(day for day in range(7) if (self.first + datetime.timedelta(days=day)).weekday() == 4)

    def at(self, day, hour, minute=0, second=0):
        """A time of a day, where they live."""
        date = self.first + datetime.timedelta(days=day)
        moment = datetime.datetime.combine(date, datetime.time(hour % 24, minute, second), ZONE) + datetime.timedelta(days=hour // 24)
        return int(moment.timestamp() * 1000)

    def add(self, user, day, kind, source="", late=0, **more):
        """A part that comes on the evening of a day, or some days later; what is measured later on that day comes with the next."""
        times = [*more.get("values", {}), *(span[1] for span in more.get("spans", []))]
        if kind in ("file", "workout"):
            times.append(more["workout"].ended)
        due = day
        while max(times, default=0) >= self.at(due, EVENING):
            due += 1
        self.parts.append(Part(user, due + late, kind, source, **more))

    # What is measured

    def beats(self, start, seconds, low, high, period=SECOND, steady=None):
        """Heart rates that change slowly; or, if steady, always the same."""
        bpm, found = self.dice.randint(low, high), {}
        for time in range(start, start + seconds * SECOND, period):
            bpm = steady or min(high, max(low, bpm + self.dice.randint(-2, 2)))
            found[time + (self.dice.randrange(90) if period == SECOND else 0)] = bpm
        return found

    def worn(self, hearts, is_noisy=False):
        """The same as (bpm, contact): with breaks, values that do not count, and some without contact, if it is noisy."""
        found = {time: (bpm, True) for time, bpm in hearts.items()}
        if is_noisy:
            times = sorted(found)
            for length in (12, 90, 240):
                begin = self.dice.randrange(len(times) - length - 1)
                for time in times[begin : begin + length]:
                    found.pop(time, None)
            left = sorted(found)
            for time in self.dice.sample(left, 12):
                found[time] = (self.dice.choice(NONSENSE), True)
            for time in self.dice.sample(left, 8):
                found[time] = (200, False)
        return found

    def strap(self, user, start, seconds, low, high, is_noisy=True, late=0, day=None, steady=None):
        hearts = self.worn(self.beats(start, seconds, low, high, steady=steady), is_noisy)
        self.add(user, day if day is not None else self.number(start), "hearts", f"strap-{user}", late, values=hearts)

    def beside(self, user, start, seconds, low, high, period=SECOND, place="wrist"):
        """A second sensor, which is worn together with another one."""
        self.add(user, self.number(start), "hearts", f"{place}-{user}", values=self.worn(self.beats(start, seconds, low, high, period)))

    def number(self, time):
        """Of the day on which a time is."""
        return (datetime.datetime.fromtimestamp(time / 1000, ZONE).date() - self.first).days

    def counter(self, user, day, moments, most, late=0, begins_again=False, jumps=False, steps=None):
        """A day's counts at some times. `steps` has those between two, by the later one, where they are not drawn."""
        total, found = self.totals.get(user, self.dice.randrange(50_000)), {}
        for index, time in enumerate(moments):
            total += (steps or {}).get(time, self.dice.randint(0, most))
            if begins_again and index == len(moments) // 2:
                total = self.dice.randint(0, most)
            found[time] = total
        if jumps:
            found[moments[len(moments) // 3] + 90 * SECOND] = 4_294_967_295
        self.totals[user] = total
        evening = self.at(day, EVENING)
        self.add(user, day, "counts", f"steps-{user}", late, values={time: x for time, x in found.items() if time < evening})
        self.add(user, day, "counts", f"steps-{user}", values={time: x for time, x in found.items() if time >= evening})

    def hours(self, day):
        """When a counter is read that is read each hour, and once more before midnight."""
        return [self.at(day, hour) for hour in range(6, 24)] + [self.at(day, 23, 59, 30)]

    # Workouts

    def file(self, user, day, start, minutes, activity, device, *, period=5, hearts=None, pause=None, metres=None, gross=None,
             own_name=None, kind="foot", keeps_both=False, is_double=False, measured_by=None, late=0):
        """A TCX file of a watch. `hearts` are the lowest and the highest rate in it; a pause (after so many minutes, so long) is
        a time without points."""
        end = start + minutes * MINUTE
        pieces = [(start, end)]
        if pause:
            begin = start + pause[0] * MINUTE
            pieces = [(start, begin), (begin + pause[1] * SECOND, end)]
        beats = {}
        for first, last in pieces:
            if hearts:
                part = self.beats(first, (last - first) // SECOND + period, *hearts, period=period * SECOND,
                                  steady=hearts[0] if hearts[0] == hearts[1] else None)
                beats.update({time // SECOND * SECOND: bpm for time, bpm in part.items() if time // SECOND * SECOND <= last})
        source = f"watch-{device}-{start}" if beats else measured_by
        workout = Workout(own_name or activity.lower(), kind, pieces, metres, gross, hearts=source, is_double=is_double)
        text = tcx(pieces, activity, own_name, device, period, beats, metres, gross)
        self.add(user, day, "file", device, late, name="workout.tcx", text=text, workout=workout, values=beats, keeps_both=keeps_both)

    def track(self, user, day, start, minutes, speed):
        """A GPX file without heart rates: evenly in one direction, and on the level, so that the grade is known."""
        north, places = self.dice.uniform(40, 55), {}
        for time in range(start, start + minutes * MINUTE + 1, 5 * SECOND):
            way = speed * (time - start) / 1000
            places[time] = (round(north + math.degrees(way / courses.EARTH), 6), 9.5, 0)
        points = "".join(
            f'<trkpt lat="{place[0]:.6f}" lon="{place[1]:.6f}"><ele>120</ele><time>{courses.date(time)}</time></trkpt>\n'
            for time, place in places.items())
        text = ('<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Rig phone" xmlns="http://www.topografix.com/GPX/1/1">'
                f"<trk><name>A run</name><type>running</type><trkseg>\n{points}</trkseg></trk></gpx>\n")
        workout = Workout("running", "foot", [(start, max(places))], places=places, hearts="unsure")
        self.add(user, day, "file", "Rig phone", name="workout.gpx", text=text, workout=workout)

    def by_pod(self, user, day, start, minutes, pause, hearts):
        """A workout with their own foot pod and strap, which were switched on before it."""
        begin, end = start + pause[0] * MINUTE, start + minutes * MINUTE
        pieces = [(start, begin), (begin + pause[1] * SECOND, end)]
        total, pod = self.dice.uniform(10, 5000), {}
        for time in range(start - 2 * MINUTE, end + MINUTE, SECOND):
            total += 0 if begin < time <= begin + pause[1] * SECOND else 2.8
            pod[time] = round(total, 1)
        self.add(user, day, "pod", f"pod-{user}", values=pod)
        self.strap(user, start - 3 * MINUTE - 2 * SECOND, minutes * 60 + 400, *hearts, is_noisy=False, day=day)
        self.add(user, day, "workout", workout=Workout("running", "foot", pieces, pod=pod, hearts=f"strap-{user}"))

    # People

    def ada(self, day, weekday):
        dice, week = self.dice, day // 7
        minutes, steps, late = self.hours(day), None, 0
        if weekday == 0:
            self.strap("ada", self.at(day, 7, 10, 3), 1500, 60, 110, late=dice.randint(0, 3))
        elif weekday == 1:
            self.file("ada", day, self.at(day, 18, 4, 7), 47, "Running", "Rig watch", period=1, hearts=(110, 165),
                      pause=(20, 143), metres=8970.3, gross=640)
            late = 2
        elif weekday == 2:
            self.file("ada", day, self.at(day, 10, 15), 78, "Biking", "Rig watch", metres=41_384.7, gross=1120, own_name="cycling",
                      kind="bicycle")
            self.strap("ada", self.at(day, 23, 48, 1), 1200, 55, 80, late=1)
        elif weekday == 3:
            self.by_pod("ada", day, self.at(day, 17, 30, 2), 31, (12, 95), (125, 158))
            # Read each minute in the workout, as its service does.
            run = range(self.at(day, 17, 30), self.at(day, 18, 2), MINUTE)
            minutes, steps = sorted({*minutes, *run}), {time: 165 for time in run}
            if week % 2 == 0:
                # A night.
                self.strap("ada", self.at(day, 22, 30, 1), 8 * 3600, 48, 66, is_noisy=False)
        elif weekday == 5:
            self.file("ada", day, self.at(day, 9, 30), 40, "Running", "Rig watch", hearts=(140, 140), metres=7321, gross=0)
        elif weekday == 6:
            self.file("ada", day, self.at(day, 8, 30, 1), 30, "Running", "Rig watch", period=1, hearts=(150, 150), metres=5500, gross=9000)
            self.file("ada", day, self.at(day, 15, 0, 30), 40, "Other", "Rig watch", metres=1500, gross=310, own_name="swimming",
                      kind="swimming")
        self.counter("ada", day, minutes, 1400, late, begins_again=weekday == 5, jumps=weekday == 4, steps=steps)
        if weekday in (4, 6):
            self.strap("ada", self.at(day, 20, 0, 4), 1200, 60, 100)
            self.beside("ada", self.at(day, 19, 55, 1), 1800, 180, 240, place="arm")

    def ben(self, day, weekday):
        dice, off = self.dice, []
        # In one of the workouts of which the watch measures the heart rate, the band is off.
        if weekday == 1:
            self.file("ben", day, self.at(day, 17, 0, 3), 65, "Biking", "Rig watch", hearts=(95, 150), metres=25_300, gross=699,
                      own_name="cycling", kind="bicycle")
        elif weekday == 2:
            self.file("ben", day, self.at(day, 9, 2), 45, "Other", "Rig watch", gross=180, own_name="generic", kind="other",
                      measured_by="Rig band")
        elif weekday == 3:
            self.track("ben", day, self.at(day, 18, 30, 20), 30, 3.1)
        elif weekday == 4:
            start = self.at(day, 7, 12, 5)
            self.file("ben", day, start, 40, "Running", "Rig watch", hearts=(100, 150), metres=7000.5, gross=500, pause=(15, 60))
            self.file("ben", day, start + 30 * SECOND, 38, "Running", "Rig bicycle computer", metres=7100, gross=520, keeps_both=True,
                      is_double=True, measured_by="unsure")
            off.append((self.at(day, 7, 0), self.at(day, 8, 0)))
        begin = dice.randint(9, 15)
        off.append((self.at(day, begin), self.at(day, begin, dice.randint(10, 59))))
        hearts = {}
        for five in range((self.at(day + 1, 0) - self.at(day, 0)) // (5 * MINUTE)):
            time = self.at(day, 0) + five * 5 * MINUTE
            hour = datetime.datetime.fromtimestamp(time / 1000, ZONE).hour
            low, high = (50, 64) if hour < 7 else (62, 105)
            if not any(first <= time < last for first, last in off) and dice.random() > 0.04:
                hearts[time] = dice.choice(NONSENSE) if dice.random() < 0.01 else dice.randint(low, high)
        # Nothing holds beyond the last day.
        hearts = {time: (bpm, True) for time, bpm in hearts.items() if day < self.days - 1 or time < self.at(day, 23, 30)}
        quarters = [self.at(day, 7) + number * 15 * MINUTE for number in range(1, 64)]
        spans = [(time - 15 * MINUTE, time, dice.randint(1, 260)) for time in quarters]
        for is_evening in (False, True):
            self.add("ben", day, "records", "Rig band", 0 if is_evening or weekday != 0 else 2,
                     values={time: x for time, x in hearts.items() if (time >= self.at(day, EVENING)) == is_evening},
                     spans=[span for span in spans if (span[1] >= self.at(day, EVENING)) == is_evening])
        # The phone is asked for an hour at a time, and on one day for the whole of it, too.
        if weekday != 0:
            most = 1500 if weekday % 2 else 200
            spans = [(self.at(day, hour), self.at(day, hour + 1), dice.randint(0, most)) for hour in range(8, 21) if dice.random() > 0.2]
            if weekday == 3:
                # With an end of its own: two messages with the same end are the same.
                spans.append((self.at(day, 8), self.at(day, 21, 30), 9000))
            self.add("ben", day, "phone", "phone", 2 if weekday == 1 else 0, spans=spans)

    def dan(self, day, weekday):
        dice = self.dice
        self.add("dan", day, "hearts", "strap-dan", 3 if weekday == 2 else 0, values=self.worn(
            self.beats(self.at(day, 9), dice.randint(5, 7) * 3600, 55, 120, period=MINUTE)))
        if weekday in (1, 2, 6):
            self.beside("dan", self.at(day, 10, 0, 7), 2 * 3600, 70, 140, period=20 * SECOND)
        tens = range(self.at(day, 6), self.at(day, 23, 51), 10 * MINUTE)
        steps = {time: dice.choice([0] * 6 + [dice.randint(20, 600), dice.randint(20, 900), dice.randint(1400, 1750)]) for time in tens}
        if weekday in (1, 4):
            start = self.at(day, 19, 3)
            self.file("dan", day, start, 40, "Running", "Rig watch", hearts=(110, 160), metres=6600, gross=510)
            # Of the day, this counts; of the workout, what its file says.
            self.beside("dan", start - 5 * MINUTE, 3600, 90, 130, period=20 * SECOND)
            self.file("dan", day, start + 30 * MINUTE, 36, "Running", "Rig watch", metres=2900, gross=190, own_name="walking",
                      measured_by="unsure")
        elif weekday == 3:
            self.file("dan", day, self.at(day, 16, 40), 50, "Biking", "Rig watch", metres=17_000, gross=240, own_name="e-biking",
                      kind=None)
        elif weekday == 5:
            self.file("dan", day, self.at(day, 23, 20), 75, "Other", "Rig watch", metres=6000, gross=350, own_name="hiking")
            # Until after midnight.
            tens = range(self.at(day, 6), self.at(day, 23, 59), 10 * MINUTE)
            steps |= {time: 1000 for time in range(self.at(day, 23, 20), self.at(day, 23, 59), 10 * MINUTE)}
        if weekday == 6:
            early = range(self.at(day, 0, 10), self.at(day, 1), 10 * MINUTE)
            tens, steps = [*early, *tens], steps | {time: 1000 for time in early}
        self.counter("dan", day, list(tens), 0, steps=steps, begins_again=weekday == 0)

    def cleo(self, day, weekday):
        self.counter("cleo", day, self.hours(day), 900, 4 if weekday == 1 else 0)
        if weekday in (0, 3):
            self.strap("cleo", self.at(day, 10, 0, 2), 1200, 60, 130)
            self.beside("cleo", self.at(day, 9, 50, 2), 1500, 60, 200)
        if weekday == 2:
            self.file("cleo", day, self.at(day, 12, 0), 30, "Running", "Rig watch", hearts=(120, 150), metres=5000, gross=300)
        elif weekday == 5:
            self.by_pod("cleo", day, self.at(day, 11, 10), 20, (8, 40), (120, 150))


def tcx(pieces, activity, own_name, device, period, beats, metres, gross):
    """A file with a track for each piece. The lap says metres and kilocalories, 0 for what is not known."""
    tracks = ""
    for first, last in pieces:
        times = sorted({*range(first, last + 1, period * SECOND), *(time for time in beats if first <= time <= last), last})
        tracks += "<Track>\n" + "".join(
            f"<Trackpoint><Time>{courses.date(time)}</Time>"
            + (f"<HeartRateBpm><Value>{beats[time]}</Value></HeartRateBpm>" if time in beats else "") + "</Trackpoint>\n"
            for time in times) + "</Track>\n"
    seconds, start = sum(last - first for first, last in pieces) / 1000, courses.date(pieces[0][0])
    own = f"<Extensions><VitalsSport>{own_name}</VitalsSport></Extensions>" if own_name else ""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Activities><Activity Sport="{activity}"><Id>{start}</Id>
<Lap StartTime="{start}"><TotalTimeSeconds>{seconds}</TotalTimeSeconds><DistanceMeters>{metres or 0}</DistanceMeters>
<Calories>{gross or 0}</Calories><Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod>
{tracks}</Lap><Creator xsi:type="Device_t"><Name>{device}</Name><UnitId>7</UnitId><ProductID>1</ProductID></Creator>{own}
</Activity></Activities></TrainingCenterDatabase>
"""
