"""A client that knows nothing of this project: bleak, on the bus in DBUS_SYSTEM_BUS_ADDRESS.

Scans, connects, lists the services, reads battery, steps and temperature, takes three heart rates, and disconnects.
Says in words what it does; exits 0 when all went well, else 1.
"""

import asyncio
import sys

try:
    from bleak import BleakClient, BleakScanner
except ImportError:
    sys.exit("bleak is not installed for this Python: run deploy/test, which brings it, or set VITALS_PYTHON")

NAME = "Vitals HRM"
HEART_RATE = "00002a37-0000-1000-8000-00805f9b34fb"
BATTERY = "00002a19-0000-1000-8000-00805f9b34fb"
STEPS = "f1700002-76a1-4c53-9d5b-3f5f0d3c1a00"
TEMPERATURE = "f1700003-76a1-4c53-9d5b-3f5f0d3c1a00"
EXPECTED_SERVICES = {"180d", "1809", "180f", "180a", "f1700001"}


async def heart_rates(client, count, **options):
    values = asyncio.Queue()
    await client.start_notify(HEART_RATE, lambda _, value: values.put_nowait(bytes(value)), **options)
    rates = [(await asyncio.wait_for(values.get(), 10))[1] for _ in range(count)]
    await client.stop_notify(HEART_RATE)
    return rates


async def main():
    device = await BleakScanner.find_device_by_name(NAME, timeout=10)
    if device is None:
        sys.exit(f"no device called {NAME} was found")
    print(f"found {device.address} {device.name}")
    async with BleakClient(device, timeout=10) as client:
        services = {service.uuid for service in client.services}
        print(f"connected, {len(services)} services")
        missing = {name for name in EXPECTED_SERVICES if not any(name in uuid[:8] for uuid in services)}
        if missing:
            sys.exit(f"services are missing: {sorted(missing)}")
        print(f"battery {(await client.read_gatt_char(BATTERY))[0]} %")
        print(f"steps {int.from_bytes(await client.read_gatt_char(STEPS), 'little')}")
        print(f"temperature {bytes(await client.read_gatt_char(TEMPERATURE)).hex()}")
        print(f"heart rates by StartNotify {await heart_rates(client, 3)}")
        rates = await heart_rates(client, 3, bluez={"use_start_notify": False})
        print(f"heart rates by AcquireNotify {rates}")
    print(f"disconnected: {not client.is_connected}")


asyncio.run(asyncio.wait_for(main(), 50))
