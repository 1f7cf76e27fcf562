public import Daemon
import Files
import Glibc
public import Telemetry

// Some features need data that people read, such as quotes or exercises. It is in files of its own: the packages install it, and
// operators may name other files. Such a file is a JSON array. It is read element by element, so that whatever is wrong
// with it is told with the line on which it stands.

/// A file of data: a JSON array whose elements are known with their lines.
public struct DataFile: Sendable {
    /// Where the packages install what comes with the programs.
    public static let folder = "/usr/share/vitals"
    /// A file may have this many bytes, unless its reader wants fewer.
    public static let longest = 4 << 20
    /// An element may have this many bytes.
    public static let longestElement = 64 << 10

    /// An element, and the line on which it begins, counted from 1.
    public struct Element: Equatable, Sendable {
        /// The line.
        public let line: Int
        /// The element itself.
        public let value: JSON
    }

    /// As it was given.
    public let path: String
    /// In the file's order.
    public let elements: [Element]

    /// The elements of the file at `path`.
    public init(_ path: String, atMost limit: Int = DataFile.longest) throws(DataFault) {
        let bytes: [UInt8]?
        do throws(VaultError) { bytes = try SmallFile.read(path, atMost: limit) } catch {
            throw DataFault(path, said: "it cannot be read: \(error.said)")
        }
        guard let bytes else { throw DataFault(path, said: "there is no such file") }
        try self.init(path, bytes)
    }

    init(_ path: String, _ bytes: [UInt8]) throws(DataFault) {
        self.path = path
        var reader = JSONElements(bytes, atMost: Self.longestElement)
        var elements: [Element] = []
        do throws(JSONElements.Fault) {
            while let (line, bytes) = try reader.next() {
                let value: JSON
                do throws(MalformedValue) { value = try JSON(payload: bytes) } catch {
                    throw JSONElements.Fault(line: line, reason: "\(error)")
                }
                elements.append(Element(line: line, value: value))
            }
        } catch { throw DataFault(path, line: error.line, said: error.reason) }
        self.elements = elements
    }

    /// What is wrong with an element, for what only the reader of this kind of file can know.
    public func fault(_ element: Element, _ said: String) -> DataFault {
        DataFault(path, line: element.line, said: said)
    }

    /// The path of a file that came with the programs; nil if it is not installed.
    public static func installed(_ name: String) -> String? {
        let path = "\(folder)/\(name)"
        return access(path, R_OK) == 0 ? path : nil
    }
}

/// Why a file of data is refused.
public struct DataFault: Error, Equatable, CustomStringConvertible {
    /// The file, as it was given.
    public let path: String
    /// Counted from 1; nil if it is about the whole file.
    public let line: Int?
    /// What is wrong.
    public let said: String

    /// A fault from its parts.
    public init(_ path: String, line: Int? = nil, said: String) {
        (self.path, self.line, self.said) = (path, line, said)
    }

    /// `quotes.json, line 12: there is no German text`
    public var description: String { path + (line.map { ", line \($0)" } ?? "") + ": " + said }
}

extension Section {
    /// The path that a setting names, or else that of a file that came with the programs; nil if that is not installed.
    public func dataPath(_ key: String, installed name: String) throws(SettingsError) -> String? {
        try path(key, default: nil) ?? DataFile.installed(name)
    }

    /// What `read` makes of files of data; what is wrong with them is wrong with the setting `key`.
    public func refusingFaults<Value>(
        of key: String, _ read: () throws(DataFault) -> Value
    ) throws(SettingsError) -> Value {
        do throws(DataFault) { return try read() } catch {
            throw refusal(of: key, "\(error)", hint: "mend the file, or name another")
        }
    }
}
