import Daemon
import Foundation
import TestSupport

@testable import vitals

/// A real zsh or fish, and what its completion offers; `FILE` where it turns to files.
struct OtherShell {
    private let shell: CompletionShell

    init(_ shell: CompletionShell) { self.shell = shell }

    /// For each line, which is typed after the program's name, with the cursor at its end.
    func completions(_ lines: [String], environment: [String: String] = [:]) throws -> [[String]] {
        let folder = try TemporaryFolder()
        let program = try RunningProgram.path(of: "vitals")
        let script = try folder.write(Commands.vitals.completion(for: shell), to: "script")
        let text = (shell == .zsh ? zsh : fish)(script, program, lines, environment)
        let (name, options) = shell == .zsh ? ("zsh", ["-fu"]) : ("fish", ["--no-config"])
        let output = try RunningProgram.run(name, options + [try folder.write(text, to: "lines")])
        let answers = output.components(separatedBy: "END\n").dropLast()
        return zip(lines, answers).map { line, answer in
            let current = line.split(separator: " ", omittingEmptySubsequences: false).last.map(String.init) ?? ""
            return answer.split(separator: "\n").compactMap { offered(String($0), current) }.sorted()
        }
    }

    /// What a line of the shell's answer offers for a word that begins with `current`: without a description, and
    /// without the option of `--option=value`.
    private func offered(_ line: String, _ current: String) -> String? {
        let word = line.split(separator: "\t").first.map(String.init) ?? ""
        if word.hasSuffix("FILE") { return "FILE" }
        // Fish also offers what only contains what was typed.
        guard !word.isEmpty, word.hasPrefix(current) else { return nil }
        guard current.contains("="), let place = word.firstIndex(of: "=") else { return word }
        return String(word[word.index(after: place)...])
    }

    /// In place of zsh's functions, which work at its prompt only.
    private func zsh(
        _ script: String, _ program: String, _ lines: [String], _ environment: [String: String]
    ) -> String {
        let asked = lines.map { line in
            "words=(\(quoted(program)) \"${(@s. .):-\(line)}\"); ask\n"
        }
        return """
            compdef() { : }
            _files() { print -r -- FILE }
            _describe() { [[ $1 == -o ]] && shift; print -rl -- ${${(P)2}%%:*} }
            compadd() { print -rl -- $prefix${^${(P)2}} }
            compset() { prefix=${words[CURRENT]%%=*}= }
            ask() { local prefix=; CURRENT=$#words; _vitals || true; print END }
            source \(script)
            \(environment.map { "export \($0)=\(quoted($1))\n" }.joined())\(asked.joined())
            """
    }

    /// Fish itself says what it completes.
    private func fish(
        _ script: String, _ program: String, _ lines: [String], _ environment: [String: String]
    ) -> String {
        """
        source \(script)
        function __fish_complete_path; echo $argv[1]FILE; end
        \(environment.map { "set -x \($0) \(quoted($1))\n" }.joined())\
        \(lines.map { "complete -C \(quoted("\(program) \($0)")); echo END\n" }.joined())
        """
    }

    private func quoted(_ text: String) -> String { "'\(text)'" }
}
