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

@Suite("Backups that are kept")
struct KeepBackupsTests {
    private let household: Household

    /// A consumer with a reading, and empty folders for its backups.
    init() throws {
        household = try Household()
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, session.block(beat(0, 72)))
        for name in ["data", "keys"] { try makeFolder(name) }
    }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: household.path(name), withIntermediateDirectories: true)
    }

    private func settings(_ more: String = "mounted: false") throws -> ConsumerSettings {
        try household.settings(more: #"backups: { data: "data", keys: "keys", \#(more) },"#)
    }

    private func keep(_ more: String = "mounted: false", now: Int64 = start) throws -> [String] {
        let settings = try settings(more)
        return try output { _ = try KeepBackupsCommand().run(settings, now: now, output: $0) }
    }

    /// The error that it ends with.
    private func refusal(_ more: String = "mounted: false", now: Int64 = start) -> Failure? {
        thrown(Failure.self) { try keep(more, now: now) }
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: household.path(folder)).sorted()
    }

    private func record() throws -> String {
        try String(contentsOfFile: household.path("state/backup.json"), encoding: .utf8)
    }

    /// The name of one that was made so many days after the start.
    private func name(_ day: Int64) -> String { KeptBackups.name(moment(day)) }
    private func moment(_ day: Int64) -> Int64 { start + day * 86_400_000 }

    private func restore(_ name: String) throws {
        let command = RestoreCommand(data: household.path("data/\(name)"), keys: household.path("keys/\(name)"))
        let settings = try settings()
        try FileManager.default.moveItem(atPath: household.path("state"), toPath: household.path("state.\(UUID())"))
        _ = try output { _ = try command.run(settings, now: start, output: $0) }
    }

    @Test("one has a date, is in two folders, was restored and checked, and can be restored for good")
    func whole() throws {
        let state = try names("state")
        let lines = try keep()
        let first = try #require(lines.first)
        #expect(lines.count == 1 && first.contains("\(name(0)) was restored and checked: {"), "\(lines)")
        #expect(first.contains(#""blocks":1,"readings":1"#), "\(lines)")
        #expect(try names("data/\(name(0))") == ["vitals.db"] && names("keys/\(name(0))") == ["keys.db"])
        #expect(try names("data") == [name(0)] && names("keys") == [name(0)])
        for file in ["data/\(name(0))", "keys/\(name(0))", "data/\(name(0))/vitals.db", "state/backup.json"] {
            var status = stat()
            #expect(stat(household.path(file), &status) == 0 && status.st_mode & 0o077 == 0, "\(file)")
        }
        // What SQLite keeps next to a database that is open is not of the rehearsal.
        let left = try names("state").filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
        #expect(left == ["backup.json"] + state.filter { left.contains($0) } && left.count > 2, "\(left)")
        #expect(try record().hasPrefix(#"{"time":\#(start),"name":"\#(name(0))","kept":1,"#))
        try restore(name(0))
        #expect(try household.readings() == [line(0, 72)])
    }

    @Test("old ones go when they are too many or too old")
    func old() throws {
        for day in 0..<4 as Range<Int64> { _ = try keep("mounted: false, keep: 3", now: moment(day)) }
        #expect(try names("data") == [name(1), name(2), name(3)] && names("keys") == names("data"))
        let lines = try keep("mounted: false, keep_for: \"36 h\"", now: moment(4))
        #expect(lines.dropFirst() == ["removed \(name(1))", "removed \(name(2))"])
        #expect(try names("data") == [name(3), name(4)] && names("keys") == names("data"))
    }

    @Test("the one that was just made stays, even if the clock was reset and all others seem to be newer")
    func resetClock() throws {
        for day in 0..<3 as Range<Int64> { _ = try keep(now: moment(day)) }
        _ = try keep("mounted: false, keep: 2", now: moment(-400))
        #expect(try names("data") == [name(-400), name(2)] && names("keys") == names("data"))
        _ = try keep("mounted: false, keep: 1, keep_for: \"1 d\"", now: moment(400))
        #expect(try names("data") == [name(400)] && names("keys") == names("data"))
    }

    @Test("none is removed, and none is called good, where the copy does not agree with itself")
    func differences() throws {
        _ = try keep()
        let before = try record()
        do {
            let database = try Database(
                household.path("state/vitals.db"), .readWrite(.full), applicationID: Store.applicationID)
            try database.execute("UPDATE counts SET number = number + 1 WHERE kind = 1")
        }
        for day in 1...2 as ClosedRange<Int64> {
            let error = refusal("mounted: false, keep: 1", now: moment(day))
            #expect(error?.exitCode == .data && error?.message.contains("\"miscounted\":1") == true, "\(error as Any)")
            #expect(try names("data") == [name(0), "failed"] && names("keys") == names("data"))
        }
        #expect(try record() == before)
        #expect(try names("data/failed") == ["vitals.db"] && names("keys/failed") == ["keys.db"])
    }

    @Test("what an interrupted run has left is never whole, and goes with the next run")
    func leftovers() throws {
        _ = try keep()
        let manager = FileManager.default
        // While one was made, while one got its name, and while one was removed.
        for (folder, file) in [
            ("data/.making", "vitals.db"), ("keys/.making", "keys.db"), ("keys/\(name(-1))", "keys.db"),
            ("data/.removing", "vitals.db"), ("state/rehearsal/restored", "keys.db"),
        ] {
            try makeFolder(folder)
            try Data("half".utf8).write(to: URL(fileURLWithPath: household.path("\(folder)/\(file)")))
        }
        #expect(try KeptBackups(settings().backups!, state: household.path("state")).names().whole == [name(0)])
        _ = try keep("mounted: false, keep: 2", now: moment(1))
        #expect(try names("data") == [name(0), name(1)] && names("keys") == names("data"))
        #expect(!manager.fileExists(atPath: household.path("state/rehearsal")))
    }

    @Test("nothing is written where a folder or its medium is missing")
    func missing() throws {
        // A test's folder is on one file system, as a mount point is without its medium.
        let unmounted = refusal("keep: 7")
        #expect(unmounted?.exitCode == .unavailable && unmounted?.message.contains("no medium is mounted") == true)
        #expect(try names("data") == [] && names("keys") == [])
        try FileManager.default.removeItem(atPath: household.path("keys"))
        let gone = refusal()
        #expect(gone?.exitCode == .noInput && gone?.hint?.contains("is its medium mounted?") == true)
        #expect(try names("data") == [])
        #expect(!FileManager.default.fileExists(atPath: household.path("keys")))
        symlink(household.path("data"), household.path("keys"))
        #expect(refusal()?.message.contains("are the same folder") == true)
        #expect(try names("data") == [])
        let none = thrown(Failure.self) { try KeepBackupsCommand().run(try household.settings(), output: 2) }
        #expect(none?.exitCode == .configuration && none?.hint?.contains("add backups") == true)
    }

    @Test("folders on another file system are a medium")
    func mounted() throws {
        let medium = "/dev/shm/vitals-\(UUID())"
        try FileManager.default.createDirectory(atPath: medium + "/data", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: medium) }
        try FileManager.default.createDirectory(atPath: medium + "/keys", withIntermediateDirectories: true)
        let settings = try household.settings(more: "backups: { data: '\(medium)/data', keys: '\(medium)/keys' },")
        #expect(try output { _ = try KeepBackupsCommand().run(settings, now: start, output: $0) }.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: medium + "/data") == [name(0)])
    }

    @Test(
        "a disk that is full, wherever that is, is said, and leaves nothing",
        arguments: ["data/.making/vitals.db", "keys/.making/keys.db", "state/rehearsal/restoring/vitals.db"])
    func fullDisk(file: String) throws {
        _ = try settings()
        let program = try RunningProgram(
            "strace",
            [
                "-f", "-o", "/dev/null", "-P", household.path(file), "-e", "inject=pwrite64:error=ENOSPC",
                try RunningProgram.path(of: "vitals-consumer"), "keep-backups", "--settings", household.settingsFile,
            ])
        #expect(program.exitStatus(within: .seconds(60)) == 74, "\(program.text)")
        #expect(program.text.contains("full") && program.text.contains("make room"), "\(program.text)")
        #expect(try names("data") == [] && names("keys") == [])
        #expect(try !names("state").contains { $0 == "rehearsal" || $0 == "backup.json" })
        #expect(try keep().count == 1)
    }

    @Test("the folder that another run has taken is left alone")
    func taken() throws {
        let other = try KeptBackups(settings().backups!, state: household.path("state"))
        #expect(refusal()?.exitCode == .temporary)
        withExtendedLifetime(other) {}
    }

    @Test(
        "root keeps them where the service cannot reach them, and leaves the service's folder the service's",
        .enabled(if: geteuid() == 0, "only root can give files away"))
    func root() throws {
        _ = try settings()
        let owner: UInt32 = 1234
        try RunningProgram.run("chown", ["-R", "\(owner):\(owner)", household.path("state")])
        for name in ["data", "keys"] { #expect(chmod(household.path(name), 0o700) == 0) }
        // The way there is open to the service: only the folders are root's.
        #expect(chmod(household.path("."), 0o711) == 0)
        let words = ["keep-backups", "--settings", household.settingsFile]
        let program = try RunningProgram("vitals-consumer", words)
        #expect(program.exitStatus(within: .seconds(60)) == 0, "\(program.text)")
        let status = { (name: String) in
            var status = stat()
            #expect(lstat(household.path(name), &status) == 0, "\(name)")
            return status.st_uid
        }
        for folder in ["data", "keys"] {
            let made = try #require(try names(folder).first)
            #expect(status("\(folder)/\(made)") == 0)
            for file in try names("\(folder)/\(made)") { #expect(status("\(folder)/\(made)/\(file)") == 0) }
        }
        for file in try names("state") { #expect(status("state/\(file)") == owner, "\(file)") }
    }

    @Test("the root key that is being changed stays as it is: it belongs to the keys in use, and not to a copy")
    func rootKeyBeingChanged() throws {
        let next = household.path("root.key.new")
        let key = try KeyFile.createIfMissing(next)
        _ = try keep()
        #expect(try KeyFile.load(next).bytes == key.bytes)
    }

    @Test("one that is killed anywhere leaves nothing half that looks whole", .timeLimit(.minutes(60)))
    func killed() throws {
        _ = try settings("mounted: false, keep: 1")
        let calls = "?mkdir,?mkdirat,?rename,?renameat,?renameat2,?unlink,?unlinkat,?rmdir,fsync"
        var whole: [String] = []
        var (call, kills, status) = (1, 0, Int32?.none)
        // Steps that become longer, because flushes come in rows.
        while status != 0 {
            let program = try RunningProgram(
                "strace",
                [
                    "-f", "-o", "/dev/null", "-e", "trace=\(calls)", "-e", "inject=\(calls):signal=KILL:when=\(call)",
                    try RunningProgram.path(of: "vitals-consumer"), "keep-backups", "--settings",
                    household.settingsFile,
                ])
            status = program.exitStatus(within: .seconds(60))
            // In the same second as the one before.
            if status == 75, program.text.contains("already") { continue }
            try #require(status == 0 || status == 128 + SIGKILL, "\(program.text)")
            let kept = Set(try names("data")).intersection(try names("keys")).filter { !$0.hasPrefix(".") }.sorted()
            // None that was good is lost before the next one is good.
            #expect(kept.count >= whole.count.signum(), "at call \(call): \(whole), then \(kept)")
            for name in kept {
                #expect(try names("data/\(name)") == ["vitals.db"] && names("keys/\(name)") == ["keys.db"])
                let rehearsal = Rehearsal(data: household.path("data/\(name)"), keys: household.path("keys/\(name)"))
                #expect(try rehearsal.run(household.written(), now: start).isGood, "at call \(call)")
            }
            whole = kept
            kills += status == 0 ? 0 : 1
            call += 1 + call / 8
        }
        #expect(kills >= 10)
        #expect(try names("data").count == 1 && names("keys") == names("data"))
        #expect(!FileManager.default.fileExists(atPath: household.path("state/rehearsal")))
    }
}
