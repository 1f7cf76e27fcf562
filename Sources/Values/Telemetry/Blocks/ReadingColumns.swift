/// Up to 64 readings of one kind as columns: the plaintext of a readings block, and with a count of 1 of a journal
/// record.
///
/// ```
/// kind u8 | count varint | columns u8 | base wall zigzag | base monotonic varint
/// | times: count - 1 second differences of wall times
/// | values: count first differences, from 0; for positions, motion and pedometers a column for each of their
/// |         numbers (`ReadingField`): runs of present and absent ones in turn if it may be absent, then first
/// |         differences, from 0, or the first and then second differences
/// | state (contact, site, derived, source): runs (length varint, u8) if columns bit 0
/// | energy: how many, then (gap varint, difference zigzag)   if columns bit 1
/// | RR: for each reading how many, then differences          if columns bit 2
/// ```
///
/// A steady pulse takes about three bytes a reading. Only the first monotonic time is kept: a block never spans a step
/// of the wall clock, so the others follow from the wall times. `Blocks.md` explains all of it with examples.
public enum ReadingColumns {
    /// No block has more readings.
    public static let maximumCount = 64

    static let stateColumn: UInt8 = 1 << 0
    static let energy: UInt8 = 1 << 1
    static let intervals: UInt8 = 1 << 2

    /// The columns of 1 to 64 readings of one kind, in their order. Refuses other counts, mixed kinds, times beyond
    /// `Moment.limit`, more RR intervals in a reading than a notification can carry, and intermediate temperatures.
    public static func encode(_ readings: [Reading]) throws(MalformedValue) -> [UInt8] {
        guard let first = readings.first, readings.count <= maximumCount else {
            throw malformed(.outOfRange("count, 1 to \(maximumCount)"))
        }
        for reading in readings {
            guard reading.kind == first.kind else { throw malformed(.notAllowed("readings of several kinds")) }
            guard Moment.wallRange.contains(reading.moment.wall) else { throw malformed(.outOfRange("wall time")) }
            if case .temperature(let temperature) = reading.value, temperature.isIntermediate {
                throw malformed(.notAllowed("an intermediate temperature"))
            }
        }
        guard Moment.monotonicRange.contains(first.moment.monotonic) else {
            throw malformed(.outOfRange("monotonic time"))
        }

        var bytes: [UInt8] = []
        bytes.reserveCapacity(32 + readings.count * 8)
        bytes.append(first.kind.rawValue)
        bytes.appendVarint(UInt64(readings.count))
        let columnsAt = bytes.count
        bytes.append(0)
        bytes.appendZigzag(first.moment.wall)
        bytes.appendVarint(first.moment.monotonic)
        appendTimes(of: readings, to: &bytes)
        if first.kind.fields.isEmpty {
            appendValues(of: readings, to: &bytes)
        } else {
            appendFields(of: readings, to: &bytes)
        }

        var columns: UInt8 = 0
        if appendStates(of: readings, to: &bytes) { columns |= stateColumn }
        if appendEnergy(of: readings, to: &bytes) { columns |= energy }
        if try appendIntervals(of: readings, to: &bytes) { columns |= intervals }
        bytes[columnsAt] = columns
        return bytes
    }

    private static func appendTimes(of readings: [Reading], to bytes: inout [UInt8]) {
        var previous = readings[0].moment.wall
        var difference: Int64 = 0
        for reading in readings.dropFirst() {
            let next = reading.moment.wall - previous
            bytes.appendZigzag(next - difference)
            difference = next
            previous = reading.moment.wall
        }
    }

    private static func appendValues(of readings: [Reading], to bytes: inout [UInt8]) {
        var previous: Int64 = 0
        for reading in readings {
            let value: Int64 =
                switch reading.value {
                case .heartRate(let heartRate): Int64(heartRate.beatsPerMinute)
                case .steps(let steps): Int64(steps.counter)
                case .temperature(let temperature): Int64(temperature.thousandths)
                case .position, .motion, .pedometer: 0
                }
            bytes.appendZigzag(value - previous)
            previous = value
        }
    }

    /// A column for each of the kind's numbers.
    private static func appendFields(of readings: [Reading], to bytes: inout [UInt8]) {
        let rows = readings.map(\.value.numbers)
        for (index, field) in readings[0].kind.fields.enumerated() {
            let column = rows.map { $0[index] }
            if field.isOptional { appendPresence(column, to: &bytes) }
            for number in differences(column.compactMap(\.self), isSteady: field.isSteady) {
                bytes.appendZigzag(number)
            }
        }
    }

    /// How many are there, how many are not, and so on.
    private static func appendPresence(_ column: [Int64?], to bytes: inout [UInt8]) {
        var (isPresent, run) = (true, UInt64(0))
        for number in column {
            if (number != nil) != isPresent {
                bytes.appendVarint(run)
                (isPresent, run) = (!isPresent, 0)
            }
            run += 1
        }
        bytes.appendVarint(run)
    }

    /// First differences, from 0; or the first number, and then second differences.
    package static func differences(_ numbers: [Int64], isSteady: Bool) -> [Int64] {
        var (previous, difference): (Int64, Int64) = (0, 0)
        return numbers.enumerated().map { index, number in
            let next = number &- previous
            defer {
                previous = number
                difference = isSteady && index > 0 ? next : 0
            }
            return next &- difference
        }
    }

    /// Runs of equal states, unless all are 0.
    private static func appendStates(of readings: [Reading], to bytes: inout [UInt8]) -> Bool {
        let states = readings.map(\.value.state)
        guard states.contains(where: { $0 != 0 }) else { return false }
        var start = 0
        for index in 1...states.count where index == states.count || states[index] != states[start] {
            bytes.appendVarint(UInt64(index - start))
            bytes.append(states[start])
            start = index
        }
        return true
    }

    private static func appendEnergy(of readings: [Reading], to bytes: inout [UInt8]) -> Bool {
        var entries: [(index: Int, energy: UInt16)] = []
        for (index, reading) in readings.enumerated() {
            if case .heartRate(let heartRate) = reading.value, let energy = heartRate.energyKilojoules {
                entries.append((index, energy))
            }
        }
        guard !entries.isEmpty else { return false }
        bytes.appendVarint(UInt64(entries.count))
        var previous = (index: -1, energy: UInt16(0))
        for entry in entries {
            bytes.appendVarint(UInt64(entry.index - previous.index - 1))
            bytes.appendZigzag(Int64(entry.energy) - Int64(previous.energy))
            previous = entry
        }
        return true
    }

    private static func appendIntervals(of readings: [Reading], to bytes: inout [UInt8]) throws(MalformedValue) -> Bool
    {
        let columnAt = bytes.count
        var any = false
        var previous: UInt16 = 0
        for reading in readings {
            guard case .heartRate(let heartRate) = reading.value else { return false }
            guard heartRate.rrIntervals.count <= HeartRateMeasurement.maximumIntervals else {
                throw malformed(.outOfRange("RR intervals, 0 to \(HeartRateMeasurement.maximumIntervals)"))
            }
            any = any || !heartRate.rrIntervals.isEmpty
            bytes.appendVarint(UInt64(heartRate.rrIntervals.count))
            for interval in heartRate.rrIntervals {
                bytes.appendZigzag(Int64(interval) - Int64(previous))
                previous = interval
            }
        }
        if !any { bytes.removeSubrange(columnAt...) }
        return any
    }

    static func malformed(_ fault: MalformedValue.Fault) -> MalformedValue { MalformedValue("readings", fault) }
}
