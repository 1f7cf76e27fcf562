"""Prints what other programs' readers see in files that we wrote: one line of JSON for each.

    read.py FILE…

FIT by Garmin's own SDK and by fitdecode, GPX by gpxpy, TCX by tcxreader."""

import json
import sys


def by_garmin(path):
    from garmin_fit_sdk import Decoder, Stream
    asked = Decoder(Stream.from_file(path))
    sound = asked.is_fit() and asked.check_integrity()
    # A decoder that was asked does not read from the beginning.
    messages, errors = Decoder(Stream.from_file(path)).read()
    if errors:
        raise errors[0]
    session, records = messages["session_mesgs"][0], messages.get("record_mesgs", [])
    return {
        "sound": sound, "type": messages["file_id_mesgs"][0]["type"],
        "sport": session["sport"], "start": session["start_time"].timestamp(), "distance": session.get("total_distance"),
        "energy": session.get("total_calories"), "timer": session.get("total_timer_time"), "strides": session.get("total_cycles") or session.get("total_strides"),
        "laps": len(messages["lap_mesgs"]), "records": len(records), "sessions": messages["activity_mesgs"][0]["num_sessions"],
        "heart_rates": sum(record.get("heart_rate", 0) for record in records),
        "north": sum(record.get("position_lat", 0) for record in records) * 180 / 2**31,
        "altitude": sum(record.get("enhanced_altitude", 0) for record in records),
        "stops": sum(event["event_type"] == "stop_all" for event in messages["event_mesgs"]),
        "steps": [list(record["developer_fields"].values())[-1] for record in records if "developer_fields" in record][-1:],
    }


def by_fitdecode(path):
    import fitdecode
    records, heart_rates, sport = 0, 0, None
    with fitdecode.FitReader(path, check_crc=fitdecode.CrcCheck.RAISE) as reader:
        for frame in reader:
            if isinstance(frame, fitdecode.FitDataMessage):
                if frame.name == "record":
                    records += 1
                    heart_rates += (frame.has_field("heart_rate") and frame.get_value("heart_rate")) or 0
                elif frame.name == "session":
                    sport = frame.get_value("sport")
    return {"records": records, "heart_rates": heart_rates, "sport": sport}


def by_gpxpy(path):
    import gpxpy
    with open(path, encoding="utf-8") as file:
        track = gpxpy.parse(file).tracks[0]
    points = [point for segment in track.segments for point in segment.points]
    rates = [int(found.text) for point in points for found in point.extensions[0].iter("{*}hr")] if points[0].extensions else []
    return {"records": len(points), "segments": len(track.segments), "type": track.type, "name": track.name,
            "start": points[0].time.timestamp(), "heart_rates": sum(rates), "north": sum(point.latitude for point in points)}


def by_tcxreader(path):
    from tcxreader.tcxreader import TCXReader
    read = TCXReader().read(path)
    points = read.trackpoints
    return {"records": len(points), "laps": len(read.laps), "sport": read.activity_type, "distance": read.distance,
            "energy": read.calories, "heart_rates": sum(point.hr_value or 0 for point in points)}


for path in sys.argv[1:]:
    readers = {"fit": [by_garmin, by_fitdecode], "gpx": [by_gpxpy], "tcx": [by_tcxreader]}[path.rsplit(".", 1)[-1]]
    for reader in readers:
        print(json.dumps(reader(path)))
