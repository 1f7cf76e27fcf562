package import Records
package import Storage
package import Telemetry

// Heart rate that its owner had deleted, and with a workout also where they were.
//
// The document "heart-rate-deleted" lists the ranges of time, before anything is removed: from that commit on, heart
// rate in these ranges is in no answer, no export and no total, whether it is stored, under way or yet to come.
// `pending` lists the ranges whose rows must still be written again without them. That is done in the background
// (`RangeRemoval`); after an interruption it starts again from the start of the range.
//
// Heart rate that comes late is stored and hidden, and goes when its hour is packed an hour after it came, or, if it
// came in a loose block, when those are looked through, each hour. The hour's delay is for a gateway whose clock was
// not set yet: it may seal what it measures today as if it were of a day that was deleted, and corrects that in a clock
// block that comes soon after. It may also say of readings that are packed that they are of a time that was deleted: with each
// clock block, all that was deleted is looked for again.
//
// An older backup still has what was deleted since then, and nothing in it says so: after it is restored, people must
// have it deleted again.

/// Ranges of time, Unix milliseconds.
package typealias DeletedRanges = SeparateRanges

/// What people had deleted. Belongs to the thread of its store and keys.
package final class Deletions {
    package struct Document: Equatable {
        package var ranges = DeletedRanges()
        /// Ranges whose rows must still be written again.
        package var pending = DeletedRanges()
        /// Those of `ranges` in which it was not only heart rates that were deleted, but also where the person was, and
        /// what they did: those of deleted workouts.
        package var ways = DeletedRanges()
        /// How many batches had clock blocks, which may have moved readings into these ranges.
        package var moves: Int64 = 0

        /// Whether nobody should see a reading of this kind and time.
        package func hides(_ kind: Reading.Kind, at wall: Int64) -> Bool { ranges(of: kind)?.contains(wall) ?? false }

        /// The ranges in which readings of a kind are hidden; nil for kinds that are never hidden.
        package func ranges(of kind: Reading.Kind) -> DeletedRanges? {
            switch kind {
            case .heartRate: ranges
            case .position, .motion, .pedometer: ways
            case .steps, .temperature: nil
            }
        }

        /// The kinds of which readings may be hidden.
        static let kinds: Grant.Kinds = [.heartRate, .position, .motion, .pedometer]
    }

    package static let name = "heart-rate-deleted"
    /// No person has more ranges that do not touch.
    static let maximumCount = 500

    private let documents: Documents
    /// What was read lately, by person, also that there is nothing; with the view of the person that goes with it.
    private var known: [ID: (view: UInt64, document: Document)] = [:]
    private static let capacity = 4096

    package init(_ store: Store, _ keys: Keys) { documents = Documents(store: store, keys: keys) }

    /// The ranges of a person's heart rate that nobody should see.
    package func ranges(of user: ID) throws(VaultError) -> DeletedRanges { try document(of: user).ranges }

    /// What of a person nobody should see.
    package func document(of user: ID) throws(VaultError) -> Document {
        let view = documents.store.view(of: user)
        if let known = known[user], known.view == view { return known.document }
        let document = try read(user) ?? Document()
        if known.count >= Self.capacity { known = [:] }
        known[user] = (view, document)
        return document
    }

    /// Lists a range, in a transaction of its own: once it is committed, nobody sees what is in it.
    /// - Parameter withWay: whether positions and motions go, too.
    /// - Returns: what was hidden before; nil if there are too many ranges, and nothing was done.
    package func hide(
        _ range: Range<Int64>, of user: ID, withWay: Bool = false
    ) throws(VaultError) -> DeletedRanges? {
        let store = documents.store
        return try store.change(user) { () throws(VaultError) in
            let before = try read(user) ?? Document()
            var document = before
            document.ranges.insert(range)
            document.pending.insert(range)
            if withWay { document.ways.insert(range) }
            guard document.ranges.ranges.count <= Self.maximumCount else { return nil }
            try write(document, of: user)
            if let hours = HourSpan([range.lowerBound, range.upperBound - 1]) {
                try store.markStale(user, hours.first...hours.last)
            }
            return before.ranges
        }
    }

    /// Hears of whom rows must be written again.
    var sought: (ID) -> Void = { _ in }

    /// A clock block has come, within the transaction that stores it: what it moves into ranges that were deleted is to go,
    /// too.
    package func seekAgain(_ user: ID) throws(VaultError) {
        var document = try document(of: user)
        guard !document.ranges.isEmpty else { return }
        document.pending = document.ranges
        document.moves += 1
        try write(document, of: user)
        sought(user)
    }

    /// What was read is no longer valid.
    package func forgetRead() { known = [:] }

    /// The document; nil if there is none.
    package func read(_ user: ID) throws(VaultError) -> Document? {
        guard let json = try documents.read(Self.name, of: user) else { return nil }
        func ranges(_ name: String) -> DeletedRanges {
            guard case .array(let elements)? = json[name] else { return DeletedRanges() }
            return DeletedRanges(
                elements.compactMap { element in
                    guard case .array(let bounds) = element, bounds.count == 2, case .integer(let from) = bounds[0],
                        case .integer(let to) = bounds[1], from < to
                    else { return nil }
                    return from..<to
                })
        }
        var document = Document(ranges: ranges("ranges"), pending: ranges("pending"), ways: ranges("ways"))
        if case .integer(let moves)? = json["moves"] { document.moves = moves }
        return document
    }

    /// Keeps the document, within a transaction of the caller's.
    package func write(_ document: Document, of user: ID) throws(VaultError) {
        func json(_ ranges: DeletedRanges) -> JSON {
            .array(ranges.ranges.map { .array([.integer($0.lowerBound), .integer($0.upperBound)]) })
        }
        known[user] = nil
        let members: JSON = .object(present: [
            "ranges": json(document.ranges), "pending": json(document.pending),
            "ways": document.ways.isEmpty ? nil : json(document.ways),
            "moves": document.moves == 0 ? nil : .integer(document.moves),
        ])
        try documents.write(members, Self.name, of: user)
    }

    /// People whose rows must still be written again.
    package func pending() throws(VaultError) -> [ID] {
        let names = try documents.store.database.query(
            "SELECT person FROM documents WHERE name = ? ORDER BY person", [.text(Self.name)], row: Row.text)
        var users: [ID] = []
        for name in names {
            guard let user = decoded({ () throws(MalformedValue) in try ID(name) }),
                let document = try read(user), !document.pending.isEmpty
            else { continue }
            users.append(user)
        }
        return users
    }
}
