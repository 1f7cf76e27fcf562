"""The tests under ThreadSanitizer and under AddressSanitizer.

The programs that tests start are built the same way, and so take part. A report cannot go unnoticed: it is written to a file
of its process, wherever that one's output goes, and every such file is a problem, as is a test that fails. mutex_for_tsan.c
says why ThreadSanitizer needs a library of ours before it judges a Mutex. There are no suppressions.

`normal` takes the suites with threads, C libraries and programs of ours, `long` all of them."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from household import PROJECT
from outcome import Outcome

# The tests of what has threads of its own, or a boundary to C.
SUITES = [
    "ReactorTests", "DBusTests", "StorageTests", "BluetoothTests", "MQTTTests", "VaultTests", "GatewayTests",
    "DeskTests", "ReadingsTests", "DaysTests", "FeaturesTests", "AccountsTests", "SensorsTests", "InsightTests",
    "ConsumerTests", "HouseholdTests",
]
FILTERS = {"normal": ["--filter", "|".join(f"^{x}\\." for x in SUITES)], "long": []}
# The exit status of a process after a report, whatever it would have been.
REPORTED = 66
FOLDERS = {"thread": ".build/tsan", "address": ".build/asan"}
OPTIONS = {
    "thread": {"TSAN_OPTIONS": "second_deadlock_stack=1"},
    "address": {"ASAN_OPTIONS": "detect_stack_use_after_return=1:detect_leaks=0"},
}


def run(size, seed):
    outcome = Outcome("sanitizers")
    for sanitizer in OPTIONS:
        with tempfile.TemporaryDirectory(prefix="vitals-sanitizers-") as folder:
            test(sanitizer, size, Path(folder), outcome)
    return outcome


def test(sanitizer, size, folder, outcome):
    build = [f"--sanitize={sanitizer}", "--scratch-path", PROJECT / FOLDERS[sanitizer]]
    built = subprocess.run(
        ["swift", "build", "--build-tests", *build], cwd=PROJECT, capture_output=True, text=True, errors="replace")
    if built.returncode != 0:
        outcome.problems.append(f"the tests do not build with --sanitize={sanitizer}: {last_error(built.stdout)}")
        return
    environment = os.environ | {
        name: f"{options}:log_path={folder}/report:exitcode={REPORTED}" for name, options in OPTIONS[sanitizer].items()}
    if sanitizer == "thread":
        environment["LD_PRELOAD"] = str(mutex_library(folder))
    ran = subprocess.run(
        ["swift", "test", "--skip-build", *build, *FILTERS[size]],
        cwd=PROJECT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    count = sum(int(x) for x in re.findall(r"Test run with (\d+) test", ran.stdout))
    outcome.cases += count
    reports = sorted(folder.glob("report*"))
    for report in reports:
        text = report.read_text(errors="replace")
        kinds = re.findall(r"^SUMMARY: (.*)$", text, re.MULTILINE) or [text[:300]]
        outcome.problems += [f"{sanitizer}: {kind}" for kind in sorted(set(kinds))]
    failed = [x.strip() for x in ran.stdout.splitlines() if "recorded an issue" in x]
    outcome.problems += [f"{sanitizer}: {x[:300]}" for x in failed]
    if ran.returncode != 0 and not reports and not failed or count == 0:
        outcome.problems.append(f"{sanitizer}: the tests ended with {ran.returncode}: {ran.stdout[-500:]}")
    outcome.remarks.append(f"--sanitize={sanitizer}: {count} tests, {len(reports)} processes with reports")


def mutex_library(folder):
    """mutex_for_tsan.c as a library, by the clang that lies beside swift."""
    library = folder / "mutex_for_tsan.so"
    swift = subprocess.run(["which", "swift"], check=True, capture_output=True, text=True).stdout.strip()
    clang = Path(os.path.realpath(swift)).with_name("clang")
    source = PROJECT / "Tests/Rigs/mutex_for_tsan.c"
    subprocess.run([clang, "-shared", "-fPIC", "-O1", source, "-o", library, "-ldl"], check=True)
    return library


def last_error(text):
    errors = [x for x in text.splitlines() if "error:" in x]
    return errors[-1][:300] if errors else text[-300:]
