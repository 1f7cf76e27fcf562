"""Prints what the gateway, the consumer, signing in, the broker's rules and curves of heart rate cost, each against a floor that is measured in the same run.
Called by deploy/bench."""

import argparse
import signal
import sys

import accounts
import broker_rules
import consumer_rate
import gateway_cost
import graph
import household

parser = argparse.ArgumentParser(prog="deploy/bench", description=__doc__)
parser.add_argument("what", nargs="?", choices=["gateway", "consumer", "accounts", "broker", "graph", "all"], default="all")
parser.add_argument("--seconds", type=int, default=20, help="how long each gateway is watched (default 20)")
parser.add_argument("--speed", type=float, default=280, help="how fast the sensor replays; 280 is about 250 heart rates a second")
parser.add_argument("--blocks", type=int, default=20_000, help="how many blocks the consumer is sent (default 20000)")
parser.add_argument("--window", type=int, default=1024, help="how many of them may be on their way (default 1024)")
parser.add_argument("--devices", type=int, nargs="+", default=[0, 1_000, 10_000], help="how many the broker knows (default 0 1000 10000)")
parser.add_argument("--rounds", type=int, default=1, help="measures all so many times, and prints medians (default 1)")
parser.add_argument("--years", type=float, default=5, help="how many years of heart rate a curve is of (default 5)")
parser.add_argument("--days", type=int, default=30, help="how many days of heart rate are weighed (default 30)")
parser.add_argument("--times", type=int, default=40, help="how often a curve is asked for (default 40)")
chosen = parser.parse_args()

# What was started is stopped on every way out.
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda *_: sys.exit(143))
sys.stdout.reconfigure(line_buffering=True)
print(f"machine: {household.machine()}")
print(f"versions: {household.versions()}")
try:
    if chosen.what in ("gateway", "all"):
        gateway_cost.run(chosen.seconds, chosen.rounds, chosen.speed)
    if chosen.what in ("consumer", "all"):
        consumer_rate.run(chosen.blocks, chosen.rounds, chosen.window)
    if chosen.what in ("accounts", "all"):
        accounts.run(chosen.rounds)
    if chosen.what in ("broker", "all"):
        broker_rules.run(chosen.devices)
    if chosen.what in ("graph", "all"):
        graph.run(chosen.years, chosen.days, chosen.times)
except KeyboardInterrupt:
    sys.exit(130)
except TimeoutError as error:
    sys.exit(f"bench: {error}")
