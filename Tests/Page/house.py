"""Sensors and gateways, and the help."""

import json

from home import RELEASE, stop
from playing import PASSWORD

#: Markup, which is shown as it is.
NAME = "<b>Strap</b>evil"
#: A turn of direction, which no name may contain.
TURNED = "Strap\u202eevil"


def prepare(home):
    # One to wear, and one to find.
    home.sensor_options = ("--sensors", "2")


def asked(home, *words):
    """What the service has, line by line."""
    home.sign_in("ada", PASSWORD)
    return [json.loads(line) for line in home.vitals("ada", *words, "--json").splitlines()]


def asked_gateway(home, *words):
    """What the gateway of the strap has."""
    return asked(home, *words, "--gateway", asked(home, "gateways")[0]["gateway"])


def sees_their_sensors(trial):
    page, home = trial.browser, trial.home
    page.press("Sensors")
    page.see("Connected", "h2")
    page.see("Live, worn at the chest", ".row small")
    page.see("bpm", ".row small")
    page.see("Online since", ".kv")
    page.see("Ready", ".kv")
    page.see("1 of 1 connected", ".kv")
    page.see("Takes everything", ".kv")
    trial.look("sensors")
    own = asked(home, "gateways")[0]
    name = own.get("name") or own["gateway"]
    page.press(f"Hide live readings of {name}")
    page.see("Not visible here", ".kv")
    assert asked(home, "gateways")[0]["household"] is False, asked(home, "gateways")
    page.press(f"Show live readings of {name}")
    page.see("Online since", ".kv")
    page.see("Live, worn at the chest", ".row small")
    page.follow("#/sensors/")
    page.see("Measures")
    page.see("Yours since")
    page.press("Rename")
    page.type("Name of the sensor", TURNED)
    page.press("Save", "//form")
    page.see("without controls, hidden characters and marks that change the direction of text")
    page.type("Name of the sensor", NAME)
    page.press("Save", "//form")
    page.see("Data Saved Successfully")
    page.see(NAME, "h2")
    assert asked_gateway(home, "sensors")[0]["name"] == NAME, asked_gateway(home, "sensors")
    gateway = asked_gateway(home, "sensors")[0]["gateway"]
    home.forge(f"vitals/v1/gateways/{gateway}/events", json.dumps(
        {"time": 1, "kind": "bond-lost", "sensor": "strap", "message": "<i>forget it</i>"}))
    page.see("It has lost its bond")
    page.see("<i>forget it</i>")
    trial.look("sensor")
    page.press("Sensors", "//header")


def connects_sensors(trial):
    page, home = trial.browser, trial.home
    page.press(f"Disconnect {NAME}")
    page.see("Nothing is measured until somebody connects it again.")
    page.press("Cancel", "//dialog")
    assert asked_gateway(home, "sensors")[0]["state"] == "online", "it is disconnected although nobody wanted that"
    page.press(f"Disconnect {NAME}")
    page.press("Disconnect", "//dialog")
    page.see("Device Disconnected")
    page.see("Disconnected", ".row small")
    assert asked_gateway(home, "sensors")[0]["state"] == "disconnected", asked_gateway(home, "sensors")
    page.press("Scan")
    page.see("Scanning Started", "h2")
    page.wait("both are found", lambda: len(page.all("vitals-scan-card .row")) == 2)
    trial.look("sensors-while-scanning")
    page.press("Connect Vitals HRM")
    page.see("Live, worn", ".row small")


def claims_another(trial):
    """A sensor that the gateway did not know: connected, claimed, released and forgotten."""
    page, home = trial.browser, trial.home
    page.press("Connect Vitals HRM 2")
    page.see("Device Connected")
    page.see("Now claim it, and its readings are yours.")
    sensor = page.all("vitals-scan-card code")[0].text.split()[-1]
    page.wait("it is in the list", lambda: len(page.all("vitals-sensor-row")) == 2)
    page.see("Device Found", "h2", 30)
    page.type("What the console printed", home.claim_line(sensor))
    page.press("Claim", "//form")
    page.see("is yours")
    page.wait("the service knows", lambda: sensor in [one["sensor"] for one in asked(home, "claims")])
    page.follow(f"/{sensor}")
    page.see("Yours since")
    page.press("Release")
    page.press("Release", "//dialog")
    page.see("is released")
    page.see("Not claimed by you")
    assert sensor not in [one["sensor"] for one in asked(home, "claims")]
    page.press("Forget")
    page.press("Forget", "//dialog")
    page.see("Device Forgotten")
    page.see("There is no such sensor")
    page.press("Sensors", "//header")
    page.wait("it is no longer in the list", lambda: len(page.all("vitals-sensor-row")) == 1)


def finds_nothing(trial):
    page, home = trial.browser, trial.home
    home.tell_sensor("vanish")
    page.see("Out of reach", ".row small")
    page.press("Scan")
    page.see("Nothing found", "h2", 30)
    page.see("Wear it: a strap advertises only")
    trial.look("sensors-of-nothing")
    home.tell_sensor("power off")
    page.see("The gateway has no Bluetooth now: waiting for adapter")
    home.tell_sensor("power on")
    home.tell_sensor("appear")
    page.see("Live, worn", ".row small", 40)


def has_another_gateway(trial):
    page, home = trial.browser, trial.home
    page.press("Get a code")
    page.wait("there is a code", lambda: page.all("code"))
    settings = home.folder / "attic.json5"
    settings.write_text(f'{{ state: "attic", broker: {{ port: {home.port} }}, bluetooth: {{ bus: "{home.bus}" }} }}')
    home.enrol_gateway(settings, page.all("code")[0].text)
    attic = home.start("attic", [RELEASE / "vitals-gateway", "--settings", settings])
    page.wait("there are two gateways", lambda: len(page.all("vitals-gateway-card")) == 2, 30)
    names = [one["gateway"] for one in asked(home, "gateways")]
    name = next(name for name in names if name not in page.all("vitals-sensor-row a")[0].get_attribute("href"))
    page.press(f"Rename {name}")
    page.type("Name of the gateway", TURNED)
    page.press("Save", "//form")
    page.see("without controls, hidden characters and marks that change the direction of text")
    page.type("Name of the gateway", NAME)
    page.press("Save", "//form")
    page.see(f"Gateway {NAME}", "vitals-gateway-card h2")
    cards = [name for role, name in page.tree() if role == "region" and name.startswith("Gateway ")]
    assert len(set(cards)) == 2, f"who hears the page cannot tell the gateways apart: {cards}"
    assert NAME in [one.get("name") for one in asked(home, "gateways")]
    stop(attic)
    page.see("Offline", ".kv dd")
    is_forgotten(trial)
    page.press(f"Remove {NAME}")
    page.press("Remove", "//dialog")
    page.see("is removed")
    page.wait("there is one gateway", lambda: len(page.all("vitals-gateway-card")) == 1)
    assert len(asked(home, "gateways")) == 1


def is_forgotten(trial):
    """What was retained of a gateway, and vanished while the page was away."""
    page = trial.browser
    page.mark()
    # The broker keeps nothing over a restart.
    with trial.home.without_broker():
        page.see("Offline since")
        page.see("Offline", ".kv dd")
    page.see("Not visible here", ".kv dd", 40)
    page.see("Online since", ".kv dd", 40)
    page.forgive("WebSocket connection to")


def reads_the_help(trial):
    page = trial.browser
    page.press("Help with pictures")
    page.see("Put on a strap")
    page.see("from 50", "td")
    page.see("from 1", "td")
    assert len(page.all("tbody tr")) == 5 and "below" not in page.all("table")[0].text, page.all("table")[0].text
    trial.look("help")
    page.press("Today")
    trial.waits_for_heart()


STEPS = [sees_their_sensors, connects_sensors, claims_another, finds_nothing, has_another_gateway, reads_the_help]
