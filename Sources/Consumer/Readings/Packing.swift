import Daemon
package import Reactor
package import Records
package import Storage
package import Telemetry

// Blocks of closed hours become packed rows, in between everything else that the session's thread does.
//
// Each minute it looks for what to pack: hours that have been over for two hours, and of which no block came in the
// last minute. The numbers of rows show what came, because they rise: rows up to the greatest number of the last tick
// are a minute old. Then
//
//     counting     what somebody had deleted: `HiddenCount`
//     packing      hour by hour, each stream's blocks: `HourPacker`; each hour also loose blocks, for what was deleted
//     removing     rows from which somebody had a range of heart rate deleted: `RangeRemoval`
//     folding      minutes of heart rate of closed hours: `ClosedHours`
//
// is done in portions of a few milliseconds, each a transaction, with pauses as long. A portion that was under way when
// the process was killed is done again. While somebody reads an older state of the database, for example for a backup,
// SQLite's log cannot be emptied and would grow with each row that is written again: if it is long, packing waits. A
// person who is being forgotten is left alone.

/// What is kept of hours otherwise, and becomes smaller when they are over.
package protocol ClosedHours: AnyObject {
    /// Folds hours before one (since 1970, UTC): at most about a day of one person in a call, in a transaction of its
    /// own; nothing of people for whom `isBusy` holds, because they are being forgotten.
    /// - Parameter now: Unix milliseconds.
    /// - Returns: whether there may be more.
    func fold(before hour: Int64, isBusy: (ID) -> Bool, now: Int64) throws(VaultError) -> Bool
}

/// Packs what is old. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class Packing: @unchecked Sendable {
    /// A portion ends with the step that goes over this, in milliseconds.
    package static let portion: UInt64 = 10
    /// How long SQLite's log may be, in pages, before packing waits for readers.
    var longLog = 8192
    package static let interval: Duration = .seconds(60)

    private let store: Store
    private let keys: Keys
    private let deletions: Deletions
    private let closedHours: any ClosedHours
    private let isBeingForgotten: (ID) -> Bool
    private lazy var work = Portions { [unowned self] in doPortion() }
    /// The greatest row number at each tick of the last hour.
    private var marks: [Int64] = []
    private var pass: PackingPass?
    private var counts: [HiddenCount] = []
    private var removal: RangeRemoval?
    /// Somebody reads an older state, which still holds what is removed. Set until the next tick.
    private var isRemovalWaiting = false
    private var portions = 0
    /// Hours that could not be packed, and people whose ranges could not be removed, though nothing is wrong with the
    /// machine: they are left alone until the next start, so that everything else has its turn.
    private var failed: (hours: Set<PackingPass.Name>, people: Set<ID>) = ([], [])
    /// Ticks since loose blocks were last looked through.
    private var ticks = 0
    /// People who may have ranges that are still to be removed; nil before they were looked for.
    private var removing: [ID]?
    private var isFolding = false
    private var reported = OncePerMinute<String>(capacity: 16)
    /// The wall clock, Unix milliseconds.
    package var now: () -> Int64 = unixMilliseconds

    private let endReading: () -> Void

    /// - Parameter endReading: ends what this process reads of the database, if it can be read again later.
    package init(
        _ store: Store, _ keys: Keys, _ deletions: Deletions, closedHours: any ClosedHours,
        isBeingForgotten: @escaping (ID) -> Bool, endReading: @escaping () -> Void = {}
    ) {
        self.endReading = endReading
        self.store = store
        self.keys = keys
        self.deletions = deletions
        self.closedHours = closedHours
        self.isBeingForgotten = isBeingForgotten
        deletions.sought = { [weak self] user in self?.seekAgain(user) }
    }

    /// Begins, on the thread of this loop, which must be the caller's thread.
    package func start(_ loop: EventLoop) { work.start(loop) }

    /// Somebody had a range deleted: its readings are counted and removed.
    package func remove(_ count: HiddenCount) {
        counts.append(count)
        seekAgain(count.user)
    }

    /// Looks for what is to be removed of somebody.
    private func seekAgain(_ user: ID) {
        if removing?.contains(user) == false { removing?.append(user) }
        work.goOn()
    }

    private var isUnderWay: Bool { pass != nil || removal != nil && !isRemovalWaiting || isFolding }

    private func doPortion() -> Portions.Next {
        do throws(VaultError) {
            return try workOnce(until: millisecondsSinceBoot() + Self.portion) ? .soon() : .after(Self.interval)
        } catch {
            startOver()
            for count in counts { count.completion(.failure(error)) }
            counts = []
            deletions.forgetRead()
            if error.reason != .locked, reported.allows("\(error.reason)", now: millisecondsSinceBoot()) {
                log.error("packing continues in a minute: \(error)")
            }
            return .after(Self.interval)
        }
    }

    /// After an error everything that was under way begins again.
    func startOver() { (pass, removal, removing, isFolding) = (nil, nil, nil, false) }

    /// Does a portion.
    /// - Returns: whether there is more to do now.
    package func workOnce(until end: UInt64) throws(VaultError) -> Bool {
        if !counts.isEmpty {
            if try counts[0].goOn(until: end) { return true }
            let done = counts.removeFirst()
            done.completion(.success(done.number))
            return true
        }
        // Looking at the log costs something, too: it is done at each tick, and now and then.
        if !isUnderWay { portions = 0 }
        if portions == 0, try !isLogShort() {
            (pass, isFolding) = (nil, false)
            return false
        }
        portions = (portions + 1) % 64
        if !isUnderWay { try begin() }
        if try removeRanges(until: end) { return true }
        if var pass {
            do throws(VaultError) {
                let goesOn = try pass.goOn(until: end)
                self.pass = goesOn ? pass : nil
            } catch {
                if error.isOfTheRows, let name = pass.underWay { failed.hours.insert(name) }
                throw error
            }
            return true
        }
        guard isFolding else { return false }
        isFolding = try closedHours.fold(before: closed, isBusy: isBeingForgotten, now: now())
        return isFolding
    }

    /// The first hour that is not closed.
    private var closed: Int64 { HourSpan.hour(now()) - 2 }

    /// A tick.
    private func begin() throws(VaultError) {
        let latest = try store.database.first("SELECT coalesce(max(number), 0) FROM blocks", row: Row.int) ?? 0
        // The numbers of forgotten rows are given again.
        marks.removeAll { $0 > latest }
        if let mark = marks.last {
            ticks += 1
            let settled = marks.count >= 60 ? marks[marks.count - 60] : nil
            let isLooking = settled != nil && ticks >= 60
            if isLooking { ticks = 0 }
            pass = PackingPass(
                HourPacker(store: store, keys: keys, deletions: deletions), before: closed, mark: mark,
                settled: settled ?? -1, withLoose: isLooking, leavingOut: failed.hours, isBeingForgotten)
        }
        marks.append(latest)
        if marks.count > 60 { marks.removeFirst() }
        isFolding = true
        isRemovalWaiting = false
    }

    private func removeRanges(until end: UInt64) throws(VaultError) -> Bool {
        if removing == nil { removing = try deletions.pending() }
        guard !isRemovalWaiting else { return false }
        if removal == nil, let user = removing?.first {
            removing?.removeFirst()
            guard !isBeingForgotten(user), !failed.people.contains(user) else { return true }
            removal = try RangeRemoval(user, store, keys, deletions)
        }
        guard var removal else { return false }
        guard !isBeingForgotten(removal.user) else {
            self.removal = nil
            return true
        }
        let advance: RangeRemoval.Advance
        do throws(VaultError) { advance = try removal.goOn(until: end) } catch {
            if error.isOfTheRows { failed.people.insert(removal.user) }
            throw error
        }
        switch advance {
        case .goesOn: self.removal = removal
        case .waitsForReaders:
            // What was deleted is still in the log, and disappears when the log is emptied.
            self.removal = removal
            isRemovalWaiting = true
            endReading()
        case .done: self.removal = nil
        }
        return true
    }

    /// Whether SQLite's log is short, or can be emptied.
    private func isLogShort() throws(VaultError) -> Bool {
        let log = try store.database.checkpointInPassing()
        return log.pages < longLog || log.moved == log.pages
    }
}

/// One pass through everything that may be packed. Belongs to the session's thread.
package struct PackingPass {
    package struct Name: Hashable {
        let stream: Int64
        let hour: Int64
    }

    private let packer: HourPacker
    /// The first hour that must not be packed.
    private let before: Int64
    /// Blocks with greater numbers are too new.
    private let mark: Int64
    private let settled: Int64
    private let isBeingForgotten: (ID) -> Bool
    private var hour: Int64 = .min
    /// The block that was looked at last, of that hour.
    private var number: Int64 = 0
    /// Streams of that hour that need nothing more.
    private var done: Set<Int64> = []
    /// The stream that is under way, and the last of its blocks that was looked at.
    private var current: (stream: Int64, last: Int64)?
    /// Whether what people had deleted is looked for in loose blocks.
    private let withLoose: Bool
    /// Streams with loose blocks that are still to be looked through, and the last block that was looked at; nil before
    /// the end of the hours.
    private var loose: (streams: ArraySlice<Int64>, last: Int64)?
    private let leftOut: Set<Name>
    /// The stream and hour that it worked on last.
    private(set) var underWay: Name?

    package init(
        _ packer: HourPacker, before: Int64, mark: Int64, settled: Int64 = .max, withLoose: Bool = true,
        leavingOut leftOut: Set<Name> = [], _ isBeingForgotten: @escaping (ID) -> Bool
    ) {
        self.packer = packer
        self.before = before
        self.mark = mark
        self.settled = settled
        self.withLoose = withLoose
        self.leftOut = leftOut
        self.isBeingForgotten = isBeingForgotten
    }

    /// Packs what it finds, in one transaction. After an error the pass can no longer be used.
    /// - Parameter end: milliseconds of the monotonic clock.
    /// - Returns: whether there is more.
    package mutating func goOn(until end: UInt64) throws(VaultError) -> Bool {
        repeat {
            switch try find(until: end) {
            case .nothing: return false
            case .notYet: return true
            case .found: break
            }
            let owner = try owner()
            try packer.store.change(owner.map { [$0] } ?? []) { () throws(VaultError) in
                repeat {
                    if let (stream, last) = current {
                        try pack(stream, after: last)
                    } else if let stream = loose?.streams.first {
                        try lookThroughLoose(stream)
                    }
                    // The next person is another transaction's.
                } while try isNext(of: owner, until: end) && millisecondsSinceBoot() < end
            }
        } while millisecondsSinceBoot() < end
        return true
    }

    private enum Find { case found, nothing, notYet }

    /// Finds what it works on next.
    private mutating func find(until end: UInt64) throws(VaultError) -> Find {
        while current == nil, loose?.streams.first == nil {
            if loose != nil { return .nothing }
            if try !findNext(), try !findLoose() { return .nothing }
            if millisecondsSinceBoot() >= end { return .notYet }
        }
        return .found
    }

    /// Whether it works on the same person's rows next.
    private mutating func isNext(of person: ID?, until end: UInt64) throws(VaultError) -> Bool {
        guard try find(until: end) == .found else { return false }
        return try owner() == person
    }

    /// The person whose rows it works on next; nil if it is nobody's.
    private func owner() throws(VaultError) -> ID? {
        guard let number = current?.stream ?? loose?.streams.first else { return nil }
        return try packer.store.stream(number: number)?.owner
    }

    /// Finds the next block that is not packed.
    private mutating func findNext() throws(VaultError) -> Bool {
        let sql = """
            SELECT first_hour, number, stream FROM blocks
            WHERE type = 2 AND (first_hour, number) > (?, ?) AND first_hour < ? ORDER BY first_hour, number LIMIT 1
            """
        let found = try packer.store.database.first(
            sql, [.integer(hour), .integer(number), .integer(before)]
        ) { row throws(VaultError) in
            (hour: try row.int("first_hour"), number: try row.int("number"), stream: try row.int("stream"))
        }
        guard let found else { return false }
        if found.hour != hour { done = [] }
        (hour, number) = (found.hour, found.number)
        let isLeftOut = leftOut.contains(Name(stream: found.stream, hour: hour))
        if done.insert(found.stream).inserted, !isLeftOut, try isQuiet(found.stream) { current = (found.stream, 0) }
        return true
    }

    /// Whether nothing of the stream and hour came in the last minute.
    private func isQuiet(_ stream: Int64) throws(VaultError) -> Bool {
        try packer.store.database.first(
            "SELECT 1 FROM blocks WHERE stream = ? AND first_hour = ? AND type = 2 AND number > ? LIMIT 1",
            [.integer(stream), .integer(hour), .integer(mark)], row: Row.int) == nil
    }

    private mutating func pack(_ number: Int64, after last: Int64) throws(VaultError) {
        current = nil
        underWay = Name(stream: number, hour: hour)
        guard let (stream, person) = try open(number) else { return }
        let outcome = try packer.pack(stream, person, hour: hour, after: last, settled: settled)
        if let last = outcome.last { current = (number, last) }
    }

    /// A stream, unless it must be left alone.
    private func open(_ number: Int64) throws(VaultError) -> (StoredStream, Keys.Person)? {
        guard let stream = try packer.store.stream(number: number),
            let user = decoded({ () throws(MalformedValue) in try ID(stream.user) }), !isBeingForgotten(user),
            let person = try packer.keys.person(stream.user, version: stream.secretVersion)
        else { return nil }
        return (stream, person)
    }

    // MARK: Loose blocks

    /// Finds the streams whose loose blocks may hold something that must go.
    private mutating func findLoose() throws(VaultError) -> Bool {
        let streams = withLoose ? try packer.store.streamsWithDeletionsAndLoose() : []
        // An error there does not belong to an hour.
        underWay = nil
        loose = (streams[...], 0)
        return !streams.isEmpty
    }

    private mutating func lookThroughLoose(_ number: Int64) throws(VaultError) {
        var next: Int64?
        let name = Name(stream: number, hour: .min)
        underWay = name
        if !leftOut.contains(name), let (stream, person) = try open(number) {
            next = try packer.removeDeleted(fromLoose: stream, person, after: loose?.last ?? 0, upTo: settled)
        }
        if let next { loose?.last = next } else { loose = (loose?.streams.dropFirst() ?? [], 0) }
    }
}

extension VaultError {
    /// Whether another try would fail in the same way.
    fileprivate var isOfTheRows: Bool {
        switch reason {
        case .notAuthentic, .malformed, .crypto, .missing, .constraint, .misuse: true
        case .permissions, .diskFull, .readOnly, .locked, .corrupt, .foreign, .newer, .inputOutput: false
        }
    }
}
