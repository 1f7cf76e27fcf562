import Daemon
import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport
import Testing

@testable import vitals_consumer

@Suite("Reads by request, with a broker and a gateway that answers as told", .timeLimit(.minutes(60)))
struct ReadRequestTests {
    private static let gets = ["strap", "watch"].flatMap { sensor in
        ["steps", "temperature"].map { "vitals/v1/gateways/home/sensors/\(sensor)/\($0)/get" }
    }

    /// A consumer and a client that plays both the people and the gateway.
    private func with(_ body: (Client) throws -> Void) throws {
        let broker = try Broker(configuration: ["allow_anonymous true"])
        try broker.start()
        defer { broker.stop() }
        let household = try Household()
        let people = "demo: { sensors: [\"home/strap\", \"home/watch\"] }, other: {}"
        let settings = try household.settings(
            people: people, port: broker.port, more: "reads: { steps: { every: 0, before_midnight: 0 } },")
        _ = try Keys(settings, .create)
        let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
        consumer.desk.recordRequests()
        consumer.start()
        defer { consumer.stop() }
        let client = try Client(
            broker, Self.gets[0], Self.gets[1], Self.gets[2], Self.gets[3], "vitals/v1/users/+/responses/#",
            "vitals/v1/stores/+/consumers/+")
        defer { client.stop() }
        // Requests from before the consumer listens are not answered.
        _ = try client.wait("the consumer") { $0.topic.contains("/stores/") ? true : nil }
        try body(client)
    }

    /// Asks, plays the gateway, and gives the reply.
    private func ask(
        _ client: Client, _ question: String, _ fields: JSON = [:], user: String = "demo", expiry: UInt32? = nil,
        answers: [(sensor: String, reply: Reply.Outcome)] = []
    ) throws -> Reply.Outcome {
        let properties = Message.Properties(
            responseTopic: "vitals/v1/users/\(user)/responses/here", messageExpirySeconds: expiry)
        client.session.publish(
            fields.bytes, to: "vitals/v1/users/\(user)/requests/\(question)/read", qos: .atLeastOnce,
            properties: properties)
        for (sensor, outcome) in answers {
            let topic = "vitals/v1/gateways/home/sensors/\(sensor)/\(question)/get"
            let asked = try client.wait("the question to \(sensor)") { $0.topic == topic ? $0 : nil }
            let response = try #require(asked.properties?.responseTopic)
            #expect(response.hasPrefix("vitals/v1/gateways/home/responses/"))
            if let expiry { #expect((asked.properties?.messageExpirySeconds ?? .max) <= expiry) }
            client.session.publish(
                Reply(outcome).bytes, to: response, qos: .atLeastOnce,
                properties: Message.Properties(correlationData: asked.properties?.correlationData))
        }
        return try client.wait("the reply") { message in
            guard message.topic.hasSuffix("/responses/here") else { return nil }
            return try Reply(payload: message.payload).outcome
        }
    }

    @Test("ask the sensor that is named, or each until one can, and pass on what the gateway says")
    func reads() throws {
        try with { client in
            let steps: JSON = ["time": 5, "steps": 8042, "secret": 1]
            let read = try ask(client, "steps", ["sensor": "home/strap"], answers: [("strap", .ok(steps))])
            guard case .ok(let found) = read else { throw TestFailure("\(read)") }
            #expect(found["sensor"] == "home/strap" && found["time"] == 5 && found["steps"] == 8042)
            #expect(found["secret"] == nil)
            let no = Reply.Outcome.error(ReplyError(.notSupported, "it has none"))
            let warm: JSON = ["time": 6, "celsius": .number(36.97), "site": "armpit"]
            let measured = try ask(client, "temperature", answers: [("strap", no), ("watch", .ok(warm))])
            guard case .ok(let data) = measured else { throw TestFailure("\(measured)") }
            #expect(data["sensor"] == "home/watch" && data["celsius"] == .number(36.97) && data["site"] == "armpit")
            let away = ReplyError(.sensorOffline, "the sensor is not connected", retryAfterSeconds: 30)
            let offline = try ask(
                client, "steps", ["sensor": "home/watch"], expiry: 7, answers: [("watch", .error(away))])
            #expect(offline == .error(away))
            let last = try ask(client, "steps", answers: [("strap", no), ("watch", .error(away))])
            #expect(last == .error(away))
            let none = try ask(client, "steps", answers: [("strap", no), ("watch", no)])
            #expect(none == no)
        }
    }

    /// Asks what comes to an error.
    private func refused(
        _ expected: ReplyError.Code, _ client: Client, _ fields: JSON, user: String = "demo", expiry: UInt32? = nil,
        answers: [(sensor: String, reply: Reply.Outcome)] = []
    ) throws {
        let outcome = try ask(client, "steps", fields, user: user, expiry: expiry, answers: answers)
        guard case .error(let error) = outcome else { throw TestFailure("\(outcome)") }
        #expect(error.code == expected)
    }

    @Test("tell what is wrong: another's sensor, no sensor at all, no name, a gateway that is silent or says nothing")
    func refusals() throws {
        try with { client in
            try refused(.notFound, client, ["sensor": "home/strap"], user: "other")
            try refused(.notFound, client, [:], user: "other")
            try refused(.notFound, client, ["sensor": "next-door/strap"])
            try refused(.badRequest, client, ["sensor": "strap"])
            try refused(.internal, client, ["sensor": "home/strap"], answers: [("strap", .ok(["time": 1]))])
            // Nobody answers: the deadline is the asker's.
            try refused(.timeout, client, ["sensor": "home/watch"], expiry: 2)
            #expect(!client.hasReceived { $0.topic.contains("next-door") })
        }
    }
}
