import Daemon
import DaysSupport
import Files
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Readings
@testable import vitals_consumer

@Suite("Backup and restore")
struct BackupTests {
    let home: ID
    let household: Household

    init() throws {
        home = try ID("home")
        household = try Household()
    }

    private func backUp(_ name: String = "backup") throws -> [String] {
        try output { _ = try BackupCommand(folder: household.path(name)).run(household.settings(), output: $0) }
    }

    /// What `restore` prints.
    private func restore(_ name: String = "backup", now: Int64 = start + 5000) throws -> [String] {
        let backup = household.path(name)
        let command = RestoreCommand(data: backup + "/data", keys: backup + "/keys")
        return try output { _ = try command.run(household.settings(), now: now, output: $0) }
    }

    private func moveStateAway() throws {
        try FileManager.default.moveItem(atPath: household.path("state"), toPath: household.path("state.\(UUID())"))
    }

    /// Every file below a folder with its bytes.
    private func files(_ folder: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: household.path(folder)) {
            // Folders have no contents.
            files[name] = FileManager.default.contents(atPath: household.path("\(folder)/\(name)"))
        }
        return files
    }

    @Test("a backup beside a writer is consistent, in two parts, its owner's alone, and says so")
    func backup() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, session.block(beat(0, 72)))
        // A transaction that is under way is not in it.
        var lines: Result<[String], any Error> = .success([])
        try parts.store.change(try ID("demo")) { () throws(VaultError) in
            try parts.store.enter(1, 7, digest: Array(repeating: 0, count: 32))
            lines = Result { try backUp() }
        }
        let written = try lines.get()
        #expect(written.count == 3 && written[0].contains("data/vitals.db") && written[1].contains("keys/keys.db"))
        #expect(written[2].contains("apart"))
        let names = try Set(files("backup").keys)
        #expect(names == ["data/vitals.db", "keys/keys.db"])
        for (name, mode) in [("", 0o700), ("data", 0o700), ("keys", 0o700), ("data/vitals.db", 0o600)] {
            var status = stat()
            #expect(stat(household.path("backup/\(name)"), &status) == 0)
            #expect(status.st_mode & 0o777 == mode, "\(name)")
        }
        let error = thrown(Failure.self) { try backUp() }
        #expect(error?.message.contains("is not empty") == true)
        try FileManager.default.createDirectory(atPath: household.path("empty"), withIntermediateDirectories: false)
        #expect(try backUp("empty").count == 3)
    }

    @Test("a backup needs something to back up")
    func nothing() throws {
        let error = thrown(Failure.self) { try backUp() }
        #expect(error?.exitCode == .noInput)
        #expect(!FileManager.default.fileExists(atPath: household.path("backup")))
    }

    @Test("a restored store has another id, greater serials, and takes all that comes again, once")
    func wholeWay() throws {
        var parts = try household.open()
        let id = parts.store.id
        let session = try parts.session(household)
        let (early, late) = (try session.block(beat(0, 72)), try session.block(beat(1000, 73)))
        _ = try parts.take(session.keyBlock, early)
        _ = try backUp()
        let before = try files("backup")
        _ = try parts.take(late)
        let old = try parts.grant()
        try moveStateAway()

        let lines = try restore()
        #expect(lines[0].contains("restored store \(id)"))
        #expect(try files("backup") == before, "a backup is only read")
        #expect(try Set(files("state").keys) == ["lock", "keys.db", "vitals.db"])
        parts = try household.open(now: start + 6000)
        #expect(parts.store.id != id)
        let new = try parts.grant()
        #expect(new.stream == old.stream && new.serial >= UInt64(start + 5000) && new.serial > old.serial)
        let answers = try parts.take(session.keyBlock, early, late)
        #expect(answers == [.acknowledge(home, [0, 1, 2].map { session.identity($0) })])
        #expect(parts.ingest.counts.duplicates == 2)
        #expect(try parts.printed() == [line(0, 72), line(1000, 73)])
    }

    @Test("serials rise past those of a store whose clock was ahead, as far as the backup knows them")
    func clockBehind() throws {
        let parts = try household.open(now: start + 9_000_000)
        let serial = try parts.grant().serial
        _ = try backUp()
        try moveStateAway()
        _ = try restore(now: start)
        #expect(try household.open(now: start).grant().serial > serial)
    }

    @Test("nothing is ever overwritten, and nothing is put in place that does not open")
    func refusals() throws {
        let parts = try household.open()
        _ = try parts.grant()
        _ = try backUp()
        let there = thrown(Failure.self) { try restore() }
        #expect(there?.message.contains("already") == true)
        #expect(there?.hint?.contains("move them away") == true)
        try moveStateAway()

        #expect(thrown(Failure.self) { try restore("nowhere") }?.message.contains("nowhere/data/vitals.db") == true)
        // The two parts confused.
        let backup = household.path("backup")
        let confused = RestoreCommand(data: backup + "/keys", keys: backup + "/data")
        #expect(throws: Failure.self) { try confused.run(household.settings(), now: start, output: 1) }
        // Another root key.
        let key = household.path("root.key")
        try FileManager.default.moveItem(atPath: key, toPath: key + ".right")
        _ = try KeyFile.createIfMissing(key)
        #expect(thrown(Failure.self) { try restore() }?.message.contains("root key") == true)
        unlink(key)
        try FileManager.default.moveItem(atPath: key + ".right", toPath: key)
        // A damaged page.
        try FileManager.default.copyItem(atPath: backup, toPath: household.path("damaged"))
        let file = try #require(FileHandle(forUpdatingAtPath: household.path("damaged/data/vitals.db")))
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 8192))
        try file.close()
        #expect(throws: Failure.self) { try restore("damaged") }
        // Nothing of all that is in place, and the right one still works.
        #expect(try files("state").keys.filter { $0.hasSuffix(".db") && !$0.contains("/") } == [])
        _ = try restore()
        #expect(try household.open().grant().kinds == Grant.Kinds.all.subtracting(.position))
    }

    @Test(
        "keys of an earlier version say who was forgotten, where the list is lost, and stay as they are",
        arguments: 1...2)
    func olderKeysBeside(version: Int) throws {
        let demo = try ID("demo")
        let keys = { [household] in
            try Database(household.path("older/keys.db"), .readWrite(.full), applicationID: Keys.applicationID)
        }
        _ = try household.open()
        _ = try backUp()
        try household.open().keys.enter([Forgotten(user: demo, version: 1, time: start, isWithAccount: false)])
        try FileManager.default.moveItem(atPath: household.path("state"), toPath: household.path("older"))
        do {
            let database = try keys()
            for table in ["secrets", "forgotten"] {
                try database.execute("ALTER TABLE \(table) RENAME COLUMN person TO user")
            }
            if version == 1 { try database.execute("DROP TABLE forgotten") }
            try database.execute("DROP TABLE migrations")
            try database.execute("PRAGMA user_version = \(version)")
        }
        let command = RestoreCommand(
            data: household.path("backup/data"), keys: household.path("backup/keys"),
            forgotten: household.path("older/forgotten"))
        let lines = try output { _ = try command.run(household.settings(), now: start + 5000, output: $0) }
        #expect(lines.first?.contains("1 person forgotten since the backup") == (version == 2), "\(lines)")
        #expect(try keys().version == version)
    }

    @Test(
        "a backup by a newer program is refused before anything is put in place", arguments: ["vitals.db", "keys.db"])
    func newer(name: String) throws {
        _ = try household.open()
        _ = try backUp()
        try moveStateAway()
        let part = name == "keys.db" ? "keys" : "data"
        let id = name == "keys.db" ? Keys.applicationID : Store.applicationID
        let file = try Database(household.path("backup/\(part)/\(name)"), .readWrite(.full), applicationID: id)
        _ = try file.execute("PRAGMA user_version = 99")
        try file.checkpoint()
        let error = thrown(Failure.self) { try restore() }
        #expect(error?.exitCode == .configuration && error?.description.contains("99") == true)
        #expect(try files("state").keys.filter { $0.hasSuffix(".db") && !$0.contains("/") } == [])
    }

    @Test("an interrupted restore has happened or has not", arguments: 0...3)
    func interrupted(step: Int) throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, session.block(beat(0, 72)))
        _ = try backUp()
        try moveStateAway()
        _ = try restore()
        let (state, manager) = (household.path("state"), FileManager.default)
        // As it was after so many of the last steps.
        let folder = state + (step == 0 ? "/restoring" : "/restored")
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for name in StateFolder.databases.dropFirst(max(0, step - 1)) {
            try manager.moveItem(atPath: "\(state)/\(name)", toPath: "\(folder)/\(name)")
        }
        let settings = try household.settings()
        if step == 0 {
            #expect(throws: Failure.self) { try Keys(settings, .write) }
            // Older keys, of somebody who was forgotten since perhaps, are not left lying about.
            do { _ = try StateFolder(state) }
            #expect(try Set(files("state").keys) == ["lock"])
            #expect(try restore().count == 2)
        } else {
            // Whoever only reads does not guess.
            #expect(thrown(Failure.self) { try Keys(settings, .read) }?.exitCode == .temporary)
            do { _ = try StateFolder(state) }
        }
        #expect(try Set(files("state").keys) == ["lock", "keys.db", "vitals.db"])
        #expect(try parts.printed() == [line(0, 72)])
    }
}

@Suite("Streams that were opened after the backup")
struct AdoptionTests {
    let home: ID
    let household: Household

    init() throws {
        home = try ID("home")
        household = try Household()
    }

    /// A consumer that knows two persons, of which `demo` had the strap at the time of the backup; then `other` got it,
    /// and after that all was lost.
    private func restored(newPerson: Bool = false) throws -> (parts: Parts, grant: [UInt8], session: GatewaySession) {
        let both = "demo: { sensors: [\"home/strap\"] }, other: { sensors: [\"home/watch\"] }"
        _ = try household.open(people: both)
        let backup = household.path("backup")
        _ = try output { _ = try BackupCommand(folder: backup).run(household.settings(), output: $0) }
        let name = newPerson ? "third" : "other"
        let parts = try household.open(people: "\(name): { sensors: [\"home/strap\"] }", now: start + 1000)
        let session = try parts.session(household)
        let control = Control(store: parts.store.id, topics: parts.settings.topics, identity: parts.keys.identity)
        let grant = try control.message(parts.grant(), home).payload
        try FileManager.default.moveItem(atPath: household.path("state"), toPath: household.path("lost"))
        _ = try output { descriptor in
            let command = RestoreCommand(data: backup + "/data", keys: backup + "/keys")
            _ = try command.run(household.settings(), now: start + 5000, output: descriptor)
        }
        return (try household.open(people: both, now: start + 6000), grant, session)
    }

    @Test("are known again by their grants, as closed ones, and take their blocks")
    func adopted() throws {
        var (parts, grant, session) = try restored()
        let current = try parts.grants.current().map(\.grant)
        let block = try session.block(beat(2000, 66))
        #expect(try parts.take(block) == [.requestKey(home, session.stream, session.id)])
        let (answers, reports) = try parts.take(
            all: [session.keyBlock, block], grants: [grant, grant], later: 1, wall: start + 7000)
        #expect(answers == [.acknowledge(home, [session.identity(0), session.identity(1)])])
        #expect(reports.map(\.verdict) == [.handedBack(.adopted(session.stream)), .handedBack(.known)])
        #expect(try parts.printed(user: "other") == [line(2000, 66)])
        #expect(try parts.printed(user: "demo") == [])
        let stream = try #require(try parts.store.stream(session.stream))
        #expect(stream.until == start + 7000 && stream.user == "other" && stream.sensor == "strap")
        // Whose the sensors are is what it was, also after another start.
        #expect(try parts.grants.current().map(\.grant) == current)
        try parts.grants.settle(parts.settings.people, now: start + 8000)
        #expect(try parts.grants.current().map(\.grant) == current)
    }

    @Test("are asked for again at once when they are known")
    func askedAgain() throws {
        var (parts, grant, session) = try restored()
        let asked = Answer.requestKey(home, session.stream, session.id)
        let block = try session.block(beat(2000, 66))
        #expect(try parts.take(block) == [asked])
        #expect(try parts.take(all: [], grants: [grant], later: 1).answers == [])
        #expect(try parts.take(all: [block], later: 1).answers == [asked])
    }

    @Test("of a sensor that is not known at all are closed for the gateway, too")
    func unknownSensor() throws {
        var (parts, _, _) = try restored()
        let watch = try parts.grant("watch")
        let unknown = try Grant(
            serial: UInt64(start) + 90_000, sensor: ID("belt"), stream: StreamID(bytes: RandomBytes.draw(16)), from: 0,
            until: nil, personPublicKey: watch.personPublicKey, kinds: .steps)
        let control = Control(store: parts.store.id, topics: parts.settings.topics, identity: parts.keys.identity)
        _ = try parts.take(all: [], grants: [try control.message(unknown, home).payload], wall: start + 7000)
        let grant = try parts.grant("belt")
        #expect(grant.until == start + 7000 && grant.serial > unknown.serial && grant.stream == unknown.stream)
    }

    @Test("are lost where the person's key is, and that is said")
    func lostKey() throws {
        var (parts, grant, session) = try restored(newPerson: true)
        let (answers, reports) = try parts.take(all: [session.keyBlock], grants: [grant])
        let strap = try ID("strap")
        #expect(reports.first?.verdict == .handedBack(.keyIsLost(sensor: strap, session.stream)))
        #expect(answers == [.requestKey(home, session.stream, session.id)])
        #expect(try parts.store.stream(session.stream) == nil)
    }

    @Test("are believed of this consumer's own signature only, and of the gateway that it was made for")
    func forged() throws {
        var (parts, grant, _) = try restored()
        let rows = try parts.count("streams")
        for index in grant.indices {
            var altered = grant
            altered[index] ^= 1
            let reports = try parts.take(all: [], grants: [altered]).reports
            #expect(reports.map(\.verdict) == [.handedBack(.forged)], "byte \(index)")
        }
        let elsewhere = try parts.take(all: [], grants: [grant], from: "next-door").reports
        #expect(elsewhere.map(\.verdict) == [.handedBack(.forged)])
        #expect(try parts.take(all: [], grants: [grant], from: "stranger").reports == [])
        let control = Control(store: parts.store.id, topics: parts.settings.topics, identity: parts.keys.identity)
        let other = try control.message(.requestKey(home, StreamID(high: 0, low: 1), SessionID(1))).payload
        #expect(try parts.take(all: [], grants: [other, []]).reports.count == 2)
        #expect(try parts.count("streams") == rows)
    }
}
