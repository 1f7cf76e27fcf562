"""One consumer for many homes, set up as deploy/bridge.md says: a broker from mosquitto/public.conf with a consumer, and homes with
brokers of their own, each with a bridge to it. Between a home and the cloud there is a proxy that can be cut.

In each home, a person signs up, enrols the gateway with a code and claims its sensor, with the programs that people use."""

import contextlib
import json
import os
import socket
import ssl
import subprocess
import threading
import time

from household import PROJECT, RELEASE, Household, broker_settings, can_connect, certify, free_port, identity, stop
from load import QUICK, Home
from people import ROOT
from proxy import Proxy

#: Of the bridges, in seconds: the least that Mosquitto accepts.
KEEP_ALIVE = 5
PASSWORD = "Quiet!Harbour-7-lamps"
#: What the plugin has; the unit of deploy/access.md writes it before each start.
PLUGIN_FILE = "vitals-rules.json"


class Cloud(Household):
    """The broker and the consumer of many homes."""

    def __enter__(self):
        super(Household, self).__enter__()
        self.folder = self._make_folder()
        self.port, self.tls_port, self.socket_port = (free_port() for _ in range(3))
        broker = self.folder / "broker"
        subprocess.run([PROJECT / "deploy/broker", "--accounts", broker, str(self.port)], check=True)
        self.authority = broker / "certs/authority.crt"
        certify(broker / "certs", "authority")
        certify(broker / "certs", "server", "localhost", "127.0.0.1")
        ports = {1883: self.port, 8883: self.tls_port, 8083: self.socket_port}
        (broker / "mosquitto.conf").write_text(broker_settings("public.conf", broker, ports))
        self.consumer_settings = self.folder / "consumer.json5"
        self.consumer_settings.write_text(f"""{{
          state: "consumer", root_key_file: "root.key", accounts: {{}}, broker_rules: {{}},
          broker: {{ port: {self.port}, username: "consumer", password_file: "broker/consumer.password" }},
        }}""")
        identity("vitals-consumer", self.consumer_settings)
        self.start_broker()
        self.start_consumer()
        return self

    def start_broker(self):
        """As the unit of deploy/access.md does."""
        command = [RELEASE / "vitals-consumer", "broker-rules", self.folder / "broker" / PLUGIN_FILE]
        subprocess.run([*command, "--settings", self.consumer_settings], check=True, capture_output=True)
        super().start_broker()

    def start_consumer(self):
        log = self.folder / "consumer.log"
        before = log.stat().st_size if log.exists() else 0
        self.consumer = self.start("consumer", [RELEASE / "vitals-consumer", "--settings", self.consumer_settings])
        self.wait(self.consumer, "the consumer is connected", lambda: b"connected to the broker" in log.read_bytes()[before:])

    def kill_and_forget_broker(self):
        self.broker.kill()
        self.broker.wait()
        (self.folder / "broker" / PLUGIN_FILE).unlink()

    def kill_consumer(self):
        self.consumer.kill()
        self.consumer.wait()

    def client_settings(self, port):
        return f'host: "127.0.0.1", port: {port}, tls: {{ ca_file: "{self.authority}" }}'


class BridgedHome(Home):
    """A home with its own broker, from a file of mosquitto/, and a bridge to the cloud through a proxy."""

    def __init__(self, cloud, name, configuration):
        super().__init__()
        self.cloud, self.name, self.configuration = cloud, name, configuration
        self.link = Proxy(cloud.tls_port)
        self.consumer_settings = cloud.consumer_settings

    def enrol(self, bus="system", **_):
        """All that a person does for a home, from signing up to the bridge."""
        self.enter_context(self.link)
        self.gateway_settings = self.folder / "gateway.json5"
        self._write_settings(self.gateway_settings, bus, 'host: "127.0.0.1", port: %d' % self.port)
        enrolling = self.folder / "enrolling.json5"
        self._write_settings(enrolling, bus, self.cloud.client_settings(self.cloud.tls_port))
        (self.folder / "password").write_text(PASSWORD)
        self.vitals("sign-up", f"{self.name}@example.org", "--password-file", self.folder / "password")
        self.vitals(
            "profile", "set", "--name", self.name, "--date-of-birth", "1985-12-10", "--gender", "female", "--height-cm", "165",
            "--weight-kg", "58", "--continuous-heart-rate", "on")
        self.user = json.loads(self.vitals("account", "--json"))["user"]
        code = self.vitals("enrol", "--show", "--household").split()
        self.program("vitals-gateway", "enrol", "--settings", enrolling, text=next(x for x in code if x.count("-") > 2))
        self.gateway_id = json.loads((self.folder / "gateway/enrolment.json").read_text())["gateway"]
        self.topics = f"{ROOT}/gateways/{self.gateway_id}"
        claim = self.program("vitals-gateway", "claim-code", "strap", "--settings", self.gateway_settings).split()
        self.vitals(*claim[1:])
        self._build_bridge()
        return None, self.gateway_settings, self.consumer_settings, None

    def _write_settings(self, path, bus, broker):
        path.write_text(f"""{{
          state: "gateway", broker: {{ {broker} }}, bluetooth: {{ bus: "{bus}" }},
          sensors: {{ strap: {{
            name: "Vitals HRM",
            steps: {{ uuid: "f1700002-76a1-4c53-9d5b-3f5f0d3c1a00", encoding: "uint32" }},
          }} }},
          {QUICK}
        }}""")

    def _build_bridge(self):
        """The broker with its bridge, as deploy/bridge writes it, but for pauses that suit a rig."""
        broker = self.folder / "broker"
        (broker / "conf.d").mkdir()
        self.tls_port, self.socket_port = free_port(), free_port()
        ports = {1883: self.port}
        if self.configuration == "home.conf":
            certify(broker / "certs", "authority")
            certify(broker / "certs", "server", "localhost", "127.0.0.1")
            ports |= {8883: self.tls_port, 8083: self.socket_port}
        text = broker_settings(self.configuration, broker, ports)
        (broker / "mosquitto.conf").write_text(f"{text}include_dir {broker}/conf.d\n")
        self.make_bridge(broker, self.gateway_id, self.folder / "gateway/broker.password")
        self.kept = {path.name for path in broker.iterdir()}
        stop(self.broker)
        self.start_broker()

    def make_bridge(self, folder, gateway, password_file):
        command = [PROJECT / "deploy/bridge", folder, gateway, password_file, f"127.0.0.1:{self.link.port}", self.cloud.authority]
        subprocess.run(command, check=True, capture_output=True)
        path = folder / f"conf.d/bridge-{gateway}.conf"
        text = path.read_text()
        for ours, quick in [("restart_timeout 5 60", "restart_timeout 1"), ("keepalive_interval 60", f"keepalive_interval {KEEP_ALIVE}")]:
            assert f"\n{ours}\n" in text, ours
            text = text.replace(f"\n{ours}\n", f"\n{quick}\n")
        path.write_text(text)
        return path

    # What people do

    def program(self, name, *words, text=""):
        environment = os.environ | {"HOME": str(self.folder), "XDG_CONFIG_HOME": ""}
        said = subprocess.run(
            [RELEASE / name, *map(str, words)], input=text, capture_output=True, text=True, env=environment, timeout=60)
        if said.returncode != 0:
            raise RuntimeError(f"{name} {' '.join(map(str, words))}: status {said.returncode}: {said.stdout}{said.stderr}")
        return said.stdout

    def vitals(self, *words):
        """A command of the person's, at the cloud's broker."""
        return self.program("vitals", "--port", self.cloud.tls_port, "--ca-file", self.cloud.authority, *words)

    # Faults

    def cut(self, seconds):
        """The link is dead for a while: connections are reset, and new ones are refused."""
        self.link.stop_listening()
        time.sleep(seconds)
        self.link.listen_again()

    def swallow(self, seconds, ways):
        """The link swallows everything, and neither side is told."""
        self.link.swallows = ways
        time.sleep(seconds)
        self.link.swallows = set()

    def kill_and_forget_broker(self):
        self.kill("broker")
        self.forget_broker()

    def forget_broker(self):
        for path in (self.folder / "broker").iterdir():
            if path.name not in self.kept:
                path.unlink()

    def wait_for_link(self, state, limit=30):
        """Waits until the home's own broker says that the link is up ("1") or cut ("0")."""
        def says():
            return subprocess.run(
                ["mosquitto_sub", "-p", str(self.port), "-t", f"{self.topics}/bridge", "-C", "1", "-W", "1"],
                capture_output=True, text=True).stdout.strip() == state

        self.wait(self.broker, f"the home's broker says {state} of its link", lambda: can_connect(self.port) and says(), limit)


class FalseCloud:
    """Somebody who listens in the cloud's place, with another certificate. For a `with`."""

    def __init__(self, certificates):
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._context.load_cert_chain(certificates / "server.crt", certificates / "server.key")
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        #: How many came, and what they told.
        self.visits, self.told = 0, b""

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._socket.close()

    def _serve(self):
        with contextlib.suppress(OSError):  # It was closed.
            while True:
                visitor, _ = self._socket.accept()
                visitor.settimeout(5)
                with visitor, contextlib.suppress(OSError), self._context.wrap_socket(visitor, server_side=True) as secure:
                    self.told += secure.recv(4096)
                self.visits += 1
