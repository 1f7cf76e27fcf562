import Files
import Records
import Telemetry

/// The blocks of one stream, in the order of their first hours.
struct StreamWalk {
    private let stream: StoredStream
    /// The times at which readings are another person's.
    private let foreignTimes: [Range<Int64>]
    private let store: Store
    private let kind: Reading.Kind
    private var range: Range<Int64>
    /// What its owner had deleted.
    private let deleted: DeletedRanges
    private var reader: StreamReader
    private let corrections: Corrections
    private let moves: Moves
    /// By how many hours a reading may be earlier than its gateway's clock said.
    private let back: Int64
    /// Where the rest may be, by the gateway's clock.
    private var hours: ArraySlice<HourSpan>
    private var page: ArraySlice<StoredBlock> = []
    private var last: (hour: Int64, number: Int64)?
    /// Numbers of blocks that do not open.
    private(set) var unreadable: Set<Int64> = []
    private let pageSize: Int

    /// - Parameter streams: how many walks are under way at once, each with a page in memory.
    init(
        _ stream: StoredStream, _ clock: KnownClocks.Clock, _ store: Store, kind: Reading.Kind, range: Range<Int64>,
        deleted: DeletedRanges, walks streams: Int
    ) throws(VaultError) {
        pageSize = min(64, max(1, 256 / max(1, streams)))
        self.stream = stream
        foreignTimes = try store.foreignTimes(of: stream)
        self.store = store
        self.kind = kind
        self.range = range
        self.deleted = deleted
        (reader, corrections, moves) = (clock.reader, clock.corrections, clock.moves)
        back = moves.slack.lowerBound
        hours = moves.hours(of: [range])[...]
    }

    /// Begins again with the blocks that may have readings from a time on.
    mutating func beginAgain(from time: Int64) {
        range = max(time, range.lowerBound)..<max(time, range.upperBound)
        (page, last, hours) = ([], nil, moves.hours(of: [range])[...])
    }

    /// The first hour in which the next block may have readings; nil at the end.
    mutating func nextHour() throws(VaultError) -> Int64? {
        if page.isEmpty { page = try nextPage()[...] }
        return page.first.map { $0.firstHour + back }
    }

    /// Those readings of the next block that are wanted, and how many it has in all.
    mutating func takeBlock() throws(VaultError) -> (entries: [StoredReadings.Entry], opened: Int) {
        guard let block = page.popFirst() else { return ([], 0) }
        guard let readings = try reader.readings(of: block) else {
            unreadable.insert(block.number)
            return ([], 0)
        }
        var entries: [StoredReadings.Entry] = []
        for (index, found) in readings.enumerated() where found.reading.kind == kind {
            var reading = found.reading
            reading.moment.wall = corrections.corrected(reading.moment, of: found.boot)
            let wall = reading.moment.wall
            guard !foreignTimes.contains(where: { $0.contains(wall) }) else { continue }
            guard range.contains(wall), !deleted.contains(wall) else { continue }
            entries.append(
                StoredReadings.Entry(
                    reading: reading, stream: stream.number, session: found.session, sequence: found.sequence,
                    isLoose: found.isLoose, index: index))
        }
        return (entries, readings.count)
    }

    private mutating func nextPage() throws(VaultError) -> [StoredBlock] {
        while let span = hours.first {
            let page = try store.blocks(
                of: stream.number, kinds: Grant.Kinds(kind), hours: span, after: last, limit: pageSize)
            if let block = page.last { last = (block.firstHour, block.number) }
            if page.count < pageSize {
                hours.removeFirst()
                // A block that begins in this span and reaches into a later one has been taken.
                last = (span.last, .max)
            }
            if !page.isEmpty { return page }
        }
        return []
    }
}

/// What the clock blocks of some streams say. Valid for as long as no other blocks are stored: within a transaction, or in
/// one state of a database. Belongs to one thread.
package final class KnownClocks {
    struct Clock {
        /// Its sessions with clock blocks are open.
        let reader: StreamReader
        let corrections: Corrections
        let moves: Moves
    }

    var all: [Int64: Clock] = [:]

    package init() {}
}
