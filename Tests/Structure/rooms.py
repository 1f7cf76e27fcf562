#!/usr/bin/env python3
"""Shows whether the house has the shape that Package.swift's heading promises. It ends with 1, and says why, if it has not.

    Tests/Structure/rooms.py                  judges this package
    Tests/Structure/rooms.py --uses TARGET    prints who uses what in the circles of one target, whether they are excused or not
    Tests/Structure/rooms.py --package PATH   judges another package

Folders: no folder of a target reaches back into a folder that reaches it. A folder reaches another if one of its files names a type, or
calls a function, that the other defines at the top level of a file, or extends such a type. Whatever lies beside the folders of a target
is one more folder, which is called the root.

Layers: each row of the heading is lower than the row above it. A target imports only targets of lower rows, and exactly one target imports
a C library.

Support: what tests share is built for release, too, where there is no module Testing.

The sources are read as text. So a member is not seen that one folder adds to a type of the standard library and another uses; and a word
counts where it stands, whatever the compiler would take it for.
"""

import argparse
import collections
import dataclasses
import pathlib
import re
import sys

#: Targets that are being taken apart, with the number of folders that their largest circle may have. It only ever gets smaller.
EXCUSED: dict[str, int] = {}

ROOT = "the root"

_MODIFIERS = r"(?:@\w+(?:\([^)\n]*\))?[ \t]+)*(?P<access>(?:(?:public|package|internal|fileprivate|private|final|indirect|nonisolated)[ \t]+)*)"
_TYPE = re.compile(rf"^{_MODIFIERS}(?:struct|class|enum|protocol|actor|typealias)[ \t]+(?P<name>[A-Z]\w*)", re.M)
_FUNCTION = re.compile(rf"^{_MODIFIERS}func[ \t]+(?P<name>[a-z]\w*)", re.M)
_VALUE = re.compile(rf"^{_MODIFIERS}(?:let|var)[ \t]+(?P<name>[a-z]\w*)", re.M)
_INNER = re.compile(r"^[ \t]+[^\n]*?\b(?:struct|class|enum|protocol|actor|typealias|associatedtype)[ \t]+(?P<name>[A-Z]\w*)", re.M)
_INNER_NAME = re.compile(r"^[ \t]+[^\n]*?\b(?:func|let|var)[ \t]+(?P<name>[a-z]\w*)", re.M)
_IMPORT = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)\n]*\))?[ \t]+|(?:public|package|internal|fileprivate|private)[ \t]+)*"
    r"import[ \t]+(?:(?:struct|class|enum|protocol|typealias|func|let|var)[ \t]+)?(?P<name>\w+)", re.M)
_WORD = re.compile(r"(?<![\w.])(?P<name>[A-Za-z]\w*)")
_QUOTE = re.compile(r'(#*)("""|")')
_ROW = re.compile(r"^//(?P<space> {3,})(?P<words>\S.*)$")


def code_of(text: str) -> str:
    """The text without comments and without what is in strings, except for what is interpolated. Each line stays in its place."""
    out, modes, at = [], [None], 0
    # A mode is either how a string ends, or how many parentheses are open in code. (None: in no interpolation.)
    while at < len(text):
        mode = modes[-1]
        if isinstance(mode, tuple):
            quote, hashes = mode
            if text.startswith("\\" + hashes, at):
                at += 1 + len(hashes)
                if text.startswith("(", at):
                    modes.append(0)
                    out.append(" ")
                at += 1
            elif text.startswith(quote + hashes, at):
                modes.pop()
                at += len(quote + hashes)
            else:
                if text[at] == "\n":
                    out.append("\n")
                    if quote == '"':
                        modes.pop()  # This is no string after all.
                at += 1
            continue
        if text.startswith("//", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif text.startswith("/*", at):
            depth, at = 1, at + 2
            while depth and at < len(text):
                if text.startswith("/*", at):
                    depth, at = depth + 1, at + 2
                elif text.startswith("*/", at):
                    depth, at = depth - 1, at + 2
                else:
                    out.append("\n" if text[at] == "\n" else "")
                    at += 1
        elif opening := _QUOTE.match(text, at):
            modes.append((opening[2], opening[1]))
            out.append('""')
            at = opening.end()
        else:
            if mode is not None and text[at] == "(":
                modes[-1] += 1
            if mode is not None and text[at] == ")":
                if mode == 0:
                    modes.pop()
                    out.append(" ")
                    at += 1
                    continue
                modes[-1] -= 1
            out.append(text[at])
            at += 1
    return "".join(out)


@dataclasses.dataclass(frozen=True)
class Use:
    """A file of one folder uses what another folder defines."""

    user: str
    home: str
    name: str
    place: str

    def __str__(self) -> str:
        return f"{self.user} uses {self.name} of {self.home} in {self.place}"


@dataclasses.dataclass
class File:
    path: pathlib.Path
    folder: str
    code: str


def files_of(target: pathlib.Path) -> list[File]:
    files = []
    for path in sorted(target.rglob("*.swift")):
        inside = path.relative_to(target)
        folder = inside.parts[0] if len(inside.parts) > 1 else ROOT
        files.append(File(inside, folder, code_of(path.read_text(encoding="utf-8", errors="replace"))))
    return files


def uses_of(files: list[File]) -> list[Use]:
    """Every name that a folder uses of another, once for each file: at its first place."""
    homes: dict[str, str] = {}
    own: dict[pathlib.Path, set[str]] = collections.defaultdict(set)
    functions: set[str] = set()
    values: set[str] = set()
    for file in files:
        for pattern, kind in ((_TYPE, None), (_FUNCTION, functions), (_VALUE, values)):
            for found in pattern.finditer(file.code):
                if "private" in found["access"]:
                    own[file.path].add(found["name"])
                    continue
                homes[found["name"]] = file.folder
                if kind is not None:
                    kind.add(found["name"])
        # What has this name further inside the file is meant there.
        for pattern in (_INNER, _INNER_NAME):
            own[file.path].update(found["name"] for found in pattern.finditer(file.code))
    uses = []
    for file in files:
        seen = set()
        for found in _WORD.finditer(file.code):
            name = found["name"]
            if name in seen or name in own[file.path] or homes.get(name, file.folder) == file.folder:
                continue
            following = file.code[found.end():found.end() + 1]
            if (name in functions and following not in ("(", "<")) or (name in values and following == ":"):
                continue
            seen.add(name)
            line = file.code.count("\n", 0, found.start()) + 1
            uses.append(Use(file.folder, homes[name], name, f"{file.path}:{line}"))
    return uses


def circles_of(uses: list[Use]) -> list[list[str]]:
    """The sets of folders that all reach each other, the largest first."""
    arrows: dict[str, set[str]] = collections.defaultdict(set)
    for use in uses:
        arrows[use.user].add(use.home)

    def reached(start: str) -> set[str]:
        found, waiting = set(), [start]
        while waiting:
            for folder in arrows.get(waiting.pop(), ()):
                if folder not in found:
                    found.add(folder)
                    waiting.append(folder)
        return found

    reach = {folder: reached(folder) for folder in list(arrows)}
    circles = {frozenset(other for other in reach if other in reach[folder] and folder in reach[other]) for folder in reach if folder in reach[folder]}
    return sorted((sorted(circle) for circle in circles), key=lambda circle: (-len(circle), circle))


def described(circle: list[str], uses: list[Use], most: int | None) -> list[str]:
    """Who uses what inside a circle, at most so many names for each pair of folders."""
    pairs = collections.defaultdict(list)
    for use in uses:
        if use.user in circle and use.home in circle:
            pairs[use.user, use.home].append(use)
    lines = []
    for pair in sorted(pairs, key=lambda pair: (len(pairs[pair]), pair)):
        shown = pairs[pair][:most]
        lines += [f"    {use}" for use in shown]
        if len(shown) < len(pairs[pair]):
            lines.append(f"        … and {len(pairs[pair]) - len(shown)} more uses of {pair[1]} in {pair[0]}")
    return lines


def rows_of(manifest: str) -> list[list[str]]:
    """The targets of each row of the manifest's heading, the highest row first. A row without a layer's name belongs to the layer above."""
    rows: list[list[str]] = []
    for line in manifest.splitlines():
        row = _ROW.match(line)
        if row:
            words = row["words"].split()
            targets = words[1:] if len(row["space"]) == 3 else words
            rows.append([word.rsplit("/", 1)[-1] for word in targets])
        elif rows:
            break
    return rows


def targets_of(package: pathlib.Path) -> dict[str, pathlib.Path]:
    """The folders Sources/LAYER/TARGET."""
    # The page is no target: its rooms are folders of TypeScript, and deploy/page checks them.
    floors = (path for path in sorted((package / "Sources").glob("*/*")) if path.parent.name != "page")
    return {path.name: path for path in floors if path.is_dir()}


def judge_folders(name: str, files: list[File], excused: dict[str, int]) -> tuple[list[str], list[str]]:
    """What is wrong with the folders of a target, and what is worth a remark."""
    uses = uses_of(files)
    circles = circles_of(uses)
    largest = max(map(len, circles), default=0)
    if name in excused:
        allowed = excused[name]
        if largest <= allowed:
            hint = "" if largest == allowed else f", and {allowed} were allowed: write {largest} into EXCUSED" if largest else ": take it out of EXCUSED"
            return [], [f"{name}: {largest} folders in its largest circle{hint}"]
        wrong = [f"{name}: its largest circle grew from {allowed} folders to {largest}"]
    else:
        wrong = []
    for circle in circles:
        wrong.append(f"{name}: {', '.join(circle)} form a circle")
        wrong += described(circle, uses, most=3)
    return wrong, []


def judge_layers(rows: list[list[str]], imports: dict[str, dict[str, str]]) -> list[str]:
    """What is wrong with the imports: of each target, what it imports and in which file."""
    level = {target: height for height, row in enumerate(reversed(rows)) for target in row}
    modules = {target.replace("-", "_"): target for target in imports}
    wrong = [f"{target} is in no row of Package.swift's heading" for target in imports if target not in level]
    wrong += [f"{target} is in Package.swift's heading, and not in Sources" for target in level if target not in imports]
    importers = collections.defaultdict(list)
    for target, found in imports.items():
        for module, place in found.items():
            other = modules.get(module)
            if other is None:
                continue
            importers[other].append(target)
            if target in level and other in level and level[other] >= level[target] and other != target:
                where = "the same row" if level[other] == level[target] else "a higher row"
                wrong.append(f"{target} imports {other} of {where} in {place}")
    for target in rows[-1] if rows else []:
        if len(importers[target]) != 1:
            wrong.append(f"{target}, of the lowest row, is imported by {', '.join(importers[target]) or 'nothing'}, and should be by one target")
    return wrong


def judge_support(package: pathlib.Path) -> list[str]:
    """The targets in Tests that are no tests, and import what only tests can."""
    return [
        f"{folder.name}: {path.name} imports Testing, which is not there when this is built for release: throw a TestFailure instead"
        for folder in sorted((package / "Tests").glob("**/*Support")) if folder.is_dir()
        for path in sorted(folder.rglob("*.swift"))
        if any(found["name"] == "Testing" for found in _IMPORT.finditer(code_of(path.read_text(encoding="utf-8"))))
    ]


def judge(package: pathlib.Path, excused: dict[str, int]) -> tuple[list[str], list[str]]:
    """All that is wrong with a package, and what is worth a remark."""
    wrong, remarks = [], []
    targets = targets_of(package)
    rows = rows_of((package / "Package.swift").read_text(encoding="utf-8"))
    if not rows or not targets:
        return [f"{package}: no layers in Package.swift's heading, or no targets in Sources"], []
    imports: dict[str, dict[str, str]] = {}
    for name, folder in targets.items():
        files = files_of(folder)
        imports[name] = {}
        for file in files:
            for found in _IMPORT.finditer(file.code):
                imports[name].setdefault(found["name"], f"{file.path}:{file.code.count(chr(10), 0, found.start('name')) + 1}")
        its_wrong, its_remarks = judge_folders(name, files, excused)
        wrong += its_wrong
        remarks += its_remarks
    wrong += [f"{name} is in EXCUSED, and not in Sources" for name in excused if name not in targets]
    return wrong + judge_layers(rows, imports) + judge_support(package), remarks


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--package", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2], help="the folder of Package.swift")
    parser.add_argument("--uses", metavar="TARGET", help="print who uses what in the circles of this target")
    words = parser.parse_args()
    if words.uses:
        folder = targets_of(words.package).get(words.uses)
        if folder is None:
            parser.error(f"there is no target {words.uses} in Sources")
        uses = uses_of(files_of(folder))
        for circle in circles_of(uses):
            print(f"{words.uses}: {', '.join(circle)} form a circle", *described(circle, uses, most=None), sep="\n")
        return 0
    wrong, remarks = judge(words.package, EXCUSED)
    print(*remarks, *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
