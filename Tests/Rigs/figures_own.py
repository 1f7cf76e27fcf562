"""What a person's days, periods and workouts come to, worked out a second time: from what was measured alone, and without the programs.
The rig of figures (figures.py) says what is compared with it.

Times are Unix milliseconds. The heart rate's slots of five seconds, the heart rate at rest, and what counts of a workout are computed as
the definitions say them, not as the programs do it: each sample is looked at, and each slot is a value in a dictionary."""

import bisect
import collections
import dataclasses
import datetime
import math
import zoneinfo

import courses

#: Heart rates that count, in beats a minute.
COUNTED = range(25, 241)
#: A slot, in milliseconds; and in slots: the shortest limit, how many intervals a limit is, the longest hold, how far away a neighbour may
#: be, and what a value without a neighbour stands for.
SLOT = 5000
LEAST_LIMIT, INTERVALS, LONGEST, NEIGHBOUR, ALONE = 3, 3, 120, 180, 12
#: Of the heart rate at rest: a half-hour, how many slots of it are recorded at least, how many half-hours there are, and how many count.
HALF_HOUR, RECORDED, HALF_HOURS, QUIETEST = 1_800_000, 180, 8, 6
#: Where zones begin, as shares of the highest heart rate for the person's age.
ZONES = (0.5, 0.6, 0.7, 0.8, 0.9)
#: The longest pause between two counts of a counter, and the longest over which it is known that steps were run.
LONGEST_PAUSE, STRIDE, RUNNING = 36 * 3_600_000, 600_000, 140
#: An hour, and how long a difference may be whose hours are known: sensors that are read each hour are not read at the second.
HOUR, LONGEST_OF_HOURS = 3_600_000, 3_660_000
#: Nobody makes more steps in a second, and no more at once.
PER_SECOND, AT_ONCE = 5, 20_000
#: The most energy that a device is believed, in kilocalories for each kilogram and hour.
BELIEVED = 25
#: The number of the formulas.
FORMULAS = 2


@dataclasses.dataclass(frozen=True)
class Profile:
    """What a person has said of themselves."""

    born: datetime.date
    #: "female", "male", or None for people who do not say.
    sex: str | None
    height: float
    weight: float

    def age(self, day):
        return day.year - self.born.year - ((day.month, day.day) < (self.born.month, self.born.day))

    def most_beats(self, day):
        return 208 - 0.7 * self.age(day)

    @property
    def step_length(self):
        return self.height / 100 * {"male": 0.415, "female": 0.413, None: 0.414}[self.sex]

    def rest(self, day):
        """What the body needs at rest, in kilocalories a minute."""
        if self.sex is None:
            return self.weight / 60
        return (10 * self.weight + 6.25 * self.height - 5 * self.age(day) + (5 if self.sex == "male" else -161)) / 1440

    def energy_of_beats(self, mean, day):
        """Kilocalories a minute; None where the formula does not hold."""
        most = self.most_beats(day)
        if self.sex is None or not 18 <= self.age(day) <= 45 or mean < 0.57 * most:
            return None
        mean = min(mean, 0.9 * most)
        if self.sex == "male":
            return (-55.0969 + 0.6309 * mean + 0.1988 * self.weight + 0.2017 * self.age(day)) / 4.184
        return (-20.4022 + 0.4472 * mean - 0.1263 * self.weight + 0.074 * self.age(day)) / 4.184


@dataclasses.dataclass
class Workout:
    """A workout, and what measured it."""

    #: Its activity, and which of a day's distances it is part of: "foot", "bicycle", "swimming", "other", or None.
    activity: str
    kind: str | None
    #: When it was active: (from, to), in order.
    pieces: list
    #: What a device says of the whole.
    metres: float | None = None
    gross: float | None = None
    #: Places by their times, and a foot pod's total by its times: what the distance follows from where no device says it.
    places: dict | None = None
    pod: dict | None = None
    #: Which source has measured the heart rate in it, if others do not take part; None if nothing has, and "unsure" if the definitions do not say which.
    hearts: str | None = None
    #: Whether it is the same as one that counts.
    is_double: bool = False

    @property
    def started(self):
        return self.pieces[0][0]

    @property
    def ended(self):
        return self.pieces[-1][1]

    @property
    def active(self):
        """In milliseconds."""
        return sum(last - first for first, last in self.pieces)

    @property
    def is_of_steps(self):
        """Whether the steps in its time are steps of its way."""
        return self.kind in ("foot", "other")

    def way(self):
        """Metres; None if nothing has measured them."""
        if self.metres:
            return self.metres
        if self.places:
            return sum(courses.way(courses.Course(places=self.places), [piece])[-1][1] for piece in self.pieces)
        if self.pod:
            return sum(self.pod[max(x for x in self.pod if x <= last)] - self.pod[min(x for x in self.pod if x >= first)]
                       for first, last in self.pieces)
        return None


@dataclasses.dataclass
class Life:
    """What is known of a person."""

    zone: zoneinfo.ZoneInfo
    #: From which day on which profile counts, in order; none for somebody without a profile.
    profiles: list = dataclasses.field(default_factory=list)
    #: Heart rates by their times; counts by their times; spans (from, to, steps): of each source.
    hearts: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(dict))
    counts: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(dict))
    spans: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(set))
    workouts: list = dataclasses.field(default_factory=list)
    #: The times of each source's heart rates, in order.
    ordered: dict = dataclasses.field(default_factory=dict)
    #: Which sources are chest straps, and which are records of files and bands.
    straps: set = dataclasses.field(default_factory=set)
    records: set = dataclasses.field(default_factory=set)

    def near(self, source, begin, end):
        """A source's heart rates of a time, and those around it that say how long its own hold."""
        hearts = self.hearts[source]
        if len(times := self.ordered.get(source, [])) != len(hearts):
            times = self.ordered[source] = sorted(hearts)
        reach = 4 * NEIGHBOUR * SLOT
        return {time: hearts[time] for time in times[bisect.bisect_left(times, begin - reach) : bisect.bisect_left(times, end + reach)]}

    def held(self, sources, begin, end):
        """What holds from one time to another, of the best source at each; of those of one kind with one interval, the first by name."""
        kinds = [0 if source in self.straps else 2 if source in self.records else 1 for source in sorted(sources)]
        return held([(kind, self.near(source, begin, end)) for kind, source in zip(kinds, sorted(sources))], begin, end)

    def profile(self, day):
        """The one of a day; before there was one, the first one."""
        return next((own for since, own in reversed(self.profiles) if since <= day), self.profiles[0][1] if self.profiles else None)

    def times(self, day):
        """When a day begins and ends."""
        begin, end = (datetime.datetime.combine(day + datetime.timedelta(days=days), datetime.time(), self.zone) for days in (0, 1))
        return int(begin.timestamp() * 1000), int(end.timestamp() * 1000)

    def day_of(self, time):
        return datetime.datetime.fromtimestamp(time / 1000, self.zone).date()

    def began(self, day):
        return [workout for workout in self.workouts if self.day_of(workout.started) == day]

    # Heart rate

    def heart_rates(self, day):
        """Of a day; None if no value of it counts."""
        begin, end = self.times(day)
        found = self.held(self.hearts, begin, end)
        if not found:
            return None
        profile = self.profile(day)
        result = {**summary(found), "zones_s": zones(found, profile and profile.most_beats(day))}
        result["resting"], result["resting_of"] = self.rest(day, found.slots)
        if profile:
            most = profile.most_beats(day)
            result["zones"] = {"by": "age", "bounds": [math.ceil(share * most) for share in ZONES], "max_heart_rate": round(most, 1)}
        return result

    def rest(self, day, slots):
        begin, end = self.times(day)
        halves = collections.defaultdict(list)
        for slot, value in slots.items():
            halves[(slot * SLOT - begin) // HALF_HOUR].append(value)
        means, nights = [], 0
        for number, values in halves.items():
            first = begin + number * HALF_HOUR
            if len(values) < RECORDED or any(x.started < first + HALF_HOUR and first < x.ended for x in self.workouts):
                continue
            means.append(sum(values) / len(values))
            clock = datetime.datetime.fromtimestamp(first / 1000, self.zone)
            minute = clock.hour * 60 + clock.minute
            nights += minute >= 22 * 60 or minute + 30 <= 8 * 60
        if len(means) < HALF_HOURS:
            return None, None
        return sum(sorted(means)[:QUIETEST]) / QUIETEST, "night" if nights >= HALF_HOURS else "day"

    # Steps

    def steps(self, day):
        """Of the source that has most, and of others in each hour where it has none: the pieces (from, to, steps, whether they were
        run), and how many counts were left out. None if nothing has counted."""
        begin, end = self.times(day)
        sources = [made for counts in self.counts.values() if (made := of_counter(counts, begin, end)) is not None]
        sources += [made for spans in self.spans.values() if (made := of_spans(spans, begin, end)) is not None]
        if not sources:
            return None
        main = min(sources, key=lambda made: (-made.total, made.heard, -made.run))
        found = Made(main.total, main.run, list(main.pieces), main.left_out, main.heard)
        more = collections.Counter()
        for first in range(begin, end, HOUR):
            if main.has_part_of(first):
                continue
            parts = max((other.within(first) for other in sources), key=lambda parts: math.fsum(steps for _, _, steps, *_ in parts))
            found.pieces += parts
            for _, _, steps, is_run, *_ in parts:
                more[is_run] += steps
        run = math.floor(found.run + more[True] + 0.5)
        found.run, found.total = run, math.floor(found.total + more[True] + more[False] + 0.5)
        return found

    # A day

    def figures(self, day, measured=None):
        """What a day comes to, without rounding; and its distances by their kinds. Where `measured` has distance and energy of a
        workout, by its start, they are taken from there."""
        made, profile, workouts = self.steps(day), self.profile(day), self.began(day)
        amounts = {workout.started: (measured or {}).get(workout.started) or (workout.way(), self.energy(workout)) for workout in self.workouts}
        ways, energies = ([(workout, amounts[workout.started][index]) for workout in self.workouts] for index in (0, 1))
        by_kind, energy = collections.Counter(), None
        if made and profile:
            by_kind["foot"] += outside(made.pieces, taken(ways)) * profile.step_length
            energy = sum(outside([piece], taken(energies)) * profile.step_length / 1000 * profile.weight * (1 if piece[3] else 0.5)
                         for piece in made.pieces)
        is_way_known = bool(made and profile)
        shares = self.shares(workouts)
        for workout, way in ways:
            if workout.started in shares and way is not None and workout.kind:
                by_kind[workout.kind] += shares[workout.started] * way
                is_way_known = True
        for workout, own in energies:
            if workout.started in shares and own is not None:
                energy = (energy or 0) + shares[workout.started] * own
        result = {"steps": made and made.total, "step_counts_left_out": made and made.left_out or None,
                  "distance_m": sum(by_kind.values()) if is_way_known else None, "energy_kcal": energy,
                  "heart_rate": self.heart_rates(day)}
        result["distances_m"] = distances(by_kind)
        if is_way_known or energy is not None:
            result["formulas"] = FORMULAS
        return known(result), by_kind

    @staticmethod
    def shares(workouts):
        """Of the workouts that count: which share of each one's time is its own. The longer one goes before."""
        found, seen = {}, []
        for workout in sorted(workouts, key=lambda x: (x.started - x.ended, x.started)):
            if not workout.is_double:
                span = (workout.started, workout.ended)
                found[workout.started] = free(span, seen) / (span[1] - span[0])
                seen.append(span)
        return found

    # A workout

    def energy(self, workout):
        """Kilocalories beyond rest; None if they are not known."""
        day = self.day_of(workout.started)
        if (profile := self.profile(day)) is None:
            return None
        minutes = workout.active / 60_000
        gross = workout.gross
        if not gross or gross > BELIEVED * profile.weight * minutes / 60:
            gross = self.own_energy(workout, profile, day, minutes)
        return None if gross is None else max(0, gross - profile.rest(day) * minutes)

    def own_energy(self, workout, profile, day, minutes):
        """By heart rate, which is in the formula's range for all of it, or for none; else by speed, which is even."""
        hearts = self.workout_hearts(workout)
        if hearts and (energy := profile.energy_of_beats(sum(hearts.slots.values()) / len(hearts.slots), day)):
            return energy * minutes
        if workout.activity in ("running", "walking") and workout.way():
            by_way = {"running": 0.2, "walking": 0.1}[workout.activity]
            return (3.5 * minutes + by_way * workout.way()) * profile.weight / 200
        return None

    def workout_hearts(self, workout):
        """Slots and values of its active time; None if there are none."""
        if workout.hearts in (None, "unsure"):
            return None
        all_held = Held()
        for first, last in workout.pieces:
            if part := self.held([workout.hearts], first, last):
                all_held.slots |= part.slots
                all_held.values += part.values
        return all_held if all_held.values else None

    def workout_figures(self, workout):
        """What the list of workouts says of it."""
        profile, day = self.profile(self.day_of(workout.started)), self.day_of(workout.started)
        found = self.workout_hearts(workout)
        result = {"activity": workout.activity, "duration_s": workout.active / 1000, "distance_m": workout.way(),
                  "energy_kcal": self.energy(workout)}
        if found:
            result["heart_rate"] = {**summary(found), "zones_s": zones(found, profile and profile.most_beats(day))}
        return known(result)


def known(value):
    """A dictionary without what is not known."""
    return {name: known(inner) if isinstance(inner, dict) else inner for name, inner in value.items() if inner is not None}


# Heart rates in time

@dataclasses.dataclass
class Held:
    """Slots with what holds in them, and the values of a time that count."""

    slots: dict = dataclasses.field(default_factory=dict)
    values: list = dataclasses.field(default_factory=list)


def held(sources, begin, end):
    """What holds from one time to another; None if no value of that time counts. The sources are (kind, values); the lower kind is the
    better one, then the shorter interval at that time, then the first."""
    # Of each slot what may count, and of each minute whose values do: (kind, interval, number of the source, what counts).
    slots, minutes = collections.defaultdict(list), collections.defaultdict(list)
    for number, (kind, hearts) in enumerate(sources):
        by_minute = collections.defaultdict(dict)
        for time, bpm in hearts.items():
            if bpm in COUNTED:
                by_minute[time // 60_000][time] = bpm
        means = {minute: sum(own.values()) / len(own) for minute, own in by_minute.items()}
        for slot, interval, length in holds(sorted({time // SLOT for own in by_minute.values() for time in own})):
            minute = slot * SLOT // 60_000
            minutes[minute].append((kind, interval, number, by_minute[minute]))
            for one in range(slot, slot + length):
                if begin <= one * SLOT < end:
                    slots[one].append((kind, interval, number, means[minute]))
    best = [min(own, key=lambda one: one[:3])[3] for own in minutes.values()]
    values = [bpm for own in best for time, bpm in own.items() if begin <= time < end]
    return Held({slot: min(own)[3] for slot, own in slots.items()}, values) if values else None


def holds(order):
    """Of slots with values: each with the interval there, and for how many slots it stands."""
    for index, slot in enumerate(order):
        before = slot - order[index - 1] if index else math.inf
        after = order[index + 1] - slot if index + 1 < len(order) else math.inf
        interval = min((gap for gap in (before, after) if gap <= NEIGHBOUR), default=math.inf)
        if interval == math.inf:
            length = ALONE
        elif after <= min(max(LEAST_LIMIT, INTERVALS * interval), LONGEST):
            length = after
        else:
            length = min(interval, LONGEST)
        yield slot, interval, min(length, after)


def summary(found):
    return {"mean": sum(found.slots.values()) / len(found.slots), "min": min(found.values), "max": max(found.values),
            "recorded_s": len(found.slots) * SLOT // 1000}


def zones(found, most):
    """Seconds in the zones 1 to 5; None without an age."""
    if most is None:
        return None
    seconds = [0] * 6
    for value in found.slots.values():
        seconds[sum(value >= share * most for share in ZONES)] += SLOT // 1000
    return seconds[1:]


# Steps

@dataclasses.dataclass
class Made:
    """Steps by one source: all of them, those that were run, and (from, to, steps, whether they were run) of each piece. The steps of
    a piece need not be whole."""

    total: int = 0
    run: int = 0
    pieces: list = dataclasses.field(default_factory=list)
    #: How many counts were left out.
    left_out: int = 0
    #: When it was first heard on the day.
    heard: int = 0

    def add(self, steps, times):
        """Adds steps that were made evenly in some times: (from, to)."""
        length = sum(last - first for first, last in times)
        is_run = 0 < length <= STRIDE and steps * 60_000 >= RUNNING * length
        self.total += steps
        self.run += steps if is_run else 0
        self.pieces += [(first, last, steps * (last - first) / length, is_run, length) for first, last in times if steps]

    def has_part_of(self, hour):
        """Whether it has steps of an hour, or of a longer time that the hour is part of."""
        return any(first < hour + HOUR and hour < last for first, last, *_ in self.pieces)

    def within(self, hour):
        """Its pieces in an hour, of those whose hours are known."""
        found = []
        for first, last, steps, is_run, length in self.pieces:
            begin, end = max(first, hour), min(last, hour + HOUR)
            if begin < end and length <= LONGEST_OF_HOURS:
                found.append((begin, end, steps * (end - begin) / (last - first), is_run, length))
        return found


def of_counter(counts, begin, end):
    """The steps of a day by a counter that rises until it begins again at 0; None if it was not read on that day."""
    made, last, doubtful = None, None, None
    for time in sorted(x for x in counts if begin - LONGEST_PAUSE <= x < end):
        count, steps, is_left_out = counts[time], None, False
        if last is None or time - last[0] > LONGEST_PAUSE:
            last = (time, count)
        elif (rise := risen(last, (time, count))) is not None:
            steps, before, last, doubtful = rise, last[0], (time, count), None
        elif doubtful and (rise := risen(doubtful, (time, count))) is not None:
            steps, before, last, doubtful = rise, doubtful[0], (time, count), None
        else:
            doubtful, is_left_out = (time, count), True
        if time >= begin:
            made = made or Made(heard=time)
            made.left_out += is_left_out
            if steps is not None:
                made.add(steps, [(before, time)])
    return made


def risen(one, other):
    """The steps between two counts; None if nobody makes so many."""
    steps = other[1] - one[1] if other[1] >= one[1] else other[1]
    return steps if steps <= PER_SECOND * (other[0] - one[0]) / 1000 + AT_ONCE else None


def of_spans(spans, begin, end):
    """The steps of a day by a pedometer that tells of spans. Each span counts for the part of it that no span covers that ends before it:
    its steps were made evenly, and those of that part count."""
    made, covered = None, []
    for first, last, steps in sorted(spans, key=lambda x: (x[1], x[0], x[2])):
        is_of_day = begin < last <= end
        if is_of_day:
            made = made or Made(heard=last)
        open_ = pieces_outside((first, last), covered)
        covered.append((first, last))
        if is_of_day and open_:
            made.add(steps * sum(y - x for x, y in open_) // (last - first), open_)
    return made


def pieces_outside(span, others):
    """The parts of a span that are in none of the others."""
    edges = sorted({*span, *(x for other in others for x in other if span[0] < x < span[1])})
    return [(x, y) for x, y in zip(edges, edges[1:]) if not any(a <= x and y <= b for a, b in others)]


def free(span, others):
    return sum(y - x for x, y in pieces_outside(span, others))


def taken(known):
    """The times whose steps are no way, or need no energy, of their own: those of workouts of which it is known, and those on wheels and in
    water."""
    return [(workout.started, workout.ended) for workout, value in known if value is not None or not workout.is_of_steps]


def outside(pieces, spans):
    """Steps that were made outside of spans, if they were made evenly."""
    return math.fsum(steps * free((first, last), spans) / (last - first) for first, last, steps, *_ in pieces)


# Periods

def period(days):
    """What days come to together: their figures, and their distances by kinds, of each."""
    result, by_kind = {"recorded_days": len([day for day, _ in days if day])}, collections.Counter()
    for name in ("steps", "distance_m", "energy_kcal"):
        if values := [day[name] for day, _ in days if name in day]:
            result[name] = {"total": sum(values), "mean": sum(values) / len(values), "max": max(values)}
    for _, kinds in days:
        by_kind.update(kinds)
    result["distances_m"] = distances(by_kind)
    if hearts := [day["heart_rate"] for day, _ in days if "heart_rate" in day]:
        recorded = sum(own["recorded_s"] for own in hearts)
        rest = "night" if any(own.get("resting_of") == "night" for own in hearts) else "day"
        rests = [own["resting"] for own in hearts if own.get("resting_of") == rest]
        zones_s = [own["zones_s"] for own in hearts if "zones_s" in own]
        result["heart_rate"] = {
            "mean": sum(own["mean"] * own["recorded_s"] for own in hearts) / recorded, "recorded_s": recorded,
            "min": min(own["min"] for own in hearts), "max": max(own["max"] for own in hearts),
            "resting": sum(rests) / len(rests) if rests else None, "resting_of": rest if rests else None,
            "zones_s": [sum(zone) for zone in zip(*zones_s)] or None}
    return known(result)


def distances(by_kind):
    """Distances by their kinds; None if there are none but on foot."""
    if not any(metres > 0 for kind, metres in by_kind.items() if kind != "foot"):
        return None
    return {kind: metres for kind, metres in by_kind.items() if metres > 0}
