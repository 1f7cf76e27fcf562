/// What a command line gave to a command: options by their name, positional arguments by theirs. Asking for something
/// that the command did not declare is an error, never a silent nil.
public struct Arguments: Sendable {
    enum Kind: Sendable {
        case flag, option, positional
    }

    /// The subcommands' names after the program's: `["read", "steps"]`; empty for a program without subcommands.
    public let command: [String]

    let program: String
    let kinds: [String: Kind]
    let values: [String: [String]]
    /// The options that the command line gives; others have their defaults.
    let given: Set<String>
    /// The variables of the environment that options have their values from, by the options' names.
    let variables: [String: String]

    /// Whether the command line gives an option or an argument, rather than leaves it at its default.
    public func isGiven(_ name: String) -> Bool { given.contains(name) }

    /// Whether the flag was given.
    public func flag(_ name: String) throws(UsageError) -> Bool {
        try all(name, isFlag: true) != nil
    }

    /// The value that was given, or the declared default.
    public func string(_ name: String) throws(UsageError) -> String {
        try required(name, try optionalString(name))
    }

    /// The value that was given, or the declared default, or nil.
    public func optionalString(_ name: String) throws(UsageError) -> String? {
        try all(name)?.last
    }

    /// All values of a repeated option or argument; none if none was given.
    public func strings(_ name: String) throws(UsageError) -> [String] {
        try all(name) ?? []
    }

    /// The value as an integer within `range`.
    public func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
        try required(name, try optionalInteger(name, in: range))
    }

    /// The value as an integer within `range`, or nil.
    public func optionalInteger(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        try converted(name, .integer(range)) { Int($0).map(SettingsValue.integer) }
    }

    /// The value as a number within `range`.
    public func double(_ name: String, in range: ClosedRange<Double>) throws(UsageError) -> Double {
        try required(name, try optionalDouble(name, in: range))
    }

    /// The value as a number within `range`, or nil.
    public func optionalDouble(_ name: String, in range: ClosedRange<Double>) throws(UsageError) -> Double? {
        try converted(name, .number(range)) { Double($0).map(SettingsValue.number) }
    }

    /// The value as a duration within `range`: `5s`, `"250 ms"`, or a number of seconds.
    public func duration(_ name: String, in range: ClosedRange<Duration>) throws(UsageError) -> Duration {
        try required(name, try optionalDuration(name, in: range))
    }

    /// The value as a duration within `range`, or nil.
    public func optionalDuration(_ name: String, in range: ClosedRange<Duration>) throws(UsageError) -> Duration? {
        try converted(name, .duration(range)) { Double($0).map(SettingsValue.number) ?? .string($0) }
    }

    /// The value as an id: 1 to 36 characters from a-z, 0-9 and the hyphen.
    public func id(_ name: String) throws(UsageError) -> String {
        try required(name, try optionalID(name))
    }

    /// The value as an id, or nil.
    public func optionalID(_ name: String) throws(UsageError) -> String? {
        try converted(name, .id) { .string($0) }
    }

    /// The value as one case of an enumeration, spelt as its raw value.
    public func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String, of choices: Choice.Type
    ) throws(UsageError) -> Choice {
        try required(name, try optionalChoice(name, of: choices))
    }

    /// The value as one case of an enumeration, spelt as its raw value, or nil.
    public func optionalChoice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String, of choices: Choice.Type
    ) throws(UsageError) -> Choice? {
        try converted(name, .cases(of: choices)) { .string($0) }
    }

    /// An error about what was given for `name`, for checks that only the program can make.
    public func refusal(of name: String, _ problem: String) -> UsageError {
        UsageError(problem: "\(shown(name)): \(problem)", hint: Arguments.hint([program] + command))
    }

    /// An error about what has to be given for `name` and is not.
    /// - Parameter advice: what to give.
    public func missing(_ name: String, _ advice: String? = nil) -> UsageError {
        let problem = "\(shown(name)) is missing" + (advice.map { ": \($0)" } ?? "")
        return UsageError(problem: problem, hint: Arguments.hint([program] + command))
    }

    static func hint(_ path: [String]) -> String {
        "see \(path.joined(separator: " ")) --help"
    }

    private func converted<Value>(
        _ name: String, _ setting: Setting<Value>, _ read: (String) -> SettingsValue?
    ) throws(UsageError) -> Value? {
        guard let text = try all(name)?.last else { return nil }
        guard let value = read(text).flatMap(setting.convert) else {
            throw refusal(of: name, "expected \(setting.expected), found \(quoted(text))")
        }
        return value
    }

    private func required<Value>(_ name: String, _ value: Value?) throws(UsageError) -> Value {
        guard let value else { throw missing(name) }
        return value
    }

    private func all(_ name: String, isFlag: Bool = false) throws(UsageError) -> [String]? {
        guard let kind = kinds[name], (kind == .flag) == isFlag else {
            throw refusal(of: name, "not declared as \(isFlag ? "a flag" : "a value"); this is a bug in \(program)")
        }
        return values[name]
    }

    private func shown(_ name: String) -> String {
        kinds[name] == .positional ? name : variables[name] ?? "--\(name)"
    }
}
