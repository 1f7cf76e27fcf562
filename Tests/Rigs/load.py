"""A whole household under load, whose programs are killed and started again, and a judgement of what is stored then.

`Home` runs the real programs: broker, message bus, an emulated sensor that is silent but for what it is told, gateway and
consumer. `Beats` has the sensor send heart rates, each with a value of its own, and remembers when; `Steps` asks for
steps, as people do, and remembers which replies came. `judge` compares what was sent with what `vitals-consumer readings`
prints.

Which readings must be stored? Those that the sensor had sent while the gateway listened. The sensor answers each command
with `ok` once the reading has left it; the gateway logs `sensor strap: connected` once it listens. Either is seen here a
little later than it came about: what is sent after the second must be there; and of a gateway that is killed, what was
answered 50 ms before the kill, or earlier. A processor that has others to serve can keep a reading longer than that on
its way. So what must be there is older still, by as long as the gateway, the bus and the sensor have waited for a
processor in the half second before the kill; the kernel counts it. What disks take is not forgiven.

All that is started is started by the main thread, because programs end with the thread that started them."""

import collections
import contextlib
import dataclasses
import json
import os
import shutil
import signal
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from household import RELEASE, TOPICS, Household, can_connect
from outcome import Outcome

#: How much a killed gateway may lose, in seconds.
YOUNG = 0.05
#: Blocks soon enough for a rig: by default there is one every ten seconds.
QUICK = 'outbox: { flush_interval: "500 ms", block_interval: "500 ms" },'
PROGRAMS = ["gateway", "broker", "consumer"]
#: Of readings.
KINDS = ["heart-rate", "steps", "temperature"]
#: The exit code of `vitals-consumer` for a command that it does not know.
USAGE = 64


@dataclasses.dataclass
class Life:
    """A gateway's, by the monotonic clock."""

    #: When it was known to listen to the sensor.
    listens: float | None = None
    #: When it was killed; None while it lives.
    killed: float | None = None
    #: For how long its readings were kept waiting for a processor before the kill.
    waited: float = 0.0

    def must_keep(self, beat: "Beat") -> bool:
        if self.listens is None or beat.sent < self.listens:
            return False
        return self.killed is None or beat.answered < self.killed - YOUNG - self.waited


@dataclasses.dataclass
class Beat:
    value: int
    #: When the sensor was told to send it, and when it had; by the monotonic clock.
    sent: float
    answered: float
    #: Unix time of `sent`.
    wall: float


class Home(Household):
    """A household with everything that belongs to it. The lines are further settings, as `enrol` takes them."""

    #: Seconds that a gateway which starts for the first time is given to make its database.
    patience = 20
    #: Where the gateway's topics are, and whose readings it records.
    topics, user = TOPICS, "demo"

    def __init__(self, gateway_lines=QUICK, consumer_lines="", broker_lines="", ports=None, has_memory=True):
        super().__init__()
        self._has_memory = has_memory
        #: The folder where the gateway keeps readings in memory, as systemd makes it for the service; None where it has none.
        self.memory: Path | None = None
        self._settings = dict(
            gateway_lines=gateway_lines, consumer_lines=consumer_lines, broker_lines=broker_lines, ports=ports)
        self.lives: list[Life] = []
        self._waits = collections.deque()
        self._sensor_lock = threading.Lock()

    def __enter__(self):
        super().__enter__()
        if self._has_memory:
            self.memory = Path(self.enter_context(tempfile.TemporaryDirectory(prefix="vitals-memory-", dir="/dev/shm")))
        bus = f"unix:path={self.folder}/bus"
        daemon = self.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={bus}"])
        self.wait(daemon, "the bus listens", lambda: can_connect(self.folder / "bus"))
        # Its only record comes in thirty years: the rig sends it all other values.
        (self.folder / "silence.csv").write_text("elapsed_s,heart_rate_bpm\n1000000000,60\n")
        command = [RELEASE / "vitals-sensor", "stand-in", "--bus", bus, "--known", "--activity", self.folder / "silence.csv"]
        self.sensor = self.start("sensor", command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.sensor.stdout.readline() != b"ready\n":
            raise RuntimeError(f"the sensor did not start: {self.log('sensor')}")
        self._bystanders = [daemon, self.sensor]
        _, self.gateway_settings, self.consumer_settings, _ = self.enrol(bus, **self._settings)
        self.gateway = self.consumer = None
        return self

    # Starting and killing

    def up(self) -> None:
        """Starts consumer and gateway, and waits until readings are recorded."""
        self.start_consumer()
        self.start_gateway()
        self.wait(self.gateway, "the sensor is recorded", lambda: "sensor strap: recorded" in self.log("gateway"))
        self.wait(self.gateway, "the gateway listens", lambda: self.lives[-1].listens is not None)

    def start_gateway(self) -> None:
        life = Life()
        environment = {name: value for name, value in os.environ.items() if name != "RUNTIME_DIRECTORY"}
        if self.memory:
            environment["RUNTIME_DIRECTORY"] = str(self.memory)
        self.gateway = self.start(
            "gateway", [RELEASE / "vitals-gateway", "--settings", self.gateway_settings], env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.lives.append(life)
        threading.Thread(target=self._follow, args=(self.gateway.stdout, life), daemon=True).start()

    def start_consumer(self) -> None:
        self.consumer = self.start("consumer", [RELEASE / "vitals-consumer", "--settings", self.consumer_settings])

    def _follow(self, lines, life: Life) -> None:
        """Keeps a gateway's log, and waits in it for the moment from which it listens."""
        # Stopping the gateway closes its output, perhaps while we read it here.
        with contextlib.suppress(ValueError), lines, open(self.folder / "gateway.log", "ab", buffering=0) as log:
            for line in lines:
                if life.listens is None and b"sensor strap: connected" in line:
                    life.listens = time.monotonic()
                log.write(line)

    def kill(self, name: str) -> None:
        """SIGKILL for "gateway", "broker" or "consumer"."""
        program = getattr(self, name)
        if program.poll() is not None:
            raise RuntimeError(f"the {name} had ended by itself: {self.log(name)[-2000:]}")
        if name == "gateway":
            life = self.lives[-1]
            life.waited = self._waited()
            life.killed = time.monotonic()
        program.send_signal(signal.SIGKILL)
        program.wait()

    def start_again(self, name: str) -> None:
        getattr(self, f"start_{name}")()

    def forget_broker(self) -> None:
        """Deletes what a killed broker may have left: all files that are not its settings."""
        settings = {"mosquitto.conf", "vitals.acl", "vitals.passwd", "home.password", "consumer.password"}
        for path in (self.folder / "broker").iterdir():
            if path.name not in settings:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def forget_memory(self) -> None:
        """What a power cut does to memory."""
        for path in self.memory.iterdir() if self.memory else ():
            path.unlink()

    # What is so

    def log(self, name: str) -> str:
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / f"{name}.log").read_text(errors="replace")
        return ""

    def tell_sensor(self, command: str) -> None:
        """A command of the sensor's; returns when it has done it."""
        with self._sensor_lock:
            self.sensor.stdin.write(command.encode() + b"\n")
            self.sensor.stdin.flush()
            answer = self.sensor.stdout.readline()
        if answer != b"ok\n":
            raise RuntimeError(f"the sensor, told {command!r}, said {answer!r}")

    def outbox(self, query: str, *values) -> list[tuple]:
        """Asks the gateway's database, read-only. One that starts for the first time has none yet: it is waited for."""
        path = self.folder / "gateway/outbox.db"
        with contextlib.closing(self._opened(path)) as database:
            return database.execute(query, values).fetchall()

    def _opened(self, path: Path) -> sqlite3.Connection:
        """A database that has its tables."""
        end = time.monotonic() + self.patience
        while True:
            try:
                database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5, isolation_level=None)
                if database.execute("PRAGMA user_version").fetchone()[0] > 0:
                    return database
                database.close()
            except sqlite3.OperationalError:
                if time.monotonic() > end:
                    raise
            if time.monotonic() > end:
                raise TimeoutError(f"{path.name} has no tables after {self.patience} s")
            time.sleep(0.02)

    def last_block(self) -> int:
        return self.outbox("SELECT coalesce(max(id), 0) FROM blocks")[0][0]

    def is_flowing(self, block: int, wall: float) -> bool:
        """Whether a block of readings made after this one is acknowledged, and no block from before that time waits."""
        waiting, fresh = self.outbox(
            "SELECT (SELECT count(*) FROM blocks WHERE state = 0 AND changed < ?),"
            " EXISTS (SELECT 1 FROM blocks WHERE state = 1 AND sequence > 0 AND id > ?)", int(wall * 1000), block)[0]
        return waiting == 0 and fresh == 1

    def until_flowing(self, since: float | None = None, limit: float = 60) -> float:
        """Waits until what is sent from now on is acknowledged, and nothing older waits. How long that took, in seconds,
        from now or from that moment of the monotonic clock. The load must go on."""
        begin, wall = time.monotonic() if since is None else since, time.time()
        self.wait(self.gateway, "the gateway listens", lambda: self.lives[-1].listens is not None, limit)
        block = self.last_block()
        self.wait(self.gateway, "readings flow again", lambda: self.is_flowing(block, wall), limit)
        return time.monotonic() - begin

    def until_stored(self, limit: float = 60) -> None:
        """Waits until all that the gateway has is stored and acknowledged. Who called has stopped the load."""
        # A reply to a read is sent once the reading and everything before it are on the disk.
        self.wait(self.gateway, "the gateway answers", lambda: read_steps(self, 0, 5) is not None, limit)
        self.wait(self.gateway, "the outbox is empty", lambda: self._held() == (0, 0), limit)

    def _held(self) -> tuple[int, int]:
        return self.outbox("SELECT (SELECT count(*) FROM journal), (SELECT count(*) FROM blocks WHERE state = 0)")[0]

    def dead_letters(self) -> int:
        return self.outbox("SELECT count(*) FROM blocks WHERE state = 2")[0][0]

    def stored(self, kind: str = "heart-rate") -> list[dict]:
        """What the consumer has, as it prints it: in the order of time."""
        command = [
            RELEASE / "vitals-consumer", "readings", "--settings", self.consumer_settings, "--user", self.user, "--kind", kind]
        said = subprocess.run(command, capture_output=True, text=True)
        if said.returncode != 0:
            raise RuntimeError(f"vitals-consumer readings: status {said.returncode}: {said.stderr.strip()}")
        return [json.loads(line) for line in said.stdout.splitlines()]

    # How long the programs were kept from running

    def sample_waits(self) -> None:
        """To be called now and then while there is load: what is kept covers the last half second."""
        now = time.monotonic()
        self._waits.append((now, self.gateway.pid, self._total_wait()))
        while self._waits[0][0] < now - 0.5:
            self._waits.popleft()

    def _waited(self) -> float:
        with contextlib.suppress(IndexError):  # Nothing calls sample_waits.
            _, pid, before = self._waits[0]
            if pid == self.gateway.pid:
                return max(0.0, self._total_wait() - before)
        return 0.0

    def _total_wait(self) -> float:
        return sum(seconds_waited(program.pid) for program in [self.gateway, *self._bystanders])


class Worker(threading.Thread):
    """A load: `act` again and again until `stop`, which raises what went wrong meanwhile."""

    def __init__(self, home: Home, pause: float):
        super().__init__(daemon=True)
        self.home, self._pause = home, pause
        self._is_over, self._error = threading.Event(), None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        self._is_over.set()

    def run(self) -> None:
        due = time.monotonic()
        try:
            while not self._is_over.wait(max(0.0, due - time.monotonic())):
                self.act()
                # After a delay it does not catch up.
                due = max(due + self._pause, time.monotonic() - self._pause)
        except Exception as error:
            self._error = error

    def stop(self) -> None:
        self._is_over.set()
        self.join()
        if self._error:
            raise self._error


class Beats(Worker):
    """Heart rates 1, 2, 3 … 65535, `rate` a second."""

    def __init__(self, home: Home, rate: float = 60):
        super().__init__(home, 1 / rate)
        self.beats: list[Beat] = []

    def act(self) -> None:
        value = len(self.beats) + 1
        if value > 65_535:
            raise RuntimeError("there are no heart rates left: the load is to be shorter, or slower")
        wall, sent = time.time(), time.monotonic()
        self.home.tell_sensor(f"heart-rate {value}")
        self.beats.append(Beat(value, sent, time.monotonic(), wall))
        self.home.sample_waits()


class Steps(Worker):
    """Somebody who asks for the steps now and then; each time there are more."""

    def __init__(self, home: Home, pause: float = 0.5):
        super().__init__(home, pause)
        self._next = 0
        #: (time, value) of each reply: these readings were on the gateway's disk.
        self.replies: list[tuple[int, int]] = []

    def act(self) -> None:
        self._next += 1
        if (reply := read_steps(self.home, self._next, 2)) is not None:
            self.replies.append(reply)


def read_steps(home: Home, value: int, limit: int) -> tuple[int, int] | None:
    """Sets the sensor's step counter (0 leaves it) and asks for it. Returns time and steps of the reply, if one comes."""
    if value:
        home.tell_sensor(f"steps {value}")
    command = ["mosquitto_rr", "-V", "mqttv5", "-p", str(home.port), "-t", f"{home.topics}/sensors/strap/steps/get", "-m", "{}"]
    command += ["-e", f"{home.topics}/responses/rig-{time.monotonic_ns()}", "-W", str(limit)]
    said = subprocess.run(command, capture_output=True, text=True)
    with contextlib.suppress(ValueError, KeyError, TypeError):
        reply = json.loads(said.stdout)["data"]
        return reply["time"], reply["steps"]
    return None


@dataclasses.dataclass
class Judgement:
    #: How many were sent, must be stored, and are stored.
    sent: int = 0
    due: int = 0
    stored: int = 0
    #: Readings that must be stored but are not, such as "heart rate 7".
    lost: list[str] = dataclasses.field(default_factory=list)
    #: Readings that are stored more than once.
    duplicated: list[str] = dataclasses.field(default_factory=list)
    #: Readings that are stored but were never sent, or were sent at another time: in words.
    corrupt: list[str] = dataclasses.field(default_factory=list)


def judge(home: Home, beats: Beats, steps: Steps | None = None) -> Judgement:
    """Compares what was sent with what is stored. Who called has waited until it is."""
    rows = home.stored()
    counts = collections.Counter(row["bpm"] for row in rows)
    due = [beat.value for beat in beats.beats if any(life.must_keep(beat) for life in home.lives)]
    found = Judgement(len(beats.beats), len(due), len(rows))
    found.lost = [f"heart rate {value}" for value in due if not counts[value]]
    found.duplicated = [f"heart rate {value}" for value, count in counts.items() if count > 1]
    found.corrupt = _misplaced(rows, {beat.value: beat for beat in beats.beats})
    if steps:
        _judge_steps(home, steps, found)
    return found


def _misplaced(rows: list[dict], sent: dict[int, Beat]) -> list[str]:
    problems, last = [], {"time": 0, "bpm": 0}
    for row in rows:
        beat = sent.get(row["bpm"])
        if beat is None:
            problems.append(f"heart rate {row['bpm']} is stored, but was never sent")
            continue
        # The programs' clocks are one and the same; a reading that waits for a processor comes later than it was sent.
        if not -0.01 <= row["time"] / 1000 - beat.wall <= 10:
            problems.append(f"heart rate {row['bpm']} is stored with a time {row['time'] / 1000 - beat.wall:.3f} s off")
        if row["time"] < last["time"] or (row["time"] > last["time"] and row["bpm"] < last["bpm"]):
            problems.append(f"heart rate {row['bpm']} is stored after {last['bpm']}")
        last = row
    return problems


def _judge_steps(home: Home, steps: Steps, found: Judgement) -> None:
    counts = collections.Counter((row["time"], row["steps"]) for row in home.stored("steps"))
    found.due += len(steps.replies)
    found.stored += sum(counts.values())
    found.lost += [f"steps {value}" for time_, value in steps.replies if not counts[time_, value]]
    found.duplicated += [f"steps {value}" for (_, value), count in counts.items() if count > 1]


def conclude(home: Home, beats: Beats, steps: Steps, outcome: Outcome) -> None:
    """Judges what is stored, and asks the consumer to check itself."""
    found = judge(home, beats, steps)
    outcome.lost += len(found.lost)
    outcome.duplicated += len(found.duplicated)
    outcome.corrupt += len(found.corrupt)
    if found.lost:
        outcome.problems.append(f"lost: {', '.join(found.lost[:20])}")
    if found.duplicated:
        outcome.problems.append(f"stored twice: {', '.join(found.duplicated[:20])}")
    outcome.problems += found.corrupt[:5]
    if dead := home.dead_letters():
        outcome.problems.append(f"the consumer refused {dead} genuine blocks")
    outcome.remarks.append(
        f"{found.sent:,} heart rates sent, {len(steps.replies)} reads of steps answered; {found.due:,} must be stored,"
        f" {found.stored:,} are")
    if waits := [life.waited * 1000 for life in home.lives if life.killed is not None]:
        outcome.remarks.append(
            f"a killed gateway was forgiven {YOUNG * 1000:.0f} ms, and for want of a processor"
            f" {statistics.median(waits):.0f} ms more (median of {len(waits)} kills; at most {max(waits):.0f} ms)")
    recount(home, outcome)


def recount(home: Home, outcome: Outcome) -> None:
    """Has the consumer open and count all that it has stored: as many readings as it prints. (They would differ where a
    gateway's card was copied back: what then lies in two blocks is counted twice, and printed once. No rig does that.)
    Nothing here fills an outbox, so nothing may be dropped."""
    said = subprocess.run(
        [RELEASE / "vitals-consumer", "check", "--settings", home.consumer_settings], capture_output=True, text=True)
    if said.returncode == USAGE:
        outcome.remarks.append("vitals-consumer has no command check: not recounted")
        return
    if said.returncode != 0:
        outcome.corrupt += 1
        outcome.problems.append(f"vitals-consumer check: status {said.returncode}: {(said.stdout + said.stderr).strip()}")
        return
    findings = json.loads(said.stdout)
    if dropped := findings["lost_in_gaps"]:
        outcome.problems.append(f"the gateway has dropped {dropped} readings")
    printed = sum(len(home.stored(kind)) for kind in KINDS)
    if findings["readings"] != printed:
        outcome.corrupt += 1
        outcome.problems.append(f"{printed} readings are printed, {findings['readings']} are counted")


def seconds_waited(pid: int) -> float:
    """How long the threads of a process were ready to run and had no processor, since they began."""
    total = 0
    # It may be killed meanwhile, and its threads end.
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            total += int(Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()[1])
    return total / 1e9
