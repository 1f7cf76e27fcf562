"""What an SD card has to bear: the flushes and the bytes of a gateway in its steady state, one heart rate a second,
connected, and acknowledged by the consumer. strace counts what an unmodified gateway with its default settings asks of
the kernel; at most 800 flushes an hour are promised.

Bytes are those of `write` and `pwrite64`. What reaches the card is a little more, since file systems write blocks of 4 KiB
and a journal of their own, and less where a page is written twice between two flushes."""

import re
import signal
import time

from load import Beats, Home
from outcome import Outcome

#: How long the gateway is watched, in seconds; long enough to include checkpoints of the log.
SIZES = {"short": 20, "normal": 60, "long": 900}
#: The most flushes in an hour.
LIMIT = 800
FLUSHES, WRITES = {"fsync", "fdatasync", "sync_file_range"}, {"write", "pwrite64", "writev", "pwritev"}


def run(size, seed):
    seconds = SIZES[size]
    with Home(gateway_lines="") as home:
        home.up()
        with Beats(home, rate=1):
            # From the first acknowledged block on, it works steadily.
            home.until_flowing()
            trace = home.folder / "trace"
            tracer = attach(home, trace)
            begin = time.monotonic()
            while time.monotonic() - begin < seconds:
                if home.gateway.poll() is not None:
                    raise RuntimeError(f"the gateway has ended: {home.log('gateway')}")
                time.sleep(0.1)
            watched = time.monotonic() - begin
            tracer.send_signal(signal.SIGINT)  # It detaches from the gateway, which goes on.
            tracer.wait(10)
            flushes, written = count(trace, str(home.folder / "gateway"))
    an_hour = 3600 / watched
    outcome = Outcome("wear", cases=flushes)
    outcome.remarks.append(
        f"{flushes * an_hour:.0f} flushes and {written * an_hour / 1e6:.1f} MB written an hour"
        f" at one heart rate a second (over {watched:.0f} s)")
    # A short watch cannot tell 720 from 800 an hour: one flush more is allowed for its ends.
    if flushes - 1 > LIMIT / an_hour:
        outcome.problems.append(f"{flushes} flushes in {watched:.0f} s are more than {LIMIT} an hour")
    if flushes == 0:
        outcome.problems.append("nothing was flushed: the rig does not see what it should")
    return outcome


def attach(home, trace):
    calls = ",".join(sorted(FLUSHES | WRITES))
    tracer = home.start("strace", ["strace", "-f", "-y", "-e", f"trace={calls}", "-o", trace, "-p", home.gateway.pid])
    home.wait(tracer, "strace has attached", lambda: "attached" in home.log("strace"))
    return tracer


def count(trace, folder):
    """Flushes and bytes written in a folder."""
    flushes = written = 0
    for line in trace.read_text(errors="replace").splitlines():
        call = re.match(r"\d+ +(\w+)\(\d+<([^>]*)>.*= (-?\d+)", line)
        if call is None or not call[2].startswith(folder):
            continue
        if call[1] in FLUSHES:
            flushes += 1
        elif int(call[3]) > 0:
            written += int(call[3])
    return flushes, written
