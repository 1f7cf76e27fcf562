"""The consumer, restored from yesterday's backup, has everything again.

In each round the consumer is backed up while it runs under load. More readings come; the gateway is killed and started in
between, so that they are under session keys that the backup does not have; and the sensor is claimed by another person,
by a grant that the backup does not have either. Then the consumer is killed, its folder deleted, the backup restored and
the service started. Gateways see a store that they do not know and send again all that they keep. At the end of each
round the load stops, and what is stored of both people is compared with what the sensor sent: everything once."""

import json
import random
import shutil
import subprocess
import time

from household import RELEASE
from load import Beats, Home, judge, recount
from outcome import Outcome

ROUNDS = {"short": 1, "normal": 3, "long": 20}
RATE = 40
PEOPLE = ["demo", "guest"]


class TwoPeople(Home):
    """A household whose strap demo and guest wear by turns."""

    def claim(self, person):
        """Whose the sensor is from the consumer's next start."""
        text = self.consumer_settings.read_text()
        start = text.index("people:")
        end = text.index("\n", start)
        strap = '"home/strap"'
        people = ", ".join(f"{one}: {{ sensors: [{strap if one == person else ''}] }}" for one in PEOPLE)
        self.consumer_settings.write_text(f"{text[:start]}people: {{ {people} }},{text[end:]}")

    def stored(self, kind="heart-rate"):
        rows = []
        for person in PEOPLE:
            lines = self.consumer_command("readings", "--user", person, "--kind", kind).splitlines()
            rows += [json.loads(line) for line in lines]
        return sorted(rows, key=lambda row: row["time"])

    def consumer_command(self, *words):
        command = [RELEASE / "vitals-consumer", *words, "--settings", self.consumer_settings]
        said = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if said.returncode != 0:
            raise RuntimeError(f"vitals-consumer {words[0]}: status {said.returncode}: {said.stderr.strip()}")
        return said.stdout


def run(size, seed) -> Outcome:
    outcome, rng = Outcome("restored"), random.Random(seed)
    with TwoPeople() as home:
        home.claim("demo")
        home.up()
        sent = []
        for number in range(ROUNDS[size]):
            outcome.cases += 1
            try:
                one_round(home, rng, sent, number, outcome)
            except TimeoutError as error:
                outcome.problems.append(f"round {number + 1}: {str(error).splitlines()[0]}")
                break
        recount(home, outcome)
        outcome.remarks.append(f"{len(sent):,} heart rates sent, {len(home.stored()):,} stored, in {outcome.cases} rounds")
    return outcome


def one_round(home, rng, sent, number, outcome):
    beats = Beats(home, RATE)
    beats.beats = sent
    with beats:
        for_a_while(beats, rng)
        backup = home.folder / f"backup-{number}"
        before = len(home.stored())
        home.consumer_command("backup", backup)
        next_person = PEOPLE[(number + 1) % 2]
        events = [lambda: restart(home, "gateway"), lambda: restart(home, "gateway"), lambda: claim(home, next_person)]
        if rng.random() < 0.5:
            events.append(lambda: restart(home, "consumer"))
        rng.shuffle(events)
        for event in events:
            event()
            home.until_flowing()
            for_a_while(beats, rng)
        home.kill("consumer")
        after = len(home.stored())
        shutil.rmtree(home.folder / "consumer")
        home.consumer_command("restore", backup)
        restored = len(home.stored())
        home.start_consumer()
        begin = time.monotonic()
        # Everything that was there when it was killed.
        home.wait(home.consumer, "all is there again", lambda: len(home.stored()) >= after)
        outcome.recovery = max(outcome.recovery or 0, time.monotonic() - begin)
        home.until_flowing()
        beats.stop()
    home.until_stored()
    found = judge(home, beats)
    where = f"round {number + 1}"
    outcome.lost += len(found.lost)
    outcome.duplicated += len(found.duplicated)
    outcome.corrupt += len(found.corrupt)
    if found.lost:
        outcome.problems.append(f"{where}: {len(found.lost)} lost, the first of them {found.lost[:5]}")
    outcome.problems += [f"{where}: {problem}" for problem in found.corrupt[:3]]
    if home.dead_letters():
        outcome.problems.append(f"{where}: the restored consumer refused {home.dead_letters()} blocks")
    if not before <= restored < after <= found.stored:
        outcome.problems.append(f"{where}: the backup was no test: {before}, {restored}, {after}, {found.stored} stored")
    shutil.rmtree(backup)


def for_a_while(beats, rng):
    """Until some more readings were sent."""
    wanted = len(beats.beats) + rng.randrange(20, 100)
    while len(beats.beats) < wanted:
        if not beats.is_alive():
            beats.stop()
            raise RuntimeError("the load has ended")
        time.sleep(0.02)


def restart(home, name):
    home.kill(name)
    home.start_again(name)
    if name == "gateway":
        home.wait(home.gateway, "the gateway listens", lambda: home.lives[-1].listens is not None)


def claim(home, person):
    """The sensor becomes another person's: in the settings, and with the next start."""
    home.claim(person)
    home.kill("consumer")
    home.start_consumer()
