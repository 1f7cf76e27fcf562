import DaysSupport
import Fitness
import Foundation
import FoundationXML
import HouseholdSupport
import MQTT
import Pictures
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Insight
@testable import vitals_consumer

@Suite("Goals", .timeLimit(.minutes(60)))
struct GoalTests {
    @Test("are ten thousand steps, are set, reached once, and stay reached")
    func goals() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada", locale: "de")
            #expect(try circle.done(ada, "goals/get")["goals"]?["steps"]?["target"] == 10_000)
            try circle.walk(ada, 0, 9999)
            try circle.wait(ada, "goals/steps") { $0?["value"] == 9999 && $0?["state"] == "open" }
            try circle.walk(ada, 0, 9999, 10_000)
            let told = try #require(try circle.next(ada, "notifications"))
            #expect(told["kind"] == "goal-reached" && told["goal"] == "steps" && told["day"] == "2026-11-21")
            #expect(told["text"] == "Ziel erreicht: 10.000 Schritte.")
            try circle.wait(ada, "goals/steps") { $0?["state"] == "reached" && $0?["percent"] == 100 }
            try circle.wait(ada, "today") { $0?["steps"] == 10_000 && $0?["goals"]?["steps"]?["reached"] == true }
            // More steps, and another target that is reached, too, are no news.
            try circle.walk(ada, 0, 9999, 10_000, 10_500)
            let set = try circle.done(ada, "goals/set", ["steps": 10_200, "distance_m": 1000, "energy_kcal": .null])
            #expect(set["goals"]?["steps"]?["target"] == 10_200 && set["goals"]?["distance_m"]?["target"] == 1000)
            let second = try #require(try circle.next(ada, "notifications"))
            #expect(second["goal"] == "distance" && second["text"] == "Ziel erreicht: 1,00 km.")
            #expect(try circle.notifications(ada).count == 2)
            // Removed: no topic.
            try circle.done(ada, "goals/set", ["distance_m": .null])
            try circle.wait(ada, "goals/distance") { $0 == nil }
            let left = try circle.done(ada, "goals/set")
            #expect(left["goals"]?["steps"]?["target"] == 10_200)
            for (field, value) in [("steps", "many"), ("distance_m", -1), ("energy_kcal", 1_000_000_000), ("steps", 0)]
                as [(String, JSON)]
            {
                #expect(try circle.refused(ada, "goals/set", .object([.init(field, value)])).field == field)
            }
            // The next day begins with nothing reached.
            circle.advance(86_400_000)
            #expect(try circle.done(ada, "goals/get")["goals"]?["steps"]?["reached"] == false)
        }
    }

    @Test("of days before yesterday are kept quietly, and those of days to come wait for them")
    func late() throws {
        let household = try Household()
        let parts = try household.open()
        let notifications = Notifications(parts.store, parts.keys)
        let user = try ID("demo")
        let today = try #require(CalendarDay("2026-11-21"))
        for (days, announced) in [(0, 1), (-1, 2), (-2, 2), (1, 2), (2, 2)] {
            var goals: [Goal: GoalDay] = [.steps: GoalDay(target: 10, value: 10)]
            for _ in 1...2 {
                try GoalReaching(notifications).evaluate(
                    &goals, on: today.advanced(by: days), today: today, of: user, silently: false, now: start)
            }
            #expect(goals[.steps]?.reached == (days > 0 ? nil : GoalDay.Reached(target: 10, time: start)))
            #expect(try notifications.list(of: user, withConfirmed: true, limit: 9).notifications.count == announced)
        }
    }

    @Test("are shared as a sentence, a link of the operator's and a small picture that is proper XML")
    func sharing() throws {
        try Circle.with(more: #"share_link: "https://example.org/?d={day}#{goal}","#) { circle in
            let ada = try circle.person(name: "Ada <script>", locale: "en")
            #expect(try circle.refused(ada, "goals/share").code == .notFound)
            try circle.walk(ada, 0, 12_345)
            let shared = try circle.done(ada, "goals/share")
            #expect(
                shared["text"] == "12,345 steps on 21 November 2026: I have reached my goal of 10,000 steps!")
            #expect(shared["link"] == "https://example.org/?d=2026-11-21#steps")
            let svg = try shared.text("svg")
            #expect(svg.utf8.count < 8192 && !svg.contains("Ada") && svg.contains("12,345 steps"))
            let distance = try circle.done(ada, "goals/share", ["goal": "distance", "day": "2026-11-21"])
            #expect(try distance.text("text").hasSuffix(" km on 21 November 2026."))
            for fields in [["day": "x"], ["goal": "x"]] as [JSON] {
                #expect(try circle.refused(ada, "goals/share", fields).code == .badRequest)
            }
        }
    }

    @Test("are told and shared in miles where the profile says so, in the person's language")
    func miles() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada", locale: "de", units: "imperial")
            try circle.done(ada, "goals/set", ["steps": .null, "distance_m": 1000])
            try circle.walk(ada, 0, 3000)
            let told = try #require(try circle.next(ada, "notifications"))
            #expect(told["goal"] == "distance" && told["text"] == "Ziel erreicht: 0,62 mi.")
            let shared = try circle.done(ada, "goals/share", ["goal": "distance"])
            let text = try shared.text("text")
            #expect(text.hasSuffix(" mi am 21. November 2026: Ich habe mein Ziel erreicht, 0,62 mi!"), "\(text)")
            #expect(try shared.text("svg").contains("von 0,62 mi"))
            // What programs read stays in metres.
            #expect(try circle.done(ada, "goals/get")["goals"]?["distance_m"]?["target"] == 1000)
        }
    }

    @Test("stay reached when their day is counted with another body, and so does what was not asked for")
    func recount() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada")
            try circle.walk(ada, 0, 12_000)
            func metres() throws -> Double {
                switch try circle.done(ada, "statistics/day", ["day": "2026-11-21"])["distance_m"] {
                case .integer(let metres)?: return Double(metres)
                case .number(let metres)?: return metres
                case let other: throw TestFailure("\(String(describing: other))")
                }
            }
            let target = Int64(try metres())
            try circle.done(ada, "goals/set", ["distance_m": .integer(target)])
            circle.advance(600_000)
            try circle.walk(ada, 0, 100)
            try circle.wait(ada, "goals/distance") { $0?["state"] == "reached" }
            let before = try metres()
            circle.advance(86_400_000)
            try circle.done(
                ada, "profile/set",
                [
                    "name": "Ada", "date_of_birth": "1990-12-10", "gender": "female", "height_cm": 140,
                    "weight_kg": .number(63.5),
                ])
            #expect(try metres() == before)
            let span: JSON = ["from": "2026-11-20", "to": "2026-11-21"]
            #expect(
                try circle.done(ada, "statistics/recount", span) == [
                    "changed": 1, "from": "2026-11-20", "to": "2026-11-21",
                ])
            let after = try metres()
            #expect(after < before && after < Double(target), "\(before) m, \(after) m")
            let shared = try circle.done(ada, "goals/share", ["goal": "distance", "day": "2026-11-21"])
            #expect(try shared.text("text").contains("I have reached my goal"), "\(shared)")
            // Nothing is left to change.
            #expect(try circle.done(ada, "statistics/recount", span)["changed"] == 0)
        }
    }

    @Test(
        "are drawn with as much of the ring as was reached",
        arguments: [(0, 0), (5000, 0.5), (10_000, 1), (20_000, 2)] as [(Double, Double)]
    )
    func ring(value: Double, share: Double) throws {
        let isReached = value >= 10_000
        let card = SharedGoal(
            goal: .steps, day: try #require(CalendarDay("2026-11-21")), value: value, target: 10_000,
            isReached: isReached,
            language: Language.all[0], units: .metric)
        let language = Language.all[0]
        let dial = GoalDial(
            title: card.text, share: share, isReached: isReached, headline: "\(language.number(100 * share))\u{202F}%",
            lines: ["\(language.number(value)) steps", "of 10,000 steps", "21 November 2026"])
        #expect(try card.picture() == dial.picture(.dark))
    }

    @Test("are drawn as well-formed XML, whatever is in them", arguments: [0.0, 1, 4999.6, 9999, 10_000, 1e7, .nan])
    func picture(value: Double) throws {
        let hostile = Language(
            tag: "x", months: Array(repeating: "<\"&'\u{1}>", count: 12), thousands: "<", decimal: "&",
            words: \.english)
        let day = try #require(CalendarDay("2026-11-21"))
        for language in Language.all + [hostile] {
            for target in [nil, 10_000.0] {
                let card = SharedGoal(
                    goal: .steps, day: day, value: value, target: target, isReached: value >= 10_000,
                    language: language,
                    units: .metric)
                let svg = try card.picture().svg
                #expect(svg.utf8.count < 8192)
                let parser = XMLParser(data: Data(svg.utf8))
                #expect(parser.parse(), "\(String(describing: parser.parserError))")
                #expect(try card.picture().png().starts(with: [0x89, 0x50, 0x4E, 0x47]))
            }
        }
    }
}
