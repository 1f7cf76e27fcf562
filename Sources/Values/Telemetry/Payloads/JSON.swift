import FoundationEssentials

/// A JSON value. It is written here, with its members in their order, and read by `StrictJSON`.
public enum JSON: Hashable, Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A whole number of 64 bits.
    case integer(Int64)
    /// Any other number; what is not finite is written as `null`.
    case number(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSON])
    /// Members in the order in which they are written; what was read is sorted by name.
    case object([Member])
    /// Any value, as the bytes that spell it: they are written as they are, and nobody looks into them or checks them. So
    /// it equals no other case, and has no members. For what this program has written before, and hands on.
    case written([UInt8])

    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// Its value.
        public var value: JSON

        /// A member from its parts.
        public init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// No payload that we read is longer.
    public static let maximumLength = 64 * 1024

    /// The value that a payload spells: one value, at most 64 KiB of UTF-8, nested at most 16 deep.
    public init(payload: [UInt8]) throws(MalformedValue) { self = try JSON.read(payload, of: "JSON") }

    static func read(_ payload: [UInt8], of subject: String) throws(MalformedValue) -> JSON {
        guard payload.count <= maximumLength else {
            throw MalformedValue(subject, .outOfRange("more than \(maximumLength) bytes"))
        }
        do {
            return try StrictJSON.value(payload)
        } catch {
            switch error {
            case .notUTF8, .notJSON: throw MalformedValue(subject, notJSON)
            case .duplicateName: throw MalformedValue(subject, .notAllowed("two members with the same name"))
            case .tooDeep:
                throw MalformedValue(subject, .outOfRange("nested more than \(maximumDepth) deep"))
            }
        }
    }

    /// An object of those members whose value is not nil.
    public static func object(present members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { name, value in value.map { Member(name, $0) } })
    }

    /// The value of a member; nil if there is none, or if this is not an object.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// UTF-8 without white space.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, from payload: [UInt8], of subject: String
    ) throws(MalformedValue) -> Value {
        try checkLimits(payload, of: subject)
        do {
            return try JSONDecoder().decode(type, from: Data(payload))
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            throw MalformedValue(subject, .notAllowed("\(path(context.codingPath)) is of another type"))
        } catch DecodingError.keyNotFound(let key, let context) {
            throw MalformedValue(subject, .notAllowed("\(path(context.codingPath + [key])) is missing"))
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            throw MalformedValue(subject, .notAllowed("\(path(context.codingPath)) is not allowed"))
        } catch {
            throw MalformedValue(subject, notJSON)
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the whole" : "\"\(keys.map(\.stringValue).joined(separator: "."))\""
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes.appendDecimal(value)
        case .number(let value): bytes += (value.isFinite ? "\(value)" : "null").utf8
        case .string(let text): bytes.appendQuoted(text)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes.appendQuoted(member.name)
                bytes.append(UInt8(ascii: ":"))
                member.value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        case .written(let value): bytes += value
        }
    }
}

// So that it can be a part of a payload with a shape of its own.
extension JSON: Decodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            // 12340917852036854.5 is the Double 12340917852036854, and would be read as a whole number the next time.
            self = Int64(exactly: value).map(JSON.integer) ?? .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let values = try? container.decode([JSON].self) {
            self = .array(values)
        } else {
            let members = try container.decode([String: JSON].self)
            self = .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member($0, $1) })
    }
}

extension [UInt8] {
    mutating func appendDecimal(_ value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        // No number of 64 bits has more digits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (start, rest) = (digits.count, value.magnitude)
            repeat {
                let (tens, ones) = rest.quotientAndRemainder(dividingBy: 10)
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: ones)
                rest = tens
            } while rest > 0
            append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    /// A JSON string (RFC 8259, 7): quotation marks, backslashes and control characters are escaped.
    mutating func appendQuoted(_ text: String) {
        append(UInt8(ascii: "\""))
        defer { append(UInt8(ascii: "\"")) }
        // Most texts are names, in which nothing is escaped.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            self += text.utf8
            return
        }
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"))
                append(character)
            case 0..<0x20: self += "\\u00\(hexadecimal(CollectionOfOne(character)))".utf8
            default: append(character)
            }
        }
    }
}

/// A payload with a shape of its own. Readers ignore fields that they do not know.
public protocol Payload: Decodable, Hashable, Sendable {
    /// The payload as a value; absent fields are left out.
    var json: JSON { get }
}

extension Payload {
    /// The payload as it is published.
    public var bytes: [UInt8] { json.bytes }

    /// The payload that `bytes` spell; the error names the field that is wrong.
    public init(payload bytes: [UInt8]) throws(MalformedValue) {
        self = try JSON.decode(Self.self, from: bytes, of: "\(Self.self)")
    }
}
