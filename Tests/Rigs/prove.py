"""Runs the rigs that prove the promises of delivery, and prints one table. The exit status is 0 only if all of them hold.
Called by deploy/prove, and in a short form by deploy/test."""

import functools
import importlib
import multiprocessing
import os
import signal
import sys
import threading
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
    "figures": "short",
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
    "cost": "short",
    "year": "normal",
}
# Most of their time, rigs wait: in the short form, so many run at once, but for those that measure how long others wait.
AT_ONCE = 3
MEASURING = {"guardians", "pressure"}


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
    names = [name for name, least in RIGS.items()
             if (name in chosen.rigs if chosen.rigs else SIZES.index(chosen.size) >= SIZES.index(least))]
    outcomes = {}
    if chosen.size == "short":
        outcomes = side_by_side([name for name in names if name not in MEASURING], chosen.size, chosen.seed)
    for name in names:
        if name not in outcomes:
            outcomes[name] = attempt(name, chosen.size, chosen.seed)
    outcomes = [outcomes[name] for name in names]
    print(table(outcomes))
    for outcome in outcomes if chosen.size != "short" or chosen.rigs else []:
        for line in outcome.remarks:
            print(f"{outcome.rig}: {line}")
    sys.exit(0 if outcomes and all(x.holds for x in outcomes) else DEFECT)


def attempt(name, size, seed):
    """A rig's outcome, which is printed; where it breaks down instead, that is its problem."""
    begin = time.monotonic()
    try:
        outcome = importlib.import_module(name).run(size, seed)
    except Exception as error:
        traceback.print_exc()
        outcome = Outcome(name, problems=[f"the rig broke down: {error!r}"])
    lines = [f"  {outcome.rig}: {line}" for line in outcome.problems[:20]]
    print("\n".join([*lines, f"{outcome.rig}: {'holds' if outcome.holds else 'DOES NOT HOLD'} ({time.monotonic() - begin:.0f} s)"]))
    return outcome


def side_by_side(names, size, seed):
    """The outcomes of rigs by their names, each in a process of its own."""
    context, outcomes, running, is_over = multiprocessing.get_context("spawn"), {}, set(), threading.Event()
    # The last of them takes longest, so it begins.
    left = list(reversed(names))

    def work():
        while left and not is_over.is_set():
            name = left.pop(0)
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=attempt_apart, args=(name, size, seed, there))
            running.add(process)
            process.start()
            there.close()
            try:
                outcomes[name] = here.recv()
            except EOFError:
                outcomes[name] = Outcome(name, problems=["the rig ended without an outcome"])
            process.join()
            running.discard(process)

    workers = [threading.Thread(target=work, daemon=True) for _ in range(AT_ONCE)]
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:  # Also where somebody has ended this: they stop what they have started.
        is_over.set()
        for process in list(running):
            process.terminate()
            process.join()
    return outcomes


def attempt_apart(name, size, seed, there):
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    sys.stdout.reconfigure(line_buffering=True)
    there.send(attempt(name, size, seed))


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
