import Days
import Desk
import Features
import Files
import Fitness
import Records
import Telemetry

// What people ask: `meals/…`. What changes something is done on the session's thread, and what only reads on the readers'.

/// Answers `meals/…`. Belongs to the session's thread.
// Proof of @unchecked: touched on the session's thread, and nowhere else.
final class MealRequests: @unchecked Sendable {
    private let context: PeopleContext
    private let histories: Histories
    private let readers: FeatureReaders

    /// How many foods a page of the list has.
    static let page = 50

    init(_ parts: FeatureParts) {
        (context, histories, readers) = (parts.context, parts.days.histories, parts.readers)
    }

    private var days: MealDays { MealDays(context.store, context.keys) }
    private var foods: Foods { Foods(context.store, context.keys) }

    var verbs: [Verb] {
        [
            Verb("meals/log", .mealsLog, .atOnce { [self] in try log($0) }),
            Verb("meals/delete", .mealsDelete, .atOnce { [self] in try delete($0) }),
            Verb("meals/add-food", .mealsAddFood, .atOnce { [self] in try addFood($0) }),
            Verb("meals/remove-food", .mealsRemoveFood, .atOnce { [self] in try removeFood($0) }),
            readers.questions.verb("meals/foods", .mealsFoods) { request in
                let (user, after) = (try request.user, try request.optionalID("after"))
                return { source in try Self.foods(of: user, after: after, source) }
            },
            readers.questions.verb("meals/day", .mealsDay) { [self] request in
                let (user, day) = (try request.user, try request.optionalDay("day"))
                let (zone, now) = (context.settings.timeZone, context.now())
                return { source in try AskedDay(of: user, source, zone: zone, now: now).reply(on: day) }
            },
            readers.questions.verb("meals/ideas", .mealsIdeas) { [self] request in
                let (user, day) = (try request.user, try request.optionalDay("day"))
                let energy = try request.optionalNumber("energy_kcal", in: Nutrition.energies)
                let (ideas, zone, now) = (try someIdeas(), context.settings.timeZone, context.now())
                return { source in
                    try AskedDay(of: user, source, zone: zone, now: now).ideas(ideas, on: day, upTo: energy)
                }
            },
        ]
    }

    private func someIdeas() throws(ReplyError) -> MealIdeas {
        let ideas = context.settings[MealsSetting.self].ideas
        guard !ideas.ideas.isEmpty else {
            let words =
                "this home has no ideas for meals: its operator can name a file of them in the settings, in meals.ideas"
            throw ReplyError(.notSupported, words, field: MealsSetting.key)
        }
        return ideas
    }

    // MARK: Meals

    private func log(_ request: PeopleRequest) throws -> JSON {
        let (user, now) = (try request.user, context.now())
        let time = try request.mealTime(now: now) ?? now
        let eaten = try self.eaten(request)
        let day = try histories.history(of: user).localDays.day(of: time)
        let id = try Meal.id(on: day, drawnID())
        return try context.answered.once(request, now: now) {
            let (name, grams, nutrition) = try eaten(foods, user)
            let meal = Meal(id: id, time: time, name: name, grams: grams, nutrition)
            var meals = try days.meals(of: user, on: day)
            guard meals.count < MealDays.mostMeals else {
                throw ReplyError(.notAllowed, "\(day) has \(MealDays.mostMeals) meals already: delete one")
            }
            meals.append(meal)
            try days.write(meals, of: user, on: day)
            return meal.json.withDoubt(of: nutrition)
        }
    }

    /// What a request says was eaten, to be looked up within the transaction if it is a food of the person's list.
    private typealias Eaten = (Foods, ID) throws -> (name: String, grams: Double?, Nutrition)

    private func eaten(_ request: PeopleRequest) throws -> Eaten {
        let (name, nutrition) = (try request.mealName(), try request.nutrition())
        let grams = try request.optionalNumber("grams", in: Meal.weights)
        let portions = try request.optionalNumber("portions", in: Self.portions)
        guard let wanted = try request.optionalID("food") else {
            guard let name else { throw ReplyError(.badRequest, "\"name\" or \"food\" is missing", field: "name") }
            guard portions == nil else {
                throw ReplyError(.badRequest, "\"portions\" can only be given with \"food\"", field: "portions")
            }
            let nutrition = try request.requiredNutrition()
            return { _, _ in (name, grams, nutrition) }
        }
        guard name == nil, nutrition == nil else {
            throw ReplyError(
                .badRequest, "leave out \"name\" and the energy: the food has its own", field: name == nil ? "energy_kcal" : "name")
        }
        guard grams == nil || portions == nil else {
            throw ReplyError(.badRequest, "give \"grams\" or \"portions\", not both", field: "portions")
        }
        return { foods, user in
            guard let food = try foods.food(wanted, of: user) else { throw Self.unknownFood }
            var factor = portions ?? 1
            if let grams {
                guard let portion = food.portion else {
                    let words = "nobody has said what a portion of \(food.name) weighs: give \"portions\" instead"
                    throw ReplyError(.invalid, words, field: "grams")
                }
                factor = grams / portion
            }
            let nutrition = food.nutrition.times(factor)
            let weight = grams ?? food.portion.map { $0 * factor }
            guard nutrition.isWithinLimits, weight.map(Meal.weights.contains) ?? true else {
                throw ReplyError(
                    .invalid, "that is more than one meal can have", field: grams == nil ? "portions" : "grams")
            }
            return (food.name, weight, nutrition)
        }
    }

    /// How many portions a meal may have.
    static let portions: ClosedRange<Double> = 0.05...50

    private func delete(_ request: PeopleRequest) throws -> JSON {
        let (user, id) = (try request.user, try request.id("meal"))
        let unknown = ReplyError(.notFound, "you have no such meal", field: "meal")
        guard let day = Meal.day(of: id) else { throw unknown }
        return try context.answered.once(request, now: context.now()) {
            let meals = try days.meals(of: user, on: day)
            let others = meals.filter { $0.id != id }
            guard others.count < meals.count else { throw unknown }
            try days.write(others, of: user, on: day)
            return ["meal": .string(id.text)]
        }
    }

    // MARK: Foods

    private func addFood(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        guard let name = try request.mealName() else {
            throw ReplyError(.badRequest, "\"name\" is missing", field: "name")
        }
        let (portion, nutrition) = (
            try request.optionalNumber("portion_g", in: Meal.weights), try request.requiredNutrition()
        )
        let food = Food(id: try drawnID(), name: name, portion: portion, nutrition)
        return try context.answered.once(request, now: context.now()) {
            let known = try foods.all(of: user)
            guard known.count < Foods.most else {
                throw ReplyError(.notAllowed, "you have \(Foods.most) foods already: remove one")
            }
            guard !known.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
                throw ReplyError(.notAllowed, "you have a food of this name already: remove it first", field: "name")
            }
            try foods.add(food, of: user)
            return food.json.withDoubt(of: nutrition)
        }
    }

    private func removeFood(_ request: PeopleRequest) throws -> JSON {
        let (user, id) = (try request.user, try request.id("food"))
        return try context.answered.once(request, now: context.now()) {
            guard try foods.remove(id, of: user) else { throw Self.unknownFood }
            return ["food": .string(id.text)]
        }
    }

    private static let unknownFood = ReplyError(.notFound, "you have no such food", field: "food")

    private static func foods(of user: ID, after: ID?, _ source: ReadSource) throws(VaultError) -> JSON {
        let foods = try Foods(source.store, source.keys).page(of: user, after: after, limit: page + 1)
        let shown = foods.prefix(page)
        return .object(present: [
            "foods": .array(shown.map(\.json)),
            "next": foods.count > shown.count ? shown.last.map { .string($0.id.text) } : nil,
        ])
    }
}
