package import Readings
package import Records
package import Storage
package import Telemetry

// What readings mean to a person is kept as blocks are committed, in the same transaction: either a reading is stored
// and counted, or neither. What is kept is chosen so that it adds up in any order (`Derivation`), because blocks come
// late, and from several gateways.
//
//     Ingest, a batch's blocks      opened and stored; each becomes an `Arrival`
//     Totals.take                   corrects the times, hides what is another person's, sorts by person
//       ├ days                      steps and temperatures of each day, goals: Days.swift
//       └ minutes of heart rate     HeartRateMinutes.swift
//     COMMIT
//     Totals.committed              what changed is told: PeopleChanges
//
// If readings do not simply add up, their hours are marked `stale` in the same transaction, and soon after they are
// computed again from the stored readings: a clock block moves readings that were counted; a loose block may repeat
// some, and a block that comes after it may repeat those of the loose one.

/// What a batch brought of one person: times are corrected, and another person's readings are left out.
package struct PersonsReadings {
    /// Readings of one sensor, as they were in one block: a batch has many readings, and copies none of them.
    package struct Portion {
        /// `home/strap`: counters are a sensor's.
        package let sensor: String
        /// The number of the row of its stream.
        package let stream: Int64
        package let readings: [BareReading]
    }

    package struct Entry {
        /// As in `Portion`.
        package let sensor: String
        package let bare: BareReading
        /// Without RR intervals and energy; nil for kinds of which only the time is known.
        package var reading: Reading? { bare.reading }

        package init(sensor: String, reading: Reading) { self.init(sensor: sensor, BareReading(reading)) }

        package init(sensor: String, _ bare: BareReading) { (self.sensor, self.bare) = (sensor, bare) }
    }

    package let user: ID
    package private(set) var portions: [Portion] = []

    package init(user: ID) { self.user = user }

    package init(user: ID, entries: [Entry]) {
        self.user = user
        portions = entries.map { Portion(sensor: $0.sensor, stream: 0, readings: [$0.bare]) }
    }

    package mutating func add(_ readings: [BareReading], sensor: String, stream: Int64 = 0) {
        if !readings.isEmpty { portions.append(Portion(sensor: sensor, stream: stream, readings: readings)) }
    }

    /// One reading after the other.
    package var entries: [Entry] {
        portions.flatMap { portion in portion.readings.map { Entry(sensor: portion.sensor, $0) } }
    }

    /// The times of all readings.
    package var walls: some Sequence<Int64> { portions.lazy.flatMap { $0.readings.lazy.map { $0.wall } } }
}

/// Something that is kept of people's readings.
package protocol Derivation: AnyObject {
    /// Adds what a batch brought, within its transaction.
    /// - Parameter now: Unix milliseconds.
    func take(_ people: [PersonsReadings], now: Int64) throws(VaultError)
    /// What is read of an hour to compute it again, and then replaces what was kept of it.
    associatedtype Hour: Sendable
    /// Makes a reader of one of a person's hours (since 1970, UTC). It reads one state of the database, changes
    /// nothing, and runs on whichever thread the stored readings are open on.
    func hourReader(of user: ID) throws(VaultError) -> @Sendable (Int64, StoredReadings) throws(VaultError) -> Hour
    /// Makes what finds the first of some hours (since 1970, UTC) in which anything may be kept of a person; nil if
    /// there is no such hour. It reads the database that it is given, on whichever thread that is open.
    func firstKept(of user: ID) -> @Sendable (ClosedRange<Int64>, Store) throws(VaultError) -> Int64?
    /// The times and kinds that a result for an hour covers completely.
    func extent(of found: Hour, _ hour: Int64) -> ReadExtent
    /// Replaces everything that was kept of an hour with what was read of it, within a transaction.
    func replace(_ hour: Int64, of user: ID, with found: Hour, now: Int64) throws(VaultError)
    /// Computes everything that is kept of a person again from the stored readings, and compares: how much is kept, and
    /// how much of it differs or is missing. Nothing is changed.
    func recount(of user: ID) throws(VaultError) -> (kept: Int, differing: Int)
    /// Called when the readings that were taken are committed.
    func committed()
    /// Called when the readings that were taken since the last commit are rolled back.
    func rolledBack()
}

/// Readings of these times (Unix milliseconds) and kinds: a result for them is spoilt if others were taken since.
package struct ReadExtent {
    package let times: Range<Int64>
    package let kinds: Set<Reading.Kind>

    package init(times: Range<Int64>, kinds: Set<Reading.Kind>) { (self.times, self.kinds) = (times, kinds) }
}

/// Keeps what is derived from readings. Belongs to the thread of its store and keys.
package final class Totals: ReadingsSink {
    package let store: Store
    package let keys: Keys
    /// In the order in which they take readings.
    package let derivations: [any Derivation]
    /// Hears what was taken: an hour may be read at this moment.
    package let stale: StaleHours?
    /// What people had deleted is not counted.
    package let deletions: Deletions
    /// By how much clocks were wrong, for streams in use.
    private var corrections: [Int64: (view: UInt64, corrections: Corrections)] = [:]
    /// The hours in which streams in use have loose records, by their gateways' clocks.
    private var looseHours: [Int64: (view: UInt64, hours: HourRanges)] = [:]
    private static let capacity = 1024

    package init(_ store: Store, _ keys: Keys, _ derivations: [any Derivation] = [], stale: StaleHours? = nil) {
        self.store = store
        self.keys = keys
        self.derivations = derivations
        self.stale = stale
        deletions = Deletions(store, keys)
    }

    /// Adds what a batch brought, within its transaction.
    package func take(_ arrivals: [Arrival], _ clocks: [ClockArrival], now: Int64) throws(VaultError) {
        for arrival in clocks { corrections[arrival.stream.number]?.corrections.add(arrival.clock) }
        for name in Set(clocks.map(\.stream.user)) {
            // Nothing can be kept of somebody without a secret.
            guard let user = decoded({ () throws(MalformedValue) in try ID(name) }),
                let version = try keys.version(of: user), try keys.person(name, version: version) != nil
            else { continue }
            try deletions.seekAgain(user)
        }
        guard !derivations.isEmpty else { return }
        var boots: [Int64: (stream: StoredStream, counts: [BootID: Int])] = [:]
        for arrival in clocks {
            boots[arrival.stream.number, default: (arrival.stream, [:])].counts[arrival.clock.boot, default: 0] += 1
        }
        for (stream, counts) in boots.values { try markStale(stream, counts) }
        for arrival in arrivals where arrival.isLoose {
            guard let hours = HourSpan(arrival.readings.lazy.map { $0.wall }) else { continue }
            looseHours[arrival.stream.number]?.hours.insert(hours.first...hours.last)
        }
        var people: [PersonsReadings] = []
        var places: [ID: Int] = [:]
        var views: [Int64: View] = [:]
        var last: View?
        for arrival in arrivals {
            let stream = arrival.stream
            if last?.stream != stream.number {
                guard let user = decoded({ () throws(MalformedValue) in try ID(stream.user) }) else { continue }
                let place = places[user] ?? people.count
                if place == people.count {
                    people.append(PersonsReadings(user: user))
                    places[user] = place
                }
                let view: View
                if let known = views[stream.number] { view = known } else { view = try View(stream, user, place, self) }
                views[stream.number] = view
                last = view
            }
            guard let view = last else { continue }
            let readings = view.counted(of: arrival)
            if try mayRepeat(arrival), let hours = HourSpan(readings.lazy.map { $0.wall }) {
                try store.markStale(view.user, hours.first...hours.last)
            }
            // Readings that are counted twice by mistake are seen only until their hours are counted again.
            if !arrival.isLoose { people[view.place].add(readings, sensor: view.sensor, stream: view.stream) }
        }
        var all: [PersonsReadings] = []
        for person in people where !person.portions.isEmpty {
            // Nothing is kept of a person who is being forgotten.
            guard let version = try keys.version(of: person.user) else { continue }
            if try keys.person(person.user.text, version: version) != nil {
                all.append(person)
            } else if let hours = HourSpan(person.walls) {
                // Nothing can be sealed for them until their secret is back. What others sent should not wait for that.
                try store.markStale(person.user, hours.first...hours.last)
            }
        }
        for person in all { stale?.took(person) }
        for derivation in derivations { try derivation.take(all, now: now) }
    }

    package func committed() { for derivation in derivations { derivation.committed() } }

    /// What was read is no longer valid: a person was forgotten, and the number of one of their streams may be
    /// another's now.
    package func forgetRead() {
        (corrections, looseHours) = ([:], [:])
        deletions.forgetRead()
    }

    package func rolledBack() {
        forgetRead()
        for derivation in derivations { derivation.rolledBack() }
    }

    /// What must be known about a stream whose readings are taken.
    private final class View {
        let stream: Int64
        let user: ID
        /// The index of its person among those whose readings are taken.
        let place: Int
        let sensor: String
        private let corrections: Corrections
        private let foreign: [Range<Int64>]
        private let deleted: DeletedRanges
        private let isPlain: Bool

        init(_ stream: StoredStream, _ user: ID, _ place: Int, _ totals: Totals) throws(VaultError) {
            (self.stream, self.user, self.place) = (stream.number, user, place)
            sensor = "\(stream.gateway)/\(stream.sensor)"
            corrections = try totals.corrections(of: stream)
            foreign = try totals.store.foreignTimes(of: stream)
            deleted = try totals.deletions.ranges(of: user)
            isPlain = corrections.isEmpty && foreign.isEmpty && deleted.isEmpty
        }

        /// The readings of a block, except those that are another person's, and those that their owner had deleted.
        func counted(of arrival: Arrival) -> [BareReading] {
            guard !isPlain else { return arrival.readings }
            return arrival.readings.compactMap { reading in
                let corrected = corrections.corrected(reading, of: arrival.boot)
                let wall = corrected.wall
                if foreign.contains(where: { $0.contains(wall) }) { return nil }
                return reading.kind == .heartRate && deleted.contains(wall) ? nil : corrected
            }
        }
    }

    /// Whether readings of a block may be counted already: those of a loose one, and those that a loose one brought
    /// before.
    private func mayRepeat(_ arrival: Arrival) throws(VaultError) -> Bool {
        guard !arrival.isLoose else { return true }
        let loose = try looseHours(of: arrival.stream)
        guard !loose.isEmpty, let hours = HourSpan(arrival.readings.lazy.map { $0.wall }) else { return false }
        return loose.overlaps(hours.first...hours.last)
    }

    private func looseHours(of stream: StoredStream) throws(VaultError) -> HourRanges {
        let view = stream.view(in: store)
        if let known = looseHours[stream.number], known.view == view { return known.hours }
        var read = HourRanges()
        try store.database.forEach(
            """
            SELECT DISTINCT first_hour, first_hour + hours_more AS last_hour FROM blocks WHERE number IN
                (SELECT block FROM records WHERE session IN (SELECT number FROM sessions WHERE stream = ?))
            """, [.integer(stream.number)]
        ) { row throws(VaultError) in read.insert((try row.int("first_hour"))...(try row.int("last_hour"))) }
        if looseHours.count >= Self.capacity { looseHours = [:] }
        looseHours[stream.number] = (view, read)
        return read
    }

    /// By how much the clocks of a stream's gateway were wrong, as far as stored blocks say.
    package func corrections(of stream: StoredStream) throws(VaultError) -> Corrections {
        let view = stream.view(in: store)
        if let known = corrections[stream.number], known.view == view { return known.corrections }
        guard let person = try keys.person(stream.user, version: stream.secretVersion) else { return Corrections() }
        var reader = StreamReader(stream, person, store)
        let read = try Corrections(of: stream, &reader, store)
        if corrections.count >= Self.capacity { corrections = [:] }
        corrections[stream.number] = (view, read)
        return read
    }

    /// How many marks one clock block may make.
    private static let mostMarks = 64

    /// Marks the hours in which readings of some boots were counted, and those to which they move. No block is opened
    /// for that: each row says its hours, and a row that was stored before the boot's first session cannot have any
    /// such readings.
    /// - Parameter boots: with the number of clock blocks that came of each.
    private func markStale(_ stream: StoredStream, _ boots: [BootID: Int]) throws(VaultError) {
        guard let user = decoded({ () throws(MalformedValue) in try ID(stream.user) }) else { return }
        let corrections = try corrections(of: stream)
        var shifts: Set<ClosedRange<Int64>> = []
        for (boot, count) in boots { shifts.formUnion(corrections.shifts(of: boot, withLast: count)) }
        let rows = try hours(of: stream, boots)
        // A boot of a year has a row for each hour: hours that are close together are one range.
        var spans: [ClosedRange<Int64>] = []
        for row in rows {
            if let last = spans.last, row.lowerBound - 24 <= last.upperBound {
                spans[spans.count - 1] = last.lowerBound...max(last.upperBound, row.upperBound)
            } else {
                spans.append(row)
            }
        }
        // A gateway may have made very many of them: then one mark represents all of them. It is walked from one stored
        // hour to the next.
        var moved = shifts.sorted { $0.lowerBound < $1.lowerBound }
        if spans.count * moved.count > Self.mostMarks {
            spans = Self.hull(spans)
            moved = Self.hull(moved)
        }
        for span in spans {
            for shift in moved {
                let first = HourSpan.hour(span.lowerBound &* 3_600_000 &+ shift.lowerBound)
                let last = HourSpan.hour((span.upperBound + 1) &* 3_600_000 &- 1 &+ shift.upperBound)
                // No reading is moved farther than to the limit of all times.
                let known = HourSpan.earliest...HourSpan.latest
                if first <= last { try store.markStale(user, (first...last).clamped(to: known)) }
            }
        }
    }

    /// From the first of some ranges to the last.
    private static func hull(_ ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
        guard let first = ranges.map(\.lowerBound).min(), let last = ranges.map(\.upperBound).max() else { return [] }
        return [first...last]
    }

    /// The hours of the rows that may have readings of some boots: a stream is looked through once for a batch.
    private func hours(of stream: StoredStream, _ boots: [BootID: Int]) throws(VaultError) -> [ClosedRange<Int64>] {
        if boots.count == 1, let boot = boots.keys.first {
            return try store.database.query(
                """
                SELECT DISTINCT first_hour, first_hour + hours_more AS last_hour FROM blocks
                JOIN sessions ON sessions.number = blocks.session
                WHERE blocks.stream = ?1 AND kinds != 0 AND (boot = ?2 OR type NOT IN (1, 2)) AND blocks.number > (
                    SELECT coalesce(min(after_block), 9223372036854775807) FROM sessions
                    WHERE stream = ?1 AND boot = ?2)
                ORDER BY first_hour
                """, [.integer(stream.number), .blob(boot.bytes)]
            ) { row throws(VaultError) in (try row.int("first_hour"))...(try row.int("last_hour")) }
        }
        var after = Int64.max
        try store.database.forEach(
            "SELECT boot, min(after_block) AS after_block FROM sessions WHERE stream = ? GROUP BY boot",
            [.integer(stream.number)]
        ) { row throws(VaultError) in
            let bytes = try row.blob("boot")
            guard let boot = decoded({ () throws(MalformedValue) in try BootID(bytes: bytes) }), boots[boot] != nil
            else { return }
            after = min(after, try row.int("after_block"))
        }
        return try store.database.query(
            """
            SELECT DISTINCT first_hour, first_hour + hours_more AS last_hour FROM blocks
            WHERE stream = ? AND kinds != 0 AND number > ? ORDER BY first_hour
            """, [.integer(stream.number), .integer(after)]
        ) { row throws(VaultError) in (try row.int("first_hour"))...(try row.int("last_hour")) }
    }
}

/// Some ranges of hours, at most as many as can be looked through for each block.
struct HourRanges {
    private var all = SeparateRanges()
    /// No more than these are kept apart: the hours between the closest ranges are then included.
    static let capacity = 1000

    /// In their order, apart from each other.
    var ranges: [ClosedRange<Int64>] { all.ranges.map { ClosedRange($0) } }

    var isEmpty: Bool { all.isEmpty }

    /// Whether some of the hours may be among these.
    func overlaps(_ hours: ClosedRange<Int64>) -> Bool { all.overlaps(Range(hours)) }

    mutating func insert(_ hours: ClosedRange<Int64>) {
        all.insert(Range(hours))
        if all.ranges.count > Self.capacity { all.joinClosest() }
    }
}
