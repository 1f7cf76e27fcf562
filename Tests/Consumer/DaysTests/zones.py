"""Prints what Python's zoneinfo makes of the system's time zones: one line for each zone and moment, `zone time offset`. The moments are those
around each change of some years, and every forty million seconds from 1970 on."""

import zoneinfo
from datetime import datetime, timezone

DAY = 86_400
YEARS = [1972, 1998, 2005, 2024, 2026, 2036, 2050]


def offset(zone, time):
    return int(datetime.fromtimestamp(time, zone).utcoffset().total_seconds())


def changes(zone):
    """The first second after each change of those years."""
    for year in YEARS:
        first = int(datetime(year, 1, 1, tzinfo=timezone.utc).timestamp())
        for low in range(first, first + 366 * DAY, DAY):
            high, before = low + DAY, offset(zone, low)
            if offset(zone, high) == before:
                continue
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(zone, middle) == before else (low, middle)
            yield high


for name in sorted(zoneinfo.available_timezones() - {"localtime"}):
    zone = zoneinfo.ZoneInfo(name)
    times = set(range(0, 4_000_000_000, 40_000_000))
    for time in changes(zone):
        times |= {time - 1, time, time + 1}
    for time in sorted(times):
        print(name, time, offset(zone, time))
