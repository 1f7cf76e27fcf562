"""Computes a recorded workout from its CSV alone, knowing nothing of the program: what the values must say of it.

    workout.py FILE ACTIVITY SEX AGE HEIGHT_CM WEIGHT_KG RESTING_BPM GOAL_M [PAUSE_S RESUME_S]

Prints one JSON object. The workout begins with the first row and ends with the last one. What is measured between PAUSE_S and RESUME_S, in
seconds since the beginning, does not count."""

import csv
import json
import math
import sys

FASTEST = {"running": 12, "walking": 12, "cycling": 30}
FASTEST_CLIMB = {"running": 3, "walking": 3, "cycling": 8}
STEP = {"male": 0.415, "female": 0.413}
CYCLING = [(0, 4.0), (10, 6.8), (12, 8.0), (14, 10.0), (16, 12.0), (20.000001, 16.8)]


def haversine(one, other):
    north, east = (math.radians(b - a) / 2 for a, b in zip(one, other))
    h = math.sin(north) ** 2 + math.cos(math.radians(one[0])) * math.cos(math.radians(other[0])) * math.sin(east) ** 2
    return 2 * 6_371_008.8 * math.asin(min(1, math.sqrt(h)))


def climbed(marks, fastest):
    """What each altitude adds, by a hysteresis of 3 m. One that is farther from the one before than anybody climbs, and 3 m more, begins again."""
    anchor, gains = marks[0][1], []
    for (before, last), (second, altitude) in zip(marks[:1] + marks, marks):
        if abs(altitude - last) > 3 + fastest * (second - before):
            anchor = altitude
        gains.append(altitude - anchor if altitude - anchor >= 3 else 0)
        if abs(altitude - anchor) >= 3:
            anchor = altitude
    return gains


def filtered(rows, fastest):
    """The rows with a place that can be; each with the metres since the one before it."""
    kept = []
    for second, place, altitude, piece in rows:
        metres = 0
        if kept and kept[-1][4] == piece:
            elapsed, metres = second - kept[-1][0], haversine(kept[-1][1], place)
            if metres > fastest * elapsed and elapsed <= 10:
                continue
        kept.append((second, place, altitude, metres, piece))
    return kept


def waits(kept):
    """The rows since which each distance was covered: those of the last other place, or the one before after half a minute at one place."""
    counted, since = None, []
    for before, row in zip(kept[:1] + kept, kept):
        if counted is None or counted[4] != row[4]:
            counted = row
        elsewhere = row[3] > 0
        since.append(counted if elsewhere and row[0] - counted[0] <= 30 else before)
        if elsewhere:
            counted = row
    return since


def at(xs, ys, x):
    """The straight line through points with rising xs, at the first of them that is not below x."""
    for i in range(1, len(xs)):
        if xs[i] >= x:
            return ys[i - 1] + (ys[i] - ys[i - 1]) * (x - xs[i - 1]) / (xs[i] - xs[i - 1]) if xs[i] > xs[i - 1] else ys[i]
    return None


def fastest_window(metres, seconds, distance):
    best = None
    end = 0
    for i in range(len(metres)):
        while end < len(metres) and metres[end] < metres[i] + distance:
            end += 1
        if end < len(metres):
            share = (metres[i] + distance - metres[end - 1]) / (metres[end] - metres[end - 1])
            took = seconds[end - 1] + share * (seconds[end] - seconds[end - 1]) - seconds[i]
            best = took if best is None else min(best, took)
    begin = len(metres) - 1
    for i in reversed(range(len(metres))):
        while begin >= 0 and metres[begin] > metres[i] - distance:
            begin -= 1
        if begin >= 0:
            share = (metres[i] - distance - metres[begin]) / (metres[begin + 1] - metres[begin])
            took = seconds[i] - seconds[begin] - share * (seconds[begin + 1] - seconds[begin])
            best = took if best is None else min(best, took)
    return best


def spread(minutes, key, start, end, amount):
    """Adds what is told of a span of seconds to the minutes in it: how long, and how much."""
    at = start
    while at < end:
        stop = min(end, (at // 60 + 1) * 60)
        entry = minutes.setdefault(at // 60, {}).setdefault(key, [0, 0, set()])
        entry[0] += stop - at
        entry[2] |= set(range(int(at), int(stop)))
        entry[1] += amount * (stop - at) / (end - start)
        at = stop


def keytel(sex, rate, weight, age):
    if sex == "male":
        joules = -55.0969 + 0.6309 * rate + 0.1988 * weight + 0.2017 * age
    else:
        joules = -20.4022 + 0.4472 * rate - 0.1263 * weight + 0.074 * age
    return max(0, joules / 4.184)


def energy(minute, activity, sex, age, weight):
    """Kilocalories of a minute."""
    maximum = 208 - 0.7 * age
    path, still, climb, heart = (minute.get(key, [0, 0, set()]) for key in ("path", "still", "climb", "heart"))
    if still[2] - path[2]:
        left = len(still[2] - path[2]) / len(still[2])
        path = [path[0] + left * still[0], path[1] + left * still[1], path[2] | still[2]]
    told, total = set(), 0
    if heart[0] and heart[1] / heart[0] >= 0.57 * maximum and 18 <= age <= 45:
        total += keytel(sex, min(heart[1] / heart[0], 0.9 * maximum), weight, age) * heart[0] / 60
        told = heart[2]
    if path[2] - told:
        used, speed = len(path[2] - told), path[1] / path[0]
        if activity == "cycling":
            met = [value for start, value in CYCLING if speed * 3600 / 1609.344 >= start][-1]
            total += (met if speed > 0 else 0) * weight * used / 3600
        else:
            grade = min(0.4, climb[1] / path[1]) if path[1] else 0
            runs = speed * 60 > (80 if activity == "running" else 134)
            uptake = 3.5 + speed * 60 * ((0.2 + 0.9 * grade) if runs else (0.1 + 1.8 * grade))
            total += uptake * weight / 200 * used / 60
    return total


def main():
    file, activity, sex, *numbers = sys.argv[1:]
    age, height, weight, rest, goal, *pause = map(float, numbers)
    off, on = pause or (math.inf, math.inf)
    with open(file) as lines:
        table = list(csv.DictReader(lines))
    epoch = 1_440_000_000  # Such as the tests have it; it is the beginning of a minute.
    rows = [{**row, "second": int(row["elapsed_s"])} for row in table]
    active = [row for row in rows if row["second"] <= off or row["second"] >= on]

    def clock(second):
        """Seconds without the pause."""
        return second if second <= off else second - (on - off)

    kept = filtered(
        [(row["second"], (float(row["latitude_deg"]), float(row["longitude_deg"])), float(row["altitude_m"]), int(row["second"] >= on)) for row in active],
        FASTEST[activity])
    pieces = [[row for row in kept if row[4] == piece] for piece in sorted({row[4] for row in kept})]
    gains = [gain for piece in pieces for gain in climbed([(row[0], row[2]) for row in piece], FASTEST_CLIMB[activity])]
    metres, sum_ = [], 0
    for row in kept:
        sum_ += row[3]
        metres.append(sum_)
    seconds = [clock(row[0]) for row in kept]
    beats = [(row["second"], int(row["heart_rate_bpm"])) for row in rows if row["heart_rate_bpm"]]
    hearts = [(second, rate) for second, rate in beats if second <= off or second >= on]
    minutes = {}
    for one, other, since, gain in zip(kept, kept[1:], waits(kept)[1:], gains[1:]):
        if one[4] == other[4]:
            # What was told of a stop so far gives way to the distance that is spread over it.
            spread(minutes, "path" if other[3] else "still", epoch + since[0], epoch + other[0], other[3])
            spread(minutes, "climb", epoch + one[0], epoch + other[0], gain)
    maximum = 208 - 0.7 * age
    zones, impulse = [0] * 5, 0
    k, b = (0.64, 1.92) if sex == "male" else (0.86, 1.67)
    for one, other in zip(beats, beats[1:]):
        if other[0] - one[0] <= 10 and (other[0] <= off or other[0] >= on):
            # It held for what of the time between both was no pause.
            held = 0
            for begin, end in ((one[0], min(other[0], off)), (max(one[0], on), other[0])):
                if begin < end:
                    held += end - begin
                    spread(minutes, "heart", epoch + begin, epoch + end, other[1] * (end - begin))
            zones[sum(other[1] >= share * maximum for share in (0.6, 0.7, 0.8, 0.9))] += held
            x = max(0, min(1, (other[1] - rest) / (maximum - rest)))
            impulse += held / 60 * x * k * math.exp(b * x)
    last = rows[-1]["second"]
    splits, count = [], math.ceil(sum_ / 1000)
    ends = [at(metres, seconds, 1000 * (i + 1)) for i in range(count - 1)] + [seconds[-1]]
    for i, end in enumerate(ends):
        begin = ends[i - 1] if i else seconds[0]
        rates = [rate for second, rate in hearts if (begin < clock(second) or i == 0) and clock(second) <= end]
        climb = sum(gain for gain, way in zip(gains, metres) if (1000 * i < way or i == 0) and (way <= 1000 * i + 1000 or i == count - 1))
        splits.append({"seconds": end - begin, "ascent": climb, "heart": sum(rates) / len(rates)})
    steps = [int(row["steps"]) for row in rows if row["steps"]]
    print(json.dumps({
        "duration": clock(last), "metres": sum_, "device": float(rows[-1]["distance_m"]), "ascent": sum(gains),
        "steps": steps[-1] - steps[0] if steps else None,
        "mean": sum(rate for _, rate in hearts) / len(hearts), "minimum": min(rate for _, rate in hearts),
        "maximum": max(rate for _, rate in hearts), "samples": len(hearts), "zones": zones,
        "edwards": sum((i + 1) * zone / 60 for i, zone in enumerate(zones)), "banister": impulse,
        "kilocalories": sum(energy(minute, activity, sex, age, weight) for minute in minutes.values()),
        "goal": next((row[0] for row, way in zip(kept, metres) if way >= goal), None),
        "splits": splits, "best": [fastest_window(metres, seconds, distance) for distance in (1000, 5000, 10_000)],
        "dropped": len(active) - len(kept), "first": kept[0][0], "stepMetres": height * STEP[sex] / 100,
    }))


if __name__ == "__main__":
    main()
