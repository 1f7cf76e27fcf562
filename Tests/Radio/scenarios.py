"""What a real radio does to a gateway, each written once and played in two worlds (see `worlds`). Prints one table; the exit
status is 0 only if all of it holds. Called by deploy/test, with --radio in the bench's machine.

A recovery is measured from the moment when what went wrong is over (the strap is in reach again, bluetoothd started, …)
until the first heart rate of it is heard at the broker. Values are counted while a link is there: from the first that is heard until the
last that was sent before the link is taken away, or the scenario ends."""

import argparse
import dataclasses
import os
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Rigs"))

from household import RELEASE  # noqa: E402
from worlds import WORLDS, Unavailable, World  # noqa: E402


@dataclasses.dataclass
class Trial:
    """A scenario's row in the table, and what it is judged by."""

    scenario: str
    world: World
    recovery: float | None = None
    sent: int = 0
    received: int = 0
    lost: int = 0
    doubled: int = 0
    problems: list[str] = dataclasses.field(default_factory=list)
    remarks: list[str] = dataclasses.field(default_factory=list)

    @property
    def holds(self):
        return not (self.lost or self.doubled or self.problems)

    def expect(self, what, is_so):
        if not is_so:
            self.problems.append(f"not so: {what}")

    # What is heard

    def streams(self, sensor="strap", after=0, limit=60):
        """Waits for a heart rate with a number above one; returns the first such."""
        numbers = self.world.listener.numbers
        return self.world.listener.wait(
            f"a heart rate of {sensor} after number {after}",
            lambda: next((x for x in numbers[sensor] if x > after), None), limit)

    def recovers(self, since, strap, sensor="strap", limit=60, after=None):
        """Waits for the first heart rate that was sent from now on, and takes the time. Returns its number."""
        first = self.streams(sensor, strap.sent() if after is None else after, limit)
        took = time.monotonic() - since
        self.recovery = max(self.recovery or 0, took)
        return first

    def event(self, kind, sensor="strap", since=0.0, limit=60):
        """Waits for an event."""
        listener = self.world.listener
        return listener.wait(f"the event {kind} of {sensor}", lambda: listener.event(kind, sensor, since), limit)

    def count(self, first, last, sensor="strap", limit=10):
        """All from the first number to the last were sent while the link was there: how many came?"""
        due = set(range(first, last + 1))
        numbers = self.world.listener.numbers[sensor]
        try:
            self.world.listener.wait("all of them", lambda: due <= set(numbers), limit)
        except TimeoutError:
            self.remarks.append(f"{sensor}: never came: {sorted(due - set(numbers))[:20]}")
        self.sent += len(due)
        self.received += len(due & set(numbers))
        self.lost += len(due - set(numbers))

    def close(self):
        """At the end: what came twice, of all that was heard."""
        for numbers in self.world.listener.numbers.values():
            self.doubled += len(numbers) - len(set(numbers))


SCENARIOS = {}


def scenario(*, short=False, worlds=("bluez", "stand-in"), waits=None):
    """Registers a scenario: whether the short run has it, and where it makes sense."""
    def register(play):
        SCENARIOS[play.__name__.replace("_", " ")] = play
        play.short, play.worlds, play.waits = short, worlds, waits
        return play
    return register


def connected(trial, strap, **settings):
    """A strap that streams; returns the first number that was heard."""
    trial.world.start_gateway({"strap": strap}, **settings)
    return trial.streams()


# The scenarios

@scenario(short=True)
def first_connection(trial):
    """Never seen before: scan, connect, subscribe, values."""
    [strap] = trial.world.straps()
    begin = time.monotonic()
    first = connected(trial, strap)
    trial.recovery = time.monotonic() - begin
    trial.streams(after=first + 10)
    trial.count(first, strap.sent())
    for kind in ("found", "connected"):
        trial.event(kind)


@scenario(short=True)
def link_lost(trial):
    """Out of reach and back, and a strap that hangs up."""
    [strap] = trial.world.straps()
    first = connected(trial, strap)
    trial.streams(after=first + 5)
    lost = time.monotonic()
    trial.count(first, strap.lose())
    trial.event("disconnected", since=lost)
    strap.find()
    first = trial.recovers(time.monotonic(), strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.hang_up())
    first = trial.recovers(time.monotonic(), strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


@scenario()
def gone_for_a_minute(trial):
    """Nothing is heard of it for 60 s, longer than BlueZ waits in a Connect."""
    [strap] = trial.world.straps()
    first = connected(trial, strap)
    lost = time.monotonic()
    trial.count(first, strap.lose())
    trial.event("disconnected", since=lost)
    time.sleep(max(0, lost + 60 - time.monotonic()))
    strap.find()
    first = trial.recovers(time.monotonic(), strap, limit=90)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


@scenario()
def refused_connections(trial):
    """It ends each link at once, for a while."""
    [strap] = trial.world.straps()
    strap.refuse(True)
    trial.world.start_gateway({"strap": strap})
    trial.event("found")
    trial.world.wait(trial.world.gateway, "it was refused three times", lambda: trial.world.log().count("trying again in") >= 3, 60)
    strap.refuse(False)
    first = trial.recovers(time.monotonic(), strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


@scenario(short=True)
def eight_sensors_at_12_Hz(trial):
    """Every notification of 60 s counted."""
    straps = trial.world.straps(8, rate=1)
    sensors = {f"strap-{index}": strap for index, strap in enumerate(straps)}
    begin = time.monotonic()
    trial.world.start_gateway(sensors)
    for sensor in sensors:
        trial.streams(sensor, limit=40)
    trial.recovery = time.monotonic() - begin
    firsts = {sensor: strap.rate(12) for sensor, strap in sensors.items()}
    time.sleep(60)
    lasts = {sensor: strap.rate(0) - 1 for sensor, strap in sensors.items()}
    for sensor in sensors:
        trial.count(firsts[sensor], lasts[sensor], sensor, limit=30)
    slow = [f"{sensor}: {lasts[sensor] - firsts[sensor]}" for sensor in sensors if lasts[sensor] - firsts[sensor] < 12 * 50]
    trial.expect(f"each sent at 12 Hz: {slow}", not slow)


@scenario(short=True)
def bluetoothd_killed(trial):
    """SIGKILL: it takes nothing back. Started again after two seconds."""
    world = trial.world
    [strap] = world.straps()
    first = connected(trial, strap)
    trial.streams(after=first + 5)
    strap.rate(0)
    trial.count(first, strap.sent())
    killed = time.monotonic()
    world.kill_bluetooth()
    trial.event("disconnected", since=killed)
    time.sleep(2)
    strap.rate(4)
    started = time.monotonic()
    world.start_bluetooth()
    first = trial.recovers(started, strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


@scenario()
def powered_off_and_on(trial):
    """The adapter, for five seconds."""
    world = trial.world
    [strap] = world.straps()
    first = connected(trial, strap)
    strap.rate(0)
    trial.count(first, strap.sent())
    off = time.monotonic()
    world.power(False)
    trial.event("disconnected", since=off)
    time.sleep(5)
    strap.rate(4)
    on = time.monotonic()
    world.power(True)
    first = trial.recovers(on, strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


@scenario(worlds=["bluez"])
def adapter_unplugged(trial):
    """And plugged in again after three seconds."""
    world = trial.world
    [strap] = world.straps()
    first = connected(trial, strap)
    strap.rate(0)
    trial.count(first, strap.sent())
    gone = time.monotonic()
    world.unplug()
    trial.event("disconnected", since=gone)
    time.sleep(3)
    strap.rate(4)
    back = time.monotonic()
    world.plug()
    first = trial.recovers(back, strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


@scenario()
def bus_restarted(trial):
    """The system bus ends, and bluetoothd with it."""
    world = trial.world
    [strap] = world.straps()
    first = connected(trial, strap)
    strap.rate(0)
    trial.count(first, strap.sent())
    gone = time.monotonic()
    world.kill_bus()
    trial.event("disconnected", since=gone)
    time.sleep(2)
    strap.rate(4)
    back = time.monotonic()
    world.start_bus()
    first = trial.recovers(back, strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


@scenario()
def malformed_values(trial):
    """Truncated, empty, too long: counted and dropped, and those after them come."""
    world = trial.world
    [strap] = world.straps()
    first = connected(trial, strap)
    # Two bytes of heart rate promised and one, none or no more there; half an energy; half an RR interval.
    values = ["11", "00", "07", "0701", "0f010002", "1701000304ff"]
    for value in values:
        strap.malformed(value)
        trial.streams(after=strap.sent())
    trial.count(first, strap.sent())
    world.listener.wait(
        "health counts what was malformed",
        lambda: world.listener.find("health", lambda said: said["malformed"] >= len(values)), 30)
    trial.expect("no more was malformed", world.listener.heard[-1].said["malformed"] == len(values))


# All of them

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenarios", nargs="*", help=f"only these: {', '.join(x.replace(' ', '-') for x in SCENARIOS)}")
    parser.add_argument("--world", choices=WORLDS, required=True)
    parser.add_argument("--short", action="store_true", help="only what continuous integration has time for")
    chosen = parser.parse_args()
    names = [x.replace("-", " ") for x in chosen.scenarios]
    if unknown := set(names) - set(SCENARIOS):
        parser.error(f"no such scenario: {', '.join(sorted(unknown))}")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    sys.stdout.reconfigure(line_buffering=True)

    if not (RELEASE / "vitals-gateway").exists():
        sys.exit(f"there are no programs in {RELEASE}: build them first")
    trials = []
    with WORLDS[chosen.world]() as world:
        for name, play in SCENARIOS.items():
            if name not in names if names else chosen.short and not play.short:
                continue
            if chosen.world in play.worlds:
                trials.append(attempt(name, play, world))
    holds = bool(trials) and all(x.holds for x in trials)
    print(table(trials))
    for trial in trials:
        for line in trial.remarks:
            print(f"{trial.scenario}: {line}")
    keep(world, holds)
    sys.exit(0 if holds else 1)


def attempt(name, play, world):
    trial = Trial(name, world)
    begin = time.monotonic()
    world.begin(name)
    try:
        play(trial)
    except Unavailable as reason:
        trial.problems.append(f"not in this world: {reason}")
    except Exception as error:
        traceback.print_exc()
        trial.problems.append(f"{error}")
        trial.problems += world.state()
    trial.close()
    try:
        world.end()
    except Exception as error:
        trial.problems.append(f"at its end: {error!r}")
    for line in trial.problems[:20]:
        print(f"  {name}: {line}")
    print(f"{name}: {'holds' if trial.holds else 'DOES NOT HOLD'} ({time.monotonic() - begin:.0f} s)")
    return trial


def keep(world, holds):
    """Logs stay where something did not hold: in the machine, in the folder that outlives it."""
    if holds and not os.environ.get("VITALS_KEEP"):
        return world.remove()
    if "OUT" in os.environ:
        for path in world.folder.glob("*.log"):
            shutil.copy(path, os.environ["OUT"])
    else:
        print(f"logs: {world.folder}")


def table(trials):
    head = ["scenario", "world", "recovery", "sent", "received", "lost", "doubled", "holds"]
    rows = [
        [x.scenario, x.world.name, "" if x.recovery is None else f"{x.recovery:.1f} s", f"{x.sent:,}", f"{x.received:,}",
         str(x.lost), str(x.doubled), "yes" if x.holds else "NO"]
        for x in trials
    ]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(row):
        cells = [row[0].ljust(widths[0]), row[1].ljust(widths[1])]
        return "  ".join(cells + [cell.rjust(width) for cell, width in zip(row[2:], widths[2:])]).rstrip()

    return "\n".join([line(head), line(["-" * width for width in widths])] + [line(row) for row in rows])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
