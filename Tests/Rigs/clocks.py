"""Clocks that are wrong. A Raspberry Pi without a battery for its clock boots with a time that is plausible and wrong, and
learns the right one later. A preloaded library (clock.c) gives the unmodified gateway such a wall clock (the monotonic one
stays true), and sets it while the gateway runs, or while it is dead: hours behind, ahead, and forth and back. At the end
the clock is right, and every reading that is stored must have the true time at which the rig made it, to within what a
busy machine takes; in the right order, none lost, none twice."""

import random
import struct
import subprocess
from pathlib import Path

from load import QUICK, Beats, Home, judge
from outcome import Outcome

#: How often the clock is set.
SIZES = {"short": 3, "normal": 10, "long": 60}
HOUR = 3600


def run(size, seed):
    outcome = Outcome("clocks")
    dice = random.Random(seed)
    with ClockedHome() as home:
        home.set_clock(-dice.randint(1, 300 * 24) * HOUR)
        home.up()
        with Beats(home, rate=30) as beats:
            for number in range(SIZES[size]):
                step(home, beats, dice, is_last=number == SIZES[size] - 1)
                outcome.cases += 1
            home.until_flowing()
        home.until_stored()
        found = judge(home, beats)
    outcome.lost, outcome.duplicated = len(found.lost), len(found.duplicated)
    outcome.corrupt = len(found.corrupt)
    outcome.problems += found.corrupt[:10]
    if "the clock was set by" not in home.clock_log:
        outcome.problems.append("the gateway never said that the clock was set: the rig does not do what it should")
    if outcome.holds:
        outcome.remarks.append(f"{found.stored} readings stored, all at their true times")
    return outcome


def step(home, beats, dice, is_last):
    """Sets the clock while the gateway runs or is dead; the last time, to the truth."""
    count = len(beats.beats) + dice.randint(5, 40)
    home.wait(home.sensor, "there are more beats", lambda: len(beats.beats) >= count)
    seconds = 0 if is_last else dice.choice([-1, 1]) * dice.choice([1, 30, HOUR, 26 * HOUR, 400 * 24 * HOUR])
    if dice.random() < 0.4:
        home.kill("gateway")
        home.set_clock(seconds)
        home.start_again("gateway")
        home.until_flowing()
    else:
        home.set_clock(seconds)


class ClockedHome(Home):
    """A household whose gateway has a wall clock that the rig sets."""

    def __init__(self):
        super().__init__(gateway_lines=QUICK)
        self.clock_log = ""

    def _make_folder(self):
        folder = super()._make_folder()
        subprocess.run(
            ["cc", "-O2", "-Wall", "-shared", "-fPIC", "-o", folder / "clock.so", Path(__file__).with_name("clock.c")],
            check=True)
        (folder / "clock").write_bytes(bytes(8))
        return folder

    def start(self, name, command, **options):
        if name == "gateway":
            settings = {"LD_PRELOAD": self.folder / "clock.so", "VITALS_CLOCK": self.folder / "clock"}
            command = ["env", *(f"{key}={value}" for key, value in settings.items()), *command]
        return super().start(name, command, **options)

    def __exit__(self, *error):
        self.clock_log = self.log("gateway")
        return super().__exit__(*error)

    def set_clock(self, seconds):
        """From now on the gateway's wall clock is ahead of the true one by so much."""
        with open(self.folder / "clock", "r+b", buffering=0) as clock:
            clock.write(struct.pack("=q", seconds * 1000))
