"""A disk that takes its time: every flush of the gateway takes 150 ms longer than it would, as it may on an SD card, and
there is hardly a moment without one. Under load the gateway is killed at random instants, 6 times in the short form, 15
times in the normal one, 100 times in the long one, and started again.

Nothing that it had for 50 ms may be lost: who waits for the disk must not keep readings from the journal meanwhile. What
is due is told in load.py, and how soon all must be well again in kills.py."""

import random
import time

from faults import LOG, Fault
from kills import LIMIT
from load import Beats, Home, Steps, conclude
from outcome import Outcome

SIZES = {"short": 6, "normal": 15, "long": 100}
#: One flush has hardly ended when the next one begins.
LINES = 'outbox: { flush_interval: "100 ms", block_interval: "500 ms" },'


class SlowHome(Home):
    """A household whose gateway's disk is slow."""

    def __init__(self):
        super().__init__(gateway_lines=LINES)
        self._fault = Fault("fsync,fdatasync", 1, "late", lasts=True)

    def start(self, name, command, **options):
        if name == "gateway":
            command = [*self._fault.wrapper(self.folder, name), *command]
        return super().start(name, command, **options)

    def flushes(self) -> int:
        """How many there were."""
        return (self.folder / LOG).read_text().count("sync ")


def run(size: str, seed: int) -> Outcome:
    outcome, dice = Outcome("slowdisk", recovery=0.0), random.Random(seed)
    with SlowHome() as home:
        home.up()
        with Beats(home, 60) as beats, Steps(home) as steps:
            home.until_flowing()
            begin, before = time.monotonic(), home.flushes()
            for number in range(SIZES[size]):
                time.sleep(dice.uniform(0.5, 1.5))
                home.kill("gateway")
                restarted = time.monotonic()
                home.start_again("gateway")
                took = home.until_flowing(restarted, limit=120)
                outcome.cases += 1
                outcome.recovery = max(outcome.recovery, took)
                if took > LIMIT:
                    outcome.problems.append(f"round {number}: well again only after {took:.1f} s")
            busy = (home.flushes() - before) * 0.15 / (time.monotonic() - begin)
            beats.stop()
            steps.stop()
        home.until_stored()
        conclude(home, beats, steps, outcome)
    outcome.remarks.append(f"the gateway's flushes took {100 * busy:.0f} % of the time")
    if busy < 0.4:
        outcome.problems.append("the disk was hardly used: this run has proved nothing")
    return outcome
