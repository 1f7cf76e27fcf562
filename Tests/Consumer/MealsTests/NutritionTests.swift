import Fitness
import Telemetry
import TestSupport
import Testing

@testable import Meals

@Suite("What something to eat gives")
struct NutritionTests {
    @Test("adds up, and a macronutrient of a sum is known if it is known of all parts")
    func sums() {
        let soup = Nutrition(kilocalories: 450, protein: 22, carbohydrate: 60, fat: 12)
        let bread = Nutrition(kilocalories: 200, protein: 7)
        #expect(soup + bread == Nutrition(kilocalories: 650, protein: 29))
        #expect([soup, soup].reduce(.nothing, +) == soup.times(2))
        #expect(Nutrition.nothing.hasAllMacronutrients)
    }

    @Test("is plausible within a quarter of its energy by Atwater's factors")
    func plausibility() {
        func isPlausible(_ energy: Double, _ protein: Double?, _ carbohydrate: Double?, _ fat: Double?) -> Bool {
            Nutrition(kilocalories: energy, protein: protein, carbohydrate: carbohydrate, fat: fat).isPlausible
        }
        // 4 · 25 + 4 · 50 + 9 · 10 = 390.
        #expect(isPlausible(390, 25, 50, 10) && isPlausible(312, 25, 50, 10) && isPlausible(520, 25, 50, 10))
        #expect(!isPlausible(311, 25, 50, 10) && !isPlausible(521, 25, 50, 10))
        // What is not known may have energy, but what is known has no more than all of it.
        #expect(isPlausible(900, 25, nil, nil) && isPlausible(80, 25, nil, nil) && !isPlausible(79, 25, nil, nil))
        #expect(isPlausible(0, 0, 0, 0) && isPlausible(700, nil, nil, nil) && !isPlausible(0, 1, 0, 0))
    }

    @Test("is read back as it was kept, to a hundredth")
    func kept() throws {
        let soup = Nutrition(kilocalories: 450.254, protein: 22.126, carbohydrate: 60, fat: nil)
        let meal = Meal(id: try ID("20783-abc"), time: 5, name: "Soup", grams: 301.24, soup)
        let read = try #require(Meal(kept: JSON(payload: meal.kept.bytes)))
        #expect(read.nutrition == Nutrition(kilocalories: 450.25, protein: 22.13, carbohydrate: 60))
        #expect(read.id == meal.id && read.time == 5 && read.name == "Soup" && read.grams == 301.2)
        #expect(
            meal.json == [
                "meal": "20783-abc", "time": 5, "name": "Soup", "grams": .number(301.2), "energy_kcal": 450,
                "protein_g": .number(22.1), "carbohydrate_g": .number(60),
            ])
    }

    @Test("is found by the day that its id names")
    func ids() throws {
        for number in [20_783, 0, -5] as [Int64] {
            let day = CalendarDay(daysSince1970: number)
            // Days before 1970 have no meals: their ids would begin with a hyphen.
            let id = try? Meal.id(on: day, ID("abcdefgh"))
            #expect(id.flatMap(Meal.day(of:)) == (number < 0 ? nil : day), "\(number)")
        }
        for wrong in ["abc", "20783", "20783-a-b", "x-abc", "2932897-a", "\(Int64.max)-a"] { #expect(try Meal.day(of: ID(wrong)) == nil, "\(wrong)") }
    }
}

@Suite("The balance of a day's energy")
struct EnergyBalanceTests {
    private let day = CalendarDay(daysSince1970: 20_783)
    /// 1990: 10 · 70 + 6.25 · 175 − 5 · 36 + 5 = 1618.75 kcal a day.
    private let person = Person(sex: .male, ageYears: 36, heightCentimetres: 175, weightKilograms: 70)
    private let eaten = Nutrition(kilocalories: 1000)

    private func walked(_ steps: Int, _ kilocalories: Double) -> DayTotals {
        DayTotals(
            day, steps: Steps(walking: steps, running: 0), figures: DayFigures(metres: [:], kilocalories: kilocalories))
    }

    @Test("is what was eaten, less rest and activity; nothing is known without a whole profile")
    func balance() {
        let balance = EnergyBalance(eaten: eaten, walked(8000, 240), of: person)
        #expect(balance.resting == 1618.75 && balance.active == 240)
        #expect(balance.balance == -858.75 && balance.left == 858.75)
        let feast = EnergyBalance(eaten: eaten.times(3), DayTotals(day), of: person)
        #expect(feast.active == nil && feast.balance == 1381.25 && feast.left == 0)
        let unknown = EnergyBalance(eaten: eaten, walked(8000, 240), of: Person(weightKilograms: 70))
        #expect(unknown.resting == nil && unknown.balance == nil && unknown.left == nil && unknown.active == 240)
        #expect(
            unknown.members(isToday: true).map(\.name) == ["total", "burned"])
        #expect(balance.members(isToday: false).map(\.name) == ["total", "burned", "balance_kcal"])
        #expect(balance.members(isToday: true).last == JSON.Member("left_kcal", 859))
    }

    @Test("counts rest for the time that has passed, and leaves what the rest of the day will use")
    func passed() throws {
        let balance = EnergyBalance(eaten: eaten, walked(8000, 240), of: person, passed: 0.75)
        #expect(balance.resting == 1618.75 * 0.75 && balance.balance == 1000 - 1618.75 * 0.75 - 240)
        #expect(try abs(#require(balance.left) - 858.75) < 0.001)
    }
}
