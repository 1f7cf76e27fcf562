"""What a scenario is played with, and judged by."""

import collections
import dataclasses
import time

from worlds import World


@dataclasses.dataclass
class Trial:
    """A scenario's row in the table, and what it is judged by."""

    scenario: str
    world: World
    recovery: float | None = None
    sent: int = 0
    received: int = 0
    lost: int = 0
    doubled: int = 0
    problems: list[str] = dataclasses.field(default_factory=list)
    remarks: list[str] = dataclasses.field(default_factory=list)

    @property
    def holds(self):
        return not (self.lost or self.doubled or self.problems)

    def expect(self, what, is_so):
        if not is_so:
            self.problems.append(f"not so: {what}")

    # What is heard

    def streams(self, sensor="strap", after=0, limit=60):
        """Waits for a heart rate with a number above one; returns the first such."""
        numbers = self.world.listener.numbers
        return self.world.listener.wait(
            f"a heart rate of {sensor} after number {after}",
            lambda: next((x for x in numbers[sensor] if x > after), None), limit)

    def recovers(self, since, strap, sensor="strap", limit=60, after=None):
        """Waits for the first heart rate that was sent from now on, and takes the time. Returns its number."""
        first = self.streams(sensor, strap.sent() if after is None else after, limit)
        took = time.monotonic() - since
        self.recovery = max(self.recovery or 0, took)
        return first

    def event(self, kind, sensor="strap", since=0.0, limit=60):
        """Waits for an event."""
        listener = self.world.listener
        return listener.wait(f"the event {kind} of {sensor}", lambda: listener.event(kind, sensor, since), limit)

    def is_so(self, what, topic, is_it, since=0.0, limit=60):
        """Waits until something is said on a topic."""
        return self.world.listener.wait(what, lambda: self.world.listener.find(topic, is_it, since), limit)

    def count(self, first, last, sensor="strap", limit=10):
        """All from the first number to the last were sent while the link was there: how many came?"""
        due = set(range(first, last + 1))
        numbers = self.world.listener.numbers[sensor]
        try:
            self.world.listener.wait("all of them", lambda: due <= set(numbers), limit)
        except TimeoutError:
            self.remarks.append(f"{sensor}: never came: {sorted(due - set(numbers))[:20]}")
        self.sent += len(due)
        self.received += len(due & set(numbers))
        self.lost += len(due - set(numbers))

    def close(self):
        """At the end: what came twice, of all that was heard."""
        for sensor, numbers in self.world.listener.numbers.items():
            twice = [number for number, count in collections.Counter(numbers).items() if count > 1]
            self.doubled += len(numbers) - len(set(numbers))
            if twice:
                self.remarks.append(f"{sensor}: came more than once: {twice[:20]}")


SCENARIOS = {}


def scenario(*, short=False, slow=False, worlds=("bluez", "stand-in")):
    """Registers a scenario: whether continuous integration has time for it, whether it takes a minute or more wherever it is
    played, and where it makes sense."""
    def register(play):
        SCENARIOS[play.__name__.replace("_", " ")] = play
        play.short, play.slow, play.worlds = short, slow, worlds
        return play
    return register


def connected(trial, strap, **settings):
    """A strap that streams; returns the first number that was heard."""
    trial.world.start_gateway({"strap": strap}, **settings)
    return trial.streams()
