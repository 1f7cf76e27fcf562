"""A flush that fails once, and then the power goes. Linux tells of such an error once: what could not be written counts as
written from then on, and the next fsync says that all is well. So a program that just tries again may promise what is not
on the disk, although every check on the running machine finds it there.

The rig is that of the power cuts (powercut.py), over a record in which strace has one fdatasync in each life of gateway and
consumer return EIO without being done. No block that is sent, no reading that is replied with, and nothing that is
acknowledged after that may be lost to a cut. How old the other readings may be is not judged: the gateway tries again
after a second."""

import math
import random

import powercut
from outcome import Outcome

# Runs, seconds of each, states of each.
SIZES = {"short": (1, 12, 60), "normal": (2, 12, 200), "long": (15, 12, 400)}


def run(size, seed):
    runs, seconds, count = SIZES[size]
    choose = random.Random(seed)
    outcome = Outcome("failedflush")
    failures = dict.fromkeys(powercut.PROGRAMS, 0)
    for _ in range(runs):
        # The first eighteen may belong to a program's start, and a failure may end it: from here on both go on. strace
        # counts per thread.
        when = choose.randint(20, 24)
        with powercut.Recorder(options=["-e", f"inject=fdatasync:error=EIO:when={when}"]) as home:
            record = home.record(seconds)
            record.slowest_flush = math.inf
        for program in powercut.PROGRAMS:
            failed = sum(x.kind == "flush-failed" for x in record.timelines[program].events)
            failures[program] += failed
            before = len(outcome.problems)
            powercut.examine(record, program, count // 2, choose, outcome)
            problems = len(outcome.problems) - before
            outcome.remarks.append(
                f"{program}: flush {when} of a thread fails, {failed} times; {problems} problems in {count // 2} states")
    for program, failed in failures.items():
        if not failed:
            outcome.problems.append(f"no flush of the {program} failed: this run has proved nothing")
    return outcome
