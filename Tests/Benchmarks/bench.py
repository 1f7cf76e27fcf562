"""Prints what the gateway, its start, eight sensors, the consumer, signing in, the broker's rules, curves of heart rate, live heart rates and lists of workouts cost, and compares each with a floor that is measured in the same run.
Called by deploy/bench."""

import os
import signal
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "Rigs"))

from arguments import TEMPORARY, ArgumentParser  # noqa: E402

parser = ArgumentParser(prog="deploy/bench", description=__doc__)
parser.add_argument("what", nargs="?", choices=["gateway", "start", "sensors", "consumer", "accounts", "broker", "graph", "workouts", "live", "instructions", "all"], default="all",
    help="what to measure (default all, which is all but instructions)")
parser.add_argument("--seconds", type=int, default=20, help="how long each gateway, and each reader of live heart rates, is watched (default 20)")
parser.add_argument("--speed", type=float, default=280, help="how fast the sensor replays; 280 is about 250 heart rates a second")
parser.add_argument("--blocks", type=int, default=20_000, help="how many blocks the consumer is sent (default 20000)")
parser.add_argument("--window", type=int, default=1024, help="how many of them may be on their way (default 1024)")
parser.add_argument("--readings", type=int, nargs="+", default=[10, 64], help="how many readings a block has (default 10 64)")
parser.add_argument("--devices", type=int, nargs="+", default=[0, 1_000, 10_000], help="how many devices the broker knows (default 0 1000 10000)")
parser.add_argument("--rounds", type=int, default=1, help="how often everything is measured; medians are printed (default 1)")
parser.add_argument("--years", type=float, default=5, help="how many years of heart rate a curve shows (default 5)")
parser.add_argument("--days", type=int, default=30, help="how many days of heart rate are weighed (default 30)")
parser.add_argument("--times", type=int, default=40, help="how often a curve or a list is asked for (default 40)")
parser.add_argument("--workouts", type=int, default=2000, help="how many workouts a list has (default 2000)")
parser.add_argument("--starts", type=int, default=10, help="how often each gateway is started (default 10)")
parser.add_argument("--keep", action="store_true", help="what a notification costs in instructions is kept, to be compared with")
chosen = parser.parse_args()
parser.leave_if_only_asked()

# Some of these need packages that are installed only once the arguments are known to be right.
import accounts  # noqa: E402
import broker_rules  # noqa: E402
import consumer_rate  # noqa: E402
import eight_sensors  # noqa: E402
import gateway_cost  # noqa: E402
import gateway_start  # noqa: E402
import graph  # noqa: E402
import household  # noqa: E402
import instructions  # noqa: E402
import live_rate  # noqa: E402
import workout_lists  # noqa: E402

# What was started is stopped on every way out.
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda *_: sys.exit(143))
sys.stdout.reconfigure(line_buffering=True)
# Where the gateway keeps readings in memory, as systemd makes it for the service.
memory = tempfile.TemporaryDirectory(prefix="vitals-bench-", dir="/dev/shm")
os.environ["RUNTIME_DIRECTORY"] = memory.name
print(f"machine: {household.machine()}")
print(f"versions: {household.versions()}")
try:
    if chosen.what in ("gateway", "all"):
        gateway_cost.run(chosen.seconds, chosen.rounds, chosen.speed)
    if chosen.what in ("start", "all"):
        gateway_start.run(chosen.starts)
    if chosen.what in ("sensors", "all"):
        eight_sensors.run(chosen.seconds, chosen.rounds)
    if chosen.what == "instructions" and not instructions.run(chosen.keep):
        sys.exit(1)
    if chosen.what in ("consumer", "all"):
        consumer_rate.run(chosen.blocks, chosen.rounds, chosen.window, chosen.readings)
    if chosen.what in ("accounts", "all"):
        accounts.run(chosen.rounds)
    if chosen.what in ("broker", "all"):
        broker_rules.run(chosen.devices)
    if chosen.what in ("graph", "all"):
        graph.run(chosen.years, chosen.days, chosen.times)
    if chosen.what in ("live", "all"):
        live_rate.run(chosen.seconds)
    if chosen.what in ("workouts", "all"):
        workout_lists.run(chosen.workouts, chosen.times)
except KeyboardInterrupt:
    sys.exit(130)
except TimeoutError as error:
    print(f"bench: {error}", file=sys.stderr)
    sys.exit(TEMPORARY)
