import Desk
import Foundation
import Glibc
import MQTT
import Telemetry

/// What clients of tests have received, in the file that VITALS_MESSAGES names: `deploy/test` compares it with the
/// AsyncAPI document. A line is as Tests/HouseholdTests/asyncapi.py reads it.
final class MessageRecord: Sendable {
    /// Nil if nobody wants it.
    static let shared = ProcessInfo.processInfo.environment["VITALS_MESSAGES"].flatMap(MessageRecord.init)

    private let file: CInt

    private init?(_ path: String) {
        file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
    }

    func add(_ message: Message) {
        // Longer ones are parts of exports and pictures.
        guard message.payload.count <= 4096, !message.topic.contains(" ") else { return }
        write("\(message.retain ? 1 : 0) \(message.qos.rawValue) \(message.topic) \(hexadecimal(message.payload))")
    }

    /// A request that reached its verb, and the reply.
    func add(_ request: PeopleRequest, _ reply: Reply) {
        let (asked, replied) = (request.fields.bytes, reply.bytes)
        // Longer ones are mostly parts of files: there are thousands of them, which are all alike.
        guard max(asked.count, replied.count) <= 16 * 1024 else { return }
        let isGuests = request.asker == .guest
        write(
            "asked \(isGuests ? "accounts" : "users") \(request.name) \(hexadecimal(asked)) \(hexadecimal(replied))"
        )
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    /// One write for a line: several threads add to it.
    private func write(_ words: String) {
        let line = Array("\(words)\n".utf8)
        _ = Glibc.write(file, line, line.count)
    }
}
