import Daemon
import Foundation
import Glibc
import TestSupport
import Testing

@testable import vitals

@Suite("vitals doctor, of what is on the machine", .timeLimit(.minutes(60)))
struct DoctorFilesTests {
    @Test("settings: the program's own words, for what it would refuse; what is not a file is not opened")
    func settings() throws {
        let machine = try Machine()
        #expect(try machine.finding("gateway settings").severity == "ok")

        let wrong = try Machine(gateway: "outbx: {}")
        let refused = try wrong.doctor()
        #expect(refused["gateway settings"]?.text.contains(#"outbx: unknown key; did you mean "outbox"?"#) == true)
        #expect(refused.status == 69 && refused["gateway bus"] == nil && refused["consumer settings"]?.severity == "ok")

        let file = machine.folder.path("gateway.json5")
        try FileManager.default.removeItem(atPath: file)
        let missing = try machine.finding("gateway settings")
        #expect(missing.severity == "problem" && missing.text.hasSuffix("No such file or directory"))
        #expect(mkfifo(file, 0o600) == 0)
        #expect(try machine.finding("gateway settings").text == "\(file) is not a file")
    }

    @Test("programs: another version, one that does not end, and none at all")
    func programs() throws {
        let machine = try Machine()
        let place = try TemporaryFolder()
        let vitals = try RunningProgram.copy("vitals", into: place)
        func visit() throws -> DoctorVisit { try DoctorVisit(machine.folder, ["--timeout", "2"], program: [vitals]) }
        func script(_ text: String) throws {
            try place.writeProgram("#!/bin/sh\n\(text)\n", to: "vitals-gateway")
        }
        let real = try RunningProgram.path(of: "vitals-gateway")
        try script("\(real) \"$@\" | sed 's/\"version\":\"[^\"]*\"/\"version\":\"0.0.9\"/'")
        let old = try visit()
        #expect(
            old["gateway version"]?.text == "vitals-gateway is 0.0.9, and vitals is \(Daemon.version)", "\(old.text)")
        #expect(old["gateway version"]?.severity == "warning")

        try script("exec sleep 600")
        #expect(try visit()["gateway settings"]?.severity == "unknown")
        try script("exec yes")
        #expect(try visit()["gateway settings"]?.severity == "unknown")
        try script("echo 'unknown command' >&2; exit 64")
        #expect(try visit()["gateway settings"]?.text.contains("is of another version") == true)
        // The consumer's program is neither next to this vitals nor on the PATH.
        #expect(try visit()["consumer settings"]?.text.hasPrefix("vitals-consumer cannot be run") == true)
    }

    @Test("passwords and keys: that others can read, that are empty, that are not there, that are no files")
    func secrets() throws {
        let machine = try Machine()
        let (password, key) = (machine.folder.path("home.password"), machine.folder.path("root.key"))
        let well = try machine.doctor()
        #expect(well["gateway password"]?.severity == "ok" && well["consumer root key"]?.severity == "ok")
        #expect(!well.text.contains("not a real password"))

        chmod(password, 0o644)
        chmod(key, 0o640)
        let open = try machine.doctor()
        #expect(open["gateway password"]?.command == "sudo chmod 600 \(password)")
        #expect(open["consumer root key"]?.severity == "problem")
        chmod(password, 0o600)
        chmod(key, 0o600)
        truncate(password, 0)
        #expect(try machine.finding("gateway password").text == "\(password) is empty")
        unlink(password)
        unlink(key)
        let missing = try machine.doctor()
        #expect(missing["gateway password"]?.severity == "problem")
        #expect(missing["consumer root key"]?.hint == "put it back: without it, nothing can be opened")
        #expect(mkfifo(password, 0o600) == 0)
        #expect(try machine.finding("gateway password").text == "\(password) is not a file")
    }

    @Test("never tells root to change what a link in a service's folder leads to", .enabled(if: geteuid() == 0))
    func links() throws {
        let machine = try Machine()
        // The service's user is another one, and its folder is theirs.
        chmod(machine.folder.path, 0o711)
        for name in ["gateway.json5", "consumer.json5"] { chmod(machine.folder.path(name), 0o644) }
        chown(machine.folder.path("gateway"), 65_534, 65_534)
        let password = machine.folder.path("home.password")
        let own = try machine.finding("gateway password")
        let reference = machine.folder.path("gateway")
        #expect(own.severity == "problem" && own.text.contains("Permission denied"), "\(own)")
        #expect(own.command == "sudo chown --no-dereference --reference=\(reference) \(password)")

        let victim = try machine.folder.write("a secret of root's", to: "victim")
        unlink(password)
        symlink(victim, password)
        for mode in [mode_t(0o600), 0o644] {
            chmod(victim, mode)
            let linked = try machine.finding("gateway password")
            #expect(linked.severity == "problem" && linked.command == "", "\(linked)")
        }
        unlink(password)
        link(victim, password)
        let named = try machine.finding("gateway password")
        #expect(named.severity == "problem" && named.command == "", "\(named)")
    }

    @Test("folders and processes: open to others, not there, not running, and running")
    func folders() throws {
        let machine = try Machine()
        let folder = machine.folder.path("gateway")
        #expect(try machine.finding("gateway process").text.contains("has never run"))
        let lock = try StateLock(folder: folder)
        #expect(try machine.finding("gateway process").severity == "ok")
        withExtendedLifetime(lock) {}
        chmod(folder, 0o755)
        #expect(try machine.finding("gateway folder").command == "sudo chmod 700 \(folder)")
        try FileManager.default.removeItem(atPath: folder)
        #expect(try machine.finding("gateway folder").severity == "warning")
        try FileManager.default.removeItem(atPath: machine.folder.path("consumer"))
        try machine.folder.write("", to: "consumer")
        #expect(try machine.finding("consumer folder").text.hasSuffix("is not a folder"))
        mkdir(folder, 0o700)
        mkfifo("\(folder)/lock", 0o600)
        #expect(try machine.finding("gateway process").text.hasSuffix("is not a lock of ours"))
        unlink("\(folder)/lock")
        try "".write(toFile: "\(folder)/lock", atomically: false, encoding: .utf8)
        #expect(try machine.finding("gateway process").text == "vitals-gateway is not running")
    }

    @Test("a gateway without a name, or without a consumer, is not enrolled")
    func enrolment() throws {
        let machine = try Machine()
        let file = machine.folder.path("gateway.json5")
        #expect(try machine.finding("gateway enrolment").severity == "ok")
        try #"{ gateway: "home", state: "gateway" }"#.write(toFile: file, atomically: true, encoding: .utf8)
        let alone = try machine.finding("gateway enrolment")
        #expect(alone.severity == "warning" && alone.text.contains("knows no consumer"))
        try #"{ state: "gateway" }"#.write(toFile: file, atomically: true, encoding: .utf8)
        let nameless = try machine.finding("gateway enrolment")
        #expect(nameless.severity == "problem" && nameless.command == "vitals enrol")
    }

    @Test("backups: none named, none there, half of one, an old one, one of today")
    func backups() throws {
        let machine = try Machine()
        let folder = machine.folder.path("backups")
        #expect(try machine.finding("consumer backups").severity == "warning")
        let record = "consumer/backup.json"
        for (text, severity) in [
            (#"{"time":\#(unixMilliseconds())}"#, "ok"), (#"{"time":1700000000000}"#, "problem"), ("{}", "unknown"),
            (#"{"time":-9223372036854775808}"#, "unknown"), (String(repeating: " ", count: 5000), "unknown"),
        ] {
            try machine.folder.write(text, to: record)
            #expect(try machine.finding("consumer backups").severity == severity, "\(text)")
        }
        unlink(machine.folder.path(record))
        mkfifo(machine.folder.path(record), 0o600)
        #expect(try machine.finding("consumer backups").severity == "unknown")
        unlink(machine.folder.path(record))
        #expect(try machine.finding("consumer backups", ["--backups", folder]).severity == "problem")
        func find() throws -> DoctorVisit.Finding { try machine.finding("consumer backups", ["--backups", folder]) }
        func put(_ path: String, days: Double) throws {
            let file = "\(folder)/one/\(path)"
            try FileManager.default.createDirectory(
                atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try "x".write(toFile: file, atomically: true, encoding: .utf8)
            let time = Date(timeIntervalSinceNow: -days * 86_400)
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: file)
        }
        try put("data/vitals.db", days: 0)
        #expect(try find().text == "there is no backup in \(folder)")
        try put("keys/keys.db", days: 20)
        #expect(try find().severity == "problem")
        try put("keys/keys.db", days: 5)
        #expect(try find().severity == "warning")
        try put("keys/keys.db", days: 0)
        #expect(try find().severity == "ok")
    }

    @Test("room and clock: little, none, read-only; before any release, and kept by nobody")
    func judged() {
        #expect(ServiceFiles.disk("/x", free: 5_000_000_000, isReadOnly: false).severity == .ok)
        #expect(ServiceFiles.disk("/x", free: 500_000_000, isReadOnly: false).severity == .warning)
        #expect(ServiceFiles.disk("/x", free: 99_000_000, isReadOnly: false).severity == .problem)
        #expect(ServiceFiles.disk("/x", free: 5_000_000_000, isReadOnly: true).severity == .problem)
        let now = unixMilliseconds()
        #expect(Clocks.finding(.ntp, now).severity == .ok)
        #expect(Clocks.finding(.unsynchronised, now).severity == .warning)
        #expect(Clocks.finding(.ntp, 86_400_000).severity == .problem)
    }

    @Test("another user is told to run it as root, and learns nothing", .enabled(if: geteuid() == 0))
    func stranger() throws {
        let machine = try Machine()
        let place = try TemporaryFolder()
        for name in ["vitals", "vitals-gateway", "vitals-consumer"] {
            _ = try RunningProgram.copy(name, into: place)
        }
        chmod(machine.folder.path, 0o711)
        chmod(machine.folder.path("gateway.json5"), 0o644)
        let program = ["setpriv"] + RunningProgram.asUser(65_534) + [place.path("vitals")]
        let visit = try DoctorVisit(machine.folder, ["--timeout", "5"], program: program)
        #expect(visit.status == 75, "\(visit.text)")
        for name in ["gateway settings", "consumer settings"] {
            #expect(visit[name]?.severity == "unknown" && visit[name]?.command == "sudo vitals doctor", "\(visit.text)")
        }
    }
}
