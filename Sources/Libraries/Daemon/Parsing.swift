// Reads a command line word by word, as `Command` declares it. An error names the word, the nearest one that would be
// right, and the help to read.

/// A command line that cannot be understood.
public struct UsageError: ExitCodedError, Equatable {
    /// What is wrong with it.
    public let problem: String
    /// Which help to read.
    public let hint: String

    /// Always `.usage`.
    public var exitCode: ExitCode { .usage }

    /// The problem, and the hint on a line of its own.
    public var description: String { "\(problem)\n\(hint)" }
}

extension Command {
    enum Invocation {
        case run(Arguments)
        /// A text to print: help, the manual page, a script for a shell.
        case help(String)
        case version
    }

    /// What `words`, the command line after the program's name, ask for. `environment` says what a variable holds.
    func parse(
        _ words: [String], environment: (String) -> String? = variable
    ) throws(UsageError) -> Invocation {
        var parser = Parser(program: self, words: words)
        return try parser.parse(environment)
    }
}

private struct Parser {
    let program: Command
    var command: Command
    var path: [String]
    var inherited: [Option] = []
    var words: ArraySlice<String>
    var values: [String: [String]] = [:]
    var positions: [String] = []

    init(program: Command, words: [String]) {
        self.program = program
        command = program
        path = [program.name]
        self.words = words[...]
    }

    mutating func parse(_ environment: (String) -> String?) throws(UsageError) -> Command.Invocation {
        var optionsHaveEnded = false
        while let word = words.popFirst() {
            if !optionsHaveEnded, word == "--" {
                optionsHaveEnded = true
            } else if !optionsHaveEnded, word == "--help" || word == "-h" {
                return .help(help)
            } else if word == "help", path.count == 1, !command.subcommands.isEmpty, command.subcommand(word) == nil {
                while let word = words.popFirst() { try takeSubcommand(word) }
                return .help(help)
            } else if !optionsHaveEnded, word == "--version", path.count == 1 {
                return .version
            } else if !optionsHaveEnded, word == "--manual", path.count == 1 {
                return .help(program.manual)
            } else if !optionsHaveEnded, path.count == 1, let shell = try takeShell(word) {
                return .help(program.completion(for: shell))
            } else if !optionsHaveEnded, Self.isOption(word) {
                try takeOption(word)
            } else if command.subcommands.isEmpty {
                positions.append(word)
            } else {
                try takeSubcommand(word)
            }
        }
        let isAlone = path.count == 1 && values.isEmpty && !command.subcommands.isEmpty && !command.runsAlone
        return isAlone ? .help(help) : .run(try arguments(environment))
    }

    /// That of the command that was named so far.
    private var help: String {
        let common = path.count > 1 ? program.options : []
        let between = Array(inherited.dropLast(common.count))
        return command.help(path: path, inherited: between, common: common)
    }

    /// The shell of `--completion SHELL`, unless a command prints the scripts.
    private mutating func takeShell(_ word: String) throws(UsageError) -> CompletionShell? {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard !program.hasCompletionCommand, parts[0] == "--completion" else { return nil }
        let value = parts.count == 2 ? parts[1] : words.popFirst()
        guard let shell = value.flatMap(CompletionShell.init) else {
            throw error("--completion needs a shell: bash, zsh or fish")
        }
        return shell
    }

    /// No option begins with a digit: `-5` is a number, and `-2h` two hours ago.
    private static func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let next = word.dropFirst().unicodeScalars.first else { return false }
        return !("0"..."9").contains(next) && Double(word) == nil
    }

    private mutating func takeSubcommand(_ word: String) throws(UsageError) {
        guard !command.subcommands.isEmpty else { throw error("unexpected \(quoted(word))") }
        guard let subcommand = command.subcommand(word) else {
            let names = command.subcommands.map(\.name)
            let near = (command.tried[word] ?? nearest(to: word, among: names)).map { "did you mean \($0)?" }
            throw error(
                "unknown command \(quoted(word)); " + (near ?? "the commands are \(names.joined(separator: ", "))"))
        }
        if let alone = command.optionsAlone.first(where: { values[$0.name] != nil }) {
            let isKnown = subcommand.options.contains { $0.name == alone.name }
            let words = isKnown ? "goes after \(subcommand.name)" : "is not for \(subcommand.name)"
            throw error("--\(alone.name) \(words)")
        }
        inherited = command.options + inherited
        path.append(subcommand.name)
        command = subcommand
    }

    private mutating func takeOption(_ word: String) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let known = command.optionsAlone + command.options + inherited
        let found = known.first { option in
            parts[0] == "--\(option.name)" || option.short.map { parts[0] == "-\($0)" } ?? false
        }
        guard let option = found else {
            let standard = path.count == 1 ? program.standardOptions : []
            let names = (known + standard).map { "--\($0.name)" } + ["--help"]
            let near = nearest(to: parts[0], among: names).map { "; did you mean \($0)?" }
            throw error("unknown option \(quoted(parts[0]))" + (near ?? ""))
        }
        guard let placeholder = option.placeholder else {
            guard parts.count == 1 else { throw error("--\(option.name) takes no value") }
            values[option.name] = [""]
            return
        }
        if !option.isRepeated, values[option.name] != nil { throw error("--\(option.name) is given twice") }
        if parts.count == 2 {
            values[option.name, default: []].append(parts[1])
        } else if let next = words.first, !Self.isOption(next) {
            values[option.name, default: []].append(next)
            words.removeFirst()
        } else {
            throw error("--\(option.name) needs a value: --\(option.name) \(placeholder)")
        }
    }

    private func arguments(_ environment: (String) -> String?) throws(UsageError) -> Arguments {
        guard command.subcommands.isEmpty || command.runsAlone else {
            let names = command.subcommands.map(\.name)
            throw error("which command? There \(names.count == 1 ? "is" : "are") \(names.joined(separator: ", "))")
        }
        var values = values
        var rest = positions[...]
        for argument in command.arguments {
            if argument.isRepeated {
                values[argument.name] = Array(rest)
                rest = []
            } else if let value = rest.popFirst() {
                values[argument.name] = [value]
            } else if argument.isRequired {
                throw error("\(argument.name) is missing: \(argument.help)")
            }
        }
        if let extra = rest.first { throw error("unexpected \(quoted(extra))") }
        let given = Set(values.keys)
        var kinds: [String: Arguments.Kind] = [:]
        var variables: [String: String] = [:]
        for option in command.optionsAlone + command.options + inherited {
            kinds[option.name] = option.placeholder == nil ? .flag : .option
            if values[option.name] == nil, let variable = option.variable, let value = environment(variable) {
                values[option.name] = [value]
                variables[option.name] = variable
            }
            if values[option.name] == nil, let value = option.defaultValue { values[option.name] = [value] }
        }
        for argument in command.arguments { kinds[argument.name] = .positional }
        return Arguments(
            command: Array(path.dropFirst()), program: path[0], kinds: kinds, values: values, given: given,
            variables: variables)
    }

    private func error(_ problem: String) -> UsageError {
        UsageError(problem: problem, hint: Arguments.hint(path))
    }
}
