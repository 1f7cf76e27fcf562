import Contract
import Fitness

/// What `meals/…` ask and answer.
extension RequestContract {
    private static let name = PayloadSchema.text(atMost: Meal.longestName.bytes).about(
        "up to \(Meal.longestName.characters) characters on one line")
    private static let weight = PayloadSchema.number(in: Meal.weights)
    private static let energy = PayloadSchema.number(in: Nutrition.energies)
    private static let macronutrients: [PayloadSchema.Field] = ["protein_g", "carbohydrate_g", "fat_g"].map {
        .known($0, .number(in: Nutrition.grams))
    }
    /// What a request says of what something gives.
    private static let asked: [PayloadSchema.Field] =
        [.known("energy_kcal", energy.about("of the macronutrients if it is left out and all of them are there"))]
        + macronutrients
    private static let note = PayloadSchema.Field.known(
        "note", .text.about("for people: that the energy differs by more than a quarter of it from that of the macronutrients"))

    private static let mealFields: [PayloadSchema.Field] =
        [.always("meal", .id), .always("time", .time), .always("name", .text), .known("grams", .number)]
        + Nutrition.fields
    private static let foodFields: [PayloadSchema.Field] =
        [.always("food", .id), .always("name", .text), .known("portion_g", .number.about("what a portion weighs"))]
        + Nutrition.fields
    private static let day = PayloadSchema.Field.known("day", .day.about("the person's today if it is left out"))
    private static let left = PayloadSchema.Field.known(
        "left_kcal", .count.about("what may be eaten until the day's balance is even"))

    static let mealsLog = RequestContract(
        "Keeps something that the person has eaten: by hand, or of their list of foods.",
        asks: [
            .known("name", name), .known("food", .id.about("of the person's list; its own energy then counts")),
            .known("grams", weight),
            .known("portions", .number(in: MealRequests.portions).about("1 if it is left out")),
        ] + asked + [.known("time", .time.about("now if it is left out"))],
        answers: .object("LoggedMeal", "Something that was eaten, and was just kept.", mealFields + [note]))

    static let mealsDelete = RequestContract(
        "Deletes a meal.", asks: [.always("meal", .id)], answers: .record([.always("meal", .id)]))

    static let mealsDay = RequestContract(
        "Asks what the person has eaten on a day, and what that comes to.", asks: [day],
        answers: .record([
            .always("day", .day),
            .always(
                "meals",
                .array(of: .object("Meal", "Something that was eaten.", mealFields), atMost: Int64(MealDays.mostMeals))),
            .always(
                "total",
                .object(
                    "EatenOfDay", "What the meals come to; a macronutrient if it is known of all.", Nutrition.fields)),
            .always(
                "burned",
                .record([
                    .known("resting_kcal", .count.about("at rest, of the whole day")),
                    .known("active_kcal", .count.about("by steps and workouts")),
                ])),
            .known("balance_kcal", .integer.about("what was eaten, less what was used")), left,
        ]))

    static let mealsFoods = RequestContract(
        "Lists the person's foods, in the order of their ids.",
        asks: [.known("after", .id.about("the `next` of the page before"))],
        answers: .record([
            .always(
                "foods",
                .array(
                    of: .object("Food", "Something that a person eats again and again.", foodFields),
                    atMost: Int64(MealRequests.page))),
            .known("next", .id.about("where the next page begins; nothing after the last")),
        ]))

    static let mealsAddFood = RequestContract(
        "Adds a food to the person's list; energy and macronutrients are of a portion.",
        asks: [.always("name", name), .known("portion_g", weight)] + asked,
        answers: .object("AddedFood", "A food that was just added.", foodFields + [note]))

    static let mealsRemoveFood = RequestContract(
        "Removes a food from the person's list. Meals that were logged of it stay.", asks: [.always("food", .id)],
        answers: .record([.always("food", .id)]))

    static let mealsIdeas = RequestContract(
        "Asks for ideas of what to eat that fit into what is left of a day that is not over. If none fits, the one with the least energy.",
        asks: [day, .known("energy_kcal", energy.about("no idea has more; if it is left out, what is left of the day"))],
        answers: .record([
            left,
            .always(
                "ideas",
                .array(
                    of: .object(
                        "MealIdea", "Something that one could eat, in the language of the person's profile.",
                        [
                            .always("idea", .id), .always("name", .text), .always("text", .text),
                            .always("energy_kcal", .count), .always("protein_g", .number),
                            .always("carbohydrate_g", .number), .always("fat_g", .number),
                        ]), atMost: Int64(MealIdeas.offered))),
        ]))
}
