import Readings
import Records
import Storage
import Synchronization
import Telemetry

// What the recomputation of stale hours reads, and for how long.

/// How long a reading may take. For any thread.
final class ReadingTime: Sendable {
    private let deadline: ContinuousClock.Instant?
    private let hasEnded = Atomic(false)
    private let blocks = Atomic(0)

    /// This many blocks are read however long it takes: a busy machine is no reason to read a few blocks on another
    /// thread.
    static let leastBlocks = 32

    init(until deadline: ContinuousClock.Instant?) { self.deadline = deadline }

    /// Whether the reader was told, or will be told, not to read on.
    var isOver: Bool { hasEnded.load(ordering: .relaxed) }

    func end() { hasEnded.store(true, ordering: .relaxed) }

    /// Whether to read on, after that many more blocks were read.
    func goesOn(after more: Int) -> Bool {
        let count = blocks.wrappingAdd(more, ordering: .relaxed).newValue
        if let deadline, count > Self.leastBlocks, ContinuousClock.now >= deadline { end() }
        return !isOver
    }
}

/// A derivation whose hours are computed again, of whatever type its hours are.
struct Recomputation {
    typealias Reader = @Sendable (Int64, StoredReadings) throws(VaultError) -> any Sendable
    typealias Kept = @Sendable (ClosedRange<Int64>, Store) throws(VaultError) -> Int64?

    let reader: (ID) throws(VaultError) -> Reader
    let kept: (ID) -> Kept
    /// Nil if it is of another type, which cannot happen.
    let extent: (Int64, any Sendable) -> ReadExtent?
    let replace: (Int64, ID, any Sendable, _ now: Int64) throws(VaultError) -> Void

    init<Derived: Derivation>(_ derivation: Derived) {
        reader = { user throws(VaultError) in
            let read = try derivation.hourReader(of: user)
            return { hour, stored throws(VaultError) in try read(hour, stored) }
        }
        kept = { user in derivation.firstKept(of: user) }
        extent = { hour, found in (found as? Derived.Hour).map { derivation.extent(of: $0, hour) } }
        replace = { hour, user, found, now throws(VaultError) in
            guard let found = found as? Derived.Hour else { return }
            try derivation.replace(hour, of: user, with: found, now: now)
        }
    }
}

extension StoredReadings {
    /// The first of some hours in which something of a person is stored or kept; nil if there is no such hour.
    /// - Parameter derivations: what each finds of its own in some hours.
    func nextHour(
        of user: ID, _ hours: ClosedRange<Int64>, keptBy derivations: [Recomputation.Kept]
    ) throws(VaultError) -> Int64? {
        var kept: Int64?
        for firstKept in derivations {
            guard let hour = try firstKept(hours, store), hours.contains(hour) else { continue }
            kept = min(kept ?? .max, hour)
        }
        if kept == hours.lowerBound { return kept }
        // A block that reaches further says nothing about the hours between its first reading and its last.
        for stream in try store.streams(of: user) {
            let found = try store.database.first(
                """
                SELECT 1 FROM blocks WHERE stream = ?1 AND kinds != 0 AND first_hour BETWEEN ?2 - 1 AND ?2
                    AND hours_more <= 1 AND first_hour + hours_more >= ?2 LIMIT 1
                """, [.integer(stream.number), .integer(hours.lowerBound)], row: Row.int)
            if found != nil { return hours.lowerBound }
        }
        // The hours of blocks, by their gateways' clocks, say little about the hours of their readings.
        var next = kept
        let end = HourSpan.times(hours).upperBound
        for kind in Reading.Kind.allCases {
            let start = HourSpan.times(hours).lowerBound
            let limit = next.map { HourSpan.times($0...$0).upperBound } ?? end
            _ = try each(of: user, kind, from: start, to: min(end, limit)) { reading in
                next = min(next ?? .max, HourSpan.hour(reading.moment.wall))
                return false
            }
        }
        return next
    }
}
