"""A bad network: gateway and consumer each reach the broker through a proxy of the rig's own. Under load there are
delays, connections that are reset every second or two, black holes that end in time, and such that outlast the
keep-alive, in either direction or both, for one program or both; up to minutes in the long form.

At the end everything is stored once. A recovery is measured from the end of a fault until a block of new readings is
acknowledged and nothing older waits. How long it may take is set by what a program that finds the network gone has to
wait for: a silence is noticed after twice the keep-alive, a try of a connection ends after 10 s, and pauses lie between
the tries."""

import contextlib
import dataclasses
import random
import time

from load import QUICK, Beats, Home, Steps, conclude
from outcome import Outcome
from proxy import DOWN, UP, Proxy

#: Seconds: the least that the settings accept.
KEEP_ALIVE = 5
#: A dead connection that nobody notices before the network is back, a try that then is under way, and a pause.
LIMIT = 2 * KEEP_ALIVE + 10 + 5
WAYS = [{UP}, {DOWN}, {UP, DOWN}]


@dataclasses.dataclass
class Fault:
    kind: str
    #: Seconds that it lasts.
    length: float
    #: The programs that have the fault.
    programs: list[str]
    #: Seconds that each piece is late, or between resets.
    amount: float = 0.0
    ways: set[str] = dataclasses.field(default_factory=set)

    def __str__(self):
        ways = " " + " and ".join(sorted(self.ways)) if self.ways else ""
        return f"{self.kind}{ways} for {self.length:.0f} s at {' and '.join(self.programs)}"


def draw(size: str, dice: random.Random) -> list[Fault]:
    """Of each kind some; which programs, ways and lengths are by chance."""
    faults = []

    def add(count, make):
        faults.extend(make() for _ in range(count))

    def programs():
        return dice.choice([["gateway"], ["consumer"], ["gateway", "consumer"]])

    few, many, dead = {"short": (1, 1, 1), "normal": (2, 4, 2), "long": (6, 20, 8)}[size]
    add(few, lambda: Fault("delays", dice.uniform(2, 4), programs(), amount=dice.uniform(0.05, 0.4)))
    add(few, lambda: Fault("resets", dice.uniform(3, 5), programs(), amount=dice.uniform(0.7, 2)))
    add(many, lambda: Fault("holding hole", dice.uniform(1, 4), programs(), ways=dice.choice(WAYS)))
    add(dead, lambda: Fault("swallowing hole", dice.uniform(1, 2.5) * KEEP_ALIVE, programs(), ways=dice.choice(WAYS)))
    if size == "long":
        for programs_ in [["gateway"], ["consumer"], ["gateway", "consumer"]]:
            faults.append(Fault("swallowing hole", 150, programs_, ways={UP, DOWN}))
            faults.append(Fault("holding hole", 60, programs_, ways={UP, DOWN}))
    dice.shuffle(faults)
    return faults


def run(size: str, seed: int) -> Outcome:
    outcome = Outcome("network", recovery=0.0)
    worst: dict[str, float] = {}
    with contextlib.ExitStack() as stack:
        proxies = {name: stack.enter_context(Proxy()) for name in ["gateway", "consumer"]}
        ports = {name: proxy.port for name, proxy in proxies.items()}
        home = stack.enter_context(Home(gateway_lines=QUICK, broker_lines=f'keep_alive: "{KEEP_ALIVE} s",', ports=ports))
        for proxy in proxies.values():
            proxy.target = home.port
        home.up()
        with Beats(home, 40) as beats, Steps(home) as steps:
            home.until_flowing()
            for fault in draw(size, random.Random(seed)):
                play(fault, [proxies[name] for name in fault.programs])
                took = home.until_flowing(time.monotonic(), limit=200)
                outcome.cases += 1
                worst[fault.kind] = max(worst.get(fault.kind, 0.0), took)
                if took > LIMIT:
                    outcome.problems.append(f"{fault}: well again only {took:.1f} s after its end")
            beats.stop()
            steps.stop()
        home.until_stored(limit=120)
        conclude(home, beats, steps, outcome)
        swallowed, connections = (sum(getattr(x, what) for x in proxies.values()) for what in ("swallowed", "connections"))
    if not swallowed:
        outcome.problems.append("the holes swallowed nothing: this run has proved nothing")
    outcome.recovery = max(worst.values())
    outcome.remarks.append(f"{connections} connections, {swallowed} pieces swallowed")
    outcome.remarks += [f"worst recovery from {kind}: {took:.1f} s" for kind, took in sorted(worst.items())]
    return outcome


def play(fault: Fault, proxies: list[Proxy]) -> None:
    """Brings a fault about, and ends it."""
    end = time.monotonic() + fault.length
    for proxy in proxies:
        match fault.kind:
            case "delays":
                proxy.delay = fault.amount
            case "holding hole":
                proxy.hold(fault.ways)
            case "swallowing hole":
                proxy.swallows = fault.ways
    while fault.kind == "resets" and time.monotonic() + fault.amount < end:
        time.sleep(fault.amount)
        for proxy in proxies:
            proxy.reset()
    time.sleep(max(0.0, end - time.monotonic()))
    for proxy in proxies:
        proxy.delay = 0.0
        proxy.hold(set())
        proxy.swallows = set()
