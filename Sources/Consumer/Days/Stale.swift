import Daemon
package import Reactor
import Readings
package import Records
package import Storage
import Synchronization
package import Telemetry

// What does not add up is computed again.
//
// Hours are marked in the table `stale` in the transaction that makes them wrong, so no restart loses one. They are
// computed on the session's thread, an hour at a time and for a few milliseconds at once, one person after another:
// blocks keep coming in between. If somebody asks about a person, that person's hours are done first, if they are
// few.
//
// A range may be as wide as all times that there can be, when the clock of a gateway was wrong by decades. It is not
// walked hour by hour, but from each hour that has something stored or kept to the next such hour.
//
// An hour may also hold far more than a few milliseconds are enough for. An hour that was not read within a portion is
// read separately, on a thread and a connection of its own, while the session's thread continues. So is a person's next
// hour after one that took more than `longStep` however little was read. What was read is kept only if nothing of it
// has changed in the meantime:
//
//     marked again      its mark has another number, or there is a new one
//     readings added    `Totals` has said so: `took`
//     forgotten         `spoil`
//
// Otherwise the mark stays, and the hour is read again after a pause. A reading that takes too long is ended, because
// others may wait for theirs; the next one for the same person may take twice as long.

/// Computes stale hours again. Belongs to the thread of its store and keys.
// Proof of @unchecked: touched on the session's thread, or before it starts, or after it has ended. What the other
// thread reads has a store and keys of its own, and `ReadingTime` is atomic.
package final class StaleHours: PeopleObserver, @unchecked Sendable {
    private let store: Store
    private let keys: Keys
    private let derivations: [any Derivation]
    private let recomputations: [Recomputation]
    /// The wall clock, Unix milliseconds.
    package var now: () -> Int64 = unixMilliseconds
    /// Whether everything of a person is being deleted now.
    private let isBeingForgotten: (ID) -> Bool
    /// Reads the hours that have very much in them; nil if nothing does: then each hour is computed in one go.
    package var beside: Beside?
    /// People who have an hour that was not read within a portion.
    private var large: [ID: Large] = [:]
    private var underWay: UnderWay?
    /// The person whose turn it was last.
    private var last = ""
    private var reported = OncePerMinute<String>(capacity: 4)
    private lazy var portions = Portions { [unowned self] in doPortion() }

    /// How long one portion may take.
    package static let portion: Duration = .milliseconds(20)

    /// If an hour took this long, the person's next one is read on the other thread at once.
    var longStep: Duration = .milliseconds(100)

    /// The reading that is under way on the other thread.
    private struct UnderWay {
        let user: ID
        let time: ReadingTime
        /// The greatest number of any mark when the reading began.
        let latest: Int64
        /// The hours in which readings of the person were counted since.
        var taken: [Reading.Kind: Set<Int64>] = [:]
        /// Nothing that was read may be kept.
        var isSpoilt = false
        /// For how many hours of each kind this is noted one by one.
        static let capacity = 4096

        /// Whether a result that covers all of these times may be kept.
        func isGood(_ extent: ReadExtent) -> Bool {
            !isSpoilt
                && !extent.kinds.contains { kind in
                    taken[kind]?.contains { HourSpan.times($0...$0).overlaps(extent.times) } == true
                }
        }
    }

    /// Another thread.
    package struct Beside {
        /// Leaves work for that thread.
        package let perform: (@escaping @Sendable () -> Void) -> Void
        /// Leaves work for the thread of the store and keys.
        package let back: @Sendable (@escaping @Sendable () -> Void) -> Void
        /// Reads in one state of databases that are opened for that alone.
        package let read: @Sendable (Read) throws -> ReadHour?

        package init(
            perform: @escaping (@escaping @Sendable () -> Void) -> Void,
            back: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
            read: @escaping @Sendable (Read) throws -> ReadHour?
        ) {
            self.perform = perform
            self.back = back
            self.read = read
        }
    }

    /// The result of reading an hour, on the other thread or at once.
    package struct ReadHour: Sendable {
        /// Nil if nothing in the range is stored or kept.
        fileprivate let hour: Int64?
        fileprivate let found: [any Sendable]
        /// How long it took.
        fileprivate let duration: Duration
    }

    /// Reads the first hour of a range that has anything stored or kept; nil if the time was over before the end.
    package typealias Read = @Sendable (Store, Keys) throws(VaultError) -> ReadHour?

    private struct Large {
        /// How long the next reading may take.
        var limit: Duration
        /// The next reading does not begin before this.
        var next: ContinuousClock.Instant
    }

    /// How long the first reading on the other thread may take.
    var firstLimit: Duration = .seconds(2)
    /// How long the longest may take. What is deleted, and SQLite's log, wait for its end.
    private static let longest: Duration = .seconds(60)
    /// The thread rests for as long as it has read, no matter who is next: work that needs a moment without a reader
    /// gets one then.
    private var rest = ContinuousClock.now

    package init(
        _ store: Store, _ keys: Keys, _ derivations: [any Derivation], beside: Beside? = nil,
        isBeingForgotten: @escaping (ID) -> Bool = { _ in false }
    ) {
        self.beside = beside
        self.isBeingForgotten = isBeingForgotten
        self.store = store
        self.keys = keys
        self.derivations = derivations
        recomputations = derivations.map { Recomputation($0) }
    }

    /// Computes the stale hours that there are, and those that come, on a loop.
    package func start(_ loop: EventLoop) { portions.start(loop) }

    /// Ends what the other thread reads. After the end of the loop's thread.
    package func stop() { endReading() }

    /// Ends what the other thread reads; it is read again later. For callers that wait until nobody reads the database.
    package func endReading() { underWay?.time.end() }

    /// Readings were counted, within a transaction.
    package func took(_ person: PersonsReadings) {
        guard underWay?.user == person.user else { return }
        for portion in person.portions {
            for reading in portion.readings {
                underWay?.taken[reading.kind, default: []].insert(HourSpan.hour(reading.wall))
            }
        }
        if underWay?.taken.values.contains(where: { $0.count > UnderWay.capacity }) == true { spoil(person.user) }
    }

    /// What is being read of a person is no longer valid, because they are being forgotten.
    package func forgotten(_ user: ID) { spoil(user) }

    private func spoil(_ user: ID) {
        guard underWay?.user == user else { return }
        underWay?.isSpoilt = true
        endReading()
    }

    private func doPortion() -> Portions.Next {
        var isDone = true
        do throws(VaultError) { isDone = try work(within: Self.portion) } catch { report(error) }
        return .after(isDone ? idle : Self.portion)
    }

    /// The time at which there may be something to do: when the other thread has rested, at the latest in a second.
    private var idle: Duration {
        let left = rest - .now
        return left > .zero && left < .seconds(1) ? left : .seconds(1)
    }

    private func report(_ error: any Error) {
        guard reported.allows("stale", now: millisecondsSinceBoot()) else { return }
        log.error("what follows from readings was not computed again; this will be tried again: \(error)")
    }

    /// Works for at most this long on one person's hours.
    /// - Returns: whether there is nobody else to work for now.
    package func work(within limit: Duration) throws(VaultError) -> Bool {
        guard let user = try next() else { return true }
        last = user.text
        if large[user] == nil { _ = try catchUp(user, within: limit) } else { try readBeside(user) }
        return false
    }

    /// Works for at most this long on a person's hours.
    /// - Returns: whether none is left.
    package func catchUp(_ user: ID, within limit: Duration) throws(VaultError) -> Bool {
        guard try range(of: user) != nil, !isBeingForgotten(user) else {
            large[user] = nil
            return true
        }
        guard large[user] == nil else { return false }
        let clock = ContinuousClock()
        let end = clock.now + limit
        let time = ReadingTime(until: beside == nil ? nil : end)
        var (step, isFirst) = (Step.computed, true)
        try change(user) { () throws(VaultError) in
            let stored = Self.stored(store, keys, within: time)
            var now = clock.now
            repeat {
                let begun = now
                step = try recomputeNext(of: user, stored, within: time)
                now = clock.now
                let isLong = beside != nil && step == .computed && now - begun > longStep
                if step == .tooLong && isFirst || isLong { large[user] = Large(limit: firstLimit, next: now) }
                isFirst = false
            } while step == .computed && large[user] == nil && now < end
        }
        return step == .none
    }

    private func change(_ user: ID, _ body: () throws(VaultError) -> Void) throws(VaultError) {
        do throws(VaultError) { try store.change(user, body) } catch {
            for derivation in derivations { derivation.rolledBack() }
            throw error
        }
        for derivation in derivations { derivation.committed() }
    }

    /// The next person: they take turns, because one may have years of hours.
    private func next() throws(VaultError) -> ID? {
        var after = last
        var hasWrapped = false
        while true {
            let found = try store.database.first(
                "SELECT person FROM stale WHERE person > ? ORDER BY person LIMIT 1", [.text(after)], row: Row.text)
            guard let found else {
                guard !hasWrapped else { return nil }
                (after, hasWrapped) = ("", true)
                continue
            }
            after = found
            if let user = decoded({ () throws(MalformedValue) in try ID(found) }) {
                if !isBeingForgotten(user), !isWaiting(user) { return user }
            } else {
                try store.database.execute("DELETE FROM stale WHERE person = ?", [.text(found)])
            }
        }
    }

    /// Whether the other thread cannot read a person's next hour at this moment.
    private func isWaiting(_ user: ID) -> Bool {
        guard let large = large[user] else { return false }
        let now = ContinuousClock.now
        return underWay != nil || now < rest || now < large.next
    }

    private typealias Mark = (number: Int64, first: Int64, last: Int64)

    private func range(of user: ID) throws(VaultError) -> Mark? {
        try store.database.first(
            "SELECT number, first_hour, last_hour FROM stale WHERE person = ? ORDER BY number LIMIT 1",
            [.text(user.text)]
        ) { row throws(VaultError) in
            (number: try row.int("number"), first: try row.int("first_hour"), last: try row.int("last_hour"))
        }
    }

    private enum Step {
        /// There was none.
        case none
        case computed
        /// The time was over; nothing was changed.
        case tooLong
    }

    /// Computes one hour of a person again.
    private func recomputeNext(
        of user: ID, _ stored: StoredReadings, within time: ReadingTime
    ) throws(VaultError) -> Step {
        guard let range = try range(of: user) else { return .none }
        guard try hasSecret(user) else { return .none }
        guard let read = try reader(of: user, range, within: time)(stored) else { return .tooLong }
        try keep(read, of: user, range)
        return .computed
    }

    /// Whether anything can be kept for a person; otherwise their marks go, and nothing is computed.
    private func hasSecret(_ user: ID) throws(VaultError) -> Bool {
        if try keys.version(of: user) != nil { return true }
        try store.database.execute("DELETE FROM stale WHERE person = ?", [.text(user.text)])
        try store.removeLock(of: user)
        return false
    }

    /// Keeps what was read, and shortens its mark.
    private func keep(_ read: ReadHour, of user: ID, _ range: Mark) throws(VaultError) {
        if let hour = read.hour {
            let now = now()
            for (recomputation, found) in zip(recomputations, read.found) {
                try recomputation.replace(hour, user, found, now)
            }
        }
        if let hour = read.hour, hour < range.last {
            try store.database.execute(
                "UPDATE stale SET first_hour = ? WHERE number = ?", [.integer(hour + 1), .integer(range.number)])
        } else {
            try store.database.execute("DELETE FROM stale WHERE number = ?", [.integer(range.number)])
        }
    }

    /// What is stored, to be read within one transaction: no clock block comes while it lasts.
    private static func stored(_ store: Store, _ keys: Keys, within time: ReadingTime) -> StoredReadings {
        var stored = StoredReadings(store: store, keys: keys)
        stored.goesOn = { time.goesOn(after: $0) }
        stored.clocks = KnownClocks()
        return stored
    }

    private typealias HourReader = @Sendable (StoredReadings) throws(VaultError) -> ReadHour?

    /// Makes what reads the next hour of a person.
    private func reader(of user: ID, _ range: Mark, within time: ReadingTime) throws(VaultError) -> HourReader {
        var readers: [Recomputation.Reader] = []
        for recomputation in recomputations { readers.append(try recomputation.reader(user)) }
        let kept = recomputations.map { $0.kept(user) }
        return { [readers] stored throws(VaultError) in
            let begun = ContinuousClock.now
            var hour: Int64? = range.first
            if range.first < range.last {
                hour = try stored.nextHour(of: user, range.first...range.last, keptBy: kept)
            }
            var found: [any Sendable] = []
            if let hour {
                for read in readers { found.append(try read(hour, stored)) }
            }
            return time.isOver ? nil : ReadHour(hour: hour, found: found, duration: .now - begun)
        }
    }
}

// MARK: - Beside

extension StaleHours {
    /// Has a person's next hour read on the other thread.
    private func readBeside(_ user: ID) throws(VaultError) {
        guard let beside, let limit = large[user]?.limit else { return }
        var hasSecret = false
        try change(user) { () throws(VaultError) in hasSecret = try self.hasSecret(user) }
        guard hasSecret, let range = try range(of: user) else {
            large[user] = nil
            return
        }
        let begun = ContinuousClock.now
        let time = ReadingTime(until: begun + limit)
        let reader = try reader(of: user, range, within: time)
        let latest = try store.database.first(
            "SELECT max(number) FROM stale WHERE person = ?", [.text(user.text)], row: Row.int)
        underWay = UnderWay(user: user, time: time, latest: latest ?? range.number)
        let (read, back) = (beside.read, beside.back)
        beside.perform { [self] in
            let outcome = Result {
                try read { store, keys throws(VaultError) in try reader(Self.stored(store, keys, within: time)) }
            }
            back { [self] in
                let ended = underWay
                underWay = nil
                var isKept = false
                var isLittle = false
                do {
                    let found = try outcome.get()
                    isLittle = found.map { $0.duration < Self.portion } ?? false
                    isKept = try wasRead(found, range, ended)
                } catch { report(error) }
                let now = ContinuousClock.now
                rest = now + (now - begun)
                // If it was little, so may be the next hour.
                if isKept { large[user] = isLittle ? nil : Large(limit: firstLimit, next: now) }
                if !isKept {
                    // Others take their turns in the meantime.
                    large[user]?.limit = min(limit * 2, Self.longest)
                    large[user]?.next = now + (now - begun) * 8
                }
                portions.goOn()
            }
        }
    }

    /// Keeps what the other thread has read, if it is still valid.
    private func wasRead(_ read: ReadHour?, _ range: Mark, _ ended: UnderWay?) throws(VaultError) -> Bool {
        guard let read, let ended, !isBeingForgotten(ended.user) else { return false }
        let user = ended.user
        var isKept = false
        try change(user) { () throws(VaultError) in
            guard let marked = try self.range(of: user), marked == range, try hasSecret(user) else { return }
            if let hour = read.hour {
                for (recomputation, found) in zip(recomputations, read.found) {
                    guard let extent = recomputation.extent(hour, found), ended.isGood(extent),
                        try !isMarkedAgain(user, extent.times, after: ended.latest)
                    else { return }
                }
            }
            try keep(read, of: user, range)
            isKept = true
        }
        return isKept
    }

    /// Whether some of these times have a mark that was not there before.
    private func isMarkedAgain(_ user: ID, _ times: Range<Int64>, after latest: Int64) throws(VaultError) -> Bool {
        guard !times.isEmpty else { return false }
        return try store.database.first(
            "SELECT 1 FROM stale WHERE person = ? AND number > ? AND first_hour <= ? AND last_hour >= ? LIMIT 1",
            [
                .text(user.text), .integer(latest), .integer(HourSpan.hour(times.upperBound - 1)),
                .integer(HourSpan.hour(times.lowerBound)),
            ], row: Row.int) != nil
    }
}
