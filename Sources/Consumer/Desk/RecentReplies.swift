import Vault

// A request whose reply got lost is sent again, and must not be done again. A request that comes again within a minute
// with the same topic, Response Topic and Correlation Data gets the reply that the first got; while that is still being
// worked out, one reply is enough for both. Requests without Correlation Data cannot be told apart, and are always new.

/// The replies of the last minute. Belongs to one thread.
struct RecentReplies {
    struct Key: Hashable {
        let topic: String
        let responseTopic: String
        let correlationData: [UInt8]

        fileprivate var size: Int { topic.utf8.count + responseTopic.utf8.count + correlationData.count }

        /// A digest of the whole key, 32 bytes.
        var digest: [UInt8] {
            get throws(VaultError) {
                let texts = [topic, responseTopic].reduce(into: [UInt8]()) { $0 += Array($1.utf8) + [0] }
                return try SHA256.digest(texts + correlationData)
            }
        }
    }

    private struct Entry {
        let time: UInt64
        /// Nil while it is being worked out.
        var reply: [UInt8]?
    }

    enum Known: Equatable {
        case new
        case underWay
        case replied([UInt8])
    }

    private let capacity: Int
    private let maximumSize: Int
    private let lifetime: UInt64 = 60_000
    private var entries: [Key: Entry] = [:]
    /// Keys in the order in which they came. What was forgotten goes in its turn, and counts until then.
    private var order: [Key] = []
    private var first = 0
    /// Bytes of all keys and replies. Askers choose how long their correlation data is, and what they ask for: a picture, a part
    /// of an export.
    private var size = 0

    /// - Parameters:
    ///   - capacity: how many are remembered; beyond that, the oldest are forgotten early.
    ///   - maximumSize: how many bytes they may have together.
    init(capacity: Int = 4096, maximumSize: Int = 8 * 1024 * 1024) {
        self.capacity = capacity
        self.maximumSize = maximumSize
    }

    /// What is known about a request, which is under way from now on.
    /// - Parameter now: milliseconds of a clock that never runs backwards.
    mutating func begin(_ key: Key, now: UInt64) -> Known {
        expire(now)
        if let entry = entries[key] { return entry.reply.map(Known.replied) ?? .underWay }
        entries[key] = Entry(time: now)
        order.append(key)
        size += key.size
        return .new
    }

    /// The request has its reply.
    mutating func end(_ key: Key, _ reply: [UInt8]) {
        guard let entry = entries[key], entry.reply == nil else { return }
        entries[key]?.reply = reply
        size += reply.count
    }

    /// Forgets a request and its reply, which is no longer valid.
    mutating func forget(_ key: Key) { size -= entries.removeValue(forKey: key)?.reply?.count ?? 0 }

    /// Whether nothing is remembered.
    var isEmpty: Bool { entries.isEmpty }

    /// Forgets what is older than a minute. `begin` does it, too; but a reply may hold a device's password for the
    /// broker, and must not stay until somebody asks again.
    mutating func expire(_ now: UInt64) {
        while first < order.count {
            let key = order[first]
            if let entry = entries[key] {
                let isFull = order.count - first >= capacity || size > maximumSize
                guard isFull || now >= entry.time + lifetime else { break }
                forget(key)
            }
            size -= key.size
            first += 1
        }
        // Each key is moved at most once for each that goes; and no key that has gone stays long, because it may have
        // 64 KiB.
        guard first > order.count / 2 else { return }
        order.removeFirst(first)
        first = 0
    }
}
