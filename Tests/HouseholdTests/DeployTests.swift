import Foundation
import Glibc
import TestSupport
import Testing

/// What is under `deploy/`, as people start it.
@Suite("Programs under deploy/", .timeLimit(.minutes(60)))
struct DeployTests {
    private static let folder = "\(projectFolder)/deploy"
    private static let programs: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().filter { name in
            var isFolder: ObjCBool = false
            let path = "\(folder)/\(name)"
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
                && FileManager.default.isExecutableFile(atPath: path)
        }
    }()

    /// A folder for the front of PATH, with programs that install, build or make something: a script that starts one
    /// is caught.
    private struct Trap {
        let folder: TemporaryFolder
        let path: String

        init() throws {
            folder = try TemporaryFolder()
            for name in ["apt-get", "dpkg-query", "sudo", "swift", "openssl", "mosquitto", "mosquitto_passwd", "mkdir"]
            {
                try folder.writeProgram("#!/bin/sh\necho $0 >>\(folder.path("caught"))\nexit 1\n", to: name)
            }
            path = "\(folder.path):/usr/sbin:/usr/bin:/sbin:/bin"
        }

        var caught: String? { try? String(contentsOfFile: folder.path("caught"), encoding: .utf8) }
    }

    /// Runs one with a trap, until its end.
    private func run(_ program: String, _ words: [String], _ environment: [String: String] = [:]) throws -> (
        status: Int32?, text: String, caught: String?
    ) {
        let trap = try Trap()
        let running = try RunningProgram(
            "\(Self.folder)/\(program)", words, environment: environment.merging(["PATH": trap.path]) { old, _ in old })
        let status = running.exitStatus()
        return (status, running.text, trap.caught)
    }

    @Test("says with --help how it is used, and does nothing else", arguments: programs)
    func help(program: String) throws {
        for words in [["--help"], ["-h"]] {
            let outcome = try run(program, words)
            #expect(outcome.status == 0)
            #expect(outcome.text.contains("deploy/\(program)"), "\(outcome.text)")
            #expect(outcome.caught == nil)
        }
    }

    @Test("refuses an option that it does not know, before it does anything", arguments: programs)
    func unknownOption(program: String) throws {
        let outcome = try run(program, ["--nonsense"])
        #expect(outcome.status == 64)
        #expect(!outcome.text.isEmpty)
        #expect(outcome.caught == nil)
    }

    @Test("deploy/up says what a real sensor lacks, and what to do, before it installs, builds or starts anything")
    func noBluetooth() throws {
        let environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"]
        let outcome = try run("up", ["--sensor", "bluetooth"], environment)
        #expect(outcome.status == 69)
        #expect(outcome.text.contains("a message bus: there is no socket /nonexistent/bus; install dbus, and start it"))
        let adapters = try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/bluetooth")
        #expect(outcome.text.contains("a Bluetooth adapter: there is none") == (adapters ?? []).isEmpty)
        #expect(outcome.caught == nil)
    }

    @Test("deploy/up says that the path of its bus is too long for a socket")
    func longPath() throws {
        let state = "/tmp/" + String(repeating: "x", count: 120)
        let outcome = try run("up", ["--state", state])
        #expect(outcome.status == 64)
        #expect(outcome.text.contains("has 129 bytes, and Linux allows 107"))
        #expect(outcome.caught == nil)
        #expect(!FileManager.default.fileExists(atPath: state))
    }

    /// `deploy/up` with the programs that are next to the tests, in a folder whose name has what shells and buses must
    /// not take for something else.
    private func up(_ folder: TemporaryFolder, _ words: [String]) throws -> RunningProgram {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try RunningProgram(
            "\(Self.folder)/up", ["--port", "\(try freePort())", "--state", folder.path("a home, é")] + words,
            environment: [
                "VITALS_PROGRAMS": URL(fileURLWithPath: tests).deletingLastPathComponent().path, "HOME": folder.path,
                "XDG_CONFIG_HOME": "",
            ])
    }

    /// Runs functions of deploy/install with apt's own programs and folders of a test's own, whose locks another process holds.
    private func apt(
        _ folder: TemporaryFolder, holding lock: String, wait: Int
    ) throws -> (program: RunningProgram, holder: RunningProgram) {
        for name in ["var/lib/apt/lists/partial", "var/lib/dpkg", "var/cache/apt/archives/partial", "etc"] {
            try FileManager.default.createDirectory(
                atPath: folder.path("root/\(name)"), withIntermediateDirectories: true)
        }
        try folder.write("", to: "root/var/lib/dpkg/status")
        try folder.write(
            """
            Dir "\(folder.path("root"))";
            Dir::State::status "\(folder.path("root/var/lib/dpkg/status"))";
            Dir::Etc::sourcelist "/dev/null"; Dir::Etc::sourceparts "/dev/null";
            APT::Sandbox::User "root";

            """, to: "apt.conf")
        let take =
            "import fcntl, sys; f = open(sys.argv[1], 'a'); fcntl.lockf(f, fcntl.LOCK_EX); print('held', flush=True)"
        let path = folder.path("root/\(lock)")
        let holder = try RunningProgram("python3", ["-c", take + "; sys.stdin.read()", path])
        guard holder.line(containing: "held") != nil else { throw TestFailure(holder.text) }
        let script = """
            . '\(Self.folder)/install'; apt_log='\(folder.path("log"))'
            apt_get update -q && apt_get install -y -q && echo done || { cat "$apt_log"; exit 1; }
            """
        let environment = ["APT_CONFIG": folder.path("apt.conf"), "VITALS_APT_WAIT": "\(wait)"]
        return (try RunningProgram("bash", ["-c", script], environment: environment), holder)
    }

    @Test(
        "waits while another program has a lock of apt's or dpkg's, and says which program that is",
        .enabled(if: geteuid() == 0, "apt locks as root"),
        arguments: ["var/lib/apt/lists/lock", "var/lib/dpkg/lock-frontend"])
    func lockedPackages(lock: String) throws {
        let folder = try TemporaryFolder()
        let (program, holder) = try apt(folder, holding: lock, wait: 600)
        let line = program.line(containing: "Waiting for process ", within: .seconds(60))
        #expect(line?.contains("(python3), which has \(folder.path("root/\(lock)"))") == true, "\(program.text)")
        #expect(program.isRunning)
        holder.closeInput()
        #expect(program.exitStatus(within: .seconds(60)) == 0, "\(program.text)")
        #expect(program.text.contains("done"))
    }

    @Test("does not wait for ever", .enabled(if: geteuid() == 0, "apt locks as root"))
    func lockedForEver() throws {
        let folder = try TemporaryFolder()
        let (program, holder) = try apt(folder, holding: "var/lib/apt/lists/lock", wait: 1)
        defer { holder.closeInput() }
        #expect(program.exitStatus(within: .seconds(60)) == 1)
        #expect(program.text.contains("it still waited for process "), "\(program.text)")
    }

    @Test("deploy/up checks a recording before it starts anything for it")
    func badRecording() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("elapsed_s,heart_rate_bpm\n1,70\n0,71\n", to: "bad.csv")
        let program = try up(folder, ["--activity", file])
        #expect(program.exitStatus(within: .seconds(60)).map { $0 != 0 } == true)
        #expect(program.text.contains("bad.csv: line 3, column elapsed_s: 0.0 is earlier than the row before"))
        #expect(!program.text.contains("Starting"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("a home, é")))
    }

    @Test("deploy/up --once counts the steps of a recording: its last line is a day with all of them")
    func steps() throws {
        // The strap begins five seconds after its start, and the steps are counted first when the gateway has it: nobody walks before.
        let rows = (0...220).map { "\($0),\(80 + $0 / 4),\(max(0, $0 - 180) * 3)" }.joined(separator: "\n")
        // What is printed is a day: it must be the same one from the first step to the last.
        var program: RunningProgram
        var day: String
        repeat {
            let folder = try TemporaryFolder()
            let file = try folder.write("elapsed_s,heart_rate_bpm,steps\n\(rows)\n", to: "walk.csv")
            day = try RunningProgram.run("date", ["+%F"])
            program = try up(folder, ["--activity", file, "--speed", "8", "--once"])
            #expect(program.exitStatus(within: .seconds(180)) == 0, "\(program.text)")
        } while try RunningProgram.run("date", ["+%F"]) != day
        let last = try #require(program.lines.last { !$0.isEmpty })
        let totals = try #require(
            JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any], "\(program.text)")
        #expect(totals["steps"] as? Int == 120, "\(last)")
        #expect(program.text.contains("walk.csv is stored: replayed 221 heart rates"), "\(program.text)")
    }

    @Test("what deploy/up has written runs by hand afterwards, by the commands that it prints")
    func byHand() throws {
        let folder = try TemporaryFolder()
        let rows = (0..<60).map { "\($0 / 2),\(70 + $0 % 10)" }.joined(separator: "\n")
        let file = try folder.write("elapsed_s,heart_rate_bpm\n\(rows)\n", to: "two a second.csv")
        let first = try up(folder, ["--activity", file])
        #expect(first.line(containing: "Live readings", within: .seconds(90)) != nil, "\(first.text)")
        #expect(first.line(containing: "bpm", within: .seconds(30)) != nil, "\(first.text)")
        let log = try String(contentsOfFile: folder.path("a home, é/gateway.log"), encoding: .utf8)
        #expect(log.contains(#/(?m)^20\S+Z notice: vitals-gateway /#))
        first.signal(SIGTERM)
        #expect(first.exitStatus(within: .seconds(60)) != nil)

        let lines = first.lines
        let start = try #require(lines.firstIndex { $0.hasPrefix("Once this has ended") })
        let commands = lines[(start + 1)...].prefix { $0.hasPrefix("  ") }
        #expect(commands.count == 5)
        // Somebody who types them types them one after the other: the sensor needs the bus.
        let running = try commands.map { command in
            let bus = command.contains("vitals-sensor") ? "until [ -S '\(folder.path("a home, é/bus"))' ]; do sleep 0.1; done; " : ""
            return try RunningProgram("/bin/bash", ["-c", "\(bus)exec \(command)"])
        }
        defer { for program in running.reversed() { program.end() } }
        let port = try #require(
            try String(contentsOfFile: folder.path("a home, é/gateway.json5"), encoding: .utf8)
                .firstMatch(of: #/port: ([0-9]+)/#)?.output.1)
        let listener = try RunningProgram(
            "/usr/bin/bash",
            [
                "-c",
                """
                until mosquitto_sub -p \(port) -C 1 -t vitals/v1/gateways/home/sensors/strap/heart-rate; do sleep 0.2; done
                """,
            ])
        #expect(listener.line(containing: "bpm", within: .seconds(60)) != nil, "\(running.map(\.text))")
    }
}
