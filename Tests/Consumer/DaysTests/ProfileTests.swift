import DaysSupport
import Fitness
import Telemetry
import TestSupport
import Testing

@testable import Days

@Suite("A profile")
struct ProfileTests {
    /// 2026-11-21T12:00:00Z
    static let noon: Int64 = 1_795_262_400_000

    enum State: CaseIterable {
        case left, null, blank, improper, proper

        var isEmpty: Bool { self != .improper && self != .proper }
    }

    static let values: [(field: String, improper: JSON, proper: JSON)] = [
        ("date_of_birth", "2026-11-23", "1815-12-10"), ("name", "Ada\nLovelace", " Ada Lovelace "),
        ("height_cm", 15, .number(165.5)),
        ("weight_kg", "60", 60), ("gender", "lady", "female"),
    ]

    /// What is wrong, from a table that is written out: which fields are empty, which are improper.
    static func expected(_ states: [State]) -> ReplyError? {
        let empty = Set(zip(values, states).filter { $1.isEmpty }.map(\.0.field))
        let improper = Set(zip(values, states).filter { $1 == .improper }.map(\.0.field))
        let table: [(when: Bool, words: String, field: String)] = [
            (
                empty.isSuperset(of: ["date_of_birth", "name", "height_cm", "weight_kg"]), "Empty Fields",
                "date_of_birth"
            ),
            (empty.contains("date_of_birth"), "Select DOB", "date_of_birth"),
            (empty.contains("name"), "Enter Name", "name"),
            (empty.contains("height_cm"), "Enter Height", "height_cm"),
            (empty.contains("weight_kg"), "Enter Weight", "weight_kg"),
            (empty.contains("gender"), "Empty Fields", "gender"),
            (improper.contains("date_of_birth"), "Select DOB", "date_of_birth"),
            (improper.contains("name"), "Enter Name", "name"),
            (improper.contains("height_cm"), "Enter Proper Height", "height_cm"),
            (improper.contains("weight_kg"), "Enter Proper Weight", "weight_kg"),
            (improper.contains("gender"), "\"gender\" has to be one of female, male, other, undisclosed", "gender"),
        ]
        return table.first { $0.when }.map { ReplyError(.invalid, $0.words, field: $0.field) }
    }

    static func request(_ states: [State]) -> JSON {
        var members: [JSON.Member] = []
        for (value, state) in zip(values, states) {
            switch state {
            case .left: break
            case .null: members.append(JSON.Member(value.field, .null))
            case .blank: members.append(JSON.Member(value.field, " "))
            case .improper: members.append(JSON.Member(value.field, value.improper))
            case .proper: members.append(JSON.Member(value.field, value.proper))
            }
        }
        return .object(members)
    }

    static func refusal(_ fields: JSON, old: Profile? = nil, now: Int64 = noon) -> ReplyError? {
        do throws(ReplyError) {
            _ = try Profile(fields, old: old, now: now)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "tells for every combination of empty, improper and proper fields what is wrong, in the words of the requirements"
    )
    func everyCombination() {
        var tried = 0
        var states = [State](repeating: .left, count: 5)
        for number in 0..<3125 {
            var rest = number
            for index in states.indices {
                states[index] = State.allCases[rest % 5]
                rest /= 5
            }
            // Nobody was born in 1815 who could ask; the table is about 1915.
            var fields = Self.request(states)
            if case .object(var members) = fields, let index = members.firstIndex(where: { $0.value == "1815-12-10" }) {
                members[index].value = "1915-12-10"
                fields = .object(members)
            }
            let found = Self.refusal(fields)
            if found != Self.expected(states) {
                Issue.record("\(String(decoding: fields.bytes, as: UTF8.self)): \(String(describing: found))")
            }
            tried += 1
        }
        #expect(tried == 3125)
    }

    func with(_ field: String, _ value: JSON) -> JSON {
        guard case .object(let members) = properProfile else { return properProfile }
        return .object(members.filter { $0.name != field } + [JSON.Member(field, value)])
    }

    @Test(
        "takes only what a person can be",
        arguments: [
            ("weight_kg", 1.9, false), ("weight_kg", 2, true), ("weight_kg", 500, true), ("weight_kg", 500.1, false),
            ("weight_kg", -60, false),
            ("weight_kg", 0, false), ("height_cm", 39.9, false), ("height_cm", 40, true), ("height_cm", 275, true),
            ("height_cm", 1.75, false),
            ("height_cm", 276, false), ("height_cm", .infinity, false),
        ] as [(String, Double, Bool)])
    func bounds(field: String, value: Double, isProper: Bool) {
        let words = field == "weight_kg" ? "Enter Proper Weight" : "Enter Proper Height"
        let json = Int64(exactly: value).map(JSON.integer) ?? .number(value)
        let fields = with(field, value.isInfinite ? true : json)
        #expect(Self.refusal(fields) == (isProper ? nil : ReplyError(.invalid, words, field: field)))
    }

    @Test("takes a name that can be seen")
    func names() throws {
        for name in ["\u{200B}", "\u{2060}\u{FE0F} ", "\u{00AD}"] {
            #expect(thrown(ReplyError.self) { try Profile(with("name", .string(name)), old: nil, now: Self.noon) }?.field == "name", "\(name.unicodeScalars)")
        }
        for name in ["李", "👩‍👧", "Zoë"] { _ = try Profile(with("name", .string(name)), old: nil, now: Self.noon) }
    }

    @Test(
        "takes for a date of birth a day that has been, on the person's own calendar, and of at most 130 years ago",
        arguments: [
            ("2026-11-21", nil, true), ("2026-11-22", nil, true), ("2026-11-23", nil, false),
            ("2026-11-21", "Europe/Berlin", true),
            ("2026-11-22", "Europe/Berlin", false), ("2026-11-22", "Pacific/Kiritimati", true),
            ("2026-11-21", "Pacific/Pago_Pago", true),
            ("2026-11-22", "Pacific/Pago_Pago", false), ("1896-11-22", nil, true), ("1895-11-20", nil, false),
            ("1990-02-29", nil, false),
            ("1992-02-29", nil, true), ("1990-13-01", nil, false), ("1990-00-10", nil, false),
            ("10.12.1990", nil, false),
            ("1990-12-10T00:00:00Z", nil, false), ("1990-1-1", nil, false), ("0000-01-01", nil, false),
            ("19９0-01-01", nil, false),
        ] as [(String, String?, Bool)])
    func birth(day: String, zone: String?, isProper: Bool) {
        var fields = with("date_of_birth", .string(day))
        if let zone, case .object(let members) = fields {
            fields = .object(members + [JSON.Member("time_zone", .string(zone))])
        }
        #expect(Self.refusal(fields) == (isProper ? nil : ReplyError(.invalid, "Select DOB", field: "date_of_birth")))
    }

    @Test("has nothing on or off that the person has not said, and keeps what a request leaves out")
    func optional() throws {
        let first = try Profile(properProfile, old: nil, now: Self.noon)
        #expect(!first.voice && !first.continuousHeartRate && first.units == .metric && first.timeZone == nil)
        var fields = with("voice", true)
        for (name, value) in [
            ("continuous_heart_rate", true), ("time_zone", "Asia/Kolkata"), ("locale", "de-AT"), ("units", "imperial"),
        ] as [(String, JSON)] {
            guard case .object(let members) = fields else { return }
            fields = .object(members + [JSON.Member(name, value)])
        }
        let second = try Profile(fields, old: first, now: Self.noon)
        #expect(second.voice && second.continuousHeartRate && second.units == .imperial)
        #expect(second.timeZone == "Asia/Kolkata" && second.locale == "de-AT")
        #expect(try Profile(properProfile, old: second, now: Self.noon) == second)
        #expect(Profile(kept: second.json) == second && Profile(kept: first.json) == first)
        let off = try Profile(with("voice", false), old: second, now: Self.noon)
        #expect(!off.voice && off.continuousHeartRate)
    }

    @Test(
        "says of each optional field what it may be",
        arguments: [
            ("voice", "yes", ReplyError(.badRequest, "\"voice\" has to be true or false", field: "voice")),
            ("voice", 1, ReplyError(.badRequest, "\"voice\" has to be true or false", field: "voice")),
            (
                "continuous_heart_rate", "on",
                ReplyError(
                    .badRequest, "\"continuous_heart_rate\" has to be true or false", field: "continuous_heart_rate")
            ),
            ("units", "stone", ReplyError(.invalid, "\"units\" has to be one of metric, imperial", field: "units")),
            ("units", 7, ReplyError(.invalid, "\"units\" has to be one of metric, imperial", field: "units")),
            ("locale", "german!", ReplyError(.invalid, "Enter a language tag, such as de-AT", field: "locale")),
        ] as [(String, JSON, ReplyError)])
    func optionalRefusals(field: String, value: JSON, refusal: ReplyError) {
        #expect(Self.refusal(with(field, value)) == refusal)
    }

    @Test("knows the shape of a language tag")
    func languageTags() {
        for tag in ["de", "de-AT", "zh-Hant-TW", "sr-Latn-RS", "es-419", "sl-rozaj-biske", "de-DE-u-co-phonebk", "gsw"]
        {
            #expect(ProfileRules.isLanguageTag(tag), "\(tag)")
        }
        for tag in [
            "", "d", "german", "de_AT", "de-", "-de", "de--AT", "de-x", "12-DE", "de-abcdefghi", "dé-AT",
            String(repeating: "de-", count: 20) + "de",
        ] {
            #expect(!ProfileRules.isLanguageTag(tag), "\(tag)")
        }
    }

    @Test(
        "refuses a time zone that the system has no rules for, and never takes it for UTC",
        arguments: [
            "Europe/Atlantis", "europe/berlin", "UTC+1", "../../etc/passwd", "Europe/../Europe/Berlin",
            "/usr/share/zoneinfo/UTC", "right/UTC",
            "posix/UTC", "Europe", "zone.tab", "tzdata.zi", "Europe/Berlin\u{0}", "Europe//Berlin", "Europe/Berlin/",
            "+VERSION", "leapseconds",
            "Europe/Berlin ü", "localtime", "a/b/c/d",
        ])
    func zones(name: String) {
        let expected = ReplyError(.invalid, "Enter a known time zone, such as Europe/Berlin", field: "time_zone")
        #expect(Self.refusal(with("time_zone", .string(name))) == expected)
        #expect(Self.refusal(with("time_zone", 1)) == expected)
    }

    @Test("counts years as people do")
    func ages() throws {
        let leap = try #require(CalendarDay("1992-02-29"))
        for (day, age) in [("2025-02-28", 32), ("2025-03-01", 33), ("2024-02-29", 32), ("1992-02-29", 0)] {
            #expect(leap.age(on: try #require(CalendarDay(day))) == age)
        }
        for text in ["1970-01-01", "0001-01-01", "1600-02-29", "1999-12-31", "2000-03-01", "2026-11-21", "9999-12-31"] {
            let day = try #require(CalendarDay(text))
            #expect(day.description == text)
            #expect(CalendarDay(localSeconds: day.daysSince1970 * 86_400) == day)
            #expect(CalendarDay(localSeconds: day.daysSince1970 * 86_400 + 86_399) == day)
        }
    }
}
