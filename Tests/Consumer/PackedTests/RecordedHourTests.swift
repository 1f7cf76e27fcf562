import Compression
import Foundation
import Telemetry
import TestSupport
import Testing

@testable import Packed

@Suite("Packed hours of recorded workouts") struct RecordedHourTests {
    /// What a block leaves in the ledger when it is packed, and a row of the database around it.
    private static let (digest, row) = (6, 100)

    @Test(
        "an hour with a heart rate and a position each second takes at most 12 KB", arguments: ["run-9km", "ride-41km"])
    func size(_ name: String) throws {
        let file = "\(projectFolder)/deploy/activities/\(name).csv"
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").dropFirst()
        var generator = SeededGenerator(seed: 12)
        var (hearts, places): ([Reading], [Reading]) = ([], [])
        for line in lines {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            let wall = 1_795_252_800_000 + (Int64(fields[1]) ?? 0) * 1000
            let moment = Moment(wall: wall, monotonic: UInt64(wall - 1_795_000_000_000))
            if let bpm = UInt16(fields[2]) {
                // A strap's notifications do not come to the millisecond.
                var jittered = moment
                jittered.wall += .random(in: -20...20, using: &generator)
                hearts.append(Reading(at: jittered, .heartRate(HeartRateMeasurement(beatsPerMinute: bpm))))
            }
            if let latitude = Double(fields[6]), let longitude = Double(fields[7]),
                let position = Position(
                    latitude: latitude, longitude: longitude, altitudeMetres: Double(fields[8]), accuracyMetres: 4,
                    source: .phone)
            {
                places.append(Reading(at: moment, .position(position)))
            }
        }
        var (bytes, readings) = (0, 0)
        for (kind, all) in [(Reading.Kind.heartRate, hearts), (.position, places)] {
            for hour in Dictionary(grouping: all, by: { $0.moment.wall / 3_600_000 }).values {
                var packed = PackedReadings()
                for (index, block) in stride(from: 0, to: hour.count, by: 64).enumerated() {
                    let part = Array(hour[block..<min(block + 64, hour.count)])
                    packed.add(
                        PackedReadings.Unit(UInt64(index + 1), first: part[0], part), kind, session: 1,
                        boot: BootID(high: 1, low: 2), isLoose: false)
                    bytes += Self.digest
                }
                bytes += try packed.bytes(Zstandard(level: 3)).count + Self.row
            }
            readings = max(readings, all.count)
        }
        let hourly = bytes * 3600 / readings
        #expect(hourly <= 12 * 1024, "\(hourly) bytes an hour")
    }
}
