"""The kill matrix: gateway, broker and consumer of a household under load are killed at random instants, one or two at
once, and started again after random pauses; the broker with what it has written deleted, or not. Every third time the
next kill comes before all is well again. Each is killed 10 times in the short form, 20 times in the normal one, 200 times
in the long one.

By the seed, the gateway has a folder for readings in memory, or none.

At the end every heart rate that the gateway had for 50 ms is stored once, and every read of steps that was answered; the
consumer's own check finds nothing wrong. How long a recovery takes is measured from the start of what was killed last
until a block of new readings is acknowledged and nothing older waits: with two blocks a second, at best half a second."""

import dataclasses
import random
import statistics
import time

from load import PROGRAMS, Beats, Home, Steps, conclude
from outcome import Outcome

#: How often each program is killed, and how many heart rates come in a second: together no more than there are values.
SIZES = {"short": (10, 60), "normal": (20, 60), "long": (200, 40)}
#: The longest time that a recovery may take, in seconds.
LIMIT = 5


@dataclasses.dataclass
class Round:
    """What happens in one round: drawn beforehand, so that a seed says all of it."""

    #: Killed at once, and started again in this order.
    victims: list[str]
    #: Seconds to the kill, from the recovery before it, or from the start where nothing waited for a recovery.
    wait: float
    #: Seconds before each of them is started again.
    pauses: list[float]
    #: Whether the broker's files are deleted, where it is killed.
    forgets: bool
    #: Whether the next round waits for the recovery of this one.
    recovers: bool


def draw(kills: int, dice: random.Random) -> list[Round]:
    """Rounds in which each program is killed so often."""
    left = {name: kills for name in PROGRAMS}
    rounds = []
    while names := [name for name, count in left.items() if count]:
        weights = [left[name] for name in names]
        victims = [dice.choices(names, weights)[0]]
        others = [name for name in names if name not in victims]
        if others and dice.random() < 0.25:
            victims.append(dice.choice(others))
        for name in victims:
            left[name] -= 1
        rounds.append(Round(
            victims, dice.uniform(0, 0.6), [dice.uniform(0, 0.4) for _ in victims], dice.random() < 0.5,
            dice.random() < 0.67))
    rounds[-1].recovers = True
    return rounds


def run(size: str, seed: int) -> Outcome:
    kills, rate = SIZES[size]
    outcome, dice = Outcome("kills"), random.Random(seed)
    rounds = draw(kills, dice)
    recoveries: dict[str, list[float]] = {}
    # Without a folder for them, no readings are kept in memory, as in a container.
    with Home(has_memory=dice.random() < 0.5) as home:
        outcome.remarks.append(f"the gateway keeps readings in memory: {'yes' if home.memory else 'no'}")
        home.up()
        with Beats(home, rate) as beats, Steps(home) as steps:
            home.until_flowing()
            for number, this in enumerate(rounds):
                restarted = play(home, this)
                outcome.cases += len(this.victims)
                if this.recovers:
                    took = home.until_flowing(restarted, limit=120)
                    recoveries.setdefault(" and ".join(sorted(this.victims)), []).append(took)
                    if took > LIMIT:
                        outcome.problems.append(f"round {number}, {describe(this)}: well again only after {took:.1f} s")
            beats.stop()
            steps.stop()
        home.until_stored()
        conclude(home, beats, steps, outcome)
    outcome.recovery = max(max(each) for each in recoveries.values())
    for names, each in sorted(recoveries.items()):
        outcome.remarks.append(
            f"recovery from {len(each)} kills of {names}: median {statistics.median(each):.1f} s, worst {max(each):.1f} s")
    return outcome


def play(home: Home, this: Round) -> float:
    """Kills, and starts again; returns when the last was started, by the monotonic clock."""
    time.sleep(this.wait)
    for name in this.victims:
        home.kill(name)
    if this.forgets and "broker" in this.victims:
        home.forget_broker()
    for name, pause in zip(this.victims, this.pauses):
        time.sleep(pause)
        restarted = time.monotonic()
        home.start_again(name)
    return restarted


def describe(this: Round) -> str:
    return " and ".join(this.victims) + (", files deleted" if this.forgets and "broker" in this.victims else "")
