"""What the documents show of a real BlueZ: the commands of a newcomer, each with its output. Run in the bench's machine:

    Tests/Radio/machine run 300 .build/radio/python/bin/python Tests/Radio/tour.py
"""

import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Rigs"))

from household import RELEASE  # noqa: E402
from worlds import BlueZ  # noqa: E402


def main():
    sys.stdout.reconfigure(line_buffering=True)
    with BlueZ() as world:
        world.begin("tour")
        strap, other = world.straps(
            2, names=["Strap 001", "Strap 002"], rate=1, first=72, services=["heart-rate", "battery", "device-information"])
        pod = world.straps(1, names=["Foot pod"], rate=1, services=["running", "battery"])[0]
        world.start_gateway({})
        world.listener.wait(
            "Bluetooth is ready", lambda: world.listener.find("health", lambda said: said["bluetooth"] == "ready"), 30)
        show(world, "vitals scan")
        show(world, "vitals connect 'Strap 001' --sensor strap --name 'Chest strap'")
        show(world, "vitals watch --count 4")
        show(world, "vitals sensors")
        show(world, "vitals status")
        show(world, "mosquitto_sub -v -C 2 -t 'vitals/v1/gateways/home/sensors/+/heart-rate'")
        show(world, "vitals connect 'Foot pod' --sensor pod")
        show(world, "vitals watch pod --count 4")
        show(world, "vitals read steps pod")
        show(world, "vitals disconnect strap")
        show(world, "vitals forget pod")
        for each in (strap, other, pod):
            each.sleep()
        time.sleep(3)
        show(world, "vitals scan --seconds 5")
        world.power(False)
        show(world, "vitals scan")
        world.power(True)
        world.end()


def show(world, command):
    """Runs a command as people type it, and prints both; the port is the bench's business."""
    print(f"$ {command}")
    words = command.replace("vitals ", f"{RELEASE}/vitals --port {world.port} ", 1) if command.startswith("vitals") else (
        command.replace("mosquitto_sub", f"mosquitto_sub -p {world.port}"))
    said = subprocess.run(
        ["bash", "-c", words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=90)
    print(said.stdout, end="", flush=True)


if __name__ == "__main__":
    main()
