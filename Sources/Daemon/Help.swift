// Help texts: at most 100 columns wide, always in the same order.

extension Command {
    static let width = 100

    /// The help of this command, called by `path` (`["vitals", "read", "steps"]`), which also takes the options of the
    /// commands above it.
    func help(path: [String], inherited: [Option]) -> String {
        let isProgram = path.count == 1
        var usage = "Usage: " + path.joined(separator: " ") + " [OPTIONS]"
        if !subcommands.isEmpty { usage += runsAlone ? " [COMMAND]" : " COMMAND" }
        for argument in arguments { usage += " " + argument.usage }
        var parts = [usage, wrapped(summary, indent: 0)]
        if !discussion.isEmpty {
            let paragraphs = discussion.split(separator: "\n\n").map { wrapped(String($0), indent: 0) }
            parts.append(paragraphs.joined(separator: "\n\n"))
        }
        parts.append(table("Commands", subcommands.map { ($0.name, $0.summary) }))
        parts.append(table("Arguments", arguments.map { ($0.name, $0.help) }))
        let standard: [(String, String)] = [("-h, --help", "shows this help")]
        let forProgram = isProgram ? [("    --version", "shows the version")] : []
        parts.append(
            table(
                "Options",
                (optionsAlone + options + inherited).map { ($0.usage, $0.explanation) } + standard + forProgram))
        parts.append(table("Exit codes", exitCodes.map { ("\($0.rawValue)", $0.meaning) }))
        let examples = examples.map { example in
            "  \(example.line)" + (example.help.isEmpty ? "" : "\n" + wrapped(example.help, indent: 6))
        }
        if !examples.isEmpty { parts.append((["Examples:"] + examples).joined(separator: "\n")) }
        if !subcommands.isEmpty {
            parts.append("More about a command: \(path.joined(separator: " ")) COMMAND --help")
        }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private func table(_ title: String, _ rows: [(name: String, help: String)]) -> String {
        guard !rows.isEmpty else { return "" }
        // Names over 30 columns get a line of their own.
        let column = 4 + (rows.map(\.name.count).filter { $0 <= 30 }.max() ?? 0)
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

extension Option {
    /// `-p, --port PORT`.
    fileprivate var usage: String {
        (short.map { "-\($0), " } ?? "    ") + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
    }

    fileprivate var explanation: String {
        let notes = [defaultValue.map { "default: \($0)" }, isRepeated ? "may be repeated" : nil].compactMap { $0 }
        return notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))"
    }
}

extension Positional {
    fileprivate var usage: String {
        isRequired ? name : isRepeated ? "[\(name)...]" : "[\(name)]"
    }
}
