"""No key seals two things under one number, whatever is restarted, killed, restored or cloned.

The work is done by the suite Nonces of Tests/Gateway/GatewayTests, which runs outboxes in its own process and opens what they leave
with the person's key: here it only runs for longer."""

import re

from answers import build_tests, swift
from outcome import Outcome

ROUNDS = {"normal": 500, "long": 5000}


def run(size, seed):
    outcome = Outcome("nonces")
    if problem := build_tests():
        outcome.problems.append(problem)
        return outcome
    tests = swift("test", "--skip-build", "--filter", "NonceTests", VITALS_ROUNDS=str(ROUNDS[size]), VITALS_SEED=str(seed))
    told = re.search(r"^nonces: (\d+) starts, .*$", tests.stdout, re.MULTILINE)
    if tests.returncode == 0 and told:
        outcome.cases = int(told[1])
        outcome.remarks.append(told[0].removeprefix("nonces: "))
    else:
        wrong = [x for x in tests.stdout.splitlines() if "recorded an issue" in x or "error:" in x]
        outcome.problems += wrong or [f"the suite ended with {tests.returncode}: {tests.stdout[-500:]}"]
    return outcome
