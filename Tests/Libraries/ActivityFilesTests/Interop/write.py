"""Writes a FIT file with fit-tool, which has nothing of ours or of Garmin's SDK: write.py FILE"""

import sys

from fit_tool.fit_file_builder import FitFileBuilder
from fit_tool.profile.messages.event_message import EventMessage
from fit_tool.profile.messages.file_id_message import FileIdMessage
from fit_tool.profile.messages.record_message import RecordMessage
from fit_tool.profile.messages.session_message import SessionMessage
from fit_tool.profile.profile_type import Event, EventType, FileType, Manufacturer, Sport

START = 1_700_000_000_000
builder = FitFileBuilder(auto_define=True, min_string_size=50)
file_id = FileIdMessage()
file_id.type = FileType.ACTIVITY
file_id.manufacturer = Manufacturer.GARMIN.value
file_id.product = 1551
file_id.serial_number = 0x12345678
file_id.time_created = START
builder.add(file_id)
for seconds, kind in ((0, EventType.START), (10, EventType.STOP_ALL), (30, EventType.START)):
    event = EventMessage()
    event.event = Event.TIMER
    event.event_type = kind
    event.timestamp = START + seconds * 1000
    builder.add(event)
for index in range(60):
    record = RecordMessage()
    record.timestamp = START + (index if index < 10 else index + 20) * 1000
    record.position_lat = 58.959 + index / 10_000
    record.position_long = 5.7288
    record.distance = index * 3.5
    record.altitude = 100.2
    record.speed = 3.5
    record.heart_rate = 100 + index
    record.cadence = 80
    record.power = 250
    record.temperature = -3
    builder.add(record)
session = SessionMessage()
session.timestamp = START + 80_000
session.start_time = START
session.total_elapsed_time = 80.0
session.total_timer_time = 60.0
session.total_distance = 210.0
session.total_calories = 12
session.sport = Sport.RUNNING
session.total_cycles = 40
builder.add(session)
builder.build().to_file(sys.argv[1])
