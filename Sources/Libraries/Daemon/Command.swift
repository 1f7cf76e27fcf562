// A program's command line, declared as plain values:
//
//     let vitals = Command(
//         name: "vitals", summary: "Shows what the sensors say.",
//         options: [.value("broker", "HOST", "the broker", default: "localhost"), .flag("json", "prints JSON")],
//         subcommands: [
//             Command(name: "watch", summary: "Shows readings as they come."),
//             Command(name: "read", summary: "Asks a sensor.", subcommands: [
//                 Command(name: "steps", summary: "Asks for the step count.", arguments: [.required("SENSOR", "its id")]),
//             ]),
//         ])
//
// A subcommand also takes the options of the commands above it, before or after its own name. `--help` (`-h`) works for
// every command, and so does `help COMMAND`; a program with subcommands that is given nothing shows its help. `--version` and `--manual` for the program. Parsing.swift reads a command line by these values, Help.swift
// explains them, Manual.swift makes a manual page of them, and Completion.swift lets shells complete them.

/// A program or one of its subcommands: what it does and what it takes.
public struct Command: Sendable {
    /// The word that one types.
    public let name: String
    /// Words that mean the same.
    public let aliases: [String]
    /// One sentence about what it does.
    public let summary: String
    /// More about it, for its own help; empty lines separate paragraphs.
    public let discussion: String
    /// What it takes by name, here and in all subcommands.
    public let options: [Option]
    /// What it takes by name if no subcommand is named; its subcommands do not take these.
    public let optionsAlone: [Option]
    /// What it takes by position; a command with subcommands takes nothing by position.
    public let arguments: [Positional]
    /// Commands to try.
    public let examples: [Example]
    /// The commands below it; if there are any, one has to be named, unless `runsAlone`.
    public let subcommands: [Command]
    /// Whether it also does something without a subcommand, as a service does.
    public let runsAlone: Bool
    /// Under which heading the help of the command above lists it; nil for its own.
    private(set) var group: String?
    /// Words that people try in place of its subcommands, each with the words that do what is meant.
    private(set) var tried: [String: String] = [:]

    /// A command, with everything that its help shows.
    public init(
        name: String, aliases: [String] = [], summary: String, discussion: String = "", options: [Option] = [],
        optionsAlone: [Option] = [],
        arguments: [Positional] = [], examples: [Example] = [],
        subcommands: [Command] = [], runsAlone: Bool = false
    ) {
        self.name = name
        self.aliases = aliases
        self.summary = summary
        self.discussion = discussion
        self.options = options
        self.optionsAlone = optionsAlone
        self.arguments = arguments
        self.examples = examples
        self.subcommands = subcommands
        self.runsAlone = runsAlone
    }

    /// The subcommand that somebody who types a word means.
    func subcommand(_ word: String) -> Command? { subcommands.first { $0.name == word || $0.aliases.contains(word) } }

    /// The same command, which leads people on who try words that it does not have.
    public func leading(_ tried: [String: String]) -> Command {
        var command = self
        command.tried = tried
        return command
    }

    /// The same command, listed under a heading.
    public func grouped(_ heading: String) -> Command {
        var command = self
        command.group = heading
        return command
    }
}

/// Something that a command takes by name: `--port 1883`, `--port=1883`, `-p 1883` or, for a flag, `--json`.
public struct Option: Sendable {
    /// The name, without hyphens.
    public let name: String
    let short: Character?
    /// Whether it has no value.
    public var isFlag: Bool { placeholder == nil }
    /// What stands for the value in help; nil for a flag.
    let placeholder: String?
    let help: String
    let defaultValue: String?
    let isRepeated: Bool
    let values: [String]
    /// What the program itself lists of possible values, for completion.
    public let offers: String?
    /// The variable of the environment that is used if the command line says nothing.
    let variable: String?

    /// An option with a value, and its default when it is not given. `isRepeated`: it may be given several times.
    /// `values`: all that the value can be, or some of it, for completion; if the placeholder is `FILE`, files are.
    /// `offers`: completion asks the program itself, by `PROGRAM completion OFFERS`. `variable`: of the environment;
    /// its value is used if the option is not given.
    public static func value(
        _ name: String, short: Character? = nil, _ placeholder: String, _ help: String, default: String? = nil,
        isRepeated: Bool = false, values: [String] = [], offers: String? = nil, variable: String? = nil
    ) -> Option {
        Option(
            name: name, short: short, placeholder: placeholder, help: help, defaultValue: `default`,
            isRepeated: isRepeated, values: values, offers: offers, variable: variable)
    }

    /// An option that is given or not.
    public static func flag(_ name: String, short: Character? = nil, _ help: String) -> Option {
        Option(
            name: name, short: short, placeholder: nil, help: help, defaultValue: nil, isRepeated: false,
            values: [], offers: nil, variable: nil)
    }
}

/// Something that a command takes by position.
public struct Positional: Sendable {
    /// The name in help and in `Arguments`, in capitals: `SENSOR`.
    public let name: String
    let help: String
    let isRequired: Bool
    let isRepeated: Bool
    /// What it can be, for completion; if the name is `FILE`, files are.
    let values: [String]
    /// What the program itself lists of possible values, for completion.
    public let offers: String?

    /// A value that must be given. `values`: all that it can be, or some of it; `offers`: as an option's.
    public static func required(
        _ name: String, _ help: String, values: [String] = [], offers: String? = nil
    ) -> Positional {
        Positional(name: name, help: help, isRequired: true, isRepeated: false, values: values, offers: offers)
    }

    /// A value that may be left out. `values`: all that it can be, or some of it; `offers`: as an option's.
    public static func optional(
        _ name: String, _ help: String, values: [String] = [], offers: String? = nil
    ) -> Positional {
        Positional(name: name, help: help, isRequired: false, isRepeated: false, values: values, offers: offers)
    }

    /// Any number of values, none included; only as the last.
    public static func repeated(_ name: String, _ help: String) -> Positional {
        Positional(name: name, help: help, isRequired: false, isRepeated: true, values: [], offers: nil)
    }
}

/// A command line to try, and what it does.
public struct Example: Sendable {
    let line: String
    let help: String

    /// `line` as one types it, with the program's name.
    public init(_ line: String, _ help: String = "") {
        self.line = line
        self.help = help
    }
}
