import MQTT
import OwnTracks
import Readings
package import Telemetry

// What phones are asked to do. A phone that seals what it says gets sealed commands, which only it can open.

extension Phones {
    /// Asks all phones of a person where they are, and which regions they have. A phone answers when its app next runs, and only
    /// if its owner lets it.
    /// - Returns: how many phones were asked.
    package func askWhere(_ user: ID) throws -> Int {
        guard isConnected, try RecordedKinds(context.documents).recordsLocation(of: user) else { return 0 }
        let phones = try list.phones(of: user)
        // A question that is older than this would be answered with another place.
        for command in [PhoneCommand.reportLocation, .reportRegions] {
            try send(command, to: phones, of: user, expiring: 600)
        }
        return phones.count
    }

    /// - Parameter seconds: after which the broker drops a command that the phone did not fetch.
    func send(_ command: PhoneCommand, to phones: [Phone], of user: ID, expiring seconds: UInt32) throws {
        for phone in phones {
            let base = context.topics[user: user, .published("phone/\(phone.id)")]
            let payload = try phone.secret.map { try PhoneSecret($0).seal(command.bytes) } ?? command.bytes
            context.session.publish(
                Message(
                    topic: PhoneTopic.command.text(under: base), payload: payload, qos: .atLeastOnce,
                    properties: Message.Properties(messageExpirySeconds: seconds)))
        }
    }
}
