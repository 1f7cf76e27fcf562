/// The plaintext of a loose block: records that a crash left in the journal, still sealed under a journal key that was
/// lost from memory with the crash. The consumer gets that key from the old session's key block.
///
/// `session 8 | count varint, 1 to 256 | count times: number u64 | length varint | sealed bytes`
public struct LooseBody: Hashable, Sendable {
    /// A journal record: the columns of one reading, sealed.
    public struct Record: Hashable, Sendable {
        /// The record's number in its session, from 0; also its nonce.
        public var number: UInt64
        /// Ciphertext and tag.
        public var sealed: [UInt8]

        /// A record from its parts.
        public init(number: UInt64, sealed: [UInt8]) {
            self.number = number
            self.sealed = sealed
        }
    }

    /// The session in which the records were written; its stream is that of the block's header.
    public var session: SessionID
    /// The records.
    public var records: [Record]

    /// No loose block has more records.
    public static let maximumCount = 256

    /// A body from its parts; refuses none or more than 256 records.
    public init(session: SessionID, records: [Record]) throws(MalformedValue) {
        guard (1...Self.maximumCount).contains(records.count) else {
            throw MalformedValue("loose records", .outOfRange("count, 1 to \(Self.maximumCount)"))
        }
        self.session = session
        self.records = records
    }

    /// The body that `bytes` spell, to the last one.
    public init(bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "loose records")
        session = try SessionID(from: &reader)
        let count = try reader.count(1...UInt64(Self.maximumCount), "count")
        records = []
        records.reserveCapacity(count)
        for _ in 0..<count {
            let number = try reader.uint64Big()
            let length = try reader.count(0...UInt64(bytes.count), "length")
            records.append(Record(number: number, sealed: Array(try reader.take(length))))
        }
        try reader.end()
    }

    /// The body's bytes.
    public var bytes: [UInt8] {
        var bytes = session.bytes
        bytes.appendVarint(UInt64(records.count))
        for record in records {
            bytes.appendBig(record.number)
            bytes.appendVarint(UInt64(record.sealed.count))
            bytes += record.sealed
        }
        return bytes
    }
}

/// The plaintext of a clock block: by how much the wall clock of a boot was wrong.
///
/// `boot id 16 | correction zigzag | until varint`
public struct ClockBody: Hashable, Sendable {
    /// The boot.
    public var boot: BootID
    /// Milliseconds to add to the wall times of that boot's readings.
    public var correction: Int64
    /// Only to readings taken before this monotonic time, in milliseconds since boot.
    public var until: UInt64

    /// A body from its parts; refuses times beyond `Moment.limit`.
    public init(boot: BootID, correction: Int64, until: UInt64) throws(MalformedValue) {
        guard Moment.wallRange.contains(correction), Moment.monotonicRange.contains(until) else {
            throw MalformedValue("clock correction", .outOfRange("time"))
        }
        self.boot = boot
        self.correction = correction
        self.until = until
    }

    /// The body that `bytes` spell, to the last one.
    public init(bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "clock correction")
        try self.init(
            boot: try BootID(from: &reader), correction: try reader.zigzag(), until: try reader.varint())
        try reader.end()
    }

    /// The body's bytes.
    public var bytes: [UInt8] {
        var bytes = boot.bytes
        bytes.appendZigzag(correction)
        bytes.appendVarint(until)
        return bytes
    }
}

/// The plaintext of a gap block: what was dropped, and why.
///
/// `count varint | first wall ms zigzag | last wall ms zigzag | reason u8`
public struct GapBody: Hashable, Sendable {
    /// Why readings were dropped.
    public enum Reason: UInt8, Sendable {
        /// The outbox could not hold more.
        case outboxFull = 1
        /// They could no longer be read from the outbox.
        case unreadable = 2
    }

    /// How many readings are lost.
    public var count: UInt64
    /// The beginning of the second in which the first of them was taken, Unix milliseconds: …000.
    public var first: Int64
    /// The end of the second in which the last of them was taken, Unix milliseconds: …999. Readers take any times,
    /// since nothing depends on the second but how much a gap block tells.
    public var last: Int64
    /// Why.
    public var reason: Reason

    /// A body from its parts; refuses times, and a count, beyond `Moment.limit`.
    public init(count: UInt64, first: Int64, last: Int64, reason: Reason) throws(MalformedValue) {
        guard Moment.wallRange.contains(first), Moment.wallRange.contains(last), count <= UInt64(Moment.limit) else {
            throw MalformedValue("gap", .outOfRange("time or count"))
        }
        self.count = count
        self.first = first
        self.last = last
        self.reason = reason
    }

    /// The body that `bytes` spell, to the last one.
    public init(bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "gap")
        let count = try reader.varint()
        let first = try reader.zigzag()
        let last = try reader.zigzag()
        let number = try reader.byte()
        guard let reason = Reason(rawValue: number) else { throw reader.malformed(.unsupported("reason \(number)")) }
        try self.init(count: count, first: first, last: last, reason: reason)
        try reader.end()
    }

    /// The body's bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendVarint(count)
        bytes.appendZigzag(first)
        bytes.appendZigzag(last)
        bytes.append(reason.rawValue)
        return bytes
    }
}
