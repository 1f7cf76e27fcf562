"""Computes the days of a recorded activity from its CSV alone, knowing nothing of the program: what statistics/day must say of them.

    recording.py FILE ZONE SEX BIRTH HEIGHT_CM WEIGHT_KG EVERY_S

Prints a JSON object a line, a day each. SEX is male, female or other. Steps are read at the first row of each stretch of EVERY_S seconds since
the start, and at the last row; heart rates and temperatures are those of each row."""

import csv
import json
import math
import sys
from collections import defaultdict
from datetime import date, datetime
from zoneinfo import ZoneInfo

LONGEST_GAP = 36 * 3600
STEP = {"male": 0.415, "female": 0.413, "other": 0.414}


def rounded(number, places=0):
    """Halves go up, as people round."""
    power = 10**places
    value = math.floor(number * power + 0.5) / power
    return int(value) if places == 0 else value


def chosen(rows, every):
    """The rows at which somebody reads the counter."""
    read, last = [], None
    for row in rows:
        stretch = int(float(row["elapsed_s"])) // every
        if stretch != last:
            read.append(row)
        last = stretch
    return read + [row for row in rows[-1:] if row not in read]


def walked(counts, day_of):
    """Steps by day: (walking, running)."""
    days, before = {}, None
    for time, count in counts:
        walking, running = days.setdefault(day_of(time), (0, 0))
        if before and time - before[0] <= LONGEST_GAP:
            made = count - before[1] if count >= before[1] else count
            seconds = time - before[0]
            if 0 < seconds <= 600 and made / seconds * 60 >= 140:
                running += made
            else:
                walking += made
        days[day_of(time)] = (walking, running)
        before = (time, count)
    return days


def held(samples):
    """The slots of five seconds since 1970 for which a heart rate is known, each with its mean: a slot with samples holds until the next one
    if that comes within three intervals, at least 15 s and at most ten minutes, and otherwise for one interval."""
    minutes = defaultdict(list)
    for time, rate in samples:
        minutes[time // 60].append(rate)
    slots, known = sorted({time // 5 for time, _ in samples}), {}
    for index, slot in enumerate(slots):
        before = slot - slots[index - 1] if index else None
        after = slots[index + 1] - slot if index + 1 < len(slots) else None
        near = [gap for gap in (before, after) if gap is not None and gap <= 180]
        if not near:
            length = 12
        elif after is not None and after <= min(max(3, 3 * min(near)), 120):
            length = after
        else:
            length = min(min(near), 120)
        rates = minutes[slot // 12]
        for one in range(slot, slot + min(length, after or length)):
            known[one] = sum(rates) / len(rates)
    return known


def hearts(samples, slots, age):
    """What a day's samples (time, beats a minute) and slots come to. No recording has the eight half-hours of a rest."""
    rates, most = [rate for _, rate in samples], 208 - 0.7 * age
    bounds, zones = [share * most for share in (0.5, 0.6, 0.7, 0.8, 0.9)], [0] * 6
    for mean in slots:
        zones[sum(mean >= bound for bound in bounds)] += 5
    return {
        "mean": rounded(sum(slots) / len(slots), 1), "min": min(rates), "max": max(rates), "zones_s": zones[1:],
        "recorded_s": 5 * len(slots),
        "zones": {"by": "age", "bounds": list(map(math.ceil, bounds)), "max_heart_rate": rounded(most, 1)}}


def main():
    path, zone, sex, birth, height, weight, every = sys.argv[1:]
    zone, birth, height, weight = ZoneInfo(zone), date.fromisoformat(birth), float(height), float(weight)
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))

    def time(row):
        return int(datetime.fromisoformat(row["timestamp"].replace("Z", "+00:00")).timestamp())

    def day_of(time):
        return datetime.fromtimestamp(time, zone).date()

    counts = [(time(row), int(row["steps"])) for row in chosen(rows, int(every)) if row["steps"]]
    steps = walked(counts, day_of)
    rates, temperatures = defaultdict(list), defaultdict(list)
    for row in rows:
        if row["heart_rate_bpm"] not in ("", "0"):
            rates[day_of(time(row))].append((time(row), int(row["heart_rate_bpm"])))
        if row["temperature_c"]:
            temperatures[day_of(time(row))].append(float(row["temperature_c"]))
    slots = defaultdict(list)
    for slot, mean in held([sample for day in rates.values() for sample in day]).items():
        slots[day_of(5 * slot)].append(mean)
    for day in sorted(rates | temperatures | steps):
        age = day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))
        told = {"day": str(day)}
        if day in steps:
            walking, running = steps[day]
            length = height * STEP[sex] / 100
            told["steps"] = walking + running
            told["distance_m"] = rounded((walking + running) * length)
            told["energy_kcal"] = rounded(weight * length / 1000 * (walking * 0.5 + running))
            told["formulas"] = 2
        if day in temperatures:
            values = temperatures[day]
            told["temperature_c"] = {
                "mean": rounded(sum(values) / len(values), 2),
                "min": min(values), "max": max(values), "last": values[-1],
            }
        if day in rates:
            told["heart_rate"] = hearts(rates[day], slots[day], age)
        if day in steps:
            target = 10_000
            told["goals"] = {"steps": {
                "target": target, "value": told["steps"], "percent": rounded(100 * told["steps"] / target, 1),
                "reached": told["steps"] >= target}}
        else:
            told["goals"] = {"steps": {"target": 10_000, "reached": False}}
        print(json.dumps(told))


main()
