"""Known answers: AES-256-GCM, HKDF-SHA256, X25519 and Ed25519 as our programs have them, against published vectors and
against Python's `cryptography`, each with random inputs of the other; and sessions of blocks sealed by one and opened by
the other.

The tests of the target VaultTests are what compares; this runs them with many random inputs, and counts. It builds the tests
where they are not there or older than their sources."""

import os
import re
import subprocess
import sys
from pathlib import Path

from household import PROJECT
from outcome import Outcome

#: Random inputs for each algorithm, from either side.
SIZES = {"short": 64, "normal": 512, "long": 8_192}
SUITES = ["KnownAnswerTests", "AnswerTests", "InteropTests", "SealingTests"]
LIMIT = 1_800


def run(size, seed) -> Outcome:
    outcome = Outcome("answers")
    if problem := build_tests():
        outcome.problems.append(problem)
        return outcome
    filters = [word for suite in SUITES for word in ("--filter", f"VaultTests.{suite}")]
    tests = swift("test", "--skip-build", *filters, VITALS_ANSWERS=str(SIZES[size]))
    if tests.returncode != 0:
        wrong = [line for line in tests.stdout.splitlines() if "✘" in line] or [tests.stdout[-500:]]
        outcome.corrupt += len(wrong)
        outcome.problems += wrong[:10]
    counted = [(int(count), what) for count, what in re.findall(r"answers: (\d+) (.+)", tests.stdout)]
    ran = re.search(r"Test run with (\d+) tests", tests.stdout)
    outcome.cases = sum(count for count, _ in counted)
    if len(counted) != 3 or not ran:
        outcome.problems.append(f"not all tests ran: {counted}")
    outcome.remarks.append("; ".join(f"{count:,} {what}" for count, what in sorted(counted, reverse=True))
                           + (f"; {ran[1]} tests" if ran else ""))
    return outcome


def build_tests() -> str | None:
    """Builds the tests where they are not there or older than their sources. Returns what went wrong."""
    if is_built():
        return None
    # Built as deploy/test builds them, which then has nothing to do.
    built = swift("build", "--build-tests", "--enable-code-coverage", "-Xswiftc", "-warnings-as-errors")
    return None if built.returncode == 0 else f"the tests do not build: {built.stdout[-500:]}"


def is_built() -> bool:
    bundle = PROJECT / ".build/debug/vitalsPackageTests.xctest"
    if not bundle.exists():
        return False
    sources = [path for folder in ("Sources", "Tests") for path in (PROJECT / folder).rglob("*.swift")]
    return max(path.stat().st_mtime for path in [*sources, PROJECT / "Package.swift"]) < Path(bundle).stat().st_mtime


def swift(*words, **environment):
    """Runs swift in the project, with these variables of the environment."""
    settings = os.environ | {
        "VITALS_PYTHON": os.environ.get("VITALS_PYTHON", sys.executable),
        "LLVM_PROFILE_FILE": "/dev/null",  # Tests that measure coverage would leave a file.
    } | environment
    return subprocess.run(["swift", *words], cwd=PROJECT, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=LIMIT)
