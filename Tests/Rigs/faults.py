"""Programs whose disk fails, to order: what faults.c is told."""

import errno
import subprocess
from pathlib import Path

#: Files in the household's folder: the calls that there were, and the sign that a lasting fault is over.
LOG, OVER = "calls", "over"


class Fault:
    """What is wrong with a disk: of the calls (names, with commas between) the one with this number of each kind fails, or
    lastingly that and all after it. The error is a name such as EIO, "short", "ignored" or "late", which faults.c explains;
    without a call, all is well and the calls are only counted."""

    def __init__(self, call=None, number=0, error=None, lasts=False):
        self.call, self.number, self.error, self.lasts = call, number, error, lasts

    def __str__(self):
        return f"{self.error} at {self.call} {self.number}{' and after' if self.lasts else ''}"

    def wrapper(self, folder, state):
        """The front of a command line by which a program fails like that in this state folder of the household's folder."""
        told = {"LD_PRELOAD": library(folder), "FAULT_FOLDER": f"{folder / state}/", "FAULT_LOG": folder / LOG}
        if self.call:
            error = getattr(errno, self.error, self.error)
            told |= {"FAULT_CALLS": self.call, "FAULT_FIRST": self.number, "FAULT_ERROR": error}
        if self.lasts:
            told["FAULT_OVER"] = folder / OVER
        return ["env", *(f"{name}={value}" for name, value in told.items())]


def library(folder):
    """Compiled where it is not there yet."""
    path = folder / "faults.so"
    if not path.exists():
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", path, Path(__file__).with_name("faults.c")], check=True)
    return path
