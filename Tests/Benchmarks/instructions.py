"""How many instructions a notification costs the gateway in user mode, live and recorded, as callgrind counts them. Unlike time, they
hardly depend on what else the machine does. What they come to, divided by those of a C loop (floor.c) in the same run, is kept in
instructions.json. A run in which a ratio has changed by more than a tenth fails: look for what has made it dearer, or, where that is as it
should be, keep the new counts with --keep."""

import json
import subprocess
import sys
import time

from gateway_cost import BENCHMARKS, FLOOR, LIVE, RECORDED, compile_floor
from household import PROJECT, RELEASE, SENSOR, TOPICS, Household, Listener, can_connect, stop

KEPT = BENCHMARKS / "instructions.json"
SPEED = 100
NOTIFICATIONS = 600
TOLERANCE = 0.1


def run(is_to_be_kept):
    """Prints the counts. Whether they are as they were."""
    counts = measure()
    ratios = {name: round(counts[name] / counts[FLOOR], 3) for name in (LIVE, RECORDED)}
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    print("Instructions a notification, in user mode (callgrind)")
    holds = True
    for name, count in counts.items():
        line = f"  {name + ':':22}{count:9,.0f}"
        if name in ratios:
            before = kept.get(name)
            is_same = before is not None and abs(ratios[name] / before - 1) <= TOLERANCE
            holds = holds and is_same
            line += f", {ratios[name]:5.2f} × the C loop, {before or '?'} before" + ("" if is_same else ": more than a tenth off")
        print(line)
    if is_to_be_kept:
        KEPT.write_text(json.dumps(ratios, indent=2) + "\n")
    return holds or is_to_be_kept


def measure():
    with Household() as household:
        bus = f"unix:path={household.folder}/bus"
        floor = compile_floor(household.folder / "floor")
        daemon = household.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={bus}"])
        household.wait(daemon, "the bus listens", lambda: can_connect(household.folder / "bus"))
        sensor = household.start("sensor", [
            RELEASE / "vitals-sensor", "stand-in", "--bus", bus, "--activity", PROJECT / "deploy/activities/run-9km.csv",
            "--speed", SPEED, "--loop", "--known"])
        listener = Listener(household)
        alone, gateway, consumer, _ = household.enrol(bus)
        household.wait(sensor, "the sensor is ready", lambda: "ready" in (household.folder / "sensor.log").read_text())
        simple = [SENSOR, household.port, "home", household.password_file("home"), f"{TOPICS}/sensors/strap/heart-rate"]
        counts = {
            FLOOR: one(household, listener, FLOOR, [floor, bus, *simple]),
            LIVE: one(household, listener, LIVE, [RELEASE / "vitals-gateway", "--settings", alone]),
        }
        household.start("consumer", [RELEASE / "vitals-consumer", "--settings", consumer])
        counts[RECORDED] = one(
            household, listener, RECORDED, [RELEASE / "vitals-gateway", "--settings", gateway],
            lambda: b'"recorded_sensors":["strap"]' in listener.health)
        return counts


def one(household, listener, name, command, is_ready=lambda: True):
    """Instructions a notification of a program that is started under callgrind; it counts once everything flows."""
    name = name.replace(" ", "-").replace(",", "")
    out = household.folder / f"{name}.callgrind"
    listener.health = b""
    before = listener.count
    program = household.start(
        name, ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", *command])
    household.wait(program, "heart rates are published", lambda: listener.count > before and is_ready(), limit=180)
    time.sleep(2)  # What happens once after a connection is not a notification's cost.
    control("-i", "on", program)
    began = listener.count
    household.wait(program, "it is counted", lambda: listener.count >= began + NOTIFICATIONS, limit=180)
    control("-i", "off", program)
    count = listener.count - began
    stop(program)  # It writes what it has counted.
    total = next(int(line.split()[1]) for line in out.read_text().splitlines() if line.startswith("totals:"))
    if total == 0:
        sys.exit(f"bench: callgrind has counted nothing of {name}")
    return total / count


def control(option, value, program):
    subprocess.run(["callgrind_control", option, value, str(program.pid)], check=True, capture_output=True)
