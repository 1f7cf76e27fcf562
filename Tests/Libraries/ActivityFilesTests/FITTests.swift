import Fitness
import TestSupport
import Testing

@testable import ActivityFiles

@Suite("FIT", .timeLimit(.minutes(60)))
struct FITTests {
    typealias Field = FITEncoder.Field

    static let time: Int64 = 1_700_000_000
    static var second: Int64 { time - FITTime.epoch }

    /// A header without a checksum, messages, and their checksum.
    static func file(_ messages: [UInt8], header: UInt8 = 12) -> [UInt8] {
        let length = UInt32(messages.count)
        var bytes: [UInt8] = [header, 0x10, 0x5C, 0x08] + (0..<4).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
        bytes += Array(".FIT".utf8)
        if header == 14 { bytes += [0, 0] }
        bytes += messages
        let crc = bytes.withUnsafeBytes { FITChecksum.of($0) }
        return bytes + [UInt8(crc & 0xFF), UInt8(crc >> 8)]
    }

    static func big(_ value: Int64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (Int64($0) * 8)) }
    }

    static func little(_ value: Int64, _ count: Int) -> [UInt8] { big(value, count).reversed() }

    @Test("The checksum is that of the protocol, whatever the length")
    func checksum() {
        // The protocol's own way, four bits at a time.
        let table: [UInt16] = [
            0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401, 0xA001, 0x6C00, 0x7800, 0xB401, 0x5000,
            0x9C01, 0x8801, 0x4400,
        ]
        var generator = SeededGenerator(seed: 1)
        for length in 0..<100 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var crc: UInt16 = 0
            for byte in bytes {
                for half in [byte & 0xF, byte >> 4] {
                    let carried = table[Int(crc & 0xF)]
                    crc = (crc >> 4) & 0x0FFF
                    crc = crc ^ carried ^ table[Int(half)]
                }
            }
            #expect(bytes.withUnsafeBytes { FITChecksum.of($0) } == crc)
        }
        #expect(Array("123456789".utf8).withUnsafeBytes { FITChecksum.of($0) } == 0xBB3D)
    }

    @Test("Both orders of bytes, both headers and compressed times are read")
    func layouts() throws {
        for isBig in [false, true] {
            let spell = isBig ? Self.big : Self.little
            // record: time, heart rate, enhanced altitude; then local type 1 without a time.
            let order: UInt8 = isBig ? 1 : 0
            var messages: [UInt8] = [0x40, 0, order]
            messages += spell(20, 2)
            messages += [3, 253, 4, 0x86, 3, 1, 2, 78, 4, 0x86] as [UInt8]
            messages.append(0x00)
            messages += spell(Self.second, 4)
            messages.append(101)
            messages += spell((12 + 500) * 5, 4)
            messages += [0x41, 0, order]
            messages += spell(20, 2)
            messages += [1, 3, 1, 2] as [UInt8]
            // Five bits of a time, three seconds later, and again after they went round.
            let (later, round) = (UInt8((Self.second + 3) & 0x1F), UInt8((Self.second + 2) & 0x1F))
            messages += [0xA0 | later, 102]
            messages += [0xA0 | round, 103]
            for header in [UInt8(12), 14] {
                let recordings = try FITFile.read(Self.file(messages, header: header))
                let samples = try #require(recordings.activities.first).samples
                #expect(recordings.damage == nil)
                #expect(samples.map(\.time) == [0, 3, 34].map { (Self.time + $0) * 1000 })
                #expect(samples.map(\.heartRate) == [101, 102, 103])
                #expect(samples[0].altitude == 12)
            }
        }
    }

    @Test("What a field says is unknown is nothing, and what has a wrong length is left out")
    func invalidValues() throws {
        let messages: [UInt8] =
            [0x40, 0, 0, 20, 0, 7, 253, 4, 0x86, 3, 1, 2, 78, 4, 0x86, 0, 4, 0x85, 1, 4, 0x85, 13, 1, 1, 7, 3, 0x84]
            + [0x00] + Self.little(Self.second, 4) + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
            + [0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0x7F, 1, 2, 3]
        let samples = try #require(try FITFile.read(Self.file(messages)).activities.first).samples
        #expect(samples == [Sample(time: Self.time * 1000)])
    }

    @Test("A file of a chain has definitions of its own, and the next one is an activity of its own")
    func chained() throws {
        let activity = try recorded("run-9km")
        let one = try FITFile.write(activity)
        let recordings = try FITFile.read(one + one)
        #expect(recordings.activities.count == 2)
        #expect(recordings.activities[0] == recordings.activities[1])
        let undefined = Self.file([0x02, 0])
        let broken = try FITFile.read(one + undefined)
        #expect(broken.activities.count == 1)
        #expect(
            broken.damage?.description
                == "FIT, byte \(one.count + 12): a message of local type 2, which no definition describes")
    }

    @Test("Developers' fields stand in for what the device lacks, and others are skipped")
    func developers() throws {
        var encoder = FITEncoder()
        func describe(_ number: Int64, _ type: FITBaseType, _ name: String, native: Int64?) {
            encoder.message(
                0, 206,
                [
                    (Field(0, .uint8), .integer(0)), (Field(1, .uint8), .integer(number)),
                    (Field(2, .uint8), .integer(Int64(type.rawValue))), (Field(3, .string), .text(name)),
                    (Field(14, .uint16), native == nil ? .none : .integer(20)),
                    (Field(15, .uint8), native.map { .integer($0) } ?? .none),
                ])
        }
        describe(0, .float32, "Power", native: 7)
        describe(1, .uint16, "Something", native: nil)
        encoder.define(
            1, 20,
            [
                Field(253, .uint32), Field(0, .float32, developer: 0), Field(1, .uint16, developer: 0),
                Field(9, .uint16, size: 5, developer: 3),
            ])
        encoder.begin(1)
        encoder.append(UInt32(Self.second))
        encoder.append(Float(251.6).bitPattern)
        encoder.append(UInt16(7))
        for _ in 0..<5 { encoder.append(UInt8(9)) }
        let samples = try #require(try FITFile.read(encoder.finished()).activities.first).samples
        #expect(samples == [Sample(time: Self.time * 1000, power: 252)])
    }

    @Test("A day of monitoring gives heart rates and counters of steps")
    func monitoring() throws {
        var encoder = FITEncoder()
        encoder.message(0, 0, [(Field(0, .enumeration), .integer(15)), (Field(1, .uint16), .integer(1))])
        encoder.message(0, 103, [(Field(253, .uint32), .integer(Self.second))])
        // timestamp_16 and heart_rate; the second one after the lower half went round.
        let low = (Self.second + 60) & 0xFFFF
        encoder.message(0, 55, [(Field(26, .uint16), .integer(low)), (Field(27, .uint8), .integer(61))])
        let around = (low - 1) & 0xFFFF
        encoder.message(0, 55, [(Field(26, .uint16), .integer(around)), (Field(27, .uint8), .integer(62))])
        encoder.message(
            0, 55,
            [
                (Field(253, .uint32), .integer(Self.second + 70_000)), (Field(3, .uint32), .integer(1234)),
                (Field(5, .enumeration), .integer(6)),
            ])
        // Type and intensity in one byte: running.
        encoder.message(
            0, 55,
            [
                (Field(253, .uint32), .integer(Self.second + 70_060)), (Field(3, .uint32), .integer(99)),
                (Field(24, .byte), .integer(0x41)),
            ])
        // Cycles of a bicycle are no steps.
        encoder.message(
            0, 55,
            [
                (Field(253, .uint32), .integer(Self.second + 70_060)), (Field(3, .uint32), .integer(50)),
                (Field(5, .enumeration), .integer(2)),
            ])
        let recordings = try FITFile.read(encoder.finished())
        #expect(recordings.activities.isEmpty)
        #expect(recordings.heartRates.map(\.time) == [60, 65_595].map { (Self.time + $0) * 1000 })
        #expect(recordings.heartRates.map(\.beatsPerMinute) == [61, 62])
        #expect(recordings.steps.map(\.steps) == [1234, 99])
        #expect(recordings.steps.map(\.sport) == [.walking, .running])
        #expect(recordings.steps.allSatisfy { $0.span == .counter })
    }

    @Test("Beats that a strap kept are given to the samples around them")
    func strap() throws {
        var encoder = FITEncoder()
        for second in 0..<4 { encoder.message(0, 20, [(Field(253, .uint32), .integer(Self.second + Int64(second)))]) }
        // The strap's clock shows 5000 ticks at the first second.
        encoder.message(
            0, 132,
            [
                (Field(253, .uint32), .integer(Self.second)), (Field(6, .uint8), .integer(100)),
                (Field(9, .uint32), .integer(5000)),
            ])
        // 5512 and 6536 ticks, twelve bits each: half a second and one and a half later.
        let (one, two) = (UInt8(5512 & 0xFF), UInt8((5512 >> 8) & 0xF | (6536 & 0xF) << 4))
        encoder.message(
            0, 132,
            [
                (Field(6, .uint8), .bytes([110, 120])),
                (Field(10, .byte), .bytes([one, two, UInt8((6536 >> 4) & 0xFF)])),
            ])
        let samples = try #require(try FITFile.read(encoder.finished()).activities.first).samples
        #expect(samples.map(\.heartRate) == [100, 110, 120, nil])
    }

    @Test("Several sessions of a file are several activities")
    func multisport() throws {
        var encoder = FITEncoder()
        for second in 0..<20 {
            encoder.message(
                0, 20,
                [
                    (Field(253, .uint32), .integer(Self.second + Int64(second))),
                    (Field(3, .uint8), .integer(100 + Int64(second))),
                ])
        }
        for (start, sport) in [(0, 1), (10, 2)] {
            encoder.message(
                0, 18,
                [
                    (Field(253, .uint32), .integer(Self.second + 19)),
                    (Field(2, .uint32), .integer(Self.second + Int64(start))),
                    (Field(5, .enumeration), .integer(Int64(sport))), (Field(7, .uint32), .integer(9000)),
                    (Field(9, .uint32), .integer(123_456)), (Field(10, .uint32), .integer(700)),
                ])
        }
        let activities = try FITFile.read(encoder.finished()).activities
        #expect(activities.map(\.sport) == [.running, .cycling])
        #expect(activities.map { $0.samples.map(\.heartRate) } == [(100..<110).map { $0 }, (110..<120).map { $0 }])
        #expect(activities.map(\.totals.distanceMetres) == [1234.56, 1234.56])
        #expect(activities.map(\.totals.steps) == [1400, nil])
    }

    @Test("A file that is not sound says what is wrong and where")
    func faults() throws {
        let record: [UInt8] = [0x40, 0, 0, 20, 0, 1, 253, 4, 0x86, 0] + Self.little(Self.second, 4)
        var limits = Limits()
        limits.messages = 3
        limits.definitions = 1
        var wrongVersion = Self.file(record)
        wrongVersion[1] = 0x30
        let settings = Self.file([0x40, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2])
        let faults: [([UInt8], String)] = [
            ([], "FIT, byte 0: 0 bytes, and a header has 12 or 14"),
            (Array("no file of FIT at all".utf8), "FIT, byte 8: no FIT file: `.FIT` is not there"),
            (wrongVersion, "FIT, byte 1: version 3 of the protocol; 2 is known"),
            (Self.file([0x00]), "FIT, byte 12: a message of local type 0, which no definition describes"),
            (Self.file([0x40, 0, 2, 20, 0, 0]), "FIT, byte 14: an order of bytes 2; 0 and 1 are known"),
            (Self.file([0x40, 0, 0, 20, 0, 9, 1]), "FIT, byte 12: the file ends within a definition"),
            (Self.file(Array(record.dropLast())), "FIT, byte 21: the file ends within a message"),
            (Self.file(Array(record[..<9] + record[..<9])), "FIT, byte 21: more than 1 definitions"),
            (settings, "FIT: settings, which is no recording"),
            (Self.file([]), "FIT: there is neither an activity nor a record of the day in it"),
        ]
        for (bytes, said) in faults {
            do {
                let recordings = try FITFile.read(bytes, limits: limits)
                Issue.record("\(said): read \(recordings)")
            } catch { #expect(error.description == said) }
        }
        var flipped = Self.file(record)
        flipped[flipped.count - 1] ^= 1
        let recordings = try FITFile.read(flipped)
        #expect(recordings.activities.count == 1)
        #expect(recordings.damage?.position == .byte(flipped.count - 2))
    }

    @Test("A course is no activity, and says so")
    func course() throws {
        var encoder = FITEncoder()
        encoder.message(0, 0, [(Field(0, .enumeration), .integer(6))])
        encoder.message(0, 20, [(Field(253, .uint32), .integer(Self.second))])
        let bytes = encoder.finished()
        #expect(throws: ActivityFileError("FIT", .empty, "a course, which is no recording")) {
            try FITFile.read(bytes)
        }
    }

    @Test("A time that FIT has no date for cannot be written")
    func dates() throws {
        for time in [Int64(0), -1, 880_000_000_000, 4_926_032_895_000, .max, .min] {
            let activity = Recording(sport: .running, start: time, end: time)
            #expect(throws: ActivityFileError.self, "\(time)") { try FITFile.write(activity) }
        }
        _ = try FITFile.write(Recording(sport: .running, start: 900_000_000_000, end: 4_926_000_000_000))
    }
}
