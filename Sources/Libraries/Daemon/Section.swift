/// An object of a settings file: its keys, read one by one. `Settings.read` refuses keys that were not asked for, here
/// and in all sections below.
public final class Section {
    /// The file's path, as it was given.
    let file: String
    /// Where in the file: `broker`, `sensors[0]`; empty for the file itself.
    let path: String
    let members: [String: SettingsValue]
    private var asked: Set<String> = []
    private var sections: [String: [Section]] = [:]

    init(file: String, path: String, members: [String: SettingsValue]) {
        self.file = file
        self.path = path
        self.members = members
    }

    // MARK: Sections below

    /// The section at `key`; an empty one if there is none, so its defaults hold and its required keys are reported
    /// missing.
    public func section(_ key: String) throws(SettingsError) -> Section {
        try section(key, default: nil) ?? below(key, [("", [:])])[0]
    }

    /// The section at `key`, or nil if there is none.
    public func section(_ key: String, default absent: Section?) throws(SettingsError) -> Section? {
        switch value(key) {
        case .object(let members): return below(key, [("", members)])[0]
        case nil: return absent
        case let found?: throw unexpected(key, "an object", found, example: "{}")
        }
    }

    /// What `read` makes of each section of the array at `key`, in the file's order; nothing if the key is absent.
    ///
    /// `rooms = try section.sections("rooms", Room.init)`
    public func sections<Value>(
        _ key: String, _ read: (Section) throws(SettingsError) -> Value
    ) throws(SettingsError) -> [Value] {
        guard let found = value(key) else { return [] }
        guard case .array(let elements) = found else {
            throw unexpected(key, "an array of objects", found, example: "[]")
        }
        var members: [(suffix: String, members: [String: SettingsValue])] = []
        for (index, element) in elements.enumerated() {
            guard case .object(let object) = element else {
                throw unexpected("\(key)[\(index)]", "an object", element, example: nil)
            }
            members.append(("[\(index)]", object))
        }
        var values: [Value] = []
        for section in below(key, members) { values.append(try read(section)) }
        return values
    }

    /// What `read` makes of each section of the object at `key` and of its id, which is its key there, ordered by id;
    /// nothing if the key is absent. An id is 1 to 36 characters from a-z, 0-9 and the hyphen.
    ///
    /// `sensors = try section.sectionsByID("sensors", Sensor.init(id:_:))`
    public func sectionsByID<Value>(
        _ key: String, _ read: (_ id: String, Section) throws(SettingsError) -> Value
    ) throws(SettingsError) -> [Value] {
        guard let found = value(key) else { return [] }
        guard case .object(let objects) = found else {
            throw unexpected(key, "an object of objects by id", found, example: "{}")
        }
        var members: [(suffix: String, members: [String: SettingsValue])] = []
        for (id, element) in objects.sorted(by: { $0.key < $1.key }) {
            guard isID(id) else {
                throw refusal(of: key, "\(quoted(id)) is not an id", hint: "an id is \(idRule), such as \"strap\"")
            }
            guard case .object(let object) = element else {
                throw unexpected("\(key).\(id)", "an object", element, example: nil)
            }
            members.append((".\(id)", object))
        }
        var values: [Value] = []
        for (id, section) in zip(objects.keys.sorted(), below(key, members)) { values.append(try read(id, section)) }
        return values
    }

    // MARK: Errors

    /// An error about the value of `key`, for checks that only the program can make; an empty key stands for the
    /// section itself.
    public func refusal(of key: String, _ problem: String, hint: String? = nil) -> SettingsError {
        SettingsError(file: escaped(file), key: fullPath(key), problem: escaped(problem), hint: hint)
    }

    /// Refuses keys that the program did not ask for, in this section and in those below.
    func finish() throws(SettingsError) {
        for key in members.keys.sorted() where !asked.contains(key) {
            if let near = nearest(to: key, among: asked.subtracting(members.keys)) ?? nearest(to: key, among: asked) {
                throw refusal(of: key, "unknown key; did you mean \"\(near)\"?")
            }
            let known = asked.sorted().joined(separator: ", ")
            throw refusal(
                of: key, known.isEmpty ? "unknown key; none is known here" : "unknown key; known here: \(known)")
        }
        for key in sections.keys.sorted() {
            for section in sections[key] ?? [] { try section.finish() }
        }
    }

    // MARK: For the readers of single values

    /// What `setting` makes of the value at `key`; nil if the key is absent.
    func read<Value>(_ key: String, _ setting: Setting<Value>) throws(SettingsError) -> Value? {
        guard let found = value(key) else { return nil }
        guard let value = setting.convert(found) else {
            throw unexpected(key, setting.expected, found, example: setting.example)
        }
        return value
    }

    /// What `setting` makes of the value at `key`, which must be there.
    func require<Value>(_ key: String, _ setting: Setting<Value>) throws(SettingsError) -> Value {
        if let value = try read(key, setting) { return value }
        throw missing(key, "missing; expected \(setting.expected)", hint: "example: \(spelt(key)): \(setting.example)")
    }

    /// An error about a key that has to be there: its hint is the key that was probably meant for it, or else `hint`.
    public func missing(_ key: String, _ problem: String, hint: String) -> SettingsError {
        let misspelt = nearest(to: key, among: members.keys.filter { !asked.contains($0) })
        return refusal(
            of: key, problem, hint: misspelt.map { "there is a key \(quoted($0)); is \"\(key)\" meant?" } ?? hint)
    }

    private func value(_ key: String) -> SettingsValue? {
        asked.insert(key)
        return members[key]
    }

    /// The sections below `key`; the same ones when asked for again, so that each key counts as asked for.
    private func below(_ key: String, _ members: [(suffix: String, members: [String: SettingsValue])]) -> [Section] {
        if let sections = sections[key] { return sections }
        let made = members.map { Section(file: file, path: fullPath(key + $0.suffix), members: $0.members) }
        sections[key] = made
        return made
    }

    private func unexpected(_ key: String, _ expected: String, _ found: SettingsValue, example: String?)
        -> SettingsError
    {
        refusal(
            of: key, "expected \(expected), found \(found)", hint: example.map { "example: \(spelt(key)): \($0)" })
    }

    private func fullPath(_ key: String) -> String {
        [path, escaped(key)].filter { !$0.isEmpty }.joined(separator: ".")
    }
}

/// A key as one writes it in JSON5: in quotes unless it is an identifier.
private func spelt(_ key: String) -> String {
    let isIdentifier = key.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
    return isIdentifier ? key : quoted(key)
}
