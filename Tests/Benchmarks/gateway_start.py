"""How long the gateway takes from the start of its process to the first live heart rate at a subscriber, against the C loop (floor.c), and
what it says on the way. BlueZ, here the stand-in, is ready and knows the device, which has no link yet: a link takes the stand-in 50 ms, and
finding the services another 50. The strap sends fifty heart rates a second, so that little of the time is spent waiting for the next."""

import subprocess
import threading
import time
from statistics import median

from gateway_cost import DEVICE, FLOOR, LIVE, RECORDED, begin_bus, begin_strap, compile_c
from household import RELEASE, SENSOR, TOPICS, Household

TOPIC = f"{TOPICS}/sensors/strap/heart-rate"
# What a gateway logs on its way, and what that means.
STEPS = [
    ("vitals-gateway ", "its settings are read and its outbox is open"),
    ("Bluetooth: ready", "BlueZ is ready"),
    ("broker: connected", "the broker has let it in"),
    ("sensor strap: connected", "the strap's heart rate is subscribed to"),
]


def run(starts):
    print(f"From the start of the process to the first live heart rate, {starts} starts each")
    with Household() as household:
        bus = begin_bus(household)
        floor = compile_c("floor", household.folder / "floor")
        begin_strap(household, bus, "--synthesise", "--rate", 50, "--disconnect-delay", "1ms")
        listener = household.start(
            "listener", ["stdbuf", "-oL", "mosquitto_sub", "-p", household.port, "-t", TOPIC], stdout=subprocess.PIPE)
        heard = Lines(listener.stdout)
        alone, gateway, consumer, _ = household.enrol(bus)
        household.start("consumer", [RELEASE / "vitals-consumer", "--settings", consumer])
        commands = {
            FLOOR: [floor, bus, SENSOR, household.port, "home", household.password_file("home"), TOPIC],
            LIVE: [RELEASE / "vitals-gateway", "--settings", alone],
            RECORDED: [RELEASE / "vitals-gateway", "--settings", gateway],
        }
        for name, command in commands.items():
            report(name, [one(household, bus, name, command, heard) for _ in range(starts)])


class Lines:
    """Lines as they come, with their times."""

    def __init__(self, stream):
        self.all = []
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream):
        for line in stream:
            self.all.append((time.monotonic(), line.decode(errors="replace")))


def one(household, bus, name, command, heard):
    """Milliseconds to the first heart rate, and to each step."""
    subprocess.run(
        ["dbus-send", f"--bus={bus}", "--print-reply", "--dest=org.bluez", DEVICE, "org.bluez.Device1.Disconnect"], capture_output=True)
    time.sleep(1)
    heard.all.clear()
    began = time.monotonic()
    program = household.start(name.replace(" ", "-").replace(",", ""), command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = Lines(program.stdout)
    household.wait(program, "a heart rate is published", lambda: heard.all)
    time.sleep(0.2)  # So that its lines are here, too.
    program.send_signal(15)
    program.wait(15)
    times = {"the first heart rate": heard.all[0][0] - began}
    for words, step in STEPS:
        times |= {step: at - began for at, line in reversed(said.all) if words in line}
    return {step: seconds * 1000 for step, seconds in times.items()}


def report(name, found):
    print(f"  {name}:")
    for step in [*(step for _, step in STEPS), "the first heart rate"]:
        if times := [times[step] for times in found if step in times]:
            print(f"    {median(times):6.0f} ms, worst {max(times):6.0f} ms: {step}")
