import Testing

@testable import Telemetry

@Suite("Bare readings") struct BareReadingTests {
    /// Readings of one kind as hostile as `encode` takes them.
    private static func readings(_ generator: inout SeededGenerator) throws -> [Reading] {
        let count = Int.random(in: 1...64, using: &generator)
        let kind = Reading.Kind.allCases.randomElement(using: &generator) ?? .heartRate
        let isWild = Bool.random(using: &generator)
        var wall = Int64.random(in: -Moment.limit / 2...Moment.limit / 2, using: &generator)
        var readings: [Reading] = []
        for _ in 0..<count {
            wall += Int64.random(in: isWild ? -1 << 40...1 << 40 : 900...1100, using: &generator)
            let monotonic = UInt64.random(in: 0...1 << 40, using: &generator)
            readings.append(Reading(at: Moment(wall: wall, monotonic: monotonic), try value(kind, &generator)))
        }
        return readings
    }

    private static func value(
        _ kind: Reading.Kind, _ generator: inout SeededGenerator
    ) throws -> Reading.Value {
        switch kind {
        case .heartRate:
            let contacts: [HeartRateMeasurement.Contact] = [.notSupported, .notDetected, .detected]
            let most = Int.random(in: 0...20, using: &generator) == 0 ? HeartRateMeasurement.maximumIntervals : 4
            let count = Int.random(in: 0...most, using: &generator)
            let energy = Bool.random(using: &generator) ? UInt16.random(in: 0 ... .max, using: &generator) : nil
            return .heartRate(
                HeartRateMeasurement(
                    beatsPerMinute: UInt16.random(in: 0 ... .max, using: &generator),
                    contact: contacts.randomElement(using: &generator) ?? .detected, energyKilojoules: energy,
                    rrIntervals: (0..<count).map { _ in
                        Bool.random(using: &generator) ? 0 : UInt16.random(in: 0 ... .max, using: &generator)
                    }))
        case .steps:
            let counter = UInt32.random(in: 0 ... .max, using: &generator)
            return .steps(StepCount(counter, isDerived: Bool.random(using: &generator)))
        case .temperature:
            let site = Bool.random(using: &generator) ? TemperatureSite.allCases.randomElement(using: &generator) : nil
            let thousandths = Int64(Int32.random(in: .min ... .max, using: &generator))
            return .temperature(try Temperature(thousandths: thousandths, site: site))
        case .position, .motion, .pedometer:
            return try ReadingColumnsTests.fields(of: kind, extreme: Bool.random(using: &generator), &generator)
        }
    }

    /// What `decode` makes of bytes, bare; nil if it refuses them.
    private static func decoded(_ bytes: [UInt8]) -> [BareReading]? {
        (try? ReadingColumns.decode(bytes)).map { $0.map(BareReading.init) }
    }

    @Test("are those that are decoded whole", arguments: [1, 2, 3, 4])
    func whole(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let readings = try Self.readings(&generator)
            let bytes = try ReadingColumns.encode(readings)
            let whole = try #require(Self.decoded(bytes))
            #expect(ReadingColumns.bare(bytes) == whole)
            for (bare, reading) in zip(whole, readings) {
                #expect(bare.kind == reading.kind)
                guard reading.kind.fields.isEmpty else {
                    #expect(bare.reading == nil && bare.wall == reading.moment.wall)
                    continue
                }
                guard case .heartRate(let rate) = reading.value, case .heartRate(let found) = bare.reading?.value else {
                    #expect(bare.reading?.value == reading.value)
                    continue
                }
                #expect(found.beatsPerMinute == rate.beatsPerMinute)
                #expect(found.contact == rate.contact && bare.contact == rate.contact)
                #expect(Int(bare.intervals) == rate.rrIntervals.count)
            }
        }
    }

    @Test("are refused if whole readings are", arguments: [5, 6, 7, 8])
    func refused(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var (taken, refused) = (0, 0)
        for _ in 0..<2000 {
            var bytes = try ReadingColumns.encode(Self.readings(&generator))
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = bytes.indices.randomElement(using: &generator) ?? 0
                // What decides is at the front.
                let place = Bool.random(using: &generator) ? min(index, 8) : index
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
                case 2: bytes.removeSubrange(place...)
                default: bytes.insert(UInt8.random(in: 0 ... .max, using: &generator), at: place)
                }
                if bytes.isEmpty { break }
            }
            let whole = Self.decoded(bytes)
            #expect(ReadingColumns.bare(bytes) == whole, "\(bytes)")
            if whole == nil { refused += 1 } else { taken += 1 }
        }
        #expect(taken > 100 && refused > 100)
        #expect(ReadingColumns.bare([]) == nil)
    }

    @Test("numbers of more than 64 bits, or of too many bytes, are refused as elsewhere")
    func longNumbers() throws {
        let start: [UInt8] = [1, 1, 0]
        for wall: [UInt8] in [
            Array(repeating: 0x80, count: 9) + [1], Array(repeating: 0x80, count: 9) + [2],
            Array(repeating: 0x80, count: 10) + [0], [0x80, 0], Array(repeating: 0xFF, count: 10),
        ] {
            let bytes = start + wall + [0, 0]
            #expect(ReadingColumns.bare(bytes) == Self.decoded(bytes), "\(bytes)")
        }
    }
}
