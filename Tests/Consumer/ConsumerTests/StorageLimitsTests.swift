import Daemon
import Foundation
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Readings
@testable import vitals_consumer

@Suite("Limits of what is stored", .timeLimit(.minutes(20)))
struct StorageLimitsTests {
    let household: Household
    let home: ID
    static let day: UInt64 = 86_400_000
    static let two = "demo: { sensors: [\"home/strap\", \"next-door/strap\"] }, other: { sensors: [\"home/watch\"] }"

    init() throws {
        household = try Household()
        home = try ID("home")
    }

    /// Limits of a gateway and a person, far below those of the settings.
    private func limits(day: Int = 1 << 40, total: Int = 1 << 40, person: Int = 1 << 40) -> StorageLimits {
        StorageLimits(gateway: .init(day: day, total: total), person: .init(day: person, total: 1 << 40))
    }

    /// A block of about 400 bytes.
    private func block(_ session: GatewaySession, _ number: Int) throws -> [UInt8] {
        var beats: [Reading] = []
        for index in 0..<64 {
            let time = Int64(number * 64 + index) * 1000
            beats.append(beat(time, UInt16(60 + index * 7 % 50), rr: [800]))
        }
        return try session.block(beats)
    }

    @Test("a gateway that has used up its allowance is not acknowledged until there is more, and loses nothing")
    func held() throws {
        var parts = try household.open(people: Self.two, limits: limits(day: 10_000))
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, later: 0)
        var (waiting, taken): ([[UInt8]], Int) = ([], 0)
        for number in 0..<60 {
            let block = try block(session, number)
            let (answers, reports) = try parts.take(all: [block], later: 0)
            if answers.isEmpty {
                #expect(reports.map(\.verdict) == [.held(Held(limit: .gatewayDay, user: "demo"))])
                waiting.append(block)
            } else {
                #expect(waiting.isEmpty)
                taken += 1
            }
        }
        #expect(taken > 10 && waiting.count > 20 && parts.ingest.counts.held == waiting.count)
        #expect(try parts.count("blocks") == taken && parts.findings().isGood)
        // What it has sent before is acknowledged again, whatever is left.
        #expect(try parts.take(session.keyBlock, later: 0) == [.acknowledge(home, [session.identity(0)])])
        // A day later there is as much again, and so on.
        var days = 0
        while !waiting.isEmpty, days < 10 {
            days += 1
            var first = true
            for block in waiting {
                let answers = try parts.take(all: [block], later: first ? Self.day : 0).answers
                if !answers.isEmpty { waiting.removeFirst() }
                first = false
            }
        }
        #expect(days > 1 && waiting.isEmpty)
        #expect(try parts.printed().count == 60 * 64)
    }

    @Test("a gateway uses up its own allowance, and neither another's nor that of people whose sensors are elsewhere")
    func others() throws {
        var parts = try household.open(people: Self.two, limits: limits(day: 10_000, person: 30_000))
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        for number in 0..<60 { _ = try parts.take(all: [block(session, number)], later: 0) }
        #expect(parts.ingest.counts.held > 20)
        let nextDoor = try #require(try parts.grants.current().first { $0.gateway.text == "next-door" }).grant
        let theirs = try GatewaySession(nextDoor, household.nextDoor, boot: BootID(high: 0, low: 1))
        let keys = try parts.take(all: [theirs.keyBlock], from: "next-door", later: 0)
        let neighbour = try ID("next-door")
        #expect(keys.answers == [.acknowledge(neighbour, [theirs.identity(0)])])
        let (answers, reports) = try parts.take(all: [block(theirs, 0)], from: "next-door", later: 0)
        #expect(answers.count == 1 && reports == [])
        // All gateways together, for one person.
        var verdicts: [Verdict] = []
        parts.ingest.allowances.limits = limits(person: 10_000)
        for number in 1..<60 {
            verdicts += try parts.take(all: [block(theirs, number)], from: "next-door", later: 0).reports.map(\.verdict)
        }
        #expect(verdicts.count > 20)
        #expect(verdicts.allSatisfy { $0 == .held(Held(limit: .personDay, user: "demo")) })
        let watch = try parts.session(household, "watch")
        #expect(try parts.take(watch.keyBlock, block(watch, 0)).count == 1)
    }

    @Test("what is stored in all is counted, also when it is packed, and holds what goes over the limit")
    func total() throws {
        var parts = try household.open(people: Self.two, limits: limits(total: 40_000))
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        for number in 0..<100 { #expect(try parts.take(all: [block(session, number)]).reports == []) }
        // Nothing is held before it is known; what comes while it is counted is known, too.
        #expect(try parts.ingest.countStored() == false)
        let held = Verdict.held(Held(limit: .gatewayTotal, user: "demo"))
        let more = try block(session, 100)
        #expect(try parts.take(all: [more]).reports.map(\.verdict) == [held])
        try parts.pack()
        #expect(try parts.ingest.countStored() == false)
        #expect(try parts.take(all: [more]).reports == [])
        var number = 101
        while number < 300, try parts.take(all: [block(session, number)]).reports == [] { number += 1 }
        #expect(number > 110 && number < 299)
        let stored = try parts.store.database.first("SELECT sum(length(sealed) + 128) FROM blocks", row: Row.int) ?? 0
        #expect((35_000...41_000).contains(stored), "\(stored)")
    }

    @Test("a batch that was not committed has used up nothing")
    func rolledBack() throws {
        var parts = try household.open(limits: limits(day: 3000))
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        try parts.store.database.execute("PRAGMA query_only = ON")
        let block = try block(session, 0)
        for _ in 0..<20 { #expect(throws: VaultError.self) { try parts.take(all: [block], later: 0) } }
        try parts.store.database.execute("PRAGMA query_only = OFF")
        #expect(try parts.take(all: [block], later: 0).answers.count == 1)
    }

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
        #expect(service.lines.count { $0.contains("not taken") } == 1, "\(service.text)")
        #expect(service.text.utf8.count < 4000)
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
        #expect(service.lines.count { $0.contains("are lost") } == 1)
        #expect(service.lines.count { $0.contains("does not open") } == 1)
        #expect(service.text.utf8.count < 4000, "\(service.text)")
    }
}
