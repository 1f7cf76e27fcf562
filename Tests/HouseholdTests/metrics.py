"""What Prometheus makes of pages of metrics, and whether alerts, dashboard and document speak of metrics that exist.

    metrics.py PROJECT PAGE…

It prints `N metrics`, or says what is wrong and ends with 1. Prometheus' own promtool is asked, too, where it is installed.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

from prometheus_client.parser import text_string_to_metric_families

#: Every label that there may be: none of them can name a person, a gateway, a sensor or an address.
LABELS = {"version", "state", "outcome", "database", "le", "verb", "code"}
#: Endings of names that have units, and those that would be another unit than the base unit.
WRONG = re.compile(r"_(?:milliseconds|ms|minutes|hours|kilobytes|kb|megabytes|mb|percent)(?:_total)?$")

project, pages = pathlib.Path(sys.argv[1]), sys.argv[2:]
problems: list[str] = []
samples: set[str] = set()
families: set[str] = set()
for path in pages:
    page = pathlib.Path(path).read_text()
    for family in text_string_to_metric_families(page):
        # This parser takes `_total` off; the page has it.
        name = family.name + ("_total" if family.type == "counter" else "")
        families.add(name)
        if not family.documentation.endswith("."):
            problems.append(f"{name}: its help is no sentence")
        if f"# TYPE {name} {family.type}" not in page:
            problems.append(f"{name}: a {family.type} has another name")
        if WRONG.search(name):
            problems.append(f"{name}: not in base units")
        samples.add(name)
        for sample in family.samples:
            samples.add(sample.name)
            if not set(sample.labels) <= LABELS:
                problems.append(f"{sample.name}: has the labels {sorted(sample.labels)}")

folder = project / "deploy/prometheus"
dashboard = json.loads((folder / "vitals.dashboard.json").read_text())
queries = {f"the panel {panel['title']}": target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])}
if len(queries) < 10:
    problems.append("the dashboard has hardly a panel")
queries["the rules"] = (folder / "vitals.rules.yml").read_text()
queries["the rules' tests"] = (folder / "vitals.rules.test.yml").read_text()
for where, query in queries.items():
    for name in re.findall(r"\b(?:vitals_(?:gateway|consumer)|process)_[a-z_]+", query):
        if name not in samples:
            problems.append(f"{where} asks for {name}, which is not there")
    # One expression for both programs.
    for ending in re.findall(r"vitals_\(gateway\|consumer\)_([a-z_]+)", query):
        for program in ("gateway", "consumer"):
            if f"vitals_{program}_{ending}" not in samples:
                problems.append(f"{where} asks for vitals_{program}_{ending}, which is not there")

document = (project / "deploy/metrics.md").read_text()
named = set(re.findall(r"^\| `((?:vitals|process)_[a-z_]+)", document, re.M))
for name in sorted(families ^ named):
    problems.append(f"{name}: in the {'pages' if name in families else 'document'} alone")
alerts = set(re.findall(r"- alert: (\w+)", queries["the rules"]))
for name in sorted(alerts ^ set(re.findall(r"^\| `(Vitals\w+)", document, re.M))):
    problems.append(f"{name}: in the {'rules' if name in alerts else 'document'} alone")
for name in sorted(alerts - set(re.findall(r"Vitals\w+", queries["the rules' tests"]))):
    problems.append(f"{name}: no test of the rules has it fire")

if promtool := shutil.which("promtool"):
    commands = [["check", "rules", folder / "vitals.rules.yml"], ["test", "rules", folder / "vitals.rules.test.yml"]]
    for command in commands + [["check", "metrics"]] * len(pages):
        page = open(pages.pop(0), "rb") if command[-1] == "metrics" else subprocess.DEVNULL
        run = subprocess.run([promtool, *command], stdin=page, capture_output=True, text=True, cwd=folder)
        if run.returncode != 0 or (command[-1] == "metrics" and run.stderr):
            problems.append(f"promtool {command}: {run.stdout}{run.stderr}")

print("\n".join(problems) or f"{len(families)} metrics")
sys.exit(bool(problems))
