"""Scenarios of what sensors do, and of who they are."""

import time

from trial import connected, scenario
from worlds import APART


@scenario()
def malformed_values(trial):
    """Truncated, empty, too long: counted and dropped, and those after them come."""
    world = trial.world
    [strap] = world.straps()
    first = connected(trial, strap)
    # Two bytes of heart rate promised and one, none or no more there; half an energy; half an RR interval.
    values = ["11", "00", "07", "0701", "0f010002", "1701000304ff"]
    for value in values:
        strap.malformed(value)
        trial.streams(after=strap.sent())
    trial.count(first, strap.sent())
    health = trial.is_so("health counts what was malformed", "health", lambda said: said["malformed"] >= len(values), limit=30)
    trial.expect("no more was malformed", health.said["malformed"] == len(values))


@scenario()
def silent_strap(trial):
    """It keeps its link and its subscription, and sends nothing; later it does again."""
    [strap] = trial.world.straps()
    first = connected_with_silence(trial, strap)
    silenced = time.monotonic()
    strap.silence(True)
    trial.event("silent", since=silenced)
    trial.event("disconnected", since=silenced)
    trial.event("connected", since=silenced)
    last = strap.sent()
    strap.silence(False)
    first = trial.recovers(time.monotonic(), strap, after=last)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


def connected_with_silence(trial, strap):
    settings = strap.settings.replace("{ name", '{ silence: "2 s", name', 1)
    trial.world.start_gateway({"strap": settings})
    first = trial.streams()
    trial.streams(after=first + 5)
    return first


@scenario()
def bonding(trial):
    """All that it measures needs encryption: it is bonded with, and the bond outlives link and gateway."""
    world = trial.world
    [strap] = world.straps(encrypted=True)
    begin = time.monotonic()
    first = connected(trial, strap)
    trial.recovery = time.monotonic() - begin
    trial.streams(after=first + 5)
    trial.is_so("it is bonded", "sensors/strap/info", lambda said: said.get("bonded"))
    reply = world.ask("sensors/strap/steps", {})
    trial.expect(f"steps can be read: {reply}", reply["status"] == "ok")
    trial.count(first, strap.hang_up())
    first = trial.recovers(time.monotonic(), strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())
    restarted = strap.sent()
    world.stop_gateway()
    world.restart_gateway()
    trial.streams(after=restarted)
    trial.expect("BlueZ still has the bond", world.device(strap)["Paired"])


@scenario()
def private_address(trial):
    """Its address changes all the time; once it is bonded with, that does not matter."""
    world = trial.world
    [strap] = world.straps(encrypted=True, private=True)
    first = connected(trial, strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.lose(0))
    address = strap.rotate()
    strap.find()
    first = trial.recovers(time.monotonic(), strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())
    known = world.device(strap)
    trial.expect(f"BlueZ knows it by its identity, not by {address}: {known}", known and known["Bonded"])


@scenario()
def lost_bond(trial):
    """It was reset, and has lost its side of the bond: told to people; forgotten on request, it is bonded with anew."""
    world = trial.world
    [strap] = world.straps(encrypted=True)
    first = connected(trial, strap)
    trial.streams(after=first + 5)
    lost = time.monotonic()
    strap.forget()
    trial.count(first, strap.hang_up())
    trial.event("bond-lost", since=lost)
    last = strap.sent()
    reply = world.ask("forget", {"sensor": "strap"})
    trial.expect(f"it is forgotten: {reply}", reply["status"] == "ok")
    first = trial.recovers(time.monotonic(), strap, after=last)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


@scenario()
def same_name_twice(trial):
    """Two straps of one name. One of them is the sensor, and the other is not taken for it when it goes away."""
    world = trial.world
    pair = world.straps(2, names=["Twin", "Twin"])
    world.start_gateway({"strap": pair[0]})
    first = trial.streams()
    own, other = pair if first <= APART else reversed(pair)
    trial.streams(after=first + 5)
    lost = time.monotonic()
    trial.count(first, own.lose())
    trial.event("disconnected", since=lost)
    found = world.ask("scan", {"seconds": 4})["data"]["devices"]
    trial.expect(f"a scan finds the other: {found}", [other.address] == [x["address"] for x in found if x.get("name") == "Twin"])
    trial.event("other-device", since=lost)
    own.find()
    first = trial.recovers(time.monotonic(), own)
    trial.streams(after=first + 5)
    trial.count(first, own.sent())
    heard = {number > APART for number in world.listener.numbers["strap"]}
    trial.expect("nothing of the other was taken for its own", len(heard) == 1)


@scenario()
def control_point(trial):
    """Somebody else resets the energy that it has expended, and writes what it does not know. Nothing is disturbed."""
    world = trial.world
    [strap] = world.straps()
    first = connected(trial, strap)
    trial.streams(after=first + 5)
    trial.is_so("energy comes", "sensors/strap/heart-rate", lambda said: "energy_kj" in said)
    written = time.monotonic()
    error = world.write(strap, "00002a39", [1])
    trial.expect(f"the control point takes 1: {error}", error is None)
    trial.is_so("energy begins anew", "sensors/strap/heart-rate", lambda said: said.get("energy_kj", 99) < 50, since=written)
    error = world.write(strap, "00002a39", [7])
    trial.expect(f"it refuses 7: {error}", error and "0x80" in error)
    trial.streams(after=strap.sent() + 5)
    trial.count(first, strap.sent())


@scenario()
def one_absent(trial):
    """A sensor that is away delays no other: neither when they are looked for, nor when one comes back."""
    world = trial.world
    near, away = world.straps(2)
    away.sleep()
    begin = time.monotonic()
    world.start_gateway({"strap": near, "away": away})
    first = trial.streams()
    trial.expect(f"the near one streams within 10 s, not {time.monotonic() - begin:.1f}", time.monotonic() - begin < 10)
    away.wake()
    trial.streams("away")
    away.lose(0)
    away.sleep()
    time.sleep(3)  # By now somebody waits for it.
    trial.count(first, near.hang_up())
    first = trial.recovers(time.monotonic(), near)
    trial.expect(f"the near one is back within 10 s, not {trial.recovery:.1f}", trial.recovery < 10)
    trial.streams(after=first + 5)
    trial.count(first, near.sent())
    away.wake()
    away.find()
    trial.streams("away", after=away.sent(), limit=90)


@scenario(worlds=["bluez"])
def standard_sensors(trial):
    """A foot pod, a bicycle and a thermometer, with nothing but names in the settings."""
    world = trial.world
    for kind in ("running", "cycling", "thermometer"):
        trial.straps = getattr(trial, "straps", {}) | {kind: world.straps(services=[kind, "battery", "device-information"])[0]}
    world.start_gateway({kind: f'{{ name: "{strap.name}" }}' for kind, strap in trial.straps.items()})
    trial.is_so("the foot pod streams", "sensors/running/running", lambda said: said["cadence"] == 160 and said["speed_mps"] == 2.5)
    trial.is_so("so does the bicycle", "sensors/cycling/cycling", lambda said: said.get("wheel_revolutions", 0) > 0)
    trial.event("connected", "thermometer")
    reply = world.ask("sensors/thermometer/temperature", {})
    trial.expect(f"the thermometer is read: {reply}", reply.get("data", {}).get("celsius") == 36.6)
    reply = world.ask("sensors/running/steps", {})
    trial.expect(f"the foot pod's steps are derived: {reply}", reply.get("data", {}).get("derived"))
    trial.straps["cycling"].battery(55)
    trial.is_so("the battery's change is told", "sensors/cycling/info", lambda said: said.get("battery") == 55)


@scenario()
def scan(trial):
    """What is near, by request: as it is found, and all of it at the end; and help where there is nothing."""
    world = trial.world
    straps = world.straps(3)
    world.start_gateway({"other": '{ name: "Nobody" }'})
    world.listener.wait("Bluetooth is ready", lambda: world.listener.find("health", lambda said: said["bluetooth"] == "ready"), 30)
    reply = world.ask("scan", {"seconds": 5})
    found = {device.get("name"): device for device in reply.get("data", {}).get("devices", [])}
    for strap in straps:
        device = found.get(strap.name, {})
        trial.expect(f"{strap.name} is found, with its strength and service: {device}",
                     device.get("address") == strap.address and "rssi" in device and "heart-rate" in device["services"])
    for kind in ("scan-started", "found", "scan-ended"):
        trial.event(kind, None)
    reply = world.ask("scan", {"seconds": 3, "services": ["cycling-speed-and-cadence"]})
    data = reply.get("data", {})
    trial.expect(f"where nothing fits there is help: {reply}", not data.get("devices") and data.get("help"))
    first = time.monotonic()
    reply = world.ask("connect", {"device": straps[1].name, "sensor": "strap"})
    trial.expect(f"one of them is connected with: {reply}", reply["status"] == "ok")
    trial.streams()
    trial.recovery = time.monotonic() - first
