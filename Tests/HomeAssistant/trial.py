"""A gateway with a sensor, a consumer with a person, a broker with the home's rules, and a real Home Assistant, asked by its own API what it shows. Prints a
line for each thing that was tried; the exit status is 0 only if all of it holds, and Home Assistant has complained of nothing
that it was told. Called by deploy/test --home-assistant."""

import contextlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Rigs"))

from assistant import Assistant  # noqa: E402
from household import RELEASE, SENSOR, TOPICS, Household, can_connect, stop  # noqa: E402

STRAP = "vitals_hrm"
HEART_RATE, STEPS, TEMPERATURE = f"sensor.{STRAP}_heart_rate", f"sensor.{STRAP}_steps", f"sensor.{STRAP}_temperature"
BATTERY, CONNECTED = f"sensor.{STRAP}_battery", f"binary_sensor.{STRAP}_connectivity"
READ_STEPS, READ_TEMPERATURE = f"button.{STRAP}_read_steps", f"button.{STRAP}_read_temperature"
GATEWAY, OUTBOX = "binary_sensor.vitals_gateway_home_connectivity", "sensor.vitals_gateway_home_outbox"
COUNT = "sensor.vitals_gateway_home_connected_sensors"
SETTING = "home_assistant: {},"
PERSON = "sensor.demo"
PERSON_STEPS, PERSON_HEART, PERSON_GOAL = f"{PERSON}_steps_today", f"{PERSON}_heart_rate_today", f"{PERSON}_goal_of_steps"
PERSON_DISTANCE, DISTANCE_GOAL = f"{PERSON}_distance_today", "_goal_of_distance"


class Home(Household):
    """A home that has Home Assistant."""

    broker_options = ("--home-assistant", "--person", "demo")

    def __enter__(self):
        super().__enter__()
        bus = f"unix:path={self.folder}/bus"
        daemon = self.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={bus}"])
        self.wait(daemon, "the bus listens", lambda: can_connect(self.folder / "bus"))
        (self.folder / "rest.csv").write_text("elapsed_s,heart_rate_bpm\n" + "".join(f"{x},61\n" for x in range(7200)))
        command = [RELEASE / "vitals-sensor", "stand-in", "--bus", bus, "--sensors", "2", "--activity", self.folder / "rest.csv"]
        self.sensor = self.start("sensor", command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.sensor.stdout.readline() == b"ready\n"
        self._seen = 0
        self.start("events", ["stdbuf", "-oL", "mosquitto_sub", "-p", str(self.port), "-t", f"{TOPICS}/events"])
        _, self.settings, self.consumer_settings, _ = self.enrol(bus, gateway_lines=SETTING, consumer_lines=f'time_zone: "UTC", {SETTING}')
        self.start_consumer()
        self.start_gateway()
        return self

    def start_consumer(self):
        self.consumer = self.start("consumer", [RELEASE / "vitals-consumer", "--settings", self.consumer_settings])

    def start_gateway(self):
        self.gateway = self.start("gateway", [RELEASE / "vitals-gateway", "--settings", self.settings])

    def tell(self, command):
        """Has the emulated sensors do something."""
        self.sensor.stdin.write(command.encode() + b"\n")
        self.sensor.stdin.flush()
        while (answer := self.sensor.stdout.readline()) != b"ok\n":
            assert answer, f"the sensor is gone after {command}"

    def person(self, *words):
        """Has the person do something on the command line; what that printed."""
        command = [RELEASE / "vitals", *words, "--port", str(self.port), "--username", "demo", "--password-file", self.password_file("demo")]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def heard(self, kind):
        """Whether the gateway has told of such an event since it was last asked."""
        log = (self.folder / "events.log").read_text()
        (self._seen, seen) = (len(log), self._seen)
        return f'"{kind}"' in log[seen:]

    def ask(self, request, **fields):
        """Asks the gateway, as somebody of the household."""
        command = ["mosquitto_rr", "-V", "mqttv5", "-p", str(self.port), "-t", f"{TOPICS}/requests/{request}",
                   "-e", f"{TOPICS}/responses/trial", "-m", json.dumps(fields), "-W", "60"]
        reply = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        assert reply["status"] == "ok", reply

    def change(self, old, new):
        """Changes the gateway's settings, and has it read them."""
        text = self.settings.read_text()
        assert old in text
        self.settings.write_text(text.replace(old, new))
        self.gateway.send_signal(signal.SIGHUP)

    def publish(self, topic, payload):
        """As Home Assistant's user."""
        password = self.password_file("homeassistant").read_text().strip()
        subprocess.run(["mosquitto_pub", "-p", str(self.port), "-u", "homeassistant", "-P", password, "-t", topic, "-m", payload], check=True)


class Trial:
    def __init__(self):
        self.problems = []

    def check(self, what, *problems):
        found = [x for x in problems if x]
        self.problems += found
        print(f"{'NO ' if found else 'yes'}  {what}", *found, sep="\n       " if found else "", flush=True)


def equal(found, expected):
    return None if found == expected else f"{found!r}, not {expected!r}"


def attributes(assistant, name, **expected):
    entity = assistant.entity(name)
    if entity is None:
        return f"there is no {name}"
    found = {key: entity["attributes"].get(key) for key in expected}
    return None if found == expected else f"{name}: {found}, not {expected}"


def look(trial, home, ha):
    """What there is, and what it looks like."""
    trial.check(
        "a live heart rate is shown", ha.becomes(HEART_RATE, "61"),
        attributes(ha, HEART_RATE, unit_of_measurement="bpm", state_class="measurement", friendly_name="Vitals HRM Heart rate"))
    trial.check("the sensor is connected", ha.becomes(CONNECTED, "on"), attributes(ha, CONNECTED, device_class="connectivity"))
    home.tell("battery 42")
    trial.check("the battery is shown as it changes", ha.becomes(BATTERY, "42"), attributes(ha, BATTERY, device_class="battery", unit_of_measurement="%"))
    trial.check("steps and temperature wait to be asked for", ha.becomes(STEPS, "unknown"), ha.becomes(TEMPERATURE, "unknown"))
    home.tell("steps 8042")
    home.tell("temperature 36.97")
    ha.press(READ_STEPS)
    ha.press(READ_TEMPERATURE)
    trial.check(
        "its buttons read them", ha.becomes(STEPS, "8042"), ha.becomes(TEMPERATURE, "36.97"),
        attributes(ha, STEPS, unit_of_measurement="steps", state_class="total_increasing"),
        attributes(ha, TEMPERATURE, unit_of_measurement="°C", device_class="temperature", state_class="measurement"))
    home.tell("fail ReadValue Failed")
    ha.press(READ_STEPS)
    home.wait(home.gateway, "the read has failed", lambda: home.heard("read-failed"))
    trial.check("a read that fails changes nothing", ha.becomes(STEPS, "8042"))
    version = subprocess.run([RELEASE / "vitals-gateway", "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    trial.check(
        "the device has its maker, model and firmware, and is the gateway's",
        equal(ha.device(HEART_RATE, "name"), SENSOR), equal(ha.device(HEART_RATE, "manufacturer"), "Vitals"),
        equal(ha.device(HEART_RATE, "model"), "Emulated HRM"), equal(ha.device(GATEWAY, "sw_version"), version),
        equal(ha.device(HEART_RATE, "sw_version") in ("None", ""), False),
        equal(ha.device(HEART_RATE, "via_device_id"), ha.template(f"{{{{ device_id('{GATEWAY}') }}}}")))
    trial.check(
        "the gateway is shown", ha.becomes(GATEWAY, "on"), ha.becomes(COUNT, "1"),
        equal(ha.entity(OUTBOX)["state"].isdecimal(), True),
        attributes(ha, OUTBOX, unit_of_measurement="%"))


def agree(trial, home, ha):
    """A person who agrees to it, as their day goes on."""
    trial.check("nobody is shown who has not agreed", equal([x for x in ha.entities() if x.startswith(PERSON)], []))
    home.person("consent", "--home-assistant", "on")
    trial.check(
        "a person who agrees appears with their day", ha.becomes(PERSON_HEART, "61.0", 60),
        attributes(ha, PERSON_HEART, unit_of_measurement="bpm", state_class="measurement", friendly_name="demo Heart rate today"),
        equal(ha.device(PERSON_HEART, "model"), "Person"), ha.becomes(PERSON_GOAL, "0.0"))
    trial.check("what is not known is unknown", ha.becomes(PERSON_DISTANCE, "unknown"), equal(goals_of_distance(ha), []))
    home.tell("steps 9042")
    ha.press(READ_STEPS)
    trial.check(
        "steps count, and so does the goal", ha.becomes(PERSON_STEPS, "1000", 60), ha.becomes(PERSON_GOAL, "10.0"),
        attributes(ha, PERSON_STEPS, unit_of_measurement="steps", state_class="total_increasing"),
        attributes(ha, PERSON_GOAL, unit_of_measurement="%", state_class="measurement"))
    name = "Ada \"of\" {{ 1 + 1 }} </b>"
    home.person("profile", "set", "--name", name, "--date-of-birth", "1990-12-10", "--gender", "female", "--weight-kg", "63", "--height-cm", "170")
    trial.check("a distance is known as soon as the height is", within(ha, PERSON_DISTANCE, 500, 900),
                attributes(ha, PERSON_DISTANCE, unit_of_measurement="m", device_class="distance", state_class="total_increasing"))
    trial.check("a person's name is only a name", equal(ha.device(PERSON_STEPS, "name"), name))
    home.person("goals", "set", "--steps", "2000", "--distance", "7km")
    home.wait(home.consumer, "there is another goal", lambda: goals_of_distance(ha))
    # It is called after the device, which has another name by now.
    distance = goals_of_distance(ha)[0]
    trial.check("goals change, and others appear", ha.becomes(PERSON_GOAL, "50.0"), within(ha, distance, 8, 12))
    home.person("goals", "set", "--distance", "none")
    trial.check("and are gone when there is no such goal", ha.becomes(distance, None), ha.becomes(PERSON_GOAL, "50.0"))
    home.consumer.kill()
    home.consumer.wait()
    trial.check("a person is not available when the consumer was killed", ha.becomes(PERSON_STEPS, "unavailable"))
    home.start_consumer()
    trial.check("and comes back with it", ha.becomes(PERSON_STEPS, "1000", 60), ha.becomes(PERSON_GOAL, "50.0"))


def withdraw(trial, home, ha):
    """The same person, after Home Assistant and the broker were restarted."""
    trial.check("the person is still there", ha.becomes(PERSON_STEPS, "1000", 60), ha.becomes(PERSON_GOAL, "50.0"))
    home.person("consent", "--home-assistant", "off")
    trial.check("a person who no longer agrees is gone", *[ha.becomes(x, None) for x in (PERSON_STEPS, PERSON_GOAL, PERSON_HEART)])
    home.person("consent", "--home-assistant", "on")
    trial.check("and comes back if they agree again", ha.becomes(PERSON_STEPS, "1000"))
    stop(home.consumer)
    text = home.consumer_settings.read_text()
    home.consumer_settings.write_text(text.replace(SETTING, ""))
    home.start_consumer()
    trial.check("nobody is shown when it is switched off", ha.becomes(PERSON_STEPS, None), equal([x for x in ha.entities() if x.startswith(PERSON)], []))


def goals_of_distance(ha):
    return [x for x in ha.entities() if x.endswith(DISTANCE_GOAL)]


def within(ha, name, low, high, limit=25):
    """Waits until an entity has a number that is between two others."""
    end = time.monotonic() + limit
    while True:
        state = (ha.entity(name) or {}).get("state", "gone")
        with contextlib.suppress(ValueError):
            if low <= float(state) <= high:
                return None
        if time.monotonic() > end:
            return f"{name} is {state}, not from {low} to {high}"
        time.sleep(0.1)


def lose(trial, home, ha):
    """What is not there is not available, and comes back as it was."""
    home.tell("vanish")
    trial.check("a sensor that is gone is not available", ha.becomes(HEART_RATE, "unavailable"), ha.becomes(STEPS, "unavailable"))
    trial.check("but Home Assistant knows that it is not connected, and its battery", ha.becomes(CONNECTED, "off"), ha.becomes(BATTERY, "42"))
    home.gateway.kill()
    home.gateway.wait()
    trial.check("nothing is available when the gateway was killed", ha.becomes(GATEWAY, "off"), ha.becomes(BATTERY, "unavailable"))
    home.start_gateway()
    trial.check(
        "a gateway that starts without its sensor has lost nothing", ha.becomes(GATEWAY, "on"), ha.becomes(BATTERY, "42"),
        ha.becomes(CONNECTED, "off"), ha.becomes(HEART_RATE, "unavailable"))
    home.tell("appear")
    trial.check("the sensor comes back", ha.becomes(CONNECTED, "on", 60), ha.becomes(HEART_RATE, "61"), ha.becomes(STEPS, "9042"))
    stop(home.gateway)
    trial.check("nothing is available when the gateway was stopped", ha.becomes(GATEWAY, "off"), ha.becomes(HEART_RATE, "unavailable"))
    home.start_gateway()
    trial.check("it comes back", ha.becomes(HEART_RATE, "61", 60))
    stop(home.broker)
    trial.check("nothing is available without the broker", ha.becomes(GATEWAY, "unavailable"))
    home.start_broker()
    ha.await_birth()
    trial.check("a broker that has forgotten everything is told again", ha.becomes(HEART_RATE, "61", 60), ha.becomes(GATEWAY, "on"))


def rename(trial, home, ha):
    name = "Chest \"strap\" {{ 1 + 1 }} \u202e\u2028 </b>"
    home.ask("rename", sensor="strap", name=name)
    shown = "Chest \"strap\" {{ 1 + 1 }} </b>"
    entity = f"{shown} Heart rate"
    end = ha.becomes(HEART_RATE, "61")
    for _ in range(100):
        if ha.device(HEART_RATE, "name") == shown:
            break
    trial.check("a name is only a name", end, equal(ha.device(HEART_RATE, "name"), shown), attributes(ha, HEART_RATE, friendly_name=entity))


def leave_out(trial, home, ha):
    """What the gateway no longer publishes, what is forgotten, and the end of all of it."""
    home.change(SETTING, f"{SETTING} live: false,")
    trial.check("what is no longer published live is gone", ha.becomes(HEART_RATE, None), ha.becomes(CONNECTED, "on", 60))
    ha.restart()
    trial.check(
        "Home Assistant finds everything again when it has restarted", ha.becomes(CONNECTED, "on", 60),
        ha.becomes(BATTERY, "42"), ha.becomes(HEART_RATE, None), ha.becomes(STEPS, "unknown"))
    home.change(f"{SETTING} live: false,", SETTING)
    trial.check("what is published live again is back", ha.becomes(HEART_RATE, "61", 60))
    home.ask("connect", device=f"{SENSOR} 2", sensor="second")
    second = f"sensor.{STRAP}_2_heart_rate"
    trial.check("another sensor appears", ha.becomes(second, "61"))
    home.ask("forget", sensor="second")
    trial.check("and is gone when it is forgotten", ha.becomes(second, None), ha.becomes(f"binary_sensor.{STRAP}_2_connectivity", None))
    withdraw(trial, home, ha)
    home.publish("homeassistant/status", "online")
    home.change(SETTING, "")
    trial.check("nothing is left when it is switched off", ha.becomes(HEART_RATE, None), ha.becomes(GATEWAY, None))
    trial.check("nothing at all", equal([x for x in ha.entities() if "vitals" in x], []))


def main():
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    if not (RELEASE / "vitals-gateway").exists():
        sys.exit(f"there are no programs in {RELEASE}: build them first")
    trial = Trial()
    with Home() as home:
        ha = Assistant(home, "homeassistant", home.password_file("homeassistant").read_text().strip())
        for part in (look, agree, lose, rename, leave_out):
            part(trial, home, ha)
        trial.check("Home Assistant has not complained of anything that it was told", *ha.complaints()[:10])
    sys.exit(1 if trial.problems else 0)


if __name__ == "__main__":
    main()
