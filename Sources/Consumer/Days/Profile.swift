package import Files
package import Fitness
package import Records
package import Telemetry

// A person's profile (requirements C1 to C3).
//
// Errors use the words of the requirements, one at a time, and in their order:
//
//     all four of name, date of birth, height and weight empty    "Empty Fields"
//     then the first that is empty: date of birth                 "Select DOB"
//                                   name                          "Enter Name"
//                                   height                        "Enter Height"
//                                   weight                        "Enter Weight"
//                                   gender, which has no words     "Empty Fields"
//     then the first that is not proper: date of birth            "Select DOB"
//                                        name                     "Enter Name"
//                                        height                   "Enter Proper Height"
//                                        weight                   "Enter Proper Weight"
//                                        gender                   what it may be
//     then what may be left out: voice, continuous heart rate, time zone, locale, units, and what ProfileHeart.swift reads
//
// A field is empty if it is left out, null, or blank. The error's field is the one that its words are about; of
// several, the first in this order.

/// A person's profile. Weight and height are metric, whatever units the person wants to see.
package struct Profile: Equatable {
    typealias Gender = ProfileRules.Gender

    package var name: String
    package var dateOfBirth: CalendarDay
    var gender: Gender
    var weightKilograms: Double
    var heightCentimetres: Double
    /// Whether progress is spoken.
    package var voice: Bool
    /// Whether each heart rate is kept, and not only shown live.
    var continuousHeartRate: Bool
    /// A name of the IANA database; nil if the person has not said.
    package var timeZone: String?
    /// A language tag (BCP 47).
    package var locale: String?
    package var units: Units
    /// What is known of the heart, and what zones are computed from.
    package var heart: HeartRateFacts

    /// Body mass index; nil if there is none to speak of.
    package var bodyMassIndex: BodyMassIndex? {
        BodyMassIndex(Person(heightCentimetres: heightCentimetres, weightKilograms: weightKilograms))
    }
}

// MARK: A request

extension Profile {
    private enum Entry<Value> {
        case empty
        case improper
        case proper(Value)

        var isEmpty: Bool { if case .empty = self { true } else { false } }
        var value: Value? { if case .proper(let value) = self { value } else { nil } }
    }

    /// The profile of a request. Optional fields that are left out stay as they were.
    /// - Parameters:
    ///   - old: what it was; nil for the first.
    ///   - now: Unix milliseconds: nobody is born tomorrow, on their own calendar.
    package init(_ fields: JSON, old: Profile?, now: Int64) throws(ReplyError) {
        let zoneName = Self.text("time_zone", fields).value ?? old?.timeZone
        let today = Self.today(zoneName.flatMap { ZoneRules($0) }, now)
        let birth = Self.dateOfBirth(fields, today)
        let name = Self.name(fields)
        let height = Self.number("height_cm", fields, in: ProfileRules.heights)
        let weight = Self.number("weight_kg", fields, in: ProfileRules.weights)
        let gender = Self.choice("gender", fields, Gender.self)
        if birth.isEmpty, name.isEmpty, height.isEmpty, weight.isEmpty { throw Self.empty("date_of_birth") }
        if birth.isEmpty { throw Self.selectDOB }
        if name.isEmpty { throw Self.enterName }
        if height.isEmpty { throw ReplyError(.invalid, "Enter Height", field: "height_cm") }
        if weight.isEmpty { throw ReplyError(.invalid, "Enter Weight", field: "weight_kg") }
        if gender.isEmpty { throw Self.empty("gender") }
        guard let birth = birth.value else { throw Self.selectDOB }
        guard let name = name.value else { throw Self.enterName }
        guard let height = height.value else { throw ReplyError(.invalid, "Enter Proper Height", field: "height_cm") }
        guard let weight = weight.value else { throw ReplyError(.invalid, "Enter Proper Weight", field: "weight_kg") }
        guard let gender = gender.value else { throw Self.notOne(of: Gender.self, "gender") }
        (dateOfBirth, self.name, self.gender) = (birth, name, gender)
        (heightCentimetres, weightKilograms) = (height, weight)
        voice = try Self.flag("voice", fields) ?? old?.voice ?? false
        continuousHeartRate = try Self.flag("continuous_heart_rate", fields) ?? old?.continuousHeartRate ?? false
        timeZone = try Self.timeZone(fields) ?? old?.timeZone
        locale = try Self.locale(fields) ?? old?.locale
        switch Self.choice("units", fields, Units.self) {
        case .empty: units = old?.units ?? .metric
        case .improper: throw Self.notOne(of: Units.self, "units")
        case .proper(let value): units = value
        }
        let person = Person(ageYears: Double(birth.age(on: today)))
        heart = try HeartRateFacts(fields, old: old?.heart ?? HeartRateFacts(), of: person)
    }

    private static func empty(_ field: String) -> ReplyError { ReplyError(.invalid, "Empty Fields", field: field) }
    private static let selectDOB = ReplyError(.invalid, "Select DOB", field: "date_of_birth")
    private static let enterName = ReplyError(.invalid, "Enter Name", field: "name")

    private static func notOne<Choice: CaseIterable & RawRepresentable<String>>(
        of choices: Choice.Type, _ field: String
    ) -> ReplyError {
        let known = choices.allCases.map(\.rawValue).joined(separator: ", ")
        return ReplyError(.invalid, "\"\(field)\" has to be one of \(known)", field: field)
    }

    private static func text(_ field: String, _ fields: JSON) -> Entry<String> {
        switch fields[field] {
        case nil, .null?: .empty
        case .string(let text)?: text.trimmed.isEmpty ? .empty : .proper(text.trimmed)
        default: .improper
        }
    }

    private static func name(_ fields: JSON) -> Entry<String> {
        let name = text("name", fields)
        guard let text = name.value else { return name }
        return ProfileRules.isName(text) && PlainText.isHarmless(text) ? name : .improper
    }

    private static func dateOfBirth(_ fields: JSON, _ today: CalendarDay) -> Entry<CalendarDay> {
        switch text("date_of_birth", fields) {
        case .empty: return .empty
        case .improper: return .improper
        case .proper(let text):
            guard let day = CalendarDay(text), ProfileRules.isDateOfBirth(day, on: today) else { return .improper }
            return .proper(day)
        }
    }

    /// Today in the person's zone; if that is not known, the day in the zone that reaches each day first.
    private static func today(_ zone: ZoneRules?, _ now: Int64) -> CalendarDay {
        zone?.day(at: now) ?? CalendarDay(localSeconds: now / 1000 + 14 * 3600)
    }

    private static func number(_ field: String, _ fields: JSON, in range: ClosedRange<Double>) -> Entry<Double> {
        switch fields[field] {
        case nil, .null?: .empty
        case .string(let text)? where text.trimmed.isEmpty: .empty
        case .integer(let value)? where range.contains(Double(value)): .proper(Double(value))
        case .number(let value)? where range.contains(value): .proper(value)
        default: .improper
        }
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ field: String, _ fields: JSON, _ choices: Choice.Type
    ) -> Entry<Choice> {
        switch text(field, fields) {
        case .empty: .empty
        case .improper: .improper
        case .proper(let text): Choice(rawValue: text).map(Entry.proper) ?? .improper
        }
    }

    private static func flag(_ field: String, _ fields: JSON) throws(ReplyError) -> Bool? {
        switch fields[field] {
        case nil, .null?: return nil
        case .bool(let value)?: return value
        default: throw ReplyError(.badRequest, "\"\(field)\" has to be true or false", field: field)
        }
    }

    private static func timeZone(_ fields: JSON) throws(ReplyError) -> String? {
        let name = text("time_zone", fields)
        if name.isEmpty { return nil }
        guard let text = name.value, ZoneRules(text) != nil else {
            throw ReplyError(.invalid, "Enter a known time zone, such as Europe/Berlin", field: "time_zone")
        }
        return text
    }

    private static func locale(_ fields: JSON) throws(ReplyError) -> String? {
        let tag = text("locale", fields)
        if tag.isEmpty { return nil }
        guard let text = tag.value, ProfileRules.isLanguageTag(text) else {
            throw ReplyError(.invalid, "Enter a language tag, such as de-AT", field: "locale")
        }
        return text
    }
}

// MARK: As it is kept

extension Profile {
    /// As it is kept and shown.
    package var json: JSON {
        let said = JSON.object(present: [
            "name": .string(name), "date_of_birth": .string("\(dateOfBirth)"), "gender": .string(gender.rawValue),
            "weight_kg": .number(weightKilograms), "height_cm": .number(heightCentimetres), "voice": .bool(voice),
            "continuous_heart_rate": .bool(continuousHeartRate), "time_zone": timeZone.map(JSON.string),
            "locale": locale.map(JSON.string), "units": .string(units.rawValue),
        ])
        return heart.members.reduce(said) { $0.with($1.name, $1.value) }
    }

    /// Reads what was kept, without checking again whether it would be allowed today; nil if it is not a profile.
    package init?(kept json: JSON) {
        guard case .string(let name)? = json["name"], case .string(let birth)? = json["date_of_birth"],
            let dateOfBirth = CalendarDay(birth),
            let gender = Self.choice("gender", json, Gender.self).value,
            let weight = Self.number("weight_kg", json, in: 0...(.greatestFiniteMagnitude)).value,
            let height = Self.number("height_cm", json, in: 0...(.greatestFiniteMagnitude)).value
        else { return nil }
        (self.name, self.dateOfBirth, self.gender) = (name, dateOfBirth, gender)
        (weightKilograms, heightCentimetres) = (weight, height)
        voice = json["voice"] == true
        continuousHeartRate = json["continuous_heart_rate"] == true
        timeZone = Self.text("time_zone", json).value
        locale = Self.text("locale", json).value
        units = Self.choice("units", json, Units.self).value ?? .metric
        heart = HeartRateFacts(kept: json)
    }
}

extension Documents {
    /// The units in which a person reads numbers: metric unless their profile says otherwise.
    package func units(of user: ID) throws(VaultError) -> Units {
        try read("profile", of: user).flatMap { Profile(kept: $0) }?.units ?? .metric
    }
}
