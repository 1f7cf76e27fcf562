"""Runs the rigs that prove the promises of delivery, and prints one table. The exit status is 0 only if all of them hold.
Called by deploy/prove, and in a short form by deploy/test."""

import functools
import importlib
import os
import signal
import sys
import time
import traceback

from arguments import DEFECT, ArgumentParser
from outcome import Outcome

# A rig is a module with `run(size, seed)`, which returns an Outcome; size is one of these.
SIZES = ["short", "normal", "long"]
# In the order of the table; rigs that only take part from some size on say which.
RIGS = {
    "kills": "short",
    "goals": "short",
    "workouts": "short",
    "guardians": "short",
    "reminders": "short",
    "calendars": "short",
    "week": "short",
    "slowdisk": "short",
    "powercut": "short",
    "failedflush": "short",
    "io_errors": "short",
    "network": "short",
    "amnesia": "short",
    "bridge": "short",
    "restored": "short",
    "clocks": "short",
    "forgery": "short",
    "canary": "short",
    "nonces": "normal",
    "answers": "short",
    "access": "short",
    "pressure": "short",
    "fuzzing": "normal",
    "sanitizers": "normal",
    "wear": "normal",
    "year": "normal",
}


def main():
    parser = ArgumentParser(prog="deploy/prove", description=__doc__)
    parser.add_argument("rigs", nargs="*", metavar="RIG", help=f"only these: {', '.join(RIGS)}")
    add_size = functools.partial(parser.add_argument, action="store_const", dest="size", default="normal")
    add_size("--short", const="short", help="some minutes, as deploy/test has it; without remarks")
    add_size("--long", const="long", help="hundreds of kills, thousands of power cuts")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)), help="to repeat a run's random choices")
    chosen = parser.parse_args()
    if unknown := set(chosen.rigs) - set(RIGS):
        parser.error(f"no such rig: {', '.join(sorted(unknown))}")
    parser.leave_if_only_asked()

    # Whatever the way out, everything that was started is stopped.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    sys.stdout.reconfigure(line_buffering=True)
    print(f"seed {chosen.seed}")
    outcomes = []
    for name, least in RIGS.items():
        if name not in chosen.rigs if chosen.rigs else SIZES.index(chosen.size) < SIZES.index(least):
            continue
        begin = time.monotonic()
        outcome = attempt(name, chosen.size, chosen.seed)
        outcomes.append(outcome)
        for line in outcome.problems[:20]:
            print(f"  {outcome.rig}: {line}")
        print(f"{outcome.rig}: {'holds' if outcome.holds else 'DOES NOT HOLD'} ({time.monotonic() - begin:.0f} s)")
    print(table(outcomes))
    for outcome in outcomes if chosen.size != "short" or chosen.rigs else []:
        for line in outcome.remarks:
            print(f"{outcome.rig}: {line}")
    sys.exit(0 if outcomes and all(x.holds for x in outcomes) else DEFECT)


def attempt(name, size, seed):
    """A rig's outcome; where it breaks down instead, that is its problem."""
    try:
        return importlib.import_module(name).run(size, seed)
    except Exception as error:
        traceback.print_exc()
        return Outcome(name, problems=[f"the rig broke down: {error!r}"])


def table(outcomes):
    head = ["rig", "cases", "lost", "duplicated", "corrupt", "forged", "recovery", "holds"]
    rows = [
        [x.rig, f"{x.cases:,}", *map(str, [x.lost, x.duplicated, x.corrupt, x.forged]),
         "" if x.recovery is None else f"{x.recovery:.1f} s", "yes" if x.holds else "NO"]
        for x in outcomes
    ]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(row):
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        return "  ".join(cells).rstrip()

    return "\n".join([line(head), line(["-" * width for width in widths])] + [line(row) for row in rows])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
