"""Compares a QR code that the page has drawn with what libqrencode, which the service draws with, makes of the same text."""

import ctypes
import re

MASKS = [
    lambda x, y: (x + y) % 2 == 0, lambda x, y: y % 2 == 0, lambda x, y: x % 3 == 0, lambda x, y: (x + y) % 3 == 0,
    lambda x, y: (x // 3 + y // 2) % 2 == 0, lambda x, y: x * y % 2 + x * y % 3 == 0, lambda x, y: (x * y % 2 + x * y % 3) % 2 == 0,
    lambda x, y: ((x + y) % 2 + x * y % 3) % 2 == 0,
]
#: Where a code says which correction and mask it has, from the lowest bit on; and what its modules are for (qrencode.h, QRcode).
FORMAT = [(8, 0), (8, 1), (8, 2), (8, 3), (8, 4), (8, 5), (8, 7), (8, 8), (7, 8), (5, 8), (4, 8), (3, 8), (2, 8), (1, 8), (0, 8)]
IS_FORMAT, IS_FUNCTION = 4, 128
MARGIN = 4


class Code(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("width", ctypes.c_int), ("data", ctypes.POINTER(ctypes.c_ubyte))]


def modules(path):
    """Of the path that the page draws: the dark ones."""
    return {(int(x) - MARGIN, int(y) - MARGIN) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", path)}


def format_of(dark):
    said = (sum(((x, y) in dark) << bit for bit, (x, y) in enumerate(FORMAT)) ^ 0x5412) >> 10
    return said >> 3, said & 7


def differences(dark, text):
    """How many modules differ. Which mask is the best is a matter of taste: each is taken away first."""
    library = ctypes.CDLL("libqrencode.so.4")
    library.QRcode_encodeData.restype = ctypes.POINTER(Code)
    data = text.encode()
    code = library.QRcode_encodeData(len(data), data, 0, 0).contents
    theirs = {(at % code.width, at // code.width): code.data[at] for at in range(code.width ** 2)}
    correction, mask = format_of(dark)
    their_correction, their_mask = format_of({place for place, module in theirs.items() if module & 1})
    assert correction == their_correction, (correction, their_correction)
    assert max(x for x, _ in dark) == code.width - 1, f"it has not {code.width} modules a side"
    count = 0
    for (x, y), module in theirs.items():
        if module & IS_FORMAT:
            continue
        mine, other = (x, y) in dark, bool(module & 1)
        if not module & IS_FUNCTION:
            mine, other = mine != MASKS[mask](x, y), other != MASKS[their_mask](x, y)
        count += mine != other
    return count
