import Daemon
import Foundation
import HouseholdSupport
import MQTT
import Storage
import Telemetry
import TestSupport

@testable import Accounts
@testable import OwnTracks
@testable import Readings
@testable import vitals_consumer

/// A phone with the app, which knows nothing but the link that its owner has opened on it.
final class TestPhone {
    let configuration: JSON
    let topic: String
    let session: Session
    let secret: PhoneSecret?
    /// What the broker sent it.
    let heard = Record<Message>()
    private let states = Record<State>()

    /// - Parameter secret: another one than the link's.
    init(_ link: JSON, _ service: AccountService, secret other: PhoneSecret? = nil) throws {
        let text = try link.text("link")
        let prefix = "owntracks:///config?inline="
        guard text.hasPrefix(prefix),
            let bytes = Data(base64Encoded: text.dropFirst(prefix.count).replacingOccurrences(of: "%2B", with: "+"))
        else { throw TestFailure("no link of OwnTracks: \(text)") }
        configuration = try JSON(payload: Array(bytes))
        topic = try configuration.text("pubTopicBase")
        let key = try configuration.text("encryptionKey")
        secret = if let other { other } else { key.isEmpty ? nil : try PhoneSecret(key) }
        var options = Options(
            host: "127.0.0.1", port: service.broker.port, clientID: try configuration.text("clientId"))
        options.username = try configuration.text("username")
        options.passwordFile = try service.broker.folder.write(
            configuration.text("password") + "\n", to: "phone-\(UUID().uuidString)")
        session = Session(options)
        session.start(
            Handlers(stateChanged: { [states] in states.append($0) }, received: { [heard] in heard.append($0) }))
        _ = try states.take("the broker's answer") { if case .connected = $0 { true } else { nil } }
    }

    func stop() { session.stop() }

    /// Waits until the broker has thrown it out.
    func waitForEnd() throws {
        _ = try states.take("the end of the connection") { if case .waiting = $0 { true } else { nil } }
    }

    /// Publishes a message, sealed if it has a secret, and waits for the broker's acknowledgement.
    /// - Returns: whether the broker took it.
    @discardableResult
    func send(_ payload: [UInt8], _ part: PhoneTopic = .location, isSealed: Bool = true, retain: Bool = false) throws
        -> Bool
    {
        let sealed = isSealed ? try secret?.seal(payload) : nil
        return try publish(sealed ?? payload, to: part.text(under: topic), retain: retain)
    }

    /// The same with any topic and payload.
    func publish(_ payload: [UInt8], to topic: String, retain: Bool = false) throws -> Bool {
        let taken = Record<Bool>()
        session.publish(payload, to: topic, qos: .atLeastOnce, retain: retain) { taken.append($0 == nil) }
        return try taken.wait(for: 1)[0]
    }

    /// Whether the broker lets it subscribe.
    func maySubscribe(_ filter: String) throws -> Bool {
        let granted = Record<Bool>()
        session.subscribe([Subscription(filter)]) { granted.append($1 == nil) }
        return try granted.wait(for: 1)[0]
    }

    /// A location so many seconds after `start`.
    static func location(_ second: Int64) -> [UInt8] {
        Array("{\"_type\":\"location\",\"lat\":52.5,\"lon\":13.4,\"acc\":8,\"tst\":\(start / 1000 + second)}".utf8)
    }

    /// Steps of an hour that ended so many seconds after `start`.
    static func steps(_ second: Int64, _ count: Int) -> [UInt8] {
        let to = start / 1000 + second
        return Array("{\"_type\":\"steps\",\"steps\":\(count),\"from\":\(to - 3600),\"to\":\(to)}".utf8)
    }
}

extension AccountService {
    /// Where phones reach the broker.
    static let phones = "phones: { host: \"vitals.example.org\" },"

    /// Somebody who wants their position recorded, with a device.
    func walker(_ email: String = "ada@example.org") throws -> (user: ID, device: Asker) {
        let signedIn = try signUp(email)
        let device = try device(signedIn)
        try set(-7200)
        try device.done("consent/set", ["record_location": true])
        try set(3600)
        return (try ID(signedIn.text("user")), device)
    }

    /// Sets the service's clock to some seconds after `start`.
    func set(_ seconds: Int64) throws {
        try onSession { $0.context.now = { start + seconds * 1000 } }
    }

    /// The seconds after `start` of all that is stored of a person. What was sent before is, if somebody has had the
    /// reply to a request since then: messages come to the consumer in the order in which the broker took them.
    func stored(_ user: ID, _ kind: Reading.Kind = .position) throws -> [Int64] {
        try onSession { accounts in
            var seconds: [Int64] = []
            let stored = StoredReadings(store: accounts.context.store, keys: accounts.context.keys)
            let unreadable = try stored.forEach(of: user, kind, from: -Moment.limit, to: Moment.limit) {
                seconds.append(($0.moment.wall - start) / 1000)
            }
            guard unreadable == 0 else { throw TestFailure("\(unreadable) blocks do not open") }
            return seconds
        }
    }

    /// The document with what a person has agreed to.
    func consent(of user: ID) throws -> JSON {
        try onSession { try $0.context.documents.read(Consents.document, of: user) } ?? .null
    }
}
