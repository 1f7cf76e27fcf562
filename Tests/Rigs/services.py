"""What systemd is to `deploy/upgrade`, on a machine without it.

    services.py FOLDER start UNIT    starts UNIT again and again, as FOLDER/UNIT.command says, one word on each line
    services.py FOLDER stop UNIT     ends it
    services.py FOLDER state UNIT    prints its process id if it has said that it is ready
"""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

folder, verb, unit = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
supervisor, ready, notify = (folder / f"{unit}.{end}" for end in ("supervisor", "ready", "notify"))


def stop():
    if not supervisor.exists():
        return
    try:
        os.kill(int(supervisor.read_text()), signal.SIGTERM)
    except ProcessLookupError:
        supervisor.unlink(missing_ok=True)
    end = time.monotonic() + 60
    while supervisor.exists():
        if time.monotonic() > end:
            sys.exit(f"{unit} does not end")
        time.sleep(0.02)


def supervise():
    supervisor.write_text(str(os.getpid()))
    command = (folder / f"{unit}.command").read_text().splitlines()
    log = open(folder / f"{unit}.log", "ab")
    notify.unlink(missing_ok=True)
    told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    told.bind(str(notify))
    told.settimeout(0.05)
    asked = []
    signal.signal(signal.SIGTERM, lambda *_: asked.append(True))
    while not asked:
        ready.unlink(missing_ok=True)
        program = subprocess.Popen(
            command, env={**os.environ, "NOTIFY_SOCKET": str(notify)}, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        while program.poll() is None and not asked:
            try:
                if b"READY=1" in told.recv(4096).split(b"\n"):
                    ready.write_text(f"{program.pid}\n")
            except TimeoutError:
                pass
        ready.unlink(missing_ok=True)
        if program.poll() is None:
            program.terminate()
            program.wait()
        elif not asked:
            time.sleep(0.2)
    supervisor.unlink(missing_ok=True)


if verb == "state":
    if ready.exists():
        print(ready.read_text(), end="")
elif verb == "stop":
    stop()
else:
    stop()
    if os.fork() == 0:
        os.setsid()
        for descriptor in range(3):
            os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
        supervise()
        os._exit(0)
    end = time.monotonic() + 30
    while not supervisor.exists() and time.monotonic() < end:
        time.sleep(0.02)
