"""What a household sees of its gateway: everything on its topics, as it comes."""

import collections
import json
import threading
import time
from typing import NamedTuple

ROOT = "vitals/v1/gateways/home"


class Heard(NamedTuple):
    #: When, by the monotonic clock.
    at: float
    #: Below the gateway's, such as `sensors/strap/heart-rate`.
    topic: str
    #: What the payload's JSON says, or its text where it is none.
    said: object


class Listener:
    """`mosquitto_sub` on all of a gateway's topics."""

    def __init__(self, household):
        #: All that was heard since `forget`.
        self.heard: list[Heard] = []
        #: The numbers that each sensor's heart rates carried.
        self.numbers: dict[str, list[int]] = collections.defaultdict(list)
        self._arrived = threading.Condition()
        command = ["stdbuf", "-oL", "mosquitto_sub", "-p", household.port, "-t", f"{ROOT}/#", "-F", "%t %p"]
        self._program = household.start("listener", command, stdout=-1)
        threading.Thread(target=self._read, daemon=True).start()
        subscribed = household.folder / "broker.log"
        household.wait(self._program, "the broker takes the subscription", lambda: f"{ROOT}/#" in subscribed.read_text())

    def _read(self):
        for line in self._program.stdout:
            topic, _, payload = line.decode(errors="replace").rstrip("\n").partition(" ")
            try:
                said = json.loads(payload)
            except ValueError:
                said = payload
            heard = Heard(time.monotonic(), topic.removeprefix(f"{ROOT}/"), said)
            with self._arrived:
                self.heard.append(heard)
                if topic.endswith("/heart-rate"):
                    self.numbers[topic.split("/")[-2]].append(said["bpm"])
                self._arrived.notify_all()

    def forget(self):
        """Begins anew: for the next scenario."""
        with self._arrived:
            self.heard, self.numbers = [], collections.defaultdict(list)

    def wait(self, what, is_so, limit):
        """Waits for something that what is heard brings about; returns what `is_so` returned."""
        with self._arrived:
            found = self._arrived.wait_for(is_so, limit)
        if not found:
            raise TimeoutError(f"not within {limit} s: {what}")
        return found

    def find(self, topic, is_it=lambda said: True, since=0.0):
        """The first of what was heard that is so, or None."""
        with self._arrived:
            return next((x for x in self.heard if x.at >= since and x.topic == topic and is_it(x.said)), None)

    def event(self, kind, sensor=None, since=0.0):
        """The first event of a kind, of a sensor if one is named."""
        return self.find("events", lambda said: said["kind"] == kind and sensor in (None, said.get("sensor")), since)
