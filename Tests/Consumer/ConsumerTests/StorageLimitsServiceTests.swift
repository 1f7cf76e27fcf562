import Daemon
import DaysSupport
import Foundation
import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport
import Testing

@testable import vitals_consumer

@Suite("Limits of what is stored, at a service", .timeLimit(.minutes(60)))
struct StorageLimitsServiceTests {
    let household: Household
    private let begun = ContinuousClock.now

    init() throws { household = try Household() }

    /// How many lines of one kind there may be: one a minute, however slow the machine is.
    private var lines: ClosedRange<Int> { 1...1 + Int((ContinuousClock.now - begun) / .seconds(60)) }

    @Test("a service says once what it holds and how much, and the person is told that there is no more room")
    func service() throws {
        let broker = try Broker(configuration: ["allow_anonymous true", "max_queued_messages 100000"])
        try broker.start()
        // Of 2 kB: no heart beats so, but a limit of a megabyte is the least that there can be.
        let some = (0..<30).map { UInt16(700 + $0 * 37 % 100) }
        func block(_ session: GatewaySession, _ number: Int) throws -> [UInt8] {
            try session.block((0..<64).map { beat(Int64(number * 64 + $0) * 1000, 70, rr: some) })
        }
        do {
            var parts = try household.open()
            let session = try parts.session(household)
            _ = try parts.take(all: [session.keyBlock] + (0..<700).map { try block(session, $0) })
            // `open` writes settings without limits.
            _ = try household.settings(
                port: broker.port, more: "limits: { person: { total: \"1 MB\" } },")
        }
        let client = try Client(
            broker, "vitals/v1/users/demo/notifications", "vitals/v1/gateways/home/sensors/+/grant",
            "vitals/v1/stores/#")
        defer { client.stop() }
        let service = try RunningProgram("vitals-consumer", ["--settings", household.path("consumer.json5")])
        _ = try client.wait("the consumer") { $0.topic.contains("/consumers/main") ? true : nil }
        let key = try Keys(household.settings(port: broker.port), .read).identity.publicKey
        guard case .grant(let grant) = try client.control(key).body else { throw TestFailure("no grant") }
        let session = try GatewaySession(grant, household.home, boot: BootID(high: 0, low: 7))
        // Until it is counted, blocks are taken: the key block is one of them, or it is not.
        let topic = "vitals/v1/gateways/home/blocks"
        client.publish(session.keyBlock, to: topic)
        for number in 0..<200 { client.publish(try block(session, 10_000 + number), to: topic) }
        for _ in 0..<50 {
            if service.line(containing: "not taken", within: .milliseconds(200)) != nil { break }
            client.publish(session.keyBlock, to: topic)
            client.publish(try block(session, 20_000), to: topic)
        }
        let told = try client.wait("a notification") { message in
            message.topic.hasSuffix("/notifications") ? try JSON(payload: message.payload) : nil
        }
        #expect(told["kind"] == "storage-full")
        for number in 0..<300 { client.publish(try block(session, 30_000 + number), to: topic) }
        service.signal(SIGTERM)
        #expect(service.exitStatus() == 0)
        #expect(lines.contains(service.lines.count { $0.contains("not taken") }), "\(service.text)")
        #expect(service.text.utf8.count < 4000 * lines.upperBound)
        #expect(!client.hasReceived { $0.topic.hasSuffix("/notifications") })
    }

    @Test("thousands of gaps, and of blocks that do not open, make one line of the log a minute with a count")
    func log() throws {
        var told = OncePerMinute<String>(capacity: 2)
        #expect(told.count("gap", 3, now: 0) == 3 && told.count("gap", 4, now: 10) == nil)
        #expect(told.count("gap", .max, now: 20) == nil && told.count("gap", 1, now: 60_000) == .max)
        #expect(told.count("gap", 2, now: 60_001) == nil && told.count("other", 5, now: 60_002) == 5)
        // There is no room for more, and what is not told is not counted either.
        #expect(told.count("third", 7, now: 60_003) == nil && told.count("third", 1, now: 130_000) == 1)
        #expect(told.count("gap", 1, now: 130_001) == 3)

        let broker = try Broker(configuration: ["allow_anonymous true", "max_queued_messages 100000"])
        try broker.start()
        let settings = try household.settings(port: broker.port)
        let key = try Keys(settings, .create).identity.publicKey
        let client = try Client(broker, "vitals/v1/gateways/home/#", "vitals/v1/stores/#")
        defer { client.stop() }
        let service = try RunningProgram("vitals-consumer", ["--settings", household.path("consumer.json5")])
        _ = try client.wait("the consumer") { $0.topic.contains("/consumers/main") ? true : nil }
        guard case .grant(let grant) = try client.control(key).body else { throw TestFailure("no grant") }
        let session = try GatewaySession(grant, household.home, boot: BootID(high: 0, low: 1))
        let topic = "vitals/v1/gateways/home/blocks"
        client.publish(session.keyBlock, to: topic)
        for number in 0..<3000 {
            let gap = try GapBody(
                count: 2, first: start + Int64(number), last: start + Int64(number), reason: .outboxFull)
            client.publish(try session.seal(.gap, gap.bytes), to: topic)
            client.publish(try session.seal(.gap, [9, 9]), to: topic)
        }
        var acknowledged = 0
        while acknowledged < 3001 {
            if case .acknowledgement(let identities) = try client.control(key).body { acknowledged += identities.count }
        }
        service.signal(SIGTERM)
        #expect(service.exitStatus() == 0)
        #expect(lines.contains(service.lines.count { $0.contains("are lost") }))
        #expect(lines.contains(service.lines.count { $0.contains("does not open") }))
        #expect(service.text.utf8.count < 4000 * lines.upperBound, "\(service.text)")
    }
}
