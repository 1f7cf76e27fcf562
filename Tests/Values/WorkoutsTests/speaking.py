"""Writes down what is said of a recorded workout, from its CSV alone, knowing nothing of the program.

    speaking.py FILE ACTIVITY AGE GOAL_M

The workout begins with the first row and ends with the last one. Prints one JSON object with a list for each language, units and interval, such as
"en metric 5 minutes": what is said, each with its second. A progress says duration, distance, pace, speed, heart rate, zone and goal."""

import csv
import json
import math
import sys

from workout import FASTEST, STANDING, followed

MILE = 1609.344
WORDS = {
    "en": {
        "hour": ("hour", "hours"), "minute": ("minute", "minutes"), "second": ("second", "seconds"),
        "kilometre": ("kilometre", "kilometres"), "metre": ("metre", "metres"), "mile": ("mile", "miles"),
        "pace": "average pace {} per {}", "speed": "average speed {} per hour", "heart": "heart rate {}", "zone": "zone {}", "rest": "below zone 1",
        "goal": "{} percent of the goal", "reached": "Goal reached: {}.", "point": ".", "began": "Workout started: {}. Goal: {}.",
        "ended": "Workout ended: {}, {}.", "running": "running", "cycling": "cycling",
    },
    "de": {
        "hour": ("Stunde", "Stunden"), "minute": ("Minute", "Minuten"), "second": ("Sekunde", "Sekunden"),
        "kilometre": ("Kilometer", "Kilometer"), "metre": ("Meter", "Meter"), "mile": ("Meile", "Meilen"),
        "pace": "Durchschnittstempo {} pro {}", "speed": "Durchschnittsgeschwindigkeit {} pro Stunde", "heart": "Puls {}", "zone": "Zone {}", "rest": "unter Zone 1",
        "goal": "{} Prozent des Ziels", "reached": "Ziel erreicht: {}.", "point": ",", "began": "Training gestartet: {}. Ziel: {}.",
        "ended": "Training beendet: {}, {}.", "running": "Laufen", "cycling": "Radfahren",
    },
}


def nearest(value):
    return math.floor(value + 0.5)


class Voice:
    def __init__(self, language, units):
        self.words, self.is_metric = WORDS[language], units == "metric"

    def tenths(self, value):
        return f"{nearest(value * 10) / 10:.1f}".removesuffix(".0").replace(".", self.words["point"])

    def count(self, number, what):
        one, many = self.words[what]
        return f"{number} {one if number in (1, '1') else many}"

    def distance(self, metres):
        if not self.is_metric:
            return self.count(self.tenths(metres / MILE), "mile")
        short = nearest(metres / 10) * 10
        return self.count(short, "metre") if short < 1000 else self.count(self.tenths(metres / 1000), "kilometre")

    def time(self, seconds):
        parts = [(seconds // 3600, "hour"), (seconds // 60 % 60, "minute"), (seconds % 60, "second")]
        if seconds >= 3600:
            parts = parts[:2]
        return " ".join(self.count(number, what) for number, what in parts if number)

    def progress(self, seconds, metres, rate, zone, percent):
        length, name = (1000, "kilometre") if self.is_metric else (MILE, "mile")
        pace = self.time(nearest(seconds / metres * length))
        speed = self.count(self.tenths(metres / seconds * 3600 / length), name)
        text = ", ".join([
            self.time(seconds), self.distance(metres), self.words["pace"].format(pace, self.words[name][0]),
            self.words["speed"].format(speed), self.words["heart"].format(rate), self.words["zone" if zone else "rest"].format(zone),
            self.words["goal"].format(math.floor(percent)),
        ])
        return text[0].upper() + text[1:] + "."


def said(voice, activity, goal, bounds, moments, interval):
    every, unit = interval.split()
    step = {"minutes": 60, "kilometres": 1000, "miles": MILE}[unit] * int(every)
    texts, spoken, is_reached = [(0, "start", voice.words["began"].format(voice.words[activity], voice.distance(goal)))], 0, False
    for second, metres, rate in moments:
        if metres >= goal and not is_reached:
            is_reached = True
            texts.append((second, "goal", voice.words["reached"].format(voice.distance(goal))))
        count = int((second if unit == "minutes" else metres) // step)
        if count > spoken:
            spoken = count
            zone = sum(rate >= bound for bound in bounds)
            texts.append((second, "progress", voice.progress(second, metres, rate, zone, 100 * metres / goal)))
    second, metres, _ = moments[-1]
    texts.append((second, "end", voice.words["ended"].format(voice.time(second), voice.distance(metres))))
    return [{"second": second, "kind": kind, "text": text} for second, kind, text in texts]


def main():
    file, activity, age, goal = sys.argv[1:]
    with open(file) as lines:
        rows = [{**row, "second": int(row["elapsed_s"])} for row in csv.DictReader(lines)]
    kept = followed(
        [(row["second"], (float(row["latitude_deg"]), float(row["longitude_deg"])), 0, 0) for row in rows],
        FASTEST[activity], STANDING[activity])
    ways = {row["second"]: row["added"] for row in kept}
    rates = {row["second"]: int(row["heart_rate_bpm"]) for row in rows if row["heart_rate_bpm"]}
    moments, metres, rate = [], 0, rates.get(0)
    for second in range(1, rows[-1]["second"] + 1):
        metres, rate = metres + ways.get(second, 0), rates.get(second, rate)
        moments.append((second, metres, rate))
    bounds = [share * (208 - 0.7 * int(age)) for share in (0.5, 0.6, 0.7, 0.8, 0.9)]
    print(json.dumps({
        f"{language} {units} {interval}": said(Voice(language, units), activity, float(goal), bounds, moments, interval)
        for language in WORDS for units in ("metric", "imperial") for interval in ("5 minutes", "1 kilometres", "1 miles")
    }))


main()
