"""What a real radio does to a gateway, each written once and played in two worlds (see `worlds`). Prints one table; the exit
status is 0 only if all of it holds. Called by deploy/test, with --radio in the bench's machine.

A recovery is measured from the moment when what went wrong is over (the strap is in reach again, bluetoothd started, …)
until the first heart rate of it is heard at the broker. Values are counted while a link is there: from the first that is heard until the
last that was sent before the link is taken away, or the scenario ends."""

import argparse
import os
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Rigs"))

import links  # noqa: E402, F401  Its scenarios register themselves; so do those of the next.
import sensors  # noqa: E402, F401
import permissions  # noqa: E402, F401
import costs  # noqa: E402, F401
from household import RELEASE  # noqa: E402
from trial import SCENARIOS, Trial  # noqa: E402
from worlds import WORLDS, Unavailable  # noqa: E402


SIZES = {"short": lambda play: play.short, "fast": lambda play: not play.slow, "all": lambda play: True}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenarios", nargs="*", help=f"only these: {', '.join(x.replace(' ', '-') for x in SCENARIOS)}")
    parser.add_argument("--world", choices=WORLDS, required=True)
    parser.add_argument("--size", choices=SIZES, default="all", help="short: for continuous integration; fast: none of a minute or more")
    chosen = parser.parse_args()
    names = [x.replace("-", " ") for x in chosen.scenarios]
    if unknown := set(names) - set(SCENARIOS):
        parser.error(f"no such scenario: {', '.join(sorted(unknown))}")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    sys.stdout.reconfigure(line_buffering=True)

    if not (RELEASE / "vitals-gateway").exists():
        sys.exit(f"there are no programs in {RELEASE}: build them first")
    trials, holds = [], False
    world = WORLDS[chosen.world]()
    try:
        with world:
            for name, play in SCENARIOS.items():
                if name not in names if names else not SIZES[chosen.size](play):
                    continue
                if chosen.world in play.worlds:
                    trials.append(attempt(name, play, world))
        holds = bool(trials) and all(x.holds for x in trials)
    finally:  # Also where its time is over.
        print(table(trials))
        for trial in trials:
            for line in trial.remarks:
                print(f"{trial.scenario}: {line}")
        keep(world, holds)
    sys.exit(0 if holds else 1)


def attempt(name, play, world):
    trial = Trial(name, world)
    begin = time.monotonic()
    try:
        world.begin(name)
        play(trial)
    except Unavailable as reason:
        trial.problems.append(f"not in this world: {reason}")
    except Exception as error:
        traceback.print_exc()
        trial.problems.append(f"{error}")
        try:
            trial.problems += world.state()
        except Exception as silence:  # What should tell is what is broken.
            trial.problems.append(f"nobody tells what the straps are at: {silence!r}")
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
