"""A sensor of the bench's radio, on a controller of its own."""

import asyncio
import logging
import os
import struct
import time

from bumble import hci
from bumble.att import ATT_Error, Attribute
from bumble.controller import Controller
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address, HCI_ErrorCode
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate

log = logging.getLogger("radio")
READ, WRITE = Characteristic.Properties.READ, Characteristic.Properties.WRITE
NOTIFY, INDICATE = Characteristic.Properties.NOTIFY, Characteristic.Properties.INDICATE
READABLE, WRITEABLE = Attribute.READABLE, Attribute.WRITEABLE
#: Steps and temperature for reading, as `vitals-sensor` has them: a maker's own, because no standard service offers them so.
MAKERS = "f170000{}-76a1-4c53-9d5b-3f5f0d3c1a00"
#: Heart Rate Service: the control point does not know this value.
CONTROL_POINT_NOT_SUPPORTED = 0x80


class Peripheral:
    """A sensor. `services` names what it offers; `encrypted` makes it want a bond for measurements and the maker's values; `private`
    has it advertise under an address that changes, which only who is bonded can resolve."""

    def __init__(self, air, name, address, services=("heart-rate", "battery"), encrypted=False, private=False, first=1,
                 rate=0.0):
        self._air, self._name, self._services, self._encrypted = air, name, services, encrypted
        self._is_silent = self._refuses = self._is_asleep = False
        self._rate, self._next, self._steps, self._percent, self._celsius = rate, first, 1234, 90, 36.6
        self._writes: list[str] = []
        self._energy = 100
        self._changed = asyncio.Event()
        self._measurements: list[tuple[Characteristic, object]] = []
        address = Address(address)
        self._controller = Controller(name, link=air)
        self._controller.random_address = address
        host = Host()
        host.controller = self._controller
        self._device = Device(
            config=DeviceConfiguration(
                name=name, address=address, irk=os.urandom(16), gatt_service_enabled=True, advertising_interval_min=150,
                advertising_interval_max=150, le_privacy_enabled=private, le_rpa_timeout=10_000), host=host)
        self._device.keystore = MemoryKeyStore()
        self._device.add_services([getattr(self, "_" + each.replace("-", "_"))() for each in services] + [self._maker()])
        if encrypted:
            for characteristic, _ in self._measurements:
                # The descriptor by which one subscribes comes after its characteristic: bumble has made it.
                subscribing = self._device.gatt_server.get_attribute(characteristic.handle + 1)
                subscribing.permissions |= Attribute.WRITE_REQUIRES_ENCRYPTION
        self._device.pairing_config_factory = lambda _: PairingConfig(
            sc=True, mitm=False, bonding=True, delegate=PairingDelegate())
        self._device.on("connection", self._connected)
        self._device.on("disconnection", lambda *_: log.info("%s: disconnected", name))

    # What it offers

    def _heart_rate(self):
        def value(number):
            # Two bytes of heart rate, contact, and energy: a kilojoule for each, until it is reset. What no heart does is only
            # published live if the strap is not worn.
            self._energy += 1
            return struct.pack("<BHH", 0x0F if 25 <= number <= 240 else 0x0D, number, self._energy & 0xFFFF)

        measurement = self._measured(Characteristic("2A37", NOTIFY, READABLE, b""), value)
        return Service("180D", [
            measurement,
            Characteristic("2A38", READ, READABLE, b"\x01"),
            Characteristic("2A39", WRITE, WRITEABLE, CharacteristicValue(write=self._written)),
        ])

    def _battery(self):
        self._level = Characteristic("2A19", READ | NOTIFY, READABLE, CharacteristicValue(
            read=lambda _: bytes([self._percent])))
        return Service("180F", [self._level])

    def _running(self):
        # Speed in 1/256 m/s, steps a minute, stride in centimetres, distance in decimetres.
        measurement = self._measured(
            Characteristic("2A53", NOTIFY, READABLE, b""), lambda n: struct.pack("<BHBHI", 0x07, 640, 160, 94, n))
        return Service("1814", [measurement, Characteristic("2A54", READ, READABLE, struct.pack("<H", 0x07))])

    def _cycling(self):
        # Revolutions of the wheel and of the crank, each with the time of the last in 1/1024 s.
        measurement = self._measured(
            Characteristic("2A5B", NOTIFY, READABLE, b""),
            lambda n: struct.pack("<BIHHH", 0x03, 3 * n, 1024 * n & 0xFFFF, 2 * n & 0xFFFF, 1024 * n & 0xFFFF))
        return Service("1816", [measurement, Characteristic("2A5C", READ, READABLE, struct.pack("<H", 0x03))])

    def _thermometer(self):
        def value(_):
            return struct.pack("<BI", 0x04, round(self._celsius * 100) | 0xFE000000) + b"\x01"

        return Service("1809", [
            self._measured(Characteristic("2A1C", INDICATE, READABLE, b""), value),
            self._measured(Characteristic("2A1E", NOTIFY, READABLE, b""), value),
            Characteristic("2A1D", READ, READABLE, b"\x01"),
        ])

    def _device_information(self):
        texts = {"2A29": "Vitals", "2A24": "Bench", "2A26": "1.0.0"}
        return Service("180A", [Characteristic(uuid, READ, READABLE, text.encode()) for uuid, text in texts.items()])

    def _maker(self):
        readable = Attribute.READ_REQUIRES_ENCRYPTION | READABLE if self._encrypted else READABLE
        return Service(MAKERS.format(1), [
            Characteristic(MAKERS.format(2), READ, readable, CharacteristicValue(
                read=lambda _: struct.pack("<I", self._steps))),
            Characteristic(MAKERS.format(3), READ, readable, CharacteristicValue(
                read=lambda _: struct.pack("<f", self._celsius))),
        ])

    def _measured(self, characteristic, value):
        self._measurements.append((characteristic, value))
        return characteristic

    def _written(self, _, data):
        self._writes.append(bytes(data).hex())
        if bytes(data) != b"\x01":
            raise ATT_Error(CONTROL_POINT_NOT_SUPPORTED)
        self._energy = 0

    # What it does by itself

    async def _start(self):
        await self._device.power_on()
        await self.wake()
        self._task = asyncio.create_task(self._measure())

    def _connected(self, connection):
        log.info("%s: connected with %s", self._name, connection.peer_address)
        if self._refuses:  # What a central sees of a link that never came up.
            asyncio.create_task(connection.disconnect(HCI_ErrorCode.CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR))

    async def _measure(self):
        due = time.monotonic()
        while True:
            if not self._rate:
                self._changed.clear()
                await self._changed.wait()
                due = time.monotonic()
                continue
            # What was not sent in time is sent later, within a second.
            due = max(due + 1 / self._rate, time.monotonic() - 1)
            await asyncio.sleep(max(0, due - time.monotonic()))
            if not self._is_silent and self._controller not in self._air.away:
                try:
                    await self._send()
                except Exception:
                    log.exception("%s: not sent", self._name)

    async def _send(self, malformed=None):
        """Sends a measurement to everybody who listens; where nobody does, the number is not used up."""
        server, number = self._device.gatt_server, self._next
        heard = False
        for characteristic, value in self._measurements:
            if not any(characteristic.handle in each for each in server.subscribers.values()):
                continue
            heard = True
            data = value(number) if malformed is None else malformed
            if characteristic.properties & INDICATE:
                asyncio.create_task(self._indicate(characteristic, data))
            else:
                await self._device.notify_subscribers(characteristic, data)
        if heard and malformed is None:
            self._next = number % 0xFFFF + 1

    async def _indicate(self, characteristic, data):
        try:
            await self._device.gatt_server.indicate_subscribers(characteristic, data)
        except Exception as error:
            log.info("%s: an indication was not confirmed: %r", self._name, error)

    # What it is told

    async def wake(self):
        """Advertises, where it has no link."""
        self._is_asleep = False
        services = {"heart-rate": "180D", "running": "1814", "cycling": "1816", "thermometer": "1809"}
        uuids = b"".join(bytes(UUID(services[each])) for each in self._services if each in services)
        data = AdvertisingData([
            (AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, uuids),
            (AdvertisingData.COMPLETE_LOCAL_NAME, self._name.encode())])
        await self._device.start_advertising(
            advertising_data=bytes(data), own_address_type=hci.OwnAddressType.RANDOM, auto_restart=True)

    async def sleep(self):
        """Advertises no more. A link stays."""
        self._is_asleep = True
        await self._device.stop_advertising()

    async def lose(self, seconds=2):
        """Out of reach; who has a link to it notices after the supervision timeout. Returns the last number it had sent."""
        self._air.away.add(self._controller)
        last = self._next - 1
        await asyncio.sleep(seconds)
        self._air.time_out(self._controller)
        return last

    async def find(self):
        """In reach again."""
        self._air.away.discard(self._controller)

    async def hang_up(self):
        """Ends its links as one should. Returns the last number it had sent."""
        last = self._next - 1
        for connection in list(self._device.connections.values()):
            await connection.disconnect()
        return last

    async def refuse(self, on):
        """Ends each new link at once."""
        self._refuses = on

    async def silence(self, on):
        """Takes subscriptions, and sends nothing."""
        self._is_silent = on

    async def rate(self, hertz):
        """Measurements a second; 0 for none. Returns the number of the next."""
        self._rate = hertz
        self._changed.set()
        return self._next

    async def sent(self):
        """The last number that was sent."""
        return self._next - 1

    async def malformed(self, value):
        """Sends these bytes (in hexadecimal digits) as a measurement."""
        await self._send(malformed=bytes.fromhex(value))

    async def forget(self):
        """Loses its bonds."""
        self._device.keystore = MemoryKeyStore()

    async def rotate(self):
        """Takes another private address; while it has a link, its advertising goes on with it afterwards."""
        self._device.random_address = Address.generate_private_address(self._device.irk)
        self._controller.random_address = self._device.random_address
        return str(self._device.random_address)

    async def links(self):
        return len(self._device.connections)

    async def listeners(self):
        """The characteristics that somebody has subscribed to."""
        subscribed = {handle for each in self._device.gatt_server.subscribers.values() for handle, on in each.items() if any(on)}
        return [str(characteristic.uuid) for characteristic, _ in self._measurements if characteristic.handle in subscribed]

    async def state(self):
        """For people who wonder."""
        return {"sent": self._next - 1, "links": len(self._device.connections), "listeners": await self.listeners(),
                "asleep": self._is_asleep, "rate": self._rate}

    async def writes(self):
        """What was written to the control point, in hexadecimal digits."""
        return self._writes

    async def measures(self, steps=None, celsius=None):
        """What is read from it."""
        self._steps = self._steps if steps is None else steps
        self._celsius = self._celsius if celsius is None else celsius

    async def battery(self, percent):
        """Its level, told to who has subscribed."""
        self._percent = percent
        await self._device.notify_subscribers(self._level, bytes([percent]))
