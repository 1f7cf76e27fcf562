"""Scenarios that measure: what a value costs by signal and by socket, and what happens to values while the gateway stands still."""

import signal
import time

from household import processor_seconds
from trial import scenario

#: Values a second, and seconds, for the cost of one.
RATE, SECONDS = 40, 20
#: How long the gateway stands still, and how many values come meanwhile, a second.
PAUSE, SLOW_RATE = 60, 8


@scenario(worlds=["bluez"], slow=True)
def signal_or_socket(trial):
    """StartNotify and AcquireNotify with the same strap: processor time of who takes part, for each value."""
    world = trial.world
    for notify in ("signal", "socket"):
        [strap] = world.straps()
        start(world, strap, notify)
        trial.streams(after=3)
        programs = {"gateway": world.gateway, "bluetoothd": world.bluetoothd, "dbus-daemon": world.dbus}
        first = strap.rate(RATE)
        before = {name: processor_seconds(program.pid) for name, program in programs.items()}
        time.sleep(SECONDS)
        last = strap.rate(0) - 1
        trial.count(first, last, limit=30)
        spent = {name: processor_seconds(program.pid) - before[name] for name, program in programs.items()}
        count = last - first + 1
        words = ", ".join(f"{name} {seconds / count * 1e6:,.0f} µs" for name, seconds in spent.items())
        trial.remarks.append(f"by {notify}, at {count / SECONDS:.0f} values a second: {words} a value")
        world.stop_gateway()
        world.listener.forget()


@scenario(worlds=["bluez"], slow=True)
def standing_still(trial):
    """The gateway is stopped (SIGSTOP) for a minute, and goes on. What came meanwhile waits for it: by signal in dbus-daemon, which
    holds all of it; by socket in the socket, which holds the first few hundred."""
    world = trial.world
    for notify in ("signal", "socket"):
        [strap] = world.straps()
        # The broker is to keep the link meanwhile: a live value is not kept for one that comes back.
        start(world, strap, notify, 'keep_alive: "600 s",')
        first = trial.streams()
        strap.rate(SLOW_RATE)
        world.gateway.send_signal(signal.SIGSTOP)
        time.sleep(PAUSE)
        strap.rate(4)
        last = strap.sent()
        world.gateway.send_signal(signal.SIGCONT)
        going = time.monotonic()
        after = trial.streams(after=last + 3)
        trial.recovery = max(trial.recovery or 0, time.monotonic() - going)
        numbers = world.listener.numbers["strap"]
        missing = sorted(set(range(first, last + 1)) - set(numbers))
        trial.remarks.append(
            f"by {notify}: of {last} values {len(missing)} never came" + (f", {missing[0]} to {missing[-1]}" if missing else ""))
        if notify == "signal":
            trial.count(first, after)
        trial.close()
        world.stop_gateway()
        world.listener.forget()


def start(world, strap, notify, broker_lines=""):
    settings = strap.settings.replace("{ name", f'{{ notify: "{notify}", name', 1)
    world.start_gateway({"strap": settings}, 'log: "notice",', broker_lines)
