import Compression
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Packed

@Suite("Packed readings")
struct PackedReadingsTests {
    private let zstandard = Zstandard(level: 3)

    /// Readings as a block may have them, by what a gateway of ours makes, or by what only a foreign hand would.
    private func block(_ kind: Reading.Kind, isWild: Bool, _ generator: inout SeededGenerator) throws -> [Reading] {
        let count = Int.random(in: 1...(isWild ? 64 : 12), using: &generator)
        let limits = [Moment.limit, -Moment.limit, 0, 1, -1]
        var wall = start + Int64.random(in: 0..<3_600_000, using: &generator)
        var readings: [Reading] = []
        for _ in 0..<count {
            wall += Int64.random(in: -3...1100, using: &generator)
            if isWild {
                wall = Bool.random(using: &generator) ? limits.randomElement(using: &generator) ?? 0 : wall
                wall = min(max(wall, -Moment.limit), Moment.limit)
            }
            let value: Reading.Value =
                switch kind {
                case .heartRate: .heartRate(heartRate(isWild, &generator))
                case .steps:
                    .steps(StepCount(isWild ? .random(in: 0 ... .max, using: &generator) : 7, isDerived: isWild))
                case .temperature:
                    .temperature(
                        try Temperature(
                            thousandths: isWild ? Int64(Int32.random(in: .min ... .max, using: &generator)) : 36_600,
                            site: TemperatureSite(rawValue: .random(in: 0...9, using: &generator))))
                case .position, .motion, .pedometer: try fields(of: kind, isWild, &generator)
                }
            readings.append(Reading(at: Moment(wall: wall, monotonic: 0), value))
        }
        readings[0].moment.monotonic =
            isWild ? UInt64(limits.randomElement(using: &generator)?.magnitude ?? 0) : 1_000_000
        // What a block says of monotonic times follows from the first.
        return try ReadingColumns.decode(ReadingColumns.encode(readings))
    }

    private func fields(
        of kind: Reading.Kind, _ isWild: Bool, _ generator: inout SeededGenerator
    ) throws -> Reading.Value {
        let numbers = kind.fields.map { field -> Int64? in
            if field.isOptional, isWild, Bool.random(using: &generator) { return nil }
            return isWild ? Int64.random(in: field.range, using: &generator) : field.range.lowerBound + 1000
        }
        let states = (UInt8(0)...9).filter { Reading.Value.isState($0, of: kind) }
        return try Reading.Value(kind, numbers: numbers, state: #require(states.randomElement(using: &generator)))
    }

    private func heartRate(_ isWild: Bool, _ generator: inout SeededGenerator) -> HeartRateMeasurement {
        guard isWild else {
            return HeartRateMeasurement(
                beatsPerMinute: .random(in: 60...70, using: &generator), contact: .detected,
                rrIntervals: Bool.random(using: &generator) ? [.random(in: 800...900, using: &generator)] : [])
        }
        let most = Bool.random(using: &generator) ? 20 : HeartRateMeasurement.maximumIntervals / 2
        return HeartRateMeasurement(
            beatsPerMinute: .random(in: 0 ... .max, using: &generator),
            contact: HeartRateMeasurement.Contact(rawValue: .random(in: 0...2, using: &generator)) ?? .detected,
            energyKilojoules: Bool.random(using: &generator) ? .random(in: 0 ... .max, using: &generator) : nil,
            rrIntervals: (0..<Int.random(in: 0...most, using: &generator)).map { _ in
                .random(in: 0 ... .max, using: &generator)
            })
    }

    private func add(_ readings: [Reading], _ packed: inout PackedReadings, _ generator: inout SeededGenerator) {
        let isLoose = Int.random(in: 0..<5, using: &generator) == 0
        let sequence = UInt64.random(in: 0...20, using: &generator)
        packed.add(
            PackedReadings.Unit(
                isLoose ? sequence : .random(in: 0 ... .max, using: &generator), first: readings[0], readings),
            readings[0].kind, session: .random(in: 1...3, using: &generator),
            boot: BootID(high: 0, low: .random(in: 1...2, using: &generator)), isLoose: isLoose)
    }

    @Test(
        "say again exactly what any blocks said, of all kinds, usual and extreme ones, and with readings left out",
        arguments: 0..<60)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var packed = PackedReadings()
        for _ in 0..<Int.random(in: 0...30, using: &generator) {
            let kind = Reading.Kind.allCases.randomElement(using: &generator) ?? .steps
            let isWild = seed % 2 == 1 && Bool.random(using: &generator)
            add(try block(kind, isWild: isWild, &generator), &packed, &generator)
        }
        if seed % 3 == 0 {
            let before = packed.segments.flatMap(\.units).flatMap(\.readings)
            let removed = packed.remove { reading, _ in reading.moment.wall % 2 == 0 }
            let left = packed.segments.flatMap(\.units).flatMap(\.readings)
            #expect(left == before.filter { $0.moment.wall % 2 != 0 })
            for kind in Reading.Kind.allCases {
                let gone = before.count { $0.kind == kind && $0.moment.wall % 2 == 0 }
                #expect(removed[kind, default: 0] == gone)
            }
        }
        let bytes = try packed.bytes(zstandard)
        let outline = try PackedReadings.Outline(bytes + [0, 0, 0], zstandard)
        #expect(try PackedReadings(outline) == packed)
        #expect(outline.count == packed.segments.flatMap(\.units).reduce(0) { $0 + $1.readings.count })
        #expect(outline.unitCount == packed.segments.reduce(0) { $0 + $1.units.count })
        // Never much longer than the blocks themselves.
        let plain = try packed.segments.flatMap(\.units).reduce(0) {
            try $0 + ($1.readings.isEmpty ? 0 : ReadingColumns.encode($1.readings).count)
        }
        #expect(bytes.count < plain * 2 + packed.segments.count * 60 + 64)
    }

    @Test("keep blocks in the order of their numbers, and records of one block in theirs, whenever they are added")
    func order() throws {
        var packed = PackedReadings()
        let boot = BootID(high: 0, low: 1)
        for (sequence, bpm) in [(5, 50), (1, 10), (3, 30), (3, 31), (9, 90), (3, 32)] {
            let reading = beat(0, UInt16(bpm))
            packed.add(
                PackedReadings.Unit(UInt64(sequence), first: reading, [reading]), .heartRate, session: 1, boot: boot,
                isLoose: true)
        }
        #expect(packed.segments.count == 1)
        #expect(packed.segments[0].units.flatMap(\.readings) == [10, 30, 31, 32, 50, 90].map { beat(0, $0) })
        #expect(packed.blocks.count == 4)
    }

    @Test(
        "whatever bits are turned or cut, they are refused or something of bounded size, and nothing ends the program")
    func hostile() throws {
        var generator = SeededGenerator(seed: 4)
        var packed = PackedReadings()
        for number in 0..<20 {
            add(try block(.allCases[number % 3], isWild: number % 2 == 0, &generator), &packed, &generator)
        }
        let bytes = try packed.bytes(zstandard)
        var refused = 0
        for _ in 0..<3000 {
            var damaged = bytes
            if Bool.random(using: &generator) { damaged.removeLast(Int.random(in: 0...bytes.count, using: &generator)) }
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !damaged.isEmpty {
                damaged[Int.random(in: damaged.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            do throws(MalformedValue) {
                let found = try PackedReadings(PackedReadings.Outline(damaged, zstandard))
                let count = found.segments.flatMap(\.units).reduce(0) { $0 + $1.readings.count }
                #expect(count <= PackedReadings.maximumReadings)
            } catch { refused += 1 }
        }
        #expect(refused > 1500)
    }

    @Test("a count that nothing stands for is refused before anything is allocated for it")
    func bounds() throws {
        // One segment of 65,536 units, whose counts are a column of 65,535 each.
        var writer = ColumnWriter(zstandard)
        writer.append([1, 1, 1, 0])
        writer.append([UInt8](repeating: 0, count: 16))
        writer.append(varint: 65_536)
        writer.append([0, 0, 0, 0, 0, 0])
        try writer.append(column: [Int64](repeating: 65_535, count: 65_536))
        writer.append([0])
        let error = thrown(MalformedValue.self) { try PackedReadings.Outline(writer.bytes, zstandard) }
        #expect(error?.fault == .outOfRange("readings"))
    }

    @Test(
        "an hour at 1 Hz is packed to about a byte a sample, with RR intervals to less than three",
        arguments: [1, 5, 10])
    func size(jitter: Int64) throws {
        for (withIntervals, limit) in [(false, 1.0), (true, 2.7)] {
            let readings = hourOfHeartRates(jitter: jitter, withIntervals: withIntervals)
            var packed = PackedReadings()
            for (number, first) in stride(from: 0, to: 3600, by: 10).enumerated() {
                let block = Array(readings[first..<first + 10])
                packed.add(
                    PackedReadings.Unit(UInt64(number), first: block[0], block), .heartRate, session: 1,
                    boot: BootID(high: 1, low: 2), isLoose: false)
            }
            let bytes = try packed.bytes(Zstandard(level: 9))
            #expect(Double(bytes.count) / 3600 <= limit, "\(bytes.count) bytes")
        }
    }
}
