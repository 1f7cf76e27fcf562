extension Arguments {
    /// The same arguments, completed by a settings file: its keys are the names of options, with `_` for the hyphens,
    /// and its values are used for those that the command line leaves out. If `--settings` was not given, nothing is
    /// read.
    ///
    /// - Throws: `SettingsError`, as `Settings.read` does, for keys that match no option.
    public func completed(byFileNamedIn option: String = "settings") throws -> Arguments {
        guard let file = try optionalString(option) else { return self }
        let example = kinds.keys.sorted().first { kinds[$0] == .option && !given.contains($0) && values[$0] != nil }
            .map { "{ \(Self.key($0)): \(quoted(values[$0]?.last ?? "")) }" }
        return try Settings.read(file, example: example ?? "{}") { section throws(SettingsError) in
            var values = values
            for (name, kind) in kinds.sorted(by: { $0.key < $1.key }) where kind != .positional && name != option {
                let key = Self.key(name)
                if kind == .flag {
                    if try section.bool(key, default: false), values[name] == nil { values[name] = [""] }
                } else if let text = try section.read(key, .textOrNumber), !given.contains(name) {
                    values[name] = [text]
                }
            }
            return Arguments(
                command: command, program: program, kinds: kinds, values: values, given: given,
                variables: variables)
        }
    }

    /// What an option is called in a settings file.
    private static func key(_ name: String) -> String { String(name.map { $0 == "-" ? "_" : $0 }) }
}

extension Setting<String> {
    /// An option's value in a settings file: a string or a number.
    fileprivate static var textOrNumber: Setting {
        Setting(expected: "a string or a number", example: "\"60\"") { value in
            switch value {
            case .string(let text): text
            case .integer(let number): "\(number)"
            case .number(let number): "\(number)"
            default: nil
            }
        }
    }
}
