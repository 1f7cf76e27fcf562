import CDBus
import Glibc

/// A message that came from the bus. It may be kept, and read any number of times.
///
/// Belongs to the thread of the connection that received it.
public final class Message {
    public enum Kind: Sendable { case call, reply, error, signal }

    let handle: OpaquePointer

    /// Takes over a reference that libdbus gave away.
    init(adopting handle: OpaquePointer) { self.handle = handle }

    deinit { dbus_message_unref(handle) }

    public var kind: Kind {
        switch dbus_message_get_type(handle) {
        case DBUS_MESSAGE_TYPE_METHOD_CALL: .call
        case DBUS_MESSAGE_TYPE_METHOD_RETURN: .reply
        case DBUS_MESSAGE_TYPE_ERROR: .error
        default: .signal
        }
    }

    public var path: String { text(dbus_message_get_path(handle)) }
    public var interface: String { text(dbus_message_get_interface(handle)) }
    public var member: String { text(dbus_message_get_member(handle)) }
    /// The sender's unique name, such as `:1.42`.
    public var sender: String { text(dbus_message_get_sender(handle)) }
    public var signature: String { text(dbus_message_get_signature(handle)) }
    public var expectsReply: Bool { dbus_message_get_no_reply(handle) == 0 }

    var replySerial: UInt32 { dbus_message_get_reply_serial(handle) }

    /// Whether this is that signal; cheaper than comparing the names.
    public func isSignal(_ interface: StaticString, _ member: StaticString) -> Bool {
        dbus_message_is_signal(handle, interface.cString, member.cString) != 0
    }

    /// Whether it has this path; cheaper than comparing `path`.
    public func isAt(_ path: String) -> Bool { Self.isSame(dbus_message_get_path(handle), path) }

    /// Whether it is from this unique name; cheaper than comparing `sender`.
    public func isFrom(_ name: String) -> Bool { Self.isSame(dbus_message_get_sender(handle), name) }

    private static func isSame(_ found: UnsafePointer<CChar>?, _ text: String) -> Bool {
        guard let found else { return text.isEmpty }
        return text.withCString { strcmp(found, $0) == 0 }
    }

    /// What an error message says.
    public var error: DBusError {
        DBusError(name: text(dbus_message_get_error_name(handle)), message: arguments.first?.asString ?? "")
    }

    /// All arguments. Descriptors among them are new with each call of this property.
    public var arguments: [Value] {
        var reader = self.reader
        var values: [Value] = []
        while let value = reader.value() {
            values.append(value)
            reader.next()
        }
        return values
    }

    /// For callers that know what they look for, and want nothing else copied.
    public var reader: Reader { Reader(self) }

    private func text(_ cString: UnsafePointer<CChar>?) -> String { cString.map { String(cString: $0) } ?? "" }
}

/// A place in a message's arguments.
public struct Reader {
    private let message: Message  // keeps alive what the iterator points into
    private var iterator = DBusMessageIter()

    fileprivate init(_ message: Message) {
        self.message = message
        dbus_message_iter_init(message.handle, &iterator)
    }

    private init(inside outer: Reader) {
        var outer = outer
        message = outer.message
        dbus_message_iter_recurse(&outer.iterator, &iterator)
    }

    /// Goes to the next value; false at the end of the arguments, array or entry.
    @discardableResult
    public mutating func next() -> Bool { dbus_message_iter_next(&iterator) != 0 }

    /// The first value inside an array, structure, entry or variant; nil if this is none of them.
    public func inside() -> Reader? {
        switch type {
        case VITALS_DBUS_ARRAY, VITALS_DBUS_STRUCT, VITALS_DBUS_DICT_ENTRY, VITALS_DBUS_VARIANT: Reader(inside: self)
        default: nil
        }
    }

    /// Whether this is a string equal to `text`, without copying it.
    public func isString(_ text: StaticString) -> Bool {
        guard type == VITALS_DBUS_STRING, let found: UnsafePointer<CChar> = basic() else { return false }
        return strcmp(found, text.cString) == 0
    }

    /// An array of bytes; nil if this is anything else.
    public func bytes() -> [UInt8]? {
        var copy = iterator
        guard type == VITALS_DBUS_ARRAY, dbus_message_iter_get_element_type(&copy) == VITALS_DBUS_BYTE else {
            return nil
        }
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&copy, &inner)
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        withUnsafeMutablePointer(to: &start) { dbus_message_iter_get_fixed_array(&inner, $0, &count) }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// The value here, whatever it is; nil at the end.
    public func value() -> Value? {
        switch type {
        case VITALS_DBUS_BYTE: basic().map(Value.byte)
        case VITALS_DBUS_BOOLEAN: basic().map { (flag: dbus_bool_t) in .bool(flag != 0) }
        case VITALS_DBUS_INT16: basic().map(Value.int16)
        case VITALS_DBUS_UINT16: basic().map(Value.uint16)
        case VITALS_DBUS_INT32: basic().map(Value.int32)
        case VITALS_DBUS_UINT32: basic().map(Value.uint32)
        case VITALS_DBUS_INT64: basic().map(Value.int64)
        case VITALS_DBUS_UINT64: basic().map(Value.uint64)
        case VITALS_DBUS_DOUBLE: basic().map(Value.double)
        case VITALS_DBUS_UNIX_FD: basic().map(Value.descriptor)
        case VITALS_DBUS_STRING: string().map(Value.string)
        case VITALS_DBUS_OBJECT_PATH: string().map(Value.path)
        case VITALS_DBUS_SIGNATURE: string().map(Value.signature)
        case VITALS_DBUS_VARIANT: inside()?.value().map(Value.variant)
        case VITALS_DBUS_STRUCT: inside().map { .structure($0.values()) }
        case VITALS_DBUS_ARRAY: arrayValue()
        default: nil
        }
    }

    private var type: Int32 {
        var copy = iterator
        return dbus_message_iter_get_arg_type(&copy)
    }

    private func values() -> [Value] {
        var reader = self
        var values: [Value] = []
        while let value = reader.value() {
            values.append(value)
            reader.next()
        }
        return values
    }

    private func arrayValue() -> Value? {
        if let bytes = bytes() { return .bytes(bytes) }
        guard let inner = inside() else { return nil }
        // The signature is known even if the array is empty.
        let element = inner.signature
        guard element.hasPrefix("{") else { return .array(element, inner.values()) }
        var entries: [Value.Entry] = []
        var reader = inner
        while reader.type == VITALS_DBUS_DICT_ENTRY {
            let pair = reader.inside()?.values() ?? []
            if pair.count == 2 { entries.append(Value.Entry(pair[0], pair[1])) }
            reader.next()
        }
        // A dictionary's key is a basic type: one letter.
        return .dictionary(String(element.dropFirst().prefix(1)), String(element.dropFirst(2).dropLast()), entries)
    }

    private var signature: String {
        var copy = iterator
        guard let text = dbus_message_iter_get_signature(&copy) else { return "" }
        defer { dbus_free(text) }
        return String(cString: text)
    }

    private func string() -> String? {
        guard let text: UnsafePointer<CChar> = basic() else { return nil }
        return String(cString: text)
    }

    /// The caller has looked at `type`: libdbus copies as many bytes as that type has.
    private func basic<Result>() -> Result? {
        var copy = iterator
        return withUnsafeTemporaryAllocation(of: Result.self, capacity: 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            dbus_message_iter_get_basic(&copy, start)
            return start.pointee
        }
    }
}

extension StaticString {
    /// A static string is a C string: its storage ends with a zero byte.
    fileprivate var cString: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
