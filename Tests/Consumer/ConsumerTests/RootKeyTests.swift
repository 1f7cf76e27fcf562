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

@testable import vitals_consumer

@Suite("Changing the root key")
struct RootKeyTests {
    let household: Household
    let manager = FileManager.default
    private let people = "demo: { sensors: [\"home/strap\"] }, other: {}"

    init() throws { household = try Household() }

    private var root: String { household.path("root.key") }
    private var state: String { household.path("state") }

    /// Everything in keys.db that is wrapped, as it lies there.
    private func sealed() throws -> [[UInt8]] {
        let database = try Database(state + "/keys.db", .readOnly, applicationID: Keys.applicationID)
        return try database.query("SELECT sealed FROM wrapped UNION ALL SELECT sealed FROM secrets") {
            row throws(VaultError) in try row.blob(0)
        }
    }

    /// Whether any file of keys.db has any of these bytes.
    private func isOnDisk(_ needles: [[UInt8]]) throws -> Bool {
        try manager.contentsOfDirectory(atPath: state).filter { $0.hasPrefix("keys.db") }.contains { name in
            guard let bytes = manager.contents(atPath: "\(state)/\(name)") else { return false }
            // The nonce is random: 12 bytes are found only where they were written.
            return needles.contains { bytes.range(of: Data($0.prefix(12))) != nil }
        }
    }

    @Test("wraps all anew, changes nothing else, and leaves nothing of before in the files")
    func wholeWay() throws {
        var parts = try household.open(people: people)
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, session.block(beat(0, 70)))
        let (settings, old, before) = (parts.settings, try KeyFile.load(root), try sealed())
        let publicKey = try #require(try parts.keys.person("demo", version: 1)).stream.publicKey
        // Beside another connection, as that of a service.
        let keys = try Keys(settings, .write)
        #expect(try isOnDisk(before))
        #expect(try keys.rotateRoot(to: nil))
        #expect(try !isOnDisk(before), "of \(before.count)")
        #expect(try KeyFile.load(root).bytes != old.bytes && !manager.fileExists(atPath: root + ".new"))
        var status = stat()
        #expect(stat(root, &status) == 0 && status.st_mode & 0o777 == 0o600)

        for access in [Keys.Access.read, .write, .create] {
            let again = try Keys(settings, access)
            #expect(again.identity.publicKey == parts.keys.identity.publicKey)
            #expect(try again.person("demo", version: 1)?.stream.publicKey == publicKey)
        }
        #expect(try parts.printed() == [line(0, 70)])
        #expect(try CheckCommand.findings(parts.store, Keys(settings, .read)).isGood)
        try SmallFile.replace(root, with: Array(KeyFile.text(of: old.bytes).utf8))
        #expect(thrown(Failure.self) { try Keys(settings, .write) }?.message.contains("root key") == true)
    }

    @Test("is noticed by whoever has the keys open, before it seals or opens anything")
    func running() throws {
        let parts = try household.open(people: people)
        let (beside, reader) = (try Keys(parts.settings, .write), try Keys(parts.settings, .read))
        for round in 1...3 {
            #expect(try beside.rotateRoot(to: round == 2 ? .random() : nil))
            let user = try ID("new-\(round)")
            #expect(try parts.keys.currentVersion(of: user) == 1)
            #expect(try parts.keys.rotate(ID("demo")) == Int64(round + 1))
            // Nothing of it was in memory.
            #expect(try reader.person(user.text, version: 1) != nil)
            #expect(try reader.person("demo", version: Int64(round + 1)) != nil)
            let fresh = try Keys(parts.settings, .read)
            for name in try fresh.all() { #expect(try fresh.person(name.user, version: name.version) != nil) }
        }
    }

    @Test("takes a key that it is given, and leaves one alone that has another name")
    func given() throws {
        _ = try household.open(people: people)
        let old = try KeyFile.load(root)
        #expect(link(root, household.path("kept.key")) == 0)
        let new = try KeyFile.createIfMissing(household.path("given.key"))
        let program = try RunningProgram(
            "vitals-consumer",
            ["rotate-root", "--new-key", household.path("given.key"), "--settings", household.path("consumer.json5")])
        #expect(program.exitStatus() == 0, "\(program.text)")
        #expect(try KeyFile.load(root).bytes == new.bytes)
        #expect(try KeyFile.load(household.path("kept.key")).bytes == old.bytes)
        #expect(try Keys(household.settings(), .read).all().count == 2)
    }

    @Test("stays on the medium that a link leads to")
    func linked() throws {
        _ = try household.open(people: people)
        let stick = household.path("stick")
        try manager.createDirectory(atPath: stick, withIntermediateDirectories: false)
        try manager.moveItem(atPath: root, toPath: stick + "/root.key")
        try manager.createSymbolicLink(atPath: root, withDestinationPath: stick + "/root.key")
        let old = try KeyFile.load(root)
        #expect(try Keys(household.settings(), .write).rotateRoot(to: nil))
        #expect(try manager.destinationOfSymbolicLink(atPath: root) == stick + "/root.key")
        #expect(try manager.contentsOfDirectory(atPath: stick) == ["root.key"])
        #expect(try KeyFile.load(root).bytes != old.bytes)
        #expect(try Keys(household.settings(), .read).all().count == 2)
    }

    @Test("that was interrupted before the next key was the service's to read keeps nobody from the one in use")
    func foreignPending() throws {
        let parts = try household.open(people: people)
        let pending = root + ".new"
        _ = try KeyFile.createIfMissing(pending)
        #expect(chmod(pending, 0o644) == 0)
        for access in [Keys.Access.read, .write] {
            #expect(try Keys(parts.settings, access).identity.publicKey == parts.keys.identity.publicKey)
        }
        // The one in its place has to be right.
        #expect(chmod(root, 0o644) == 0)
        #expect(thrown(Failure.self) { try Keys(parts.settings, .read) }?.message.contains("chmod 600") == true)
    }

    @Test("as a credential: the old one opens nothing any more, and a service that has it seals nothing")
    func credential() throws {
        let parts = try household.open(people: people)
        let new = try SymmetricKey.random()
        // What is on the disk stays, as a credential would.
        let old = try KeyFile.load(root)
        #expect(try Keys(parts.settings, .write).rotateRoot(to: new))
        try SmallFile.replace(root, with: Array(KeyFile.text(of: old.bytes).utf8))
        #expect(throws: VaultError.self) { try parts.keys.currentVersion(of: ID("third")) }
        #expect(throws: VaultError.self) { try parts.keys.rotate(ID("demo")) }
        try SmallFile.replace(root, with: Array(KeyFile.text(of: new.bytes).utf8))
        #expect(try parts.keys.rotate(ID("demo")) == 2)
        #expect(try Keys(parts.settings, .read).all().count == 3)
    }

    @Test("that was interrupted has happened or has not", arguments: ["prepared", "committed", "renamed"])
    func interrupted(step: String) throws {
        let parts = try household.open(people: people)
        let publicKey = try #require(try parts.keys.person("demo", version: 1)).stream.publicKey
        let old = try KeyFile.load(root)
        let pending = root + ".new"
        if step == "prepared" {
            _ = try KeyFile.createIfMissing(pending)
        } else {
            #expect(try parts.keys.rotateRoot(to: nil))
            if step == "committed" {
                try manager.moveItem(atPath: root, toPath: pending)
                try SmallFile.replace(root, with: Array((KeyFile.text(of: old.bytes) + "\n").utf8))
            }
        }
        let files = try Set(manager.contentsOfDirectory(atPath: household.path(".")))
        #expect(try Keys(parts.settings, .read).person("demo", version: 1)?.stream.publicKey == publicKey)
        #expect(
            try Set(manager.contentsOfDirectory(atPath: household.path("."))) == files, "whoever reads changes nothing")
        let keys = try Keys(parts.settings, .write)
        #expect(try keys.person("demo", version: 1)?.stream.publicKey == publicKey)
        #expect(!manager.fileExists(atPath: pending))
        #expect(try (KeyFile.load(root).bytes == old.bytes) == (step == "prepared"))
        #expect(try keys.rotateRoot(to: nil))
        #expect(try Keys(parts.settings, .read).identity.publicKey == parts.keys.identity.publicKey)
    }

    @Test("killed at any instant loses nothing")
    func killed() throws {
        let parts = try household.open(people: people)
        let publicKey = try #require(try parts.keys.person("demo", version: 1)).stream.publicKey
        var seen: [String: Int] = [:]
        for round in 0..<80 {
            let old = try KeyFile.load(root).bytes
            let program = try RunningProgram(
                "vitals-consumer", ["rotate-root", "--settings", household.path("consumer.json5")])
            // From when it keeps the new key on, each time a little later; the last ones run to their end.
            var looks = 0
            while program.isRunning, round > 75 || looks < round * 300 {
                if looks > 0 || manager.fileExists(atPath: root + ".new") { looks += 1 }
            }
            program.end(SIGKILL)
            let isPending = manager.fileExists(atPath: root + ".new")
            let reader = try Keys(parts.settings, .read)
            #expect(try reader.person("demo", version: 1)?.stream.publicKey == publicKey)
            // Now and then somebody finishes it; otherwise the next one does.
            if round % 3 == 0 { _ = try Keys(parts.settings, .write) }
            let isChanged = try KeyFile.load(root).bytes != old
            seen[(isPending ? "pending " : "") + (isChanged ? "changed" : "unchanged"), default: 0] += 1
            _ = try parts.keys.currentVersion(of: ID("user-\(round)"))
        }
        #expect(seen.keys.contains("unchanged") && seen.keys.contains("changed"), "\(seen)")
        let keys = try Keys(parts.settings, .write)
        #expect(try keys.all().count == 82)
        for name in try keys.all() { #expect(try keys.person(name.user, version: name.version) != nil) }
        #expect(keys.identity.publicKey == parts.keys.identity.publicKey)
    }

    @Test("persons' secrets are made anew when they are old, not all on one day, and none too late")
    func due() throws {
        _ = try household.open()
        let keys = try Keys(household.settings(), .write)
        for number in 0..<200 { _ = try keys.currentVersion(of: ID("user-\(number)")) }
        let database = try Database(state + "/keys.db", .readWrite(.full), applicationID: Keys.applicationID)
        let (day, age) = (Int64(86_400_000), Double(365 * 86_400_000))
        try database.execute("UPDATE secrets SET made_ms = 0")
        var byDay: [Int64: Int] = [:]
        var known = 0
        for number in 0...366 as ClosedRange<Int64> {
            let due = try keys.dueForRotation(after: age, now: number * day).count
            byDay[number] = due - known
            known = due
        }
        #expect(byDay.filter { $0.value > 0 }.keys.allSatisfy { (334...365).contains($0) })
        #expect(known == 201 && byDay.values.allSatisfy { $0 < 25 } && byDay.values.count { $0 > 0 } > 20)
    }

    @Test("a clock that was far ahead for a while makes nobody's secret last for ever")
    func clockAhead() throws {
        let demo = try ID("demo")
        let keys = try household.open().keys
        let database = try Database(state + "/keys.db", .readWrite(.full), applicationID: Keys.applicationID)
        let (day, age) = (Int64(86_400_000), Double(365 * 86_400_000))
        // In the year 2100.
        try database.execute("UPDATE secrets SET made_ms = 4102444800000")
        #expect(try keys.secondsUntilRotation(of: demo, now: start) == nil)
        #expect(try keys.rotate(demo) == 2)
        try database.execute("UPDATE secrets SET made_ms = ? WHERE version = 2", [.integer(start)])
        #expect(try keys.secondsUntilRotation(of: demo, now: start + 1000) == 3599)
        #expect(try keys.secondsUntilRotation(of: demo, now: start + 3_600_000) == nil)
        #expect(try keys.dueForRotation(after: age, now: start + 300 * day) == [])
        #expect(try keys.dueForRotation(after: age, now: start + 366 * day) == [demo])
    }

    @Test("keys of before are brought up to date; secrets whose age was not kept count from then on", arguments: 1...2)
    func upgrade(version: Int) throws {
        let publicKey: [UInt8]?
        do { publicKey = try household.open().keys.person("demo", version: 1)?.stream.publicKey }
        do {
            let database = try Database(state + "/keys.db", .readWrite(.full), applicationID: Keys.applicationID)
            for sql in [
                "UPDATE secrets SET made_ms = 5", "ALTER TABLE secrets RENAME COLUMN person TO user",
                "ALTER TABLE forgotten RENAME COLUMN person TO user", "DROP TABLE migrations",
                "PRAGMA user_version = \(version)",
            ] + (version == 1 ? ["DROP TABLE forgotten", "ALTER TABLE secrets DROP COLUMN made_ms"] : []) {
                try database.execute(sql)
            }
        }
        #expect(
            thrown(Failure.self) { try Keys(household.settings(), .read) }?.hint?.contains("start the service") == true)
        let before = unixMilliseconds()
        let keys = try Keys(household.settings(), .write)
        #expect(try keys.person("demo", version: 1)?.stream.publicKey == publicKey && publicKey != nil)
        let made = try #require(try keys.latestMade(of: ID("demo")))
        #expect(version == 1 ? (before - 1000...unixMilliseconds() + 1000).contains(made) : made == 5)
        #expect(try keys.forgotten().isEmpty)
    }
}
