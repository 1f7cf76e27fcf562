"""The gateway as one would write it in Python: bleak brings the notifications, paho-mqtt publishes them, at QoS 0, as the
gateway's JSON. It is what the gateway's cost is compared with at the other end.

    gateway.py DEVICE-NAME PORT USER PASSWORD-FILE TOPIC         with the bus in DBUS_SYSTEM_BUS_ADDRESS
"""

import asyncio
import json
import signal
import sys
import time
from pathlib import Path

import paho.mqtt.client as mqtt
from bleak import BleakClient, BleakScanner

HEART_RATE = "00002a37-0000-1000-8000-00805f9b34fb"


def decoded(value):
    """Bluetooth SIG, Heart Rate Service 1.0, 3.1."""
    flags, at = value[0], 2 + (value[0] & 1)
    payload = {"time": time.time_ns() // 1_000_000, "bpm": int.from_bytes(value[1:at], "little")}
    if flags & 4:
        payload["contact"] = bool(flags & 2)
    energy = None
    if flags & 8:
        energy = int.from_bytes(value[at : at + 2], "little")
        at += 2
    if flags & 16:
        intervals = range(at, len(value) - 1, 2)
        payload["rr_ms"] = [(int.from_bytes(value[i : i + 2], "little") * 1000 + 512) // 1024 for i in intervals]
    if energy is not None:
        payload["energy_kj"] = energy
    return payload


async def main(name, port, user, password_file, topic):
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    broker = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    broker.username_pw_set(user, Path(password_file).read_text().strip())
    broker.connect("127.0.0.1", int(port))
    broker.loop_start()
    device = await BleakScanner.find_device_by_name(name, timeout=20)
    if device is None:
        sys.exit(f"no device called {name} was found")

    def notified(_, value):
        broker.publish(topic, json.dumps(decoded(value), separators=(",", ":")))

    async with BleakClient(device) as client:
        await client.start_notify(HEART_RATE, notified)
        await ended.wait()
    broker.disconnect()
    broker.loop_stop()


asyncio.run(main(*sys.argv[1:]))
