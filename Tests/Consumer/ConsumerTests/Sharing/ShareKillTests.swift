import Foundation
import Glibc
import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport
import Testing

@testable import vitals_consumer

@Suite("What people share when the consumer is killed", .timeLimit(.minutes(60)))
struct ShareKillTests {
    private let household: Household

    init() throws { household = try Household() }

    /// - Parameter count: how often it was started by then.
    private func started(_ broker: Broker, _ count: Int) throws -> RunningProgram {
        let program = try RunningProgram("vitals-consumer", ["--settings", household.settingsFile])
        try broker.waitForLog("vitals/v1/users/+/requests/# (QoS 1)", times: count)
        return program
    }

    private func send(_ client: Client, _ verb: String, _ fields: JSON) -> String {
        let place = "vitals/v1/users/demo/responses/\(UUID().uuidString)"
        client.session.publish(
            Message(
                topic: "vitals/v1/users/demo/requests/\(verb)", payload: fields.bytes, qos: .atLeastOnce,
                properties: Message.Properties(responseTopic: place)))
        return place
    }

    private func ask(_ client: Client, _ verb: String, _ fields: JSON = [:]) throws -> JSON {
        let place = send(client, verb, fields)
        let outcome = try client.wait("a reply to \(verb)") { message in
            message.topic == place ? try Reply(payload: message.payload).outcome : nil
        }
        guard case .ok(let data) = outcome else { throw TestFailure("\(verb): \(outcome)") }
        return data
    }

    @Test(
        "is never posted twice: what was going out nobody knows, what had not begun was not sent, and the rest goes on")
    func killed() throws {
        let (slow, other) = (try PushReceiver(), try PushReceiver())
        try Broker.with { broker in
            let settings = try household.settings(port: broker.port, more: Circle.sharingSettings)
            _ = try Keys(settings, .create)
            let client = try Client(broker, "vitals/v1/users/#")
            defer { client.stop() }
            let killed = try started(broker, 1)
            defer { killed.end(SIGKILL) }
            _ = try ask(client, "workouts/start", ["activity": "running"])
            _ = try ask(client, "workouts/stop")
            let services = try [slow, other].map { receiver in
                try ask(client, "share/add", ["address": .string("json://secret:word@\(receiver.place)/")])["service"]
                    ?? .null
            }
            let preview = try ask(client, "share/preview", ["what": "statistics"])
            let share = preview["share"] ?? .null
            try slow.answers("hang")
            let fields: JSON = ["share": share, "to": .array(services)]
            _ = send(client, "share/post", fields)
            try slow.wait(for: 1)
            killed.end(SIGKILL)
            // Apprise ends with the consumer.
            try slow.waitForGone()
            try slow.answers("status 200")
            let consumer = try started(broker, 2)
            defer { consumer.end(SIGKILL) }
            let results = try shareResults { try ask(client, "share/post", fields) }
            #expect(results.map { $0["state"] } == ["unknown", "failed"])
            #expect(try results[0].text("problem").contains("look there before you share it again"))
            #expect(try results[1].text("problem").contains("it was not sent"))
            // What is shared now is posted, and nothing of before.
            let next = try ask(client, "share/preview", ["what": "statistics"])
            let posted = try shareResults {
                try ask(client, "share/post", ["share": next["share"] ?? .null, "to": .array(services)])
            }
            #expect(posted.map { $0["sent"] } == [true, true])
            #expect(slow.requests.count == 2 && other.requests.count == 1)
            for program in [killed, consumer] {
                #expect(!program.text.isEmpty, "its log is there")
                #expect(!program.text.contains("secret") && !program.text.contains(slow.place))
            }
        }
    }
}
