"""Scenarios of who may use the radio, who has switched it off, and who else is there."""

import grp
import subprocess
import time

from household import RELEASE, stop
from trial import connected, scenario
from worlds import NOBODY


def becoming_nobody(*groups):
    """The command that becomes a user without rights, but in these groups."""
    numbers = ",".join(str(grp.getgrnam(group).gr_gid) for group in groups)
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", f"--groups={numbers}" if groups else "--clear-groups"]


@scenario(worlds=["bluez"])
def user_in_group_bluetooth(trial):
    """Where only root and the group `bluetooth` may (the policy that deploy/dbus has for operators): a user in it needs nothing else,
    and who is not in it does not even hear the values."""
    trial.world.permit("group")
    [strap] = trial.world.straps()
    begin = time.monotonic()
    first = connected(trial, strap, user=becoming_nobody("bluetooth"))
    trial.recovery = time.monotonic() - begin
    trial.streams(after=first + 5)
    trial.expect("others in the group hear its values on the bus", hears_values(becoming_nobody("bluetooth")))
    trial.expect("nobody else does", not hears_values(becoming_nobody()))
    trial.count(first, strap.sent())


def hears_values(user):
    """Whether a user hears values of a characteristic on the bus within three seconds, when they come four times a second."""
    monitor = [*user, "timeout", "3", "dbus-monitor", "--system", "type='signal',sender='org.bluez'"]
    return "org.bluez.GattCharacteristic1" in subprocess.run(monitor, capture_output=True, text=True).stdout


@scenario(worlds=["bluez"])
def user_not_permitted(trial):
    """Where only they may, and the user is not in it: said so, and what to do. Then the policy changes."""
    world = trial.world
    world.permit("group")
    [strap] = world.straps()
    world.start_gateway({"strap": strap}, user=becoming_nobody())
    trial.is_so("it says that it may not", "health", lambda said: "not permitted" in said["bluetooth"])
    permitted = time.monotonic()
    world.permit("anyone")
    first = trial.recovers(permitted, strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


@scenario(worlds=["bluez"])
def rfkill_blocked(trial):
    """In software, for five seconds."""
    world = trial.world
    [strap] = world.straps()
    first = connected(trial, strap)
    strap.rate(0)
    trial.count(first, strap.sent())
    blocked = time.monotonic()
    world.block(True)
    trial.event("disconnected", since=blocked)
    trial.is_so("it says so", "health", lambda said: "rfkill" in said["bluetooth"], since=blocked)
    time.sleep(max(0, blocked + 5 - time.monotonic()))
    strap.rate(4)
    freed = time.monotonic()
    world.block(False)
    first = trial.recovers(freed, strap)
    trial.streams(after=first + 5)
    trial.count(first, strap.sent())


@scenario(worlds=["bluez"])
def sensor_on_another_adapter(trial):
    """`vitals-sensor adapter` is a peripheral through BlueZ's own GATT server, on a second controller of the same machine."""
    world = trial.world
    world.straps(0)
    world.radio("plug", None, 1)
    sensor = None
    try:
        world.wait(world.bluetoothd, "the second adapter is powered", lambda: world.property("Powered", "/org/bluez/hci1") == "b true")
        sensor = world.start(
            "sensor", [RELEASE / "vitals-sensor", "adapter", "--adapter", "hci1", "--name", "Vitals bench", "--synthesise"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        trial.expect("the sensor can be found", sensor.stdout.readline() == b"ready\n")
        begin = time.monotonic()
        world.start_gateway({"strap": '{ name: "Vitals bench" }'}, 'bluetooth: { adapter: "hci0" },')
        trial.streams()
        trial.recovery = time.monotonic() - begin
        values = [60_001 + number for number in range(20)]
        for value in values:
            sensor.stdin.write(f"heart-rate {value}\n".encode())
            sensor.stdin.flush()
            time.sleep(0.1)
        # What it makes up itself comes between them.
        world.listener.wait("all that it was told to measure", lambda: set(values) <= set(world.listener.numbers["strap"]), 30)
        heard = [number for number in world.listener.numbers["strap"] if number in values]
        trial.sent, trial.received = len(values), len(set(heard))
        trial.expect("each once, in order", heard == values)
        world.listener.numbers.clear()
    finally:
        if sensor:
            stop(sensor)
        world.radio("unplug", None, 1)
