// The manual page (man(7)), made of the declared command line: it says what the help texts of the program and of all its
// commands say.

extension Command {
    /// The manual page of this program, for `man -l -`.
    public var manual: String {
        // A program that also runs without a command is a service, which operators run.
        let section = runsAlone ? 8 : 1
        var lines = [
            ".TH \(name.uppercased().roff) \(section) \"\" \"\(name.roff) \(version.roff)\" \"Vitals\"",
            ".SH NAME", "\(name.roff) \\- \(summary.asManualTitle.roff)",
            ".SH SYNOPSIS", ".B \(name.roff)", synopsis, ".SH DESCRIPTION", summary.roffText,
        ]
        lines += discussion.roffParagraphs
        for (heading, commands) in commandGroups {
            lines.append(".SH \(heading.uppercased().roff)")
            for command in commands { lines += command.manualEntries(path: [name]) }
        }
        lines.append(".SH OPTIONS")
        if !subcommands.isEmpty { lines.append("Every command also takes these.") }
        lines += Self.manualOptions(optionsAlone + options)
        lines += [".TP", "\\fB\\-h\\fR, \\fB\\-\\-help\\fR", "shows the help of the program, or of a command"]
        lines += Self.manualOptions(standardOptions)
        lines += environmentSection + filesSection
        lines.append(".SH EXIT STATUS")
        for code in ExitCode.allCases { lines += [".TP", ".B \(code.rawValue)", code.meaning.roffText] }
        if !examples.isEmpty { lines += [".SH EXAMPLES"] + examples.flatMap(\.manualLines) }
        return lines.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
    }

    /// This command and all below it.
    private func manualEntries(path: [String]) -> [String] {
        let path = path + [name]
        // Its heading names what can be typed; a command that only holds others has none.
        var lines: [String] = []
        if subcommands.isEmpty || runsAlone {
            lines += [".TP", "\\fB\(path.joined(separator: " ").roff)\\fR \(synopsis)", summary.roffText]
            lines += discussion.isEmpty ? [] : [".IP"] + discussion.roffParagraphs(separator: ".IP").dropFirst()
            let options = Self.manualOptions(optionsAlone + options)
            let arguments = arguments.flatMap { [".TP", "\\fI\($0.name.roff)\\fR", $0.help.roffText] }
            if !(arguments + options).isEmpty { lines += [".RS"] + arguments + options + [".RE"] }
        }
        return lines + subcommands.flatMap { $0.manualEntries(path: path) }
    }

    private var synopsis: String {
        var words = ["[\\fIOPTIONS\\fR]"]
        if !subcommands.isEmpty { words.append(runsAlone ? "[\\fICOMMAND\\fR]" : "\\fICOMMAND\\fR") }
        words += arguments.map { $0.usage.roff.replacing($0.name.roff, with: "\\fI\($0.name.roff)\\fR") }
        return words.joined(separator: " ")
    }

    private static func manualOptions(_ options: [Option]) -> [String] {
        options.flatMap { option in
            let short = option.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
            let value = option.placeholder.map { " \\fI\($0.roff)\\fR" } ?? ""
            return [".TP", "\(short)\\fB\\-\\-\(option.name.roff)\\fR\(value)", option.explanation.roffText]
        }
    }

    private var environmentSection: [String] {
        let variables = options.compactMap { option in option.variable.map { ($0, option.help) } }
        guard !variables.isEmpty else { return [] }
        return [".SH ENVIRONMENT"] + variables.flatMap { [".TP", ".B \($0.roff)", $1.roffText] }
    }

    private var filesSection: [String] {
        let files = options.compactMap { option in option.defaultValue.map { ($0, option.help) } }
            .filter { $0.0.hasPrefix("/") }
        guard !files.isEmpty else { return [] }
        return [".SH FILES"] + files.flatMap { [".TP", ".I \($0.roff)", $1.roffText] }
    }
}

extension Example {
    fileprivate var manualLines: [String] {
        [".TP", ".B \(line.roff)", help.isEmpty ? "\\&" : help.roffText]
    }
}

extension String {
    /// After the program's name and a hyphen: without a capital, unless the first word is a name, and without a full stop.
    fileprivate var asManualTitle: String {
        let text = hasSuffix(".") ? dropLast() : self[...]
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Characters that mean something to roff, or that it would print as others, as what they are.
    fileprivate var roff: String {
        reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\e"
            case "-": text += "\\-"
            case "'": text += "\\(aq"
            case "`": text += "\\(ga"
            case "\"": text += "\\(dq"
            case "^": text += "\\(ha"
            case "~": text += "\\(ti"
            default: text.append(character)
            }
        }
    }

    /// Prose, on one line, in which `what is typed` is bold.
    fileprivate var roffText: String {
        let words = split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let parts = words.split(separator: "`", omittingEmptySubsequences: false)
        let text = parts.enumerated().map { index, part in
            index % 2 == 1 && index < parts.count - 1 ? "\\fB\(String(part).roff)\\fR" : String(part).roff
        }.joined()
        // A full stop at the beginning of a line would be a command.
        return text.hasPrefix(".") ? "\\&" + text : text
    }

    fileprivate var roffParagraphs: [String] { roffParagraphs(separator: ".PP") }

    fileprivate func roffParagraphs(separator: String) -> [String] {
        split(separator: "\n\n").flatMap { [separator, String($0).roffText] }
    }
}
