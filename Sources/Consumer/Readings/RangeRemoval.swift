import Daemon
import Records
import Storage
import Telemetry

// Removes a range of heart rate: first the rows that contain it are written again without it; then, when SQLite's log
// is emptied, the document says that the removal is done. A removal that was interrupted begins again; rows that no
// longer have anything of the range are not found, or left as they are.

/// Goes through the rows of a person that may contain some ranges, a page at a time. Belongs to the thread of its store
/// and keys.
struct HeartRateWalk {
    let store: Store
    let keys: Keys
    private let ranges: [Range<Int64>]
    private var streams: ArraySlice<StoredStream>
    private var current: Current?

    /// A page's blocks, all of one stream and hour.
    struct Page {
        let stream: StoredStream
        let person: Keys.Person
        let corrections: Corrections
        /// By how many hours readings may be moved.
        let slack: ClosedRange<Int64>
        let blocks: [StoredBlock]
    }

    private struct Current {
        let stream: StoredStream
        let person: Keys.Person
        let corrections: Corrections
        let slack: ClosedRange<Int64>
        var hours: ArraySlice<HourSpan>
        var last: (hour: Int64, number: Int64)?
    }

    private static let pageSize = 64

    init(_ user: ID, _ ranges: DeletedRanges, _ store: Store, _ keys: Keys) throws(VaultError) {
        self.store = store
        self.keys = keys
        self.ranges = ranges.ranges
        streams = try store.streams(of: user)[...]
    }

    /// The next page; nil at the end.
    mutating func next() throws(VaultError) -> Page? {
        while true {
            guard var stream = current else {
                guard let next = streams.popFirst() else { return nil }
                current = try begin(next)
                continue
            }
            guard let hours = stream.hours.first else {
                current = nil
                continue
            }
            let page = try store.blocks(
                of: stream.stream.number, kinds: Deletions.Document.kinds, hours: hours, after: stream.last,
                limit: Self.pageSize)
            guard let hour = page.first?.firstHour else {
                stream.hours.removeFirst()
                // A block that begins in these hours and reaches into later ones has been taken.
                stream.last = (hours.last, .max)
                current = stream
                continue
            }
            // One group is as much work as many blocks.
            let isGroup = page.first.map(Self.isGroup) ?? false
            let blocks = isGroup ? [page[0]] : Array(page.prefix { $0.firstHour == hour && !Self.isGroup($0) })
            stream.last = blocks.last.map { ($0.firstHour, $0.number) }
            current = stream
            return Page(
                stream: stream.stream, person: stream.person, corrections: stream.corrections, slack: stream.slack,
                blocks: blocks)
        }
    }

    private static func isGroup(_ block: StoredBlock) -> Bool {
        guard case .packed = block.form else { return false }
        return true
    }

    private func begin(_ stream: StoredStream) throws(VaultError) -> Current? {
        guard let person = try keys.person(stream.user, version: stream.secretVersion) else { return nil }
        var reader = StreamReader(stream, person, store)
        let corrections = try Corrections(of: stream, &reader, store)
        let moves = corrections.moves
        return Current(
            stream: stream, person: person, corrections: corrections, slack: moves.slack,
            hours: moves.hours(of: ranges)[...])
    }
}

/// Writes the rows of a person again without what they had deleted. Belongs to the session's thread.
struct RangeRemoval {
    enum Advance { case goesOn, waitsForReaders, done }

    let user: ID
    private let pending: DeletedRanges
    private let document: Deletions.Document
    private let deletions: Deletions
    private let packer: HourPacker
    private var walk: HeartRateWalk
    private var isWritten = false

    init(_ user: ID, _ store: Store, _ keys: Keys, _ deletions: Deletions) throws(VaultError) {
        self.user = user
        self.deletions = deletions
        document = try deletions.read(user) ?? Deletions.Document()
        pending = document.pending
        packer = HourPacker(store: store, keys: keys, deletions: deletions)
        walk = try HeartRateWalk(user, pending, store, keys)
    }

    /// Does a portion, in one transaction. After an error the value can no longer be used.
    /// - Parameter end: milliseconds of the monotonic clock.
    mutating func goOn(until end: UInt64) throws(VaultError) -> Advance {
        guard !isWritten else { return try finish() }
        try packer.store.change(user) { () throws(VaultError) in
            repeat {
                guard let page = try walk.next() else {
                    isWritten = true
                    return
                }
                _ = try packer.remove(from: page.blocks, page.stream, page.person) {
                    [pending, document] reading, boot in
                    let wall = page.corrections.corrected(reading.moment, of: boot)
                    return pending.contains(wall) && document.hides(reading.kind, at: wall)
                }
            } while millisecondsSinceBoot() < end
        }
        return .goesOn
    }

    private func finish() throws(VaultError) -> Advance {
        let database = packer.store.database
        guard !pending.isEmpty else { return .done }
        guard try database.checkpointWithoutWaiting() else { return .waitsForReaders }
        // Ranges that were added in the meantime stay pending.
        try packer.store.change(user) { () throws(VaultError) in
            // What was deleted with a workout in the meantime is to be looked for again, and so is what a clock block may have moved.
            guard var document = try deletions.read(user), document.ways == self.document.ways,
                document.moves == self.document.moves
            else { return }
            for range in pending.ranges { document.pending.remove(range) }
            try deletions.write(document, of: user)
        }
        return .done
    }
}
