#!/usr/bin/env python3
"""Holds each thread of a gateway still, one after the other, and counts the signs of life that its supervisor gets meanwhile: one
line for each thread. Needs root, because nobody else may trace our programs.

    Tests/Rigs/hang.py PROGRAM SETTINGS
"""

import ctypes
import os
import socket
import subprocess
import sys
import time

SEIZE, INTERRUPT, DETACH, ALL_CHILDREN = 0x4206, 0x4207, 17, 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def trace(request, thread):
    if libc.ptrace(request, thread, None, None) != 0:
        raise SystemExit(f"ptrace: {os.strerror(ctypes.get_errno())}")


def signs(supervisor, seconds):
    """How many signs of life come within so many seconds."""
    count, end = 0, time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        supervisor.settimeout(left)
        try:
            count += b"WATCHDOG=1" in supervisor.recv(4096)
        except TimeoutError:
            break
    return count


def first_sign(supervisor):
    supervisor.settimeout(20)
    while b"WATCHDOG=1" not in supervisor.recv(4096):
        pass


def main(program, settings):
    supervisor = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    name = f"vitals-hang-{os.getpid()}"
    supervisor.bind("\0" + name)
    environment = dict(os.environ, NOTIFY_SOCKET="@" + name, WATCHDOG_USEC="200000")
    gateway = subprocess.Popen([program, "--settings", settings], env=environment, stderr=subprocess.DEVNULL)
    try:
        first_sign(supervisor)
        for thread in sorted(os.listdir(f"/proc/{gateway.pid}/task"), key=int)[1:]:
            with open(f"/proc/{gateway.pid}/task/{thread}/comm") as file:
                comm = file.read().strip()
            trace(SEIZE, int(thread))
            trace(INTERRUPT, int(thread))
            os.waitpid(int(thread), ALL_CHILDREN)
            signs(supervisor, 0.3)  # Those that were under way.
            print(comm, "alive" if signs(supervisor, 1) else "silent", flush=True)
            trace(DETACH, int(thread))
            first_sign(supervisor)
    finally:
        gateway.terminate()
        gateway.wait(20)


if len(sys.argv) != 3:
    raise SystemExit(__doc__)
main(*sys.argv[1:])
