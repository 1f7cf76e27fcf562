"""The gateway's cost of a notification, against a bare C loop (floor.c) and against Python (gateway.py): the processor's time,
wake-ups of threads and memory of each on the same feed, one after the other."""

import json
import os
import subprocess
import sys
import time
from statistics import median

from household import (
    PROJECT, RELEASE, SENSOR, TOPICS, Household, Listener, can_connect, processor_seconds, resident_kilobytes, stop, wake_ups)

DEVICE = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
BENCHMARKS = PROJECT / "Tests/Benchmarks"
LIVE = "gateway, live only"
RECORDED = "gateway, recorded"
FLOOR = "C loop"
PYTHON = "bleak and paho-mqtt"
RECORDING = PROJECT / "deploy/activities/run-9km.csv"


def run(seconds, rounds, speed):
    figures = {name: [] for name in (FLOOR, LIVE, RECORDED, PYTHON)}
    with Household() as household:
        bus = begin_bus(household)
        floor = compile_c("floor", household.folder / "floor")
        begin_strap(household, bus, "--activity", RECORDING, "--speed", speed, "--loop")
        listener = Listener(household)
        alone, gateway, consumer, _ = household.enrol(bus)
        topic = f"{TOPICS}/sensors/strap/heart-rate"
        simple = [SENSOR, household.port, "home", household.password_file("home"), topic]

        def measure(name, command, is_ready=lambda: True, **options):
            # Each finds the device without a link, as after the sensor's start.
            subprocess.run(["dbus-send", f"--bus={bus}", "--print-reply", "--dest=org.bluez", DEVICE,
                            "org.bluez.Device1.Disconnect"], capture_output=True)
            figures[name].append(one(household, listener, name, command, is_ready, seconds, **options))

        for _ in range(rounds):
            measure(FLOOR, [floor, bus, *simple])
            measure(LIVE, [RELEASE / "vitals-gateway", "--settings", alone])
            store = household.start("consumer", [RELEASE / "vitals-consumer", "--settings", consumer])
            measure(
                RECORDED, [RELEASE / "vitals-gateway", "--settings", gateway],
                lambda: b'"recorded_sensors":["strap"]' in listener.health)
            stop(store)
            measure(
                PYTHON, [sys.executable, BENCHMARKS / "gateway.py", *simple],
                env=os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": bus})
    floor_cost = median(cost for cost, *_ in figures[FLOOR])
    print(f"A notification's cost, each for {seconds} s"
          + (f", medians of {rounds} rounds" if rounds > 1 else "") + " (processor, all threads; memory at the end)")
    for name, found in figures.items():
        cost, woken, memory, rate = (median(column) for column in zip(*found))
        print(f"  {name + ':':22}{cost:8.1f} µs a notification, {cost / floor_cost:5.2f} × the C loop,"
              f" {woken:5.2f} wake-ups, {memory / 1024:6.1f} MB resident, {rate:4.0f} a second")


def one(household, listener, name, command, is_ready, seconds, **options):
    """Runs a program for a while: microseconds and wake-ups a notification, kilobytes at the end, notifications a second."""
    listener.health = b""
    before = listener.count
    log = name.replace(" ", "-").replace(",", "")
    program = household.start(log, command, **options)
    household.wait(program, "heart rates are published", lambda: listener.count > before and is_ready())
    time.sleep(2)  # What happens once after a connection, such as reading the sensor's details, is not a notification's cost.
    began, used, woken, count = time.monotonic(), processor_seconds(program.pid), wake_ups(program.pid), listener.count
    time.sleep(seconds)
    used, woken, count = processor_seconds(program.pid) - used, wake_ups(program.pid) - woken, listener.count - count
    took, memory = time.monotonic() - began, resident_kilobytes(program.pid)
    payload = json.loads(listener.heart_rate)
    if not {"time", "bpm", "contact"} <= payload.keys():
        sys.exit(f"bench: {name} publishes something else: {payload}")
    stop(program)
    if count == 0:
        sys.exit(f"bench: {name} has stopped publishing; its log: {(household.folder / f'{log}.log').read_text()}")
    return used / count * 1e6, woken / count, memory, count / took


def begin_bus(household):
    """Starts a bus, and returns its address."""
    bus = f"unix:path={household.folder}/bus"
    daemon = household.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={bus}"])
    household.wait(daemon, "the bus listens", lambda: can_connect(household.folder / "bus"))
    return bus


def begin_strap(household, bus, *options):
    """Starts the stand-in for BlueZ with a strap that it knows, and waits until it is there."""
    sensor = household.start("sensor", [RELEASE / "vitals-sensor", "stand-in", "--bus", bus, "--known", *options])
    household.wait(sensor, "the strap is there", lambda: "ready" in (household.folder / "sensor.log").read_text())


def compile_c(name, path):
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "dbus-1", "libmosquitto"], check=True, capture_output=True, text=True)
    subprocess.run(["cc", "-O2", "-o", path, BENCHMARKS / f"{name}.c", *flags.stdout.split()], check=True)
    return path
