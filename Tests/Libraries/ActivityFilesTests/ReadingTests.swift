import Fitness
import TestSupport
import Testing

@testable import ActivityFiles

/// What is easily read wrongly.
@Suite("Readings of files", .timeLimit(.minutes(60)))
struct ReadingTests {
    private typealias Field = FITEncoder.Field
    private static let start: Int64 = 1_714_550_400_000

    @Test("A developer's times are in seconds, and those of the profile in milliseconds")
    func developersTimes() throws {
        for isDeveloper in [true, false] {
            var encoder = FITEncoder()
            func describe(_ number: Int64, _ type: FITBaseType, native: Int64) {
                encoder.message(
                    0, FITMessageNumber.fieldDescription,
                    [
                        (Field(0, .uint8), .integer(0)), (Field(1, .uint8), .integer(number)),
                        (Field(2, .uint8), .integer(Int64(type.rawValue))), (Field(3, .string), .text("x")),
                        (Field(14, .uint16), .integer(18)), (Field(15, .uint8), .integer(native)),
                    ])
            }
            describe(0, .uint16, native: 7)
            describe(1, .float32, native: 8)
            let own = [Field(7, .uint32), Field(8, .uint32)]
            let developers = [Field(0, .uint16, developer: 0), Field(1, .float32, developer: 0)]
            let times = [Field(253, .uint32), Field(2, .uint32)]
            encoder.define(1, FITMessageNumber.session, times + (isDeveloper ? developers : own))
            encoder.begin(1)
            encoder.append(UInt32(FITTests.second + 90))
            encoder.append(UInt32(FITTests.second))
            if isDeveloper {
                encoder.append(UInt16(80))
                encoder.append(Float(60.5).bitPattern)
            } else {
                encoder.append(UInt32(80_000))
                encoder.append(UInt32(60_500))
            }
            let recording = try #require(try FITFile.read(encoder.finished()).activities.first)
            #expect(recording.end == recording.start + 80_000)
            #expect(recording.totals.durationMilliseconds == 60_500)
        }
    }

    @Test("A training without points begins with its first lap, whatever the time in its name is")
    func startOfLaps() throws {
        let document = """
            <TrainingCenterDatabase><Activities><Activity><Id>2024-05-01T06:00:00Z</Id>
            <Lap StartTime="2024-05-01T08:00:00Z"><TotalTimeSeconds>60</TotalTimeSeconds></Lap>
            </Activity></Activities></TrainingCenterDatabase>
            """
        let recording = try #require(try TCXFile.read(Array(document.utf8)).activities.first)
        #expect(recording.start == Self.start && recording.end == Self.start + 60_000)
    }

    @Test("A cadence that the schemas cannot hold is left out", arguments: Format.allCases)
    func cadence(format: Format) throws {
        let cadences = [254.4, 255, 400, -1, 88]
        let samples = cadences.enumerated().map { index, cadence in
            let time = Self.start + Int64(index) * 1000
            return Sample(time: time, place: Place(latitude: 1, longitude: 2), cadence: cadence)
        }
        let recording = Recording(sport: .running, start: Self.start, end: Self.start + 4000, samples: samples)
        let read = try format.read(try format.write(recording)).activities.first?.samples.map(\.cadence)
        let first = format == .fit ? (254.4 * 128).rounded() / 128 : 254
        #expect(read == [first, nil, nil, nil, 88])
    }

    @Test("Of two routes of a workout that overlap in time, the first counts")
    func overlappingRoutes() throws {
        func route(_ seconds: ClosedRange<Int>) throws -> [UInt8] {
            let samples = seconds.map { second in
                let place = Place(latitude: 1 + Double(second) / 1e4, longitude: 2)
                return Sample(time: Self.start + Int64(second) * 1000, place: place)
            }
            return try GPXFile.write(
                Recording(sport: .running, start: samples[0].time, end: samples[0].time, samples: samples))
        }
        let folder = try TemporaryFolder()
        for (name, seconds) in [("a", 0...20), ("b", 10...30), ("c", 20...40), ("d", 60...80)] {
            try folder.write(String(decoding: try route(seconds), as: UTF8.self), to: "workout-routes-\(name)")
        }
        let references = ["a", "b", "c", "d"].map { "<FileReference path=\"/workout-routes-\($0)\"/>" }.joined()
        try folder.write(
            """
            <HealthData><Workout workoutActivityType="HKWorkoutActivityTypeRunning" \
            startDate="2024-05-01 10:00:00 +0200">\(references)</Workout></HealthData>
            """, to: "export.xml")
        var workouts: [Recordings] = []
        _ = try Takeout.read(folder.path) { item in
            if item.format == "Apple Health", let recordings = try? item.result.get() { workouts.append(recordings) }
            return true
        }
        let workout = try #require(workouts.first)
        #expect(workout.activities.first?.samples.count == 21 + 21 + 21)
        #expect(workout.omissions == ["1 routes that overlap another one in time"])
    }
}
