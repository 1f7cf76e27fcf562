import Foundation
import TestSupport
import Testing

@testable import Daemon

private enum Kind: String, CaseIterable {
    case steps, temperature
}

private let program = Command(
    name: "vitals", summary: "Shows what the sensors of a household say.",
    discussion: """
        It asks the gateway over MQTT, so the broker must be reachable; it needs no settings of its own, and no rights \
        beyond those of the household.

        Times are UTC.
        """,
    options: [
        .value("broker", short: "b", "HOST", "the broker's name or address", default: "localhost"),
        .value("port", "PORT", "the broker's port", default: "1883"),
        .flag("json", "prints one JSON object a line, for programs"),
    ],
    examples: [Example("vitals watch", "shows heart rates as they come"), Example("vitals read steps strap")],
    subcommands: [
        Command(name: "watch", summary: "Shows readings as they come.", arguments: [.repeated("SENSOR", "only these")]),
        Command(
            name: "read", summary: "Asks a sensor for a reading.",
            subcommands: [
                Command(
                    name: "steps", summary: "Asks a sensor for its step count.",
                    options: [
                        .value(
                            "within", short: "w", "TIME",
                            "how long to wait for the answer, such as 5s or 2min, before giving up with exit code 75",
                            default: "10s"),
                        .value("tag", "TAG", "a tag", isRepeated: true),
                        .value("scale-of-the-instrument", "A-LONG-NAME", "an option with a long name"),
                        .value("scale", "NUMBER", "a factor"), .value("kind", "KIND", "what"),
                    ],
                    arguments: [.required("SENSOR", "the sensor's id"), .optional("NOTE", "a note")])
            ]),
    ])

@Suite("Command line")
struct CommandTests {
    private func parse(_ line: String) throws -> Arguments {
        let words = line.split(separator: " ").map(String.init)
        guard case .run(let arguments) = try program.parse(words) else {
            throw Failure(.internalError, "not a command to run")
        }
        return arguments
    }

    @Test("finds subcommands, options before and after them, and positional arguments")
    func parsesAll() throws {
        let arguments = try parse(
            "--port 1884 read -b pi --json steps --within=5s strap --tag a --tag b --scale -1.5 -- --note")
        #expect(arguments.command == ["read", "steps"])
        #expect(try arguments.string("SENSOR") == "strap" && arguments.optionalString("NOTE") == "--note")
        #expect(try arguments.string("broker") == "pi" && arguments.flag("json"))
        #expect(try arguments.integer("port", in: 1...65535) == 1884)
        #expect(try arguments.duration("within", in: .zero ... .seconds(60)) == .seconds(5))
        #expect(try arguments.strings("tag") == ["a", "b"])
        #expect(try arguments.double("scale", in: -2...2) == -1.5)
        // No option begins with a digit.
        let ago = try parse("read steps -2h --broker -5m")
        #expect(try ago.string("SENSOR") == "-2h" && ago.string("broker") == "-5m")
    }

    @Test("gives defaults, and nil for what was not given")
    func defaults() throws {
        let arguments = try parse("read steps strap")
        #expect(try arguments.string("broker") == "localhost" && !arguments.flag("json"))
        #expect(try arguments.optionalInteger("port", in: 1...65535) == 1883)
        #expect(try arguments.optionalString("NOTE") == nil && arguments.strings("tag").isEmpty)
        #expect(try arguments.optionalDouble("scale", in: 0...1) == nil)
        #expect(try arguments.optionalChoice("kind", of: Kind.self) == nil)
        #expect(try parse("watch").strings("SENSOR").isEmpty)
        #expect(try parse("watch a b").strings("SENSOR") == ["a", "b"])
        #expect(try parse("read steps strap --kind steps").choice("kind", of: Kind.self) == .steps)
        #expect(
            try parse("read steps strap --within 1.5").duration("within", in: .zero ... .seconds(60))
                == .milliseconds(1500))
        #expect(try parse("read steps strap").id("SENSOR") == "strap")
    }

    @Test(
        "says what is wrong with a command line",
        arguments: [
            ("--json", "which command? There are watch, read\nsee vitals --help"),
            ("help wach", "unknown command \"wach\"; did you mean watch?\nsee vitals --help"),
            ("help read stps", "unknown command \"stps\"; did you mean steps?\nsee vitals read --help"),
            ("help watch strap", "unexpected \"strap\"\nsee vitals watch --help"),
            ("read help", "unknown command \"help\"; the commands are steps\nsee vitals read --help"),
            ("wach", "unknown command \"wach\"; did you mean watch?\nsee vitals --help"),
            ("frobnicate", "unknown command \"frobnicate\"; the commands are watch, read\nsee vitals --help"),
            ("read", "which command? There is steps\nsee vitals read --help"),
            ("read stps", "unknown command \"stps\"; did you mean steps?\nsee vitals read --help"),
            ("--prot 1 watch", "unknown option \"--prot\"; did you mean --port?\nsee vitals --help"),
            ("--verzion", "unknown option \"--verzion\"; did you mean --version?\nsee vitals --help"),
            ("watch --manual", "unknown option \"--manual\"\nsee vitals watch --help"),
            ("--completion", "--completion needs a shell: bash, zsh or fish\nsee vitals --help"),
            ("--completion=csh", "--completion needs a shell: bash, zsh or fish\nsee vitals --help"),
            ("watch --colour=red", "unknown option \"--colour\"\nsee vitals watch --help"),
            ("watch -x", "unknown option \"-x\"\nsee vitals watch --help"),
            ("watch --port", "--port needs a value: --port PORT\nsee vitals watch --help"),
            ("watch --port --json", "--port needs a value: --port PORT\nsee vitals watch --help"),
            ("watch --json=yes", "--json takes no value\nsee vitals watch --help"),
            ("watch --port 1 --port 2", "--port is given twice\nsee vitals watch --help"),
            ("read steps", "SENSOR is missing: the sensor's id\nsee vitals read steps --help"),
            ("read steps a b c", "unexpected \"c\"\nsee vitals read steps --help"),
            ("watch \u{1b}[2J --\u{1b}x", "unknown option \"--\\u{1b}x\"\nsee vitals watch --help"),
        ])
    func errors(line: String, message: String) {
        let error = thrown(UsageError.self) { try parse(line) }
        #expect(error?.description == message)
        #expect(error?.exitCode == .usage)
    }

    @Test("says what is wrong with a value")
    func valueErrors() throws {
        let arguments = try parse("read steps My-Strap --port 1.5 --scale x --within soon --kind pulse")
        let errors = [
            thrown(UsageError.self) { try arguments.integer("port", in: 1...65535) },
            thrown(UsageError.self) { try arguments.double("scale", in: 0...1) },
            thrown(UsageError.self) { try arguments.duration("within", in: .zero ... .seconds(60)) },
            thrown(UsageError.self) { try arguments.choice("kind", of: Kind.self) },
            thrown(UsageError.self) { try arguments.id("SENSOR") },
            thrown(UsageError.self) { try arguments.string("NOTE") },
        ]
        #expect(
            errors.map { $0?.problem } == [
                "--port: expected an integer from 1 to 65535, found \"1.5\"",
                "--scale: expected a number from 0 to 1, found \"x\"",
                "--within: expected a duration from 0 s to 1 min, found \"soon\"",
                "--kind: expected one of \"steps\", \"temperature\", found \"pulse\"",
                "SENSOR: expected an id (1 to 36 characters from a-z, 0-9 and -), found \"My-Strap\"",
                "NOTE is missing",
            ])
    }

    @Test("gives nothing that was not declared, and no flag as a value")
    func undeclared() throws {
        let arguments = try parse("watch")
        for ask in [
            { try arguments.optionalString("prot") }, { try arguments.flag("prot") ? "" : nil },
            { try arguments.optionalString("json") }, { try arguments.flag("port") ? "" : nil },
        ] as [() throws -> String?] {
            let error = thrown(UsageError.self) { try ask() }
            #expect(error?.problem.contains("this is a bug in vitals") == true)
        }
    }

    @Test(
        "shows the help of every command",
        arguments: [
            (["--help"], Golden.program), (["-h", "watch"], Golden.program), (["watch", "-h"], Golden.watch),
            ([], Golden.program), (["help"], Golden.program), (["help", "watch"], Golden.watch),
            (["help", "read", "steps"], Golden.steps),
            (["read", "--help"], Golden.read), (["read", "steps", "--broker", "pi", "--help"], Golden.steps),
        ])
    func help(words: [String], golden: String) throws {
        guard case .help(let text) = try program.parse(words) else {
            Issue.record("no help")
            return
        }
        #expect(text == golden)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test("runs a program: its output, its errors and its exit code")
    func runs() throws {
        func result(_ line: String, _ main: (Arguments) throws -> ExitCode = { _ in .ok }) throws -> [String] {
            let output = Pipe()
            let errors = Pipe()
            let code = outcome(
                of: program, line.split(separator: " ").map(String.init),
                output: output.fileHandleForWriting.fileDescriptor, errors: errors.fileHandleForWriting.fileDescriptor,
                main: main)
            try output.fileHandleForWriting.close()
            try errors.fileHandleForWriting.close()
            return [
                "\(code)", String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
                String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
            ]
        }
        struct Odd: Error {}
        #expect(try result("--version") == ["ok", "vitals 0.1.0\n", ""])
        #expect(try result("watch --help") == ["ok", Golden.watch, ""])
        #expect(try result("watch") == ["ok", "", ""])
        #expect(try result("watch") { _ in .temporary } == ["temporary", "", ""])
        #expect(
            try result("wach")
                == ["usage", "", "vitals: unknown command \"wach\"; did you mean watch?\nsee vitals --help\n"])
        #expect(
            try result("watch") { _ in throw Failure(.unavailable, "no \u{7}broker", hint: "is mosquitto running?") }
                == ["unavailable", "", "vitals: no \\u{7}broker\nis mosquitto running?\n"])
        #expect(try result("watch") { _ in throw Odd() } == ["internalError", "", "vitals: Odd()\n"])
    }

    @Test("makes a manual page that roff reads without a warning, with every command and option and nothing else")
    func manual() throws {
        guard case .help(let text) = try program.parse(["--manual"]) else {
            Issue.record("no manual")
            return
        }
        let folder = try TemporaryFolder()
        let page = try folder.write(text, to: "vitals.1")
        #expect(try RunningProgram.run("groff", ["-man", "-Tutf8", "-ww", "-z", "-K", "utf8", page]) == "")
        let shown = try RunningProgram.run("groff", ["-man", "-Tascii", "-P-cbou", "-K", "utf8", page])
        for words in ["NAME", "read steps [OPTIONS] SENSOR", "--scale", "EXIT STATUS", "--completion SHELL"] {
            #expect(shown.contains(words), "\(words)")
        }
        #expect(program.completion(for: .bash).contains("made by `vitals --completion bash`"))
    }

    @Test("tells programs of errors as one object on one line, whatever kind of error it is")
    func errorsAsJSON() throws {
        func errors(_ line: String, _ main: (Arguments) throws -> ExitCode = { _ in .ok }) throws -> String {
            let (output, errors) = (Pipe(), Pipe())
            let code = outcome(
                of: program, line.split(separator: " ").map(String.init),
                output: output.fileHandleForWriting.fileDescriptor, errors: errors.fileHandleForWriting.fileDescriptor,
                main: main)
            try errors.fileHandleForWriting.close()
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(text.contains("\"exit_code\":\(code.rawValue),"))
            return text
        }
        #expect(
            try errors("wach --json") == """
                {"code":"usage","exit_code":64,"hint":"see vitals --help",\
                "message":"unknown command \\"wach\\"; did you mean watch?"}

                """)
        #expect(
            try errors("--json watch") { _ in
                throw Failure(
                    .internalError, "no \u{7}\nsuch", hint: "try", code: "wrong-credentials", field: "password")
            } == """
                {"code":"wrong-credentials","exit_code":70,"field":"password","hint":"try","message":"no \\u0007\\nsuch"}

                """)
        #expect(
            try errors("watch --json") { _ in throw Failure(.unavailable, "no broker") } == """
                {"code":"unavailable","exit_code":69,"message":"no broker"}

                """)
    }

    @Test("takes from the environment what the command line leaves out, and says so")
    func environment() throws {
        let program = Command(
            name: "vitals", summary: "Watches.",
            options: [
                .value("host", "HOST", "the broker", variable: "VITALS_HOST"),
                .value("port", "PORT", "its port", default: "1883", variable: "VITALS_PORT"),
            ])
        let variables = ["VITALS_HOST": "pi", "VITALS_PORT": "many"]
        func parse(_ words: [String]) throws -> Arguments {
            guard case .run(let arguments) = try program.parse(words, environment: { variables[$0] }) else {
                throw Failure(.internalError, "not a command to run")
            }
            return arguments
        }
        #expect(try parse([]).string("host") == "pi")
        #expect(try parse(["--host", "cloud"]).string("host") == "cloud")
        let wrong = thrown(UsageError.self) { try parse([]).integer("port", in: 1...65535) }
        #expect(wrong?.problem == "VITALS_PORT: expected an integer from 1 to 65535, found \"many\"")
        #expect(try parse(["--port", "1"]).integer("port", in: 1...65535) == 1)
        guard case .help(let text) = try program.parse(["--help"]) else { throw Failure(.internalError, "no help") }
        #expect(text.contains("--host HOST         the broker (in the environment: VITALS_HOST)"), "\(text)")
        #expect(text.contains("its port (default: 1883; in the environment: VITALS_PORT)"), "\(text)")
    }

    @Test("lists the options of the program once if they are many, and commands in groups")
    func once() throws {
        let options = (1...4).map { Option.flag("o\($0)", "the option \($0)") }
        let program = Command(
            name: "vitals", summary: "Watches.", options: options,
            subcommands: [
                Command(name: "watch", summary: "One.", options: [.flag("own", "its own")]).grouped("Live"),
                Command(name: "days", summary: "Two.").grouped("Your days"),
            ])
        guard case .help(let all) = try program.parse(["-h"]), case .help(let one) = try program.parse(["watch", "-h"])
        else { throw Failure(.internalError, "no help") }
        #expect(
            all.contains("\n\nLive:\n  watch  One.\n\nYour days:\n  days   Two.\n\n") && all.contains("--o4"), "\(all)")
        #expect(one.contains("--own") && !one.contains("--o4"), "\(one)")
        #expect(one.contains("\n\nEvery command also takes the options of vitals: vitals --help\n"), "\(one)")
    }

    @Test(
        "has the exit codes of sysexits.h",
        arguments: [
            (ExitCode.usage, EX_USAGE), (.data, EX_DATAERR), (.noInput, EX_NOINPUT), (.notFound, EX_NOUSER),
            (.unavailable, EX_UNAVAILABLE), (.internalError, EX_SOFTWARE), (.inputOutput, EX_IOERR),
            (.temporary, EX_TEMPFAIL), (.protocolError, EX_PROTOCOL), (.refused, EX_NOPERM),
            (.configuration, EX_CONFIG),
        ])
    func codes(code: ExitCode, number: Int32) { #expect(code.rawValue == number) }

    @Test("gives each exit code one meaning of its own, and no other number")
    func meanings() {
        #expect(Set(ExitCode.allCases.map(\.meaning)).count == ExitCode.allCases.count)
        #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 64, 65, 66, 67, 69, 70, 74, 75, 76, 77, 78])
    }
}
