package import Records
package import Storage

// How much gateways may have stored, and for whom.
//
// Each gateway has an allowance that is as large as a day's and fills up in a day: a gateway that was away for weeks
// sends all of that at once. Each person has one, too, larger than a gateway's: a gateway in foreign hands cannot use
// up what the other gateways of its person need. If an allowance is used up, blocks are not acknowledged for now.
// Gateways keep them, and send them again after pauses that grow to five minutes, so nothing is lost while their outbox
// has room. The same happens if the total of what is stored reaches the limit of a gateway or a person: storing goes
// on when the operator grants more, or something is deleted.
//
// A block costs its length, and what its rows and indexes take in addition. How much is stored is known from the table
// `blocks` (`StoredSizes`): it is counted after the start and once an hour, because packing makes it smaller, a few
// milliseconds at a time; in between, new blocks are added. Until it has been counted for the first time, no block is
// held back because of it.

/// The settings `limits`.
package struct StorageLimits: Equatable {
    /// In bytes.
    package struct Limit: Equatable {
        /// In a day.
        package var day: Int
        /// In all.
        package var total: Int
    }

    /// Eight sensors that send a heart rate with RR intervals each second come to 21 MB in a day, and eight that notify
    /// 50 times a second to some 320 MB; packed, the former take less than 1 GB in a year.
    package var gateway = Limit(day: 1_000_000_000, total: 50_000_000_000)
    package var person = Limit(day: 3_000_000_000, total: 100_000_000_000)
}

/// Why a block is not taken for now.
package struct Held: Equatable {
    package enum Limit: String {
        case gatewayDay, gatewayTotal, personDay, personTotal

        /// Whether time alone does not help.
        package var isTotal: Bool { self == .gatewayTotal || self == .personTotal }
    }

    package let limit: Limit
    /// Whose it is.
    package let user: String
}

/// How much gateways and people may still store. Belongs to one thread.
package struct StorageAllowances {
    /// In addition to its bytes, a block has a row here and one in the ledger, and both are in indexes.
    static let bytesOfRows = 128

    enum Owner: Hashable {
        case gateway(String)
        case person(String)
    }

    private struct Allowance {
        var left: Double
        var time: UInt64
    }

    package var limits: StorageLimits {
        // What was left under the old limits says nothing about the new ones.
        didSet { if limits != oldValue { (allowances, judged) = ([:], [:]) } }
    }
    private var allowances: [Owner: Allowance] = [:]
    /// Nil before it was counted.
    private var stored: [Owner: Int]?
    /// Why blocks of a stream are held back, remembered for this batch, because its blocks are of few streams.
    private var judged: [Int64: Held?] = [:]
    private var spent: [Int64: (stream: StoredStream, bytes: Int)] = [:]

    init(_ limits: StorageLimits) { self.limits = limits }

    /// Why a block of a stream must not be stored now; nil if it may be.
    /// - Parameter now: milliseconds of a clock that never runs backwards.
    package mutating func held(_ stream: StoredStream, now: UInt64) -> Held? {
        if let known = judged[stream.number] { return known }
        let (gateway, person) = (Owner.gateway(stream.gateway), Owner.person(stream.user))
        var limit: Held.Limit?
        if left(person, limits.person, now) <= 0 { limit = .personDay }
        // The phones of all people share one gateway, which is ours: one of them must not use up what others need.
        let isOwn = stream.gateway == OwnGateway.name
        if !isOwn, left(gateway, limits.gateway, now) <= 0 { limit = .gatewayDay }
        if stored?[person] ?? 0 >= limits.person.total { limit = .personTotal }
        if !isOwn, stored?[gateway] ?? 0 >= limits.gateway.total { limit = .gatewayTotal }
        let held = limit.map { Held(limit: $0, user: stream.user) }
        judged[stream.number] = .some(held)
        return held
    }

    /// Notes a block that is being stored.
    mutating func spend(_ length: Int, _ stream: StoredStream) {
        spent[stream.number, default: (stream, 0)].bytes += length + Self.bytesOfRows
    }

    /// The blocks that were noted are stored now.
    /// - Returns: how much of each stream.
    package mutating func committed(now: UInt64) -> [Int64: Int] {
        judged = [:]
        guard !spent.isEmpty else { return [:] }
        for (stream, bytes) in spent.values {
            for (owner, limit) in [
                (Owner.gateway(stream.gateway), limits.gateway), (.person(stream.user), limits.person),
            ] {
                let left = left(owner, limit, now)
                allowances[owner] = Allowance(left: left - Double(bytes), time: now)
                if stored != nil { stored?[owner, default: 0] += bytes }
            }
        }
        defer { spent = [:] }
        return spent.mapValues(\.bytes)
    }

    /// The blocks that were noted are not stored after all.
    package mutating func rolledBack() { (spent, judged) = ([:], [:]) }

    /// Takes the sizes of all streams, which were counted.
    package mutating func counted(_ sizes: [(stream: StoredStream, bytes: Int)]) {
        var stored: [Owner: Int] = [:]
        for (stream, bytes) in sizes {
            stored[.gateway(stream.gateway), default: 0] += bytes
            stored[.person(stream.user), default: 0] += bytes
        }
        self.stored = stored
        judged = [:]
    }

    private func left(_ owner: Owner, _ limit: StorageLimits.Limit, _ now: UInt64) -> Double {
        let day = Double(limit.day)
        guard let known = allowances[owner] else { return day }
        return min(day, known.left + day * Double(now - min(now, known.time)) / 86_400_000)
    }
}

/// Counts what the blocks of all streams take, a few milliseconds at a time. Belongs to one thread.
struct StoredSizes {
    private var last: Int64 = 0
    /// Blocks that came after the beginning are added by `add`, and not counted.
    private let end: Int64
    private var sizes: [Int64: Int] = [:]

    /// Blocks at a time.
    private static let portion = 1024

    init(_ store: Store) throws(VaultError) {
        end = try store.database.first("SELECT coalesce(max(number), 0) FROM blocks", row: Row.int) ?? 0
    }

    /// Adds what was stored after the beginning.
    mutating func add(_ bytes: [Int64: Int]) { sizes.merge(bytes) { $0 + $1 } }

    /// Counts some.
    /// - Returns: the sizes of all streams; nil while there is more to count.
    mutating func goOn(_ store: Store) throws(VaultError) -> [(stream: StoredStream, bytes: Int)]? {
        let page = try store.database.query(
            "SELECT number, stream, length(sealed) AS bytes FROM blocks WHERE number > ? AND number <= ? ORDER BY number LIMIT ?",
            [.integer(last), .integer(end), .integer(Self.portion)]
        ) { row throws(VaultError) in
            (number: try row.int("number"), stream: try row.int("stream"), length: Int(try row.int("bytes")))
        }
        for row in page { sizes[row.stream, default: 0] += row.length + StorageAllowances.bytesOfRows }
        if page.count == Self.portion, let end = page.last?.number {
            last = end
            return nil
        }
        return try store.streams().compactMap { stream in sizes[stream.number].map { (stream, $0) } }
    }
}

extension Ingest {
    /// Begins to count what is stored, or goes on with it, for a few milliseconds.
    /// - Returns: whether there is more to count.
    package mutating func countStored() throws(VaultError) -> Bool {
        var counting: StoredSizes
        if let sizes { counting = sizes } else { counting = try StoredSizes(store) }
        guard let found = try counting.goOn(store) else {
            sizes = counting
            return true
        }
        sizes = nil
        allowances.counted(found)
        return false
    }
}
