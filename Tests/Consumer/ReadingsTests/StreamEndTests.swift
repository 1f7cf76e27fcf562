import Daemon
import Foundation
import HouseholdSupport
import Records
import Telemetry
import Testing

@testable import Readings

/// What becomes of readings that were sealed to a stream after its end, because the gateway had not heard of that or
/// because its clock is wrong.
@Suite("The end of a stream")
struct StreamEndTests {
    let home: ID
    let household: Household
    private let claimed = "demo: {}, other: { sensors: [\"home/strap\"] }"
    private let minute: Int64 = 60_000
    private let hour: Int64 = 3_600_000

    init() throws {
        home = try ID("home")
        household = try Household()
    }

    /// A heart rate by a clock that is so far ahead of the right time, or behind it, until it is set right.
    private func mistimed(_ milliseconds: Int64, _ bpm: UInt16, ahead: Int64) -> Reading {
        let moment = Moment(wall: start + milliseconds + ahead, monotonic: UInt64(milliseconds + 10))
        return Reading(at: moment, beat(milliseconds, bpm).value)
    }

    /// The block by which that clock is corrected.
    private func clock(_ session: GatewaySession, ahead: Int64) throws -> [UInt8] {
        let body = try ClockBody(boot: BootID(high: 0, low: 1), correction: -ahead, until: 1 << 40)
        return try session.seal(.clock, body.bytes)
    }

    @Test("reaches a session that is in memory when the settings are read again")
    func sessionInMemory() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, session.block(beat(0, 70)))
        let settings = try household.houseSettings(people: claimed)
        try parts.grants.settle(settings.people, now: start + 10_000)
        parts.ingest.enrol(settings.gateways)
        let (answers, reports) = try parts.take(all: [session.block(beat(hour, 99))])
        #expect(answers == [.acknowledge(home, [session.identity(2)])])
        #expect(reports == [Report(gateway: home, verdict: .discarded, identity: session.identity(2))])
        #expect(parts.ingest.counts.discarded == 1 && parts.ingest.counts.stored == 2)
        #expect(try parts.count("blocks") == 1)
    }

    @Test("hides what came after it by corrected times, and nothing else")
    func corrected() throws {
        var parts = try household.open(people: "demo: { sensors: [\"home/strap\", \"home/watch\"] }")
        let (fast, slow) = (try parts.session(household), try parts.session(household, "watch"))
        _ = try parts.take(
            fast.keyBlock, fast.block(mistimed(0, 70, ahead: hour), mistimed(2 * minute, 71, ahead: hour)))
        let late = [mistimed(10, 60, ahead: -hour), mistimed(3 * minute, 61, ahead: -hour)]
        _ = try parts.take(slow.keyBlock, slow.block(late))
        let people = try household.houseSettings(
            people: "other: { sensors: [\"home/strap\", \"home/watch\"] }, demo: {}")
        try parts.grants.settle(people.people, now: start + minute)
        #expect(try parts.printed() == [line(10 - hour, 60), line(3 * minute - hour, 61)], "as the clocks had it")
        _ = try parts.take(clock(fast, ahead: hour), clock(slow, ahead: -hour))
        #expect(try parts.printed() == [line(0, 70), line(10, 60), line(2 * minute, 71)])
        #expect(try Findings(parts.store, parts.keys).isGood)
    }

    @Test("by a rotation takes nothing from the person, whether the gateway was away or its clock is ahead")
    func rotation() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        let late = try session.block(mistimed(0, 70, ahead: hour))
        let correction = try clock(session, ahead: hour)
        _ = try parts.keys.rotate(ID("demo"))
        parts = try household.open(now: start + minute)
        _ = try parts.take(late)
        #expect(try parts.printed() == [line(hour, 70)])
        let away = try GatewaySession(
            parts.grants.store.grantOfFirstStream(parts.keys), household.home, boot: BootID(high: 0, low: 2))
        _ = try parts.take(correction, away.keyBlock, away.block(beat(2 * hour, 71)), away.block(beat(9 * hour, 72)))
        #expect(parts.ingest.counts.discarded == 0)
        #expect(try parts.printed() == [line(0, 70), line(2 * hour, 71), line(9 * hour, 72)])
    }

    @Test("is that of the person's last stream where rotations came before another person")
    func chain() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        _ = try parts.keys.rotate(ID("demo"))
        _ = try household.open(now: start + minute)
        parts = try household.open(people: claimed, now: start + hour)
        _ = try parts.take(session.block(beat(hour / 2, 70)), session.block(beat(2 * hour, 99)))
        #expect(parts.ingest.counts.discarded == 1)
        _ = try parts.take(session.block(beat(hour / 2 + 1, 71), beat(hour + minute, 72), beat(hour + minute + 1, 98)))
        #expect(try parts.printed() == [line(hour / 2, 70), line(hour / 2 + 1, 71), line(hour + minute, 72)])
        #expect(try Findings(parts.store, parts.keys).isGood)
    }

    @Test("keeps what came after it as long as nobody else had the sensor")
    func released() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        parts = try household.open(people: "demo: {}", now: start + minute)
        _ = try parts.take(session.block(beat(0, 70)), session.block(beat(hour, 71)))
        #expect(try parts.printed() == [line(0, 70), line(hour, 71)])
        parts = try household.open(people: claimed, now: start + 2 * hour)
        _ = try parts.take(session.block(beat(2 * hour, 72)), session.block(beat(2 * hour + 2 * minute, 99)))
        #expect(try parts.printed() == [line(0, 70), line(hour, 71), line(2 * hour, 72)])
        #expect(parts.ingest.counts.discarded == 1)
        #expect(try Findings(parts.store, parts.keys).isGood)
    }

    @Test("costs nothing once the sensor is the same person's again, though a gateway has not heard of any of it")
    func givenBack() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        parts = try household.open(people: claimed, now: start + hour)
        parts = try household.open(now: start + hour + 10 * minute)
        _ = try parts.take(
            session.block(beat(0, 70)), session.block(beat(hour + 5 * minute, 99)), session.block(beat(100 * hour, 71)))
        #expect(try parts.printed() == [line(0, 70), line(100 * hour, 71)])
        #expect(parts.ingest.counts.discarded == 1)
    }

    @Test("holds where the next person's stream begins before it: the clock was set back")
    func clockSetBack() throws {
        _ = try household.open(now: start)
        // From now on demo's stream begins at the hour.
        _ = try household.open(people: claimed, now: start + 5)
        var parts = try household.open(now: start + hour)
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        parts = try household.open(people: claimed, now: start + minute)
        _ = try parts.take(session.block(beat(3 * hour, 99)))
        #expect(parts.ingest.counts.discarded == 1)
    }
}

extension Store {
    /// The grant that a gateway still has that has not heard of any since.
    fileprivate func grantOfFirstStream(_ keys: Keys) throws -> Grant {
        let stream = try #require(try streams().first)
        let person = try #require(try keys.person(stream.user, version: stream.secretVersion))
        return try Grant(
            serial: 1, sensor: ID(stream.sensor), stream: stream.id, from: stream.from, until: nil,
            personPublicKey: person.stream.publicKey, kinds: stream.kinds)
    }
}
