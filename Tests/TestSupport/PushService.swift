import Foundation

/// A push service with browsers, on a free port of a loopback address, which ends with the value. See push_service.py.
public final class PushService {
    /// `127.0.0.1:PORT`.
    public let place: String
    private let program: RunningProgram

    /// A browser's subscription, as the browser itself says it.
    public struct Subscription: Codable {
        public let endpoint: String
        public let p256dh: String
        public let auth: String
    }

    /// What was posted to a browser.
    public struct Message: Decodable {
        public let path: String
        /// Of the body, in bytes.
        public let length: Int
        public let ttl: String?
        public let urgency: String?
        public let encoding: String?
        /// What it says; nil if something is wrong.
        public let message: String?
        /// What is wrong with it; nil if nothing is.
        public let wrong: String?
        /// Whom the sender names as their contact.
        public var contact: String? { claims?.sub }

        private let claims: Claims?

        private struct Claims: Decodable { let sub: String? }

        private enum CodingKeys: String, CodingKey {
            case path, length, message, wrong, claims
            case ttl = "TTL"
            case urgency = "Urgency"
            case encoding = "Content-Encoding"
        }
    }

    /// Starts it, and waits until it listens.
    public init(at address: String = "127.0.0.1") throws {
        let python = ProcessInfo.processInfo.environment["VITALS_PYTHON"] ?? "python3"
        program = try RunningProgram(python, ["-B", "\(projectFolder)/Tests/TestSupport/push_service.py", address])
        guard let line = program.line(containing: "port "), let port = line.split(separator: " ").last else {
            throw TestFailure("push_service.py: \(program.text)")
        }
        place = "\(address):\(port)"
    }

    deinit { program.end(9) }

    /// Makes a browser that takes messages from the owner of a key.
    public func subscription(to key: String) throws -> Subscription {
        guard program.obeys("subscribe \(key)"), let made = Self.read(Subscription.self, program.lines).last else {
            throw TestFailure("push_service.py: \(program.text)")
        }
        return made
    }

    /// Says how it answers from now on: `status 410`, `hang`, `endless`, `redirect URL`.
    public func answers(_ how: String) throws {
        guard program.obeys(how) else { throw TestFailure("push_service.py: \(program.text)") }
    }

    /// What was posted, in the order in which it came.
    public var messages: [Message] {
        _ = program.obeys("")
        return Self.read(Message.self, program.lines)
    }

    /// Waits until so much was posted.
    /// - Returns: all of it, more perhaps.
    @discardableResult
    public func wait(for count: Int) throws -> [Message] {
        guard program.wait(until: { Self.read(Message.self, $0).count >= count }) else {
            throw TestFailure("not \(count) messages: \(program.text)")
        }
        return messages
    }

    private static func read<Value: Decodable>(_ type: Value.Type, _ lines: [String]) -> [Value] {
        lines.compactMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
    }
}
