"""Where a scenario happens: a broker, a gateway and a listener in either world, and straps around them.

    bluez       in the bench's machine: the system bus, bluetoothd on a controller of the emulated radio, the radio's peripherals
    stand-in    here: a bus of its own, and `vitals-sensor stand-in`, which is both bluetoothd and the straps

A scenario knows `World` and `Strap` only. What exists in one world only says so when it is asked for (`Unavailable`)."""

import contextlib
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from household import PROJECT, RELEASE, Household, can_connect, stop
from listener import ROOT, Listener

HERE = Path(__file__).resolve().parent
#: So far apart are the numbers of straps that have one name.
APART = 20_000
STEPS = "f1700002-76a1-4c53-9d5b-3f5f0d3c1a00"
TEMPERATURE = "f1700003-76a1-4c53-9d5b-3f5f0d3c1a00"
#: A user without rights.
NOBODY = 65534
#: How fast a strap sends where nothing else is said, a second.
RATE = 4


class Unavailable(Exception):
    """This world cannot do that."""


class World(Household):
    """What both have in common. For a `with`; straps and gateways are a scenario's own."""

    name: str
    #: The gateway's setting.
    bus: str

    def __enter__(self):
        super().__enter__()
        self.listener = Listener(self)
        self.gateway = None
        self._serials = itertools.count(1)
        return self

    def _make_folder(self):
        """A folder that stays, for whoever wants to know what went wrong; `remove` is for when all went well."""
        return Path(tempfile.mkdtemp(prefix=f"vitals-{self.name}-"))

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def begin(self, scenario):
        """Nothing of the scenario before is left but what bluetoothd remembers; and that never meets the same strap again."""
        self.listener.forget()
        self._scenario = scenario
        for path in self.folder.glob("*.log"):
            with open(path, "a") as log:
                log.write(f"--- {scenario}\n")

    def end(self):
        """After a scenario, however it went."""
        self.stop_gateway()

    def state(self) -> list[str]:
        """What the straps are at, for whoever wonders why nothing comes."""
        raise NotImplementedError

    # The gateway

    def start_gateway(self, sensors, lines="", broker_lines="", user=None):
        """Starts a gateway with new state. `sensors` are settings for each id, such as { name: "Strap 001" }, or straps; the lines
        are further settings. As another user where `user` is a command that becomes that user."""
        folder = self.folder / f"gateway-{next(self._serials)}"
        folder.mkdir()
        shutil.copy(self.password_file("home"), folder)
        told = ",\n".join(f'"{id}": {one if isinstance(one, str) else one.settings}' for id, one in sensors.items())
        usual = {"bluetooth:": f'bluetooth: {{ bus: "{self.bus}" }},', "log:": 'log: "debug",'}
        lines += "".join(line for key, line in usual.items() if key not in lines)
        (folder / "gateway.json5").write_text(f"""{{
          gateway: "home", state: "state",
          broker: {{ port: {self.port}, username: "home", password_file: "home.password", {broker_lines} }},
          sensors: {{ {told} }},
          {lines}
        }}""")
        if user:
            self.folder.chmod(0o711)
            for path in (folder, *folder.iterdir()):
                os.chown(path, NOBODY, NOBODY)
        self._gateway = [*(user or []), RELEASE / "vitals-gateway", "--settings", folder / "gateway.json5"]
        self.restart_gateway()

    def restart_gateway(self):
        """The same gateway once more, with the state it has."""
        self.gateway = self.start("gateway", self._gateway)

    def stop_gateway(self):
        if self.gateway:
            stop(self.gateway)
        self.gateway = None

    def log(self, name="gateway"):
        """What a program has logged in this scenario."""
        return (self.folder / f"{name}.log").read_text(errors="replace").rpartition(f"--- {self._scenario}\n")[2]

    def ask(self, request, payload, limit=60):
        """A request to the gateway, as people make it; returns its reply."""
        self._asked = getattr(self, "_asked", 0) + 1
        payload = json.dumps(payload | {"id": self._asked})
        topic = f"{ROOT}/requests/{request}"
        reply = f"responses/{request}"
        if request.startswith("sensors/"):
            topic, reply = f"{ROOT}/{request}/get", f"{request}/response"
        subprocess.run(["mosquitto_pub", "-V", "mqttv311", "-p", str(self.port), "-t", topic, "-m", payload], check=True)
        asked = self._asked
        return self.listener.wait(
            f"a reply to {request}", lambda: self.listener.find(reply, lambda said: said.get("id") == asked), limit).said

    # Bluetooth

    def straps(self, count=1, **how) -> list["Strap"]:
        """Straps that advertise. All of a scenario are made at once."""
        raise NotImplementedError

    def read_objects(self):
        """What org.bluez has on the bus: interfaces and their properties by path."""
        said = self.busctl("--json=short", "call", "org.bluez", "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        return {path: {interface: {name: value["data"] for name, value in properties.items()} for interface, properties in each.items()}
                for path, each in json.loads(said)["data"][0].items()}

    def device(self, strap):
        """Its properties, or None where BlueZ does not know it."""
        devices = (each.get("org.bluez.Device1") for each in self.read_objects().values())
        return next((each for each in devices if each and each["Address"] == strap.address), None)

    def write(self, strap, uuid, data):
        """Writes to a characteristic, as another program does. Returns the error's words, or None."""
        suffix = "/dev_" + strap.address.replace(":", "_")
        path = next(path for path, each in self.read_objects().items()
                    if suffix in path and each.get("org.bluez.GattCharacteristic1", {}).get("UUID", "").startswith(uuid))
        try:
            self.busctl("call", "org.bluez", path, "org.bluez.GattCharacteristic1", "WriteValue", "aya{sv}", str(len(data)), *map(str, data), "0")
        except subprocess.CalledProcessError as error:
            return error.stderr.strip()

    def busctl(self, *words):
        where = "--system" if self.bus == "system" else f"--address={self.bus}"
        return subprocess.run(
            ["busctl", where, "--timeout=60", *words], check=True, capture_output=True, text=True).stdout.strip()

    def kill_bluetooth(self):
        """SIGKILL for bluetoothd."""
        raise NotImplementedError

    def start_bluetooth(self):
        raise NotImplementedError

    def permit(self, whom):
        raise Unavailable("the bus is the user's own")

    def power(self, on):
        """The adapter's."""
        raise NotImplementedError

    def unplug(self):
        """The adapter."""
        raise NotImplementedError

    def plug(self):
        raise NotImplementedError

    def block(self, on):
        raise Unavailable("there is no rfkill")

    def kill_bus(self):
        """And with it whoever lives from it."""
        raise NotImplementedError

    def start_bus(self):
        raise NotImplementedError


class Strap:
    """A strap of either world. Numbers rise by one with each heart rate that it sends, and are its value."""

    def __init__(self, name, address):
        self.name, self.address = name, address

    @property
    def settings(self):
        return (f'{{ name: "{self.name}", steps: {{ uuid: "{STEPS}", encoding: "uint32" }},'
                f' temperature: {{ uuid: "{TEMPERATURE}", encoding: "float" }} }}')


# The machine

class RadioStrap(Strap):
    """A peripheral of the radio's. What it can be told: see `radio.Peripheral`."""

    def __init__(self, name, address, alias, radio):
        super().__init__(name, address)
        self._radio, self._alias = radio, alias

    def __getattr__(self, command):
        return lambda *values, **named: self._radio(command, self._alias, *values, **named)


class BlueZ(World):
    """In the machine that `machine` boots, as its only user."""

    name = "bluez"
    bus = "system"
    adapter = "/org/bluez/hci0"
    #: What commands of the radio's call their one argument.
    ARGUMENTS = {"lose": "seconds", "refuse": "on", "silence": "on", "rate": "hertz", "malformed": "value", "battery": "percent",
                 "plug": "index", "unplug": "index"}

    def __enter__(self):
        if "VITALS_MACHINE" not in os.environ:
            sys.exit("this is for the bench's machine: deploy/test --radio")
        self._radio_lock = threading.Lock()
        super().__enter__()
        self._make_count = 0
        radio = self.start("radio", [sys.executable, HERE / "radio.py", self.folder / "radio"])
        self.start_bus()
        self.wait(radio, "the radio is there", lambda: can_connect(self.folder / "radio"))
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(60)
        self._socket.connect(str(self.folder / "radio"))
        self._answers = self._socket.makefile()
        self.await_adapter()
        return self

    def begin(self, scenario):
        """What the scenario before has broken, and not mended, is mended."""
        super().begin(scenario)
        if self.dbus.poll() is not None:
            self.start_bus()
        elif self.bluetoothd.poll() is not None:
            self.start_bluetooth()
        self.block(False)
        self.permit("anyone")
        self.plug()
        with contextlib.suppress(subprocess.CalledProcessError):  # It is on its way.
            self.power(True)
        self.await_adapter()

    def end(self):
        super().end()
        self.radio("clear")

    def state(self):
        return [f"{name}: {state}" for name, state in self.radio("states").items()]

    def radio(self, command, who=None, *values, **named):
        """Tells the radio something; returns its answer."""
        named |= dict(zip([self.ARGUMENTS.get(command)], values))
        with self._radio_lock:
            self._socket.sendall(json.dumps({"do": command, "who": who, **named}).encode() + b"\n")
            answer = json.loads(self._answers.readline())
        if "error" in answer:
            raise RuntimeError(f"the radio, told to {command} {who or ''} {named}: {answer['error']}")
        return answer["answer"]

    def straps(self, count=1, names=None, rate=RATE, first=1, **how):
        made = []
        for index in range(count):
            self._make_count += 1
            name = names[index] if names else f"Strap {self._make_count:03}"
            address = f"F0:F1:F2:F3:{self._make_count // 256:02X}:{self._make_count % 256:02X}"
            alias = f"{self._make_count}"
            self.radio("make", name=name, as_=alias, address=address, rate=rate, first=first + APART * index * bool(names), **how)
            made.append(RadioStrap(name, address, alias, self.radio))
        return made

    # bluetoothd, its bus and its adapter

    def start_bus(self):
        self.dbus = self.start("bus", ["dbus-daemon", "--system", "--nofork", "--nopidfile"])
        self.wait(self.dbus, "the bus listens", lambda: can_connect("/run/dbus/system_bus_socket"))
        self.start_bluetooth()

    def kill_bus(self):
        self.dbus.kill()
        self.dbus.wait()
        self.bluetoothd.wait(10)  # It ends by itself.

    def start_bluetooth(self):
        self.bluetoothd = self.start("bluetoothd", ["/usr/libexec/bluetooth/bluetoothd", "-n", "-d"])

    def kill_bluetooth(self):
        self.bluetoothd.kill()
        self.bluetoothd.wait()

    def await_adapter(self):
        self.wait(self.bluetoothd, "the adapter is powered", lambda: self.property("Powered") == "b true")

    def power(self, on):
        self.busctl("set-property", "org.bluez", self.adapter, "org.bluez.Adapter1", "Powered", "b", str(on).lower())

    def unplug(self):
        self.radio("unplug", None, 0)

    def plug(self):
        self.radio("plug", None, 0)

    def property(self, name, path=None, interface="org.bluez.Adapter1"):
        with contextlib.suppress(subprocess.CalledProcessError):
            return self.busctl("get-property", "org.bluez", path or self.adapter, interface, name)

    def permit(self, whom):
        """Who may talk to bluetoothd, and hear it: "anyone", as Debian has it, or "group", root and who is in `bluetooth`."""
        policy = Path("/etc/dbus-1/system-local.conf")
        if whom == "group":
            shutil.copy(PROJECT / "deploy/dbus/vitals-gateway.conf", policy)
        else:
            policy.unlink(missing_ok=True)
        self.busctl("call", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ReloadConfig")

    def block(self, on):
        """By rfkill, in software."""
        for path in Path("/sys/class/rfkill").glob("rfkill*/soft"):
            path.write_text(str(int(on)))


# The stand-in

class StandInStrap(Strap):
    """One of the stand-in's sensors: it measures what it is told, and so the numbers are counted here."""

    def __init__(self, name, address, index, world, rate, first):
        super().__init__(name, address)
        self._index, self._world, self._rate, self._next = index, world, rate, first
        self._lock = threading.Lock()

    def start(self):
        threading.Thread(target=self._measure, daemon=True).start()

    def tell(self, command):
        self._world.tell(f"#{self._index} {command}")

    def _measure(self):
        due = time.monotonic()
        while not self._world.is_over(self):
            with self._lock:
                if self._rate:
                    self.tell(f"heart-rate {self._next}")
                    self._next += 1
            due = max(due + 1 / (self._rate or 10), time.monotonic() - 1)
            time.sleep(max(0, due - time.monotonic()))

    def lose(self, seconds=2):
        with self._lock:
            self.tell("drop 3600")
            return self._next - 1

    def find(self):
        self.tell("drop 0")

    def hang_up(self):
        with self._lock:
            self.tell("drop 0")
            return self._next - 1

    def refuse(self, on):
        self.tell(f"refuse {'on' if on else 'off'}")

    def silence(self, on):
        self.tell(f"silent {'on' if on else 'off'}")

    def rate(self, hertz):
        with self._lock:
            self._rate = hertz
            return self._next

    def sent(self):
        return self._next - 1

    def sleep(self):
        self.tell("drop 3600")

    def wake(self):
        self.tell("drop 0")

    def forget(self):
        self.tell("forget-bond")

    def rotate(self):
        """It does so by itself, each time it is there again."""
        return "its address of before"

    def malformed(self, value):
        with self._lock:
            self.tell(f"malformed {value}")
            self.tell(f"heart-rate {self._next}")


class StandIn(World):
    """On this host."""

    name = "stand-in"

    def __enter__(self):
        super().__enter__()
        self.bus = f"unix:path={self.folder}/bus"
        (self.folder / "silence.csv").write_text("elapsed_s,heart_rate_bpm\n1000000000,60\n")
        self._lock, self._straps, self.sensor = threading.Lock(), [], None
        self._start_daemon()
        return self

    def begin(self, scenario):
        super().begin(scenario)
        if self.dbus.poll() is not None:
            self._start_daemon()

    def end(self):
        super().end()
        self._straps = []
        with self._lock:
            if self.sensor:
                stop(self.sensor)

    def is_over(self, strap):
        return strap not in self._straps

    def tell(self, command):
        with self._lock:
            if self.sensor.poll() is not None:
                return  # It was killed, and what it is told is lost.
            with contextlib.suppress(BrokenPipeError):
                self.sensor.stdin.write(command.encode() + b"\n")
                self.sensor.stdin.flush()
            answer = self.sensor.stdout.readline()
        if answer not in (b"ok\n", b""):
            raise RuntimeError(f"the stand-in, told {command!r}, said {answer!r}")

    def state(self):
        with self._lock:
            self.sensor.stdin.write(b"status\n")
            self.sensor.stdin.flush()
            # To "ok", or to the end of a sensor that is gone.
            lines = itertools.takewhile(lambda line: line not in (b"ok\n", b""), iter(self.sensor.stdout.readline, None))
            return [line.decode().strip() for line in lines]

    def straps(self, count=1, names=None, rate=RATE, first=1, encrypted=False, private=False, **how):
        if how:
            raise Unavailable(f"no straps with {', '.join(how)}")
        number = next(self._serials)
        name, address = names[0] if names else f"Strap {number:03}", f"F0:F1:F2:{number // 256:02X}:{number % 256:02X}:01"
        self._sensor = ["--name", name, "--address", address, "--sensors", count]
        self._sensor += ["--encrypted", "measurements"] if encrypted else []
        self._sensor += ["--private-address"] if private else []
        self._sensor += ["--same-name"] if names else []
        self.start_bluetooth()
        for index in range(1, count + 1):
            numbered = name if index == 1 or names else f"{name} {index}"
            begin = first + APART * (index - 1) * bool(names)
            self._straps.append(StandInStrap(numbered, f"{address[:-2]}{index:02X}", index, self, rate, begin))
        for strap in self._straps:
            strap.start()
        return list(self._straps)

    def start_bluetooth(self):
        command = [RELEASE / "vitals-sensor", "stand-in", "--bus", self.bus, "--activity", self.folder / "silence.csv", *self._sensor]
        with self._lock:
            self.sensor = self.start("sensor", command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            if self.sensor.stdout.readline() != b"ready\n":
                raise RuntimeError("the stand-in did not start")

    def kill_bluetooth(self):
        self.sensor.kill()
        self.sensor.wait()

    def await_adapter(self): ...

    def power(self, on):
        self.tell(f"power {'on' if on else 'off'}")

    def unplug(self):
        self.tell("unplug")

    def plug(self):
        self.tell("plug")

    def start_bus(self):
        self._start_daemon()
        self.start_bluetooth()

    def _start_daemon(self):
        self.dbus = self.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={self.bus}"])
        self.wait(self.dbus, "the bus listens", lambda: can_connect(self.folder / "bus"))

    def kill_bus(self):
        self.dbus.kill()
        self.dbus.wait()
        self.sensor.wait(10)


WORLDS = {"bluez": BlueZ, "stand-in": StandIn}
