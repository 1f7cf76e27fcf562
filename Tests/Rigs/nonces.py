"""No key seals two things under one number, whatever is restarted, killed, restored or cloned.

The work is done by the suite Nonces of Tests/GatewayTests, which runs outboxes in its own process and opens what they leave
with the person's key: here it only runs for longer."""

import os
import re
import subprocess

from household import PROJECT
from outcome import Outcome

ROUNDS = {"normal": 500, "long": 5000}


def run(size, seed):
    outcome = Outcome("nonces")
    built = subprocess.run(["swift", "build", "--build-tests"], cwd=PROJECT, capture_output=True, text=True)
    if built.returncode != 0:
        outcome.problems.append(f"the tests do not build: {built.stdout[-500:]}{built.stderr[-500:]}")
        return outcome
    environment = os.environ | {"VITALS_ROUNDS": str(ROUNDS[size]), "VITALS_SEED": str(seed)}
    tests = subprocess.run(
        ["swift", "test", "--skip-build", "--filter", "NonceTests"],
        cwd=PROJECT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    told = re.search(r"^nonces: (\d+) starts, .*$", tests.stdout, re.MULTILINE)
    if tests.returncode == 0 and told:
        outcome.cases = int(told[1])
        outcome.remarks.append(told[0].removeprefix("nonces: "))
    else:
        wrong = [x for x in tests.stdout.splitlines() if "recorded an issue" in x or "error:" in x]
        outcome.problems += wrong or [f"the suite ended with {tests.returncode}: {tests.stdout[-500:]}"]
    return outcome
