"""When an area was left and entered, worked out a second time from the positions alone, by the rules that deploy/guardians.md has:
a border is crossed when two positions in a row are beyond it by more than their accuracy, or two such ones a minute apart. The
programs take no part in it.

Positions about which two computers may differ, because they are as far from the border as their accuracy says, are none that a
rig sends: see `is_clear`."""

import collections
import dataclasses
import math

from courses import EARTH, metres

#: What an accuracy is taken for that is not known, and from which one on a position says only roughly where somebody is, in metres.
UNKNOWN, ROUGH = 30, 100
#: How long a second position may be away from the first one, if nothing speaks against it in between, in milliseconds.
LASTING = 60_000
#: How far a phone's clock may be ahead, in milliseconds; what is later is refused.
AHEAD = 300_000


@dataclasses.dataclass(frozen=True)
class Fix:
    """A position, as a phone has said it."""

    #: Unix milliseconds, by the phone's clock.
    time: int
    place: tuple[float, float]
    #: Metres; None where the phone does not say.
    accuracy: float | None = 8
    phone: str = ""


@dataclasses.dataclass(frozen=True)
class Circle:
    name: str
    middle: tuple[float, float]
    radius: float

    @property
    def fields(self):
        return {"circle": {"lat": self.middle[0], "lon": self.middle[1], "radius_m": self.radius}}

    @property
    def depth(self):
        """From how far inside on nobody doubts that a place is inside, in metres."""
        return self.radius / 2

    def distance(self, place):
        """How far outside a place is, in metres; below zero inside."""
        return metres(self.middle, place) - self.radius


@dataclasses.dataclass(frozen=True)
class Polygon:
    """Of a few kilometres: on a plane, by the angles under which its corners are seen."""

    name: str
    corners: tuple[tuple[float, float], ...]
    depth = math.inf

    @property
    def fields(self):
        return {"polygon": [list(corner) for corner in self.corners]}

    def distance(self, place):
        north = math.radians(1) * EARTH
        east = north * math.cos(math.radians(self.corners[0][0]))
        seen = [((corner[1] - place[1]) * east, (corner[0] - place[0]) * north) for corner in self.corners]
        turn, nearest = 0.0, math.inf
        for one, other in zip(seen, seen[1:] + seen[:1]):
            turn += math.atan2(one[0] * other[1] - one[1] * other[0], one[0] * other[0] + one[1] * other[1])
            side = other[0] - one[0], other[1] - one[1]
            share = -(one[0] * side[0] + one[1] * side[1]) / (side[0] ** 2 + side[1] ** 2)
            share = min(1, max(0, share))
            nearest = min(nearest, math.hypot(one[0] + share * side[0], one[1] + share * side[1]))
        return nearest if abs(turn) < math.pi else -nearest


def beside(place, line):
    """How far a place is from a line of places, in metres: nearly, because they are near."""
    east = metres(place, (place[0], place[1] + 0.001)) * 1000
    north = metres(place, (place[0] + 0.001, place[1])) * 1000
    best = float("inf")
    for one, other in zip(line, line[1:]):
        ax, ay = (one[1] - place[1]) * east, (one[0] - place[0]) * north
        dx, dy = (other[1] - one[1]) * east, (other[0] - one[0]) * north
        square = dx * dx + dy * dy
        share = min(1, max(0, -(ax * dx + ay * dy) / square)) if square else 0
        best = min(best, (ax + share * dx) ** 2 + (ay + share * dy) ** 2)
    return best ** 0.5


@dataclasses.dataclass(frozen=True)
class Crossing:
    #: "left-area" or "entered-area".
    kind: str
    #: When the first position beyond the border was found, in Unix milliseconds.
    time: int
    #: The position with which it was certain.
    by: Fix


def likely(fix):
    return UNKNOWN if fix.accuracy is None else fix.accuracy


def is_clear(fix, areas, doubt=3):
    """Whether a position says the same of all areas if it is a few metres farther on."""
    limits = [(area.distance(fix.place), area) for area in areas]
    return all(min(abs(abs(way) - likely(fix)), abs(way), abs(way + area.depth)) > doubt for way, area in limits)


def side(fix, area):
    """Whether a position is outside, and whether that is certain; None if it says nothing."""
    way = area.distance(fix.place)
    if abs(way) > likely(fix) or likely(fix) <= ROUGH and way < -area.depth:
        return way > 0, True
    return None if likely(fix) > ROUGH else (way > 0, False)


class _Phone:
    """What the positions of one phone say of a border."""

    def __init__(self):
        self.is_outside, self.latest = None, -1
        #: The certain positions on the other side since the latest one on this side, and whether the latest position is one of
        #: them.
        self.beyond, self.is_in_a_row = [], False

    def crosses(self, fix, area, is_believed):
        """The first of the positions with which it has changed sides; None if it has not."""
        if (said := side(fix, area)) is None:
            return None
        is_outside, is_certain = said
        if is_outside == self.is_outside:
            self.beyond = []
        elif is_certain:
            if self.beyond and side(self.beyond[0], area)[0] != is_outside:
                self.beyond = []
            self.beyond.append(fix)
            is_enough = len(self.beyond) > 1 and (self.is_in_a_row or fix.time - self.beyond[0].time >= LASTING)
            if is_enough or is_believed:
                first, self.is_outside, self.beyond = self.beyond[0], is_outside, []
                return first
        elif self.beyond and side(self.beyond[0], area)[0] != is_outside:
            self.beyond = []
        self.is_in_a_row = is_certain
        return None


def crossings(fixes, area):
    """The crossings of a person, by the positions in the order in which they came. The first known side is no crossing. With
    several phones, the person is outside while any phone is that has been outside, and has not come back."""
    phones, away, is_known, found = collections.defaultdict(_Phone), set(), False, []
    for fix in fixes:
        phone = phones[fix.phone]
        if fix.time <= phone.latest:
            continue
        phone.latest = fix.time
        first = phone.crosses(fix, area, not is_known)
        if first is None:
            continue
        was_away = bool(away)
        (away.add if phone.is_outside else away.discard)(fix.phone)
        if is_known and bool(away) != was_away:
            found.append(Crossing("left-area" if away else "entered-area", first.time, fix))
        is_known = True
    return found


def out_of_range(rates, above, minutes):
    """When heart rates, by their times, began to be above a limit for so many minutes, each time after a minute below it."""
    found, since, calm, is_told = [], None, None, False
    for time in sorted(rates):
        if rates[time] > above:
            since, calm = since or time, None
            if not is_told and time - since >= minutes * 60_000:
                found.append(since)
                is_told = True
        else:
            since, calm = None, calm or time
            is_told = is_told and time - calm < 60_000
    return found
