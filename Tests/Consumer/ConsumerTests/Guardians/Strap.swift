import HouseholdSupport
import MQTT
import Readings
import Records
import Telemetry
import TestSupport
import Vault

@testable import Features
@testable import vitals_consumer

/// Somebody's strap at the gateway `home`, whose heart rates come in blocks as a gateway makes them. It goes on after a restart of
/// the consumer.
final class Strap {
    static let name = "home/belt"

    private let client: Client
    private let key: [UInt8]
    private let session: GatewaySession

    init(of user: ID, _ circle: Circle) throws {
        let name = SensorName(gateway: try ID("home"), sensor: try ID("belt"))
        client = try Client(circle.broker, "vitals/v1/gateways/home/#")
        key = try circle.onSession { context in
            try context.store.change(user) { () throws(VaultError) in
                try Claims(store: context.store).write(name, user, .heartRate, now: context.now())
            }
            context.doors.bringStreamsInLine(of: [name])
            return context.keys.identity.publicKey
        }
        let grant = try client.wait("the grant of the strap") { message -> Grant? in
            guard message.topic.hasSuffix("/belt/grant"), !message.payload.isEmpty else { return nil }
            guard case .grant(let grant) = try SignedControlMessage(bytes: message.payload).message.body else {
                return nil
            }
            return grant
        }
        session = try GatewaySession(grant, circle.household.home, boot: BootID(high: 0, low: 1))
        try publish([session.keyBlock])
    }

    func stop() { client.stop() }

    /// It is worn for some seconds, with one heart rate in each. When this returns, they are stored.
    func wear(_ bpm: UInt16, seconds: Int64, _ circle: Circle) throws {
        let begin = circle.now - start
        circle.advance(seconds * 1000)
        try publish(session.blocks((0..<seconds).map { beat(begin + $0 * 1000, bpm) }))
    }

    private func publish(_ blocks: [[UInt8]]) throws {
        for block in blocks { client.publish(block, to: "vitals/v1/gateways/home/blocks") }
        var left = blocks.count
        while left > 0 {
            if case .acknowledgement(let identities) = try client.control(key).body { left -= identities.count }
        }
    }

    // MARK: What its gateway says

    /// Whether the strap is on.
    func say(isOn: Bool) {
        retain((isOn ? Availability.online : .offline).bytes, at: "sensors/belt/availability")
    }

    /// Whether the gateway is there.
    func say(isGatewayOn: Bool) {
        retain(StatusPayload(isGatewayOn ? .online : .offline).bytes, at: "status")
    }

    private func retain(_ payload: [UInt8], at topic: String) {
        client.session.publish(payload, to: "vitals/v1/gateways/home/\(topic)", qos: .atLeastOnce, retain: true)
    }
}
