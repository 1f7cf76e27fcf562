import Daemon
import Files
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Readings

@Suite("Limits of what is stored", .timeLimit(.minutes(60)))
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
        #expect(try parts.count("blocks") == taken && parts.streamFindings().isGood)
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
}
