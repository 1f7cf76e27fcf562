import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A home without accounts", .timeLimit(.minutes(60)))
struct UpTests {
    @Test("its one person asks for days, goals and readings with nothing else to say, as long as deploy/up runs")
    func demo() throws {
        let up = try Up()
        for words in [
            ["today"], ["goals"], ["week"], ["goals", "set", "--steps", "9000"], ["status"], ["read", "steps"],
        ] {
            let outcome = try up.vitals(words)
            #expect(outcome.status == 0 && outcome.errors == "", "\(words): \(outcome)")
        }
        #expect(try up.vitals(["goals"]).output.contains("9,000"))
        // By name, with its own password, and only with that.
        let password = up.home.path("a home/broker/demo.password")
        let named = ["--username", "demo", "--password-file", password]
        #expect(try up.vitals(named + ["today"]).status == 0)
        #expect(try up.vitals(["--username", "demo", "today"]).status == 77)
        #expect(try up.vitals(["--anonymous", "today"]).status == 77)
        // Nobody else's: neither another person's, nor with a program's name.
        let consumer = ["--username", "home", "--password-file", up.home.path("a home/broker/home.password")]
        let program = try up.vitals(consumer + ["today"])
        #expect(program.status == 77 && program.errors.contains("does not let the user home ask"), "\(program)")

        // Folders have spaces: what is printed can be pasted.
        #expect(up.said.contains(#"a\ home/consumer.json5"#))
        #expect(up.credential("json") == "{\"user\":\"demo\",\"device\":\"demo\"}\n")
        #expect(up.interrupt() == 130)
        #expect(up.credential("json") == nil && up.credential("password") == nil)

        // The next start draws another password.
        let old = try String(contentsOfFile: password, encoding: .utf8)
        let again = try Up(home: up.home)
        #expect(try again.vitals(["today"]).status == 0)
        #expect(again.credential("password") != old)
    }

    @Test("chooses another port where a program has taken the one that it has chosen before the broker could")
    func taken() throws {
        let folder = try TemporaryFolder()
        let (tests, first) = (
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"), folder.path("first")
        )
        // The broker, but that once somebody else is faster, and goes when it has ended.
        let listener = "import socket, sys, time; s = socket.create_server((\"127.0.0.1\", int(sys.argv[1]))); "
            + "open(sys.argv[2], \"w\"); time.sleep(600)"
        try folder.writeProgram(
            """
            #!/bin/sh
            PATH=/usr/sbin:/usr/bin:/bin
            if [ ! -e '\(first)' ]; then
                port=$(sed -n 's/^listener \\([0-9]*\\).*/\\1/p' "$2")
                setpriv --pdeathsig KILL python3 -c '\(listener)' "$port" '\(first)' &
                while [ ! -e '\(first)' ]; do sleep 0.05; done
            fi
            exec mosquitto "$@"
            """, to: "mosquitto")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let up = try RunningProgram(
            "\(projectFolder)/deploy/up", ["--state", folder.path("home"), "--speed", "60"],
            environment: [
                "VITALS_PROGRAMS": URL(fileURLWithPath: tests).deletingLastPathComponent().path, "HOME": folder.path,
                "XDG_CONFIG_HOME": "", "PATH": "\(folder.path):\(path)",
            ])
        defer { up.end() }
        #expect(up.line(containing: "strap is online", within: .seconds(60)) != nil, "\(up.text)")
        #expect(up.text.contains("choosing another one"))
    }

    @Test("says that it has no accounts, whatever command needs one, and says how to continue")
    func noAccounts() throws {
        let up = try Up()
        let password = up.home.path("password")
        try up.home.write("Lovelace-1815!\n", to: "password")
        for words in [
            ["--anonymous", "sign-up", "ada@example.org", "--password-file", password],
            ["--anonymous", "sign-in", "ada@example.org", "--password-file", password],
            ["--anonymous", "password", "reset", "ada@example.org"],
            ["account"], ["devices"], ["gateways"], ["claims"], ["enrol", "--show"],
            ["friends", "invite", "ada@example.org"],
        ] {
            let outcome = try up.vitals(words)
            #expect(outcome.status == 69, "\(words): \(outcome)")
            #expect(outcome.errors.contains("this home has no accounts"), "\(words): \(outcome)")
        }
        #expect(try !up.vitals(["account"]).errors.contains("of the same version"))
        let unnamed = try up.vitals(["--gateway", "The Attic", "status"])
        #expect(unnamed.status == 67 && unnamed.errors.contains("you have no gateway The Attic"), "\(unnamed)")
        let guest = try up.vitals(["--anonymous", "today"])
        #expect(guest.status == 77 && guest.errors.contains("--username NAME --password-file FILE"), "\(guest)")
    }

    @Test("puts a sign-in at the same port aside, and brings it back")
    func aside() throws {
        let home = try TemporaryFolder()
        func run(_ script: String) throws {
            let environment = ["HOME": home.path, "XDG_CONFIG_HOME": "", "state": home.path]
            let bash = try RunningProgram("/bin/bash", ["-c", script], environment: environment)
            #expect(bash.exitStatus() == 0, "\(bash.text)")
        }
        // The functions of deploy/up, with everything around them left out.
        let functions = try String(contentsOfFile: "\(projectFolder)/deploy/up", encoding: .utf8)
            .components(separatedBy: "sign_in=''\n")[1].components(separatedBy: "trap stop EXIT")[0]
        let folder = ".config/vitals/accounts"
        try FileManager.default.createDirectory(atPath: home.path(folder), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: home.path("broker"), withIntermediateDirectories: true)
        try home.write("of demo\n", to: "broker/demo.password")
        try home.write("ada", to: "\(folder)/127.0.0.1:1.json")
        try home.write("of ada", to: "\(folder)/127.0.0.1:1.password")
        let kept = { (name: String) in
            try String(contentsOfFile: home.path("\(folder)/127.0.0.1:1.\(name)"), encoding: .utf8)
        }
        try run("set -euo pipefail; port=1; \(functions) keep_sign_in; keep_sign_in")
        #expect(try kept("password") == "of demo\n")
        try run("set -euo pipefail; port=1; \(functions) keep_sign_in; leave_sign_in; leave_sign_in")
        #expect(try kept("json") == "ada")
        #expect(try kept("password") == "of ada")
    }
}
