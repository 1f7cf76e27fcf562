"""A broker that has forgotten everything: under load it is stopped, or killed, all its files are deleted, and it is
started again; 3 times in the short form, 10 times in the normal one, 100 times in the long one.

By themselves all topics that were retained come back, with what they said of who is there; and everything is stored once.
A recovery is measured from the broker's start until all of that is there, and readings flow."""

import random
import subprocess
import time

from household import stop
from kills import LIMIT
from load import Beats, Home, Steps, conclude
from outcome import Outcome

SIZES = {"short": 3, "normal": 10, "long": 100}
#: What each retained topic must say, where it reports that something is online.
PRESENT = {"status": '"online"', "availability": "online", "consumers/": '"online"'}


def run(size: str, seed: int) -> Outcome:
    outcome, dice = Outcome("amnesia", recovery=0.0), random.Random(seed)
    with Home() as home:
        home.up()
        with Beats(home, 60) as beats, Steps(home) as steps:
            home.until_flowing()
            expected = settled(home)
            for number in range(SIZES[size]):
                time.sleep(dice.uniform(0, 1))
                took = forget(home, dice, set(expected), outcome)
                outcome.cases += 1
                outcome.recovery = max(outcome.recovery, took)
                if took > LIMIT:
                    outcome.problems.append(f"round {number}: well again only after {took:.1f} s")
            beats.stop()
            steps.stop()
        home.until_stored()
        conclude(home, beats, steps, outcome)
    outcome.remarks.append(f"{len(expected)} retained topics came back each time")
    return outcome


def forget(home: Home, dice: random.Random, expected: set[str], outcome: Outcome) -> float:
    """One round; returns how long the recovery took."""
    if dice.random() < 0.5:
        home.kill("broker")
    else:
        stop(home.broker)
    home.forget_broker()
    time.sleep(dice.uniform(0, 1))
    restarted = time.monotonic()
    home.start_again("broker")
    home.until_flowing(restarted, limit=120)
    found: dict[str, str] = {}

    def is_all_there():
        found.clear()
        found.update(retained(home, len(expected)))
        return expected <= set(found) and not absent(found)

    try:
        home.wait(home.broker, "retained topics are there again", is_all_there, limit=30)
    except TimeoutError:
        outcome.problems.append(f"not retained again: {sorted(expected - set(found))}; say otherwise: {absent(found)}")
    return time.monotonic() - restarted


def absent(found: dict[str, str]) -> list[str]:
    """Topics that say of somebody who is there that he is not."""
    return [
        f"{topic} {payload}" for topic, payload in found.items()
        for part, word in PRESENT.items() if f"/{part}" in topic and word not in payload
    ]


def settled(home: Home) -> dict[str, str]:
    """What is retained once the household has come to rest: the details of a sensor take a few reads."""
    found: dict[str, str] = {}

    def is_settled():
        found.update(retained(home, 100))
        return any(topic.endswith("strap/info") for topic in found) and any("/consumers/" in topic for topic in found)

    home.wait(home.gateway, "all is retained that a household retains", is_settled)
    return found


def retained(home: Home, count: int) -> dict[str, str]:
    """What the broker has retained: at most so many topics, waiting a second for them."""
    password = home.password_file("consumer").read_text().strip()
    said = subprocess.run(
        ["mosquitto_sub", "-p", str(home.port), "-u", "consumer", "-P", password, "--retained-only", "-t", "vitals/#",
         "-F", "%t %x", "-C", str(count), "-W", "1"], capture_output=True, text=True)
    pairs = (line.partition(" ") for line in said.stdout.splitlines())
    return {topic: bytes.fromhex(payload).decode(errors="replace") for topic, _, payload in pairs}
