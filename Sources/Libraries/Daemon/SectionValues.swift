// The kinds of values that a settings file may hold. Each is read in three forms:
//
//     section.string("host")                        must be there
//     section.string("host", default: "localhost")  may be absent, and is then the default
//     section.string("host", default: nil)          may be absent, and is then nil

extension Section {
    /// A string that is not empty.
    public func string(_ key: String) throws(SettingsError) -> String { try require(key, .string()) }

    /// A string that is not empty, or a default.
    public func string(_ key: String, default absent: String) throws(SettingsError) -> String {
        try read(key, .string(example: absent)) ?? absent
    }

    /// A string that is not empty, or nil.
    public func string(_ key: String, default absent: String?) throws(SettingsError) -> String? {
        try read(key, .string(example: absent)) ?? absent
    }

    /// An id: 1 to 36 characters from a-z, 0-9 and the hyphen.
    public func id(_ key: String) throws(SettingsError) -> String { try require(key, .id) }

    /// An id, or a default.
    public func id(_ key: String, default absent: String) throws(SettingsError) -> String {
        try read(key, .id) ?? absent
    }

    /// An id, or nil.
    public func id(_ key: String, default absent: String?) throws(SettingsError) -> String? {
        try read(key, .id) ?? absent
    }

    /// An integer within `range`.
    public func integer(_ key: String, in range: ClosedRange<Int>) throws(SettingsError) -> Int {
        try require(key, .integer(range))
    }

    /// An integer within `range`, or a default.
    public func integer(_ key: String, in range: ClosedRange<Int>, default absent: Int) throws(SettingsError) -> Int {
        try read(key, .integer(range, example: absent)) ?? absent
    }

    /// An integer within `range`, or nil.
    public func integer(_ key: String, in range: ClosedRange<Int>, default absent: Int?) throws(SettingsError) -> Int? {
        try read(key, .integer(range, example: absent)) ?? absent
    }

    /// A number within `range`.
    public func number(_ key: String, in range: ClosedRange<Double>) throws(SettingsError) -> Double {
        try require(key, .number(range))
    }

    /// A number within `range`, or a default.
    public func number(
        _ key: String, in range: ClosedRange<Double>, default absent: Double
    ) throws(SettingsError) -> Double {
        try read(key, .number(range, example: absent)) ?? absent
    }

    /// A number within `range`, or nil.
    public func number(
        _ key: String, in range: ClosedRange<Double>, default absent: Double?
    ) throws(SettingsError) -> Double? {
        try read(key, .number(range, example: absent)) ?? absent
    }

    /// `true` or `false`.
    public func bool(_ key: String) throws(SettingsError) -> Bool { try require(key, .bool()) }

    /// `true` or `false`, or a default.
    public func bool(_ key: String, default absent: Bool) throws(SettingsError) -> Bool {
        try read(key, .bool(example: absent)) ?? absent
    }

    /// A duration within `range`: `"250 ms"`, `"5 s"`, `"10 min"`, `"2 h"`, `"1 d"`, or a number of seconds.
    public func duration(_ key: String, in range: ClosedRange<Duration>) throws(SettingsError) -> Duration {
        try require(key, .duration(range))
    }

    /// A duration within `range`, or a default.
    public func duration(
        _ key: String, in range: ClosedRange<Duration>, default absent: Duration
    ) throws(SettingsError) -> Duration {
        try read(key, .duration(range, example: absent)) ?? absent
    }

    /// A duration within `range`, or nil.
    public func duration(
        _ key: String, in range: ClosedRange<Duration>, default absent: Duration?
    ) throws(SettingsError) -> Duration? {
        try read(key, .duration(range, example: absent)) ?? absent
    }

    /// A number of bytes within `range`, or a default: `"256 MB"`, `"64 kB"`, `"1 GB"` (powers of 1000), or a number of
    /// bytes.
    public func bytes(
        _ key: String, in range: ClosedRange<Int>, default absent: Int
    ) throws(SettingsError) -> Int {
        try read(key, .bytes(range, example: absent)) ?? absent
    }

    /// The path of a file or folder; a relative one is relative to the settings file's folder.
    public func path(_ key: String) throws(SettingsError) -> String { try require(key, .path(besides: file)) }

    /// The path of a file or folder, or a default; a relative one, the default too, is relative to the settings file's
    /// folder.
    public func path(_ key: String, default absent: String) throws(SettingsError) -> String {
        try read(key, .path(besides: file, example: absent)) ?? resolved(absent, besides: file)
    }

    /// The path of a file or folder, or nil; a relative one, the default too, is relative to the settings file's
    /// folder.
    public func path(_ key: String, default absent: String?) throws(SettingsError) -> String? {
        try read(key, .path(besides: file, example: absent)) ?? absent.map { resolved($0, besides: file) }
    }

    /// The paths of files or folders, none if the key is absent; relative ones are relative to the settings file's folder.
    public func paths(_ key: String) throws(SettingsError) -> [String] {
        try read(key, .paths(besides: file)) ?? []
    }

    /// One of the strings of `choices`.
    public func choice(_ key: String, from choices: [String]) throws(SettingsError) -> String {
        try require(key, .choice(choices))
    }

    /// One of the strings of `choices`, or a default.
    public func choice(_ key: String, from choices: [String], default absent: String) throws(SettingsError) -> String {
        try read(key, .choice(choices, example: absent)) ?? absent
    }

    /// One of the strings of `choices`, or nil.
    public func choice(_ key: String, from choices: [String], default absent: String?) throws(SettingsError) -> String?
    {
        try read(key, .choice(choices, example: absent)) ?? absent
    }

    /// One case of an enumeration, spelt as its raw value.
    public func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ key: String, of choices: Choice.Type
    ) throws(SettingsError) -> Choice {
        try require(key, .cases(of: choices))
    }

    /// One case of an enumeration, spelt as its raw value, or a default.
    public func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ key: String, default absent: Choice
    ) throws(SettingsError) -> Choice {
        try read(key, .cases(of: Choice.self, example: absent)) ?? absent
    }

    /// An array of strings, none of them empty.
    public func strings(_ key: String) throws(SettingsError) -> [String] { try require(key, .strings) }

    /// An array of strings, none of them empty, or a default.
    public func strings(_ key: String, default absent: [String]) throws(SettingsError) -> [String] {
        try read(key, .strings) ?? absent
    }
}

/// A kind of value: what it expects, an example of it, and how it comes out of a settings file.
struct Setting<Value> {
    let expected: String
    let example: String
    let convert: (SettingsValue) -> Value?
}

extension Setting<String> {
    static func string(example: String? = nil) -> Self {
        Setting(expected: "a string", example: quoted(example ?? "…")) { value in
            guard case .string(let text) = value, !text.isEmpty else { return nil }
            return text
        }
    }

    static var id: Self {
        Setting(expected: "an id (\(idRule))", example: "\"home\"") { value in
            guard case .string(let text) = value, isID(text) else { return nil }
            return text
        }
    }

    static func path(besides file: String, example: String? = nil) -> Self {
        Setting(expected: "a path", example: quoted(example ?? "folder/file")) { value in
            guard case .string(let text) = value, !text.isEmpty, !text.utf8.contains(0) else { return nil }
            return resolved(text, besides: file)
        }
    }

    static func choice(_ choices: [String], example: String? = nil) -> Self {
        let all = choices.map(quoted).joined(separator: ", ")
        return Setting(expected: "one of \(all)", example: quoted(example ?? choices.first ?? "")) { value in
            guard case .string(let text) = value, choices.contains(text) else { return nil }
            return text
        }
    }
}

extension Setting where Value: CaseIterable & RawRepresentable<String> {
    static func cases(of choices: Value.Type, example: Value? = nil) -> Self {
        let names = Setting<String>.choice(choices.allCases.map(\.rawValue), example: example?.rawValue)
        return Setting(expected: names.expected, example: names.example) { value in
            names.convert(value).flatMap(Value.init(rawValue:))
        }
    }
}

extension Setting<Int> {
    static func integer(_ range: ClosedRange<Int>, example: Int? = nil) -> Self {
        let limits =
            switch (range.lowerBound, range.upperBound) {
            case (.min, .max): ""
            case (let least, .max): " of at least \(least)"
            case (.min, let most): " of at most \(most)"
            case (let least, let most): " from \(least) to \(most)"
            }
        let shown = example ?? (range.contains(1) ? 1 : range.lowerBound)
        return Setting(expected: "an integer" + limits, example: "\(shown)") { value in
            guard case .integer(let number) = value, range.contains(number) else { return nil }
            return number
        }
    }
}

extension Setting<Double> {
    static func number(_ range: ClosedRange<Double>, example: Double? = nil) -> Self {
        func text(_ bound: Double) -> String { Int64(exactly: bound).map { "\($0)" } ?? "\(bound)" }
        let expected = "a number from \(text(range.lowerBound)) to \(text(range.upperBound))"
        return Setting(expected: expected, example: "\(example ?? range.lowerBound)") { value in
            switch value {
            case .integer(let number): range.contains(Double(number)) ? Double(number) : nil
            case .number(let number): range.contains(number) ? number : nil
            default: nil
            }
        }
    }
}

extension Setting<Bool> {
    static func bool(example: Bool = true) -> Self {
        Setting(expected: "true or false", example: "\(example)") { value in
            guard case .bool(let isTrue) = value else { return nil }
            return isTrue
        }
    }
}

extension Setting<[String]> {
    static func paths(besides file: String) -> Self {
        Setting(expected: "an array of paths", example: "[\"folder/file\"]") { value in
            guard case .array(let elements) = value else { return nil }
            let paths = elements.compactMap(Setting<String>.path(besides: file).convert)
            return paths.count == elements.count ? paths : nil
        }
    }

    static var strings: Self {
        Setting(expected: "an array of strings", example: "[\"…\"]") { value in
            guard case .array(let elements) = value else { return nil }
            let texts = elements.compactMap(Setting<String>.string().convert)
            return texts.count == elements.count ? texts : nil
        }
    }
}

extension Setting<Duration> {
    static func duration(_ range: ClosedRange<Duration>, example: Duration? = nil) -> Self {
        let expected = "a duration from \(spelt(range.lowerBound)) to \(spelt(range.upperBound))"
        return Setting(expected: expected, example: quoted(spelt(example ?? range.lowerBound))) { value in
            let duration: Duration? =
                switch value {
                case .integer(let seconds): lasting(Double(seconds), .seconds(1))
                case .number(let seconds): lasting(seconds, .seconds(1))
                case .string(let text): parsedDuration(text)
                default: nil
                }
            return duration.flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension Setting<Int> {
    static func bytes(_ range: ClosedRange<Int>, example: Int) -> Self {
        let expected = "a size from \(spelt(bytes: range.lowerBound)) to \(spelt(bytes: range.upperBound))"
        return Setting(expected: expected, example: quoted(spelt(bytes: example))) { value in
            let count: Int? =
                switch value {
                case .integer(let count): Int(exactly: count)
                case .string(let text): parsedBytes(text)
                default: nil
                }
            return count.flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

private let sizes: [(name: String, bytes: Int)] = [
    ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000), ("B", 1),
]

/// The bytes that `256 MB` or `64kB` spells: digits and a unit.
func parsedBytes(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard let count = Int(digits), let size = sizes.first(where: { $0.name == unit })?.bytes else { return nil }
    let (product, overflow) = count.multipliedReportingOverflow(by: size)
    return overflow ? nil : product
}

/// A number of bytes in the largest unit that needs no fraction: `256 MB`.
public func spelt(bytes: Int) -> String {
    for size in sizes where bytes >= size.bytes && bytes % size.bytes == 0 {
        return "\(bytes / size.bytes) \(size.name)"
    }
    return "\(bytes) B"
}

private let units: [(name: String, length: Duration)] = [
    ("d", .seconds(86400)), ("h", .seconds(3600)), ("min", .seconds(60)), ("s", .seconds(1)), ("ms", .milliseconds(1)),
]

/// The duration that `5 s` or `2.5min` spells: a number without sign or exponent, and a unit.
func parsedDuration(_ text: String) -> Duration? {
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard let count = Double(digits), let length = units.first(where: { $0.name == unit })?.length else { return nil }
    return lasting(count, length)
}

private func lasting(_ count: Double, _ unit: Duration) -> Duration? {
    // Beyond a million days a Double no longer counts milliseconds well, and nobody waits that long.
    let milliseconds = count * Double(unit / .milliseconds(1))
    guard milliseconds >= 0, milliseconds < 1e14 else { return nil }
    return .milliseconds(Int64(milliseconds.rounded()))
}

/// A duration in the largest unit that needs no fraction: `5 s`, `90 min`.
func spelt(_ duration: Duration) -> String {
    guard duration > .zero else { return "0 s" }
    for unit in units where Int64(duration / unit.length) > 0 {
        let count = Int64(duration / unit.length)
        if unit.length * count == duration { return "\(count) \(unit.name)" }
    }
    return "\(Int64(duration / .milliseconds(1))) ms"
}

/// `path`, relative to the folder that contains `file`.
private func resolved(_ path: String, besides file: String) -> String {
    guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
    return file[...slash] + path
}

let idRule = "1 to 36 characters from a-z, 0-9 and -"

func isID(_ text: String) -> Bool {
    (1...36).contains(text.utf8.count)
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
}
