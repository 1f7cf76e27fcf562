import Fitness
import TestSupport
import Testing

@testable import ActivityFiles

/// Files of FIT that nobody made by accident.
@Suite("Hostile FIT files", .serialized, .timeLimit(.minutes(60)))
struct HostileFITTests {
    private typealias Field = FITEncoder.Field

    private static var second: Int64 { FITTests.second }

    /// Describes a developer's field.
    private func describe(
        _ encoder: inout FITEncoder, _ number: Int64, _ type: FITBaseType, _ name: String, _ message: Int64?,
        _ field: Int64?
    ) {
        encoder.message(
            0, FITMessageNumber.fieldDescription,
            [
                (Field(0, .uint8), .integer(0)), (Field(1, .uint8), .integer(number)),
                (Field(2, .uint8), .integer(Int64(type.rawValue))), (Field(3, .string), .text(name)),
                (Field(14, .uint16), message.map { .integer($0) } ?? .none),
                (Field(15, .uint8), field.map { .integer($0) } ?? .none),
            ])
    }

    @Test(
        "A developer's number that is none, is infinite or very large is left out, wherever it stands",
        arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 9.3e18, 1e10, -1, 4_294_967_296])
    func floats(number: Double) throws {
        for type in [FITBaseType.float32, .float64] {
            func append(_ encoder: inout FITEncoder) {
                if type == .float32 {
                    encoder.append(Float(number).bitPattern)
                } else {
                    encoder.append(number.bitPattern)
                }
            }
            var encoder = FITEncoder()
            // Each field of a record, lap and session that we read; and steps and milliseconds by their names.
            let natives: [(Int64, [Int64])] = [
                (20, [0, 1, 3, 4, 5, 6, 7, 13, 53, 73]), (19, [7, 8, 9, 10, 11, 21, 82, 156]),
                (18, [5, 7, 8, 9, 10, 11, 22, 94, 199]),
            ]
            for (message, fields) in natives {
                var developers: [Field] = []
                for (index, native) in fields.enumerated() {
                    describe(&encoder, Int64(index), type, "x", message, native)
                    developers.append(Field(UInt8(index), type, developer: 0))
                }
                describe(&encoder, 100, type, FITOwn.steps, nil, nil)
                describe(&encoder, 101, type, FITOwn.milliseconds, nil, nil)
                developers += [Field(100, type, developer: 0), Field(101, type, developer: 0)]
                encoder.define(1, UInt16(message), [Field(253, .uint32), Field(2, .uint32)] + developers)
                encoder.begin(1)
                encoder.append(UInt32(Self.second))
                encoder.append(UInt32(Self.second))
                for _ in developers { append(&encoder) }
            }
            let activity = try #require(try FITFile.read(encoder.finished()).activities.first)
            var expected = Sample(time: FITTests.time * 1000)
            // Degrees Celsius may be below 0; and field 2 is an altitude in a record.
            if number == -1 { expected.temperature = -1 }
            expected.altitude = activity.samples.first?.altitude
            #expect(activity.samples == [expected], "\(type)")
            #expect(activity.totals == Totals(), "\(type)")
        }
    }

    @Test("Integers of every width in place of every field do not end the program")
    func widths() throws {
        let types: [FITBaseType] = [
            .sint8, .uint8, .sint16, .uint16, .sint32, .uint32, .uint8z, .uint16z, .uint32z, .byte, .sint64, .uint64,
            .uint64z, .string, .enumeration, .float32, .float64,
        ]
        let fields = (0...13).map { UInt8($0) } + [21, 22, 24, 26, 27, 53, 73, 78, 82, 94, 199, 253]
        for type in types {
            for byte in [UInt8(0x00), 0x01, 0x7E, 0x7F, 0x80, 0x81, 0xFE, 0xFF] {
                var encoder = FITEncoder()
                for number in [0, 12, 18, 19, 20, 21, 23, 26, 34, 55, 103, 132, 206, 207] as [UInt16] {
                    for count in [1, 3] {
                        encoder.define(0, number, fields.map { Field($0, type, size: type.size * count) })
                        for value in [byte, byte ^ 0xFF] {
                            encoder.begin(0)
                            for _ in 0..<fields.count * type.size * count { encoder.append(value) }
                        }
                    }
                }
                do throws(ActivityFileError) {
                    for activity in try FITFile.read(encoder.finished()).activities {
                        #expect(activity.end >= activity.start)
                    }
                } catch { #expect(error.reason == .empty) }
            }
        }
    }

    @Test("Definitions without messages or fields, and developers' fields without a description, are skipped")
    func definitions() throws {
        var encoder = FITEncoder()
        for local in 1..<16 { encoder.define(UInt8(local), 20, [Field(253, .uint32)]) }
        encoder.define(2, 20, [])
        encoder.begin(2)
        encoder.define(3, 20, [Field(253, .uint32), Field(0, .float64, size: 200, developer: 9)])
        encoder.begin(3)
        encoder.append(UInt32(Self.second))
        for _ in 0..<200 { encoder.append(UInt8(0xFF)) }
        // No whole number of values; no bytes; an unknown type; the same number twice.
        encoder.define(
            4, 20,
            [
                Field(253, .uint32), Field(3, .uint16, size: 3), Field(3, .uint8, size: 0), Field(4, .uint8),
                Field(4, .uint8),
            ])
        encoder.begin(4)
        encoder.append(UInt32(Self.second + 1))
        for byte in [1, 2, 3, 90, 91] as [UInt8] { encoder.append(byte) }
        let recordings = try FITFile.read(encoder.finished())
        #expect(recordings.damage == nil && recordings.omissions == ["1 records without a time"])
        #expect(
            recordings.activities.first?.samples == [
                Sample(time: FITTests.time * 1000), Sample(time: (FITTests.time + 1) * 1000, cadence: 90),
            ])
    }

    @Test("Times that go back, and those at the ends of 32 bits, give samples in order, of one activity")
    func times() throws {
        var encoder = FITEncoder()
        encoder.define(0, 20, [Field(253, .uint32), Field(3, .uint8)])
        let seconds: [UInt32] = [
            UInt32(Self.second) + 5, UInt32(Self.second), 0, 0x0FFF_FFFF, 0x1000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF,
        ]
        for (index, second) in seconds.enumerated() {
            encoder.begin(0)
            encoder.append(second)
            encoder.append(UInt8(100 + index))
        }
        // Five bits of a time after the last one, which go round beyond 32 bits.
        encoder.define(1, 20, [Field(3, .uint8)])
        var messages = Array(encoder.finished().dropFirst(14).dropLast(2))
        for index in 0..<8 { messages += [0x80 | 1 << 5 | UInt8(index * 9 & 0x1F), 120] }
        let recordings = try FITFile.read(FITTests.file(messages))
        let samples = try #require(recordings.activities.first).samples
        #expect(samples.map(\.time) == samples.map(\.time).sorted())
        #expect(samples.map(\.heartRate) == [101, 100])
        #expect(recordings.omissions.map { $0.drop { !$0.isLetter } } == ["records without a time", "records with a time outside of the activity"])
    }

    /// An activity with records at these seconds, and a session that says something of it.
    private func activity(
        at seconds: [Int64], session: (start: Int64, elapsed: Int64, timer: Int64, written: Int64)?, hasFileID: Bool = true
    ) -> [UInt8] {
        var encoder = FITEncoder()
        if hasFileID { encoder.message(0, 0, [(Field(0, .enumeration), .integer(4))]) }
        encoder.define(1, 20, [Field(253, .uint32)])
        for second in seconds {
            encoder.begin(1)
            encoder.append(UInt32(Self.second + second))
        }
        if let session {
            encoder.message(
                0, 18,
                [
                    (Field(253, .uint32), .integer(Self.second + session.written)),
                    (Field(2, .uint32), .integer(Self.second + session.start)),
                    (Field(7, .uint32), .integer(session.elapsed * 1000)), (Field(8, .uint32), .integer(session.timer * 1000)),
                ])
        }
        return encoder.finished()
    }

    @Test("A session that leaves its pauses out, or has the wrong hour, loses none of its records")
    func wrongSessions() throws {
        let times = Array(stride(from: Int64(0), through: 1500, by: 10)) + Array(stride(from: Int64(2200), through: 3763, by: 10))
        let told = try FITFile.read(activity(at: times, session: (0, 3098, 3098, 3763)))
        let one = try #require(told.activities.first)
        #expect(one.samples.count == times.count && told.omissions.isEmpty)
        let begin = one.start
        #expect(one.end == begin + 3_760_000)
        #expect(one.pauses == [Pause(start: begin + 1_500_000, end: begin + 2_162_000)], "\(one.pauses)")
        let hour = try FITFile.read(activity(at: Array(0...600), session: (3600, 600, 600, 4200)))
        let other = try #require(hour.activities.first)
        #expect(other.samples.count == 601 && other.start == begin && other.end == begin + 600_000)
    }

    @Test("Of many gaps, 999 become pauses; and a chained file with records of its own, but without a head, is an activity")
    func gaps() throws {
        // Each third second, and then eight seconds nothing.
        let times = (0..<8000).map { Int64($0) * 3 + Int64($0 / 4) * 8 }
        let end = try #require(times.last)
        let many = try FITFile.read(activity(at: times, session: (0, end, 60, end)))
        let pauses = try #require(many.activities.first).pauses
        #expect(pauses.count == 999 && zip(pauses, pauses.dropFirst()).allSatisfy { $0.end <= $1.start })
        let day = Array(Int64(86_400)...87_000)
        let chain = try FITFile.read(
            activity(at: Array(0...600), session: (0, 600, 600, 600)) + activity(at: day, session: nil, hasFileID: false))
        #expect(chain.activities.map(\.samples.count) == [601, 601] && chain.omissions.isEmpty)
    }

    @Test("A chain of very many files has one line for each reason to leave them out")
    func chain() throws {
        let record: [UInt8] = [0x41, 0, 0, 20, 0, 1, 253, 4, 0x86, 1] + FITTests.little(Self.second, 4)
        let course = FITTests.file([0x40, 0, 0, 0, 0, 1, 0, 1, 0, 0, 6] + record)
        let types = (40..<90).map { FITTests.file([0x40, 0, 0, 0, 0, 1, 0, 1, 0, 0, UInt8($0)]) }
        var encoder = FITEncoder()
        encoder.message(0, 0, [(Field(0, .enumeration), .integer(4))])
        encoder.message(0, 20, [(Field(253, .uint32), .integer(Self.second))])
        let run = encoder.finished()
        let many = (0..<500).flatMap { _ in course } + types.flatMap { $0 } + (0..<50).flatMap { _ in run }
        var limits = Limits()
        limits.activities = 3
        let recordings = try FITFile.read(many, limits: limits)
        #expect(recordings.damage == nil && recordings.activities.count == 3)
        #expect(recordings.omissions.first == "a course, which is no recording")
        #expect(recordings.omissions.last == "47 activities after the first 3")
        #expect(recordings.omissions.count == 21)
    }

    @Test("Sessions of each file of a chain are limited, and each pause belongs to one of them")
    func sessions() throws {
        func file(_ count: Int) -> [UInt8] {
            var encoder = FITEncoder()
            encoder.message(0, 0, [(Field(0, .enumeration), .integer(4))])
            encoder.define(1, 21, [Field(253, .uint32), Field(0, .enumeration), Field(1, .enumeration)])
            for pause in 0..<50 {
                for (place, type) in [(0, 4), (1, 0)] {
                    encoder.begin(1)
                    encoder.append(UInt32(Self.second + Int64(pause * 2 + place)))
                    encoder.append(UInt8(0))
                    encoder.append(UInt8(type))
                }
            }
            // The laps come from the last to the first.
            for lap in (0..<10).reversed() {
                encoder.message(
                    0, 19,
                    [
                        (Field(253, .uint32), .integer(Self.second + 100)),
                        (Field(2, .uint32), .integer(Self.second + Int64(lap * 10))),
                    ])
            }
            for session in 0..<count {
                encoder.message(
                    0, 18,
                    [
                        (Field(253, .uint32), .integer(Self.second + 200)),
                        (Field(2, .uint32), .integer(Self.second + Int64(session / 2))),
                    ])
            }
            return encoder.finished()
        }
        let recordings = try FITFile.read(file(100) + file(100) + file(101))
        #expect(recordings.damage?.reason == .tooMuch && recordings.damage?.said == "more than 100 sessions")
        #expect(recordings.activities.count == 301)
        #expect(recordings.activities.prefix(100).reduce(0) { $0 + $1.pauses.count } == 50)
        #expect(recordings.activities.allSatisfy { $0.laps.map(\.start) == $0.laps.map(\.start).sorted() })
        let one = try #require(try FITFile.read(file(1)).activities.first)
        #expect(one.laps.map(\.start) == (0..<10).map { (FITTests.time + $0 * 10) * 1000 })
    }

    @Test("A place beyond the ends of the Earth is none")
    func places() throws {
        for (north, east) in [(0, 3_000_000_000), (1_100_000_000, 0), (-1_100_000_000, 0), (0, -4_000_000_000)] {
            var encoder = FITEncoder()
            encoder.message(
                0, 20,
                [
                    (Field(253, .uint32), .integer(Self.second)), (Field(0, .sint64), .integer(Int64(north))),
                    (Field(1, .sint64), .integer(Int64(east))),
                ])
            #expect(try FITFile.read(encoder.finished()).activities.first?.samples.first?.place == nil)
        }
    }

    @Test("A lap or a pause outside FIT's dates cannot be written")
    func dates() throws {
        let start = FITTests.time * 1000
        for time in [Int64.min, .max, 0] {
            let lap = Recording(sport: .running, start: start, end: start, laps: [Lap(start: start, end: time)])
            #expect(throws: ActivityFileError.self) { try FITFile.write(lap) }
            let pause = Recording(sport: .running, start: start, end: start, pauses: [Pause(start: start, end: time)])
            #expect(throws: ActivityFileError.self) { try FITFile.write(pause) }
        }
    }
}
