import Daemon
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Readings

@Suite("Readings that come to the consumer itself", .timeLimit(.minutes(60)))
struct OwnGatewayTests {
    private let household: Household
    private let (demo, phone, home): (ID, ID, ID)

    init() throws {
        household = try Household()
        (demo, phone, home) = (try ID("demo"), try ID("phone-1"), try ID("home"))
    }

    /// A consumer after a start, with its own gateway, which has a phone of demo's.
    private func open(
        kinds: Grant.Kinds = [.position, .pedometer], limits: StorageLimits = StorageLimits()
    ) throws -> (parts: Parts, own: OwnGateway) {
        var parts = try household.open(limits: limits)
        let own = try OwnGateway(parts.store, parts.keys)
        try claim(kinds, parts, own)
        parts.ingest.enrol(try own.joining(parts.settings.gateways))
        return (parts, own)
    }

    private func claim(_ kinds: Grant.Kinds, _ parts: Parts, _ own: OwnGateway, now: Int64 = start) throws {
        let claims = Claims(store: parts.store)
        try parts.store.change(demo) { () throws(VaultError) in
            try claims.write(SensorName(gateway: own.id, sensor: phone), demo, kinds, now: now)
        }
        try parts.grants.settle(claims.people(parts.settings), now: now)
    }

    /// A position so many seconds after `start`.
    private func position(_ second: Int64, _ latitude: Double = 52.5) throws -> Reading {
        let position = try #require(Position(latitude: latitude, longitude: 13.4, source: .phone))
        return Reading(at: OwnGateway.moment(start + second * 1000), .position(position))
    }

    private func steps(_ second: Int64, _ count: UInt32) -> Reading {
        Reading(
            at: OwnGateway.moment(start + second * 1000), .pedometer(PedometerSpan(milliseconds: 60_000, steps: count)))
    }

    private func commit(
        _ parts: inout Parts, _ own: OwnGateway, _ readings: [Reading] = []
    ) throws -> [OwnGateway.Stored] {
        for reading in readings { own.take(reading, of: phone) }
        let batch = try own.commit(with: &parts.ingest, now: millisecondsSinceBoot(), wall: start)
        #expect(batch.answers.allSatisfy { $0.gateway == own.id })
        return batch.stored
    }

    private func stored(_ parts: Parts, _ kind: Reading.Kind = .position) throws -> [Int64] {
        var seconds: [Int64] = []
        let all = StoredReadings(store: parts.store, keys: parts.keys)
        let unreadable = try all.forEach(of: demo, kind, from: -Moment.limit, to: Moment.limit) {
            seconds.append(($0.moment.wall - start) / 1000)
        }
        #expect(unreadable == 0)
        return seconds
    }

    @Test("are stored as a gateway's are, counted, and handed on when they are stored")
    func taken() throws {
        var (parts, own) = try open()
        #expect(try commit(&parts, own) == [])
        let told = try commit(&parts, own, [position(5), steps(60, 80), position(0)])
        let expected = try [position(0), position(5), steps(60, 80)]
        #expect(told.flatMap(\.readings) == expected)
        #expect(told.allSatisfy { $0.user == demo && $0.sensor == SensorName(gateway: own.id, sensor: phone) })
        #expect(try stored(parts) == [0, 5] && stored(parts, .pedometer) == [60])
        // A key block, and a block of each kind; the next one is of the same session.
        #expect(try parts.count("ledger") == 3 && parts.count("sessions") == 1)
        #expect(try commit(&parts, own, [position(6)]).count == 1)
        #expect(try parts.count("ledger") == 4 && parts.count("sessions") == 1)
        #expect(try parts.streamFindings().isGood)
        // As much is in one block as a block holds, and no more than a day.
        #expect(try commit(&parts, own, (100..<200).map { try position($0) }).map(\.readings.count) == [64, 36])
        let days = try commit(&parts, own, (10..<30).map { try position($0 * 43_200) })
        #expect(days.map(\.readings.count) == Array(repeating: 2, count: 10))
        #expect(try stored(parts).count == 123 && parts.streamFindings().isGood)
    }

    @Test("count once, however often they come: in a batch, later, packed, and after a restart")
    func once() throws {
        var (parts, own) = try open()
        let late = try (0..<150).map { try position($0 * 60) }
        #expect(try commit(&parts, own, late + late.reversed()).flatMap(\.readings) == late)
        #expect(try commit(&parts, own, late) == [])
        // The same time of another kind is another reading.
        #expect(try commit(&parts, own, [steps(60, 3), steps(60, 4)]).flatMap(\.readings) == [steps(60, 3)])
        let afterwards = try (late + [steps(60, 3), position(1)])
        (parts, own) = try open()
        #expect(try commit(&parts, own, afterwards).flatMap(\.readings) == [try position(1)])
        try parts.pack()
        #expect(try parts.rows("type <> 2") > 0)
        (parts, own) = try open()
        #expect(try commit(&parts, own, afterwards) == [])
        #expect(try stored(parts) == (late.map { ($0.moment.wall - start) / 1000 } + [1]).sorted())
        #expect(try parts.streamFindings().isGood)
    }

    @Test("leave nothing in the ledger when they are packed, though each came in a block of its own")
    func packed() throws {
        var (parts, own) = try open()
        for second in 0..<300 as Range<Int64> { _ = try commit(&parts, own, [position(second)]) }
        #expect(try parts.count("ledger") > 300)
        #expect(try parts.streamFindings().isGood)
        try parts.pack()
        // The key block of the one session.
        #expect(try parts.count("ledger") == 1 && parts.count("ledger_runs") == 0)
        #expect(try stored(parts) == Array(0..<300))
        let bytes = try parts.store.database.first("SELECT sum(length(sealed)) FROM blocks", row: Row.int)
        #expect(try #require(bytes) < 300)
        #expect(try parts.streamFindings().isGood)
    }

    @Test("count once under another secret of their person, too")
    func rotated() throws {
        var (parts, own) = try open()
        #expect(try commit(&parts, own, [position(0)]).count == 1)
        _ = try parts.keys.rotate(demo)
        try parts.grants.settle(Claims(store: parts.store).people(parts.settings), now: start + 1000)
        parts.ingest.forgetSessions()
        own.forgetSessions()
        #expect(try commit(&parts, own, [position(0), position(1)]).flatMap(\.readings) == [try position(1)])
        #expect(try stored(parts) == [0, 1])
    }

    @Test("are looked for in memory until their own sensor changes")
    func remembered() throws {
        var (parts, own) = try open()
        #expect(try commit(&parts, own, [position(0)]).count == 1)
        try parts.store.database.execute("DELETE FROM blocks")
        own.forgetSessions(of: [SensorName(gateway: home, sensor: phone), SensorName(gateway: own.id, sensor: home)])
        #expect(try commit(&parts, own, [position(0)]) == [])
        #expect(try parts.count("sessions") == 1)
        own.forgetSessions(of: [SensorName(gateway: own.id, sensor: phone)])
        #expect(try commit(&parts, own, [position(0)]).count == 1)
        #expect(try parts.count("sessions") == 2)
    }

    @Test("of a batch that the disk refuses wait for the next one, and are stored once")
    func rolledBack() throws {
        var (parts, own) = try open()
        #expect(try commit(&parts, own, [position(0)]).count == 1)
        try parts.store.database.execute(
            "CREATE TEMP TRIGGER refusing BEFORE INSERT ON main.blocks BEGIN SELECT RAISE(ABORT, 'no'); END")
        for _ in 1...3 {
            // The broker sends it again each time.
            #expect(throws: VaultError.self) { try commit(&parts, own, [position(0), position(1)]) }
        }
        try parts.store.database.execute("DROP TRIGGER refusing")
        #expect(try commit(&parts, own).flatMap(\.readings) == [try position(1)])
        #expect(try commit(&parts, own, [position(1)]) == [])
        #expect(try stored(parts) == [0, 1] && parts.streamFindings().isGood)
    }

    @Test("that cannot be handed in wait; messages of the batch do not, because they come again")
    func notHandedIn() throws {
        var (parts, own) = try open()
        let session = try parts.session(household)
        try parts.store.database.execute("ALTER TABLE streams RENAME TO gone")
        own.take(try position(0), of: phone)
        for _ in 1...3 {
            for sender in ["home", "stranger"] { parts.ingest.collect(session.keyBlock, from: try ID(sender)) }
            parts.ingest.collect(grant: [1], from: home)
            #expect(throws: VaultError.self) { try commit(&parts, own) }
            #expect(parts.ingest.pending.isEmpty && !parts.ingest.hasCollected)
        }
        try parts.store.database.execute("ALTER TABLE gone RENAME TO streams")
        parts.ingest.collect(session.keyBlock, from: home)
        let batch = try own.commit(with: &parts.ingest, now: millisecondsSinceBoot(), wall: start)
        #expect(batch.stored.flatMap(\.readings) == [try position(0)] && batch.isWritten && batch.reports.isEmpty)
        #expect(batch.answers.contains(.acknowledge(home, [session.identity(0)])))
        #expect(try stored(parts) == [0] && parts.streamFindings().isGood)
    }

    @Test("are not kept where their person has not agreed, or has no such sensor")
    func unwanted() throws {
        var (parts, own) = try open(kinds: [.pedometer])
        #expect(try commit(&parts, own, [position(0), steps(0, 5)]).flatMap(\.readings) == [steps(0, 5)])
        own.take(try position(0), of: home)
        #expect(try commit(&parts, own) == [] && stored(parts) == [])
        // Nothing of it waits for a better time.
        try claim([.position], parts, own)
        // As the service does when a grant has changed.
        parts.ingest.forgetSessions()
        #expect(try commit(&parts, own) == [] && stored(parts) == [])
        #expect(try commit(&parts, own, [position(1)]).count == 1)
        try parts.store.change(demo) { () throws(VaultError) in
            try Claims(store: parts.store).remove(SensorName(gateway: own.id, sensor: phone))
        }
        try parts.grants.settle(Claims(store: parts.store).people(parts.settings), now: start)
        #expect(try commit(&parts, own, [position(2)]) == [] && stored(parts) == [1])
    }

    @Test("of one phone do not use up what a gateway may store; beyond a person's limit they are given up")
    func limited() throws {
        let small = StorageLimits.Limit(day: 1, total: 1)
        let large = StorageLimits.Limit(day: 1 << 40, total: 1 << 40)
        var (parts, own) = try open(limits: StorageLimits(gateway: small, person: large))
        for second in 0..<5 { #expect(try commit(&parts, own, [position(Int64(second))]).count == 1) }
        parts.ingest.allowances.limits = StorageLimits(gateway: small, person: small)
        #expect(try commit(&parts, own, [position(10)]).count == 1)
        #expect(try commit(&parts, own, [position(11)]) == [] && commit(&parts, own) == [])
        parts.ingest.allowances.limits = StorageLimits(gateway: small, person: large)
        #expect(try commit(&parts, own).flatMap(\.readings) == [try position(11)])
        parts.ingest.allowances.limits = StorageLimits(gateway: small, person: small)
        _ = try commit(&parts, own, [position(12)])
        #expect(try commit(&parts, own, [position(13)]) == [] && commit(&parts, own) == [] && commit(&parts, own) == [])
        parts.ingest.allowances.limits = StorageLimits(gateway: small, person: large)
        #expect(try commit(&parts, own) == [])
        #expect(try stored(parts) == [0, 1, 2, 3, 4, 10, 11, 12])
    }
}
