// The way back from columns to readings. What it reads was authenticated, but by a gateway that somebody may have taken
// over: counts are bounded before anything is allocated, and sums that a gateway would never make are errors.

extension ReadingColumns {
    /// The readings in `bytes`, in their order. Whatever this accepts, `encode` accepts.
    public static func decode(_ bytes: [UInt8]) throws(MalformedValue) -> [Reading] {
        var reader = ByteReader(bytes, of: "readings")
        let kindNumber = try reader.byte()
        guard let kind = Reading.Kind(rawValue: kindNumber) else {
            throw reader.malformed(.unsupported("kind \(kindNumber)"))
        }
        let count = try reader.count(1...UInt64(maximumCount), "count")
        let columns = try reader.byte()
        let known: UInt8 =
            switch kind {
            case .heartRate: stateColumn | energy | intervals
            case .steps, .temperature, .position, .motion, .pedometer: stateColumn
            }
        guard columns & ~known == 0 else { throw reader.malformed(.unsupported("columns \(columns)")) }

        let moments = try decodeMoments(count, from: &reader)
        let rows = try decodeFields(count, of: kind, from: &reader)
        let values = rows == nil ? try decodeValues(count, of: kind, from: &reader) : []
        let states = columns & stateColumn != 0 ? try decodeStates(count, from: &reader) : nil
        let energies = columns & energy != 0 ? try decodeEnergies(count, from: &reader) : nil

        var readings: [Reading] = []
        readings.reserveCapacity(count)
        var previousInterval: Int64 = 0
        for index in 0..<count {
            let state = states?[index] ?? 0
            switch kind {
            case .heartRate:
                guard let contact = HeartRateMeasurement.Contact(rawValue: state) else {
                    throw reader.malformed(.unsupported("contact \(state)"))
                }
                let rrIntervals =
                    columns & intervals != 0 ? try decodeIntervals(after: &previousInterval, from: &reader) : []
                let heartRate = HeartRateMeasurement(
                    beatsPerMinute: UInt16(truncatingIfNeeded: values[index]), contact: contact,
                    energyKilojoules: energies?[index], rrIntervals: rrIntervals)
                readings.append(Reading(at: moments[index], .heartRate(heartRate)))
            case .steps:
                guard state <= 1 else { throw reader.malformed(.unsupported("derivation \(state)")) }
                let steps = StepCount(UInt32(truncatingIfNeeded: values[index]), isDerived: state == 1)
                readings.append(Reading(at: moments[index], .steps(steps)))
            case .temperature:
                let site = TemperatureSite(rawValue: state)
                guard site != nil || state == 0 else { throw reader.malformed(.unsupported("site \(state)")) }
                let temperature = try Temperature(thousandths: values[index], site: site)
                readings.append(Reading(at: moments[index], .temperature(temperature)))
            case .position, .motion, .pedometer:
                let value = try Reading.Value(kind, numbers: rows?[index] ?? [], state: state)
                readings.append(Reading(at: moments[index], value))
            }
        }
        try reader.end()
        return readings
    }

    private static func decodeMoments(
        _ count: Int, from reader: inout ByteReader
    ) throws(MalformedValue) -> [Moment] {
        let base = Moment(wall: try reader.zigzag(), monotonic: try reader.varint())
        guard Moment.wallRange.contains(base.wall) else { throw reader.malformed(.outOfRange("wall time")) }
        guard Moment.monotonicRange.contains(base.monotonic) else {
            throw reader.malformed(.outOfRange("monotonic time"))
        }
        var moments = [base]
        moments.reserveCapacity(count)
        var wall = base.wall
        var difference: Int64 = 0
        for _ in 1..<count {
            difference &+= try reader.zigzag()
            let (next, overflow) = wall.addingReportingOverflow(difference)
            guard !overflow, Moment.wallRange.contains(next) else { throw reader.malformed(.outOfRange("wall time")) }
            wall = next
            // Neither term is beyond 2^54, so the sum is exact.
            let monotonic = Int64(base.monotonic) + (wall - base.wall)
            moments.append(Moment(wall: wall, monotonic: UInt64(min(max(monotonic, 0), Moment.limit))))
        }
        return moments
    }

    private static func decodeValues(
        _ count: Int, of kind: Reading.Kind, from reader: inout ByteReader
    ) throws(MalformedValue) -> [Int64] {
        let range: ClosedRange<Int64> =
            switch kind {
            case .heartRate: 0...Int64(UInt16.max)
            case .steps: 0...Int64(UInt32.max)
            case .temperature: Int64(Int32.min)...Int64(Int32.max)
            case .position, .motion, .pedometer: 0...0
            }
        var values: [Int64] = []
        values.reserveCapacity(count)
        var value: Int64 = 0
        for _ in 0..<count {
            value = try sum(value, try reader.zigzag(), in: range, "value")
            values.append(value)
        }
        return values
    }

    /// A row of numbers for each reading; nil if the kind has no fields.
    private static func decodeFields(
        _ count: Int, of kind: Reading.Kind, from reader: inout ByteReader
    ) throws(MalformedValue) -> [[Int64?]]? {
        let fields = kind.fields
        guard !fields.isEmpty else { return nil }
        var rows = [[Int64?]](repeating: [Int64?](repeating: nil, count: fields.count), count: count)
        for (column, field) in fields.enumerated() {
            let present =
                field.isOptional ? try decodePresence(count, from: &reader) : [Bool](repeating: true, count: count)
            var chain = FieldChain(field)
            for index in 0..<count where present[index] {
                guard let number = chain.next(try reader.zigzag()) else {
                    let (lowest, highest) = (field.range.lowerBound, field.range.upperBound)
                    throw reader.malformed(.outOfRange("\(field.name), \(lowest) to \(highest)"))
                }
                rows[index][column] = number
            }
        }
        return rows
    }

    private static func decodePresence(_ count: Int, from reader: inout ByteReader) throws(MalformedValue) -> [Bool] {
        var present: [Bool] = []
        present.reserveCapacity(count)
        var isPresent = true
        repeat {
            let least: UInt64 = isPresent && present.isEmpty ? 0 : 1
            let run = try reader.count(least...UInt64(count - present.count), "run")
            present.append(contentsOf: repeatElement(isPresent, count: run))
            isPresent.toggle()
        } while present.count < count
        return present
    }

    private static func decodeStates(_ count: Int, from reader: inout ByteReader) throws(MalformedValue) -> [UInt8] {
        var states: [UInt8] = []
        states.reserveCapacity(count)
        while states.count < count {
            let run = try reader.count(1...UInt64(count - states.count), "run")
            states.append(contentsOf: repeatElement(try reader.byte(), count: run))
        }
        return states
    }

    private static func decodeEnergies(
        _ count: Int, from reader: inout ByteReader
    ) throws(MalformedValue) -> [UInt16?] {
        var energies = [UInt16?](repeating: nil, count: count)
        var index = -1
        var value: Int64 = 0
        for _ in 0..<(try reader.count(1...UInt64(count), "energies")) {
            let left = count - index - 2
            guard left >= 0 else { throw reader.malformed(.outOfRange("energies")) }
            index += 1 + (try reader.count(0...UInt64(left), "gap"))
            value = try sum(value, try reader.zigzag(), in: 0...Int64(UInt16.max), "energy")
            energies[index] = UInt16(truncatingIfNeeded: value)
        }
        return energies
    }

    private static func decodeIntervals(
        after previous: inout Int64, from reader: inout ByteReader
    ) throws(MalformedValue) -> [UInt16] {
        let count = try reader.count(0...UInt64(HeartRateMeasurement.maximumIntervals), "RR intervals")
        guard count > 0 else { return [] }
        var intervals: [UInt16] = []
        intervals.reserveCapacity(count)
        for _ in 0..<count {
            previous = try sum(previous, try reader.zigzag(), in: 0...Int64(UInt16.max), "RR interval")
            intervals.append(UInt16(truncatingIfNeeded: previous))
        }
        return intervals
    }

    private static func sum(
        _ value: Int64, _ difference: Int64, in range: ClosedRange<Int64>, _ field: String
    ) throws(MalformedValue) -> Int64 {
        let (sum, overflow) = value.addingReportingOverflow(difference)
        guard !overflow, range.contains(sum) else {
            throw malformed(.outOfRange("\(field), \(range.lowerBound) to \(range.upperBound)"))
        }
        return sum
    }
}

/// The way back from the differences of a field to its numbers.
package struct FieldChain {
    private let range: ClosedRange<Int64>
    private let isSteady: Bool
    private var last: (number: Int64, difference: Int64)?

    package init(_ field: ReadingField) { (range, isSteady) = (field.range, field.isSteady) }

    /// The next number; nil if it is out of the field's range.
    package mutating func next(_ change: Int64) -> Int64? {
        let step = (last?.difference ?? 0).addingReportingOverflow(change)
        let sum = (last?.number ?? 0).addingReportingOverflow(step.partialValue)
        guard !step.overflow, !sum.overflow, range.contains(sum.partialValue) else { return nil }
        last = (sum.partialValue, isSteady && last != nil ? step.partialValue : 0)
        return sum.partialValue
    }
}
