import Daemon
import Reactor
import Storage
import Telemetry

// What does not add up is computed again.
//
// Hours are marked in the table `stale` in the transaction in which they came to be wrong, so no restart loses one. They are worked off on the
// session's thread, an hour at a time and for a few milliseconds at once, one person after another: blocks go on coming in between. Whoever
// asks about a person has theirs done first, where it is little.
//
// A range may be as wide as all times that there can be, when the clock of a gateway was wrong by decades. It is not walked hour by hour, but
// from each hour of which something is stored or kept to the next.

/// Computes stale hours again. Belongs to the thread of its store and keys.
final class StaleHours {
    private let store: Store
    private let keys: Keys
    private let derivations: [any Derivation]
    /// The wall clock, Unix milliseconds.
    var now: () -> Int64 = unixMilliseconds
    /// Whether all that is a person's is being deleted now.
    var isBeingForgotten: (ID) -> Bool = { _ in false }
    /// Whose turn it was.
    private var last = ""
    private var reported = OncePerMinute<String>(capacity: 4)

    /// How long one portion may take.
    static let portion: Duration = .milliseconds(20)

    init(_ store: Store, _ keys: Keys, _ derivations: [any Derivation]) {
        self.store = store
        self.keys = keys
        self.derivations = derivations
    }

    /// Works off what there is, and what comes, on a loop.
    func start(_ loop: EventLoop) {
        var isDone = true
        do throws(VaultError) { isDone = try work(within: Self.portion) } catch {
            if reported.allows("stale", now: millisecondsSinceBoot()) {
                log.error("what follows from readings was not computed again; this will be tried again: \(error)")
            }
        }
        loop.after(isDone ? .seconds(1) : Self.portion) { [weak self] in self?.start(loop) }
    }

    /// Works for so long on one person's hours.
    /// - Returns: whether nobody has any left.
    func work(within limit: Duration) throws(VaultError) -> Bool {
        guard let user = try next() else { return true }
        last = user.text
        _ = try catchUp(user, within: limit)
        return false
    }

    /// Works for so long on a person's hours.
    /// - Returns: whether none is left.
    func catchUp(_ user: ID, within limit: Duration) throws(VaultError) -> Bool {
        guard try range(of: user) != nil, !isBeingForgotten(user) else { return true }
        let clock = ContinuousClock()
        let end = clock.now + limit
        var isDone = false
        do throws(VaultError) {
            try store.database.transaction { () throws(VaultError) in
                repeat { isDone = try !recomputeNext(of: user) } while !isDone && clock.now < end
            }
        } catch {
            for derivation in derivations { derivation.rolledBack() }
            throw error
        }
        for derivation in derivations { derivation.committed() }
        return isDone
    }

    /// Who is next: by turns, for one may have years of hours.
    private func next() throws(VaultError) -> ID? {
        var after = last
        var hasWrapped = false
        while true {
            let found = try store.database.first(
                "SELECT user FROM stale WHERE user > ? ORDER BY user LIMIT 1", [.text(after)], row: Row.text)
            guard let found else {
                guard !hasWrapped else { return nil }
                (after, hasWrapped) = ("", true)
                continue
            }
            after = found
            if let user = decoded({ () throws(MalformedValue) in try ID(found) }) {
                if !isBeingForgotten(user) { return user }
            } else {
                try store.database.execute("DELETE FROM stale WHERE user = ?", [.text(found)])
            }
        }
    }

    private typealias Range = (number: Int64, first: Int64, last: Int64)

    private func range(of user: ID) throws(VaultError) -> Range? {
        try store.database.first(
            "SELECT number, first_hour, last_hour FROM stale WHERE user = ? ORDER BY number LIMIT 1", [.text(user.text)]
        ) { row throws(VaultError) in (number: try row.int(0), first: try row.int(1), last: try row.int(2)) }
    }

    /// Computes one hour of a person again.
    /// - Returns: whether there was any.
    private func recomputeNext(of user: ID) throws(VaultError) -> Bool {
        guard let range = try range(of: user) else { return false }
        guard try keys.version(of: user) != nil else {
            try store.database.execute("DELETE FROM stale WHERE user = ?", [.text(user.text)])
            return false
        }
        var hour: Int64? = range.first
        if range.first < range.last { hour = try nextHour(of: user, range.first...range.last) }
        if let hour {
            let now = now()
            for derivation in derivations { try derivation.recompute(user, hours: hour...hour, now: now) }
        }
        if let hour, hour < range.last {
            try store.database.execute(
                "UPDATE stale SET first_hour = ? WHERE number = ?", [.integer(hour + 1), .integer(range.number)])
        } else {
            try store.database.execute("DELETE FROM stale WHERE number = ?", [.integer(range.number)])
        }
        return true
    }
}

// MARK: - Where there is something

extension StaleHours {
    /// The first of some hours in which something of a person is stored or kept; nil where there is none.
    private func nextHour(of user: ID, _ hours: ClosedRange<Int64>) throws(VaultError) -> Int64? {
        let kept = try firstKept(of: user, hours)
        if kept == hours.lowerBound { return kept }
        // A block that reaches further says nothing of the hours between its first reading and its last.
        for stream in try store.streams(of: user) {
            let found = try store.database.first(
                """
                SELECT 1 FROM blocks WHERE stream = ?1 AND kinds != 0 AND first_hour BETWEEN ?2 - 1 AND ?2
                    AND hours_more <= 1 AND first_hour + hours_more >= ?2 LIMIT 1
                """, [.integer(stream.number), .integer(hours.lowerBound)], row: Row.int)
            if found != nil { return hours.lowerBound }
        }
        // Where blocks lie by their gateways' clocks says little of where their readings do.
        var next = kept
        let stored = StoredReadings(store: store, keys: keys)
        let end = HourSpan.times(hours).upperBound
        for kind in Reading.Kind.allCases {
            let start = HourSpan.times(hours).lowerBound
            let limit = next.map { HourSpan.times($0...$0).upperBound } ?? end
            _ = try stored.each(of: user, kind, from: start, to: min(end, limit)) { reading in
                next = min(next ?? .max, HourSpan.hour(reading.moment.wall))
                return false
            }
        }
        return next
    }

    /// The first of some hours in which the tables of days and heart rates may hold something: a row of a day stands for all its hours.
    private func firstKept(of user: ID, _ hours: ClosedRange<Int64>) throws(VaultError) -> Int64? {
        let first = hours.lowerBound
        let day = first >= 0 ? first / 24 : (first + 1) / 24 - 1
        var found: [Int64] = []
        func look(_ sql: String, _ from: Int64) throws(VaultError) -> Int64? {
            try store.database.first(sql, [.text(user.text), .integer(from)]) { row throws(VaultError) in
                try row.intIfPresent(0)
            }.flatMap { $0 }
        }
        if let hour = try look("SELECT min(hour) FROM heart_rate_hours WHERE user = ? AND hour >= ?", first) {
            found.append(hour)
        }
        if let number = try look("SELECT min(day) FROM heart_rate_days WHERE user = ? AND day >= ?", day) {
            found.append(max(first, number * 24))
        }
        // A day of a calendar begins and ends up to 26 hours from that of UTC.
        if let number = try look("SELECT min(day) FROM days WHERE user = ? AND day >= ?", day - 2) {
            found.append(max(first, number * 24 - 26))
        }
        return found.min().flatMap { $0 <= hours.upperBound ? $0 : nil }
    }
}
