"""How many instructions a notification costs the gateway in user mode, live and recorded, and a block the consumer, as callgrind counts
them. Unlike time, they hardly depend on what else the machine does. What they come to, divided by those of a floor in the same run, is kept
in instructions.json: of the gateway a C loop (floor.c), of the consumer `mosquitto_sub` that throws the same messages away. Where a ratio
has changed by more than a tenth, look for what has made it dearer, or, where that is as it should be, keep the new ones with --keep.

Compilers and libraries have other counts, and so have programs that were not optimized: ratios are kept for each. The rig `cost` compares
those of the programs that the tests have built."""

import json
import platform
import subprocess
import sys
import time

from consumer_rate import expect, tell
from gateway_cost import BENCHMARKS, FLOOR, LIVE, RECORDED, RECORDING, begin_bus, begin_strap, compile_c
from household import RELEASE, SENSOR, TOPICS, Household, Listener, stop, versions

KEPT = BENCHMARKS / "instructions.json"
SPEED = 100
NOTIFICATIONS = 600
CONSUMER, SUBSCRIBER = "consumer, a block of 10", "mosquitto_sub, a block of 10"
BLOCKS, WINDOW = 1000, 64
TOLERANCE = 0.1


def run(is_to_be_kept):
    """Prints the counts. Whether they are as they were."""
    ratios, lines = found()
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    print(f"Instructions in user mode (callgrind), {world()}")
    print("\n".join(lines))
    problems = differing(ratios, kept.get(world(), {}))
    for line in problems:
        print(line)
    if is_to_be_kept:
        KEPT.write_text(json.dumps(kept | {world(): ratios}, indent=2) + "\n")
    return not problems or is_to_be_kept


def world():
    """What counts depend on, besides Vitals."""
    build = "release" if RELEASE.resolve().name == "release" else "debug"
    compiler = next((part for part in versions().split("; ") if part.startswith("Swift")), "Swift ?").split(" (")[0]
    system = platform.freedesktop_os_release()
    return f"{build}, {compiler}, {system['ID']} {system.get('VERSION_ID', '')}, {platform.machine()}"


def found():
    """The ratios, and lines that say what was counted."""
    counts = gateway() | consumer()
    floors = {LIVE: FLOOR, RECORDED: FLOOR, CONSUMER: SUBSCRIBER}
    ratios = {name: round(counts[name] / counts[floor], 3) for name, floor in floors.items()}
    return ratios, [f"  {name + ':':30}{count:11,.0f}" + (f", {ratios[name]:6.2f} × {floors[name]}" if name in ratios else "")
                    for name, count in counts.items()]


def differing(ratios, kept):
    """A line for each ratio that is more than a tenth off what is kept, or not kept."""
    return [f"{name}: {ratio:.3f} instructions of its floor, {kept.get(name, 'none')} are kept: look for what has changed, or run"
            " deploy/bench instructions --keep"
            for name, ratio in ratios.items() if name not in kept or abs(ratio / kept[name] - 1) > TOLERANCE]


def gateway():
    with Household() as household:
        bus = begin_bus(household)
        floor = compile_c("floor", household.folder / "floor")
        begin_strap(household, bus, "--activity", RECORDING, "--speed", SPEED, "--loop")
        listener = Listener(household)
        alone, gateway, consumer, _ = household.enrol(bus)
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


def consumer():
    with Household() as household:
        _, _, settings, key = household.enrol()
        program, out = counted(household, "consumer", [RELEASE / "vitals-consumer", "--settings", settings])
        log = household.folder / "broker.log"
        household.wait(program, "it has subscribed", lambda: "users/+/requests" in log.read_text(), limit=180)
        load = household.start("load", [
            RELEASE / "vitals-load", "--port", household.port, "--username", "home", "--password-file", household.password_file("home"),
            "--identity", household.folder / "gateway/identity.key", "--consumer", key, "--blocks", BLOCKS, "--readings", 10, "--window", WINDOW,
        ], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        expect(household, load, "ready")
        control("-i", "on", program)
        blocks = tell(household, load, "acknowledged")["blocks"]
        control("-i", "off", program)
        stop(program)
        floor, floor_out = counted(household, "mosquitto_sub", [
            "mosquitto_sub", "-V", "mqttv5", "-D", "connect", "receive-maximum", "65535", "-p", household.port, "-u", "consumer",
            "-P", household.password_file("consumer").read_text().strip(), "-q", "1", "-t", f"{TOPICS}/blocks", "-C", blocks,
        ], stdout=subprocess.DEVNULL)
        household.wait(floor, "it has subscribed", lambda: f"{TOPICS}/blocks" in log.read_text(), limit=180)
        control("-i", "on", floor)
        tell(household, load, "published")
        floor.wait(180)
        return {SUBSCRIBER: total(floor_out) / blocks, CONSUMER: total(out) / blocks}


def counted(household, name, command, **options):
    """A program that is started under callgrind, which counts nothing yet, and where it writes what it has counted at its end."""
    out = household.folder / f"{name}.callgrind"
    return household.start(
        name, ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", *command], **options), out


def total(out):
    count = next(int(line.split()[1]) for line in out.read_text().splitlines() if line.startswith("totals:"))
    if count == 0:
        sys.exit(f"bench: callgrind has counted nothing in {out.name}")
    return count


def one(household, listener, name, command, is_ready=lambda: True):
    """Instructions a notification of a program that is started under callgrind; it counts once everything flows."""
    listener.health = b""
    before = listener.count
    program, out = counted(household, name.replace(" ", "-").replace(",", ""), command)
    household.wait(program, "heart rates are published", lambda: listener.count > before and is_ready(), limit=180)
    time.sleep(2)  # What happens once after a connection is not a notification's cost.
    control("-i", "on", program)
    began = listener.count
    household.wait(program, "it is counted", lambda: listener.count >= began + NOTIFICATIONS, limit=180)
    control("-i", "off", program)
    count = listener.count - began
    stop(program)  # It writes what it has counted.
    return total(out) / count


def control(option, value, program):
    subprocess.run(["callgrind_control", option, value, str(program.pid)], check=True, capture_output=True)
