// What a reading says, except its RR intervals and its energy, for programs that count readings by the thousand. It is
// a few numbers, and none of it is allocated on the heap.

/// A reading that has only the number of its RR intervals; a position, a motion or a pedometer's span has only its time.
public struct BareReading: Hashable, Sendable {
    /// Unix time in milliseconds, UTC.
    public var wall: Int64
    /// Milliseconds since boot.
    public var monotonic: UInt64
    /// Beats per minute, a step counter, or thousandths of a degree Celsius; 0 for other kinds.
    public fileprivate(set) var number: Int64
    /// What was measured.
    public let kind: Reading.Kind
    /// As in the column of a block: contact, derivation or site.
    fileprivate(set) var state: UInt8
    /// How many RR intervals it has.
    public fileprivate(set) var intervals: UInt8
    /// Whether any of these stands for a beat.
    public fileprivate(set) var hasBeats = false

    /// When it arrived at the gateway.
    public var moment: Moment { Moment(wall: wall, monotonic: monotonic) }

    /// Whether the sensor touches the skin; nil if it is no heart rate.
    public var contact: HeartRateMeasurement.Contact? {
        kind == .heartRate ? HeartRateMeasurement.Contact(rawValue: state) : nil
    }

    /// What is known of a reading.
    public init(_ reading: Reading) {
        (wall, monotonic, kind) = (reading.moment.wall, reading.moment.monotonic, reading.kind)
        switch reading.value {
        case .heartRate(let measurement):
            number = Int64(measurement.beatsPerMinute)
            state = measurement.contact.rawValue
            intervals = UInt8(clamping: measurement.rrIntervals.count)
            hasBeats = measurement.hasBeats
        case .steps(let steps): (number, state, intervals) = (Int64(steps.counter), steps.isDerived ? 1 : 0, 0)
        case .temperature(let temperature):
            (number, state, intervals) = (Int64(temperature.thousandths), temperature.site?.rawValue ?? 0, 0)
        case .position, .motion, .pedometer: (number, state, intervals) = (0, reading.value.state, 0)
        }
    }

    /// The reading without RR intervals and energy; nil for kinds of which it has only the time.
    public var reading: Reading? {
        switch kind {
        case .heartRate:
            let rate = UInt16(truncatingIfNeeded: number)
            return Reading(
                at: moment, .heartRate(HeartRateMeasurement(beatsPerMinute: rate, contact: contact ?? .notSupported)))
        case .steps:
            return Reading(
                at: moment, .steps(StepCount(UInt32(truncatingIfNeeded: number), isDerived: state == 1)))
        case .temperature:
            return Reading(
                at: moment,
                .temperature(
                    Temperature(exactly: Int32(truncatingIfNeeded: number), site: TemperatureSite(rawValue: state))))
        case .position, .motion, .pedometer: return nil
        }
    }

    /// One whose columns have still to be read.
    fileprivate init(_ kind: Reading.Kind) {
        (wall, monotonic, number, self.kind, state, intervals) = (0, 0, 0, kind, 0, 0)
    }
}

extension ReadingColumns {
    /// What `decode` finds, without RR intervals and energy, in a fifth of its time; nil if `decode` refuses the
    /// bytes.
    public static func bare(_ bytes: [UInt8]) -> [BareReading]? {
        bytes.withUnsafeBufferPointer { bytes in
            var rest = BareColumns(bytes)
            guard let kind = rest.byte().flatMap(Reading.Kind.init), let count = rest.count(1...maximumCount),
                let columns = rest.byte()
            else { return nil }
            var known = stateColumn
            if kind == .heartRate { known |= energy | intervals }
            guard columns & ~known == 0 else { return nil }
            var isWhole = false
            let readings = [BareReading](unsafeUninitializedCapacity: count) { memory, written in
                let cells = UnsafeMutableBufferPointer(rebasing: memory[..<count])
                cells.initialize(repeating: BareReading(kind))
                written = count
                isWhole =
                    rest.moments(cells) && (rest.fields(of: kind, count) ?? rest.numbers(of: kind, cells))
                    && (columns & stateColumn == 0 || rest.states(of: kind, cells))
                    && (columns & energy == 0 || rest.energies(count))
                    && (columns & intervals == 0 || rest.intervals(cells)) && rest.isAtEnd
            }
            return isWhole ? readings : nil
        }
    }
}

/// Takes columns off the front of bytes. Each function returns false, or nil, if the bytes hold none.
private struct BareColumns {
    typealias Cells = UnsafeMutableBufferPointer<BareReading>

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    @inline(__always) mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// LEB128, as `ByteReader` has it.
    @inline(__always) mutating func varint() -> UInt64? {
        guard position < bytes.count else { return nil }
        // Nearly all of them have one byte.
        let first = bytes[position]
        position += 1
        return first < 0x80 ? UInt64(first) : longer(UInt64(first & 0x7F))
    }

    private mutating func longer(_ first: UInt64) -> UInt64? {
        var (value, shift) = (first, UInt64(7))
        while let byte = byte() {
            let group = UInt64(byte & 0x7F)
            guard shift < 63 || group <= 1 else { return nil }
            value |= group << shift
            guard byte & 0x80 != 0 else { return value }
            guard shift < 63 else { return nil }
            shift += 7
        }
        return nil
    }

    @inline(__always) mutating func zigzag() -> Int64? {
        guard let mapped = varint() else { return nil }
        return Int64(bitPattern: mapped >> 1) ^ -Int64(bitPattern: mapped & 1)
    }

    @inline(__always) mutating func count(_ range: ClosedRange<Int>) -> Int? {
        guard let count = varint(), count <= UInt64(range.upperBound), count >= UInt64(range.lowerBound) else {
            return nil
        }
        return Int(count)
    }

    mutating func moments(_ cells: Cells) -> Bool {
        guard let base = zigzag(), let monotonic = varint(), Moment.wallRange.contains(base),
            Moment.monotonicRange.contains(monotonic)
        else { return false }
        (cells[0].wall, cells[0].monotonic) = (base, monotonic)
        var (wall, difference): (Int64, Int64) = (base, 0)
        for index in 1..<max(1, cells.count) {
            guard let change = zigzag() else { return false }
            difference &+= change
            let (next, overflow) = wall.addingReportingOverflow(difference)
            guard !overflow, Moment.wallRange.contains(next) else { return false }
            wall = next
            cells[index].wall = wall
            cells[index].monotonic = UInt64(min(max(Int64(monotonic) + (wall - base), 0), Moment.limit))
        }
        return true
    }

    mutating func numbers(of kind: Reading.Kind, _ cells: Cells) -> Bool {
        let range: ClosedRange<Int64> =
            switch kind {
            case .heartRate: 0...Int64(UInt16.max)
            case .steps: 0...Int64(UInt32.max)
            case .temperature: Int64(Int32.min)...Int64(Int32.max)
            case .position, .motion, .pedometer: 0...0
            }
        var number: Int64 = 0
        for index in cells.indices {
            guard let difference = zigzag(), let sum = Self.sum(number, difference, in: range) else { return false }
            number = sum
            cells[index].number = number
        }
        return true
    }

    /// Passes over the numbers of a kind that has fields; nil if it has none.
    mutating func fields(of kind: Reading.Kind, _ count: Int) -> Bool? {
        guard kind != .heartRate else { return nil }
        let fields = kind.fields
        guard !fields.isEmpty else { return nil }
        for field in fields {
            guard let present = field.isOptional ? presence(count) : count else { return false }
            var chain = FieldChain(field)
            for _ in 0..<present {
                guard let change = zigzag(), chain.next(change) != nil else { return false }
            }
        }
        return true
    }

    /// How many of a column's numbers are there.
    private mutating func presence(_ count: Int) -> Int? {
        var (left, present, isPresent) = (count, 0, true)
        repeat {
            guard let run = self.count((isPresent && left == count ? 0 : 1)...left) else { return nil }
            if isPresent { present += run }
            left -= run
            isPresent.toggle()
        } while left > 0
        return present
    }

    mutating func states(of kind: Reading.Kind, _ cells: Cells) -> Bool {
        var next = 0
        while next < cells.count {
            guard let run = count(1...cells.count - next), let state = byte(), Reading.Value.isState(state, of: kind)
            else { return false }
            for index in next..<next + run { cells[index].state = state }
            next += run
        }
        return true
    }

    mutating func energies(_ count: Int) -> Bool {
        guard let energies = self.count(1...count) else { return false }
        var index = -1
        var energy: Int64 = 0
        for _ in 0..<energies {
            let left = count - index - 2
            guard left >= 0, let gap = self.count(0...left), let difference = zigzag(),
                let sum = Self.sum(energy, difference, in: 0...Int64(UInt16.max))
            else { return false }
            index += 1 + gap
            energy = sum
        }
        return true
    }

    mutating func intervals(_ cells: Cells) -> Bool {
        var interval: Int64 = 0
        for index in cells.indices {
            guard let count = count(0...HeartRateMeasurement.maximumIntervals) else { return false }
            cells[index].intervals = UInt8(clamping: count)
            for _ in 0..<count {
                guard let difference = zigzag(),
                    let sum = Self.sum(interval, difference, in: 0...Int64(UInt16.max))
                else { return false }
                interval = sum
                if sum > 0 { cells[index].hasBeats = true }
            }
        }
        return true
    }

    @inline(__always) private static func sum(
        _ number: Int64, _ difference: Int64, in range: ClosedRange<Int64>
    ) -> Int64? {
        let (sum, overflow) = number.addingReportingOverflow(difference)
        return overflow || !range.contains(sum) ? nil : sum
    }
}
