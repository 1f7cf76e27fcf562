package import Fitness
import Telemetry

// How minutes of heart rate, or hours of it, are stored in one row.
//
//     version u8, 1 | count varint | columns
//
// A cell has a place in its row's period: a minute of an hour or of a day, an hour of a month. The columns, one after
// the other, each with `count` numbers, are chosen so that a heart at 1 Hz, which changes little from one minute to the
// next, leaves small numbers and runs:
//
//     places     varint: how many places were left out since the one before
//     slots      varint: those of the twelve five-second slots without a sample, as bits
//     samples    varint: how many
//     mean       zigzag: sum / samples, without the remainder, less that of the cell before
//     remainder  varint: of that division
//     below      varint: mean less minimum
//     above      varint: maximum less mean
//
// Varint and zigzag are those of blocks.

/// Cells of a period, each at its place; a cell without samples counts as absent.
package struct HeartRateCells: Equatable {
    package private(set) var places: [HeartRateMinute]

    /// Empty cells, as many as the period has.
    package init(capacity: Int) { places = Array(repeating: HeartRateMinute(), count: capacity) }

    package var isEmpty: Bool { places.allSatisfy(\.samples.isEmpty) }

    package subscript(place: Int) -> HeartRateMinute {
        get { places[place] }
        set { places[place] = newValue }
    }

    /// Adds the samples of a minute.
    package mutating func merge(_ minute: HeartRateMinute, place: Int) { places[place].merge(minute) }

    package mutating func merge(_ others: HeartRateCells) {
        for (place, cell) in others.places.enumerated() where !cell.samples.isEmpty { places[place].merge(cell) }
    }

    /// All samples together.
    package var samples: HeartRateSamples { places.reduce(into: HeartRateSamples()) { $0.merge($1.samples) } }

    // MARK: Bytes

    private static let version: UInt8 = 1
    private static let allSlots: UInt16 = 0xFFF

    package var bytes: [UInt8] {
        let kept = places.indices.filter { !places[$0].samples.isEmpty }
        var bytes = [Self.version]
        bytes.reserveCapacity(16 + 8 * kept.count)
        func column(_ number: (_ place: Int, _ cell: HeartRateMinute) -> UInt64) {
            for place in kept { bytes.appendVarint(number(place, places[place])) }
        }
        bytes.appendVarint(UInt64(kept.count))
        var next = 0
        column { place, _ in
            defer { next = place + 1 }
            return UInt64(place - next)
        }
        column { UInt64($1.slots ^ Self.allSlots) }
        column { UInt64($1.samples.count) }
        var last: Int64 = 0
        column { _, cell in
            let mean = Int64(cell.samples.sum / cell.samples.count)
            let difference = mean - last
            last = mean
            return difference.zigzag
        }
        column { UInt64($1.samples.sum % $1.samples.count) }
        column { UInt64($1.samples.sum / $1.samples.count - $1.samples.minimum) }
        column { UInt64($1.samples.maximum - $1.samples.sum / $1.samples.count) }
        return bytes
    }

    /// The cells that `bytes` encode; nil if they encode none.
    package init?(_ bytes: [UInt8], capacity: Int) {
        self.init(capacity: capacity)
        guard Self.forEach(in: bytes, capacity: capacity, { places[$0] = $1 }) else { return nil }
    }

    /// Shows each cell with its place.
    /// - Returns: whether the bytes encoded any; if they did not, none was shown.
    package static func forEach(
        in bytes: [UInt8], capacity: Int, _ body: (_ place: Int, _ cell: HeartRateMinute) -> Void
    ) -> Bool {
        var columns = Columns(bytes)
        guard columns.byte() == version, let count = columns.number(below: capacity + 1) else { return false }
        var cells = Array(repeating: (place: 0, cell: HeartRateMinute()), count: count)
        var next = 0
        for index in cells.indices {
            guard let gap = columns.number(below: capacity - next) else { return false }
            cells[index].place = next + gap
            next += gap + 1
        }
        for index in cells.indices {
            guard let missing = columns.number(below: Int(allSlots) + 1) else { return false }
            cells[index].cell.slots = UInt16(missing) ^ allSlots
        }
        for index in cells.indices {
            guard let samples = columns.number(below: mostSamples), samples > 0 else { return false }
            cells[index].cell.samples.count = samples
        }
        guard columns.rates(&cells), columns.isAtEnd else { return false }
        for (place, cell) in cells { body(place, cell) }
        return true
    }

    /// More than any row has; sums of rates of 16 bits still fit.
    static let mostSamples = 1 << 40
}

/// Takes numbers off the front of bytes; nil if the next one is missing or not allowed.
private struct Columns {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func number(below limit: Int) -> Int? {
        guard let value = try? Varint.take(from: bytes, at: &position) else { return nil }
        return value < UInt64(limit) ? Int(value) : nil
    }

    /// The last four columns.
    mutating func rates(_ cells: inout [(place: Int, cell: HeartRateMinute)]) -> Bool {
        var mean = 0
        for index in cells.indices {
            guard let difference = number(below: 1 << 17) else { return false }
            mean += Int(Int64(zigzag: UInt64(difference)))
            guard (0...0xFFFF).contains(mean) else { return false }
            // For now.
            cells[index].cell.samples.maximum = mean
        }
        for index in cells.indices {
            let samples = cells[index].cell.samples
            guard let remainder = number(below: samples.count) else { return false }
            cells[index].cell.samples.sum = samples.maximum * samples.count + remainder
        }
        for index in cells.indices {
            guard let below = number(below: cells[index].cell.samples.maximum + 1) else { return false }
            cells[index].cell.samples.minimum = cells[index].cell.samples.maximum - below
        }
        for index in cells.indices {
            guard let above = number(below: 0x10000 - cells[index].cell.samples.maximum) else { return false }
            cells[index].cell.samples.maximum += above
        }
        return true
    }
}
