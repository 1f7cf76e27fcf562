import Foundation
import Glibc
import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport
import Testing

@testable import vitals_consumer

@Suite("Notifications on their way when the consumer is killed", .timeLimit(.minutes(60)))
struct PushKillTests {
    private let household: Household

    init() throws { household = try Household() }

    /// - Parameter count: how often it was started by then.
    private func started(_ broker: Broker, _ count: Int) throws -> RunningProgram {
        let program = try RunningProgram("vitals-consumer", ["--settings", household.settingsFile])
        try broker.waitForLog("vitals/v1/users/+/requests/# (QoS 1)", times: count)
        return program
    }

    private func ask(_ client: Client, _ verb: String, _ fields: JSON) throws -> JSON {
        let place = "vitals/v1/users/demo/responses/\(UUID().uuidString)"
        client.session.publish(
            Message(
                topic: "vitals/v1/users/demo/requests/\(verb)", payload: fields.bytes, qos: .atLeastOnce,
                properties: Message.Properties(responseTopic: place)))
        let outcome = try client.wait("a reply to \(verb)") { message in
            message.topic == place ? try Reply(payload: message.payload).outcome : nil
        }
        guard case .ok(let data) = outcome else { throw TestFailure("\(verb): \(outcome)") }
        return data
    }

    @Test("are brought by the next run, under the same id, and once; what was under way ends with the consumer")
    func killed() throws {
        let receiver = try PushReceiver()
        try Broker.with { broker in
            let settings = try household.settings(port: broker.port, more: Circle.pushSettings)
            _ = try Keys(settings, .create)
            let client = try Client(broker, "vitals/v1/users/#")
            defer { client.stop() }
            var consumer = try started(broker, 1)
            defer { consumer.end(SIGKILL) }
            let first = try ask(client, "push/add", ["address": .string("json://\(receiver.place)/")])
            try receiver.answers("hang")
            // That it was added is told at the first address.
            _ = try ask(client, "push/add", ["address": "ntfys://ntfy.example.org/topic", "kinds": ["storage-full"]])
            try receiver.wait(for: 1)
            consumer.end(SIGKILL)
            try receiver.waitForGone()
            try receiver.answers("status 200")
            consumer = try started(broker, 2)
            let requests = try receiver.wait(for: 2)
            let ids = requests.map { $0.headers["vitals-notification"] }
            #expect(ids[0] != nil && ids[0] == ids[1])
            // This waits until the other is over, and written down: one message of a person is under way at a time.
            _ = try ask(client, "push/test", ["push": first["push"] ?? .null])
            #expect(try elements(ask(client, "push/list", [:]), "addresses")[0]["waiting"] == 0)
            consumer.end(SIGKILL)
            consumer = try started(broker, 3)
            _ = try ask(client, "push/test", ["push": first["push"] ?? .null])
            #expect(receiver.requests.count == 4)
            // Nothing of an address is in the log.
            #expect(!consumer.text.contains(receiver.place) && !consumer.text.contains("ntfy.example.org"))
        }
    }
}
