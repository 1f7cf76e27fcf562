import Testing

@testable import Telemetry

@Suite struct ReadingColumnsTests {
    static let wall: Int64 = 1_767_225_600_000

    static func reading(_ wall: Int64, _ monotonic: UInt64, _ value: Reading.Value) -> Reading {
        Reading(at: Moment(wall: wall, monotonic: monotonic), value)
    }

    /// The vectors of `Blocks.md`.
    static func documented() throws -> [(String, [Reading])] {
        let armpit = try Temperature(thousandths: 36_970, site: .armpit)
        let cold = try Temperature(thousandths: -250)
        return [
            (
                "02 01 00 80 A0 D5 ED EE 66 E8 07 D4 7D",
                [reading(wall, 1000, .steps(8042))]
            ),
            (
                "02 03 01 80 A0 D5 ED EE 66 E8 07 E0 D4 03 00 D4 7D C3 6D 0A 01 00 02 01",
                [
                    reading(wall, 1000, .steps(8042)),
                    reading(wall + 30_000, 31_000, .steps(StepCount(1032, isDerived: true))),
                    reading(wall + 60_000, 61_000, .steps(StepCount(1037, isDerived: true))),
                ]
            ),
            (
                "01 03 07 80 A0 D5 ED EE 66 E8 07 D0 0F 14 90 01 02 03 01 02 01 00 01 02 02 00 80 02 01 02 02 80 0D 0B 00 01 0E",
                [
                    reading(
                        wall, 1000,
                        .heartRate(
                            .init(
                                beatsPerMinute: 72, contact: .detected, energyKilojoules: 128, rrIntervals: [832, 826]))
                    ),
                    reading(wall + 1000, 2000, .heartRate(.init(beatsPerMinute: 73))),
                    reading(
                        wall + 2010, 3010,
                        .heartRate(
                            .init(
                                beatsPerMinute: 71, contact: .detected, energyKilojoules: 129, rrIntervals: [833]))),
                ]
            ),
            (
                "03 02 01 80 A0 D5 ED EE 66 E8 07 F0 D4 03 D4 C1 04 C7 C5 04 01 01 01 00",
                [
                    reading(wall, 1000, .temperature(armpit)),
                    reading(wall + 30_008, 31_008, .temperature(cold)),
                ]
            ),
            (
                "04 03 01 80 A0 D5 ED EE 66 E8 07 D0 0F 00 84 8F F4 2D 18 01 F8 8C 85 0B 0D 04 02 01 90 51 05 00 03 03 01",
                [
                    reading(wall, 1000, .position(Position([48_137_154, 11_576_124, 5192, nil], .receiver))),
                    reading(wall + 1000, 2000, .position(Position([48_137_166, 11_576_117, 5189, nil], .receiver))),
                    reading(wall + 2000, 3000, .position(Position([48_137_177, 11_576_112, nil, nil], .receiver))),
                ]
            ),
        ]
    }

    @Test("encodes and decodes the vectors of the document")
    func matchesDocument() throws {
        for (text, readings) in try Self.documented() {
            let bytes = try hex(text)
            let encoded = try ReadingColumns.encode(readings)
            #expect(hexadecimal(encoded) == hexadecimal(bytes))
            #expect(try ReadingColumns.decode(bytes) == readings)
        }
    }

    /// Readings as a gateway makes them: the wall clock and the monotonic one go together.
    static func random(_ random: inout SeededGenerator) throws -> [Reading] {
        let kind = try #require(Reading.Kind.allCases.randomElement(using: &random))
        var moment = Moment(
            wall: .random(in: 0...4_000_000_000_000, using: &random),
            monotonic: .random(in: 0...1_000_000_000, using: &random))
        let extreme = Bool.random(using: &random)
        return try (0..<Int.random(in: 1...64, using: &random)).map { _ in
            defer {
                let step = UInt64.random(in: 0...(extreme ? 1_000_000_000 : 1200), using: &random)
                moment = Moment(wall: moment.wall + Int64(step), monotonic: moment.monotonic + step)
            }
            switch kind {
            case .heartRate:
                let intervals = (0..<Int.random(in: 0...(extreme ? 255 : 3), using: &random)).map { _ in
                    UInt16.random(in: extreme ? 0...65535 : 700...900, using: &random)
                }
                return Reading(
                    at: moment,
                    .heartRate(
                        .init(
                            beatsPerMinute: .random(in: 0...(extreme ? 65535 : 200), using: &random),
                            contact: .init(rawValue: .random(in: 0...2, using: &random)) ?? .notSupported,
                            energyKilojoules: Bool.random(using: &random)
                                ? .random(in: 0...65535, using: &random) : nil,
                            rrIntervals: intervals)))
            case .steps:
                let counter = UInt32.random(in: 0...(.max), using: &random)
                return Reading(at: moment, .steps(StepCount(counter, isDerived: Bool.random(using: &random))))
            case .temperature:
                let thousandths = Int64(Int32.random(in: .min...(.max), using: &random))
                let site = TemperatureSite(rawValue: .random(in: 0...9, using: &random))
                return Reading(at: moment, .temperature(try Temperature(thousandths: thousandths, site: site)))
            case .position, .motion, .pedometer:
                return Reading(at: moment, try fields(of: kind, extreme: extreme, &random))
            }
        }
    }

    /// A value of a kind that has several numbers, some of them absent.
    static func fields(
        of kind: Reading.Kind, extreme: Bool, _ random: inout SeededGenerator
    ) throws -> Reading.Value {
        let numbers = kind.fields.map { field -> Int64? in
            if field.isOptional, Bool.random(using: &random) { return nil }
            let usual = max(field.range.lowerBound, 1000)...min(field.range.upperBound, 1010)
            return Int64.random(in: extreme ? field.range : usual, using: &random)
        }
        let states = (UInt8(0)...9).filter { Reading.Value.isState($0, of: kind) }
        return try Reading.Value(kind, numbers: numbers, state: #require(states.randomElement(using: &random)))
    }

    @Test("gives back what it was given", arguments: 0..<200 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let readings = try Self.random(&random)
        #expect(try ReadingColumns.decode(ReadingColumns.encode(readings)) == readings)
    }

    @Test("refuses every truncation, and survives every flipped bit", arguments: 0..<24 as Range<UInt64>)
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = try ReadingColumns.encode(Array(Self.random(&random).prefix(12)))
        for (index, damaged) in damaged(bytes).prefix(6000).enumerated() {
            if index < bytes.count {
                #expect(fault { try ReadingColumns.decode(damaged) } != nil)
            } else if let readings = try? ReadingColumns.decode(damaged) {
                // Whatever is accepted is a value like any other.
                #expect(throws: Never.self) { try ReadingColumns.encode(readings) }
            }
        }
        #expect(fault { try ReadingColumns.decode(bytes + [0]) } == .trailingBytes(1))
    }

    @Test("survives random bytes", arguments: 0..<16 as Range<UInt64>)
    func noise(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            var bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if bytes.count > 3 {
                bytes.replaceSubrange(
                    0..<3,
                    with: [
                        .random(in: 1...6, using: &random), .random(in: 1...64, using: &random),
                        .random(in: 0...7, using: &random),
                    ])
            }
            if let readings = try? ReadingColumns.decode(bytes) {
                #expect(throws: Never.self) { try ReadingColumns.encode(readings) }
            }
        }
    }

    @Test(
        "refuses what no gateway makes",
        arguments: [
            "": .truncated,
            "07 01 00": .unsupported("kind 7"),
            "02 00 00": .outOfRange("count, 1 to 64"),
            "02 41 00": .outOfRange("count, 1 to 64"),
            "02 FF FF FF FF FF FF FF FF FF 01 00": .outOfRange("count, 1 to 64"),
            "02 01 02": .unsupported("columns 2"),
            "01 01 08": .unsupported("columns 8"),
            "03 01 02": .unsupported("columns 2"),
            "02 01 00 FF FF FF FF FF FF FF FF FF 01 00 00": .outOfRange("wall time"),
            "02 01 00 FF FF FF FF FF FF FF FF FF 02 00 00": .outOfRange("an integer of more than 64 bits"),
            "02 01 00 FF FF FF FF FF FF FF FF FF 80 00 00": .outOfRange("an integer of more than ten bytes"),
            "02 01 00 00 FF FF FF FF FF FF FF FF FF 01 00": .outOfRange("monotonic time"),
            "02 01 00 00 00 01": .outOfRange("value, 0 to 4294967295"),
            "01 01 00 00 00 80 80 08": .outOfRange("value, 0 to 65535"),
            "01 01 01 00 00 00 02 02": .outOfRange("run, 1 to 1"),
            "01 01 01 00 00 00 00 02": .outOfRange("run, 1 to 1"),
            "01 01 01 00 00 00 01 03": .unsupported("contact 3"),
            "03 01 01 00 00 00 01 0A": .unsupported("site 10"),
            "02 01 01 00 00 00 01 02": .unsupported("derivation 2"),
            "02 01 01 00 00 00 01 FF": .unsupported("derivation 255"),
            "01 01 02 00 00 00 00": .outOfRange("energies, 1 to 1"),
            "01 01 02 00 00 00 01 01 00": .outOfRange("gap, 0 to 0"),
            "01 01 04 00 00 00 80 02": .outOfRange("RR intervals, 0 to 255"),
            "01 01 04 00 00 00 01 01": .outOfRange("RR interval, 0 to 65535"),
        ] as [String: MalformedValue.Fault])
    func refuses(bytes: String, expected: MalformedValue.Fault) throws {
        let bytes = try hex(bytes)
        #expect(fault { try ReadingColumns.decode(bytes) } == expected)
    }

    @Test("refuses to encode what could not be decoded")
    func refusesToEncode() throws {
        let steps = Self.reading(0, 0, .steps(1))
        #expect(fault { try ReadingColumns.encode([]) } == .outOfRange("count, 1 to 64"))
        #expect(
            fault { try ReadingColumns.encode(Array(repeating: steps, count: 65)) } == .outOfRange("count, 1 to 64"))
        let mixed = [steps, Self.reading(0, 0, .heartRate(.init(beatsPerMinute: 1)))]
        #expect(fault { try ReadingColumns.encode(mixed) } == .notAllowed("readings of several kinds"))
        #expect(fault { try ReadingColumns.encode([Self.reading(.max, 0, .steps(1))]) } == .outOfRange("wall time"))
        #expect(
            fault { try ReadingColumns.encode([Self.reading(0, .max, .steps(1))]) } == .outOfRange("monotonic time"))
        var onItsWay = try Temperature(thousandths: 36_500)
        onItsWay.isIntermediate = true
        #expect(
            fault { try ReadingColumns.encode([Self.reading(0, 0, .temperature(onItsWay))]) }
                == .notAllowed("an intermediate temperature"))
        let busy = HeartRateMeasurement(beatsPerMinute: 1, rrIntervals: Array(repeating: 1, count: 256))
        #expect(fault { try ReadingColumns.encode([Self.reading(0, 0, .heartRate(busy))]) } != nil)
    }

    @Test("costs about four bytes for a heartbeat with its interval")
    func size() throws {
        let readings = (0..<64).map { index in
            let interval = UInt16(830 + index % 5)
            return Self.reading(
                Self.wall + Int64(index) * 810, UInt64(index) * 810,
                .heartRate(.init(beatsPerMinute: 72, contact: .detected, rrIntervals: [interval])))
        }
        #expect(try ReadingColumns.encode(readings).count <= 64 * 4 + 16)
    }
}
