import Foundation
import HouseholdSupport
import MQTT
import Telemetry
import TestSupport

@testable import vitals_consumer

/// What Home Assistant hears of people, at the broker of a circle.
final class Wall {
    static let (more, rules) = ("home_assistant: {},", "home_assistant: {}")

    /// It ends before another consumer begins.
    private weak var circle: Circle?
    private let broker: Broker
    private let client: Client
    private let prefix: String

    init(_ circle: Circle, prefix: String = "homeassistant") throws {
        (self.circle, broker, self.prefix) = (circle, circle.broker, prefix)
        client = try Client(circle.broker, "\(prefix)/#", "vitals/v1/home-assistant/#", "vitals/v1/end")
    }

    deinit { client.stop() }

    func device(_ user: ID) -> String { "\(prefix)/device/vitals_people/\(user)/config" }
    func day(_ user: ID) -> String { "vitals/v1/home-assistant/\(user)/today" }

    /// What comes next there; nil if it is taken back.
    func next(_ topic: String) throws -> JSON? {
        try client.wait("a message at \(topic)") { message -> JSON?? in
            guard message.topic == topic else { return nil }
            return .some(message.payload.isEmpty ? nil : try JSON(payload: message.payload))
        }
    }

    /// Waits until a topic says something.
    func wait(_ topic: String, until isMeant: (JSON?) -> Bool) throws { while try !isMeant(next(topic)) {} }

    /// The topics of the messages that came and were not taken, without what only this says.
    var waiting: [String] { client.received.map(\.topic).filter { $0 != "\(prefix)/status" } }

    /// Says that Home Assistant was born.
    func beBorn() { client.publish(Array("online".utf8), to: "\(prefix)/status") }

    /// Has the broker keep something; returns when it does.
    func keep(_ payload: [UInt8], at topic: String) throws {
        let done = Record<Bool>()
        client.session.publish(payload, to: topic, qos: .atLeastOnce, retain: true) { done.append($0 == nil) }
        guard try done.wait(for: 1) == [true] else { throw TestFailure("the broker did not keep \(topic)") }
    }

    /// Has somebody say whether they are shown.
    func agree(_ user: ID, _ agrees: Bool = true) throws {
        let reply = try circle?.done(user, "consent/set", ["home_assistant": .bool(agrees)])
        guard reply?["home_assistant"] == .bool(agrees) else { throw TestFailure("\(reply ?? .null)") }
    }

    /// What the broker keeps.
    func kept() throws -> [String: JSON] {
        let other = try Client(broker, "\(prefix)/#", "vitals/v1/home-assistant/#", "vitals/v1/end")
        defer { other.stop() }
        other.publish([1], to: "vitals/v1/end")
        var kept: [String: JSON] = [:]
        while true {
            let message = try other.wait("a kept message, or the end") { $0 }
            if message.topic == "vitals/v1/end" { return kept }
            if message.retain { kept[message.topic] = try JSON(payload: message.payload) }
        }
    }
}
