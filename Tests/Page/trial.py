"""Plays the page in a real Chromium against a real broker, consumer and gateway, from signing up to live heart rates, and ends with

    views: N
    axe: N findings
    console: N errors

At each view, in both themes, on a phone and on a desktop: axe-core finds nothing, and nothing can be scrolled sideways.

    trial.py [--pictures FOLDER] [--only PART…]     with a picture of each view in that folder; only signing up, and these parts
"""

import argparse
import os
import signal
import sys
import tempfile
from pathlib import Path

import entering
import friends
import heart
import leaving
import staying
import workouts
from browser import Browser
from home import Home
from playing import Trial

#: In this order: each begins at "Today", with a strap that sends, and ends there.
PARTS = [entering, heart, workouts, friends, staying, leaving]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--only", nargs="+", choices=[part.__name__ for part in PARTS], default=[])
    chosen = parser.parse_args()
    parts = [part for part in PARTS if part is entering or not chosen.only or part.__name__ in chosen.only]
    # Whatever the way out, everything that was started is stopped.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    with Home() as home, tempfile.TemporaryDirectory() as folder:
        home.begin()
        browser = Browser(folder)
        home.callback(browser.close)
        trial = Trial(home, browser, chosen.pictures)
        for step in (step for part in parts for step in part.STEPS):
            try:
                step(trial)
            except BaseException:
                if chosen.pictures:
                    browser.picture(chosen.pictures / f"failed-{step.__name__}.png")
                raise
        browser.hear()
        for line in [*trial.notes, *trial.findings, *browser.complaints]:
            print(line)
        print(f"views: {len(trial.views)}")
        print(f"axe: {len(trial.findings)} findings")
        print(f"console: {len(browser.complaints)} errors")
        sys.exit(1 if trial.findings or browser.complaints else 0)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    main()
