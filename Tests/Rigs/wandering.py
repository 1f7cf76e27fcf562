"""The ways that people go who have guardians: recorded ones, and made-up ones around an area with everything that phones get wrong.
Each is a list of positions in the order in which they reach the broker."""

import csv
import math
import random

from borders import Circle, Fix, Polygon, is_clear
from courses import EARTH
from household import PROJECT

MINUTE = 60_000


def away(place, east, north):
    """The place so many metres east and north."""
    latitude = place[0] + math.degrees(north / EARTH)
    longitude = place[1] + math.degrees(east / EARTH / math.cos(math.radians(place[0])))
    return round(latitude, 7), round(longitude, 7)


def somewhere(dice):
    return round(dice.uniform(-55, 60), 6), round(dice.uniform(-170, 170), 6)


class Way:
    """Positions around the middle of an area, one after the other."""

    def __init__(self, dice, middle, phone, start):
        self.dice, self.middle, self.phone, self.time, self.fixes = dice, middle, phone, start, []
        #: How many seconds are between two.
        self.pauses = 3, 25

    def at(self, distance, accuracy=None, pause=None):
        """A position so far from the middle, in any direction, some seconds later."""
        self.time += int(1000 * (pause or self.dice.randint(*self.pauses)))
        angle = self.dice.uniform(0, 2 * math.pi)
        place = away(self.middle, distance * math.sin(angle), distance * math.cos(angle))
        self.fixes.append(Fix(self.time, place, accuracy or self.dice.randint(4, 15), self.phone))
        return self

    def inside(self, count=2):
        for _ in range(count):
            self.at(self.dice.uniform(0, 40))
        return self

    def outside(self, count=2):
        for _ in range(count):
            self.at(self.dice.uniform(300, 900))
        return self


#: The radius of made-up areas, in metres.
RADIUS = 200


def jitter(way):
    """At home, at the border, and with single positions that are wrong; then out, and back, with the same."""
    dice = way.dice

    def shake(home):
        for _ in range(dice.randint(12, 20)):
            accuracy = dice.randint(10, 60)
            way.at(RADIUS + dice.uniform(-0.8, 0.8) * accuracy, accuracy)
            if dice.random() < 0.3:
                # One that is wrong by a kilometre, and the truth after it.
                way.at(dice.uniform(700, 1500) if home else dice.uniform(0, 60))
                (way.inside if home else way.outside)(1)
            if dice.random() < 0.3:
                way.at(dice.uniform(0, 500), dice.randint(600, 2000))

    way.inside()
    shake(True)
    way.inside(1).outside(3)
    shake(False)
    way.outside(1).inside(3)


def tunnel(way):
    """Without positions for twelve minutes, and somewhere else afterwards; and with one position in between, of a rough kind."""
    way.inside(3)
    way.time += 12 * MINUTE
    way.outside(3)
    way.time += 5 * MINUTE
    way.at(100, 1500)
    way.time += 5 * MINUTE
    way.inside(3)


def late(way):
    """A phone had no connection: all comes at once, and some of it twice."""
    dice, before = way.dice, len(way.fixes)
    way.inside(3)
    for _ in range(2):
        way.outside(dice.randint(2, 5)).inside(dice.randint(2, 5))
    kept = way.fixes[before:]
    for fix in dice.sample(kept, 4):
        kept.insert(kept.index(fix) + 1, fix)
    way.fixes[before:] = kept


def overtaken(way):
    """Somebody was outside for a moment, of which is told only after what came later."""
    way.inside(3)
    excursion = Way(way.dice, way.middle, way.phone, way.time).outside(3)
    way.time = excursion.time
    way.inside(3)
    way.fixes += excursion.fixes
    way.inside(1)


def behind(way):
    """The phone's clock is most of an hour behind: only the order counts."""
    way.inside(2).outside(2).inside(2)


#: What a phone does that moves in one area after the other.
WANDERINGS = {"jitter": jitter, "tunnel": tunnel, "late": late, "overtaken": overtaken, "clock behind": behind}


def recorded(name, phone, start, every):
    """A recording of deploy/activities as one phone's positions: one of so many rows."""
    dice, fixes = random.Random(name), []
    with open(PROJECT / "deploy/activities" / name, newline="") as rows:
        for number, row in enumerate(csv.DictReader(rows)):
            if number % every == 0 and row["latitude_deg"]:
                place = float(row["latitude_deg"]), float(row["longitude_deg"])
                fixes.append(Fix(start + int(float(row["elapsed_s"]) * 1000), place, dice.randint(4, 12), phone))
    return fixes


def around(fixes, dice):
    """Areas that a recorded way crosses: where it begins, where it comes later, and a square."""
    begin, later = fixes[0].place, fixes[int(len(fixes) * dice.uniform(0.3, 0.7))].place
    corner = fixes[int(len(fixes) * dice.uniform(0.2, 0.8))].place
    square = tuple(away(corner, east, north) for east, north in ((-400, -300), (500, -350), (450, 400), (-350, 300)))
    areas = [Circle("Home", begin, dice.randint(150, 600)), Circle("Park", later, dice.randint(150, 400)), Polygon("Town", square)]
    return areas, [fix for fix in fixes if is_clear(fix, areas)]
