import Files
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Reminders
@testable import vitals_consumer

@Suite("Reminders, at a running service", .timeLimit(.minutes(60)))
struct ReminderServiceTests {
    /// Every day at ten.
    private static let daily: JSON = [
        "label": "Stretching", "time": "10:00",
        "weekdays": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    ]

    @Test("are saved, changed and deleted with the words that people know, and each change has its number and time")
    func words() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada")
            let fields = Self.daily.replacing("label", with: "").replacing("weekdays", with: [])
            #expect(try circle.refused(ada, "reminders/add", fields).message == "Enter Title")
            for title in ["", " \u{2003}", "\u{200B}"] as [JSON] {
                let wrong = try circle.refused(ada, "reminders/add", Self.daily.replacing("label", with: title))
                #expect(wrong.message == "Enter Title" && wrong.field == "label" && wrong.code == .invalid)
            }
            for days in [nil, []] as [JSON?] {
                let wrong = try circle.refused(ada, "reminders/add", Self.daily.replacing("weekdays", with: days))
                #expect(wrong.message == "Select Repeat" && wrong.field == "weekdays")
            }
            for alert in ["", "soon", -1, 10_081, true, .number(1.5)] as [JSON] {
                let wrong = try circle.refused(ada, "reminders/add", Self.daily.with("alert_min", alert))
                #expect(wrong.message == "Select Alert" && wrong.field == "alert_min", "\(alert)")
            }
            #expect(try circle.done(ada, "reminders/list") == ["reminders": []])

            // It is nine on Saturday: today's is in an hour.
            let saved = try circle.done(ada, "reminders/add", Self.daily)
            #expect(saved["message"] == "Reminder Saved Successfully" && saved["alert_min"] == 0)
            #expect(saved["first_day"] == "2026-11-21" && saved["next"] == .integer(start + 3_600_000))
            #expect(saved["revision"] == 1 && saved["changed"] == .integer(start) && saved["enabled"] == true)
            let id = saved["reminder"] ?? .null
            circle.advance(1000)
            let change: JSON = ["reminder": id, "label": "Yoga", "weekdays": ["sunday"], "alert_min": 30]
            let changed = try circle.done(ada, "reminders/change", change)
            #expect(changed["message"] == "Reminder Updated Successfully" && changed["label"] == "Yoga")
            #expect(changed["time"] == "10:00" && changed["weekdays"] == ["sunday"])
            #expect(changed["next"] == .integer(start + 86_400_000 + 1_800_000))
            #expect(changed["revision"] == 2 && changed["changed"] == .integer(start + 1000))
            circle.advance(1000)
            // What changes nothing is no change.
            #expect(try circle.done(ada, "reminders/change", change) == changed)
            let none = try circle.done(ada, "reminders/change", ["reminder": id, "alert_min": .null])
            #expect(none["alert_min"] == nil && none["next"] == nil && none["revision"] == 3)
            #expect(
                try circle.done(ada, "reminders/delete", ["reminder": id])
                    == ["message": "Reminder Deleted Successfully", "reminder": id])
            let gone = try circle.refused(ada, "reminders/delete", ["reminder": id])
            #expect(gone.code == .notFound && gone.field == "reminder")
        }
    }

    @Test(
        "are limited: how many, how long their labels are, and what their days and times may be; others' are nobody's")
    func limits() throws {
        try Circle.with { circle in
            let long = String(repeating: "ä", count: 64)
            for (field, value) in [
                ("label", .string(long + "a")), ("label", "two\nlines"), ("label", 5),
                ("label", .string(String(repeating: "e\u{301}\u{301}\u{301}", count: 64))),
                ("time", "24:00"), ("time", "7:30"), ("time", nil), ("time", 450), ("first_day", "2026-02-30"),
                ("first_day", "1969-12-31"), ("first_day", "2200-01-01"), ("first_day", "tomorrow"),
                ("weekdays", ["caturday"]), ("weekdays", "monday"), ("enabled", "yes"),
                ("weekdays", .array([JSON](repeating: "monday", count: 8))),
            ] as [(String, JSON?)] {
                // Nobody may ask so often within a second.
                let wrong = try circle.refused(
                    circle.person(), "reminders/add", Self.daily.replacing(field, with: value))
                #expect(wrong.field == field, "\(field): \(wrong)")
            }
            let (ada, ben) = (try circle.person(name: "Ada"), try circle.person(name: "Ben"))
            let most = Self.daily.replacing("label", with: .string(long)).with("first_day", "2199-12-31")
            let first = try circle.done(ada, "reminders/add", most)["reminder"] ?? .null
            try circle.onSession { context in
                try context.store.change(ada) { () throws(VaultError) in
                    let list = ReminderList(documents: context.documents)
                    var kept = try list.read(ada)
                    while kept.count < ReminderList.most { kept.append(kept[0]) }
                    try list.write(kept, of: ada)
                }
            }
            #expect(try elements(circle.done(ada, "reminders/list"), "reminders").count == 50)
            let full = try circle.refused(ada, "reminders/add", Self.daily)
            #expect(full.code == .notAllowed && full.message.contains("you have 50 reminders already"))
            try circle.done(ben, "reminders/add", Self.daily)
            for verb in ["change", "delete"] {
                #expect(try circle.refused(ben, "reminders/\(verb)", ["reminder": first]).code == .notFound)
            }
            try circle.done(ada, "reminders/delete", ["reminder": first])
            try circle.done(ada, "reminders/add", Self.daily)
            #expect(try circle.refused(ada, "reminders/add", Self.daily).code == .notAllowed)
        }
    }

    @Test(
        "are told once, in the person's language and at their time; disabling silences the alarm alone, also after a restart"
    )
    func told() throws {
        var (people, ids): ([ID], [JSON]) = ([], [])
        try Circle.with { circle in
            let (ada, ben) = (try circle.person(name: "Ada"), try circle.person(name: "Ben", locale: "de-AT"))
            people = [ada, ben]
            ids.append(try circle.done(ada, "reminders/add", Self.daily)["reminder"] ?? .null)
            let ahead = Self.daily.replacing("time", with: "00:30").with("alert_min", 45)
            ids.append(try circle.done(ben, "reminders/add", ahead)["reminder"] ?? .null)
            circle.advance(3_599_999)
            try circle.look()
            #expect(try circle.reminded(ada).isEmpty)
            circle.advance(1)
            for _ in 0..<2 { try circle.look() }
            let notification = try #require(try circle.reminded(ada).first)
            #expect(notification["text"] == "Reminder: Stretching, at 10:00." && notification["day"] == "2026-11-21")
            #expect(notification["time"] == .integer(start + 3_600_000) && notification["kind"] == "reminder")
            #expect(notification["reminder"] == ids[0])
            // Ben hears at a quarter to midnight of what is tomorrow.
            circle.advance(13 * 3_600_000 + 2_700_000)
            try circle.look()
            #expect(
                try circle.reminded(ben).map { $0["text"] }
                    == ["Erinnerung: Stretching, um 00:30 Uhr am 22. November 2026."])
            try circle.done(ada, "reminders/change", ["reminder": ids[0], "enabled": false])
        } then: { circle in
            let (ada, ben) = (people[0], people[1])
            try circle.look()
            #expect(try circle.reminded(ada).count == 1 && circle.reminded(ben).count == 1)
            // It is nearly midnight: tomorrow's is silent, and what was silent is not told afterwards.
            circle.advance(10 * 3_600_000 + 1_800_000)
            try circle.look()
            let listed = try elements(circle.done(ada, "reminders/list"), "reminders")
            #expect(listed[0]["enabled"] == false && listed[0]["next"] == nil)
            let enabled = try circle.done(ada, "reminders/change", ["reminder": ids[0], "enabled": true])
            #expect(enabled["next"] == .integer(start + 2 * 86_400_000 + 3_600_000))
            try circle.look()
            #expect(try circle.reminded(ada).count == 1)
            circle.advance(86_400_000)
            try circle.look()
            #expect(try circle.reminded(ada).count == 2)
        }
    }

    @Test("are told in the second in which they are due, even if they are changed, silenced or deleted in it")
    func changedWhenDue() throws {
        try Circle.with { circle in
            let ada = try circle.person()
            let ids = try (1...3).map { _ in try circle.done(ada, "reminders/add", Self.daily)["reminder"] ?? .null }
            circle.advance(3_600_000)
            try circle.done(ada, "reminders/change", ["reminder": ids[0], "time": "11:00"])
            try circle.done(ada, "reminders/change", ["reminder": ids[1], "enabled": false])
            try circle.done(ada, "reminders/delete", ["reminder": ids[2]])
            #expect(try circle.reminded(ada).count == 3)
            circle.advance(3_600_000)
            try circle.look()
            #expect(try circle.reminded(ada).count == 4)
        }
    }

    @Test("follow the first time zone that a person names")
    func firstZone() throws {
        try Circle.with { circle in
            let ada = try circle.person()
            try circle.done(ada, "reminders/add", Self.daily.replacing("time", with: "22:00"))
            // It is nine in the morning for the service, and six in the evening in Tokyo.
            try circle.move(ada, to: "Asia/Tokyo")
            circle.advance(4 * 3_600_000)
            try circle.look()
            #expect(try circle.reminded(ada).map { $0["time"] } == [.integer(start + 4 * 3_600_000)])
        }
    }

    @Test("are told up to an hour late after a pause, and follow a person who moves, and end with what is deleted")
    func late() throws {
        var people: [ID] = []
        try Circle.with { circle in
            people = [try circle.person(name: "Ada"), try circle.person(name: "Ben")]
            for user in people { try circle.done(user, "reminders/add", Self.daily) }
        } between: { _, _ in
        } then: { circle in
            let (ada, ben) = (people[0], people[1])
            circle.advance(2 * 3_600_000)
            try circle.look()
            #expect(try circle.reminded(ada).count == 1)
            // Ten o'clock comes again in New York, but today's was told.
            try circle.move(ada, to: "America/New_York")
            circle.advance(4 * 3_600_000)
            try circle.look()
            #expect(try circle.reminded(ada).count == 1 && circle.reminded(ben).count == 1)
            // Nobody has looked until an hour after Ben's next one.
            circle.advance(20 * 3_600_000 + 1)
            try circle.look()
            #expect(try circle.reminded(ben).map { $0["day"] } == ["2026-11-21"])
            circle.advance(4 * 3_600_000 - 2)
            try circle.look()
            #expect(try circle.reminded(ada).count == 1)
            circle.advance(1)
            try circle.look()
            #expect(try circle.reminded(ada).map { $0["day"] } == ["2026-11-22", "2026-11-21"])
            let asked = try circle.done(ben, "reset-all/ask")
            try circle.done(ben, "reset-all/confirm", ["confirmation": asked["confirmation"] ?? .null])
            circle.advance(86_400_000)
            try circle.look()
            #expect(try circle.done(ben, "reminders/list") == ["reminders": []])
            #expect(try circle.reminded(ben).isEmpty && circle.reminded(ada).count == 3)
        }
    }
}

extension Circle {
    /// Has the service look at what is due, as it does each second.
    fileprivate func look() throws {
        try onSession { [consumer] _ in
            let reminders = try #require(consumer.features.only(Reminders.self))
            while reminders.lookAround() {}
        }
    }

    /// What somebody was reminded of, the latest first.
    fileprivate func reminded(_ user: ID) throws -> [JSON] {
        try notifications(user).filter { $0["kind"] == "reminder" }
    }

    fileprivate func move(_ user: ID, to zone: String) throws {
        try done(
            user, "profile/set",
            [
                "name": "Ada", "date_of_birth": "1990-12-10", "gender": "female", "height_cm": 170, "weight_kg": 64,
                "time_zone": .string(zone),
            ])
    }
}

extension JSON {
    /// The same object with another value of a member, or without it.
    func replacing(_ name: String, with value: JSON?) -> JSON {
        guard case .object(let members) = self else { return self }
        let others = members.filter { $0.name != name }
        return .object(others + (value.map { [Member(name, $0)] } ?? []))
    }
}
