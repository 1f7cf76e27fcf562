"""The bench's radio: controllers that the kernel sees, and peripherals with a Bluetooth stack of their own, on one emulated link.

A controller is what comes in by /dev/vhci: bluetoothd drives it as hci0. A peripheral is a host and a GATT server of bumble's, nothing
of BlueZ, on a controller of its own. Values carry a number that rises by one with each, so that who receives them can
count what is missing and what came twice; a number is used up when it was handed to a link on which somebody listens.

It is told what to do by lines of JSON at a socket, and answers each with one: {"do": "lose", "who": "strap", …} gives
{"answer": …}, or {"error": …}. What there is to do: the methods of `Room` and `Peripheral` whose names have no underscore."""

import argparse
import asyncio
import json
import logging

from air import Air, HostController, KernelSide
from peripheral import Peripheral

log = logging.getLogger("radio")


class Room:
    """All of it."""

    def __init__(self, adapters):
        self._air, self._adapters, self._peripherals = Air(), {}, {}
        self._count = adapters

    async def _start(self, path):
        for index in range(self._count):
            await self.plug(index)
        await asyncio.start_unix_server(self._serve, path)
        print("ready", flush=True)

    async def _serve(self, reader, writer):
        while line := await reader.readline():
            command = json.loads(line)
            name, who = command.pop("do"), command.pop("who", None)
            try:
                if name.startswith("_"):
                    raise AttributeError(name)
                answer = await getattr(self._peripherals[who] if who else self, name)(**command)
                writer.write(json.dumps({"answer": answer}).encode() + b"\n")
            except Exception as error:
                log.exception("%s", line)
                writer.write(json.dumps({"error": repr(error)}).encode() + b"\n")
            await writer.drain()
        writer.close()

    async def plug(self, index):
        """A controller comes, unless it is there: hci0 is 00:AA:01:00:00:00."""
        if index in self._adapters:
            return
        kernel = KernelSide()
        controller = HostController(
            f"hci{index}", host_source=kernel, host_sink=kernel, link=self._air,
            public_address=f"00:AA:01:00:00:{index:02X}")
        kernel.on_closed = controller.fall_silent
        self._adapters[index] = kernel, controller

    async def unplug(self, index):
        """A controller goes, with all its links."""
        kernel, controller = self._adapters.pop(index)
        controller.fall_silent()
        self._air.remove_controller(controller)
        kernel.close()

    async def make(self, name, as_=None, **how):
        """A peripheral that advertises, and is called so in commands."""
        peripheral = Peripheral(self._air, name, **how)
        self._peripherals[as_ or name] = peripheral
        await peripheral._start()

    async def states(self):
        return {f"{each._name} {each._device.random_address}": await each.state() for each in self._peripherals.values()}

    async def clear(self):
        """All peripherals go."""
        for peripheral in self._peripherals.values():
            peripheral._task.cancel()
            await peripheral.sleep()
            await peripheral.hang_up()
            self._air.remove_controller(peripheral._controller)
        self._peripherals = {}


async def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("socket")
    parser.add_argument("--adapters", type=int, default=1)
    chosen = parser.parse_args()
    logging.basicConfig(level="INFO", format="%(asctime)s %(name)s: %(message)s")
    await Room(chosen.adapters)._start(chosen.socket)
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main())
