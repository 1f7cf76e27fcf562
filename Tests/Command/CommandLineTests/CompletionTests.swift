import Daemon
import Foundation
import Telemetry
import TestSupport
import Testing

@testable import vitals

@Suite("vitals completion")
struct CompletionTests {
    /// What a real bash offers, in order, where the cursor is in the last of the words; `FILE` where it turns to files.
    private func completions(_ lines: [[String]], environment: [String: String] = [:]) throws -> [[String]] {
        let folder = try TemporaryFolder()
        let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let tests = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let script = try folder.write(Commands.vitals.completion(for: .bash), to: "vitals.bash")
        // In place of the builtin, which works at bash's prompt only.
        var program = "source \(script); compopt() { [[ $* == '-o default' ]] && echo FILE; }\n"
        for words in lines {
            let quoted = words.map { "'\($0)'" }.joined(separator: " ")
            program += """
                COMP_WORDS=('\(tests)/vitals' \(quoted)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _vitals
                printf '%s\\n' "${COMPREPLY[@]}" END

                """
        }
        // Nothing of it may depend on a variable that is not set, nor on the options of whose shell it is.
        let variables = environment.map { "export \($0)='\($1)'; " }.joined()
        let output = try RunningProgram.run("bash", ["-uec", variables + program + "complete -p vitals"])
        #expect(output.hasSuffix("END\ncomplete -F _vitals vitals\n"), "\(output)")
        let answers = output.components(separatedBy: "END\n").dropLast()
        return answers.map { $0.split(separator: "\n").map(String.init).sorted() }
    }

    @Test(
        "offers what may follow",
        arguments: [
            ("hea", "heart-rate"), ("heart-rate v", "variability"), ("--json --port 1884 goals ", "calendar reached set share"),
            ("week --of t", "temperature"), ("week --of = st", "steps"),
            ("goals share --of =", "distance energy steps"),
            ("--protocol ", "mqtt3.1.1 mqtt5"), ("week --protocol mqtt3", "mqtt3.1.1"), ("cheer grace ", "down up"),
            ("cheer ", ""), ("cheer grace up ", ""), ("completion b", "bash blocked"),
            ("profile set --voice ", "off on"),
            ("heart-rate --from -2h --po", "--points --port"), ("heart-rate delete --po", "--port"),
            ("notifications --f", "--follow"), ("watch -- --c", ""), ("--ver", "--version"), ("week --ver", ""),
            ("picture set my", "FILE"), ("--settings m", "FILE"), ("goals share --svg = m", "FILE"),
            ("wach hea", "heart-rate"),
        ])
    func offers(line: String, expected: String) throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        #expect(try completions([words]) == [expected.split(separator: " ").map(String.init).sorted()])
    }

    @Test("offers the same in zsh and in fish", arguments: [CompletionShell.zsh, .fish])
    func otherShells(shell: CompletionShell) throws {
        let lines = [
            ("hea", "heart-rate"), ("heart-rate v", "variability"), ("--json --port 1884 goals ", "calendar reached set share"),
            ("week --of t", "temperature"), ("week --of=st", "steps"), ("goals share --of=", "distance energy steps"),
            ("--protocol ", "mqtt3.1.1 mqtt5"), ("week --protocol=mqtt3", "mqtt3.1.1"), ("cheer grace ", "down up"),
            ("cheer grace up ", ""), ("completion b", "bash blocked"), ("heart-rate delete --po", "--port"),
            ("heart-rate --from -2h --po", "--points --port"), ("watch -- --c", ""), ("--man", "--manual"),
            ("week --man", ""),
            ("picture set my", "FILE"), ("--settings m", "FILE"), ("goals share --svg=m", "FILE"),
            ("wach hea", "heart-rate"), ("week --json=", ""),
        ]
        let expected = lines.map { $0.1.split(separator: " ").map(String.init).sorted() }
        #expect(try OtherShell(shell).completions(lines.map(\.0)) == expected)
    }

    @Test("offers every command and every option that is declared", arguments: CompletionShell.allCases)
    func everything(shell: CompletionShell) throws {
        var lines: [[String]] = []
        var expected: [[String]] = []
        func declare(_ command: Command, _ path: [String], _ inherited: [String]) {
            let options = inherited + command.options.map { "--\($0.name)" }
            lines += [path + ["--"]]
            let special = path.isEmpty ? ["--help", "--manual", "--version"] : ["--help"]
            expected.append((options + command.optionsAlone.map { "--\($0.name)" } + special).sorted())
            if !command.subcommands.isEmpty {
                lines.append(path + [""])
                expected.append(command.subcommands.map(\.name).sorted())
            }
            for subcommand in command.subcommands { declare(subcommand, path + [subcommand.name], options) }
        }
        declare(Commands.vitals, [], [])
        #expect(lines.count > 60)
        guard shell != .bash else {
            #expect(try completions(lines) == expected)
            return
        }
        #expect(try OtherShell(shell).completions(lines.map { $0.joined(separator: " ") }) == expected)
    }

    @Test("offers sensors and gateways that the broker knows, with the options that the line has so far")
    func household() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            try gateway.appear("cabin")
            let port = "\(broker.port)"
            #expect(try completions([["--port", port, "watch", ""]]) == [["strap"]])
            #expect(try completions([["--port", "=", port, "read", "steps", "s"]]) == [["strap"]])
            #expect(try completions([["--port", port, "status", "--gateway", ""]]) == [["cabin", "home"]])
            #expect(try completions([["claim", "--port", port, "ca"]]) == [["cabin/strap"]])
            #expect(try completions([["watch", "--port", port, "--json", "--count", "5", "x"]]) == [[]])
            let variables = ["VITALS_PORT": port]
            #expect(try completions([["forget", ""]], environment: variables) == [["strap"]])
            for shell in [CompletionShell.zsh, .fish] {
                let lines = ["--port \(port) watch ", "--port=\(port) status --gateway ", "claim --port \(port) ca"]
                let expected = [["strap"], ["cabin", "home"], ["cabin/strap"]]
                #expect(try OtherShell(shell).completions(lines) == expected)
            }
        }
        // Nobody waits for long if there is no broker.
        let begun = ContinuousClock.now
        #expect(try completions([["--host", "192.0.2.1", "watch", ""]]) == [[]])
        #expect(ContinuousClock.now - begun < .seconds(15))
    }

    @Test("offers friends, devices and sensors of one's own, and nothing that a shell could take for more than a word")
    func own() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        func friend(_ id: String, _ name: String, _ state: String) -> JSON {
            ["friend": .string(id), "name": .string(name), "state": .string(state)]
        }
        consumer.answer(
            "friends/list",
            [
                "friends": [
                    friend("g1", "Grace Hopper", "friend"), friend("b1", "$(touch owned);`id`", "friend"),
                    friend("c1", "--yes", "friend"), friend("d1", "a\u{1B}[31m\nb", "friend"),
                    friend("a1", "Anne", "asked"), friend("x1", "Xerxes", "blocked"),
                ]
            ])
        consumer.answer("devices/list", ["devices": [["device": "phone"], ["device": "tablet"]]])
        consumer.answer("gateways/list", ["gateways": [["gateway": "attic"]]])
        consumer.answer("sensors/list", ["sensors": [["gateway": "attic", "sensor": "strap"]]])
        let (port, home) = ("\(consumer.broker.port)", ["HOME": consumer.home.path])
        func offered(_ words: String...) throws -> [String] {
            try completions([["--port", port] + words], environment: home)[0]
        }
        #expect(try offered("cheer", "gr") == ["Grace\\ Hopper"])
        #expect(try offered("cheer", "Grace\\ H") == ["Grace\\ Hopper"])
        #expect(try offered("cheer", "\"Gr") == ["Grace Hopper"])
        #expect(try offered("cheer", "") == [#"\$\(touch\ owned\)\;\`id\`"#, "Grace\\ Hopper", "c1", "d1"].sorted())
        #expect(try offered("friends", "accept", "") == ["Anne"])
        #expect(try offered("friends", "unblock", "") == ["Xerxes"])
        #expect(try offered("devices", "revoke", "") == ["phone", "tablet"])
        #expect(try offered("gateways", "rename", "") == ["attic"])
        #expect(try offered("release", "") == ["attic/strap"])
        for shell in [CompletionShell.zsh, .fish] {
            let names = try OtherShell(shell).completions(["--port \(port) cheer "], environment: home)
            #expect(names == [["$(touch owned);`id`", "Grace Hopper", "c1", "d1"].sorted()])
        }
        #expect(!FileManager.default.fileExists(atPath: "owned"))
    }

    @Test("asks for nothing that the program does not list")
    func everythingOffered() {
        func offers(_ command: Command) -> [String] {
            (command.options + command.optionsAlone).compactMap(\.offers) + command.arguments.compactMap(\.offers)
                + command.subcommands.flatMap(offers)
        }
        let asked = Set(offers(Commands.vitals))
        #expect(asked == Set(Offers.allCases.map(\.rawValue)))
    }

    @Test("is printed, without a broker and whatever the settings are")
    func printed() throws {
        let outcome = try Program.run("--settings", "/nowhere", "completion", "bash")
        #expect(outcome.output == Commands.vitals.completion(for: .bash) && outcome.errors == "" && outcome.status == 0)
        #expect(try Program.run("completion", "zsh").output == Commands.vitals.completion(for: .zsh))
        #expect(try Program.run("completion", "fish").output == Commands.vitals.completion(for: .fish))
        #expect(try Program.run("completion", "csh").status == 64)
    }
}
