import Daemon
import Foundation
import HouseholdSupport
import MQTT
import Records
import Synchronization
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Features
@testable import vitals_consumer

/// A consumer with accounts and a broker that lets everybody do everything: who asks is what the topic says.
final class Office {
    let broker: Broker
    let household: Household
    let settings: ConsumerSettings
    let consumer: Consumer
    let client: Client
    let keys: Keys
    /// How far the consumer's clock is ahead.
    let ahead: Ahead

    final class Ahead: Sendable {
        let milliseconds = Mutex<Int64>(0)
        func go(_ more: Int64) { milliseconds.withLock { $0 += more } }
    }

    /// - Parameter limitedLog: what people bring about goes here, where it is not to go to the program's log.
    init(limitedLog: LimitedLog? = nil) throws {
        broker = try Broker()
        try broker.start()
        household = try Household()
        settings = try household.settings(
            people: "given: { sensors: [\"home/strap\"] }", port: broker.port, more: "accounts: {}, broker_rules: {},")
        keys = try Keys(settings, .create)
        for user in ["ada", "eve"] { _ = try keys.currentVersion(of: ID(user)) }
        consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
        consumer.desk.recordRequests()
        let ahead = Ahead()
        self.ahead = ahead
        let context = consumer.features.context
        context.rules = nil
        if let limitedLog { context.limitedLog = limitedLog }
        context.now = { unixMilliseconds() + ahead.milliseconds.withLock { $0 } }
        client = try Client(
            broker, "vitals/v1/users/+/responses/#", "vitals/v1/accounts/responses/#", "vitals/v1/gateways/+/control",
            "vitals/v1/gateways/+/sensors/+/grant")
        consumer.start()
        // What was asked before its subscriptions is not answered.
        try broker.waitForLog("vitals/v1/users/+/requests/#")
        try broker.waitForLog("vitals/v1/gateways/+/blocks")
    }

    func stop() {
        client.stop()
        consumer.stop()
        broker.stop()
    }

    private func ask(_ topic: String, _ fields: JSON, replyAt place: String) throws -> Reply {
        let key = try RandomBytes.draw(8)
        client.session.publish(
            Message(
                topic: topic, payload: fields.bytes, qos: .atLeastOnce,
                properties: Message.Properties(responseTopic: place, correlationData: key)))
        return try client.wait("a reply about \(topic)") { message in
            guard message.topic == place, message.properties?.correlationData == key else { return nil }
            return try Reply(payload: message.payload)
        }
    }

    /// What a person asks, and gets.
    func ask(_ user: String, _ name: String, _ fields: JSON = [:]) throws -> Reply {
        try ask("vitals/v1/users/\(user)/requests/\(name)", fields, replyAt: "vitals/v1/users/\(user)/responses/me")
    }

    func data(_ user: String, _ name: String, _ fields: JSON = [:]) throws -> JSON {
        guard case .ok(let data) = try ask(user, name, fields).outcome else { throw TestFailure("\(name) was refused") }
        return data
    }

    /// A code of a person's.
    func code(of user: String, _ fields: JSON = [:]) throws -> EnrolmentCode {
        guard case .string(let text) = try data(user, "gateways/invite", fields)["code"] else {
            throw TestFailure("no code")
        }
        return try EnrolmentCode(text)
    }

    /// Asks to be enrolled as a gateway does.
    func enrol(_ code: EnrolmentCode, _ key: Ed25519.SigningKey, proof: [UInt8]? = nil) throws -> Reply {
        try ask(
            enrolling: [
                "code_id": .string(code.id), "gateway_key": .string(KeyFile.text(of: key.publicKey)),
                "proof": .string(KeyFile.text(of: proof ?? code.requestProof(gatewayKey: key.publicKey))),
            ])
    }

    /// Asks to be enrolled with these fields.
    func ask(enrolling fields: JSON) throws -> Reply {
        try ask("vitals/v1/accounts/enrol", fields, replyAt: "vitals/v1/accounts/responses/\(DeskTests.drawn)")
    }

    /// A gateway of a person's, enrolled as it should be: its id and the key of its claim codes.
    func gateway(of user: String, _ key: Ed25519.SigningKey) throws -> (id: ID, claimKey: SymmetricKey) {
        let code = try code(of: user)
        guard case .ok(let data) = try enrol(code, key).outcome, case .string(let id) = data["gateway"] else {
            throw TestFailure("not enrolled")
        }
        return (try ID(id), try claimKey(code, key))
    }

    /// The key of a gateway's claim codes, as the gateway computes it.
    func claimKey(_ code: EnrolmentCode, _ key: Ed25519.SigningKey) throws -> SymmetricKey {
        try ClaimKey.atGateway(key, consumer: keys.identity.publicKey, codeKey: code.codeKey())
    }

    func claim(_ user: String, _ gateway: ID, _ code: ClaimCode, sensor: String = "strap") throws -> Reply {
        try ask(
            user, "sensors/claim",
            ["gateway": .string(gateway.text), "sensor": .string(sensor), "code": .string(code.text)])
    }

    func claim(_ user: String, _ gateway: ID, _ key: SymmetricKey) throws -> Reply {
        try claim(user, gateway, ClaimCode(sensor: "strap", at: unixMilliseconds(), key: key))
    }

    /// The next grant for a gateway's sensor.
    func grant(of gateway: ID) throws -> Grant {
        let consumer = try Ed25519.VerifyingKey(keys.identity.publicKey)
        return try client.wait("a grant for \(gateway)") { message in
            guard message.topic == "vitals/v1/gateways/\(gateway)/sensors/strap/grant" else { return nil }
            let signed = try SignedControlMessage(bytes: message.payload)
            try consumer.verify(signed.signature, of: signed.signedBytes)
            guard case .grant(let grant) = signed.message.body else { return nil }
            return grant
        }
    }

    /// Sends a heart rate as a gateway does, and waits for the acknowledgement.
    func send(_ bpm: UInt16, _ grant: Grant, _ gateway: ID, _ key: Ed25519.SigningKey, isAwaited: Bool = true) throws {
        let session = try GatewaySession(grant, key, boot: BootID(high: 0, low: 1))
        let moment = Moment(wall: unixMilliseconds(), monotonic: millisecondsSinceBoot())
        let reading = Reading(at: moment, .heartRate(HeartRateMeasurement(beatsPerMinute: bpm)))
        let topic = "vitals/v1/gateways/\(gateway)/blocks"
        client.publish(session.keyBlock, to: topic)
        client.publish(try session.block(reading), to: topic)
        guard isAwaited else { return }
        _ = try client.wait("the acknowledgement of \(bpm)") { message -> Bool? in
            guard message.topic == "vitals/v1/gateways/\(gateway)/control" else { return nil }
            guard case .acknowledgement(let identities) = try SignedControlMessage(bytes: message.payload).message.body
            else { return nil }
            return identities.contains(session.identity(1)) ? true : nil
        }
    }

    /// Has a person's profile say whether heart rates are recorded.
    func setContinuousHeartRate(_ isOn: Bool, of user: String) throws {
        let documents = Documents(store: try Store(folder: settings.state, adding: Feature.all.schema), keys: keys)
        try documents.write(["continuous_heart_rate": .bool(isOn)], "profile", of: ID(user))
    }

    /// The heart rates that a person has.
    func heartRates(of user: String) throws -> [Int] {
        let command = ReadingsCommand(user: try ID(user), kind: .heartRate)
        let lines = try output { _ = try command.run(settings, output: $0) }
        return try lines.map { line in
            guard case .integer(let bpm) = try JSON(payload: Array(line.utf8))["bpm"] else { throw TestFailure(line) }
            return Int(bpm)
        }
    }
}

/// Why a request was refused; nil where it was not.
func fault(_ reply: Reply) -> ReplyError.Code? {
    if case .error(let error) = reply.outcome { error.code } else { nil }
}

/// An office that answers while `body` runs.
func withOffice(_ body: (Office) throws -> Void) throws {
    let office = try Office()
    defer { office.stop() }
    try body(office)
}
