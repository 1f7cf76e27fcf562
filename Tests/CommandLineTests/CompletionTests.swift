import Daemon
import Foundation
import TestSupport
import Testing

@testable import vitals

@Suite("vitals completion")
struct CompletionTests {
    /// What a real bash offers, in order, where the cursor is in the last of the words; `FILE` where it turns to files.
    private func completions(_ lines: [[String]]) throws -> [[String]] {
        let folder = try TemporaryFolder()
        let script = try folder.write(Commands.vitals.bashCompletion, to: "vitals.bash")
        // In place of the builtin, which works at bash's prompt only.
        var program = "source \(script); compopt() { [[ $* == '-o default' ]] && echo FILE; }\n"
        for words in lines {
            let quoted = words.map { "'\($0)'" }.joined(separator: " ")
            program += """
                COMP_WORDS=(vitals \(quoted)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _vitals
                printf '%s\\n' "${COMPREPLY[@]}" END

                """
        }
        // Nothing of it may depend on a variable that is not set, nor on the options of whose shell it is.
        let output = try RunningProgram.run("bash", ["-uec", program + "complete -p vitals"])
        #expect(output.hasSuffix("END\ncomplete -F _vitals vitals\n"), "\(output)")
        let answers = output.components(separatedBy: "END\n").dropLast()
        return answers.map { $0.split(separator: "\n").map(String.init).sorted() }
    }

    @Test(
        "offers what may follow",
        arguments: [
            ("hea", "heart-rate"), ("heart-rate v", "variability"), ("--json --port 1884 goals ", "set share"),
            ("week --of t", "temperature"), ("week --of = st", "steps"),
            ("goals share --of =", "distance energy steps"),
            ("--protocol ", "mqtt3.1.1 mqtt5"), ("week --protocol mqtt3", "mqtt3.1.1"), ("cheer grace ", "down up"),
            ("cheer ", ""), ("cheer grace up ", ""), ("completion ", "bash"), ("profile set --voice ", "off on"),
            ("heart-rate --from -2h --po", "--points --port"), ("heart-rate delete --po", "--port"),
            ("notifications --f", "--follow"), ("watch -- --c", ""), ("--ver", "--version"), ("week --ver", ""),
            ("picture set my", "FILE"), ("--settings m", "FILE"), ("goals share --svg = m", "FILE"),
            ("wach hea", "heart-rate"),
        ])
    func offers(line: String, expected: String) throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        #expect(try completions([words]) == [expected.split(separator: " ").map(String.init).sorted()])
    }

    @Test("offers every command and every option that is declared")
    func everything() throws {
        var lines: [[String]] = []
        var expected: [[String]] = []
        func declare(_ command: Command, _ path: [String], _ inherited: [String]) {
            let options = inherited + command.options.map { "--\($0.name)" }
            lines += [path + ["--"]]
            let special = path.isEmpty ? ["--help", "--version"] : ["--help"]
            expected.append((options + command.optionsAlone.map { "--\($0.name)" } + special).sorted())
            if !command.subcommands.isEmpty {
                lines.append(path + [""])
                expected.append(command.subcommands.map(\.name).sorted())
            }
            for subcommand in command.subcommands { declare(subcommand, path + [subcommand.name], options) }
        }
        declare(Commands.vitals, [], [])
        #expect(lines.count > 60)
        #expect(try completions(lines) == expected)
    }

    @Test("is printed, without a broker and whatever the settings are")
    func printed() throws {
        let outcome = try Program.run("--settings", "/nowhere", "completion", "bash")
        #expect(outcome.output == Commands.vitals.bashCompletion && outcome.errors == "" && outcome.status == 0)
        #expect(try Program.run("completion", "zsh").status == 64)
    }
}
