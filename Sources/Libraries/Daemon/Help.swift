// Help texts: at most 100 columns wide, always in the same order.

extension Command {
    static let width = 100

    /// The most options of the program that are repeated in the help of each of its commands; if there are more, they
    /// are in its own help only.
    private static let mostRepeated = 3

    /// The help of this command, called by `path` (`["vitals", "read", "steps"]`), which also takes the options of the
    /// commands above it: `inherited` those of the commands between the program and it, `common` the program's own.
    func help(path: [String], inherited: [Option], common: [Option]) -> String {
        let isProgram = path.count == 1
        let repeated = common.count > Self.mostRepeated ? [] : common
        var usage = "Usage: " + path.joined(separator: " ") + " [OPTIONS]"
        if !subcommands.isEmpty { usage += runsAlone ? " [COMMAND]" : " COMMAND" }
        for argument in arguments { usage += " " + argument.usage }
        var parts = [usage, wrapped(summary, indent: 0)]
        if !discussion.isEmpty {
            let paragraphs = discussion.split(separator: "\n\n").map { wrapped(String($0), indent: 0) }
            parts.append(paragraphs.joined(separator: "\n\n"))
        }
        parts += commandTables
        parts.append(table("Arguments", arguments.map { ($0.name, $0.help) }))
        let standard: [(String, String)] = [("-h, --help", "shows this help")]
        let forProgram = isProgram ? standardOptions.map { ($0.usage, $0.explanation) } : []
        parts.append(
            table(
                "Options",
                (optionsAlone + options + inherited + repeated).map { ($0.usage, $0.explanation) } + standard
                    + forProgram))
        if repeated.count < common.count {
            parts.append("Every command also takes the options of \(path[0]): \(path[0]) --help")
        }
        // There is one table for all: each number means the same in every program and every command.
        if isProgram { parts.append(table("Exit codes", ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) })) }
        let examples = examples.map { example in
            "  \(example.line)" + (example.help.isEmpty ? "" : "\n" + wrapped(example.help, indent: 6))
        }
        if !examples.isEmpty { parts.append((["Examples:"] + examples).joined(separator: "\n")) }
        if !subcommands.isEmpty {
            parts.append("More about a command: \(path.joined(separator: " ")) COMMAND --help")
        }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    /// The commands below, each group under its heading, in the order in which they are declared.
    var commandGroups: [(heading: String, commands: [Command])] {
        var groups: [(heading: String, commands: [Command])] = []
        for command in subcommands {
            let heading = command.group ?? "Commands"
            if groups.last?.heading == heading {
                groups[groups.count - 1].commands.append(command)
            } else {
                groups.append((heading, [command]))
            }
        }
        return groups
    }

    private var commandTables: [String] {
        let width = subcommands.map(\.name.count).max() ?? 0
        return commandGroups.map { heading, commands in
            table(heading, commands.map { ($0.name, $0.summary) }, width: width)
        }
    }

    private func table(_ title: String, _ rows: [(name: String, help: String)], width: Int? = nil) -> String {
        guard !rows.isEmpty else { return "" }
        // Names over 30 columns get a line of their own.
        let column = 4 + (width ?? rows.map(\.name.count).filter { $0 <= 30 }.max() ?? 0)
        let lines = rows.map { row in
            let help = wrapped(row.help, indent: column)
            guard row.name.count + 4 <= column else { return "  \(row.name)\n\(help)" }
            return "  \(row.name)" + help.dropFirst(2 + row.name.count)
        }
        return ([title + ":"] + lines).joined(separator: "\n")
    }

    /// `text` in lines of at most `width` columns, each with `indent` spaces before it.
    private func wrapped(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(whereSeparator: \.isWhitespace) {
            if !line.isEmpty, indent + line.count + 1 + word.count > Command.width {
                lines.append(margin + line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return (lines + [margin + line]).joined(separator: "\n")
    }
}

extension Command {
    /// What every program takes by name besides its own options, if no command is named.
    var standardOptions: [Option] {
        let completion = Option.value(
            "completion", "SHELL", "prints a script with which bash, zsh or fish completes these commands",
            values: CompletionShell.allCases.map(\.rawValue))
        return [
            .flag("version", "shows the version"),
            .flag("manual", "prints the manual page: \(name) --manual | man -l -"),
        ] + (hasCompletionCommand ? [] : [completion])
    }

    /// Whether the program prints its scripts for shells with a command, which then also lists names.
    var hasCompletionCommand: Bool { subcommands.contains { $0.name == "completion" } }
}

extension Option {
    /// `-p, --port PORT`.
    fileprivate var usage: String {
        (short.map { "-\($0), " } ?? "    ") + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
    }

    var explanation: String {
        let notes = [
            defaultValue.map { "default: \($0)" }, variable.map { "in the environment: \($0)" },
            isRepeated ? "may be repeated" : nil,
        ].compactMap { $0 }
        return notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))"
    }
}

extension Positional {
    var usage: String {
        isRequired ? name : isRepeated ? "[\(name)...]" : "[\(name)]"
    }
}
