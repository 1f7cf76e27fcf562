import Daemon
import Files
import Fitness
import Glibc
import Telemetry

// `vitals profile`: what energy and zones need to know about a person. Saving sends all fields; those that are not
// given stay as they were.

/// Shows and changes the profile.
struct Profiles {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    private static let fields: [ProfileField] = [
        ProfileField("name", "Name", .name),
        ProfileField("date_of_birth", "Date of birth", .dateOfBirth),
        ProfileField("gender", "Gender", .choice(ProfileRules.Gender.allCases.map(\.rawValue)), isRequired: true),
        ProfileField("weight_kg", "Weight (kg)", .measure(.weight)),
        ProfileField("height_cm", "Height (cm)", .measure(.height)),
        ProfileField("voice", "Voice", .onOff),
        ProfileField("continuous_heart_rate", "Continuous heart rate", .onOff),
        ProfileField("time_zone", "Time zone", .timeZone),
        ProfileField("locale", "Language", .language),
        ProfileField("units", "Units", .choice(Units.allCases.map(\.rawValue))),
        ProfileField("zones_by", "Zones by", .choice(HeartRateZones.Method.allCases.map(\.rawValue))),
        ProfileField("max_heart_rate", "Highest heart rate", .heartRate),
        ProfileField("resting_heart_rate", "Heart rate at rest", .heartRate),
        ProfileField("threshold_heart_rate", "At the threshold", .heartRate),
        ProfileField("zone_limits", "Zone limits", .zoneLimits),
    ]

    func show() throws -> ExitCode {
        let (data, measured) = try Office.visit(call) { office -> (JSON, JSON?) in
            // The profile is shown without what was measured, too.
            (try office.ask("profile/get"), try? office.ask("profile/suggestions"))
        }
        try show(data.with("measured", measured), measured)
        return .ok
    }

    /// What was measured and could be in the profile.
    private static func measured(_ measured: JSON?) -> [(String, String?)] {
        let (rest, most) = (measured?["resting_heart_rate"], measured?["max_heart_rate"])
        func set(_ option: String, _ value: JSON?) -> String {
            Hints.completed("vitals profile set --\(option) \(value?["bpm"]?.words ?? "-")")
        }
        let day = most?.whole("started").map { LocalTime.full(Int64($0)).prefix(10) }
        return [
            (
                "Measured at rest",
                rest.map { "\($0["bpm"]?.words ?? "-") bpm, the median of \($0["nights"]?.words ?? "-") nights: \(set("resting-heart-rate", $0))" }
            ),
            ("Measured highest", most.map { "\($0["bpm"]?.words ?? "-") bpm, on \(day ?? "-"): \(set("max-heart-rate", $0))" }),
        ]
    }

    private func show(_ data: JSON, _ measured: JSON? = nil) throws {
        guard !call.isJSON else {
            try Output.write(data.line)
            return
        }
        guard let profile = data["profile"], profile != .null else {
            try Output.write(Hints.completed("no profile yet: vitals profile edit\n"))
            return
        }
        let units = Units(ofProfile: profile)
        let rows = Self.fields.map { field in
            (field.heading(in: units), profile[field.name].flatMap { $0 == .null ? nil : field.shown($0, in: units) })
        }
        let zones = [
            ("Zones", ZonesText.words(data["zones"])), ("Zones by bicycle", ZonesText.words(data["bicycle_zones"])),
        ]
        let mass = ("BMI", data["bmi"].flatMap { $0 == .null ? nil : $0.words })
        try Output.write(lines(rows + zones + [mass] + Self.measured(measured)))
    }

    func set() throws -> ExitCode {
        let changes = try Self.fields.compactMap { field -> (String, JSON)? in
            if let measured = try measured(field) { return measured }
            let option = field.name.replacing("_", with: "-")
            guard let text = try arguments.optionalString(option) else { return nil }
            // The option's name says the unit.
            guard let value = field.value(text, in: .metric) else {
                throw arguments.refusal(of: option, "expected \(field.expected(in: .metric)), found \(escaped(text))")
            }
            return (field.name, value)
        }
        guard !changes.isEmpty else { throw Failure(.usage, "nothing to set", hint: "see vitals profile set --help") }
        return try Office.visit(call) { office in
            try save(Self.current(try office.ask("profile/get")).merging(changes) { $1 }, office)
        }
    }

    /// A weight or a height in a unit of the person's choice: `--weight 135lb`.
    private func measured(_ field: ProfileField) throws -> (String, JSON)? {
        guard case .measure(let measure) = field.kind else { return nil }
        let (option, metric) = (measure == .weight ? "weight" : "height", field.name.replacing("_", with: "-"))
        guard let text = try arguments.optionalString(option) else { return nil }
        guard try arguments.optionalString(metric) == nil else {
            throw arguments.refusal(of: option, "cannot be combined with --\(metric)")
        }
        guard let value = measure.value(text) else {
            let expected = Units.allCases.map { measure.expected(in: $0) }.joined(separator: ", or ")
            throw arguments.refusal(of: option, "expected \(expected); found \(escaped(text))")
        }
        return (field.name, .number(value))
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

    /// Asks field by field, and checks each answer when it is given. Ctrl-D changes nothing. No other interruption
    /// (Ctrl-C, a broker that goes away, a refusal) loses an answer: the answers are kept on this machine, and offered
    /// the next time.
    func edit() throws -> ExitCode {
        guard Secret.isTerminal else {
            throw Failure(
                .usage, "there is nobody to ask: this is not a terminal", hint: "vitals profile set takes options")
        }
        let before = Self.current(try Office.visit(call) { try $0.ask("profile/get") })
        var draft = ProfileDraft(call)
        if !draft.answers.isEmpty {
            Output.note("your answers from last time were not saved, and are offered again")
        }
        for field in Self.fields where !field.isOfHeart {
            guard ask(field, before, &draft) else { return try cancel(draft) }
        }
        while true {
            guard let answer = Secret.answer("Save? [Y/n] "), ["", "y", "yes"].contains(answer.lowercased()) else {
                return try cancel(draft)
            }
            do {
                let profile = before.merging(draft.answers) { $1 }
                let code = try Office.visit(call) { try save(profile, $0) }
                draft.remove()
                return code
            } catch let error as Failure {
                guard let field = Self.fields.first(where: { $0.name == error.field }) else {
                    Output.note("your answers are kept, and will be offered at the next vitals profile edit")
                    throw error
                }
                Output.note(error.message)
                draft.answers[field.name] = nil
                guard ask(field, before, &draft) else { return try cancel(draft) }
            }
        }
    }

    /// Asks for one field until the answer is valid.
    /// - Returns: false at the end of input.
    private func ask(_ field: ProfileField, _ before: [String: JSON], _ draft: inout ProfileDraft) -> Bool {
        let units = Units(ofProfile: .object(before.map { JSON.Member($0.key, $0.value) }))
        let now = draft.answers[field.name] ?? before[field.name]
        let offer = now.map { field.shown($0, in: units) } ?? field.hint
        var text = Secret.answer("\(field.heading(in: units))\(offer.isEmpty ? "" : " [\(offer)]"): ")
        while let typed = text {
            if typed.isEmpty, now != nil || !field.isRequired { return true }
            if let value = field.value(typed, in: units) {
                draft.answers[field.name] = value
                draft.write()
                return true
            }
            text = Secret.answer("\(field.expected(in: units)), please: ")
        }
        return false
    }

    private func cancel(_ draft: ProfileDraft) throws -> ExitCode {
        draft.remove()
        Output.ask("\n", isRaw: true)
        let data = try Office.visit(call) { try $0.ask("profile/cancel") }
        try Output.write(call.isJSON ? data.line : (data.text("message") ?? "Changes Discarded") + "\n")
        return .declined
    }

    private static func current(_ data: JSON) -> [String: JSON] {
        guard case .object(let members) = data["profile"] else { return [:] }
        let ofHeart = Set(fields.filter(\.isOfHeart).map(\.name))
        return Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
            .filter { $0.value != .null && !ofHeart.contains($0.key) }
    }
}

/// A person's answers that were not saved yet, in a file next to the sign-in, readable by its owner only.
private struct ProfileDraft {
    var answers: [String: JSON] = [:]
    private let place: Credential.Place?
    private let user: JSON

    /// The stored answers of the person who is signed in.
    init(_ call: Call) {
        place = call.credential == nil ? nil : call.place
        user = call.credential.map { .string($0.user.text) } ?? .null
        guard let place, let bytes = try? SmallFile.read(place.draftFile, atMost: 65_536),
            let json = try? JSON(payload: bytes), json["user"] == user, case .object(let members) = json["answers"]
        else { return }
        answers = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// Stores them. If that fails, the program continues, and they are lost when it ends.
    func write() {
        guard let place else { return }
        let members = answers.sorted { $0.key < $1.key }.map { JSON.Member($0.key, $0.value) }
        let json: JSON = ["answers": .object(members), "user": user]
        try? SmallFile.replace(place.draftFile, with: json.bytes)
    }

    func remove() {
        if let place { unlink(place.draftFile) }
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

/// `vitals consent`: what others and Home Assistant may see of a person, and whether it is recorded where they are.
struct Consents {
    private let call: Call
    private let arguments: Arguments
    private static let kinds = ["location", "motion", "steps"]
    private static let homeAssistant = "home_assistant"
    private static let recording = "record_location"

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    /// Shows it, or changes what the command line names.
    func run() throws -> ExitCode {
        let changes = try (Self.kinds + [Self.homeAssistant, Self.recording]).compactMap { kind -> (String, JSON?)? in
            let option = kind.replacing("_", with: "-")
            guard let text = try arguments.optionalString(option) else { return nil }
            guard let value = onOff(text) else { throw arguments.refusal(of: option, "expected on or off") }
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
            lines(
                Self.kinds.map { kind in (kind.capitalizedFirst, consent[kind] == true ? "shared" : "not shared") }
                    + [
                        ("Home Assistant", consent[Self.homeAssistant] == true ? "shows your day" : "not shared"),
                        ("Recording", consent[Self.recording] == true ? "of your position" : "not of your position"),
                    ]))
        return .ok
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
