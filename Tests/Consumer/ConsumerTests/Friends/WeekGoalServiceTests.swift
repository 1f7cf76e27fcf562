import Files
import Fitness
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import vitals_consumer

@Suite("Goals of a week, at a running service", .timeLimit(.minutes(60)))
struct WeekGoalServiceTests {
    private let day: Int64 = 86_400_000

    @Test("are set, told once in the person's language, also of the week before, and stay reached after a restart")
    func told() throws {
        var people: [ID] = []
        func stands(_ circle: Circle) throws -> JSON? { try circle.done(people[0], "goals/get")["week"] }
        try Circle.with { circle in
            // It is Saturday.
            let ada = try circle.person(name: "Ada", locale: "de")
            people = [ada]
            let set = try circle.done(ada, "goals/set", ["steps": 1000, "week_days": 2])
            #expect(
                set["week"] == [
                    "from": "2026-11-16", "to": "2026-11-22",
                    "week_days": ["percent": 0, "reached": false, "target": 2, "value": 0],
                    "week_minutes": ["reached": false, "value": 0],
                ])
            // Monday keeps its goal of that time, 10,000 steps, and no notification announces it.
            try circle.walk(ada, at: start - 5 * day, 0, 10_000)
            #expect(try stands(circle)?["week_days"]?["value"] == 1 && circle.told(ada, "goal-reached").isEmpty)
            try circle.walk(ada, 10_000, 11_000)
            let words = ["Wochenziel erreicht: alle Tagesziele, an 2 von 7 Tagen.", "Ziel erreicht: 1.000 Schritte."]
            #expect(try circle.told(ada, "goal-reached") == words)
            let week = try circle.notifications(ada)[0]
            #expect(week["goal"] == "week_days" && week["day"] == "2026-11-16")
            #expect(
                try circle.done(ada, "goals/streaks")
                    == ["day": "2026-11-21", "days": ["steps": 1], "weeks": ["week_days": 1]])
            try circle.done(ada, "goals/set", ["week_days": 1, "week_minutes": 60])
            circle.advance(2 * day)
            // Late in the week after: a run in zone 4, and one of two weeks ago.
            let effort = Effort(active: 1800, recorded: 1800, zones: [0, 0, 0, 1800, 0])
            try circle.exercise(ada, "late", start, 1_800_000, effort)
            try circle.exercise(ada, "old", start - 7 * day, 1_800_000, effort)
            #expect(
                try circle.told(ada, "goal-reached") == ["Letzte Woche hast du dein Ziel erreicht: 60 aktive Minuten."]
                    + words)
        } then: { circle in
            try circle.done(people[0], "goals/set", ["steps": 500])
            #expect(try circle.told(people[0], "goal-reached").count == 3)
            #expect(
                try circle.done(people[0], "goals/streaks")
                    == ["day": "2026-11-23", "days": ["steps": 0], "weeks": ["week_days": 1, "week_minutes": 1]])
            #expect(try stands(circle)?["week_minutes"] == ["percent": 0, "reached": false, "target": 60, "value": 0])
        }
    }

    @Test("say yesterday where late readings reach a goal of yesterday")
    func yesterday() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada")
            circle.advance(day)
            try circle.walk(ada, at: start, 0, 10_000)
            #expect(try circle.told(ada, "goal-reached") == ["Yesterday you reached your goal: 10,000 steps."])
        }
    }

    @Test("refuse what is out of their limits")
    func limits() throws {
        try Circle.with { circle in
            let ada = try circle.person()
            for (field, value) in [
                ("week_days", 0), ("week_days", 8), ("week_days", "all"), ("week_minutes", 10_081),
                ("week_minutes", -5),
                ("distance_on_foot", "yes"), ("distance_on_foot", true),
            ] as [(String, JSON)] {
                #expect(
                    try circle.refused(circle.person(), "goals/set", .object([.init(field, value)])).field == field,
                    "\(field): \(value)")
            }
            let none = try circle.refused(ada, "goals/set", ["distance_m": .null, "distance_on_foot": true])
            #expect(
                none.field == "distance_on_foot"
                    && none.message == "\"distance_on_foot\" needs a goal in \"distance_m\"")
            let set = try circle.done(ada, "goals/set", ["week_days": 7, "week_minutes": 10_080])
            #expect(set["week"]?["week_days"]?["target"] == 7)
            #expect(
                try circle.done(ada, "goals/set", ["week_days": .null])["week"]?["week_days"] == [
                    "reached": false, "value": 0,
                ])
        }
    }

    @Test("A distance that is wanted on foot is reached on foot alone, and told so")
    func onFoot() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada", locale: "en")
            let set = try circle.done(ada, "goals/set", ["steps": .null, "distance_m": 5000, "distance_on_foot": true])
            #expect(set["goals"]?["distance_m"] == ["on_foot": true, "reached": false, "target": 5000])
            try circle.exercise(ada, "ride", start - 7_200_000, 3_600_000, metres: 20_000, "cycling")
            #expect(
                try circle.done(ada, "statistics/today")["distance_m"] == 20_000
                    && circle.told(ada, "goal-reached").isEmpty)
            try circle.exercise(ada, "run", start - 3_600_000, 3_000_000, metres: 6000, "running")
            #expect(try circle.told(ada, "goal-reached") == ["You have reached your goal: 5.00 km on foot."])
            try circle.wait(ada, "goals/distance") {
                $0?["value"] == 6000 && $0?["on_foot"] == true && $0?["state"] == "reached"
            }
            let shared = try circle.done(ada, "goals/share", ["goal": "distance"])
            #expect(
                try shared.text("text")
                    == "6.00 km on foot on 21 November 2026: I have reached my goal of 5.00 km on foot!")
            // Set without it, all ways count.
            let all = try circle.done(ada, "goals/set", ["distance_m": 5000])
            #expect(all["goals"]?["distance_m"]?["value"] == 26_000 && all["goals"]?["distance_m"]?["on_foot"] == nil)
        }
    }
}

extension Circle {
    /// A workout of the person's that is over.
    func exercise(
        _ user: ID, _ id: String, _ began: Int64, _ lasted: Int64, metres: Double? = nil,
        _ activity: String = "running",
        _ effort: Effort? = nil
    ) throws {
        let now = self.now
        let workout = DayWorkout(
            id: id, activity, began..<began + lasted, metres: metres, kilocalories: nil, rank: 0, effort: effort)
        try onSession { [consumer] context in
            try context.store.change(user) { () throws(VaultError) in
                try consumer.days.take(workout, of: user, silently: false, wasCounted: false, now: now)
            }
            consumer.days.committed()
        }
    }

    func exercise(_ user: ID, _ id: String, _ began: Int64, _ lasted: Int64, _ effort: Effort) throws {
        try exercise(user, id, began, lasted, "running", effort)
    }
}
