import Foundation

/// A folder of a test's own, readable by its owner only, for as long as the value lives.
public final class TemporaryFolder: Sendable {
    /// Where it is. Short, since the paths of sockets must be.
    public let path: String

    /// Makes it.
    public init() throws {
        path = "/tmp/vitals-test-\(UUID().uuidString.prefix(13))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in it.
    public func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file into it, readable by its owner only.
    /// - Returns: the file's path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: path(name), atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
        return path(name)
    }
}

/// The checkout that the tests were built from.
public let projectFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

extension TemporaryFolder {
    /// The permissions of a file in it.
    public func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        guard let mode = attributes[.posixPermissions] as? NSNumber else { throw TestFailure("\(name) has no mode") }
        return mode.intValue
    }
}
