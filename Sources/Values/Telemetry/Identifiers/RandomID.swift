/// A random number of 128 bits that names something: a stream, a store, a boot. Kept as two words, so hashing one is
/// cheap.
public protocol RandomID: Hashable, Sendable, CustomStringConvertible {
    /// The first eight bytes, big-endian.
    var high: UInt64 { get }
    /// The last eight bytes, big-endian.
    var low: UInt64 { get }
    /// An id from its two halves.
    init(high: UInt64, low: UInt64)
}

extension RandomID {
    /// An id from exactly 16 bytes.
    public init(bytes: some Collection<UInt8>) throws(MalformedValue) {
        var reader = ByteReader(Array(bytes), of: "\(Self.self)")
        try self.init(from: &reader)
        try reader.end()
    }

    /// An id from 32 hexadecimal digits, with or without the dashes of a UUID; nil if the text is anything else.
    public init?(_ text: String) {
        guard let bytes = Telemetry.bytes(hexadecimal: text.filter { $0 != "-" }) else { return nil }
        do throws(MalformedValue) { try self.init(bytes: bytes) } catch { return nil }
    }

    init(from reader: inout ByteReader) throws(MalformedValue) {
        self.init(high: try reader.uint64Big(), low: try reader.uint64Big())
    }

    /// The 16 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        bytes.appendBig(high)
        bytes.appendBig(low)
        return bytes
    }

    /// 32 lower-case hexadecimal digits.
    public var description: String { hexadecimal(bytes) }
}

/// A stream: one sensor of one gateway, while it belongs to one person under one version of their secret.
public struct StreamID: RandomID {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A consumer's database; a restored one gets a new id.
public struct StoreID: RandomID {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// One boot of a gateway's machine (the kernel's boot_id): monotonic times compare only within it.
public struct BootID: RandomID {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A session: the blocks of a stream that are sealed under one session key. Eight random bytes, unique within its
/// stream.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// The eight bytes, big-endian.
    public let number: UInt64

    /// A session by its number.
    public init(_ number: UInt64) {
        self.number = number
    }

    /// A session from exactly eight bytes.
    public init(bytes: some Collection<UInt8>) throws(MalformedValue) {
        var reader = ByteReader(Array(bytes), of: "session id")
        try self.init(from: &reader)
        try reader.end()
    }

    init(from reader: inout ByteReader) throws(MalformedValue) {
        number = try reader.uint64Big()
    }

    /// The eight bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBig(number)
        return bytes
    }

    /// 16 lower-case hexadecimal digits.
    public var description: String { hexadecimal(bytes) }
}
