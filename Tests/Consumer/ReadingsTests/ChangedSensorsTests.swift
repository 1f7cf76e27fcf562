import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Readings

@Suite("Sensors that change")
struct ChangedSensorsTests {
    private let household: Household
    private let (strap, watch): (SensorName, SensorName)

    init() throws {
        household = try Household()
        strap = SensorName(gateway: try ID("home"), sensor: try ID("strap"))
        watch = SensorName(gateway: try ID("home"), sensor: try ID("watch"))
    }

    private func open() throws -> Parts {
        try household.open(people: "demo: { sensors: [\"home/strap\", \"home/watch\"] }")
    }

    @Test("are those with a stream that opens, ends or records something else, and no others")
    func settled() throws {
        let parts = try open()
        let (demo, eva) = (try ID("demo"), try ID("eva"))
        func person(_ user: ID, _ sensors: SensorName..., kinds: Grant.Kinds = .all) -> PersonSettings {
            PersonSettings(user: user, sensors: sensors, kinds: kinds)
        }
        func settle(_ people: PersonSettings..., only some: Set<SensorName>? = nil) throws -> Set<SensorName> {
            try parts.grants.settle(people, only: some, now: start + 1000)
        }
        let usual = person(demo, strap, watch, kinds: try parts.grant().kinds)
        #expect(try settle(usual) == [])
        #expect(try settle(usual, only: [strap]) == [])
        #expect(try settle(person(demo, strap), usual, only: [strap]) == [])
        #expect(try settle(person(demo, watch, kinds: .steps), only: [watch]) == [watch])
        #expect(try settle(person(demo, watch, kinds: .steps), only: [watch]) == [])
        // Another person's, and nobody's.
        #expect(try settle(person(eva, strap), only: [strap]) == [strap])
        #expect(try settle(person(eva, strap)) == [watch])
        #expect(try settle(person(eva, strap)) == [])
    }

    @Test("are read again, and no others are")
    func forgotten() throws {
        var parts = try open()
        let sessions = try ["strap", "watch"].map { try parts.session(household, $0) }
        for session in sessions { _ = try parts.take(session.keyBlock) }
        // What is in memory still opens blocks; nothing can be read again.
        try parts.store.database.execute("UPDATE sessions SET sealed_key = x'00'")
        parts.ingest.forgetSessions(of: [watch])
        let block = try sessions[0].block(beat(0, 71))
        #expect(try parts.take(block) == [.acknowledge(strap.gateway, [sessions[0].identity(1)])])
        let (stream, session) = (sessions[1].identity(0).stream, sessions[1].identity(0).session)
        #expect(try parts.take(sessions[1].block(beat(0, 71))) == [.requestKey(watch.gateway, stream, session)])
        parts.ingest.forgetSessions()
        #expect(
            try parts.take(sessions[0].block(beat(1000, 71))).contains {
                if case .requestKey = $0 { true } else { false }
            })
    }
}
