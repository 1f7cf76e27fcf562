"""How fast the consumer commits and acknowledges, against `mosquitto_sub` that throws the same messages away; and how many bytes
a reading takes in the database.

One gateway speaks to one broker, and both are on this machine, too, so a rate is that of the whole way. How busy each was is
printed: only where the consumer is near 100 % is the rate its own. mosquitto_sub does nothing and yet is no strict floor for the
rate: it sends a PUBACK a message, the consumer a batch at a time. The processor's time a block varies less than the rates do."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from statistics import median

from household import RELEASE, TOPICS, Household, processor_seconds, resident_kilobytes, stop


def run(blocks, rounds, window, sizes):
    print(f"The consumer's rate, {blocks} blocks from one gateway, at most {window} on their way"
          + (f", medians of {rounds} rounds" if rounds > 1 else ""))
    for readings in sizes:
        found = [one(blocks, readings, window) for _ in range(rounds)]
        rate, cost, memory, busy, load, floor_rate, floor_cost, floor_busy, floor_load, stored = (
            median(column) for column in zip(*found))
        print(f"  {readings} {'reading' if readings == 1 else 'readings'} a block:")
        print(f"    consumer:      {rate:8.0f} blocks/s, {rate * readings:9.0f} readings/s, {cost:6.1f} µs a block,"
              f" {memory / 1024:.1f} MB resident; busy: {rate * cost / 1e4:.0f} %, broker {busy:.0f} %, load {load:.0f} %")
        print(f"    mosquitto_sub: {floor_rate:8.0f} blocks/s, {floor_rate * readings:9.0f} readings/s,"
              f" {floor_cost:6.1f} µs a block;"
              f" busy: {floor_rate * floor_cost / 1e4:.0f} %, broker {floor_busy:.0f} %, load {floor_load:.0f} %")
        print(f"    ratio:         {rate / floor_rate:8.2f} × mosquitto_sub's rate, {cost / floor_cost:.1f} × its processor time")
        print(f"    stored:        {stored:8.1f} bytes a reading")


def one(blocks, readings, window):
    """Of the consumer: blocks a second, microseconds a block, kilobytes, and how busy broker and load were, in percent; the same
    but for the kilobytes of mosquitto_sub; bytes a reading."""
    with Household() as household:
        _, gateway, settings, key = household.enrol()
        consumer = household.start("consumer", [RELEASE / "vitals-consumer", "--settings", settings])
        load = household.start("load", [
            RELEASE / "vitals-load", "--port", household.port, "--username", "home", "--password-file",
            household.password_file("home"), "--identity", household.folder / "gateway/identity.key", "--consumer", key,
            "--blocks", blocks, "--readings", readings, "--window", window,
        ], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        expect(household, load, "ready")

        others = Busy(household.broker, load)
        used = processor_seconds(consumer.pid)
        result = tell(household, load, "acknowledged")
        busy = others.percent()
        used = processor_seconds(consumer.pid) - used
        memory = resident_kilobytes(consumer.pid)
        rate = result["blocks"] / (result["end"] - result["begin"]) * 1000
        stop(consumer)
        stored = database_bytes(household.folder / "consumer/vitals.db", result["blocks"]) / (blocks * readings)

        # The same messages again, to somebody who throws them away.
        command = ["mosquitto_sub", "-V", "mqttv5", "-D", "connect", "receive-maximum", "65535", "-p", household.port]
        command += ["-u", "consumer", "-P", household.password_file("consumer").read_text().strip()]
        command += ["-q", "1", "-t", f"{TOPICS}/blocks", "-C", result["blocks"]]
        floor = household.start("mosquitto_sub", command, stdout=subprocess.DEVNULL)
        log = household.folder / "broker.log"
        household.wait(floor, "it has subscribed", lambda: f"{TOPICS}/blocks" in log.read_text())
        others = Busy(household.broker, load)
        floor_result = tell(household, load, "published")
        _, status, usage = os.wait4(floor.pid, 0)
        end = time.clock_gettime(time.CLOCK_BOOTTIME) * 1000
        floor_busy = others.percent()
        floor.returncode = os.waitstatus_to_exitcode(status)
        floor_rate = result["blocks"] / (end - floor_result["begin"]) * 1000
        floor_used = usage.ru_utime + usage.ru_stime
        return (rate, used / result["blocks"] * 1e6, memory, *busy,
                floor_rate, floor_used / result["blocks"] * 1e6, *floor_busy, stored)


class Busy:
    """How much of one core some programs use from now on."""

    def __init__(self, *programs):
        self.programs, self.began = programs, time.monotonic()
        self.used = [processor_seconds(program.pid) for program in programs]

    def percent(self):
        took = time.monotonic() - self.began
        return [(processor_seconds(x.pid) - used) / took * 100 for x, used in zip(self.programs, self.used)]


def expect(household, load, start):
    line = load.stdout.readline()
    if not line.startswith(start):
        sys.exit(f"bench: the load generator said {line!r}: {(household.folder / 'load.log').read_text()}")
    return line


def tell(household, load, word):
    load.stdin.write(word + "\n")
    load.stdin.flush()
    return json.loads(expect(household, load, "{"))


def database_bytes(path, blocks):
    """The file's size with everything in it."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        count = database.execute("SELECT count(*) FROM ledger").fetchone()[0]
    if count != blocks:
        sys.exit(f"bench: {count} blocks are stored, {blocks} were acknowledged")
    return path.stat().st_size
