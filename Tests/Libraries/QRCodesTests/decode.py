#!/usr/bin/env python3
"""Reads a QR code as a camera would see it (ZXing-C++), and prints its text.

    decode.py dark-on-light FILE    lines of half blocks for a terminal whose letters are dark; colours are left out
    decode.py light-on-dark FILE    the same where they are light
    decode.py svg FILE              the SVG that QRCodes draws: a white ground and one path of rectangles
"""
import re
import sys
import xml.etree.ElementTree
from pathlib import Path

try:
    import zxingcpp
except ImportError:
    sys.exit("this program needs the Python package zxing-cpp: pip install zxing-cpp")

SCALE = 4


def terminal(text, inverted):
    """Rows of modules, True for dark."""
    halves = {" ": (False, False), "▀": (True, False), "▄": (False, True), "█": (True, True)}
    rows = []
    for line in re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n"):
        cells = [halves[character] for character in line]
        rows += [[cell[half] != inverted for cell in cells] for half in (0, 1)]
    return rows


def svg(text):
    root = xml.etree.ElementTree.fromstring(text)
    left, top, width, height = map(int, root.get("viewBox").split())
    assert (left, top) == (0, 0), "it begins elsewhere"
    rows = [[None] * width for _ in range(height)]
    for path in root:
        dark = path.get("fill", "#000") == "#000"
        whole = path.get("d")
        found = re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-(\d+)z", whole)
        assert "".join("M{} {}h{}v{}h-{}z".format(*each) for each in found) == whole, "another kind of path"
        for x, y, across, down, back in (map(int, each) for each in found):
            assert across == back, "it is no rectangle"
            for row in rows[y:y + down]:
                row[x:x + across] = [dark] * across
    assert not any(module is None for row in rows for module in row), "a hole in the ground"
    return rows


def main(kind, path):
    text = Path(path).read_text(encoding="utf-8")
    rows = svg(text) if kind == "svg" else terminal(text, kind == "light-on-dark")
    # Decoders may read a picture whose colours are swapped, too. A camera's app may not.
    assert not any(rows[0]) and rows[4][4], "dark where it should be light"
    pixels = bytearray()
    for row in rows:
        pixels += b"".join(bytes([0 if dark else 255]) * SCALE for dark in row) * SCALE
    found = read(memoryview(bytes(pixels)).cast("B", (len(rows) * SCALE, len(rows[0]) * SCALE)))
    assert len(found) == 1, f"{len(found)} codes"
    return found[0].bytes.decode()


def read(picture):
    try:
        return zxingcpp.read_barcodes(picture)
    except TypeError:
        # Debian 12's version takes nothing but numpy's arrays.
        import numpy
        return zxingcpp.read_barcodes(numpy.array(picture))


if __name__ == "__main__":
    sys.stdout.write(main(*sys.argv[1:]))
