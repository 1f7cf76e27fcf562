import Foundation

/// A Radicale, which is a CalDAV server, on a free loopback port, in a folder of its own. It ends with the value.
public final class CalendarServer {
    /// What it keeps, its settings and its passwords.
    public let folder: TemporaryFolder
    /// `http://127.0.0.1:PORT`
    public let address: String
    private let port: UInt16
    private var program: RunningProgram

    /// The only user.
    public static let user = "ann"
    /// Their password at first.
    public static let password = "first word"

    /// Starts it, and waits until it listens.
    public init() throws {
        folder = try TemporaryFolder()
        port = try freePort()
        address = "http://127.0.0.1:\(port)"
        try folder.write("\(Self.user):\(Self.password)\n", to: "users")
        try folder.write(
            """
            [server]
            hosts = 127.0.0.1:\(port)
            [auth]
            type = htpasswd
            htpasswd_filename = \(folder.path("users"))
            htpasswd_encryption = plain
            delay = 0
            [storage]
            filesystem_folder = \(folder.path("collections"))
            [logging]
            level = info
            """, to: "config")
        program = try Self.started(folder)
    }

    deinit { program.end(9) }

    /// Ends it, in the middle of whatever it does.
    public func stop() { program.end(9) }

    /// Starts it again, with what it has kept.
    public func startAgain() throws { program = try Self.started(folder) }

    /// Changes the user's password; it counts from the next start on.
    public func setPassword(_ password: String) throws { try folder.write("\(Self.user):\(password)\n", to: "users") }

    /// Calls each calendar something else, as somebody may do with another program.
    public func rename(to name: String) throws {
        let files = FileManager.default
        for path in try files.subpathsOfDirectory(atPath: folder.path("collections"))
        where path.hasSuffix(".Radicale.props") {
            let place = "\(folder.path("collections"))/\(path)"
            guard
                var properties = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: place)))
                    as? [String: String], properties["D:displayname"] != nil
            else { continue }
            properties["D:displayname"] = name
            try JSONSerialization.data(withJSONObject: properties).write(to: URL(fileURLWithPath: place))
        }
    }

    private static func started(_ folder: TemporaryFolder) throws -> RunningProgram {
        let python = ProcessInfo.processInfo.environment["VITALS_PYTHON"] ?? "python3"
        let program = try RunningProgram(python, ["-B", "-m", "radicale", "--config", folder.path("config")])
        guard program.line(containing: "Radicale server ready") != nil else {
            throw TestFailure("Radicale: \(program.text)")
        }
        return program
    }
}
