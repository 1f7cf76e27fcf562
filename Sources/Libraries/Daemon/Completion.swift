// Completion, made of the declared command line: what is declared is completed, and nothing else can be.
//
// The script of each shell walks along the words before the cursor as the parser does, and keeps the path of commands
// that they name. At each command it learns which commands, options and options with a value may follow (`_at`); the
// possible values are in one more table (`_of`), by the option or the position, and the path.
// CompletionForBash.swift, CompletionForZsh.swift and CompletionForFish.swift write this in the language of each shell.

/// A shell that can complete command lines of our programs.
public enum CompletionShell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

extension Command {
    /// A script that makes a shell complete this program's command lines.
    public func completion(for shell: CompletionShell) -> String {
        switch shell {
        case .bash: bashCompletion
        case .zsh: zshCompletion
        case .fish: fishCompletion
        }
    }

    /// The command with which one gets the script.
    func completionCommand(_ shell: CompletionShell) -> String {
        "\(name) \(hasCompletionCommand ? "" : "--")completion \(shell.rawValue)"
    }

    /// The name that the functions of a script begin with.
    var completionFunction: String { "_" + name.replacing("-", with: "_") }

    /// This command and all below it, the deeper ones later.
    func completionEntries() -> [CompletionEntry] { entries(path: [name]) }

    private func entries(path: [String]) -> [CompletionEntry] {
        [CompletionEntry(path: path.joined(separator: " "), command: self, isProgram: path.count == 1)]
            + subcommands.flatMap { $0.entries(path: path + [$0.name]) }
    }
}

/// A command, and the words that lead to it.
struct CompletionEntry {
    let path: String
    let command: Command
    let isProgram: Bool

    /// Options that may follow if no command below does.
    var optionsAlone: [Option] { command.optionsAlone + (isProgram ? command.standardOptions : []) }

    /// What the values of an option, or what is at a position, can be.
    struct Value {
        /// `--of`, or `1`.
        let of: String
        /// Whether this is also so for all commands below.
        let isInherited: Bool
        let kind: CompletionKind
    }

    var values: [Value] {
        let alone = optionsAlone.compactMap { option in
            option.completion.map { Value(of: "--\(option.name)", isInherited: false, kind: $0) }
        }
        let options = command.options.compactMap { option in
            option.completion.map {
                Value(of: "--\(option.name)", isInherited: !command.subcommands.isEmpty, kind: $0)
            }
        }
        let positions = command.arguments.enumerated().compactMap { index, argument in
            argument.completion.map { Value(of: "\(index + 1)", isInherited: false, kind: $0) }
        }
        return alone + options + positions
    }
}

/// What completes a value.
enum CompletionKind {
    case files
    case words([String])
    /// What the program lists, if it is asked for this.
    case offers(String)

    fileprivate init?(placeholder: String?, values: [String], offers: String?) {
        if let offers {
            self = .offers(offers)
        } else if !values.isEmpty {
            self = .words(values)
        } else if placeholder == "FILE" {
            self = .files
        } else {
            return nil
        }
    }
}

extension Option {
    var takesValue: Bool { placeholder != nil }

    fileprivate var completion: CompletionKind? {
        CompletionKind(placeholder: placeholder, values: values, offers: offers)
    }
}

extension Positional {
    fileprivate var completion: CompletionKind? {
        CompletionKind(placeholder: name, values: values, offers: offers)
    }
}
