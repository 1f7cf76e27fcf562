import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Sharing
@testable import vitals_consumer

@Suite("Weeks that are told by themselves, at a running service", .timeLimit(.minutes(60)))
struct WeeklyServiceTests {
    private let hour: Int64 = 3_600_000
    private let day: Int64 = 86_400_000
    private static let words = "Deine Woche vom 16. November 2026 bis zum 22. November 2026: 12.000 Schritte"

    @Test(
        "are told to nobody who has not asked for it, and to others once, on Monday at eight where they are, also after a restart"
    )
    func told() throws {
        var people: [ID] = []
        try Circle.with { circle in
            let (ada, ben) = (try circle.person(name: "Ada", locale: "de"), try circle.person(name: "Ben"))
            people = [ada, ben]
            for user in people { try circle.walk(user, 0, 12_000) }
            #expect(try circle.done(ada, "weekly/get") == ["wanted": false])
            let monday = start + 47 * hour
            #expect(try circle.done(ada, "weekly/set", ["wanted": true]) == ["next": .integer(monday), "wanted": true])
            circle.advance(47 * hour - 1)
            try circle.lookAtWeeks()
            #expect(try circle.told(ada, "week").isEmpty)
            circle.advance(1)
            for _ in 0..<2 { try circle.lookAtWeeks() }
            let told = try circle.told(ada, "week")
            #expect(
                told.count == 1 && told[0].hasPrefix(Self.words)
                    && told[0].contains("alle Tagesziele an 1 von 7 Tagen"), "\(told)")
            let notification = try #require(try circle.notifications(ada).first { $0["kind"] == "week" })
            #expect(notification["day"] == "2026-11-16" && notification["time"] == .integer(monday))
            #expect(try circle.told(ben, "week").isEmpty)
            #expect(try circle.done(ada, "weekly/get")["next"] == .integer(monday + 7 * day))
            // After off and on again, the week is not announced twice.
            for isWanted in [false, true] { try circle.done(ada, "weekly/set", ["wanted": .bool(isWanted)]) }
            try circle.lookAtWeeks()
            #expect(try circle.told(ada, "week").count == 1)
        } then: { circle in
            let ada = people[0]
            try circle.lookAtWeeks()
            #expect(try circle.told(ada, "week").count == 1)
            // Nothing was recorded in the next week.
            circle.advance(7 * day)
            try circle.lookAtWeeks()
            #expect(try circle.told(ada, "week").count == 1)
            try circle.walk(ada, 12_000, 12_900)
            // Of the missed weeks, only the latest is announced.
            circle.advance(14 * day)
            try circle.lookAtWeeks()
            #expect(try circle.told(ada, "week").count == 1)
            try circle.walk(ada, at: circle.now - 4 * day, 20_000, 20_500)
            circle.advance(day)
            try circle.lookAtWeeks()
            #expect(try circle.told(ada, "week").count == 1)
            circle.advance(6 * day)
            try circle.walk(ada, at: circle.now - 4 * day, 30_000, 30_500)
            try circle.lookAtWeeks()
            #expect(try circle.told(ada, "week").count == 2)
        }
    }

    @Test("move with their person, and end with everything else that is deleted")
    func moved() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada")
            #expect(try circle.refused(ada, "weekly/set").field == "wanted")
            #expect(try circle.refused(ada, "weekly/set", ["wanted": 1]).field == "wanted")
            try circle.done(ada, "weekly/set", ["wanted": true])
            try circle.walk(ada, 0, 500)
            try circle.done(
                ada, "profile/set",
                [
                    "name": "Ada", "date_of_birth": "1990-12-10", "gender": "female", "height_cm": 170, "weight_kg": 64,
                    "time_zone": "Pacific/Auckland",
                ])
            circle.advance(34 * hour - 1)
            try circle.lookAtWeeks()
            #expect(try circle.told(ada, "week").isEmpty)
            circle.advance(1)
            try circle.lookAtWeeks()
            #expect(try circle.told(ada, "week").count == 1)
            try circle.done(ada, "weekly/set", ["wanted": false])
            try circle.walk(ada, 500, 900)
            circle.advance(7 * day)
            try circle.lookAtWeeks()
            #expect(try circle.told(ada, "week").count == 1)
        }
    }
}

extension Circle {
    /// Has the service check the weeks that are over, as it does each second, and waits until all are announced.
    fileprivate func lookAtWeeks() throws {
        let weeks = try #require(consumer.features.only(WeeklySummaries.self))
        try onSession { _ in while weeks.lookAround() {} }
        _ = try found("the weeks") { weeks.reading == nil ? true : nil }
    }
}
