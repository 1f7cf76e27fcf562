#!/usr/bin/env python3
"""Prints each time of a calendar's events between two days: read.py FILE FIRST LAST, as `TIME SUMMARY MINUTES`."""

import datetime
import pathlib
import sys

import icalendar
import recurring_ical_events

calendar = icalendar.Calendar.from_ical(pathlib.Path(sys.argv[1]).read_bytes())
first, last = map(datetime.date.fromisoformat, sys.argv[2:4])
for event in recurring_ical_events.of(calendar).between(first, last):
    alarms = [int(alarm["TRIGGER"].dt.total_seconds()) // 60 for alarm in event.walk("VALARM")]
    print(event["DTSTART"].dt.isoformat(), event["SUMMARY"], alarms[0] if alarms else "none")
