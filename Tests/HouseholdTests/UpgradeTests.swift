import Foundation
import TestSupport
import Testing

/// `deploy/upgrade` with real packages in a file system of their own, and real programs.
@Suite("Upgrades", .timeLimit(.minutes(60)), .enabled(if: geteuid() == 0, "dpkg installs as root"))
struct UpgradeTests {
    /// A household with a broker, and a file system in which version 1.0 of a program is installed and runs.
    private final class Machine {
        let household: Household
        let what: String
        var folder: TemporaryFolder { household.folder }
        var name: String { "vitals-\(what)" }

        init(_ what: String) throws {
            self.what = what
            household = try Household()
            try household.broker.start()
            for name in ["root/var/lib/dpkg/info", "root/var/lib/dpkg/updates", "root/usr/bin", "services", "packages"]
            {
                try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
            }
            try folder.write("", to: "root/var/lib/dpkg/status")
            let python = ProcessInfo.processInfo.environment["VITALS_PYTHON"] ?? "python3"
            let services = "'\(python)' -B '\(projectFolder)/Tests/Rigs/services.py' '\(folder.path("services"))'"
            try folder.writeProgram("#!/bin/sh\ncd '\(projectFolder)'\nexec \(services) \"$@\"\n", to: "service")
            let command = [folder.path("root/usr/bin/\(name)"), "--settings", folder.path("\(what).json5")]
            try folder.write(command.joined(separator: "\n"), to: "services/\(name).command")
            try RunningProgram.run("dpkg", ["--root=\(folder.path("root"))", "-i", try package("1.0")])
            try service("start")
            let deadline = ContinuousClock.now + .seconds(60)
            while try service("state").isEmpty {
                guard ContinuousClock.now < deadline else { throw TestFailure("\(name) does not become ready") }
            }
        }

        deinit { _ = try? service("stop") }

        /// Makes a package whose program is the real one, except where it runs as a service. Its settings name its
        /// version.
        func package(_ version: String, asService: String = "true") throws -> String {
            let tree = folder.path("tree-\(version)")
            for name in ["DEBIAN", "etc", "usr/bin"] {
                try FileManager.default.createDirectory(atPath: "\(tree)/\(name)", withIntermediateDirectories: true)
            }
            try """
            Package: \(name)
            Version: \(version)
            Architecture: all
            Maintainer: The Vitals authors <vitals@localhost.localdomain>
            Description: a package of a test

            """.write(toFile: "\(tree)/DEBIAN/control", atomically: true, encoding: .utf8)
            try "/etc/settings\n".write(toFile: "\(tree)/DEBIAN/conffiles", atomically: true, encoding: .utf8)
            try "of \(version)\n".write(toFile: "\(tree)/etc/settings", atomically: true, encoding: .utf8)
            let program = "\(tree)/usr/bin/\(name)"
            try """
            #!/bin/sh
            if [ "$1" = --settings ]; then
                \(asService)
            fi
            exec '\(try RunningProgram.path(of: name))' "$@"

            """.write(toFile: program, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
            let file = folder.path("packages/\(name)_\(version)_all.deb")
            try RunningProgram.run("dpkg-deb", ["--build", "--root-owner-group", tree, file])
            return file
        }

        @discardableResult
        func service(_ verb: String) throws -> String {
            try RunningProgram.run(folder.path("service"), [verb, name], within: .seconds(60))
        }

        /// Whether the program runs and has said that it is ready.
        func isReady() throws -> Bool { try !service("state").isEmpty }

        /// - Parameter file: a package; nil only finishes what was interrupted.
        func upgrade(_ file: String?, limit: Int = 60) throws -> RunningProgram {
            try RunningProgram(
                "\(projectFolder)/deploy/upgrade",
                [
                    what, file ?? "--finish", "--limit", "\(limit)", "--settle", "1", "--root", folder.path("root"),
                    "--service",
                    folder.path("service"), "--keep", folder.path("kept"), "--settings",
                    folder.path("\(what).json5"), "--state", folder.path(what), "--earlier",
                    folder.path("packages/\(name)_1.0_all.deb"),
                ])
        }

        func installed() throws -> String {
            let words = ["--admindir=\(folder.path("root/var/lib/dpkg"))", "-W", "-f", "${Version}", name]
            return try RunningProgram.run("dpkg-query", words)
        }

        func kept() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path("kept")).sorted()
        }

        func settings() throws -> String {
            try String(contentsOfFile: folder.path("root/etc/settings"), encoding: .utf8)
        }

        func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder.path(name)) }
    }

    @Test("a version that becomes ready stays", arguments: ["gateway", "consumer"])
    func good(what: String) throws {
        let machine = try Machine(what)
        let upgrade = try machine.upgrade(machine.package("1.1"))
        #expect(upgrade.exitStatus(within: .seconds(120)) == 0, "\(upgrade.text)")
        #expect(upgrade.text.contains("vitals-\(what) 1.1 is ready"))
        #expect(try machine.installed() == "1.1" && machine.isReady())
        #expect(try machine.kept() == ["lock", "vitals-\(what)_1.1_all.deb"])
    }

    @Test("the operator's settings stay if the new ones differ, also where the upgrade was cut off")
    func settings() throws {
        let machine = try Machine("gateway")
        try machine.folder.write("the operator's", to: "root/etc/settings")
        let first = try machine.upgrade(machine.package("1.1"))
        #expect(first.exitStatus(within: .seconds(120)) == 0, "\(first.text)")
        #expect(try machine.settings() == "the operator's")

        // What a power cut leaves after dpkg's first step.
        let unpacked = try machine.package("1.2")
        try RunningProgram.run("dpkg", ["--root=\(machine.folder.path("root"))", "--unpack", unpacked])
        let before = machine.folder.path("kept/vitals-gateway_1.1_all.deb")
        try machine.folder.write("\(before)\n1.2\n", to: "kept/vitals-gateway.pending")
        let rest = try machine.upgrade(nil)
        #expect(rest.exitStatus(within: .seconds(120)) == 0, "\(rest.text)")
        #expect(try machine.installed() == "1.2" && machine.isReady())
        #expect(try machine.settings() == "the operator's")
    }

    /// Says that it is ready, and ends.
    private static let readyForAMoment = """
        python3 -c "import os, socket, time; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); \
        s.connect(os.environ['NOTIFY_SOCKET']); s.send(b'READY=1'); time.sleep(0.3)"; exit 1
        """

    @Test(
        "a version that never becomes ready, or only for a moment, is replaced by the one before",
        arguments: ["exec sleep 600", "exit 78", readyForAMoment])
    func notReady(asService: String) throws {
        let machine = try Machine("consumer")
        let upgrade = try machine.upgrade(machine.package("1.2", asService: asService), limit: 4)
        #expect(upgrade.exitStatus(within: .seconds(120)) == 69, "\(upgrade.text)")
        #expect(upgrade.text.contains("vitals-consumer is as it was before: 1.0"), "\(upgrade.text)")
        #expect(try machine.installed() == "1.0" && machine.isReady())
        let refused = try String(contentsOfFile: machine.folder.path("kept/vitals-consumer.refused"), encoding: .utf8)
        #expect(refused == "1.2\n")
        #expect(try !machine.kept().contains { $0.hasSuffix("pending") || $0.hasSuffix("backup") })
        #expect(!machine.exists("consumer.before-restore"))
    }

    @Test(
        "where the new version has left a database that the one before does not open, what it was comes back",
        arguments: [("gateway", "outbox.db"), ("consumer", "vitals.db")])
    func migrated(what: String, database: String) throws {
        let machine = try Machine(what)
        let change = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA user_version = 99')"
        let file = machine.folder.path("\(what)/\(database)")
        let upgrade = try machine.upgrade(
            machine.package("2.0", asService: "python3 -c \"\(change)\" '\(file)'; exit 1"), limit: 5)
        #expect(upgrade.exitStatus(within: .seconds(120)) == 69, "\(upgrade.text)")
        #expect(upgrade.text.contains("the backup was restored"), "\(upgrade.text)")
        #expect(try machine.installed() == "1.0" && machine.isReady())
        #expect(machine.exists("\(what).before-restore/\(database)") && machine.exists("\(what)/\(database)"))
        guard what == "consumer" else { return }
        let words = ["check", "--settings", machine.folder.path("consumer.json5")]
        #expect(try RunningProgram.run("vitals-consumer", words).contains("\"streams\":1"))
    }

    @Test(
        "nothing of root's is read or overwritten through what a gateway's user puts into its folder, and no pipe is waited for"
    )
    func planted() throws {
        let machine = try Machine("gateway")
        #expect(chmod(machine.folder.path, 0o711) == 0)
        let victim = try machine.folder.write("root's own", to: "victim")
        let state = machine.folder.path("gateway")
        #expect(symlink(victim, "\(state)/keys.db") == 0 && mkfifo("\(state)/keys.db-wal", 0o600) == 0)
        try machine.folder.write("theirs", to: "gateway/kept")
        let owner = ["-R", "-h", "1234:1234", state]
        try RunningProgram.run("chown", owner)
        let change = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA user_version = 99')"
        let bad = "python3 -c \"\(change)\" '\(state)/outbox.db'; exit 1"
        let upgrade = try machine.upgrade(machine.package("2.0", asService: bad), limit: 5)
        #expect(upgrade.exitStatus(within: .seconds(120)) == 69, "\(upgrade.text)")
        #expect(upgrade.text.contains("the backup was restored"), "\(upgrade.text)")
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "root's own")
        var status = stat()
        for name in ["keys.db", "keys.db-wal"] { #expect(lstat("\(state)/\(name)", &status) != 0, "\(name)") }
        #expect(lstat("\(state)/kept", &status) == 0 && status.st_uid == 1234)
        #expect(lstat(state, &status) == 0 && status.st_uid == 1234)
    }

    @Test("an upgrade that was killed goes on with the next run, and one without a way back does not begin")
    func interrupted() throws {
        let machine = try Machine("consumer")
        let begun = try NamedPipe(in: machine.folder)
        let second = try machine.package("1.2", asService: "echo begun >'\(begun.path)'; exec sleep 600")
        let first = try machine.upgrade(second)
        #expect(first.line(containing: "Setting up vitals-consumer", within: .seconds(60)) != nil, "\(first.text)")
        #expect(try begun.read(within: .seconds(60)) == "begun\n" && machine.installed() == "1.2")
        first.signal(SIGKILL)
        _ = first.exitStatus()
        let next = try machine.upgrade(nil, limit: 4)
        #expect(next.exitStatus(within: .seconds(120)) == 69, "\(next.text)")
        #expect(next.text.contains("an upgrade was interrupted"), "\(next.text)")
        #expect(try machine.installed() == "1.0" && machine.isReady())

        for name in try machine.kept() where name.hasSuffix(".deb") { unlink(machine.folder.path("kept/\(name)")) }
        unlink(machine.folder.path("packages/vitals-consumer_1.0_all.deb"))
        let without = try machine.upgrade(second)
        #expect(without.exitStatus() == 66 && without.text.contains("no way back"), "\(without.text)")
        #expect(try machine.isReady())
    }
}
