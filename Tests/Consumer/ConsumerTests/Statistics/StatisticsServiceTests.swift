import Daemon
import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport
import Testing

@testable import vitals_consumer

@Suite("Statistics, asked for by somebody", .timeLimit(.minutes(60)))
struct StatisticsServiceTests {
    @Test("are answered from what came a moment ago, each to whoever asks for their own")
    func service() throws {
        try Broker.with { broker in
            let household = try Household()
            let settings = try household.settings(
                people: "demo: { sensors: [\"home/strap\"] }, eve: { sensors: [\"home/watch\"] }", port: broker.port,
                more: "accounts: {}, broker_rules: {},")
            _ = try Keys(settings, .create)
            let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
            consumer.desk.recordRequests()
            let client = try Client(broker, "vitals/v1/users/+/responses/#", "vitals/v1/gateways/home/control")
            defer { client.stop() }
            consumer.start()
            defer { consumer.stop() }
            try broker.waitForLog("vitals/v1/users/+/requests/#")

            let (user, now) = (try ID("demo"), unixMilliseconds())
            let grants = try consumer.session.loop.sync { Result { try consumer.streams.grants.current() } }.get()
            guard let grant = grants.first(where: { $0.grant.sensor.text == "strap" })?.grant else {
                throw TestFailure("no grant")
            }
            let session = try GatewaySession(grant, household.home, boot: BootID(high: 0, low: 1))
            let counts = [(0, 100), (1000, 350)].map { later, count in
                Reading(
                    at: Moment(wall: now + Int64(later), monotonic: UInt64(later)), .steps(StepCount(UInt32(count))))
            }
            let topic = settings.topics[try ID("home"), .blocks]
            for block in [session.keyBlock, try session.block(counts)] {
                client.publish(block, to: topic)
                _ = try client.control(consumer.control.identity.publicKey)
            }

            let own = try ask(client, user, "statistics/summary", ["from": "2020-01-01", "to": "2119-12-31"])
            guard case .ok(let data) = own else { throw TestFailure("\(own)") }
            #expect(data["steps"]?["total"] == 250)
            for name in ["today", "week", "month", "year", "years"] {
                guard case .ok = try ask(client, user, "statistics/\(name)", [:]) else { throw TestFailure(name) }
            }
            guard case .ok(let years) = try ask(client, try ID("eve"), "statistics/years", [:]) else {
                throw TestFailure("eve is refused")
            }
            #expect(years == ["years": []])
            let month: JSON = ["from": "2026-01-01", "to": "2119-12-31", "by": "year"]
            guard case .error(let period) = try ask(client, user, "goals/reached", month),
                case .error(let long) = try ask(
                    client, user, "goals/reached", ["from": "2026-01-01", "to": "2027-01-02", "by": "day"]),
                case .error(let unknown) = try ask(
                    client, user, "statistics/recount", ["from": "2020-01-01", "to": "2020-01-02"]),
                case .error(let many) = try ask(
                    client, user, "statistics/recount", ["from": "2020-01-01", "to": "2020-01-11"]),
                case .error(let later) = try ask(
                    client, user, "statistics/recount", ["from": "2119-12-30", "to": "2119-12-31"])
            else { throw TestFailure("what cannot be is answered") }
            #expect(period.field == "by" && long.field == "from" && many.field == "from" && later.field == "to")
            // Nobody has said how tall they are.
            #expect(unknown.code == .notFound && many.code == .badRequest && later.code == .invalid)
            guard case .error(let error) = try ask(client, user, "statistics/day", ["day": "tomorrow"]) else {
                throw TestFailure("tomorrow is a day")
            }
            #expect(error.code == .badRequest && error.field == "day")
        }
    }

    private func ask(_ client: Client, _ user: ID, _ name: String, _ fields: JSON) throws -> Reply.Outcome {
        client.publish(fields.bytes, to: "vitals/v1/users/\(user)/requests/\(name)")
        return try client.wait("a reply to \(name)") { message in
            guard message.topic == "vitals/v1/users/\(user)/responses/\(name)" else { return nil }
            return try Reply(payload: message.payload).outcome
        }
    }
}
