import Foundation

/// A web server on a free loopback port, in a folder of its own, that ends with the value. See web_server.py for what
/// it answers.
public final class WebServer {
    /// What it serves, and `ca.pem`, the certificate of its authority.
    public let folder: TemporaryFolder
    /// `http://127.0.0.1:PORT`, or `https`.
    public let address: String
    private let program: RunningProgram

    /// What its certificate is like.
    public enum Certificate: String, Sendable {
        case good, expired
        case otherName = "other-name"
    }

    /// Starts it, and waits until it listens.
    public init(tls certificate: Certificate? = nil) throws {
        folder = try TemporaryFolder()
        let python = ProcessInfo.processInfo.environment["VITALS_PYTHON"] ?? "python3"
        let script = "\(projectFolder)/Tests/TestSupport/web_server.py"
        let tls = certificate.map { ["--tls", $0.rawValue] } ?? []
        program = try RunningProgram(python, ["-B", script, folder.path] + tls)
        guard let line = program.line(containing: "port "), let port = line.split(separator: " ").last else {
            throw TestFailure("web_server.py: \(program.text)")
        }
        address = "\(certificate == nil ? "http" : "https")://127.0.0.1:\(port)"
    }

    deinit { program.end(9) }

    /// The paths that were asked for, in their order, and all of those that it has answered.
    public var requests: [String] {
        allRequests.filter { $0.hasPrefix("GET ") }.map { String($0.dropFirst(4)) }
    }

    /// All requests in their order, as `PROPFIND /calendars/ann/`.
    public var allRequests: [String] {
        // What it has printed may be on its way here yet.
        _ = program.obeys("")
        return program.lines.filter { $0.contains(" /") && !$0.hasPrefix("port ") }
    }

    /// Says how a request with another method than GET is answered: see web_server.py.
    public func answer(_ method: String, _ path: String, _ status: Int, _ headers: [String] = [], _ body: String = "")
        throws
    {
        let name = "\(method)\(path.replacingOccurrences(of: "/", with: " "))"
        let text = (["\(status)"] + headers).joined(separator: "\n") + "\n\n" + body
        try folder.write(text, to: name.trimmingCharacters(in: .whitespaces))
    }

    /// Waits until something was asked for with any method.
    public func waitForRequest(_ method: String, _ path: String) throws {
        guard program.line(containing: "\(method) \(path)") != nil else {
            throw TestFailure("nobody asked for \(path): \(program.text)")
        }
    }

    /// Waits until a path was asked for.
    public func waitForRequest(_ path: String) throws {
        guard program.line(containing: "GET \(path)") != nil else {
            throw TestFailure("nobody asked for \(path): \(program.text)")
        }
    }
}
