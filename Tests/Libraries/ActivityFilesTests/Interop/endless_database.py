"""Writes SQLite files of some 80 KB that never end: pages of a tree, each of which leads 300 times to the next one.

    endless_database.py table|schema FILE
"""

import struct
import sys

PAGE, LEVELS, FAN = 4096, 15, 300
SAMPLES = "CREATE TABLE X_ACTIVITY_SAMPLE(TIMESTAMP INT, DEVICE_ID INT, STEPS INT, HEART_RATE INT)"


def number(value):
    """A variable-length integer (https://www.sqlite.org/fileformat2.html, 1.6)."""
    parts = [value & 0x7F]
    while value := value >> 7:
        parts.append(0x80 | value & 0x7F)
    return bytes(reversed(parts))


def record(values):
    head, body = b"", b""
    for value in values:
        if value is None:
            head += b"\0"
        elif isinstance(value, int):
            head, body = head + b"\x06", body + struct.pack(">q", value)
        else:
            head, body = head + number(13 + 2 * len(value)), body + value.encode()
    return number(len(head) + 1) + head + body


def page(kind, cells, last, start):
    """A page of a table's tree: a leaf (13) or an interior page (5), whose header begins at `start`."""
    content, pointers, end = bytearray(PAGE), b"", PAGE
    for cell in cells:
        end -= len(cell)
        content[end : end + len(cell)] = cell
        pointers += struct.pack(">H", end)
    header = struct.pack(">BHHHB", kind, 0, len(cells), end, 0) + (b"" if last is None else struct.pack(">I", last))
    content[start : start + len(header) + len(pointers)] = header + pointers
    return content


def leaf(rows, start=0):
    return page(13, [number(len(row)) + number(key + 1) + row for key, row in enumerate(rows)], None, start)


def interior(children, start=0):
    return page(5, [struct.pack(">I", child) + number(key + 1) for key, child in enumerate(children[:-1])], children[-1], start)


def main(what, file):
    samples = record(["table", "X_ACTIVITY_SAMPLE", "X_ACTIVITY_SAMPLE", 2, SAMPLES])
    pages = {2: leaf([record([1700000000, 1, 10, 80])]), 3: leaf([record([1, "watch"])])}
    first = 6
    if what == "table":
        device = record(["table", "DEVICE", "DEVICE", first, "CREATE TABLE DEVICE(_id INT, NAME TEXT)"])
        pages[1], pages[4], pages[5], bottom = leaf([samples, device], 100), leaf([]), leaf([]), 3
    else:
        device = record(["table", "DEVICE", "DEVICE", 3, "CREATE TABLE DEVICE(_id INT, NAME TEXT UNIQUE)"])
        pages[4] = leaf([samples, device])
        pages[5], bottom = leaf([record(["index", "sqlite_autoindex_DEVICE_1", "DEVICE", 3, None])]), 5
        pages[1] = interior([4, first], 100)
    for level in range(LEVELS):
        pages[first + level] = interior([first + level + 1 if level + 1 < LEVELS else bottom] * FAN)
    pages[1][0:100] = (
        b"SQLite format 3\0" + struct.pack(">HBBBBBBIIIIIIIIIIII", PAGE, 1, 1, 0, 64, 32, 32, 1, max(pages), 0, 0, 1, 4, 0, 0, 1, 0, 0, 0)
        + bytes(20) + struct.pack(">II", 1, 3040000))
    with open(file, "wb") as database:
        database.write(b"".join(bytes(pages[key]) for key in range(1, max(pages) + 1)))


if __name__ == "__main__":
    main(*sys.argv[1:])
