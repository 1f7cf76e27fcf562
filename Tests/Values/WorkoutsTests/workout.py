"""Computes a recorded workout from its CSV alone, knowing nothing of the program: what the values must say of it.

    workout.py FILE ACTIVITY SEX AGE HEIGHT_CM WEIGHT_KG RESTING_BPM GOAL_M [PAUSE_S RESUME_S]

Prints one JSON object. The workout begins with the first row and ends with the last one. What is measured between PAUSE_S and RESUME_S, in
seconds since the beginning, does not count."""

import csv
import json
import math
import sys

FASTEST = {"running": 12, "walking": 12, "cycling": 30}
STANDING = {"running": 0.5, "walking": 0.5, "cycling": 1}
FASTEST_CLIMB = {"running": 3, "walking": 3, "cycling": 8}
STEP = {"male": 0.415, "female": 0.413}
CYCLING = [(0, 4.0), (10, 6.8), (12, 8.0), (14, 10.0), (16, 12.0), (20.000001, 16.8)]


def haversine(one, other):
    north, east = (math.radians(b - a) / 2 for a, b in zip(one, other))
    h = math.sin(north) ** 2 + math.cos(math.radians(one[0])) * math.cos(math.radians(other[0])) * math.sin(east) ** 2
    return 2 * 6_371_008.8 * math.asin(min(1, math.sqrt(h)))


def climbed(marks, fastest, noise=3):
    """What each altitude adds, by a hysteresis. One that is farther from the one before than anybody climbs, and as much more, begins again."""
    anchor, gains = marks[0][1], []
    for (before, last), (second, altitude) in zip(marks[:1] + marks, marks):
        if abs(altitude - last) > noise + fastest * (second - before):
            anchor = altitude
        gains.append(altitude - anchor if altitude - anchor >= noise else 0)
        if abs(altitude - anchor) >= noise:
            anchor = altitude
    return gains


def middle(rows):
    """When and where rows are on average."""
    return sum(row[0] for row in rows) / len(rows), [sum(row[1][i] for row in rows) / len(rows) for i in (0, 1)]


def followed(rows, fastest, standing):
    """The rows with a place that can be. Each has what it adds to the way, and since when: a way counts if it is longer than 3 m, and the
    person does not stand. They stand, at the earlier mean, if the means of the last ten seconds and of the ten before are too near to each
    other for their lowest speed; the anchor stays where it is if it is farther away."""
    kept, anchor, start, number = [], None, 0, 0
    for second, place, altitude, piece in rows:
        fresh = not kept or kept[-1]["pause"] != piece
        if not fresh:
            elapsed = second - kept[-1]["second"]
            if haversine(kept[-1]["place"], place) > fastest * elapsed:
                if elapsed <= 10:
                    continue
                fresh = True
        if fresh:
            anchor, start, number = (second, place), second, number + 1
        row = {"second": second, "place": place, "altitude": altitude, "pause": piece, "piece": number, "added": 0, "since": None}
        kept.append(row)
        near = [(other["second"], other["place"]) for other in kept[-21:] if other["piece"] == number and other["second"] > second - 20]
        old = [other for other in near if other[0] <= second - 10]
        new = [other for other in near if other[0] > second - 10]
        if fresh or not old and second - start < 10:
            continue
        if old:
            (late, there), (early, here) = middle(new), middle(old)
            lowest = standing * (late - early)
            if haversine(here, there) < lowest:
                if haversine(here, anchor[1]) < lowest:
                    anchor = (max(anchor[0], early), here)
                continue
        way = haversine(anchor[1], place)
        if way > 3:
            row["added"], row["since"] = way, anchor[0]
            anchor = (second, place)
    return kept


def totals(kept, standing):
    """How far it is to each row, where a way is spread over the time since its beginning, up to half a minute, and longer if nobody stood."""
    metres, total = [], 0
    for i, row in enumerate(kept):
        took = row["added"] and row["second"] - row["since"]
        if row["added"] and (took <= 30 or row["added"] >= standing * took):
            for j in range(i - 1, -1, -1):
                if kept[j]["second"] <= row["since"]:
                    break
                metres[j] = total + row["added"] * (kept[j]["second"] - row["since"]) / (row["second"] - row["since"])
        total += row["added"]
        metres.append(total)
    return metres


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


def without_spikes(beats):
    """The heart rates, without those more than 30 bpm above both neighbours, or below both, that are at most 10 s away."""
    kept = []
    for i, (second, rate) in enumerate(beats):
        near = [other for other in beats[max(0, i - 1):i] + beats[i + 1:i + 2] if abs(other[0] - second) <= 10]
        if len(near) < 2 or not (all(rate - v > 30 for _, v in near) or all(v - rate > 30 for _, v in near)):
            kept.append((second, rate))
    return kept


def held(beats):
    """The heart rate of each covered slot of 5 s, by the second in which it begins: the mean of the minute whose sample holds."""
    means = {}
    for second, rate in beats:
        means.setdefault(second // 60, []).append(rate)
    starts = sorted({second // 5 * 5 for second, _ in beats})
    slots = {}
    for i, start in enumerate(starts):
        ways = [abs(other - start) for other in starts[max(0, i - 1):i] + starts[i + 1:i + 2]]
        interval = min((way for way in ways if way <= 900), default=None)
        follows = starts[i + 1] - start if i + 1 < len(starts) else math.inf
        if interval is None:
            length = 60
        elif follows <= min(max(15, 3 * interval), 600):
            length = follows
        else:
            length = min(interval, 600)
        rates = means[start // 60]
        for second in range(start, start + min(length, follows), 5):
            slots[second] = sum(rates) / len(rates)
    return slots


def keytel(sex, rate, weight, age):
    if sex == "male":
        joules = -55.0969 + 0.6309 * rate + 0.1988 * weight + 0.2017 * age
    else:
        joules = -20.4022 + 0.4472 * rate - 0.1263 * weight + 0.074 * age
    return max(0, joules / 4.184)


def energy(minute, activity, sex, age, height, weight):
    """Kilocalories of a minute beyond rest."""
    maximum = 208 - 0.7 * age
    rest = (10 * weight + 6.25 * height - 5 * age + (5 if sex == "male" else -161)) / 1440
    path, still, climb = (minute.get(key, [0, 0, set()]) for key in ("path", "still", "climb"))
    if still[2] - path[2]:
        left = len(still[2] - path[2]) / len(still[2])
        path = [path[0] + left * still[0], path[1] + left * still[1], path[2] | still[2]]
    told, total = set(), 0
    for second, rate in minute.get("hearts", []):
        if rate >= 0.57 * maximum and 18 <= age <= 45:
            total += (keytel(sex, min(rate, 0.9 * maximum), weight, age) - rest) * 5 / 60
            told |= set(range(second, second + 5))
    if path[2] - told:
        used, speed = len(path[2] - told), path[1] / path[0]
        if activity == "cycling":
            met = [value for start, value in CYCLING if speed * 3600 / 1609.344 >= start][-1]
            gross = (met if speed > 0 else 0) * weight / 60
        else:
            grade = min(0.4, climb[1] / path[1]) if path[1] else 0
            runs = speed * 60 > (80 if activity == "running" else 134)
            uptake = 3.5 + speed * 60 * ((0.2 + 0.9 * grade) if runs else (0.1 + 1.8 * grade))
            gross = uptake * weight / 200
        total += max(0, gross - rest) * used / 60
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

    kept = followed(
        [(row["second"], (float(row["latitude_deg"]), float(row["longitude_deg"])), float(row["altitude_m"]), int(row["second"] >= on)) for row in active],
        FASTEST[activity], STANDING[activity])
    pieces = [[row for row in kept if row["piece"] == piece] for piece in sorted({row["piece"] for row in kept})]
    gains = [gain for piece in pieces for gain in climbed([(row["second"], row["altitude"]) for row in piece], FASTEST_CLIMB[activity])]
    by_satellites = sum(
        gain for piece in pieces for gain in climbed([(row["second"], row["altitude"]) for row in piece], FASTEST_CLIMB[activity], 10))
    metres = totals(kept, STANDING[activity])
    sum_ = metres[-1]
    counted_metres = [sum(row["added"] for row in kept[:i + 1]) for i in range(len(kept))]
    seconds = [clock(row["second"]) for row in kept]
    beats = [(row["second"], int(row["heart_rate_bpm"])) for row in rows if row["heart_rate_bpm"]]
    hearts = [(second, rate) for second, rate in beats if second <= off or second >= on]
    last = rows[-1]["second"]
    sound = without_spikes(beats)
    counted = [rate for second, rate in sound if second < min(off, last) or on <= second < last]
    slots = {second: rate for second, rate in held(sound).items() if second < min(off, last) or on <= second < last}
    minutes = {}
    for one, other, gain in zip(kept, kept[1:], gains[1:]):
        if one["piece"] == other["piece"]:
            # What was told of a stop so far gives way to the distance that is spread over it.
            begin = one["second"]
            if other["added"] and other["second"] - other["since"] <= 30:
                begin = other["since"]
            spread(minutes, "path" if other["added"] else "still", epoch + begin, epoch + other["second"], other["added"])
            spread(minutes, "climb", epoch + one["second"], epoch + other["second"], gain)
    maximum = 208 - 0.7 * age
    zones, impulse = [0] * 5, 0
    k, b = (0.64, 1.92) if sex == "male" else (0.86, 1.67)
    for second, rate in slots.items():
        minutes.setdefault((epoch + second) // 60, {}).setdefault("hearts", []).append((epoch + second, rate))
        zone = sum(rate >= share * maximum for share in (0.5, 0.6, 0.7, 0.8, 0.9))
        if zone:
            zones[zone - 1] += 5
        x = max(0, min(1, (rate - rest) / (maximum - rest)))
        impulse += 5 / 60 * x * k * math.exp(b * x)
    splits, count = [], math.ceil(sum_ / 1000)
    ends = [at(metres, seconds, 1000 * (i + 1)) for i in range(count - 1)] + [seconds[-1]]
    for i, end in enumerate(ends):
        begin = ends[i - 1] if i else seconds[0]
        rates = [rate for second, rate in slots.items() if begin <= clock(second) < end]
        climb = sum(gain for gain, way in zip(gains, metres) if (1000 * i < way or i == 0) and (way <= 1000 * i + 1000 or i == count - 1))
        splits.append({"seconds": end - begin, "ascent": climb, "heart": sum(rates) / len(rates)})
    steps = [int(row["steps"]) for row in rows if row["steps"]]
    print(json.dumps({
        "duration": clock(last), "metres": sum_, "device": float(rows[-1]["distance_m"]), "ascent": sum(gains), "ascentBySatellites": by_satellites,
        "steps": steps[-1] - steps[0] if steps else None,
        "mean": sum(slots.values()) / len(slots), "minimum": min(counted), "maximum": max(counted),
        "samples": len(counted), "recorded": 5 * len(slots), "zones": zones,
        "edwards": sum((i + 1) * zone / 60 for i, zone in enumerate(zones)), "banister": impulse,
        "kilocalories": sum(energy(minute, activity, sex, age, height, weight) for minute in minutes.values()),
        "goal": next((row["second"] for row, way in zip(kept, counted_metres) if way >= goal), None),
        "splits": splits, "best": [fastest_window(metres, seconds, distance) for distance in (400, 1000, 1609.344, 5000, 10_000, 21_097.5, 42_195)],
        "dropped": len(active) - len(kept), "first": kept[0]["second"], "stepMetres": height * STEP[sex] / 100,
    }))


if __name__ == "__main__":
    main()
