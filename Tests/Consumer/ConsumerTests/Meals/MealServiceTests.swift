import Daemon
import Days
import Files
import Fitness
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Exercise
@testable import Features
@testable import Meals
@testable import vitals_consumer

@Suite("Meals, at a running service", .timeLimit(.minutes(60)))
struct MealServiceTests {
    private static let settings = #"meals: { ideas: "\#(projectFolder)/deploy/meals/ideas.json" },"#
    private static let soup: JSON = [
        "name": "Lentil soup", "grams": 400, "energy_kcal": 450, "protein_g": 22, "carbohydrate_g": 60, "fat_g": 12,
    ]
    private static let porridge: JSON = [
        "name": "Porridge", "portion_g": 250, "energy_kcal": 300, "protein_g": 10, "carbohydrate_g": 50, "fat_g": 7,
    ]

    private func kilocalories(_ json: JSON?) throws -> Double {
        guard let value = json?.asDouble else { throw TestFailure("no number: \(json ?? .null)") }
        return value
    }

    @Test("are logged by hand and of a list, add up with what the day has used, and are deleted")
    func day() throws {
        try Circle.with(more: Self.settings) { circle in
            let ada = try circle.person(name: "Ada")
            let logged = try circle.done(ada, "meals/log", Self.soup)
            #expect(logged["time"] == .integer(start) && logged["name"] == "Lentil soup" && logged["note"] == nil)
            let food = try circle.done(ada, "meals/add-food", Self.porridge)
            circle.advance(1000)
            let eaten = try circle.done(ada, "meals/log", ["food": food["food"] ?? .null, "portions": .number(1.5)])
            #expect(eaten["energy_kcal"] == 450 && eaten["grams"] == 375 && eaten["name"] == "Porridge")
            let weighed = try circle.done(
                ada, "meals/log", ["food": food["food"] ?? .null, "grams": 125, "time": .integer(start - 3_600_000)])
            #expect(weighed["energy_kcal"] == 150 && weighed["protein_g"] == 5)
            try circle.walk(ada, 0, 10_000)
            let day = try circle.done(ada, "meals/day")
            // In the order of their times.
            #expect(try elements(day, "meals").map { $0["meal"] } == [weighed, logged, eaten].map { $0["meal"] })
            #expect(day["day"] == "2026-11-21" && day["total"]?["energy_kcal"] == 1050)
            #expect(day["total"]?["protein_g"] == 42 && day["total"]?["fat_g"] == 26)
            // Mifflin-St Jeor: 10 · 63.5 + 6.25 · 170 − 5 · 35 − 161.
            let resting = try kilocalories(day["burned"]?["resting_kcal"])
            #expect(resting > 0 && resting < 1361, "what is left of the day is to come")
            let (statistic, active) = (
                try circle.done(ada, "statistics/today")["energy_kcal"], day["burned"]?["active_kcal"]
            )
            #expect(try active == statistic && kilocalories(active) > 200)
            let left = try 1361.5 + kilocalories(active) - 1050
            #expect(
                try abs(kilocalories(day["left_kcal"]) - left) <= 1
                    && abs(kilocalories(day["balance_kcal"]) - (1050 - resting - kilocalories(active))) <= 1.5)

            let yesterday = try circle.done(ada, "meals/day", ["day": "2026-11-20"])
            #expect(try elements(yesterday, "meals").isEmpty && yesterday["left_kcal"] == nil)
            #expect(yesterday["total"]?["energy_kcal"] == 0 && yesterday["burned"]?["resting_kcal"] == 1362)
            try circle.done(ada, "meals/remove-food", ["food": food["food"] ?? .null])
            #expect(try circle.done(ada, "meals/foods") == ["foods": []])
            #expect(
                try circle.done(ada, "meals/delete", ["meal": eaten["meal"] ?? .null]) == [
                    "meal": eaten["meal"] ?? .null
                ])
            let rest = try circle.done(ada, "meals/day")
            #expect(try elements(rest, "meals").count == 2 && rest["total"]?["energy_kcal"] == 600)
            #expect(try circle.refused(ada, "meals/delete", ["meal": eaten["meal"] ?? .null]).code == .notFound)
        }
    }

    @Test("count a workout in what was used, and not twice what it has in steps")
    func workout() throws {
        try Circle.with(more: Self.settings) { circle in
            let ada = try circle.person(name: "Ada")
            func active() throws -> JSON? { try circle.done(ada, "meals/day")["burned"]?["active_kcal"] }
            #expect(try active() == nil)
            // An hour on a bicycle, which took 443 kcal beyond rest.
            let ride = DayWorkout(
                id: "ride", "cycling", start - 3_600_000..<start, metres: nil, kilocalories: 443, rank: 0)
            try circle.onSession { context in
                let days = Days(context.store, context.keys, Histories(context.store, context.keys, zone: "UTC"))
                try context.store.change(ada) { () throws(VaultError) in
                    try days.take(ride, of: ada, silently: true, wasCounted: false, now: start)
                }
            }
            #expect(try active() == 443)
            try circle.walk(ada, 0, 10_000)
            let steps = try kilocalories(circle.done(ada, "statistics/today")["energy_kcal"])
            #expect(try abs(kilocalories(active()) - steps) <= 1 && steps > 443)
        }
    }

    @Test("leave out what cannot be known, and tell of an energy that the macronutrients do not give")
    func unknown() throws {
        try Circle.with(more: Self.settings) { circle in
            let ada = try circle.person()
            let bare = try circle.done(ada, "meals/log", ["name": "Toast", "energy_kcal": 200])
            #expect(bare["protein_g"] == nil && bare["grams"] == nil && bare["note"] == nil)
            let odd = try circle.done(
                ada, "meals/log",
                ["name": "Beer", "energy_kcal": 215, "protein_g": 2, "carbohydrate_g": 18, "fat_g": 0])
            #expect(odd["note"] == "215 kcal differs by more than a quarter of it from what the macronutrients give, 80 kcal")
            let computed = try circle.done(
                ada, "meals/log", ["name": "Shake", "protein_g": 20, "carbohydrate_g": 30, "fat_g": 10])
            #expect(computed["energy_kcal"] == 290)
            let day = try circle.done(ada, "meals/day")
            #expect(day["total"] == ["energy_kcal": 705] && day["burned"] == [:])
            #expect(day["balance_kcal"] == nil && day["left_kcal"] == nil)
            #expect(try circle.done(ada, "meals/ideas")["left_kcal"] == nil)
        }
    }

    @Test("are refused beyond what there can be, each with its field")
    func refusals() throws {
        try Circle.with(more: Self.settings) { circle in
            let ada = try circle.person(name: "Ada")
            let bare = try circle.done(ada, "meals/add-food", ["name": "Apple", "energy_kcal": 80])["food"] ?? .null
            let long = JSON.string(String(repeating: "a", count: 101))
            for (field, fields) in [
                ("name", ["energy_kcal": 5]), ("name", ["name": " ", "energy_kcal": 5]),
                ("name", ["name": long, "energy_kcal": 5]), ("name", ["name": "a\u{202E}b", "energy_kcal": 5]),
                ("energy_kcal", ["name": "A"]), ("energy_kcal", ["name": "A", "energy_kcal": -1]),
                ("energy_kcal", ["name": "A", "energy_kcal": 10_001]),
                ("energy_kcal", ["name": "A", "energy_kcal": "5"]),
                ("energy_kcal", ["name": "A", "protein_g": 5]),
                ("fat_g", ["name": "A", "energy_kcal": 5, "fat_g": 1001]),
                ("grams", ["name": "A", "energy_kcal": 5, "grams": 0]),
                ("portions", ["name": "A", "energy_kcal": 5, "portions": 1]),
                ("name", ["name": "A", "food": bare]), ("energy_kcal", ["food": bare, "energy_kcal": 5]),
                ("portions", ["food": bare, "grams": 5, "portions": 2]), ("grams", ["food": bare, "grams": 50]),
                ("portions", ["food": bare, "portions": 51]), ("food", ["food": "nothing"]),
                ("time", ["name": "A", "energy_kcal": 5, "time": .integer(start - 401 * 86_400_000)]),
                ("time", ["name": "A", "energy_kcal": 5, "time": .integer(start + 86_400_001)]),
            ] as [(String, JSON)] {
                let wrong = try circle.refused(ada, "meals/log", fields)
                #expect(wrong.field == field, "\(fields): \(wrong)")
            }
            let other = try circle.person()
            for (verb, field, fields) in [
                ("meals/add-food", "name", ["energy_kcal": 5]), ("meals/add-food", "energy_kcal", ["name": "B"]),
                ("meals/add-food", "portion_g", ["name": "B", "energy_kcal": 5, "portion_g": 0]),
                ("meals/day", "day", ["day": "yesterday"]), ("meals/ideas", "energy_kcal", ["energy_kcal": -5]),
                ("meals/delete", "meal", ["meal": "abc"]), ("meals/delete", "meal", ["meal": "20778-abcdefghijklmnop"]),
                ("meals/remove-food", "food", ["food": bare]), ("meals/log", "food", ["food": bare]),
                ("meals/foods", "after", ["after": 5]),
            ] as [(String, String, JSON)] {
                #expect(try circle.refused(other, verb, fields).field == field, "\(verb) \(fields)")
            }
            let same = try circle.refused(ada, "meals/add-food", ["name": "apple", "energy_kcal": 5])
            #expect(same.code == .notAllowed && same.field == "name")
        }
    }

    @Test("are limited: fifty on a day, five hundred foods in pages, and the days of three years")
    func limits() throws {
        try Circle.with(more: Self.settings) { circle in
            let ada = try circle.person(name: "Ada")
            try circle.onSession { context in
                let today = CalendarDay(daysSince1970: start / 86_400_000)
                try context.store.change(ada) { () throws(VaultError) in
                    let (days, foods) = (MealDays(context.store, context.keys), Foods(context.store, context.keys))
                    for offset in 0..<MealDays.mostDays {
                        let day = today.advanced(by: -offset)
                        let meal = Meal(id: try Self.id(day, 0), time: start, name: "Old", grams: nil, .nothing)
                        try days.write([meal], of: ada, on: day)
                    }
                    var full: [Meal] = []
                    for number in 0..<MealDays.mostMeals {
                        let longest = String(repeating: "ä", count: Meal.longestName.characters)
                        full.append(
                            Meal(
                                id: try Self.id(today, number), time: start, name: longest, grams: 5000,
                                Nutrition(kilocalories: 9999.99, protein: 999.99, carbohydrate: 999.99, fat: 999.99)))
                    }
                    try days.write(full, of: ada, on: today)
                    for number in 0..<Foods.most {
                        try foods.add(
                            Food(id: try drawnID(), name: "Food \(number)", portion: nil, Nutrition(kilocalories: 1)),
                            of: ada)
                    }
                }
            }
            let full = try circle.refused(ada, "meals/log", Self.soup)
            #expect(full.code == .notAllowed && full.message.contains("50 meals"), "\(full)")
            #expect(try elements(circle.done(ada, "meals/day"), "meals").count == 50)
            let foods = try circle.refused(ada, "meals/add-food", Self.porridge)
            #expect(foods.code == .notAllowed && foods.message.contains("500 foods"), "\(foods)")
            var (seen, after): ([JSON], JSON?) = ([], nil)
            repeat {
                let page = try circle.done(ada, "meals/foods", .object(present: ["after": after]))
                seen += try elements(page, "foods").compactMap { $0["name"] }
                after = page["next"]
            } while after != nil
            #expect(seen.count == 500 && Set(seen).count == 500)
            // Tomorrow's meal pushes the earliest day out.
            func count() throws -> Int64? {
                try circle.onSession { try $0.store.personalRows(of: ada)["meal_days"] }
            }
            #expect(try count() == 1100)
            circle.advance(86_400_000)
            try circle.done(ada, "meals/log", Self.soup)
            #expect(try count() == 1100)
            #expect(try elements(circle.done(ada, "meals/day", ["day": "2026-11-20"]), "meals").count == 1)
        }
    }

    private static func id(_ day: CalendarDay, _ number: Int) throws(VaultError) -> ID {
        guard let id = decoded({ () throws(MalformedValue) in try Meal.id(on: day, ID("meal\(number)")) }) else {
            throw VaultError("make an id", .malformed, said: "\(day)")
        }
        return id
    }

    @Test("are of the day that it was where their person was, at both sides of midnight")
    func zones() throws {
        try Circle.with(more: Self.settings) { circle in
            let ben = try circle.person(name: "Ben")
            try circle.done(
                ben, "profile/set",
                [
                    "name": "Ben", "date_of_birth": "1990-12-10", "gender": "male", "height_cm": 170, "weight_kg": 64,
                    "time_zone": "Asia/Tokyo",
                ])
            // It is six in the evening in Tokyo.
            circle.advance(6 * 3_600_000 - 1)
            let late = try circle.done(ben, "meals/log", Self.soup)
            circle.advance(1)
            let early = try circle.done(ben, "meals/log", Self.soup)
            #expect(try elements(circle.done(ben, "meals/day"), "meals").map { $0["meal"] } == [early["meal"]])
            let before = try circle.done(ben, "meals/day", ["day": "2026-11-21"])
            #expect(try elements(before, "meals").map { $0["meal"] } == [late["meal"]])
            #expect(before["left_kcal"] == nil)
        }
    }

    @Test("that were eaten yesterday belong to yesterday, and those of a time that is too far off to none")
    func yesterday() throws {
        try Circle.with(more: Self.settings) { circle in
            let ada = try circle.person(name: "Ada")
            let time = circle.now - 86_400_000
            let meal = try circle.done(ada, "meals/log", Self.soup.with("time", .integer(time)))
            #expect(meal["time"] == .integer(time))
            #expect(try elements(circle.done(ada, "meals/day"), "meals").isEmpty)
            let before = try circle.done(ada, "meals/day", ["day": "2026-11-20"])
            #expect(try elements(before, "meals").map { $0["meal"] } == [meal["meal"]])
            try circle.done(ada, "meals/delete", ["meal": meal["meal"] ?? .null])
            #expect(try elements(circle.done(ada, "meals/day", ["day": "2026-11-20"]), "meals").isEmpty)
            for wrong in [circle.now - Meal.times.past - 1, circle.now + Meal.times.future + 1] {
                let refused = try circle.refused(ada, "meals/log", Self.soup.with("time", .integer(wrong)))
                #expect(refused.field == "time" && refused.message.contains("at most 400 days ago"), "\(refused)")
            }
        }
    }

    @Test("are offered within what is left, the same ones all day, in the person's language")
    func ideas() throws {
        try Circle.with(more: Self.settings) { circle in
            let (ada, ben) = (try circle.person(name: "Ada"), try circle.person(name: "Ben", locale: "de"))
            let offered = try circle.done(ada, "meals/ideas")
            #expect(offered["left_kcal"] == 1362)
            #expect(try circle.done(ada, "meals/ideas", ["day": "2026-11-20"])["left_kcal"] == nil)
            #expect(try circle.done(ada, "meals/ideas", ["day": "2026-11-23"])["left_kcal"] != nil)
            let first = try elements(offered, "ideas")
            #expect(first.count == 5)
            circle.advance(3_600_000)
            #expect(try elements(circle.done(ada, "meals/ideas"), "ideas") == first)
            let bens = try elements(circle.done(ben, "meals/ideas"), "ideas")
            #expect(bens.map { $0["idea"] } == first.map { $0["idea"] } && bens[0]["name"] != first[0]["name"])
            try circle.done(ada, "meals/log", ["name": "Feast", "energy_kcal": 1150])
            let few = try circle.done(ada, "meals/ideas")
            #expect(few["left_kcal"] == 212)
            #expect(try elements(few, "ideas").allSatisfy { try kilocalories($0["energy_kcal"]) <= 212 })
            try circle.done(ada, "meals/log", ["name": "Second feast", "energy_kcal": 1150])
            let none = try circle.done(ada, "meals/ideas")
            #expect(try none["left_kcal"] == 0 && elements(none, "ideas").map { $0["idea"] } == ["orange"])
            let asked = try elements(circle.done(ada, "meals/ideas", ["energy_kcal": 120]), "ideas")
            #expect(try asked.count > 1 && asked.allSatisfy { try kilocalories($0["energy_kcal"]) <= 120 })
        }
    }

    @Test("are offered of another file as soon as a running service has read its settings again")
    func reloaded() throws {
        try Circle.with(more: Self.settings) { circle in
            let ada = try circle.person(name: "Ada")
            #expect(try elements(circle.done(ada, "meals/ideas"), "ideas").count == 5)
            let own = circle.household.path("ideas.json")
            let soup = #"""
                [{"idea": "broth", "name": {"en": "Broth", "de": "Brühe"}, "text": {"en": "Warm it.", "de": "Warm machen."},
                "ingredients": [{"food": "carrot", "grams": 100}], "energy_kcal": 41, "protein_g": 0.9, "carbohydrate_g": 9.6, "fat_g": 0.2}]
                """#
            try soup.write(toFile: own, atomically: true, encoding: .utf8)
            try circle.reload(#"meals: { ideas: "\#(own)" },"#)
            #expect(try elements(circle.done(ada, "meals/ideas"), "ideas").map { $0["idea"] } == ["broth"])
        }
    }

    @Test(
        "are not offered in a home without a file of ideas",
        .enabled(
            if: !FileManager.default.fileExists(atPath: "/usr/share/vitals/meals/ideas.json"),
            "the packages are installed on this machine")
    )
    func noIdeas() throws {
        try Circle.with { circle in
            let wrong = try circle.refused(circle.person(), "meals/ideas")
            #expect(wrong.code == .notSupported && wrong.field == "meals")
        }
    }

    @Test("are logged once when the reply was lost with the service, and go with everything else of their person")
    func onceAndForgotten() throws {
        var user: ID?
        let place = { (user: ID) in "vitals/v1/users/\(user)/responses/again" }
        var first: Reply.Outcome?
        try Circle.with(more: Self.settings) { circle in
            // What was answered is removed by the machine's own clock.
            circle.advance(unixMilliseconds() - circle.now)
            let ada = try circle.person("ada@example.org", name: "Ada")
            user = ada
            first = try circle.ask(ada, "meals/log", Self.soup, correlation: [1, 2, 3], replyAt: place(ada))
        } then: { circle in
            let ada = try #require(user)
            let second = try circle.ask(ada, "meals/log", Self.soup, correlation: [1, 2, 3], replyAt: place(ada))
            #expect(second == first)
            #expect(try elements(circle.done(ada, "meals/day"), "meals").count == 1)
            try circle.done(ada, "meals/add-food", Self.porridge)
            let before = try circle.onSession { context in try context.store.personalRows(of: ada, upTo: 1) }
            #expect(before["meal_days"] == 1 && before["foods"] == 1)
            let asked = try circle.done(ada, "reset-all/ask")
            try circle.done(ada, "reset-all/confirm", ["confirmation": asked["confirmation"] ?? .null])
            let after = try circle.onSession { context in try context.store.personalRows(of: ada) }
            #expect(after["meal_days"] == 0 && after["foods"] == 0)
            #expect(try elements(circle.done(ada, "meals/day"), "meals").isEmpty)
        }
    }
}
