/// A D-Bus value of any type that BlueZ's interfaces use.
///
/// Source: D-Bus Specification, "Type System".
public indirect enum Value: Equatable, Sendable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case path(String)
    case signature(String)
    /// In a message to send, a descriptor of the sender's, which keeps it. In a received one, a new descriptor that the
    /// receiver must close.
    case descriptor(Int32)
    case variant(Value)
    /// `ay`
    case bytes([UInt8])
    /// An array of anything but bytes and dictionary entries, with its elements' signature.
    case array(String, [Value])
    case structure([Value])
    /// `a{…}` with the signatures of its keys and values.
    case dictionary(String, String, [Entry])

    public struct Entry: Equatable, Sendable {
        public let key: Value
        public let value: Value
        public init(_ key: Value, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// `a{sv}`, in the order of the keys.
    public static func properties(_ properties: [String: Value]) -> Value {
        let sorted = properties.sorted { $0.key < $1.key }
        return .dictionary("s", "v", sorted.map { Entry(.string($0.key), .variant($0.value)) })
    }

    /// `as`
    public static func strings(_ strings: [String]) -> Value { .array("s", strings.map { .string($0) }) }

    /// `ao`
    public static func paths(_ paths: [String]) -> Value { .array("o", paths.map { .path($0) }) }

    /// The type as D-Bus spells it.
    public var typeSignature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .variant: "v"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .structure(let members): "(" + members.map(\.typeSignature).joined() + ")"
        case .dictionary(let key, let value, _): "a{" + key + value + "}"
        }
    }
}

// MARK: What readers ask for. Each is nil if the value is of another type; variants are unwrapped.

extension Value {
    public var unwrapped: Value { if case .variant(let inner) = self { inner.unwrapped } else { self } }

    public var asString: String? {
        switch unwrapped {
        case .string(let text), .path(let text): text
        default: nil
        }
    }

    public var asBool: Bool? { if case .bool(let flag) = unwrapped { flag } else { nil } }

    public var asBytes: [UInt8]? { if case .bytes(let bytes) = unwrapped { bytes } else { nil } }

    public var asDescriptor: Int32? { if case .descriptor(let number) = unwrapped { number } else { nil } }

    /// Any of the integer types.
    public var asInteger: Int64? {
        switch unwrapped {
        case .byte(let number): Int64(number)
        case .int16(let number): Int64(number)
        case .uint16(let number): Int64(number)
        case .int32(let number): Int64(number)
        case .uint32(let number): Int64(number)
        case .int64(let number): number
        case .uint64(let number): Int64(exactly: number)
        default: nil
        }
    }

    public var asStrings: [String]? {
        guard case .array(_, let elements) = unwrapped else { return nil }
        return elements.compactMap(\.asString)
    }

    /// A dictionary with string or path keys; its values with their variants taken off.
    public var asDictionary: [String: Value]? {
        guard case .dictionary(_, _, let entries) = unwrapped else { return nil }
        var result: [String: Value] = [:]
        for entry in entries {
            guard let key = entry.key.asString else { return nil }
            result[key] = entry.value.unwrapped
        }
        return result
    }
}
