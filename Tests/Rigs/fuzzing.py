"""Every parser that reads bytes from outside, under libFuzzer and AddressSanitizer.

Tests/Fuzzing/Fuzzing.swift is the program and tells the design. Here it is built, from the package's modules compiled for
libFuzzer, and each target runs for a while, begun with its corpus: whatever was found once is tried first. An input that
ends the program, takes more than TIMEOUT seconds or MEMORY megabytes, or for which a property does not hold, is a problem;
it is kept under .build/fuzz/found. Not every toolchain comes with libFuzzer's runtime: then a remark says so."""

import glob
import os
import re
import subprocess
import tempfile
from pathlib import Path

from household import PROJECT
from outcome import Outcome

SECONDS = {"short": 2, "normal": 5, "long": 60}
# For one input; libFuzzer's inputs are short, but slow machines need time.
TIMEOUT, MEMORY, LONGEST = 20, 1024, 8192
BUILD = PROJECT / ".build/fuzz"
FUZZING = PROJECT / "Tests/Fuzzing"
PROGRAM = BUILD / "fuzz"
# The programs whose parsers take part, with everything that they depend on, and libraries that none of them has yet.
TARGETS = [
    "vitals-gateway", "vitals-consumer", "vitals-sensor", "ActivityFiles", "CalDAV", "CalendarFiles", "OwnTracks", "Positioning",
    "TrainingPlans",
]
SANITIZERS = ["-sanitize=fuzzer,address"]


def run(size, seed):
    outcome = Outcome("fuzzing")
    if not has_fuzzer():
        outcome.remarks.append("this toolchain has no libFuzzer: not run")
        return outcome
    if problem := build():
        outcome.problems.append(problem)
        return outcome
    executions = 0
    for corpus in sorted((FUZZING / "Corpus").iterdir()):
        executed, problem, remark = fuzz(corpus, SECONDS[size], seed)
        executions += executed
        outcome.remarks.append(remark)
        if problem:
            outcome.problems.append(problem)
    outcome.cases = executions
    return outcome


def has_fuzzer():
    """Whether a program of two lines can be built."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "trial.swift")
        source.write_text(
            '@_cdecl("LLVMFuzzerTestOneInput") public func test(_: UnsafeRawPointer?, _: Int) -> Int32 { 0 }\n')
        trial = ["swiftc", *SANITIZERS, "-parse-as-library", source, "-o", Path(folder, "trial")]
        return subprocess.run(trial, capture_output=True).returncode == 0


def build():
    """The package's modules, then the program on top of their objects. Returns what went wrong."""
    flags = [x for flag in ["-enable-testing", *SANITIZERS] for x in ("-Xswiftc", flag)]
    for target in TARGETS:
        made = subprocess.run(
            ["swift", "build", "-c", "release", "--scratch-path", BUILD, "--target", target, *flags],
            cwd=PROJECT, capture_output=True, text=True)
        if made.returncode != 0:
            return f"{target} does not build for libFuzzer: {made.stdout[-500:]}{made.stderr[-500:]}"
    release = BUILD / "release"
    objects = glob.glob(str(release / "*.build/**/*.o"), recursive=True)
    includes = [f"-I{x}" for x in (PROJECT / "Sources/C").iterdir()]
    packages = [
        "dbus-1", "libmosquitto", "sqlite3", "libcrypto", "libcurl", "libzstd", "libsodium", "libxml-2.0", "libzip", "zlib",
        "libical", "libpsl",
    ]
    for flag in pkg_config("--cflags", packages):
        includes += ["-Xcc", flag]
    made = subprocess.run(
        ["swiftc", "-O", "-swift-version", "6", *SANITIZERS, "-parse-as-library", "-module-name", "Fuzzing",
         f"-I{release}/Modules", *includes, *sorted(map(str, FUZZING.glob("*.swift"))), *objects,
         *pkg_config("--libs", packages), "-o", PROGRAM],
        cwd=PROJECT, capture_output=True, text=True)
    return None if made.returncode == 0 else f"the fuzz targets do not build: {made.stderr[-1500:]}"


def pkg_config(what, packages):
    return subprocess.run(["pkg-config", what, *packages], check=True, capture_output=True, text=True).stdout.split()


def fuzz(corpus, seconds, seed):
    """One target. Returns executions, a problem or None, and a line of figures."""
    name = corpus.name
    found = BUILD / "found"
    found.mkdir(parents=True, exist_ok=True)
    # New inputs are for this run only; people add inputs that are worth keeping to the corpus by hand.
    with tempfile.TemporaryDirectory(prefix="vitals-fuzzing-") as new:
        ran = subprocess.run(
            [PROGRAM, new, corpus, f"-max_total_time={seconds}", f"-seed={seed % 0xFFFFFFFF + 1}", f"-timeout={TIMEOUT}",
             f"-rss_limit_mb={MEMORY}", f"-malloc_limit_mb={MEMORY // 4}", f"-max_len={LONGEST}",
             f"-artifact_prefix={found}/{name}-", "-print_final_stats=1"],
            env=os.environ | {"VITALS_TARGET": name, "SWIFT_BACKTRACE": "enable=no"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = ran.stdout.decode(errors="replace")
    executed = int((re.findall(r"number_of_executed_units: (\d+)", text) or [0])[-1])
    coverage = (re.findall(r"cov: (\d+)", text) or ["?"])[-1]
    problem = None
    if ran.returncode != 0:
        what = re.search(r"does not hold: .*|Fatal error.*|ERROR: .*", text)
        kept = re.search(r"Test unit written to (\S+)", text)
        problem = f"{name}: {what[0][:300] if what else text[-300:]} ({kept[1] if kept else 'no input kept'})"
    return executed, problem, f"{name}: {executed:,} executions, {coverage} edges"
