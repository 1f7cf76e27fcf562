"""What a live heart rate costs the consumer, against `mosquitto_sub` that throws the same messages away. Each strap sends one a
second, so the rate is how many of them beat at once."""

import subprocess
import threading
import time

import paho.mqtt.client as mqtt

from graph import Asker
from household import RELEASE, TOPICS, Household, processor_seconds

PERSON = {"name": "Ada", "date_of_birth": "1990-01-01", "gender": "female", "height_cm": 170, "weight_kg": 60}
#: How many messages go out in each hundredth of a second.
BURST = 40


def run(seconds):
    print(f"A live heart rate, {100 * BURST} a second for {seconds} s")
    recorded, unrecorded = consumer(seconds, is_recorded=True), consumer(seconds, is_recorded=False)
    floor = mosquitto_sub(seconds)
    print(f"    of a person who is recorded:     {recorded:5.1f} µs of the consumer's processor time")
    print(f"    of a person who is not recorded: {unrecorded:5.1f} µs")
    print(f"    mosquitto_sub:                   {floor:5.1f} µs")
    print(f"    ratio:                           {recorded / floor:5.1f} × and {unrecorded / floor:.1f} ×")


def consumer(seconds, is_recorded):
    with Household() as household:
        _, _, settings, _ = household.enrol()
        program = household.start("consumer", [RELEASE / "vitals-consumer", "--settings", settings])
        wait_for_subscription(household, program)
        asker = Asker(household)
        try:
            asker.ask("profile/set", PERSON | {"continuous_heart_rate": is_recorded})
            return cost(household, program, seconds)
        finally:
            asker.stop()


def mosquitto_sub(seconds):
    with Household() as household:
        program = household.start("mosquitto_sub", [
            "mosquitto_sub", "-p", household.port, "-u", "consumer", "-P", household.password_file("consumer").read_text().strip(),
            "-t", f"{TOPICS}/sensors/strap/heart-rate",
        ], stdout=subprocess.DEVNULL)
        wait_for_subscription(household, program)
        return cost(household, program, seconds)


def wait_for_subscription(household, program):
    log = household.folder / "broker.log"
    household.wait(program, "it has subscribed", lambda: "/heart-rate" in log.read_text())


def cost(household, program, seconds):
    """Microseconds of a program's processor time for a message."""
    connected = threading.Event()
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
    client.username_pw_set("home", household.password_file("home").read_text().strip())
    client.on_connect = lambda *_: connected.set()
    client.connect("127.0.0.1", household.port)
    client.loop_start()
    if not connected.wait(10):
        raise TimeoutError("the broker does not answer")
    used = processor_seconds(program.pid)
    began, count = time.monotonic(), seconds * 100
    for number in range(count):
        for beat in range(BURST):
            client.publish(f"{TOPICS}/sensors/strap/heart-rate", f'{{"time":1790000000000,"bpm":{60 + beat},"contact":true}}')
        time.sleep(max(0, began + (number + 1) / 100 - time.monotonic()))
    client.publish(f"{TOPICS}/sensors/strap/heart-rate", b"{}", 1).wait_for_publish(30)
    client.disconnect()
    client.loop_stop()
    return (processor_seconds(program.pid) - used) / (count * BURST) * 1e6
