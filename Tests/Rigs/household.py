"""What benchmarks and rigs stand on: a private folder, a broker and settings as deploy/up makes them, programs that are started
and stopped, and what the kernel says of a running one."""

import contextlib
import ctypes
import getpass
import os
import platform
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
# The folder of the programs to run: a release build unless VITALS_PROGRAMS names another.
RELEASE = Path(os.environ.get("VITALS_PROGRAMS", PROJECT / ".build/release"))
TOPICS = "vitals/v1/gateways/home"
SENSOR = "Vitals HRM"


class Household(contextlib.ExitStack):
    """Gateway `home`, sensor `strap`, person `demo`, on loopback. What was started ends with it, newest first."""

    #: Whether the broker refuses messages larger than the programs' own, as a home's broker does.
    is_broker_limited = True
    #: What deploy/broker is told besides the folder and the port.
    broker_options = ()

    def __enter__(self):
        super().__enter__()
        self.folder = self._make_folder()
        self.port = free_port()
        subprocess.run([PROJECT / "deploy/broker", *self.broker_options, self.folder / "broker", str(self.port)], check=True)
        if not self.is_broker_limited:
            settings = self.folder / "broker/mosquitto.conf"
            limits = ("message_size_limit", "max_packet_size", "max_inflight_bytes", "max_queued_bytes", "memory_limit")
            lines = settings.read_text().splitlines(keepends=True)
            settings.write_text("".join(line for line in lines if not line.startswith(limits)))
        with open(self.folder / "broker/mosquitto.conf", "a") as settings:
            settings.write("log_type error\nlog_type warning\nlog_type subscribe\n")  # Its log shows who has subscribed.
        self.start_broker()
        return self

    def _make_folder(self):
        """A folder that goes with the household, unless VITALS_KEEP is set."""
        if os.environ.get("VITALS_KEEP"):
            folder = tempfile.mkdtemp(prefix="vitals-household-")
            print(f"kept: {folder}", file=sys.stderr)
        else:
            folder = self.enter_context(tempfile.TemporaryDirectory(prefix="vitals-household-"))
        return Path(folder)

    def start_broker(self):
        self.broker = self.start("broker", ["mosquitto", "-c", self.folder / "broker/mosquitto.conf"])
        self.wait(self.broker, "the broker listens", lambda: can_connect(self.port))

    def start(self, name, command, **options):
        """Starts a program; its errors go to a log. It ends with this one, however that ends."""
        with open(self.folder / f"{name}.log", "ab") as log:
            program = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *map(str, command)],
                **({"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log} | options),
            )
        program.name = name
        self.callback(stop, program)
        return program

    def wait(self, program, what, is_so, limit=60):
        """Waits until something has come about that a running program brings about."""
        end = time.monotonic() + limit
        while not is_so():
            if program.poll() is not None or time.monotonic() > end:
                log = (self.folder / f"{program.name}.log").read_text(errors="replace")
                raise TimeoutError(f"{program.name}: not within {limit} s: {what}\n{log[-2000:]}")
            time.sleep(0.02)

    def password_file(self, user):
        return self.folder / f"broker/{user}.password"

    def enrol(self, bus="system", suffix="", gateway_lines="", consumer_lines="", broker_lines="", ports=None):
        """Writes settings of a gateway and a consumer that know each other, and of a gateway that knows no consumer, with
        state of their own for each suffix. Returns the paths of the three, and the consumer's key.

        The lines are further settings, such as `live: false,`: of either program, and of the section `broker` of both.
        Where they reach the broker by ports of their own, `ports` has those of "gateway" and "consumer"."""
        ports = {"gateway": self.port, "consumer": self.port} | (ports or {})

        def write_gateway(path, state, consumer):
            self._write_gateway(path, state, bus, consumer, gateway_lines, broker_lines, ports["gateway"])

        alone, gateway = self.folder / f"alone{suffix}.json5", self.folder / f"gateway{suffix}.json5"
        consumer = self.folder / f"consumer{suffix}.json5"
        write_gateway(alone, f"alone{suffix}", "")
        write_gateway(gateway, f"gateway{suffix}", "")
        gateway_key = identity("vitals-gateway", gateway)
        consumer.write_text(f"""{{
          state: "consumer{suffix}", root_key_file: "root{suffix}.key",
          broker: {{
            port: {ports["consumer"]}, username: "consumer", password_file: "broker/consumer.password", {broker_lines}
          }},
          gateways: {{ home: {{ identity: "{gateway_key}" }} }},
          people: {{ demo: {{ sensors: ["home/strap"] }} }},
          {consumer_lines}
        }}""")
        consumer_key = identity("vitals-consumer", consumer)
        write_gateway(gateway, f"gateway{suffix}", f'identity: "{consumer_key}"')
        return alone, gateway, consumer, consumer_key

    def _write_gateway(self, path, state, bus, consumer, lines, broker_lines, port):
        path.write_text(f"""{{
          gateway: "home", state: "{state}",
          broker: {{
            host: "127.0.0.1", port: {port}, username: "home", password_file: "broker/home.password", {broker_lines}
          }},
          bluetooth: {{ bus: "{bus}" }},
          sensors: {{ strap: {{
            name: "{SENSOR}",
            steps: {{ uuid: "f1700002-76a1-4c53-9d5b-3f5f0d3c1a00", encoding: "uint32" }},
            temperature: {{ uuid: "f1700003-76a1-4c53-9d5b-3f5f0d3c1a00", encoding: "float" }},
          }} }},
          consumer: {{ {consumer} }},
          {lines}
        }}""")


class Listener:
    """`mosquitto_sub` on the gateway's live heart rates and health: how many came, and the last of each."""

    def __init__(self, household):
        self.count, self.heart_rate, self.health = 0, b"", b""
        command = ["stdbuf", "-oL", "mosquitto_sub", "-p", household.port, "-v"]
        command += ["-t", f"{TOPICS}/sensors/strap/heart-rate", "-t", f"{TOPICS}/health"]
        self.program = household.start("listener", command, stdout=subprocess.PIPE)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.program.stdout:
            topic, _, payload = line.partition(b" ")
            if topic.endswith(b"/health"):
                self.health = payload
            else:
                self.heart_rate = payload
                self.count += 1


def stop(program):
    """Ends a program by its id, and waits for it."""
    if program.poll() is not None:
        return
    program.send_signal(signal.SIGTERM)
    try:
        program.wait(15)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
    for stream in (program.stdin, program.stdout):
        if stream:
            stream.close()


def processor_seconds(pid):
    """User and system time of a process, all its threads together: what utime and stime of /proc/PID/stat add up to, but
    counted in nanoseconds, where those count hundredths of a second."""
    clock = ctypes.c_int()
    if ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock)) != 0:
        sys.exit(f"there is no process {pid} any more")
    return time.clock_gettime(clock.value)


def wake_ups(pid):
    """How often the threads of a process have waited for something and were woken up: unlike its time, this does not depend on what else
    the machine does."""
    count = 0
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            count += int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status.read_text(), re.M)[1])
    return count


def resident_kilobytes(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def broker_settings(name, folder, ports, is_all_on=False):
    """The text of a file of mosquitto/, with its places in a folder, and with its ports: a dictionary from theirs. What the file
    has switched off, as a comment, may be switched on."""
    text = (PROJECT / "mosquitto" / name).read_text()
    if is_all_on:
        text = re.sub(r"^#(?=[a-z])", "", text, flags=re.M)
    named = {int(port) for port in re.findall(r"^listener (\d+)", text, re.M)}
    if named != set(ports):
        raise ValueError(f"{name} has listeners at {named}, not at {set(ports)}")
    text = re.sub(r"^listener (\d+).*", lambda found: f"listener {ports[int(found[1])]} 127.0.0.1", text, flags=re.M)
    for place in ["/etc/mosquitto/", "/var/lib/mosquitto/"]:
        text = text.replace(place, f"{folder}/")
    return f"{text}\nuser {getpass.getuser()}\n"


def certify(folder, *words):
    """deploy/certificates, with its authority in the folder."""
    subprocess.run([PROJECT / "deploy/certificates", folder, *words], check=True, capture_output=True)


def free_port():
    """A port where nobody listens, below those that the kernel gives to connections, so that none takes it while a broker
    is down."""
    first_given = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(10_000, max(first_given, 20_000))
        with socket.socket() as trial, contextlib.suppress(OSError):
            trial.bind(("127.0.0.1", port))
            return port


def can_connect(address):
    """Whether somebody listens: at a port of this machine, or at a socket's path."""
    is_port = isinstance(address, int)
    with socket.socket(socket.AF_INET if is_port else socket.AF_UNIX) as trial:
        return trial.connect_ex(("127.0.0.1", address) if is_port else str(address)) == 0


def identity(program, settings):
    command = [RELEASE / program, "identity", "--settings", settings]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def machine():
    """One line on what all of this ran on."""
    model = next((x.split(":")[1].strip() for x in open("/proc/cpuinfo") if x.startswith("model name")), platform.machine())
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    disk = subprocess.run(
        ["findmnt", "-n", "-o", "FSTYPE", "-T", tempfile.gettempdir()], capture_output=True, text=True
    ).stdout.strip()
    return f"{os.cpu_count()} × {model}, Linux {platform.release()}, folder on {disk or 'unknown'}, load {load}"


def versions():
    """One line on the programs that took part."""

    def said(*command):
        return subprocess.run(command, capture_output=True, text=True).stdout.split("\n")[0].strip()

    packages = " ".join(
        x for x in said(sys.executable, "-c", "import importlib.metadata as m; print(*(f'{n} {m.version(n)}' for n in "
                        "('bleak', 'paho-mqtt')), sep=', ')").split("\n"))
    return "; ".join([
        said(str(RELEASE / "vitals-gateway"), "--version"), said("mosquitto", "-h"), said("dbus-daemon", "--version"),
        "libmosquitto " + said("pkg-config", "--modversion", "libmosquitto"),
        said("swift", "--version"), said("cc", "--version"), f"Python {platform.python_version()}", packages,
    ])
