import Daemon
import DaysSupport
import Foundation
import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport
import Testing

@testable import Readings
@testable import vitals_consumer

@Suite("How dense readings may be, at a service", .timeLimit(.minutes(60)))
struct DensityServiceTests {
    let household: Household
    private let most = [UInt16](repeating: 800, count: HeartRateMeasurement.maximumIntervals)

    init() throws { household = try Household() }

    @Test("a service that is asked about an hour without bounds takes no more memory than about any other")
    func memory() throws {
        let broker = try Broker(configuration: ["allow_anonymous true", "max_queued_messages 100000"])
        try broker.start()
        let blocks = 200
        do {
            // What a version before this one may have stored.
            var parts = try household.open(densest: .none)
            let session = try parts.session(household)
            _ = try parts.take(session.keyBlock)
            for block in 0..<blocks {
                _ = try parts.take(session.block((0..<64).map { beat(Int64(block * 64 + $0), 75, rr: most) }))
            }
        }
        _ = try household.settings(port: broker.port)
        let client = try Client(broker, "vitals/v1/users/demo/responses/#", "vitals/v1/stores/+/consumers/main")
        defer { client.stop() }
        let service = try RunningProgram("vitals-consumer", ["--settings", household.path("consumer.json5")])
        _ = try client.wait("the consumer") { $0.topic.contains("/stores/") ? true : nil }
        func ask(_ name: String, _ fields: JSON) throws -> JSON {
            let place = "vitals/v1/users/demo/responses/test"
            client.session.publish(
                Message(
                    topic: "vitals/v1/users/demo/requests/\(name)", payload: fields.bytes, qos: .atLeastOnce,
                    properties: Message.Properties(responseTopic: place)))
            let reply = try client.wait("a reply to \(name)") { message in
                message.topic == place ? try Reply(payload: message.payload) : nil
            }
            guard case .ok(let data) = reply.outcome else { throw TestFailure("\(name): \(reply.outcome)") }
            return data
        }
        let (empty, full) = (start - 3_600_000, start + 3_600_000)
        _ = try ask("heart-rate/variability", ["from": .integer(empty), "to": .integer(start)])
        let before = try peakKilobytes(service.pid)
        let reply = try ask("heart-rate/variability", ["from": .integer(start), "to": .integer(full)])
        #expect(reply["beats"] == .integer(Int64(blocks * 64 * most.count)))
        _ = try ask("heart-rate/intervals", ["from": .integer(start), "to": .integer(full)])
        _ = try ask("heart-rate/graph", ["from": .integer(start), "to": .integer(start + 60_000)])
        _ = try ask("heart-rate/at", ["time": .integer(start + 10)])
        let growth = try peakKilobytes(service.pid) - before
        #expect(growth < 64 * 1024, "\(growth) kB more at its peak")
    }

    /// The greatest resident memory that a process has had.
    private func peakKilobytes(_ pid: pid_t) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.split(separator: " ").dropFirst().first ?? ""))
    }
}
