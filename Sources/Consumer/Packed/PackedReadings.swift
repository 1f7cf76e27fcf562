package import Compression
package import Telemetry

// The readings of many blocks of one stream as columns, from which exactly the same readings can be restored.
//
// A segment holds readings of one kind from blocks of one session; readings of loose blocks have segments of their own,
// by the boot of the session that their records are from. A unit is a block of the segment, or a record of a loose
// block: its number, and its offset, monotonic less wall time; the monotonic times follow from that as they do in a
// block (`ReadingColumns`). A unit without readings remains of a block whose readings were deleted.
//
//     version u8 = 1 | how many segments, varint
//     each segment      kind u8, + 128 if loose | session zigzag | boot 16 | units varint | first number zigzag
//                       | first wall time zigzag | first offset zigzag | shift u8 | period zigzag
//     of all units      columns: number less the one before less 1 | readings | offset less the one before
//     of all readings   columns: times | values, first differences | states
//                       | energies varint, and if there are any, columns: gaps | first differences
//                       | RR intervals of each reading | first differences
//     of readings of several numbers, which are 0 among the values above: see PackedFields.swift
//     zeros
//
// Each time is stored as the error of a clock that ticks with the sensor's period. After each reading that clock is
// moved by a part of the error, 1/2^shift: a sensor whose ticks are regular but arrive with jitter needs a steady
// clock; one that starts counting its interval again each time needs shift 0. The code tries which is shorter. All of
// it is arithmetic that wraps around, so no time can be too far away.

/// Readings as `StreamReader` gives them: with their order and boots.
package struct PackedReadings: Equatable {
    package struct Unit: Equatable {
        /// Number of the block.
        package var sequence: UInt64
        /// Monotonic time minus wall time of its first reading as it came, milliseconds.
        package var offset: Int64
        package var readings: [Reading]
    }

    package struct Segment: Equatable {
        package var kind: Reading.Kind
        package var isLoose: Bool
        /// The number of the row of the session in whose blocks the readings came.
        package var session: Int64
        package var boot: BootID
        /// In the order of their numbers.
        package var units: [Unit]
    }

    package var segments: [Segment] = []

    /// Nothing yet.
    package init() {}

    /// No row has more.
    static let (maximumUnits, maximumReadings, maximumIntervals) = (1 << 16, 1 << 16, 1 << 20)
    private static let version: UInt8 = 1
    private static let looseFlag: UInt8 = 0x80

    /// Adds a unit to its segment, after those of the same block.
    package mutating func add(_ unit: Unit, _ kind: Reading.Kind, session: Int64, boot: BootID, isLoose: Bool) {
        let index = segments.firstIndex {
            $0.kind == kind && $0.isLoose == isLoose && $0.session == session && $0.boot == boot
        }
        guard let index else {
            segments.append(Segment(kind: kind, isLoose: isLoose, session: session, boot: boot, units: [unit]))
            return
        }
        let before = segments[index].units.lastIndex { $0.sequence <= unit.sequence }
        segments[index].units.insert(unit, at: before.map { $0 + 1 } ?? 0)
    }

    /// Leaves readings out.
    /// - Returns: how many of each kind.
    package mutating func remove(_ isToGo: (Reading, BootID) -> Bool) -> [Reading.Kind: Int] {
        var removed: [Reading.Kind: Int] = [:]
        for segment in segments.indices {
            let (kind, boot) = (segments[segment].kind, segments[segment].boot)
            for unit in segments[segment].units.indices {
                let count = segments[segment].units[unit].readings.count
                segments[segment].units[unit].readings.removeAll { isToGo($0, boot) }
                let gone = count - segments[segment].units[unit].readings.count
                if gone > 0 { removed[kind, default: 0] += gone }
            }
        }
        return removed
    }
}

extension PackedReadings.Unit {
    /// A unit for a block, for a record of one, or for what is left of it: `first` is its first reading as it came.
    package init(_ sequence: UInt64, first: Reading, _ readings: [Reading]) {
        let offset = Int64(clamping: first.moment.monotonic) - first.moment.wall
        self.init(sequence: sequence, offset: offset, readings: readings)
    }
}

// MARK: To bytes

extension PackedReadings {
    /// Columns as described above, without zeros.
    package func bytes(_ zstandard: Zstandard) throws(CompressionError) -> [UInt8] {
        var writer = ColumnWriter(zstandard)
        writer.append(Self.version)
        writer.append(varint: UInt64(segments.count))
        var times: [Int64] = []
        var (sequences, counts, offsets): ([Int64], [Int64], [Int64]) = ([], [], [])
        for segment in segments {
            let walls = segment.units.flatMap { $0.readings.map(\.moment.wall) }
            let clock = SensorClock(fitting: walls)
            let first = segment.units.first
            writer.append(segment.kind.rawValue | (segment.isLoose ? Self.looseFlag : 0))
            writer.append(zigzag: segment.session)
            writer.append(segment.boot.bytes)
            writer.append(varint: UInt64(segment.units.count))
            writer.append(zigzag: Int64(bitPattern: first?.sequence ?? 0))
            writer.append(zigzag: walls.first ?? 0)
            writer.append(zigzag: first?.offset ?? 0)
            writer.append(clock.shift)
            writer.append(zigzag: clock.period)
            times += clock.deviations(of: walls)
            counts += segment.units.map { Int64($0.readings.count) }
            for (unit, next) in zip(segment.units, segment.units.dropFirst()) {
                sequences.append(Int64(bitPattern: next.sequence &- unit.sequence &- 1))
                offsets.append(next.offset &- unit.offset)
            }
        }
        for column in [sequences, counts, offsets, times] { try writer.append(column: column) }
        try appendValues(&writer)
        return writer.bytes
    }

    private func appendValues(_ writer: inout ColumnWriter) throws(CompressionError) {
        var (values, states, gaps, energies): ([Int64], [Int64], [Int64], [Int64]) = ([], [], [], [])
        var (counts, intervals): ([Int64], [Int64]) = ([], [])
        var (lastEnergy, lastInterval, gap): (Int64, Int64, Int64) = (0, 0, 0)
        for segment in segments {
            var last: Int64 = 0
            for reading in segment.units.lazy.flatMap(\.readings) {
                values.append(reading.number - last)
                last = reading.number
                states.append(Int64(reading.value.state))
                guard case .heartRate(let heartRate) = reading.value else { continue }
                if let energy = heartRate.energyKilojoules.map(Int64.init) {
                    gaps.append(gap)
                    energies.append(energy - lastEnergy)
                    (lastEnergy, gap) = (energy, 0)
                } else {
                    gap += 1
                }
                counts.append(Int64(heartRate.rrIntervals.count))
                for interval in heartRate.rrIntervals {
                    intervals.append(Int64(interval) - lastInterval)
                    lastInterval = Int64(interval)
                }
            }
        }
        try writer.append(column: values)
        try writer.append(column: states)
        writer.append(varint: UInt64(gaps.count))
        if !gaps.isEmpty { for column in [gaps, energies] { try writer.append(column: column) } }
        for column in [counts, intervals] { try writer.append(column: column) }
        try appendFields(&writer)
    }
}

// MARK: From bytes

extension PackedReadings {
    /// What a row says about itself without its readings.
    package struct Outline {
        package struct Part {
            package let kind: Reading.Kind
            package let isLoose: Bool
            package let session: Int64
            package let boot: BootID
            package fileprivate(set) var units: [(sequence: UInt64, offset: Int64, count: Int)]
            fileprivate let firstWall: Int64
            fileprivate let clock: SensorClock
            package var count: Int { units.reduce(0) { $0 + $1.count } }
        }

        package fileprivate(set) var parts: [Part] = []
        fileprivate var reader: ColumnReader

        package var count: Int { parts.reduce(0) { $0 + $1.count } }
        package var unitCount: Int { parts.reduce(0) { $0 + $1.units.count } }
    }

    /// A block that was packed.
    package struct Block: Hashable {
        package let session: Int64
        package let sequence: UInt64
    }

    /// Which blocks there are: a loose one may be in several segments, and have many units.
    package var blocks: Set<Block> {
        var blocks: Set<Block> = []
        for segment in segments {
            for unit in segment.units { blocks.insert(Block(session: segment.session, sequence: unit.sequence)) }
        }
        return blocks
    }

    package init(_ bytes: [UInt8], _ zstandard: Zstandard) throws(MalformedValue) {
        try self.init(Outline(bytes, zstandard))
    }

    package init(_ outline: Outline) throws(MalformedValue) {
        var reader = outline.reader
        let total = outline.count
        let times = try reader.column(outline.parts.reduce(0) { $0 + max(0, $1.count - 1) })
        let heartRates = outline.parts.reduce(0) { $0 + ($1.kind == .heartRate ? $1.count : 0) }
        let values = try Values(total, heartRates, &reader)
        var fields = try PackedFields(outline.parts.map { ($0.kind, $0.count) }, &reader)
        guard reader.rest.allSatisfy({ $0 == 0 }) else {
            throw ColumnReader.malformed(.trailingBytes(reader.rest.count))
        }
        var (time, cursor) = (0, Values.Cursor())
        for part in outline.parts {
            let number = max(0, part.count - 1)
            let walls = part.clock.walls(from: part.firstWall, Array(times[time..<time + number]))
            time += number
            cursor.last = 0
            var (units, next): ([Unit], Int) = ([], 0)
            units.reserveCapacity(part.units.count)
            for unit in part.units {
                var readings: [Reading] = []
                readings.reserveCapacity(unit.count)
                for wall in walls[next..<next + unit.count] {
                    guard wall.magnitude <= Moment.limit.magnitude else {
                        throw ColumnReader.malformed(.outOfRange("time"))
                    }
                    let monotonic = UInt64(min(max(wall &+ unit.offset, 0), Moment.limit))
                    let value = try values.next(part.kind, &cursor, &fields)
                    readings.append(Reading(at: Moment(wall: wall, monotonic: monotonic), value))
                }
                next += unit.count
                units.append(Unit(sequence: unit.sequence, offset: unit.offset, readings: readings))
            }
            segments.append(
                Segment(kind: part.kind, isLoose: part.isLoose, session: part.session, boot: part.boot, units: units))
        }
    }
}

extension PackedReadings.Outline {
    /// Reads as far as the readings.
    package init(_ bytes: [UInt8], _ zstandard: Zstandard) throws(MalformedValue) {
        reader = ColumnReader(bytes, zstandard)
        let version = try reader.byte()
        guard version == PackedReadings.version else {
            throw ColumnReader.malformed(.unsupported("version \(version)"))
        }
        var left = PackedReadings.maximumUnits
        var heads: [(first: UInt64, offset: Int64, units: Int)] = []
        for _ in 0..<(try reader.count(0...PackedReadings.maximumUnits, "segments")) {
            let head = try reader.byte()
            guard let kind = Reading.Kind(rawValue: head & ~PackedReadings.looseFlag) else {
                throw ColumnReader.malformed(.unsupported("kind \(head)"))
            }
            let session = try reader.zigzag()
            let boot = try BootID(bytes: reader.take(16))
            let units = try reader.count(1...max(1, left), "units")
            left -= units
            let first = UInt64(bitPattern: try reader.zigzag())
            let wall = try reader.zigzag()
            heads.append((first, try reader.zigzag(), units))
            let clock = SensorClock(shift: try reader.byte(), period: try reader.zigzag())
            parts.append(
                Part(
                    kind: kind, isLoose: head & PackedReadings.looseFlag != 0, session: session, boot: boot, units: [],
                    firstWall: wall, clock: clock))
        }
        guard left >= 0 else { throw ColumnReader.malformed(.outOfRange("units")) }
        let units = PackedReadings.maximumUnits - left
        let sequences = try reader.column(units - parts.count)
        let counts = try reader.column(units)
        let offsets = try reader.column(units - parts.count)
        var readings = 0
        var (difference, unit) = (0, 0)
        for index in parts.indices {
            var (sequence, offset, _) = heads[index]
            for number in 0..<heads[index].units {
                if number > 0 {
                    sequence = sequence &+ UInt64(bitPattern: sequences[difference]) &+ 1
                    offset = offset &+ offsets[difference]
                    difference += 1
                }
                guard let count = Int(exactly: counts[unit]), (0...PackedReadings.maximumReadings).contains(count)
                else {
                    throw ColumnReader.malformed(.outOfRange("readings"))
                }
                readings += count
                parts[index].units.append((sequence, offset, count))
                unit += 1
            }
        }
        guard readings <= PackedReadings.maximumReadings else { throw ColumnReader.malformed(.outOfRange("readings")) }
    }
}

/// The columns of values, as they are read.
private struct Values {
    struct Cursor {
        var index = 0
        var heartRate = 0
        var interval = 0
        /// The value before.
        var last: Int64 = 0
    }

    private let numbers: [Int64]
    private let states: [Int64]
    private let energies: [Int: UInt16]
    private let counts: [Int]
    private let intervals: [UInt16]

    init(_ count: Int, _ heartRates: Int, _ reader: inout ColumnReader) throws(MalformedValue) {
        numbers = try reader.column(count)
        states = try reader.column(count)
        let present = try reader.count(0...heartRates, "energies")
        var energies: [Int: UInt16] = [:]
        if present > 0 {
            let (gaps, differences) = (try reader.column(present), try reader.column(present))
            var (index, energy): (Int64, Int64) = (-1, 0)
            for (gap, difference) in zip(gaps, differences) {
                index = index &+ gap &+ 1
                energy = energy &+ difference
                guard gap >= 0, index >= 0, index < heartRates, let exact = UInt16(exactly: energy) else {
                    throw ColumnReader.malformed(.outOfRange("energy"))
                }
                energies[Int(index)] = exact
            }
        }
        self.energies = energies
        var (counts, total): ([Int], Int) = ([], 0)
        for count in try reader.column(heartRates) {
            guard (0...Int64(HeartRateMeasurement.maximumIntervals)).contains(count) else {
                throw ColumnReader.malformed(.outOfRange("RR intervals"))
            }
            counts.append(Int(count))
            total += Int(count)
        }
        guard total <= PackedReadings.maximumIntervals else {
            throw ColumnReader.malformed(.outOfRange("RR intervals"))
        }
        self.counts = counts
        var (intervals, last): ([UInt16], Int64) = ([], 0)
        intervals.reserveCapacity(total)
        for difference in try reader.column(total) {
            last = last &+ difference
            guard let interval = UInt16(exactly: last) else { throw ColumnReader.malformed(.outOfRange("RR interval")) }
            intervals.append(interval)
        }
        self.intervals = intervals
    }

    func next(
        _ kind: Reading.Kind, _ cursor: inout Cursor, _ fields: inout PackedFields
    ) throws(MalformedValue) -> Reading.Value {
        let number = cursor.last &+ numbers[cursor.index]
        let state = UInt8(truncatingIfNeeded: states[cursor.index])
        cursor.index += 1
        cursor.last = number
        switch kind {
        case .heartRate:
            guard let bpm = UInt16(exactly: number), let contact = HeartRateMeasurement.Contact(rawValue: state) else {
                throw ColumnReader.malformed(.outOfRange("heart rate"))
            }
            defer { cursor.heartRate += 1 }
            let count = counts[cursor.heartRate]
            let some = intervals[cursor.interval..<cursor.interval + count]
            cursor.interval += count
            return .heartRate(
                HeartRateMeasurement(
                    beatsPerMinute: bpm, contact: contact, energyKilojoules: energies[cursor.heartRate],
                    rrIntervals: Array(some)))
        case .steps:
            guard let counter = UInt32(exactly: number), state <= 1 else {
                throw ColumnReader.malformed(.outOfRange("steps"))
            }
            return .steps(StepCount(counter, isDerived: state == 1))
        case .temperature:
            let site = TemperatureSite(rawValue: state)
            guard site != nil || state == 0 else { throw ColumnReader.malformed(.outOfRange("site")) }
            return .temperature(try Temperature(thousandths: number, site: site))
        case .position, .motion, .pedometer:
            return try Reading.Value(kind, numbers: fields.next(kind), state: state)
        }
    }
}

extension Reading {
    fileprivate var number: Int64 {
        switch value {
        case .heartRate(let heartRate): Int64(heartRate.beatsPerMinute)
        case .steps(let steps): Int64(steps.counter)
        case .temperature(let temperature): Int64(temperature.thousandths)
        case .position, .motion, .pedometer: 0
        }
    }
}
