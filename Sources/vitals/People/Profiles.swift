import Daemon
import Telemetry

// `vitals profile`: who one is, as far as energy and zones need to know. Saving takes all of it; what is not said stays as it was.

/// Shows and changes the profile.
struct Profiles {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    /// How a field is typed.
    private enum Kind { case text, number, onOff }

    private static let fields: [(name: String, heading: String, hint: String, kind: Kind)] = [
        ("name", "Name", "", .text),
        ("date_of_birth", "Date of birth", "such as 1985-12-10", .text),
        ("gender", "Gender", "female, male or other", .text),
        ("weight_kg", "Weight (kg)", "", .number),
        ("height_cm", "Height (cm)", "", .number),
        ("voice", "Voice", "on or off", .onOff),
        ("continuous_heart_rate", "Continuous heart rate", "on or off", .onOff),
        ("time_zone", "Time zone", "such as Europe/Berlin", .text),
        ("locale", "Language", "such as de-DE", .text),
        ("units", "Units", "metric or imperial", .text),
    ]

    func show() throws -> ExitCode {
        let data = try Office.visit(call) { try $0.ask("profile/get") }
        try show(data)
        return .ok
    }

    private func show(_ data: JSON) throws {
        guard !call.isJSON else {
            try Output.write(data.line)
            return
        }
        guard let profile = data["profile"], profile != .null else {
            try Output.write("no profile yet: vitals profile edit\n")
            return
        }
        let rows = Self.fields.map { field in
            (field.heading, profile[field.name].flatMap { $0 == .null ? nil : Self.shown($0) })
        }
        try Output.write(lines(rows + [("BMI", data["bmi"].flatMap { $0 == .null ? nil : $0.words })]))
    }

    private static func shown(_ value: JSON) -> String {
        if case .bool(let isOn) = value { return isOn ? "on" : "off" }
        return value.words
    }

    func set() throws -> ExitCode {
        let changes = try Self.fields.compactMap { field -> (String, JSON)? in
            let option = field.name.replacing("_", with: "-")
            guard let text = try arguments.optionalString(option) else { return nil }
            guard let value = Self.value(text, field.kind) else {
                throw arguments.refusal(of: option, "expected \(Self.expected(field.kind)), found \(escaped(text))")
            }
            return (field.name, value)
        }
        guard !changes.isEmpty else { throw Failure(.usage, "nothing to set", hint: "see vitals profile set --help") }
        return try Office.visit(call) { office in
            try save(Self.current(try office.ask("profile/get")).merging(changes) { $1 }, office)
        }
    }

    private func save(_ profile: [String: JSON], _ office: Office) throws -> ExitCode {
        let data = try office.ask("profile/set", Self.fields.map { ($0.name, profile[$0.name]) })
        guard !call.isJSON else {
            try show(data)
            return .ok
        }
        try Output.write((data.text("message") ?? "Data Saved Successfully") + "\n")
        return .ok
    }

    /// Asks field by field. The end of input (Ctrl-D) changes nothing.
    func edit() throws -> ExitCode {
        guard Secret.isTerminal else {
            throw Failure(.usage, "nobody to ask: this is no terminal", hint: "vitals profile set takes options")
        }
        return try Office.visit(call) { office in
            let before = Self.current(try office.ask("profile/get"))
            var profile = before
            for field in Self.fields {
                let now = profile[field.name].map(Self.shown) ?? field.hint
                var text = Secret.answer("\(field.heading)\(now.isEmpty ? "" : " [\(now)]"): ")
                while let typed = text, !typed.isEmpty, Self.value(typed, field.kind) == nil {
                    text = Secret.answer("\(Self.expected(field.kind)), please: ")
                }
                guard let typed = text else { return try cancel(office) }
                if !typed.isEmpty { profile[field.name] = Self.value(typed, field.kind) }
            }
            guard let answer = Secret.answer("Save? [Y/n] "), ["", "y", "yes"].contains(answer.lowercased()) else {
                return try cancel(office)
            }
            return try save(profile, office)
        }
    }

    private func cancel(_ office: Office) throws -> ExitCode {
        Output.ask("\n", isRaw: true)
        let data = try office.ask("profile/cancel")
        try Output.write(call.isJSON ? data.line : (data.text("message") ?? "Changes Discarded") + "\n")
        return .failure
    }

    private static func current(_ data: JSON) -> [String: JSON] {
        guard case .object(let members) = data["profile"] else { return [:] }
        return Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }.filter { $0.value != .null }
    }

    private static func value(_ text: String, _ kind: Kind) -> JSON? {
        switch kind {
        case .text: .string(text)
        case .number: Double(text.replacing(",", with: ".")).flatMap { $0.isFinite ? .number($0) : nil }
        case .onOff: onOff(text)
        }
    }

    private static func expected(_ kind: Kind) -> String {
        switch kind {
        case .text: "a text"
        case .number: "a number"
        case .onOff: "on or off"
        }
    }
}

/// `on` or `off`, as people also say it.
func onOff(_ text: String) -> JSON? {
    switch text.lowercased() {
    case "on", "yes", "true": true
    case "off", "no", "false": false
    default: nil
    }
}

/// `vitals consent`: what of oneself others may be shown.
struct Consents {
    private let call: Call
    private let arguments: Arguments
    private static let kinds = ["location", "motion", "steps"]

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    /// Shows it, or changes what the command line names.
    func run() throws -> ExitCode {
        let changes = try Self.kinds.compactMap { kind -> (String, JSON?)? in
            guard let text = try arguments.optionalString(kind) else { return nil }
            guard let value = onOff(text) else { throw arguments.refusal(of: kind, "expected on or off") }
            return (kind, value)
        }
        let data = try Office.visit(call) { office in
            changes.isEmpty ? try office.ask("consent/get") : try office.ask("consent/set", changes)
        }
        guard !call.isJSON else {
            try Output.write(data.line)
            return .ok
        }
        let consent = data["consent"] ?? data
        try Output.write(
            lines(Self.kinds.map { kind in (kind.capitalizedFirst, consent[kind] == true ? "shared" : "not shared") }))
        return .ok
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
