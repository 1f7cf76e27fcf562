import Foundation
import Glibc
import TestSupport
import Testing
import Vault

@testable import vitals

/// A machine on which the packages and Debian's Mosquitto have just been installed, as folders: nothing runs.
private final class FreshMachine {
    let folder: TemporaryFolder
    let port: UInt16
    let bus: PrivateBus
    private var running: [RunningProgram] = []

    init() throws {
        folder = try TemporaryFolder()
        (port, bus) = (try freePort(), try PrivateBus())
        for name in ["etc", "state", "mosquitto", "mosquitto/conf.d"] {
            guard mkdir(folder.path(name), 0o755) == 0 else { throw TestFailure("no folder \(name)") }
        }
        for name in ["gateway.json5", "consumer.json5"] {
            try FileManager.default.copyItem(
                atPath: "\(projectFolder)/deploy/debian/settings/\(name)", toPath: folder.path("etc/\(name)"))
        }
        try folder.write(
            "user \(NSUserName())\ninclude_dir \(folder.path("mosquitto/conf.d"))\n", to: "mosquitto/mosquitto.conf")
    }

    deinit { for program in running.reversed() { program.end() } }

    /// The words of a command line that sets this machine up.
    var words: [String] {
        ["setup", "--port", "\(port)", "--settings-folder", folder.path("etc"), "--state-folder", folder.path("state")]
            + ["--broker-folder", folder.path("mosquitto"), "--timeout", "20"]
    }

    /// The same with answers.
    var answers: [String] { ["--yes", "--person", "ada", "--sensor", "Vitals HRM", "--bus", bus.addressText] }

    /// Runs it to its end.
    func setUp(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let program = try RunningProgram("vitals", words + arguments, environment: ["HOME": folder.path])
        guard let status = program.exitStatus(within: .seconds(120)) else {
            throw TestFailure("vitals setup does not end: \(program.text)")
        }
        return (status, program.text)
    }

    func start(_ program: String, _ arguments: [String], until line: String) throws {
        let program = try RunningProgram(program, arguments)
        running.append(program)
        guard program.line(containing: line) != nil else { throw TestFailure("no \"\(line)\": \(program.text)") }
    }

    func startBroker() throws {
        try start("mosquitto", ["-v", "-c", folder.path("mosquitto/mosquitto.conf")], until: " running")
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: folder.path(name), encoding: .utf8) }

    /// What each file outside of the state folders is: its number, its times and its mode, which a change would change.
    func files() throws -> [String: [Int]] {
        var found: [String: [Int]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where !name.hasPrefix("state") {
            var status = stat()
            guard lstat(folder.path(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            found[name] = [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, Int(status.st_mode)]
        }
        return found
    }
}

@Suite("vitals setup", .timeLimit(.minutes(60)))
struct SetupTests {
    @Test("a home from nothing to a heartbeat that is stored; another run changes nothing, and says so")
    func heartbeat() throws {
        let machine = try FreshMachine()
        let first = try machine.setUp(machine.answers)
        let command = "mosquitto -c \(machine.folder.path("mosquitto/mosquitto.conf"))"
        #expect(first.status == 69 && first.text.contains("run: \(command)"), "\(first.text)")
        let files = try machine.files()

        try machine.startBroker()
        let second = try machine.setUp(["--yes"])
        #expect(second.status == 69 && second.text.contains("run: vitals-consumer --settings"), "\(second.text)")
        #expect(!second.text.contains("made "))

        try machine.start(
            "vitals-sensor",
            ["stand-in", "--bus", machine.bus.addressText, "--activity", Household.recording("run-9km.csv"), "--loop"],
            until: "ready")
        for program in ["vitals-consumer", "vitals-gateway"] {
            let settings = machine.folder.path("etc/\(program.dropFirst(7)).json5")
            try machine.start(program, ["--settings", settings], until: "connected to the broker")
        }
        let third = try machine.setUp(["--yes"])
        #expect(third.status == 0 && third.text.contains("Nothing was changed"), "\(third.text)")
        // It notes that it has come to its end.
        var now = try machine.files()
        #expect(try machine.text("etc/setup.json").contains("\"finished\":true"))
        #expect(now["etc/setup.json"]?.last == files["etc/setup.json"]?.last)
        now["etc/setup.json"] = files["etc/setup.json"]
        #expect(now == files)

        let household = ["vitals/v1/gateways/home/health", "vitals/v1/gateways/home/sensors/strap/heart-rate"]
        let subscriber = try RunningProgram(
            "/usr/bin/stdbuf",
            ["-oL", "mosquitto_sub", "-v", "-p", "\(machine.port)"] + household.flatMap { ["-t", $0] })
        #expect(subscriber.line(containing: #""recorded_sensors":["strap"]"#) != nil, "\(subscriber.text)")
        #expect(subscriber.line(containing: "sensors/strap/heart-rate {") != nil, "\(subscriber.text)")
        let settings = machine.folder.path("etc/consumer.json5")
        let readings = ["readings", "--settings", settings, "--user", "ada", "--kind", "heart-rate"]
        // Each acknowledgement says that something was stored; the first is of the key alone.
        let acknowledgements = try RunningProgram(
            "/usr/bin/stdbuf",
            ["-oL", "mosquitto_sub", "-F", "%t", "-p", "\(machine.port)", "-u", "home"]
                + ["-P", machine.text("etc/home.password").trimmingCharacters(in: .newlines)]
                + ["-t", "vitals/v1/gateways/home/control"])
        var isStored = false
        for count in 0..<10 where !isStored {
            guard acknowledgements.line(after: count, within: .seconds(90)) != nil else { break }
            isStored = try RunningProgram.run("vitals-consumer", readings).contains("bpm")
        }
        #expect(isStored)

        let password = machine.folder.path("etc/ada.password")
        let today = try RunningProgram(
            "vitals", ["--port", "\(machine.port)", "--username", "ada", "--password-file", password, "today"],
            environment: ["HOME": machine.folder.path])
        #expect(today.exitStatus() == 0, "\(today.text)")
    }

    @Test("writes settings that the programs read, in place of those that the packages brought")
    func settings() throws {
        let machine = try FreshMachine()
        let run = try machine.setUp(machine.answers)
        for name in ["gateway", "consumer"] {
            let file = machine.folder.path("etc/\(name).json5")
            #expect(run.text.contains("made     \(file)\n"), "\(run.text)")
            let text = try RunningProgram.run("vitals-\(name)", ["settings", "--settings", file])
            #expect(text.contains(machine.folder.path("etc/\(name == "gateway" ? "home" : name).password")))
            let other = name == "gateway" ? "consumer" : "gateway"
            let key = try RunningProgram.run(
                "vitals-\(other)", ["identity", "--settings", machine.folder.path("etc/\(other).json5")])
            #expect(try machine.text("etc/\(name).json5").contains("identity: \"\(key.prefix { $0 != "\n" })\""))
        }
        #expect(try machine.text("etc/consumer.json5").contains(#"people: { "ada": { sensors: ["home/strap"] } }"#))
        #expect(try machine.text("etc/gateway.json5").contains(#"strap: { name: "Vitals HRM" }"#))
        // Nothing is left of what was there for a moment.
        let left = try FileManager.default.contentsOfDirectory(atPath: machine.folder.path("etc"))
        let expected: Set = [
            "ada.password", "consumer.json5", "consumer.password", "gateway.json5", "home.password", "root.key",
            "setup.json",
        ]
        #expect(Set(left) == expected)
    }

    @Test("knows the settings of the packages", arguments: ["gateway", "consumer"])
    func brought(name: String) throws {
        let file = URL(fileURLWithPath: "\(projectFolder)/deploy/debian/settings/\(name).json5")
        let bytes = Array(try Data(contentsOf: file))
        // If this fails, add the new file's SHA-256 to WantedFile.brought; the old ones stay.
        #expect(try !WantedFile.isOperators(bytes))
        #expect(try WantedFile.isOperators(bytes + [10]))
    }

    @Test("sets the broker up as deploy/broker does")
    func broker() throws {
        let machine = try FreshMachine()
        _ = try machine.setUp(machine.answers)
        let other = try TemporaryFolder()
        try RunningProgram.run("\(projectFolder)/deploy/broker", ["--person", "ada", other.path, "\(machine.port)"])
        // What is only for a private broker ends the file: the user that it runs as.
        func lines(_ text: String) -> [String] {
            text.split(separator: "\n").map(String.init)
                .filter { !$0.hasPrefix("#") && $0 != "user \(NSUserName())" }
        }
        let conf = try String(contentsOfFile: other.path("mosquitto.conf"), encoding: .utf8)
            .replacingOccurrences(of: other.path, with: machine.folder.path("mosquitto"))
        #expect(try lines(machine.text("mosquitto/conf.d/vitals.conf")) == lines(conf))
        let rules = try String(contentsOfFile: other.path("vitals.acl"), encoding: .utf8)
        #expect(try lines(machine.text("mosquitto/vitals.acl")) == lines(rules))
    }

    @Test("a file that the operator has changed stays as it is")
    func kept() throws {
        let machine = try FreshMachine()
        let file = machine.folder.path("etc/gateway.json5")
        let mine =
            try machine.text("etc/gateway.json5").replacingOccurrences(
                of: "/var/lib/vitals/gateway", with: machine.folder.path("state/mine")) + "// mine\n"
        try machine.folder.write(mine, to: "etc/gateway.json5")
        let first = try machine.setUp(machine.answers)
        #expect(first.text.contains("kept     \(file): "), "\(first.text)")
        #expect(try machine.text("etc/gateway.json5") == mine)
        // The consumer knows the key that these settings lead to.
        let key = try RunningProgram.run("vitals-gateway", ["identity", "--settings", file]).prefix { $0 != "\n" }
        #expect(try machine.text("etc/consumer.json5").contains(key))

        let rules = try machine.text("mosquitto/vitals.acl") + "topic read mine\n"
        try machine.folder.write(rules, to: "mosquitto/vitals.acl")
        let second = try machine.setUp(["--yes"])
        #expect(second.text.contains("kept     \(machine.folder.path("mosquitto/vitals.acl")): "), "\(second.text)")
        #expect(try machine.text("mosquitto/vitals.acl") == rules)
    }

    @Test("passwords are for their owner alone, are shown nowhere, and one that was lost is made again")
    func passwords() throws {
        let machine = try FreshMachine()
        let first = try machine.setUp(machine.answers + ["--json"])
        var old: [String: String] = [:]
        for user in ["home", "consumer", "ada"] {
            #expect(try machine.folder.mode("etc/\(user).password") == 0o600)
            let password = try machine.text("etc/\(user).password")
            #expect(password.utf8.count == 49 && !first.text.contains(password.dropLast()))
            #expect(try !machine.text("mosquitto/vitals.passwd").contains(password.dropLast()))
            old[user] = password
        }
        #expect(Set(old.values).count == 3)
        #expect(try machine.folder.mode("mosquitto/vitals.passwd") == 0o600)

        // Another of the operator's users stays.
        let lines = try machine.text("mosquitto/vitals.passwd").split(separator: "\n").map(String.init)
        let guest = "guest:$7$101$AA==$AA=="
        try machine.folder.write((lines + [guest]).joined(separator: "\n"), to: "mosquitto/vitals.passwd")
        try FileManager.default.removeItem(atPath: machine.folder.path("etc/home.password"))
        _ = try machine.setUp(["--yes"])
        let new = try machine.text("mosquitto/vitals.passwd").split(separator: "\n").map(String.init)
        #expect(try machine.text("etc/home.password") != old["home"])
        #expect(Set(new).subtracting(lines).count == 2 && new.contains(guest), "\(new)")
        #expect(try machine.text("etc/ada.password") == old["ada"])
        try machine.startBroker()
        let third = try machine.setUp(["--yes"])
        #expect(third.text.contains("run: vitals-consumer"), "\(third.text)")
    }

    @Test("without a terminal and without --yes, it says what to type, and writes nothing")
    func noTerminal() throws {
        let machine = try FreshMachine()
        let before = try machine.files()
        let run = try machine.setUp([])
        #expect(run.status == 64 && run.text.contains("setup --yes --person ada"), "\(run.text)")
        for person in ["home", "Ada", "a b"] {
            #expect(try machine.setUp(["--yes", "--person", person]).status == 64)
        }
        #expect(try machine.files() == before)
    }

    @Test("other answers than those of an earlier run are refused, and change nothing")
    func otherAnswers() throws {
        let machine = try FreshMachine()
        _ = try machine.setUp(machine.answers)
        let before = try machine.files()
        let run = try machine.setUp(["--yes", "--person", "bob"])
        #expect(run.status == 64 && run.text.contains("was set up with other answers"), "\(run.text)")
        #expect(try machine.files() == before)
    }

    @Test("answers that a program does not take are not kept: they can be given again")
    func refusedAnswers() throws {
        let machine = try FreshMachine()
        let refused = try machine.setUp(["--yes", "--person", "ada", "--bus", "nonsense:"])
        #expect(refused.status == 78 && refused.text.contains("bluetooth.bus"), "\(refused.text)")
        #expect(refused.text.contains("gateway.json5:") && !refused.text.contains("install the package"))
        let run = try machine.setUp(machine.answers)
        #expect(run.text.contains("setup.json") && !run.text.contains("other answers"), "\(run.text)")
        // The broker does not run, so this run has not come to its end.
        #expect(try !machine.text("etc/setup.json").contains("finished"))
    }

    @Test("asks at a terminal: Enter accepts the default, and what cannot be a name is asked again")
    func terminal() throws {
        let machine = try FreshMachine()
        let typist = """
            import os, pty, sys
            pid, fd = pty.fork()
            if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
            shown, lines = b"", [b"Ada L.\\n", b"\\n", b"Polar \\"H10\\"\\n"]
            while True:
                try: new = os.read(fd, 4096)
                except OSError: break
                shown += new
                if lines and new.endswith(b"]: "): os.write(fd, lines.pop(0))
            sys.stdout.write(shown.decode())
            os.waitpid(pid, 0)
            """
        let program = try RunningProgram(
            "python3", ["-c", typist, RunningProgram.path(of: "vitals")] + machine.words,
            environment: ["HOME": machine.folder.path, "SUDO_USER": "grace"])
        #expect(program.exitStatus(within: .seconds(120)) == 0)
        let text = program.text
        #expect(text.contains("such as ada [grace]: ") && text.contains("is not a name here"), "\(text)")
        #expect(try machine.text("etc/consumer.json5").contains(#""grace": { sensors"#))
        #expect(try machine.text("etc/gateway.json5").contains(#"strap: { name: "Polar \"H10\"" }"#))
    }

    @Test("a broker that has settings already, one that has not read the new ones, and a gateway of an account's")
    func foreign() throws {
        let machine = try FreshMachine()
        let before = try machine.files()
        try machine.folder.write("# mine\nlistener \(machine.port)\n", to: "mosquitto/conf.d/mine.conf")
        let taken = try machine.setUp(machine.answers)
        #expect(taken.status == 78 && taken.text.contains("mine.conf says \"listener"), "\(taken.text)")
        try FileManager.default.removeItem(atPath: machine.folder.path("mosquitto/conf.d/mine.conf"))
        #expect(try machine.files() == before)

        // As Debian's broker is before it is restarted: everybody may connect.
        _ = try machine.setUp(machine.answers)
        let old = try machine.folder.write(
            "user \(NSUserName())\nlistener \(machine.port) 127.0.0.1\nallow_anonymous true\n", to: "old.conf")
        try machine.start("mosquitto", ["-v", "-c", old], until: " running")
        let open = try machine.setUp(["--yes"])
        #expect(open.status == 69 && open.text.contains("lets in a name that nobody has"), "\(open.text)")

        try machine.folder.write("{}", to: "state/gateway/enrolment.json")
        let enrolled = try machine.setUp(["--yes"])
        #expect(enrolled.status == 78 && enrolled.text.contains("was enrolled by somebody"), "\(enrolled.text)")
    }
}
