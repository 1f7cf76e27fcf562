package import Fitness
import Telemetry

// How minutes of heart rate, or hours of it, are stored in one row.
//
//     version u8, 2 or 3 | how many sources, varint | of each source, by their numbers:
//         source varint: its number * 4, + 2 for records, + 1 if RR intervals came with its first cell
//         | count varint | columns
//
// A cell has a place in its row's period: a minute of an hour or of a day, an hour of a month. The columns, one after
// the other, each with `count` numbers, are chosen so that a heart at 1 Hz, which changes little from one minute to the
// next, leaves small numbers and runs:
//
//     places     varint: how many places were left out since the one before
//     slots      varint: those of the twelve five-second slots without a sample, as bits, * 2, + 1 if RR intervals came
//                unlike with the first cell
//     samples    varint: how many
//     mean       zigzag: sum / samples, without the remainder, less that of the cell before
//     remainder  varint: of that division
//     below      varint: mean less minimum
//     above      varint: maximum less mean
//
// Of an hour, a hundred samples stand for each five seconds that are held (`HeartRateSources.held`). Their mean may be outside of the extremes,
// since another source may hold a part of a minute than the best one of that minute: then below and above are zigzag, in version 3.
//
// Varint and zigzag are those of blocks. In version 1 all sources were summed up: it has `count` and the columns of one,
// without what is said of RR intervals.

/// Cells of a period, each at its place, those of each source apart; a cell without samples counts as absent.
package struct HeartRateCells: Equatable {
    /// Those of one source.
    package struct Part: Equatable {
        package let source: HeartRateSource
        package fileprivate(set) var places: [HeartRateMinute]
    }

    /// Those of one source that have samples, each with its number, in order.
    package typealias Cells = (source: HeartRateSource, cells: [(number: Int64, minute: HeartRateMinute)])

    /// How many places the period has.
    private let capacity: Int
    /// By the numbers of their sources. Each has a sample.
    package private(set) var parts: [Part] = []

    /// How many sources count in an hour: those that were heard first. Each takes room in rows and in memory.
    package static let mostSources = 8

    /// Empty cells, as many as the period has.
    package init(capacity: Int) { self.capacity = capacity }

    package var isEmpty: Bool { parts.isEmpty }

    package subscript(place: Int, source: HeartRateSource = .unknown) -> HeartRateMinute {
        get { parts.first { $0.source.number == source.number }?.places[place] ?? HeartRateMinute() }
        set {
            parts[index(of: source)].places[place] = newValue
            if newValue.samples.isEmpty { removeEmpty() }
        }
    }

    /// Where the cells of a source are.
    private mutating func index(of source: HeartRateSource) -> Int {
        let index = parts.firstIndex { $0.source.number >= source.number } ?? parts.count
        if index == parts.count || parts[index].source.number != source.number {
            let places = Array(repeating: HeartRateMinute(), count: capacity)
            parts.insert(Part(source: source, places: places), at: index)
        }
        return index
    }

    private mutating func removeEmpty() { parts.removeAll { $0.places.allSatisfy(\.samples.isEmpty) } }

    /// Adds the samples of a minute.
    package mutating func merge(_ minute: HeartRateMinute, place: Int, of source: HeartRateSource) {
        guard !minute.samples.isEmpty else { return }
        parts[index(of: source)].places[place].merge(minute)
    }

    /// Adds the samples of others, whose first place is at one of these.
    package mutating func merge(_ others: HeartRateCells, at first: Int = 0) {
        for part in others.parts {
            let index = index(of: part.source)
            for (place, cell) in part.places.enumerated() where !cell.samples.isEmpty {
                parts[index].places[first + place].merge(cell)
            }
        }
    }

    /// What there is at a place, by sources.
    package func minutes(_ place: Int) -> [HeartRateSource: HeartRateMinute] {
        var minutes: [HeartRateSource: HeartRateMinute] = [:]
        for part in parts where !part.places[place].samples.isEmpty { minutes[part.source] = part.places[place] }
        return minutes
    }

    package mutating func clear(_ places: Range<Int>) {
        for part in parts.indices { for place in places { parts[part].places[place] = HeartRateMinute() } }
        removeEmpty()
    }

    package func isEmpty(_ places: Range<Int>) -> Bool {
        parts.allSatisfy { $0.places[places].allSatisfy(\.samples.isEmpty) }
    }

    /// Leaves out the sources of an hour that are too many. Their order of arrival does not matter, nor whether others were
    /// left out before.
    package mutating func limit(_ hour: Range<Int>) {
        guard parts.count > Self.mostSources else { return }
        var sources = 0
        for part in parts.indices where parts[part].places[hour].contains(where: { !$0.samples.isEmpty }) {
            sources += 1
            guard sources > Self.mostSources else { continue }
            for place in hour { parts[part].places[place] = HeartRateMinute() }
        }
        removeEmpty()
    }

    /// The places with samples, in order.
    package var occupied: [Int] {
        guard parts.count > 1 else {
            return parts.first.map { part in part.places.indices.filter { !part.places[$0].samples.isEmpty } } ?? []
        }
        return (0..<capacity).filter { place in parts.contains { !$0.places[place].samples.isEmpty } }
    }

    /// What an hour of minutes holds, as `HeartRateSources.held` says; it follows from that hour alone.
    package func held(_ hour: Range<Int>) -> HeartRateSamples {
        let inMinute = HeldHeartRates.slotsInMinute
        return sources(hour).held(in: Int64(hour.lowerBound) * inMinute..<Int64(hour.upperBound) * inMinute)
    }

    /// The samples of the best source of a minute; which one is best follows from these cells alone.
    package func samples(at place: Int) -> HeartRateSamples {
        guard parts.count > 1 else { return parts.first?.places[place].samples ?? HeartRateSamples() }
        var found = HeartRateSamples()
        sources(0..<capacity).forEachMinute { number, samples, _ in if number == place { found = samples } }
        return found
    }

    private func sources(_ places: Range<Int>) -> HeartRateSources {
        HeartRateSources(
            parts.map { part in
                let minutes = places.map { (number: Int64($0), minute: part.places[$0]) }
                return HeartRateSources.One(part.source, minutes[...])
            })
    }

    // MARK: Bytes

    private static let allSlots: UInt16 = 0xFFF

    package var bytes: [UInt8] {
        let isSigned = parts.contains { $0.places.contains { !$0.samples.isMeanWithinExtremes } }
        var bytes: [UInt8] = [isSigned ? 3 : 2]
        bytes.appendVarint(UInt64(parts.count))
        for part in parts { Self.append(part, isSigned, to: &bytes) }
        return bytes
    }

    private static func append(_ part: Part, _ isSigned: Bool, to bytes: inout [UInt8]) {
        let places = part.places
        let kept = places.indices.filter { !places[$0].samples.isEmpty }
        bytes.reserveCapacity(bytes.count + 32 + 8 * kept.count)
        func column(_ number: (_ place: Int, _ cell: HeartRateMinute) -> UInt64) {
            for place in kept { bytes.appendVarint(number(place, places[place])) }
        }
        let usual = kept.first.map { places[$0].hasIntervals } ?? false
        bytes.appendVarint(UInt64(part.source.number) << 2 | (part.source.isRecord ? 2 : 0) | (usual ? 1 : 0))
        bytes.appendVarint(UInt64(kept.count))
        var next = 0
        column { place, _ in
            defer { next = place + 1 }
            return UInt64(place - next)
        }
        column { UInt64($1.slots ^ allSlots) << 1 | ($1.hasIntervals == usual ? 0 : 1) }
        column { UInt64($1.samples.count) }
        var last: Int64 = 0
        column { _, cell in
            let mean = Int64(cell.samples.sum / cell.samples.count)
            let difference = mean - last
            last = mean
            return difference.zigzag
        }
        column { UInt64($1.samples.sum % $1.samples.count) }
        func distance(_ number: Int) -> UInt64 { isSigned ? Int64(number).zigzag : UInt64(number) }
        column { distance($1.samples.sum / $1.samples.count - $1.samples.minimum) }
        column { distance($1.samples.maximum - $1.samples.sum / $1.samples.count) }
    }

    /// The cells that `bytes` encode; nil if they encode none.
    package init?(_ bytes: [UInt8], capacity: Int) {
        self.init(capacity: capacity)
        guard let parts = Self.parts(of: bytes, capacity: capacity) else { return nil }
        for part in parts where !part.cells.isEmpty {
            let index = index(of: part.source)
            for (place, cell) in part.cells { self.parts[index].places[Int(place)] = cell }
        }
    }

    /// The cells of each source, in the order of their places; nil if the bytes encode none.
    /// - Parameter first: the number of the cell at place 0.
    package static func parts(of bytes: [UInt8], capacity: Int, first: Int64 = 0) -> [Cells]? {
        bytes.withUnsafeBufferPointer { bytes in
            var columns = Columns(bytes, first)
            guard let parts = columns.sources(capacity), columns.isAtEnd else { return nil }
            return parts
        }
    }

    /// More than any row has; sums of rates of 16 bits still fit.
    static let mostSamples = 1 << 40
}

extension HeartRateSamples {
    fileprivate var isMeanWithinExtremes: Bool { isEmpty || minimum <= sum / count && sum / count <= maximum }
}

/// Takes numbers off the front of bytes; nil if the next one is missing or not allowed. A month has hundreds of thousands of them.
private struct Columns {
    typealias Cells = [(number: Int64, minute: HeartRateMinute)]

    private static let allSlots: UInt16 = 0xFFF
    /// Numbers of sources are lower than this.
    private static let mostSources = 1 << 56
    private let bytes: UnsafeBufferPointer<UInt8>
    private let first: Int64
    private var position = 0

    /// - Parameter first: the number of the cell at place 0.
    init(_ bytes: UnsafeBufferPointer<UInt8>, _ first: Int64) { (self.bytes, self.first) = (bytes, first) }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    @inline(__always) mutating func number(below limit: Int) -> Int? {
        guard position < bytes.count else { return nil }
        // Nearly every number has one byte.
        guard bytes[position] >= 0x80 else {
            defer { position += 1 }
            return bytes[position] < limit ? Int(bytes[position]) : nil
        }
        guard let value = try? Varint.take(from: bytes, at: &position) else { return nil }
        return value < UInt64(limit) ? Int(value) : nil
    }

    /// All of a row.
    mutating func sources(_ capacity: Int) -> [HeartRateCells.Cells]? {
        switch byte() {
        case 1?:
            guard let cells = cells(capacity, usual: nil, isSigned: false) else { return nil }
            return [(.unknown, cells)]
        case let version? where 2...3 ~= version:
            guard let count = number(below: capacity * HeartRateCells.mostSources + 1) else { return nil }
            var sources: [HeartRateCells.Cells] = []
            sources.reserveCapacity(min(count, 64))
            for _ in 0..<count {
                guard let bits = number(below: Self.mostSources << 2), Int64(bits >> 2) > sources.last?.source.number ?? -1,
                    let cells = cells(capacity, usual: bits & 1 != 0, isSigned: version == 3), !cells.isEmpty
                else { return nil }
                sources.append((HeartRateSource(Int64(bits >> 2), isRecord: bits & 2 != 0), cells))
            }
            return sources
        default: return nil
        }
    }

    /// Those of one source.
    /// - Parameter usual: whether RR intervals came with the first one; nil if that was not kept.
    private mutating func cells(_ capacity: Int, usual: Bool?, isSigned: Bool) -> Cells? {
        guard let count = number(below: capacity + 1) else { return nil }
        var isWhole = false
        let cells = Cells(unsafeUninitializedCapacity: count) { memory, written in
            let cells = UnsafeMutableBufferPointer(rebasing: memory[..<count])
            cells.initialize(repeating: (number: 0, minute: HeartRateMinute()))
            written = count
            isWhole = places(cells, capacity) && slots(cells, usual) && rates(cells, isSigned)
        }
        return isWhole ? cells : nil
    }

    private mutating func places(_ cells: UnsafeMutableBufferPointer<Cells.Element>, _ capacity: Int) -> Bool {
        var next = 0
        for index in cells.indices {
            guard let gap = number(below: capacity - next) else { return false }
            cells[index].number = first + Int64(next + gap)
            next += gap + 1
        }
        return true
    }

    /// Two columns.
    private mutating func slots(_ cells: UnsafeMutableBufferPointer<Cells.Element>, _ usual: Bool?) -> Bool {
        for index in cells.indices {
            guard var missing = number(below: (Int(Self.allSlots) + 1) << (usual == nil ? 0 : 1)) else { return false }
            if let usual {
                cells[index].minute.hasIntervals = (missing & 1 != 0) != usual
                missing >>= 1
            }
            cells[index].minute.slots = UInt16(missing) ^ Self.allSlots
        }
        for index in cells.indices {
            guard let samples = number(below: HeartRateCells.mostSamples), samples > 0 else { return false }
            cells[index].minute.samples.count = samples
        }
        return true
    }

    /// The last four columns.
    private mutating func rates(_ cells: UnsafeMutableBufferPointer<Cells.Element>, _ isSigned: Bool) -> Bool {
        var mean = 0
        for index in cells.indices {
            guard let difference = number(below: 1 << 17) else { return false }
            mean += Int(Int64(zigzag: UInt64(difference)))
            guard (0...0xFFFF).contains(mean) else { return false }
            // For now.
            cells[index].minute.samples.maximum = mean
        }
        for index in cells.indices {
            let (mean, count) = (cells[index].minute.samples.maximum, cells[index].minute.samples.count)
            guard let remainder = number(below: count) else { return false }
            cells[index].minute.samples.sum = mean * count + remainder
        }
        for index in cells.indices {
            guard let below = distance(isSigned) else { return false }
            let minimum = cells[index].minute.samples.maximum - below
            guard (0...0xFFFF).contains(minimum) else { return false }
            cells[index].minute.samples.minimum = minimum
        }
        for index in cells.indices {
            guard let above = distance(isSigned) else { return false }
            let maximum = cells[index].minute.samples.maximum + above
            guard (0...0xFFFF).contains(maximum) else { return false }
            cells[index].minute.samples.maximum = maximum
        }
        return true
    }

    private mutating func distance(_ isSigned: Bool) -> Int? {
        number(below: 1 << 17).map { isSigned ? Int(Int64(zigzag: UInt64($0))) : $0 }
    }
}
