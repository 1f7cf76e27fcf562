#!/usr/bin/env python3
"""Looks at a picture as other programs would.

    look.py svg FILE             parses the SVG, and prints a line of JSON for each element: its name, attributes and text
    look.py png FILE [X,Y ...]   decodes the PNG (ISO/IEC 15948) and prints its chunks and size, then each pixel as six hex digits
    look.py count FILE RRGGBB    prints how many pixels have exactly this colour, and the rectangle that they lie in
"""
import json
import struct
import sys
import xml.etree.ElementTree
import zlib
from pathlib import Path


def svg(path):
    root = xml.etree.ElementTree.fromstring(Path(path).read_bytes())
    for element in root.iter():
        name = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
        # A text has its parts in it.
        text = "".join(element.itertext()) if name in ("text", "title") else ""
        print(json.dumps({"name": name, "text": text, "attributes": dict(element.attrib)}))


def pixels(path):
    """Chunks, width, height, and rows of RGB."""
    data = Path(path).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, chunks, packed, header = 8, [], b"", None
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(name + content), "wrong checksum"
        chunks.append(name.decode())
        if name == b"IHDR":
            header = struct.unpack(">IIBBBBB", content)
        if name == b"IDAT":
            packed += content
        at += 12 + length
    width, height, depth, kind, _, _, interlaced = header
    assert (depth, kind, interlaced) == (8, 2, 0), "not three bytes for each pixel"
    raw, rows, stride = zlib.decompress(packed), [], 3 * width
    before = bytes(stride)
    for y in range(height):
        start = y * (stride + 1)
        row = unfiltered(raw[start], bytearray(raw[start + 1:start + 1 + stride]), before)
        rows.append(row)
        before = row
    return chunks, width, height, rows


def unfiltered(kind, row, before):
    for index in range(len(row)):
        left = row[index - 3] if index >= 3 else 0
        up = before[index]
        corner = before[index - 3] if index >= 3 else 0
        if kind == 1:
            row[index] = (row[index] + left) & 255
        elif kind == 2:
            row[index] = (row[index] + up) & 255
        elif kind == 3:
            row[index] = (row[index] + (left + up) // 2) & 255
        elif kind == 4:
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
            row[index] = (row[index] + nearest[2]) & 255
        elif kind != 0:
            raise ValueError("no filter")
    return row


def png(path, places):
    chunks, width, height, rows = pixels(path)
    names = [name for index, name in enumerate(chunks) if index == 0 or chunks[index - 1] != name]
    print(" ".join(names), width, height)
    for place in places:
        x, y = map(int, place.split(","))
        print(rows[y][3 * x:3 * x + 3].hex())


def count(path, colour):
    wanted = bytes.fromhex(colour)
    found = []
    for y, row in enumerate(pixels(path)[3]):
        at = row.find(wanted)
        while at >= 0:
            if at % 3 == 0:
                found.append((at // 3, y))
            at = row.find(wanted, at + 1)
    box = [min(p[0] for p in found), min(p[1] for p in found), max(p[0] for p in found), max(p[1] for p in found)] if found else []
    print(len(found), *box)


if __name__ == "__main__":
    what, path, *rest = sys.argv[1:]
    if what == "svg":
        svg(path)
    elif what == "png":
        png(path, rest)
    else:
        count(path, rest[0])
