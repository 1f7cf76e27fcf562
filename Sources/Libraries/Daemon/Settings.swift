import FoundationEssentials
import Glibc

// A settings file is JSON5: comments, keys without quotes, trailing commas. It is read once, at the start, into a
// struct of the program's own; the code that reads a key also says what is allowed, and what the default is when the
// key is absent:
//
//     struct GatewaySettings {
//         let broker: BrokerSettings
//         let flushInterval: Duration
//
//         init(_ section: Section) throws(SettingsError) {
//             broker = try BrokerSettings(section.section("broker"))
//             flushInterval = try section.duration("flushInterval", in: .seconds(1) ... .seconds(60), default: .seconds(5))
//         }
//     }
//
//     let settings = try Settings.read("gateway.json5", GatewaySettings.init)
//
// A section remembers the keys that it was asked for. When the struct is complete, `Settings.read` refuses the file if
// it holds any other: a misspelt key would otherwise be a setting that silently does nothing. So the program has to ask
// for all keys each time, whatever the values of the others. Keys are spelt `likeThis`: JSON5 requires quotes around a
// key with a hyphen.

/// Reads a settings file.
public enum Settings {
    /// The longest file that is read, in bytes.
    static let longestFile = 1 << 20

    /// What `read` makes of the JSON5 file at `path`. Paths in the file are relative to its folder.
    /// - Parameter example: a file that `read` accepts, on one line, to show to somebody whose file is no settings file
    ///   at all.
    /// - Throws: a `SettingsError` when the file is missing, unreadable or not JSON5, when an object in it has a key
    ///   twice, when `read` throws one, or when the file holds a key that `read` did not ask for.
    public static func read<Value>(
        _ path: String, example: String = "{}", _ read: (Section) throws(SettingsError) -> Value
    ) throws(SettingsError) -> Value {
        switch readFile(path, atMost: longestFile) {
        case .success(let bytes):
            return try parse(bytes, path: path, example: example, read)
        case .failure(.tooLong):
            throw SettingsError(
                file: path, key: "", problem: "longer than \(longestFile) bytes", hint: "is it a settings file?")
        case .failure(.refused(let why)):
            throw SettingsError(file: path, key: "", problem: "cannot be read: \(why)", hint: "name the file itself")
        case .failure(.system(let number)):
            throw SettingsError(
                file: path, key: "", problem: "cannot be read: \(systemMessage(number))", hint: hint(for: number))
        }
    }

    static func parse<Value>(
        _ bytes: [UInt8], path: String, example: String = "{}", _ read: (Section) throws(SettingsError) -> Value
    ) throws(SettingsError) -> Value {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        let hint = "a settings file looks like \(example)"
        // If a key is there twice, the decoder keeps one value and does not say which.
        if let fault = JSON5Fault.find(in: bytes) {
            throw SettingsError(
                file: path, key: "", problem: fault.description, hint: fault.isSyntax ? hint : "keep one of the two")
        }
        guard let value = try? decoder.decode(SettingsValue.self, from: Data(bytes)) else {
            throw SettingsError(file: path, key: "", problem: "not valid JSON5", hint: hint)
        }
        guard case .object(let members) = value else {
            throw SettingsError(file: path, key: "", problem: "expected an object, found \(value)", hint: hint)
        }
        let section = Section(file: path, path: "", members: members)
        let result = try read(section)
        try section.finish()
        return result
    }

    private static func hint(for number: CInt) -> String {
        switch number {
        case ENOENT: "create it, or name another with --settings FILE"
        case EACCES: "user id \(geteuid()) needs the right to read it"
        case EISDIR: "name the file in it with --settings FILE"
        default: "name another with --settings FILE"
        }
    }
}

/// Why settings were refused: which file, which key, what is wrong with it, and what would be right.
public struct SettingsError: ExitCodedError, Equatable {
    /// The file's path, as it was given.
    public let file: String
    /// The key's full path, `broker.port` or `sensors[0].name`; empty when the error is about the whole file.
    public let key: String
    /// What is wrong, and what was found.
    public let problem: String
    /// What to check, or an example.
    public let hint: String?

    /// Always `.configuration`.
    public var exitCode: ExitCode { .configuration }

    /// `gateway.json5: broker.port: expected …, found …`, and the hint on a line of its own.
    public var description: String {
        let message = [file, key].filter { !$0.isEmpty }.joined(separator: ": ") + ": " + problem
        return hint.map { "\(message)\n\($0)" } ?? message
    }
}

/// A value of a settings file.
enum SettingsValue: Equatable, Decodable, CustomStringConvertible {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([SettingsValue])
    case object([String: SettingsValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([SettingsValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: SettingsValue].self))
        }
    }

    /// The value as an error message shows it: short, and on one line.
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): quoted(value)
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// `text` in quotes, on one line, cut after 40 characters.
func quoted(_ text: String) -> String {
    "\"" + escaped(text.count > 40 ? text.prefix(40) + "…" : text) + "\""
}
