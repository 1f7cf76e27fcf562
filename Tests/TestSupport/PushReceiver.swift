import Foundation

/// A server that takes what is pushed to it, on a free port of a loopback address, and ends with the value. See receiver.py.
public final class PushReceiver {
    /// `127.0.0.1:PORT`.
    public let place: String
    private let program: RunningProgram

    /// What it was sent.
    public struct Request: Decodable {
        public let method: String
        public let path: String
        /// By their names in lower case.
        public let headers: [String: String]
        public let body: String
    }

    /// Starts it, and waits until it listens.
    public init(at address: String = "127.0.0.1") throws {
        let python = ProcessInfo.processInfo.environment["VITALS_PYTHON"] ?? "python3"
        program = try RunningProgram(python, ["-B", "\(projectFolder)/Tests/TestSupport/receiver.py", address])
        guard let line = program.line(containing: "port "), let port = line.split(separator: " ").last else {
            throw TestFailure("receiver.py: \(program.text)")
        }
        place = "\(address):\(port)"
    }

    deinit { program.end(9) }

    /// Says how it answers from now on: `status 500`, `hang`, `drop`, `hold`, `redirect URL`, `body TEXT`.
    public func answers(_ how: String) throws {
        guard program.obeys(how) else { throw TestFailure("receiver.py: \(program.text)") }
    }

    /// What it was sent, in the order in which it came, and all that it has answered.
    public var requests: [Request] {
        // What it has printed may be on its way here yet.
        _ = program.obeys("")
        return Self.requests(program.lines)
    }

    /// Waits until it was sent so much.
    /// - Returns: all of it, more perhaps.
    @discardableResult
    public func wait(for count: Int) throws -> [Request] {
        guard program.wait(until: { Self.requests($0).count >= count }) else {
            throw TestFailure("not \(count) requests: \(program.text)")
        }
        return requests
    }

    /// Waits until somebody whom it does not answer has gone.
    public func waitForGone() throws {
        guard program.line(containing: "gone") != nil else { throw TestFailure("nobody has gone: \(program.text)") }
    }

    private static func requests(_ lines: [String]) -> [Request] {
        lines.compactMap { try? JSONDecoder().decode(Request.self, from: Data($0.utf8)) }
    }
}
