"""Plays the page in a real Chromium against a real broker, consumer and gateway, from signing up to live heart rates, and ends with
these lines. What was found is said as soon as it is found.

    views: N
    axe: N findings
    console: N errors

At each view, in both themes, on a phone and on a desktop: axe-core finds nothing, and nothing can be scrolled sideways.

    trial.py [--pictures FOLDER] [--only PART…]     with a picture of each view in that folder, and, if it fails, with what all
                                                    programs have logged; only signing up, and these parts
    trial.py --markup CHECKER …                     has the Nu Html Checker, a Java archive, look at each view's markup, too
    trial.py --short                                the steps that deploy/test plays, with each view on a phone in the dark only
    trial.py --live MINUTES                         after signing up, whether the page stays small: with twelve heart rates a second for so
                                                    long, and while somebody walks through its places
    trial.py --screenshots FOLDER                   after signing up, makes the pictures of the README
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import days
import enduring
import entering
import friends
import heart
import house
import leaving
import music
import oneself
import people
import picturing
import providers
import pushing
import remembering
import running
import serving
import speaking
import staying
import together
import training
import workouts
from browser import Browser
from home import Home
from markup import Markup
from playing import Trial

#: In this order: each begins at "Today", with a strap that sends, and ends there.
PARTS = [entering, heart, workouts, running, training, days, friends, together, people, house, remembering, music, oneself, providers, pushing, serving, staying, speaking, leaving]
#: The steps of the short form.
SHORT = [*entering.STEPS, staying.stays_signed_in, staying.resists, staying.hears_nothing, leaving.looks_at_themselves]


def steps(chosen):
    if chosen.short:
        return SHORT
    if chosen.live:
        return [*entering.STEPS, enduring.lives_for(chosen.live), enduring.walks_about]
    if chosen.screenshots:
        return [*entering.STEPS, picturing.has_a_life, picturing.is_taken(chosen.screenshots)]
    return [step for part in parts(chosen) for step in part.STEPS]


def parts(chosen):
    return [part for part in PARTS if part is entering or not chosen.only or part.__name__ in chosen.only]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--markup", metavar="CHECKER", type=Path)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--only", nargs="+", choices=[part.__name__ for part in PARTS], default=[])
    form.add_argument("--short", action="store_true")
    form.add_argument("--live", type=float, metavar="MINUTES")
    form.add_argument("--screenshots", type=Path, metavar="FOLDER")
    chosen = parser.parse_args()
    if chosen.live:
        Home.speed = 12
    if chosen.short:
        Trial.dresses = (("phone", "dark"),)
    # Whatever the way out, everything that was started is stopped.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    home = Home()
    for part in parts(chosen):
        # What has to be in the settings before anything starts.
        getattr(part, "prepare", lambda home: None)(home)
    # The browser ends with the home, before its folder goes.
    with home:
        home.begin()
        browser = Browser(home.enter_context(tempfile.TemporaryDirectory()))
        home.callback(browser.close)
        markup = chosen.markup and Markup(chosen.markup, home.folder / "markup")
        trial = Trial(home, browser, chosen.pictures, markup)
        began = time.monotonic()
        for step in steps(chosen):
            browser.mark()
            try:
                step(trial)
            except BaseException:
                if chosen.pictures:
                    browser.picture(chosen.pictures / f"failed-{step.__name__}.png")
                    for log in home.folder.glob("*.log"):
                        shutil.copy(log, chosen.pictures)
                raise
            # At once, because a trial may end before its last lines.
            print(*browser.unsaid(), f"{time.monotonic() - began:4.0f} s: {step.__module__}.{step.__name__}", sep="\n", flush=True)
        trial.notes.append(f"played in {time.monotonic() - began:.0f} s")
        mistakes = markup.findings() if markup else []
        for line in [*trial.notes, *mistakes]:
            print(line)
        print(f"views: {len(trial.views)}")
        if markup:
            print(f"markup: {len(mistakes)} errors")
        print(f"axe: {len(trial.findings)} findings")
        print(f"console: {len(browser.complaints)} errors")
        sys.exit(1 if trial.findings or mistakes or browser.complaints else 0)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    main()
