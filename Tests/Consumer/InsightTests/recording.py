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


def keytel(sex, rate, weight, age):
    """Kilocalories a minute."""
    if sex == "male":
        joules = -55.0969 + 0.6309 * rate + 0.1988 * weight + 0.2017 * age
    else:
        joules = -20.4022 + 0.4472 * rate - 0.1263 * weight + 0.074 * age
    return max(0, joules / 4.184)


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


def resting(minutes):
    """The lowest mean of five minutes in a row, each of which has half of its twelve slots."""
    means = []
    for number in minutes:
        five = [minutes.get(number + more) for more in range(5)]
        if all(minute and len({second // 5 for second, _ in minute}) >= 6 for minute in five):
            rates = [rate for minute in five for _, rate in minute]
            means.append(sum(rates) / len(rates))
    return min(means, default=None)


def hearts(samples, sex, age, weight):
    """What a day's samples (time, beats a minute) come to."""
    minutes = defaultdict(list)
    for time, rate in samples:
        minutes[time // 60].append((time % 60, rate))
    rates = [rate for _, rate in samples]
    most = 208 - 0.7 * age
    zones, energy, recorded = [0] * 5, 0, 0
    for minute in minutes.values():
        mean = sum(rate for _, rate in minute) / len(minute)
        seconds = 5 * len({second // 5 for second, _ in minute})
        recorded += seconds
        zones[sum(mean >= share * most for share in (0.6, 0.7, 0.8, 0.9))] += seconds
        if mean >= 0.57 * most:
            energy += keytel(sex, min(mean, 0.9 * most), weight, age) * seconds / 60
    day = {"mean": rounded(sum(rates) / len(rates), 1), "min": min(rates), "max": max(rates)}
    if recorded >= 4 * 3600 and resting(minutes) is not None:
        day["resting"] = rounded(resting(minutes), 1)
    day |= {"zones_s": zones, "recorded_s": recorded}
    if sex != "other" and 18 <= age <= 45:
        day["energy_kcal"] = rounded(energy)
    return day


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
    for day in sorted(rates | temperatures | steps):
        age = day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))
        told = {"day": str(day)}
        if day in steps:
            walking, running = steps[day]
            length = height * STEP[sex] / 100
            told["steps"] = walking + running
            told["distance_m"] = rounded((walking + running) * length)
            told["energy_kcal"] = rounded(weight * length / 1000 * (walking * 0.5 + running))
        if day in temperatures:
            values = temperatures[day]
            told["temperature_c"] = {
                "mean": rounded(sum(values) / len(values), 2),
                "min": min(values), "max": max(values), "last": values[-1],
            }
        if day in rates:
            told["heart_rate"] = hearts(rates[day], sex, age, weight)
        if day in steps:
            target = 10_000
            told["goals"] = {"steps": {
                "target": target, "value": told["steps"], "percent": rounded(100 * told["steps"] / target, 1),
                "reached": told["steps"] >= target}}
        else:
            told["goals"] = {"steps": {"target": 10_000, "reached": False}}
        print(json.dumps(told))


main()
