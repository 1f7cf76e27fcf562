import Daemon
import Telemetry

// What replies and topics say, member by member.

extension JSON {
    /// A member that is a text, harmless to a terminal.
    func text(_ name: String) -> String? {
        guard case .string(let text) = self[name] else { return nil }
        return escaped(text)
    }

    /// A member that is a number.
    func double(_ name: String) -> Double? {
        switch self[name] {
        case .integer(let value): Double(value)
        case .number(let value): value.isFinite ? value : nil
        default: nil
        }
    }

    /// A member that is a whole number.
    func whole(_ name: String) -> Int? {
        guard case .integer(let value) = self[name] else { return nil }
        return Int(value)
    }

    /// The elements of a member that is a list.
    func list(_ name: String) -> [JSON] {
        guard case .array(let elements) = self[name] else { return [] }
        return elements
    }

    /// Itself with another member, if that has a value.
    func with(_ name: String, _ value: JSON?) -> JSON {
        guard case .object(let members) = self, let value else { return self }
        return .object(members + [JSON.Member(name, value)])
    }

    /// Itself without a member.
    func without(_ name: String) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != name })
    }

    /// A value in words, harmless to a terminal.
    var words: String {
        switch self {
        case .string(let text): escaped(text)
        case .bool(let value): value ? "yes" : "no"
        case .array(let values): values.map(\.words).joined(separator: ", ")
        default: escaped(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// A member that is a time in Unix milliseconds, as people read it.
    func time(_ name: String) -> String? {
        guard case .integer(let milliseconds) = self[name] else { return nil }
        return LocalTime.full(milliseconds)
    }

    /// Itself as a line. What is harmful to a terminal is in it as `\\u009b`, which programs read as the same.
    var line: String { escapedInJSON(String(decoding: bytes, as: UTF8.self)) + "\n" }
}
