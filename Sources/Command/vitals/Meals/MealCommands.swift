import Daemon

/// The commands about what a person eats.
enum MealCommands {
    /// Does what the command line asks for; nil if it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        let (meals, foods) = (Meals(call, arguments), FoodList(call, arguments))
        return switch arguments.command {
        case ["meals"]: try meals.show()
        case ["meals", "log"]: try meals.log()
        case ["meals", "delete"]: try meals.delete()
        case ["meals", "ideas"]: try meals.ideas()
        case ["meals", "foods"]: try foods.list()
        case ["meals", "add-food"]: try foods.add()
        case ["meals", "remove-food"]: try foods.remove()
        default: nil
        }
    }

    private static let yes = Option.flag("yes", short: "y", "does not ask first")
    private static let day = Option.value("day", "DAY", "such as 2026-11-21, or yesterday (default: today)")
    private static let weight: [Option] = [
        .value("grams", "G", "what it weighs, in grams"), .value("ounces", "OZ", "the same, in ounces"),
    ]
    private static let nutrition: [Option] = [
        .value("energy", "KCAL", "in kilocalories; left out, it is that of the next three"),
        .value("protein", "G", "in grams"), .value("carbohydrate", "G", "in grams"), .value("fat", "G", "in grams"),
    ]

    static let command = Command(
        name: "meals", summary: "Shows what you have eaten and used today, and keeps what you eat.",
        discussion: """
            What is left is your energy at rest and that of steps and workouts, less what you have eaten. It is known once your profile has a \
            date of birth, a height, a weight, and female or male as the gender: vitals profile set.
            """,
        optionsAlone: [day], examples: [Example("vitals meals"), Example("vitals meals --day yesterday")],
        subcommands: [
            Command(
                name: "log", summary: "Keeps something that you have eaten.",
                discussion: "Give a name with its energy, or a food of your list with --food.",
                options: [
                    .value("food", "FOOD", "of your list: its name or id", offers: Offers.foods.rawValue),
                    .value("portions", "N", "of the food (default: 1)"),
                ] + weight + nutrition + [.value("at", "TIME", "when: 12:30, -2h, \"yesterday 19:00\" (default: now)")],
                arguments: [.optional("NAME", "what it was")],
                examples: [
                    Example("vitals meals log 'Lentil soup' --energy 450 --protein 22 --carbohydrate 60 --fat 12"),
                    Example("vitals meals log --food Porridge --grams 300 --at 08:10"),
                ]),
            Command(
                name: "delete", summary: "Deletes a meal.", options: [day, yes],
                arguments: [.required("MEAL", "its id, or its name on that day", offers: Offers.meals.rawValue)]),
            Command(
                name: "ideas", summary: "Offers something to eat that fits what is left of the day.",
                options: [day, .value("energy", "KCAL", "nothing with more, whatever is left of the day")],
                examples: [Example("vitals meals ideas --energy 300")]),
            Command(name: "foods", summary: "Lists your foods, with what a portion gives."),
            Command(
                name: "add-food", summary: "Adds a food to your list; the numbers are of a portion.",
                options: weight + nutrition, arguments: [.required("NAME", "what it is called")],
                examples: [
                    Example(
                        "vitals meals add-food Porridge --grams 250 --energy 310 --protein 11 --carbohydrate 50 --fat 7"
                    )
                ]),
            Command(
                name: "remove-food", summary: "Removes a food from your list; what you have eaten of it stays.",
                options: [yes],
                arguments: [.required("FOOD", "its name or id", offers: Offers.foods.rawValue)]),
        ], runsAlone: true)
}
