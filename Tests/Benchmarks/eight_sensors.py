"""What eight sensors cost the gateway, at twelve and at fifty heart rates a second each, against the C loop (floor.c) with the same eight:
the processor's time of a notification, how long each takes from the bus to a subscriber (latency.c), whether each arrives, and how much
memory is the program's own at the end. All three meet the same sensors, whose heart rates are spread evenly over time: values that come
together cost less."""

import asyncio
import contextlib
import json
import re
import subprocess
import threading
import time
from pathlib import Path

from dbus_fast import Message
from dbus_fast.aio import MessageBus
from gateway_cost import BENCHMARKS, FLOOR, LIVE, RECORDED, begin_bus, compile_c
from household import RELEASE, SENSOR, TOPICS, Household, processor_seconds, stop, wake_ups

SENSORS = 8
RATES = (12, 50)
HEART_RATE = "00002a37-0000-1000-8000-00805f9b34fb"
HEART_RATES = f"{TOPICS}/sensors/+/heart-rate"


def run(seconds, rounds):
    print(f"Eight sensors, each {seconds} s" + (f", {rounds} rounds" if rounds > 1 else "")
          + " (processor, all threads; time from the bus to a subscriber; memory at the end)")
    with Household() as household:
        bus = begin_bus(household)
        floor, latency = (compile_c(name, household.folder / name) for name in ("floor", "latency"))
        alone, gateway, consumer, _ = household.enrol(bus)
        for path in (alone, gateway):
            path.write_text(re.sub(r"sensors: \{ strap: .*?\n  +\} \},", f"sensors: {{ {sensors()} }},", path.read_text(), flags=re.S))
        consumer.write_text(consumer.read_text().replace(
            '"home/strap"', ", ".join(f'"home/strap-{number}"' for number in range(1, SENSORS + 1))))
        devices = [word for number in range(1, SENSORS + 1) for word in (name(number), f"{TOPICS}/sensors/strap-{number}/heart-rate")]
        simple = [devices[0], household.port, "home", household.password_file("home"), *devices[1:]]
        listen = [latency, bus, household.port, HEART_RATES]
        for rate in RATES:
            stand_in = household.start(f"sensors-{rate}", [
                RELEASE / "vitals-sensor", "stand-in", "--bus", bus, "--synthesise", "--sensors", SENSORS, "--rate", rate, "--known"])
            household.wait(stand_in, "the sensors are ready", lambda: can_find(bus))
            holder = Holder(bus, rate)
            household.wait(stand_in, "the sensors are connected", lambda: holder.is_ready)
            for _ in range(rounds):
                cost = one(household, rate, FLOOR, [floor, bus, *simple], listen, seconds)
                one(household, rate, LIVE, [RELEASE / "vitals-gateway", "--settings", alone], listen, seconds, cost)
                store = household.start("consumer", [RELEASE / "vitals-consumer", "--settings", consumer])
                one(household, rate, RECORDED, [RELEASE / "vitals-gateway", "--settings", gateway], listen, seconds, cost)
                stop(store)
            stop(stand_in)


class Holder:
    """A client that has the sensors send, evenly spread over time, before a program comes and after it has gone. It takes no signals."""

    def __init__(self, bus, rate):
        self.is_ready = False
        threading.Thread(target=lambda: asyncio.run(self._hold(bus, rate)), daemon=True).start()

    async def _hold(self, bus, rate):
        connection = await MessageBus(bus_address=bus).connect()

        async def call(path, interface, member):
            reply = await connection.call(Message(destination="org.bluez", path=path, interface=interface, member=member))
            return reply.body

        for number in range(1, SENSORS + 1):
            await call(f"/org/bluez/hci0/dev_C0_FF_EE_00_00_{number:02X}", "org.bluez.Device1", "Connect")
        await asyncio.sleep(1)
        objects = (await call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"))[0]
        began = time.monotonic()
        found = 0
        for path, interfaces in sorted(objects.items()):
            characteristic = interfaces.get("org.bluez.GattCharacteristic1")
            if characteristic and characteristic["UUID"].value == HEART_RATE:
                await asyncio.sleep(max(0, began + found * (1 + 1 / SENSORS) / rate - time.monotonic()))
                await call(path, "org.bluez.GattCharacteristic1", "StartNotify")
                found += 1
        self.is_ready = found == SENSORS
        with contextlib.suppress(EOFError):  # The bus ends with the household.
            await connection.wait_for_disconnect()


def sensors():
    return " ".join(f'"strap-{number}": {{ name: "{name(number)}" }},' for number in range(1, SENSORS + 1))


def name(number):
    return SENSOR if number == 1 else f"{SENSOR} {number}"


def one(household, rate, what, command, listen, seconds, floor=None):
    """Runs a program for a while, and prints what it cost; returns microseconds a notification."""
    log = f"{what}-{rate}".replace(" ", "-").replace(",", "")
    program = household.start(log, command)
    household.wait(program, "all sensors' heart rates are published", lambda: are_all_heard(household.port))
    time.sleep(5)  # What happens once after a connection, such as reading the sensors' details, is not a notification's cost.
    began, used, woken = time.monotonic(), processor_seconds(program.pid), wake_ups(program.pid)
    said = subprocess.run([*map(str, listen), str(seconds)], check=True, capture_output=True, text=True).stdout
    used, woken = processor_seconds(program.pid) - used, wake_ups(program.pid) - woken
    took = time.monotonic() - began
    memory = own_memory(program.pid)
    stop(program)
    found = json.loads(said)
    # The listener waits for what is still on its way, while the sensors go on.
    count = found["notified"] / seconds * took
    cost = used / count * 1e6
    print(f"  {rate:2} a second, {what + ':':20}{cost:7.1f} µs a notification" + (f", {cost / floor:4.2f} × the C loop" if floor else "")
          + f", {woken / count:4.2f} wake-ups; median {found['median'] / 1000:5.2f} ms, p99 {found['p99'] / 1000:5.2f} ms, worst {found['worst'] / 1000:6.2f} ms"
          + f"; {found['notified']:,} sent, {found['lost']} lost, {found['doubled']} doubled; " + memory)
    return cost


def can_find(bus):
    answer = subprocess.run(
        ["dbus-send", f"--bus={bus}", "--print-reply", "--dest=org.bluez", "/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects"],
        capture_output=True, text=True)
    return f"dev_C0_FF_EE_00_00_{SENSORS:02X}" in answer.stdout


def are_all_heard(port):
    """Whether each sensor is heard within a second or two."""
    heard = subprocess.run(
        ["mosquitto_sub", "-p", str(port), "-t", HEART_RATES, "-W", "2", "-C", str(100), "-F", "%t"], capture_output=True, text=True)
    return len(set(heard.stdout.split())) == SENSORS


def own_memory(pid):
    """What the kernel says of a process' memory that is nobody else's; only root may ask, of a program that lets nobody look into it."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except PermissionError:
        return "memory is for root to ask"
    kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.endswith(" kB")}
    return (f"{kilobytes['Anonymous'] / 1024:.1f} MB anonymous, {kilobytes['Private_Dirty'] / 1024:.1f} MB private and written,"
            f" {kilobytes['Rss'] / 1024:.1f} MB resident")
