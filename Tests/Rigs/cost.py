"""Whether a notification costs the gateway, and a block the consumer, as many instructions as before: see Tests/Benchmarks/instructions.py."""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "Benchmarks"))

import instructions  # noqa: E402
from outcome import Outcome  # noqa: E402


def run(size, seed):
    outcome = Outcome("cost")
    if shutil.which("valgrind") is None:
        outcome.problems.append("nothing was counted, since there is no valgrind: install Debian's package")
        return outcome
    kept = json.loads(instructions.KEPT.read_text()).get(instructions.world())
    # Where the gateway keeps readings in memory, as systemd makes it for the service.
    with tempfile.TemporaryDirectory(prefix="vitals-cost-", dir="/dev/shm") as memory:
        os.environ["RUNTIME_DIRECTORY"] = memory
        ratios, lines = instructions.found()
    outcome.cases = len(lines)
    outcome.remarks += [f"{instructions.world()}: {line.strip()}" for line in lines]
    if kept:
        outcome.problems += instructions.differing(ratios, kept)
    else:
        outcome.remarks.append("nothing is kept for this compiler and system: deploy/bench instructions --keep")
    return outcome
