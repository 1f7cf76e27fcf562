"""A home with accounts as `deploy/up --accounts` runs it: a broker with the plugin, a consumer, a gateway that nobody has enrolled, an
emulated sensor, and the page in front of the broker."""

import contextlib
import csv
import datetime
import functools
import html
import json
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

# Last, because modules there have names of modules here.
sys.path.append(str(Path(__file__).resolve().parents[1] / "Rigs"))

from access import Client  # noqa: E402
from household import PROJECT, RELEASE, SENSOR, Household, can_connect, certify, free_port, identity, stop  # noqa: E402, F401
from provider import Provider  # noqa: E402

#: What the emulated sensor replays.
RUN = PROJECT / "deploy/activities/run-9km.csv"


class Home(Household):
    broker_options = ("--accounts",)

    #: How many times as fast as a heart the emulated sensor tells heart rates: so many a second.
    speed = 1

    #: What strangers may do besides signing up: see live readings of gateways in this home, or not.
    household = "owners"

    sensor = None

    #: Further settings of the gateway and of the consumer, such as `music: {},`. A part's `prepare` adds its own.
    gateway_lines = ""
    consumer_lines = ""

    #: What the emulated sensor is told besides, such as how many there are.
    sensor_options = ()

    def start_broker(self):
        """The plugin's file is made by the consumer, so the broker starts with it."""
        self.settings = self.folder / "consumer.json5"
        self.settings.write_text(f"""{{
          state: "consumer", root_key_file: "root.key", broker_rules: {{ household: "{self.household}" }},
          accounts: {{ providers: {{ school: {self.school.settings()}, club: {self.club.settings()} }} }},
          phones: {{ host: "127.0.0.1", port: {self.port}, tls: false }}, push: {{ schemes: ["json", "ntfys", "webpush"], private_hosts: ["127.0.0.1"] }},
          sharing: {{ schemes: ["json"], private_hosts: ["127.0.0.1"] }},
          broker: {{ port: {self.port}, username: "consumer", password_file: "broker/consumer.password" }},
          {self.consumer_lines}
        }}""")
        identity("vitals-consumer", self.settings)
        subprocess.run(
            [RELEASE / "vitals-consumer", "broker-rules", self.folder / "broker/vitals-rules.json", "--settings", self.settings],
            check=True, capture_output=True)
        super().start_broker()

    @functools.cached_property
    def school(self):
        """Somebody with whom people can sign in, with a name as no name should be."""
        return self._provider("<b>School</b>")

    @functools.cached_property
    def club(self):
        """Another, who exchanges codes only for those who have a secret."""
        return self._provider("Club")

    def _provider(self, label):
        made = Provider(self.folder, label)
        self.callback(made.close)
        return made

    def begin(self):
        """Starts everything else, and waits until it is there."""
        self.start_consumer()
        self.bus = f"unix:path={self.folder}/bus"
        daemon = self.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={self.bus}"])
        self.wait(daemon, "the bus is there", lambda: (self.folder / "bus").exists())
        self.wear()
        self.gateway_settings = self.folder / "gateway.json5"
        self.gateway_settings.write_text(f"""{{
          state: "gateway", broker: {{ port: {self.port} }}, bluetooth: {{ bus: "{self.bus}" }},
          sensors: {{ strap: {{
            name: "{SENSOR}",
            steps: {{ uuid: "f1700002-76a1-4c53-9d5b-3f5f0d3c1a00", encoding: "uint32" }},
            temperature: {{ uuid: "f1700003-76a1-4c53-9d5b-3f5f0d3c1a00", encoding: "float" }},
          }} }},
          outbox: {{ block_interval: "500 ms", flush_interval: "500 ms" }},
          {self.gateway_lines}
        }}""")
        self.gateway = self.start("gateway", [RELEASE / "vitals-gateway", "--settings", self.gateway_settings])
        self.serve()

    def wear(self, *options):
        """Starts the emulated sensor in the place of the one that there was: with the recorded run, unless the options say something else."""
        if self.sensor:
            stop(self.sensor)
        self.sensor = self.start("sensor", [RELEASE / "vitals-sensor", "stand-in", "--bus", self.bus,
            *(options or ("--activity", RUN, "--loop", "--speed", str(self.speed))),
            "--commands", self.folder / "sensor.commands", *self.sensor_options])

    def start_consumer(self):
        before = self._connections()
        self.consumer = self.start("consumer", [RELEASE / "vitals-consumer", "--settings", self.settings])
        self.wait(self.consumer, "the consumer is at the broker", lambda: self._connections() > before)

    def serve(self):
        self.page_port = free_port()
        settings = {"providers": [self.school.entry("school"), self.club.entry("club", has_codes=False)]}
        (self.folder / "page").mkdir()
        (self.folder / "page/settings.json").write_text(json.dumps(settings))
        self.start_page()
        self.address = f"http://127.0.0.1:{self.page_port}"

    def start_page(self, *command):
        """Serves the page, or what another command serves in its place."""
        usual = (PROJECT / "deploy/page", self.folder / "page", self.page_port, self.port)
        self.page = self.start("page", command or usual)
        self.wait(self.page, "the page is served", lambda: can_connect(self.page_port), 120)

    @contextlib.contextmanager
    def without_page(self, *command):
        """While this runs, the page's server is away, or another one is in its place."""
        stop(self.page)
        try:
            if command:
                self.start_page(*command)
            yield
        finally:
            stop(self.page)
            self.start_page()

    def enrol(self, code):
        """What the owner of the gateway does at its console with a code from the page."""
        self.enrol_gateway(self.gateway_settings, code)
        # The running gateway starts again with it.
        log = self.folder / "gateway.log"
        self.wait(self.consumer, "the gateway is at the broker",
                  lambda: "connected to the broker" in log.read_text(errors="replace"))

    def enrol_gateway(self, settings, code):
        subprocess.run(
            [RELEASE / "vitals-gateway", "enrol", "--settings", settings], input=f"{code}\n", text=True, check=True, capture_output=True)

    def tell_sensor(self, words):
        """Has the emulated sensor do something, such as vanish."""
        with open(self.folder / "sensor.commands", "w", encoding="utf-8") as commands:
            commands.write(f"{words}\n")

    def forge(self, topic, payload):
        """Publishes as only a gateway may: the consumer's client is allowed everything."""
        password = (self.folder / "broker/consumer.password").read_text().strip()
        subprocess.run(
            ["mosquitto_pub", "-p", str(self.port), "-u", "consumer", "-P", password, "-q", "1", "-t", topic, "-m", payload], check=True)

    def claim_line(self, sensor="strap"):
        """The line that the gateway's console prints for somebody who wants its strap, or another sensor."""
        made = subprocess.run(
            [RELEASE / "vitals-gateway", "claim-code", sensor, "--settings", self.gateway_settings], check=True, capture_output=True,
            text=True)
        return next(line.strip() for line in made.stdout.splitlines() if "claim" in line)

    def vitals(self, who, *words, **options):
        """The command, as somebody on a machine of their own. The page asks for the same person: where both have asked too much, the
        service has done nothing, and says when it may be asked again."""
        folder = self.folder / f"home-{who}"
        folder.mkdir(exist_ok=True)
        for _ in range(3):
            made = subprocess.run(
                [RELEASE / "vitals", "--port", str(self.port), *words], capture_output=True, text=True,
                env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}, **options)
            wait = re.search(r"too many requests; try again in (\d+) s", made.stdout + made.stderr)
            if made.returncode == 0 or not wait:
                break
            time.sleep(int(wait[1]))
        if made.returncode != 0:
            raise RuntimeError(f"vitals {' '.join(words)}: {made.stdout}{made.stderr}")
        return made.stdout

    def start_phone(self, link, *words):
        """A phone with this link, which goes where the recorded run went."""
        file = self.folder / "phone.link"
        file.write_text(link)
        file.chmod(0o600)
        return self.start("phone", [
            RELEASE / "vitals-sensor", "phone", "--link-file", file, "--activity", RUN, *words])

    def sign_in(self, who, password):
        """Somebody who has signed up in the page has the command, too."""
        file = self.folder / "password"
        file.write_text(f"{password}\n")
        try:
            self.vitals(who, "account")
        except RuntimeError:
            self.vitals(who, "sign-in", f"{who}@example.org", "--password-file", str(file))

    def join(self, who, name, password):
        """Somebody else comes, with the command."""
        file = self.folder / "password"
        file.write_text(f"{password}\n")
        self.vitals(who, "sign-up", f"{who}@example.org", "--password-file", str(file))
        self.vitals(who, "profile", "set", "--name", name, "--date-of-birth", "1940-01-02", "--gender", "other", "--height-cm", "170", "--weight-kg", "60")

    def watcher(self):
        """Hears each heart rate that the broker carries."""
        client = Client(self.port, "consumer", self.password_file("consumer").read_text().strip())
        self.callback(client.close)
        client.subscribe("vitals/v1/gateways/+/sensors/+/heart-rate")
        return client

    def recorded_run(self, name="<b>City run</b>", hours=2, device="<b>watch", kind="running"):
        """A GPX file of the recorded run, as if it had begun so many hours ago, and had been of another kind."""
        began = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=hours)
        points = []
        with open(RUN, encoding="utf-8") as rows:
            for row in csv.DictReader(rows):
                if not row["latitude_deg"]:
                    continue
                time = (began + datetime.timedelta(seconds=float(row["elapsed_s"]))).strftime("%Y-%m-%dT%H:%M:%SZ")
                points.append(
                    f'<trkpt lat="{row["latitude_deg"]}" lon="{row["longitude_deg"]}"><ele>{row["altitude_m"]}</ele><time>{time}</time>'
                    f'<extensions><gpxtpx:TrackPointExtension><gpxtpx:hr>{row["heart_rate_bpm"]}</gpxtpx:hr>'
                    '</gpxtpx:TrackPointExtension></extensions></trkpt>')
        file = self.folder / "run.gpx"
        file.write_text(
            '<?xml version="1.0" encoding="UTF-8"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1" '
            f'creator="{html.escape(device)}" '
            'xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1"><trk>'
            f'<name>{html.escape(name)}</name><type>{kind}</type><trkseg>{"".join(points)}</trkseg></trk></gpx>', encoding="utf-8")
        return file

    def worn_band(self, days, minutes_of, rates_of):
        """A Gadgetbridge database of the last days: somebody walked 100 steps a minute for some minutes of each day, from eleven o'clock on,
        and had heart rates, each five seconds after the one before, from six o'clock on."""
        file = self.folder / "Gadgetbridge"
        file.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(file)) as database:
            database.execute("CREATE TABLE DEVICE (_id INTEGER PRIMARY KEY, NAME TEXT, MANUFACTURER TEXT, IDENTIFIER TEXT)")
            database.execute("INSERT INTO DEVICE VALUES (1, '<b>band</b>', 'Maker', 'C0:FF:EE:00:00:99')")
            database.execute(
                "CREATE TABLE MI_BAND_ACTIVITY_SAMPLE (TIMESTAMP INTEGER, DEVICE_ID INTEGER, USER_ID INTEGER, RAW_INTENSITY INTEGER, "
                "STEPS INTEGER, RAW_KIND INTEGER, HEART_RATE INTEGER, PRIMARY KEY (TIMESTAMP, DEVICE_ID))")
            for day in days:
                walked = int(datetime.datetime.combine(day, datetime.time(11)).timestamp())
                rested = int(datetime.datetime.combine(day, datetime.time(6)).timestamp())
                rows = [(walked + 60 * minute, 100, 255) for minute in range(minutes_of(day))]
                rows += [(rested + 5 * number, 0, rate) for number, rate in enumerate(rates_of(day))]
                database.executemany("INSERT INTO MI_BAND_ACTIVITY_SAMPLE VALUES (?, 1, 1, 0, ?, 0, ?)", rows)
            database.commit()
        return file

    def reset_code(self, address):
        """The code that the operator gives somebody who has forgotten their password."""
        made = subprocess.run(
            [RELEASE / "vitals-consumer", "reset-password", "--email", address, "--settings", self.settings], check=True, capture_output=True, text=True)
        return made.stdout.strip()

    @contextlib.contextmanager
    def without_broker(self):
        """While this runs, the broker is away. Afterwards the consumer is there again: what is asked before that is lost."""
        before = self._connections()
        stop(self.broker)
        try:
            yield
        finally:
            self.start_broker()
            self.wait(self.consumer, "the consumer is at the broker again", lambda: self._connections() > before)

    def _connections(self):
        """How often the consumer has connected to the broker."""
        log = self.folder / "consumer.log"
        return log.read_text(errors="replace").count("connected to the broker") if log.exists() else 0
