import Daemon
import DaysSupport
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Days
@testable import Readings
@testable import vitals_consumer

@Suite("Keys, grants and files")
struct KeysTests {
    let household: Household

    init() throws { household = try Household() }

    @Test("of another root key stop the start")
    func wrongRootKey() throws {
        let settings = try household.settings()
        _ = try household.open()
        unlink(household.path("root.key"))
        // A new one is not made for keys that need the old one.
        let missing = thrown(Failure.self) { try Keys(settings, .create) }
        #expect(missing?.exitCode == .configuration)
        _ = try KeyFile.createIfMissing(household.path("root.key"))
        for access in [Keys.Access.create, .write, .read] {
            let error = thrown(Failure.self) { try Keys(settings, access) }
            #expect(error?.exitCode == .configuration)
            #expect(error?.message.contains("root key") == true)
        }
        #expect(throws: Failure.self) { try Consumer(settings, readiness: Readiness()) { _ in } }
    }

    @Test("lie in files of their owner alone")
    func modes() throws {
        var parts = try household.open()
        _ = try parts.take(parts.session(household).keyBlock)
        for name in ["root.key", "state/keys.db", "state/vitals.db", "state/vitals.db-wal"] {
            var status = stat()
            #expect(stat(household.path(name), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
    }

    @Test("and data that a killed run has left unflushed are on the disk before a service answers anything")
    func leftUnflushed() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        // As it is when a run is killed between writing a commit and flushing it: whoever comes next sees the commit,
        // and has nothing to write that would flush it.
        _ = try parts.take(session.keyBlock, session.block(beat(0, 70)))
        let keys = try Database(household.path("state/keys.db"), .readWrite(.full), applicationID: Keys.applicationID)
        for name in 1...5 { try keys.execute("INSERT INTO wrapped (name, sealed) VALUES ('\(name)', x'00')") }
        func logSize(_ name: String) throws -> Int {
            try #require(FileManager.default.contents(atPath: household.path("state/\(name)-wal"))).count
        }
        let frames = 3 * (4096 + 24) + 32
        for name in StateFolder.databases { #expect(try logSize(name) > frames) }
        let consumer = try Consumer(household.settings(), readiness: Readiness()) { _ in }
        // A log is flushed when it is moved into the database, and begins anew.
        for name in StateFolder.databases { #expect(try logSize(name) <= frames, "\(name)") }
        // What `rotate` has left is flushed before a stream depends on it.
        let before = try logSize("keys.db")
        try parts.grants.settle(parts.settings.people, now: start + 1)
        #expect(try logSize("keys.db") > before)
        withExtendedLifetime((parts, consumer, keys)) {}
    }

    @Test("leave no reading and no secret in the clear in any file")
    func canary() throws {
        var parts = try household.open()
        let old = try parts.session(household)
        let session = try parts.session(household)
        let rr: [UInt16] = [0x5AC3, 0x1D0F, 0x7E57, 0x2B2B, 0x6A09]
        let canary = Reading(
            at: Moment(wall: start + 123_456, monotonic: 77_777),
            .heartRate(HeartRateMeasurement(beatsPerMinute: 201, rrIntervals: rr)))
        let steps = Reading(at: canary.moment, .steps(0xC0FF_EE42))
        _ = try parts.take(
            old.keyBlock, session.keyBlock, session.block(canary), session.block(steps),
            session.loose(old, [old.record(0, beat(9000, 199, rr: rr))]))
        #expect(try parts.printed().count == 2)

        let root = try KeyFile.load(household.path("root.key")).bytes
        let person = try #require(try parts.keys.person("demo", version: 1))
        let little = rr.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let columns = try ReadingColumns.encode([canary])
        let needles: [[UInt8]] = [
            root, Array(KeyFile.text(of: root).utf8), canary.published, columns, Array(columns.suffix(12)),
            little, try ReadingColumns.encode([steps]), [0xC0, 0xFF, 0xEE, 0x42], [0x42, 0xEE, 0xFF, 0xC0],
            Array("\(start + 123_456)".utf8),
        ]
        #expect(person.stream.publicKey.count == 32)
        var scanned = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: household.path("state")) {
            let bytes = try #require(FileManager.default.contents(atPath: household.path("state/\(name)")))
            scanned += bytes.count
            for needle in needles { #expect(bytes.range(of: Data(needle)) == nil, "\(name)") }
        }
        #expect(scanned > 10_000)
    }

    @Test("make a forgotten person's readings unreadable, and their blocks are not now")
    func forgotten() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, session.block(beat(0, 70)))
        let keys = try Database(
            household.path("state/keys.db"), .readWrite(.full), applicationID: 0x5669_6B79, secureDelete: true)
        try keys.execute("DELETE FROM secrets")
        let settings = try household.settings(people: "")
        let opened = try Keys(settings, .write)
        var ingest = Ingest(parts.store, opened, gateways: settings.gateways, totals: Totals(parts.store, opened))
        ingest.collect(try session.block(beat(1, 71)), from: try ID("home"))
        #expect(
            try ingest.commit(now: 0, wall: start).answers == [.requestKey(try ID("home"), session.stream, session.id)])
        #expect(throws: Failure.self) { try household.readings() }
    }

    // MARK: Grants

    @Test("stay the same over a restart, and rise with every change")
    func serials() throws {
        let first = try household.open(now: start).grant()
        // Nobody had the sensor before: a gateway whose clock is behind is not to lose anything.
        #expect(first.until == nil && first.kinds == Grant.Kinds.all.subtracting(.position) && first.from == 0)
        let again = try household.open(now: start + 5).grant()
        #expect(again == first)

        let fewer = try household.open(
            people: "demo: { sensors: [\"home/strap\"], kinds: [\"steps\"] }", now: start + 10
        ).grant()
        #expect(fewer.stream == first.stream && fewer.kinds == .steps && fewer.serial > first.serial)

        let ended = try household.open(people: "demo: {}", now: start + 20).grant()
        #expect(ended.stream == first.stream && ended.until == start + 20 && ended.serial > fewer.serial)
        #expect(try household.open(people: "demo: {}", now: start + 30).grant() == ended)

        let other = try household.open(people: "other: { sensors: [\"home/strap\"] }", now: start + 40).grant()
        #expect(other.stream != first.stream && other.until == nil && other.serial > ended.serial)
        #expect(other.personPublicKey != first.personPublicKey)
        // Straight from one person to another, with a clock that has gone back.
        let back = try household.open(people: "demo: { sensors: [\"home/strap\"] }", now: start + 35)
        #expect(try back.grant().serial > other.serial)
        #expect(try back.grant().personPublicKey == first.personPublicKey)
        let streams = try back.store.streams(of: ID("other"))
        #expect(streams.map(\.until) == [start + 40])
    }

    @Test("are refused where the settings give a sensor to two people, or name what is not there")
    func settings() throws {
        for people in [
            "demo: { sensors: [\"home/strap\"] }, other: { sensors: [\"home/strap\"] }",
            "demo: { sensors: [\"home/strap\", \"home/strap\"] }", "demo: { sensors: [\"nowhere/strap\"] }",
            "demo: { sensors: [\"strap\"] }", "demo: { sensors: [\"home/strap/x\"] }", "demo: { kinds: [\"sleep\"] }",
            "demo: { sensor: [] }",
        ] {
            #expect(throws: SettingsError.self) { try household.settings(people: people) }
        }
        #expect(throws: SettingsError.self) { try household.settings(more: "batch: { count: 0 },") }
        #expect(throws: SettingsError.self) { try household.settings(more: "rot: \"x\",") }
    }
}
