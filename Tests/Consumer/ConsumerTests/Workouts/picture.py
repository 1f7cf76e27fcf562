#!/usr/bin/env python3
"""Measures the picture of a recorded workout: where the way in it really was.

    picture.py PICTURE.svg PICTURE.png RECORDING.csv HIDDEN_METRES

It knows the recording, so it can do what nobody else can: fit the northern, southern and western end of the drawn way to those of the
recorded one, which are far from start and end, and turn each drawn place into metres again. What is hidden is a circle around a place
that is up to half of HIDDEN_METRES from the start or the end, so all that is farther off than twice as much is shown. It prints JSON:

    places, pieces     how many places are drawn, in how many pieces
    farthest           how far, in metres, a drawn place is from the recorded way at most
    missed             how far a recorded place that has to be shown is from the drawn way at most
    nearest            how near the drawn way, with its lines, comes to the recorded start or end
    way, hidden        how many pixels have the way's colour, and how many of them are within HIDDEN_METRES of start or end
    decimals           the most decimals that any number has
    texts              every text
"""
import json
import math
import re
import sys
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "Libraries" / "PicturesTests"))
import look  # noqa: E402

COLOUR = "#d3202c"


def recorded(path):
    """Places in metres from the first, and whether they are hidden."""
    rows = [line.split(",") for line in Path(path).read_text().splitlines()[1:]]
    degrees = [(float(row[6]), float(row[7])) for row in rows if row[6] and row[7]]
    metre = 6_371_008.8 * math.pi / 180
    latitude, longitude = degrees[0]
    return [((b - longitude) * metre * math.cos(math.radians(latitude)), (a - latitude) * metre) for a, b in degrees]


def to_line(place, one, other):
    dx, dy = other[0] - one[0], other[1] - one[1]
    square = dx * dx + dy * dy
    share = max(0, min(1, ((place[0] - one[0]) * dx + (place[1] - one[1]) * dy) / square)) if square else 0
    return math.dist(place, (one[0] + share * dx, one[1] + share * dy))


def box(places):
    xs, ys = [p[0] for p in places], [p[1] for p in places]
    return min(xs), min(ys), max(xs), max(ys)


def main(svg, png, csv, hidden):
    hidden = float(hidden)
    way = recorded(csv)
    ends = (way[0], way[-1])
    open_places = [p for p in way if min(math.dist(p, end) for end in ends) > 2 * hidden]
    text = Path(svg).read_text()
    root = xml.etree.ElementTree.fromstring(text)
    tag = "{http://www.w3.org/2000/svg}"
    drawn = [e.get("d") for e in root.iter(tag + "path") if e.get("stroke") == COLOUR and e.get("fill") == "none"]
    pieces = [[tuple(map(float, pair.split())) for pair in re.split("[ML]", data)[1:]] for data in drawn]
    places = [place for piece in pieces for place in piece]
    west, south, _, north = box(way)
    for place in way:
        if place[0] == west or place[1] in (south, north):
            assert hidden == 0 or place in open_places, "an end of the recording may be hidden: hide less"
    left, top, _, bottom = box(places)
    scale = (bottom - top) / (north - south)

    def metres(place):
        return west + (place[0] - left) / scale, north - (place[1] - top) / scale

    real = [[metres(place) for place in piece] for piece in pieces]
    lines = [pair for piece in real for pair in (zip(piece, piece[1:]) if len(piece) > 1 else [(piece[0], piece[0])])]
    recorded_lines = list(zip(way, way[1:]))
    rows = look.pixels(png)[3]
    wanted = bytes.fromhex(COLOUR[1:])
    found = []
    for y, row in enumerate(rows):
        at = row.find(wanted)
        while at >= 0:
            if at % 3 == 0:
                found.append(metres((at // 3 + 0.5, y + 0.5)))
            at = row.find(wanted, at + 1)
    print(json.dumps({
        "places": len(places), "pieces": len(pieces),
        "farthest": max(min(to_line(p, *line) for line in recorded_lines) for piece in real for p in piece[::5]),
        "missed": max(min(to_line(p, *line) for line in lines) for p in open_places[::20]),
        "nearest": min(to_line(end, *line) for end in ends for line in lines),
        "way": len(found), "hidden": sum(min(math.dist(p, end) for end in ends) < hidden - 8 / scale for p in found),
        "decimals": max(len(number.partition(".")[2]) for number in re.findall(r"\d+\.\d+", text)),
        "texts": ["".join(e.itertext()) for e in root.iter(tag + "text")],
    }))


if __name__ == "__main__":
    main(*sys.argv[1:])
