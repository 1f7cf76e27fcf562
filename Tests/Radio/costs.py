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
    """The gateway is stopped (SIGSTOP) for a minute, and goes on. What came meanwhile waits for it: by signal in dbus-daemon, by
    socket in the socket. Counted by what the gateway says it has received: its link to the broker has timed out, too."""
    world = trial.world
    for notify in ("signal", "socket"):
        [strap] = world.straps()
        start(world, strap, notify)
        trial.streams(after=3)
        strap.rate(SLOW_RATE)
        world.gateway.send_signal(signal.SIGSTOP)
        time.sleep(PAUSE)
        strap.rate(4)
        world.gateway.send_signal(signal.SIGCONT)
        going = time.monotonic()
        last = strap.sent()
        trial.streams(after=last + 3, limit=90)
        trial.recovery = max(trial.recovery or 0, time.monotonic() - going)
        strap.rate(0)
        sent, stopped = strap.sent(), time.monotonic()
        # Health comes every ten seconds, and the next after this one was made when all had been read.
        health = trial.is_so("health is told", "health", lambda _: True, since=stopped + 1).said
        received = health["not_recorded"]
        trial.remarks.append(f"by {notify}: of {sent} values, {last} before it went on, {received} were received")
        trial.sent, trial.received, trial.lost = trial.sent + sent, trial.received + received, trial.lost + sent - received
        world.stop_gateway()
        world.listener.forget()


def start(world, strap, notify):
    settings = strap.settings.replace("{ name", f'{{ notify: "{notify}", name', 1)
    world.start_gateway({"strap": settings}, 'log: "notice",')
