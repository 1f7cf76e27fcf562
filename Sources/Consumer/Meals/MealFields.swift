import Desk
import Fitness
import Telemetry

// What a request says of something to eat.

extension PeopleRequest {
    /// A name; nil if the field is absent.
    func mealName() throws(ReplyError) -> String? {
        guard let text = try optionalText("name", atMost: Meal.longestName.bytes) else { return nil }
        guard Meal.isName(text) else {
            let words = "a name has from one to \(Meal.longestName.characters) characters on one line"
            throw ReplyError(.invalid, words, field: "name")
        }
        return text
    }

    /// When it was eaten, in Unix milliseconds; nil if the field is absent or null.
    func mealTime(now: Int64) throws(ReplyError) -> Int64? {
        guard let time = try optionalInteger("time", in: -Moment.limit...Moment.limit) else { return nil }
        guard (now - Meal.times.past...now + Meal.times.future).contains(time) else {
            let days = (past: Meal.times.past / 86_400_000, future: Meal.times.future / 86_400_000)
            let words = "\"time\" has to be at most \(days.past) days ago, and at most \(days.future) day ahead"
            throw ReplyError(.invalid, words, field: "time")
        }
        return time
    }

    /// A number; nil if the field is absent or null.
    func optionalNumber(_ field: String, in range: ClosedRange<Double>) throws(ReplyError) -> Double? {
        switch fields[field] {
        case nil, .null?: return nil
        case let value?:
            guard let number = value.asDouble, range.contains(number) else {
                func text(_ bound: Double) -> String { Int64(exactly: bound).map { "\($0)" } ?? "\(bound)" }
                let words =
                    "\"\(field)\" has to be a number from \(text(range.lowerBound)) to \(text(range.upperBound))"
                throw ReplyError(.invalid, words, field: field)
            }
            return number
        }
    }

    /// Energy and macronutrients; nil if none of them is there. An energy that is left out is that of the macronutrients, if
    /// all of them are there.
    func nutrition() throws(ReplyError) -> Nutrition? {
        let energy = try optionalNumber("energy_kcal", in: Nutrition.energies)
        var nutrition = Nutrition(
            kilocalories: energy ?? 0, protein: try optionalNumber("protein_g", in: Nutrition.grams),
            carbohydrate: try optionalNumber("carbohydrate_g", in: Nutrition.grams),
            fat: try optionalNumber("fat_g", in: Nutrition.grams))
        guard energy == nil else { return nutrition }
        guard nutrition.hasAllMacronutrients else {
            guard [nutrition.protein, nutrition.carbohydrate, nutrition.fat].allSatisfy({ $0 == nil }) else {
                let words =
                    "\"energy_kcal\" is missing: it can be left out only with protein_g, carbohydrate_g and fat_g"
                throw ReplyError(.badRequest, words, field: "energy_kcal")
            }
            return nil
        }
        nutrition.kilocalories = nutrition.atwater
        return nutrition
    }

    /// The same, where it must be there.
    func requiredNutrition() throws(ReplyError) -> Nutrition {
        guard let nutrition = try nutrition() else {
            throw ReplyError(.badRequest, "\"energy_kcal\" is missing", field: "energy_kcal")
        }
        return nutrition
    }

}

extension JSON {
    /// The same with what people are told of an energy that its macronutrients do not give.
    func withDoubt(of nutrition: Nutrition) -> JSON {
        guard case .object(let members) = self, !nutrition.isPlausible else { return self }
        let words = """
            \(Int(nutrition.kilocalories.rounded())) kcal differs by more than a quarter of it from what the macronutrients give, \
            \(Int(nutrition.atwater.rounded())) kcal
            """
        return .object(members + [JSON.Member("note", .string(words))])
    }
}
