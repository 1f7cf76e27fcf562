import Daemon
import Fitness
import Telemetry

/// A field of the profile: its name, and what people may type there.
struct ProfileField {
    enum Kind {
        case name, dateOfBirth, onOff, timeZone, language
        /// Beats per minute; and five of them. They can be taken back, and are not asked for.
        case heartRate, zoneLimits
        case measure(BodyMeasure)
        case choice([String])
    }

    let name: String
    private let title: String
    let kind: Kind
    /// Whether every profile must have it.
    let isRequired: Bool

    /// - Parameter isRequired: names, dates and numbers are.
    init(_ name: String, _ title: String, _ kind: Kind, isRequired: Bool? = nil) {
        (self.name, self.title, self.kind) = (name, title, kind)
        let isUsually =
            switch kind {
            case .name, .dateOfBirth, .measure: true
            default: false
            }
        self.isRequired = isRequired ?? isUsually
    }

    /// Whether it is about the heart: then it is sent only if it changes, and asked for only by options.
    var isOfHeart: Bool {
        switch kind {
        case .heartRate, .zoneLimits: true
        default: name == "zones_by"
        }
    }

    /// `Weight (kg)`; for people who do not think in kilograms, the value has its unit.
    func heading(in units: Units) -> String {
        guard case .measure(let measure) = kind, units != .metric else { return title }
        return measure == .weight ? "Weight" : "Height"
    }

    /// What is offered if there is no answer yet.
    var hint: String {
        switch kind {
        case .name, .measure, .heartRate, .zoneLimits: ""
        case .dateOfBirth: "such as 1985-12-10"
        case .onOff: "on or off"
        case .timeZone: "such as Europe/Berlin"
        case .language: "such as de-DE"
        case .choice(let names): Self.listed(names)
        }
    }

    /// What may be typed, for error messages.
    func expected(in units: Units) -> String {
        switch kind {
        case .name: "a name of at most \(ProfileRules.longestName) characters"
        case .dateOfBirth: "a date such as 1985-12-10, in the past and at most \(ProfileRules.oldest) years ago"
        case .onOff: "on or off"
        case .timeZone: "a time zone such as Europe/Berlin"
        case .language: "a language tag such as de-DE"
        case .measure(let measure) where units == .metric:
            "a number from \(decimal(measure.range.lowerBound, 0)) to \(decimal(measure.range.upperBound, 0))"
        case .measure(let measure): measure.expected(in: units)
        case .heartRate: "a number from \(Self.rates), or none"
        case .zoneLimits:
            "\(HeartRateFacts.zones) rising numbers from \(Self.rates), such as 95,120,140,155,170, or none"
        case .choice(let names): Self.listed(names)
        }
    }

    private static let rates =
        "\(decimal(HeartRateFacts.heartRates.lowerBound, 0)) to \(decimal(HeartRateFacts.heartRates.upperBound, 0))"

    /// The heart rate in a text; nil if people cannot have it, or the text is not a number.
    private static func rate(_ text: Substring) -> Double? {
        guard let rate = Double(text.filter { $0 != " " }), HeartRateFacts.heartRates.contains(rate) else { return nil }
        return rate
    }

    private static func limits(_ text: String) -> JSON? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let limits = parts.compactMap(rate)
        guard parts.count == HeartRateFacts.zones, limits.count == parts.count,
            zip(limits, limits.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        return .array(limits.map(JSON.number))
    }

    private static func listed(_ names: [String]) -> String {
        names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }

    /// The value that a text gives this field; nil if it is not valid.
    func value(_ text: String, in units: Units) -> JSON? {
        let text = text.trimmed
        switch kind {
        case .name: return ProfileRules.isName(text) && PlainText.isHarmless(text) ? .string(text) : nil
        case .dateOfBirth:
            // East of here it may already be tomorrow: then the consumer decides.
            guard let day = CalendarDay(text), let today = CalendarDay.today,
                ProfileRules.isDateOfBirth(day, on: today.advanced(by: 1))
            else { return nil }
            return .string(text)
        case .measure(let measure): return measure.value(text, in: units).map(JSON.number)
        case .onOff: return onOff(text)
        case .heartRate: return text == "none" ? .null : Self.rate(text[...]).map(JSON.number)
        case .zoneLimits: return text == "none" ? .null : Self.limits(text)
        case .timeZone: return ProfileRules.isZoneName(text) ? .string(text) : nil
        case .language: return ProfileRules.isLanguageTag(text) ? .string(text) : nil
        case .choice(let names): return names.contains(text.lowercased()) ? .string(text.lowercased()) : nil
        }
    }

    /// A value as a person with these units reads it.
    func shown(_ value: JSON, in units: Units) -> String {
        switch (value, kind) {
        case (.bool(let isOn), _): isOn ? "on" : "off"
        case (.integer(let whole), .measure(let measure)) where units != .metric:
            measure.text(Double(whole), in: units)
        case (.number(let number), .measure(let measure)) where units != .metric: measure.text(number, in: units)
        case (.array(let rates), .zoneLimits): rates.map(\.words).joined(separator: ", ")
        default: value.words
        }
    }
}
