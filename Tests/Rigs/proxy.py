"""A TCP proxy with a bad network in it: delays, black holes, resets. It has a thread and an event loop of its own; what
is called on it may be called from any thread.

TCP gives whole what it gives: a proxy that lost bytes and went on would do what no network does. So a black hole is one
of two. One that *holds* lets everything through when it ends, as after lost packets are sent again. One that *swallows*
has ended, without a word to either side, each connection that used it: nothing of that direction passes on it any more,
as where a router has forgotten a connection. New connections pass when the hole has ended."""

import asyncio
import contextlib
import socket
import struct
import threading

#: The directions: from the program to the broker, and back.
UP, DOWN = "up", "down"


class Proxy:
    """Listens on `port` of loopback, and passes on to `target`, which may be set later. To be used in a `with`."""

    def __init__(self, target: int = 0):
        self.target = target
        #: Seconds that each piece is late.
        self.delay = 0.0
        #: Directions in which everything is dropped.
        self.swallows: set[str] = set()
        #: How many connections were made, and how many pieces dropped.
        self.connections = self.swallowed = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._open = {UP: asyncio.Event(), DOWN: asyncio.Event()}
        for way in self._open.values():
            way.set()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]

    def __enter__(self):
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._listen()
        return self

    def _listen(self) -> None:
        starting = asyncio.start_server(self._pass_on, sock=self._socket)
        self._server = asyncio.run_coroutine_threadsafe(starting, self._loop).result(10)

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._reset()
        self._loop.run_until_complete(asyncio.sleep(0.01))
        self._socket.close()
        self._loop.close()

    # Faults

    def hold(self, ways: set[str]) -> None:
        """These ways hold what comes, the others pass: an empty set ends it."""
        def change():
            for way, is_open in self._open.items():
                is_open.clear() if way in ways else is_open.set()

        self._loop.call_soon_threadsafe(change)

    def stop_listening(self) -> None:
        """Ends all connections, and refuses new ones, as where nobody listens."""
        async def change():
            self._server.close()
            self._reset()

        asyncio.run_coroutine_threadsafe(change(), self._loop).result(10)

    def listen_again(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", self.port))
        self._listen()

    def reset(self) -> None:
        """Ends all connections, as a reset does."""
        self._loop.call_soon_threadsafe(self._reset)

    def _reset(self) -> None:
        for writer in self._writers:
            # Without lingering, closing sends a reset.
            with contextlib.suppress(OSError):
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()

    # The path of a piece

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        with contextlib.suppress(OSError):
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
            self._writers.add(far_writer)
            await asyncio.gather(self._pump(reader, far_writer, UP), self._pump(far_reader, writer, DOWN))
            self._writers.discard(far_writer)
        self._writers.discard(writer)
        writer.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: str) -> None:
        is_dead = False
        with contextlib.suppress(OSError):
            while piece := await reader.read(65_536):
                is_dead = is_dead or way in self.swallows
                if is_dead:
                    self.swallowed += 1
                    continue
                if self.delay:
                    await asyncio.sleep(self.delay)
                await self._open[way].wait()
                writer.write(piece)
                await writer.drain()
        # The end of the stream passes like the bytes: it is dropped, or waits until the fault is over.
        await self._open[way].wait()
        if not (is_dead or way in self.swallows):
            writer.close()
