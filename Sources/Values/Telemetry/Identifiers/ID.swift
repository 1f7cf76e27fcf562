/// The name of a gateway, sensor or user in topics: opaque, a whole topic level, 1 to 36 of `a` to `z`, `0` to `9` and
/// `-`.
public struct ID: Hashable, Sendable, CustomStringConvertible {
    /// The id itself.
    public let text: String

    /// An id from text; the error says what is allowed.
    public init(_ text: String) throws(MalformedValue) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.allows) else {
            throw MalformedValue("id", .notAllowed("an id is 1 to 36 of the characters a to z, 0 to 9 and -"))
        }
        self.text = text
    }

    /// The id itself.
    public var description: String { text }

    /// On the wire: length, one byte, and as many ASCII characters.
    init(from reader: inout ByteReader) throws(MalformedValue) {
        let length = Int(try reader.byte())
        try self.init(String(decoding: try reader.take(length), as: UTF8.self))
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: text.utf8.count))
        bytes += text.utf8
    }

    private static let maximumLength = 36

    private static func allows(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
