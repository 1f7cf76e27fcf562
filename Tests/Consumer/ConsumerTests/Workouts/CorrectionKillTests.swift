import Foundation
import Glibc
import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport
import Testing

@testable import Exercise
@testable import vitals_consumer

@Suite("Corrections of workouts that are interrupted", .timeLimit(.minutes(60)))
struct CorrectionKillTests {
    @Test("one that fails in its last step has changed nothing")
    func failing() throws {
        try WorkoutHouse.with { house in
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            house.set(600)
            try house.publish(house.run(0..<600))
            let id: JSON = .string(try house.done("workouts/stop").text("id"))
            try house.settle()
            let before = try house.done("workouts/show", ["id": id])
            func execute(_ statement: String) throws {
                try house.restart { running in
                    do { try running?.rows.store.database.execute(statement) } catch { Issue.record("\(error)") }
                }
            }
            let half: JSON = .integer(start + 300_000)
            try execute("CREATE TRIGGER failing BEFORE UPDATE ON days BEGIN SELECT RAISE(ABORT, 'made up'); END")
            for (verb, more) in [("split", ["at": half]), ("edit", ["to": half])] as [(String, JSON)] {
                #expect(try house.refused("workouts/\(verb)", more.with("id", id)).code == .internal)
            }
            #expect(try house.done("workouts/list").list("workouts").count == 1)
            #expect(try house.done("workouts/show", ["id": id]) == before)
            try execute("DROP TRIGGER failing")
            #expect(try house.done("workouts/show", ["id": id]) == before && house.recounted() == 0)
            try house.done("workouts/split", ["id": id, "at": half])
            #expect(try house.done("workouts/list").list("workouts").count == 2)
        }
    }

    // MARK: Killed

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

    @Test("one that the consumer is killed in is there whole or not at all")
    func killed() throws {
        let household = try Household()
        try Broker.with { broker in
            let settings = try household.settings(port: broker.port, more: "accounts: {}, broker_rules: {},")
            _ = try Keys(settings, .create)
            let client = try Client(broker, "vitals/v1/users/#")
            defer { client.stop() }
            var starts = 0
            func started() throws -> RunningProgram {
                starts += 1
                let program = try RunningProgram("vitals-consumer", ["--settings", household.settingsFile])
                try broker.waitForLog("vitals/v1/users/+/requests/# (QoS 1)", times: starts)
                return program
            }
            var consumer = try started()
            defer { consumer.end(SIGKILL) }
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            _ = try ask(client, "workouts/start", ["activity": "running", "at": .integer(now - 3_600_000)])
            let id: JSON = .string(try ask(client, "workouts/stop", ["at": .integer(now)]).text("id"))
            // A request that nobody has answered may come again; then it is too late, or asks for what is so already.
            for number in 1...6 as ClosedRange<Int64> {
                let fields: JSON = [
                    "id": id, "title": .string("\(number)"), "to": .integer(now - number * 300_000),
                ]
                let isAnswered = number % 2 == 0
                if isAnswered {
                    _ = try ask(client, "workouts/edit", fields)
                } else {
                    _ = send(client, "workouts/edit", fields)
                }
                consumer.end(SIGKILL)
                consumer = try started()
                let line = try #require(ask(client, "workouts/list").list("workouts").first)
                let known = try line["name"].map { _ in try #require(Int64(line.text("name"))) } ?? 0
                #expect(try line.number("duration_s") == Double(3600 - known * 300), "\(line)")
                #expect(known == number || !isAnswered && known == number - 1, "\(number): \(line)")
            }
        }
    }
}
