"""Scenarios of links, adapters, bluetoothd and its bus."""

import time

from trial import connected, scenario


@scenario(short=True)
def first_connection(trial):
    """Never seen before: scan, connect, subscribe, values."""
    [strap] = trial.world.straps()
    begin = time.monotonic()
    first = connected(trial, strap)
    trial.recovery = time.monotonic() - begin
    trial.streams(after=first + 10)
    trial.count(first, strap.sent())
    for kind in ("found", "connected"):
        trial.event(kind)


@scenario(short=True)
def link_lost(trial):
    """Out of reach and back, and a strap that hangs up."""
    [strap] = trial.world.straps()
    first = connected(trial, strap)
    trial.streams(after=first + 5)
    lost = time.monotonic()
    trial.count(first, strap.lose())
    trial.event("disconnected", since=lost)
    strap.find()
    first = trial.recovers(time.monotonic(), strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.hang_up())
    first = trial.recovers(time.monotonic(), strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


@scenario(slow=True)
def gone_for_a_minute(trial):
    """Nothing is heard of it for 60 s, longer than BlueZ waits in a Connect."""
    [strap] = trial.world.straps()
    first = connected(trial, strap)
    lost = time.monotonic()
    trial.count(first, strap.lose())
    trial.event("disconnected", since=lost)
    time.sleep(max(0, lost + 60 - time.monotonic()))
    strap.find()
    first = trial.recovers(time.monotonic(), strap, limit=90)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


@scenario()
def refused_connections(trial):
    """It ends each link at once, for a while."""
    [strap] = trial.world.straps()
    strap.refuse(True)
    trial.world.start_gateway({"strap": strap})
    trial.event("found")
    trial.world.wait(trial.world.gateway, "it was refused three times", lambda: trial.world.log().count("trying again in") >= 3, 60)
    strap.refuse(False)
    first = trial.recovers(time.monotonic(), strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


@scenario(short=True, slow=True)
def eight_sensors_at_12_Hz(trial):
    """Every notification of 60 s counted."""
    count_all(trial, 8, 12, seconds=60)


@scenario()
def four_sensors_at_50_Hz(trial):
    """Every notification of 20 s counted: as many as the machine's emulated processors take in time."""
    count_all(trial, 4, 50, seconds=20)


def count_all(trial, count, hertz, seconds):
    straps = trial.world.straps(count, rate=1)
    sensors = {f"strap-{index}": strap for index, strap in enumerate(straps)}
    begin = time.monotonic()
    trial.world.start_gateway(sensors)
    for sensor in sensors:
        trial.streams(sensor, limit=40)
    trial.recovery = time.monotonic() - begin
    firsts = {sensor: strap.rate(hertz) for sensor, strap in sensors.items()}
    time.sleep(seconds)
    lasts = {sensor: strap.rate(0) - 1 for sensor, strap in sensors.items()}
    for sensor in sensors:
        trial.count(firsts[sensor], lasts[sensor], sensor, limit=30)
    # The stand-in is told each of its values by this program, which a slow machine holds up.
    due = hertz * seconds * 5 // 6 if trial.world.name == "bluez" else hertz * seconds // 3
    slow = [f"{sensor}: {lasts[sensor] - firsts[sensor]}" for sensor in sensors if lasts[sensor] - firsts[sensor] < due]
    trial.expect(f"each sent at {hertz} Hz: {slow}", not slow)


@scenario(short=True)
def bluetoothd_killed(trial):
    """SIGKILL: it takes nothing back."""
    without(trial, trial.world.kill_bluetooth, trial.world.start_bluetooth, seconds=2)


@scenario()
def powered_off_and_on(trial):
    """The adapter."""
    without(trial, lambda: trial.world.power(False), lambda: trial.world.power(True), seconds=5)


@scenario()
def adapter_unplugged(trial):
    """And plugged in again."""
    without(trial, trial.world.unplug, trial.world.plug, seconds=3)


@scenario()
def bus_restarted(trial):
    """The system bus ends, and bluetoothd with it."""
    without(trial, trial.world.kill_bus, trial.world.start_bus, seconds=2)


def without(trial, take, give_back, seconds):
    """Something that every link needs is taken away, and given back after a while. The strap is quiet meanwhile: what is on its way at that
    moment nobody could count."""
    [strap] = trial.world.straps()
    first = connected(trial, strap)
    trial.streams(after=first + 5)
    strap.rate(0)
    trial.count(first, strap.sent())
    taken = time.monotonic()
    take()
    trial.event("disconnected", since=taken)
    time.sleep(seconds)
    strap.rate(4)
    given = time.monotonic()
    give_back()
    first = trial.recovers(given, strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())
