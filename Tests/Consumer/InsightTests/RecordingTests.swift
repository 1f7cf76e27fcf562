import Daemon
import DaysSupport
import Files
import Fitness
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Insight

@Suite("Statistics of a recording")
struct RecordingTests {
    /// What a row of a recording says.
    private struct Row {
        let time: Int64
        let elapsed: Int
        let heartRate: UInt16?
        let steps: UInt32?
        let temperature: Int64?
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    private static func path(_ name: String) -> String {
        "\(projectFolder)/deploy/activities/\(name).csv"
    }

    private static func rows(_ name: String) throws -> [Row] {
        let lines = try String(contentsOfFile: path(name), encoding: .utf8).split(separator: "\n")
        let names = lines[0].split(separator: ",")
        return try lines.dropFirst().map { line in
            let fields = Dictionary(
                uniqueKeysWithValues: zip(names, line.split(separator: ",", omittingEmptySubsequences: false)))
            guard let timestamp = fields["timestamp"], let elapsed = Int(fields["elapsed_s"] ?? "") else {
                throw TestFailure("\(line)")
            }
            let time = try Date(String(timestamp), strategy: .iso8601).timeIntervalSince1970
            return Row(
                time: Int64(time) * 1000, elapsed: elapsed, heartRate: fields["heart_rate_bpm"].flatMap { UInt16($0) },
                steps: fields["steps"].flatMap { UInt32($0) },
                temperature: fields["temperature_c"].flatMap { Int64($0) }.map { $0 * 1000 })
        }
    }

    /// What a gateway makes of the rows: steps only now and then, for they are read by request.
    private static func readings(_ rows: [Row], stepsEvery seconds: Int) throws -> [Reading] {
        var readings: [Reading] = []
        var last: Int?
        for (index, row) in rows.enumerated() {
            let moment = Moment(wall: row.time, monotonic: UInt64(row.elapsed) * 1000)
            if let rate = row.heartRate {
                readings.append(Reading(at: moment, .heartRate(HeartRateMeasurement(beatsPerMinute: rate))))
            }
            if let temperature = row.temperature {
                readings.append(Reading(at: moment, .temperature(try Temperature(thousandths: temperature))))
            }
            if let steps = row.steps, row.elapsed / seconds != last || index == rows.count - 1 {
                readings.append(Reading(at: moment, .steps(StepCount(steps))))
            }
            last = row.elapsed / seconds
        }
        return readings
    }

    /// In Tokyo and in Kolkata it was midnight on the way.
    @Test(
        "are what Python computes from the file alone, to the unit",
        arguments: [
            ("run-9km", "Europe/Oslo", "male", "1985-03-01"), ("run-9km", "Asia/Tokyo", "female", "1984-08-16"),
            ("ride-41km", "America/St_Johns", "female", "1968-08-16"),
            ("ride-41km", "Asia/Kolkata", "male", "1968-08-17"),
            ("run-9km", "Pacific/Kiritimati", "other", "1999-12-31"),
        ])
    func python(name: String, zone: String, gender: String, birth: String) throws {
        let household = try Household()
        var days: Days?
        var parts = try household.open(now: 0) { store, keys in
            let made = Days(store, keys, Histories(store, keys, zone: "UTC"))
            days = made
            return [made, HeartRateMinutes(store, keys)]
        }
        let user = try ID("demo")
        let json: JSON = [
            "name": "Somebody", "date_of_birth": .string(birth), "gender": .string(gender), "weight_kg": 71,
            "height_cm": 178, "time_zone": .string(zone),
        ]
        guard let profile = Profile(kept: json) else { throw TestFailure("no profile") }
        try parts.store.change(user) { () throws(VaultError) in
            try days?.take(profile, of: user, now: 0)
            try Documents(store: parts.store, keys: parts.keys).write(profile.json, "profile", of: user)
        }
        let session = try parts.session(household)
        let readings = try Self.readings(Self.rows(name), stepsEvery: 300)
        var blocks = try session.blocks(readings)
        _ = try parts.take(session.keyBlock)
        // In any order, and some twice.
        blocks.shuffle()
        for batch in [blocks.prefix(20), blocks.dropFirst(10)] { _ = try parts.take(all: Array(batch)) }

        let script = Self.folder.appending(path: "recording.py").path
        let lines = try RunningProgram.runPython([script, Self.path(name), zone, gender, birth, "178", "71", "300"])
        let expected = try lines.split(separator: "\n").map { try JSON(payload: Array($0.utf8)) }
        #expect(expected.count == (["Asia/Tokyo", "Asia/Kolkata"].contains(zone) ? 2 : 1))
        let statistics = try Statistics(of: user, parts.store, parts.keys, zone: "UTC", now: start)
        for day in expected {
            guard case .string(let text)? = day["day"], let date = CalendarDay(text) else {
                throw TestFailure("\(day)")
            }
            let told = try JSON(payload: statistics.answer(.day(date)).bytes)
            #expect(told == day)
            // The days before and after have nothing but their goals.
            for other in [-2, 2] {
                let empty = try JSON(payload: statistics.answer(.day(date.advanced(by: other))).bytes)
                #expect(empty["steps"] == nil && empty["heart_rate"] == nil && empty["goals"] != nil)
            }
        }
    }
}
