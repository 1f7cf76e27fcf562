import Telemetry
import TestSupport
import Testing

@Suite("vitals meals", .timeLimit(.minutes(60)))
struct MealCommandTests {
    private static let day: JSON = [
        "balance_kcal": -720, "burned": ["active_kcal": 310, "resting_kcal": 1480], "day": "2026-11-26",
        "left_kcal": 720,
        "meals": [
            [
                "carbohydrate_g": 60, "energy_kcal": 450, "fat_g": 12, "grams": 400, "meal": "20783-a",
                "name": "Lentil soup",
                "protein_g": .number(22.5), "time": 1_795_261_361_000,
            ],
            ["energy_kcal": 620, "meal": "20783-b", "name": "Cake\u{1B}[2J", "time": 1_795_264_961_000],
        ],
        "total": ["energy_kcal": 1070],
    ]
    private static let foods: [JSON] = [
        ["energy_kcal": 310, "food": "food-1", "name": "Porridge", "portion_g": 250, "protein_g": 11],
        ["energy_kcal": 80, "food": "food-2", "name": "Apple"],
    ]

    private func signedIn(units: String = "metric") throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("profile/get", ["profile": ["units": .string(units)]])
        consumer.answer("meals/day", Self.day)
        consumer.answer("meals/foods") { fields in
            fields["after"] == nil
                ? Reply(.ok(["foods": [Self.foods[0]], "next": "food-1"])) : Reply(.ok(["foods": [Self.foods[1]]]))
        }
        return consumer
    }

    @Test("shows a day with its balance, in the person's units, for people and for programs")
    func day() throws {
        let consumer = try signedIn()
        let shown = try consumer.vitals("meals")
        #expect(
            shown.output == """
                MEAL     TIME                 KCAL  PROTEIN  CARBS   FAT     WHAT
                20783-a  2026-11-21 11:42:41  450   22.5 g   60.0 g  12.0 g  Lentil soup (400 g)
                20783-b  2026-11-21 12:42:41  620   -        -       -       Cake\\u{1b}[2J

                eaten    1,070 kcal
                at rest  1,480 kcal
                active   310 kcal
                balance  -720 kcal
                left     720 kcal

                """, "\(shown)")
        #expect(try consumer.vitals("meals", "--day", "2026-11-20").status == 0)
        #expect(try consumer.last().fields == ["day": "2026-11-20"])
        let json = try consumer.vitals("meals", "--json").output
        #expect(try JSON(payload: Array(json.utf8)) == Self.day)
        #expect(try consumer.vitals("meals", "--day", "soon").status == 64)
        consumer.answer("meals/day", ["burned": [:], "day": "2026-11-26", "meals": [], "total": ["energy_kcal": 0]])
        let none = try consumer.vitals("meals")
        #expect(none.output == "eaten  0 kcal\n" && none.errors.contains("no meals on 2026-11-26: vitals"), "\(none)")

        let imperial = try signedIn(units: "imperial").vitals("meals")
        #expect(imperial.output.contains("Lentil soup (14.1 oz)") && imperial.output.contains("22.5 g"), "\(imperial)")
    }

    @Test("logs what the command line says, by hand and of the list, and tells what is odd")
    func log() throws {
        let consumer = try signedIn()
        consumer.answer(
            "meals/log",
            [
                "energy_kcal": 450, "meal": "20783-a", "name": "Soup", "note": "450 kcal is odd", "protein_g": 22,
                "time": 0,
            ])
        let logged = try consumer.vitals(
            "meals", "log", "Soup", "--energy", "450", "--protein", "22", "--carbohydrate", "60", "--fat", "12.5",
            "--grams",
            "400", "--at", "2026-11-21T11:42:41Z")
        #expect(logged.status == 0 && logged.output == "Logged: Soup, 450 kcal, 22.0 g protein\n", "\(logged)")
        #expect(logged.errors == "vitals: 450 kcal is odd\n", "\(logged)")
        #expect(
            try consumer.last().fields == [
                "carbohydrate_g": 60, "energy_kcal": 450, "fat_g": .number(12.5), "grams": 400, "name": "Soup",
                "protein_g": 22, "time": 1_795_261_361_000,
            ])
        for words in [["--food", "PORRIDGE", "--portions", "2"], ["--food", "food-1", "--portions", "2"]] {
            #expect(try consumer.vitals(["meals", "log"] + words).status == 0)
            #expect(try consumer.last().fields == ["food": "food-1", "portions": 2])
        }
        // It is on the second page of the list.
        #expect(try consumer.vitals("meals", "log", "--food", "APPLE", "--ounces", "10").status == 0)
        #expect(try consumer.last().fields == ["food": "food-2", "grams": .number(283.49523125)])
        let unknown = try consumer.vitals("meals", "log", "--food", "Caviar")
        #expect(unknown.status == 67 && unknown.errors.contains("you have no food Caviar"), "\(unknown)")
        #expect(unknown.errors.contains("meals foods lists yours"), "\(unknown)")
        for wrong in [
            [], ["Soup", "--food", "Porridge"], ["Soup", "--grams", "5", "--ounces", "5"],
            ["Soup", "--energy", "much"],
            ["Soup", "--energy", "10001"], ["Soup", "--at", "then"],
        ] {
            let outcome = try consumer.vitals(["meals", "log"] + wrong)
            #expect(outcome.status == 64, "\(wrong): \(outcome)")
        }
        for command in ["log", "add-food"] {
            let asked = consumer.requests.all.count
            for given in [[], ["--protein", "1"]] {
                let outcome = try consumer.vitals(["meals", command, "Soup"] + given)
                #expect(
                    outcome.errors.hasPrefix("vitals: --energy is missing: give it, or --protein, --carbohydrate and --fat\n"), "\(outcome)")
            }
            #expect(consumer.requests.all.count == asked)
        }
        consumer.refuse("meals/log", ReplyError(.invalid, "\"time\" has to be at most 400 days ago", field: "time"))
        let early = try consumer.vitals("meals", "log", "Soup", "--energy", "10", "--at", "2020-01-01")
        #expect(early.status == 64 && early.errors.hasPrefix("vitals: --at: has to be at most 400 days ago\n"), "\(early)")
        let large = try consumer.vitals("meals", "log", "Soup", "--energy", "10001")
        #expect(large.errors.contains("expected a number from 0 to 10000, found"), "\(large)")
    }

    @Test("deletes a meal by its id or its name on that day, and only if somebody says yes")
    func delete() throws {
        let consumer = try signedIn()
        consumer.answer("meals/delete", ["meal": "20783-a"])
        #expect(try consumer.vitals("meals", "delete", "20783-a").errors.contains("--yes"))
        for name in ["lentil soup", "20783-a"] {
            let deleted = try consumer.vitals("meals", "delete", name, "--yes", "--day", "2026-11-26")
            #expect(deleted.output == "Deleted: \(name)\n", "\(deleted)")
            #expect(try consumer.last().fields == ["meal": "20783-a"])
        }
        let unknown = try consumer.vitals("meals", "delete", "A feast", "--yes")
        #expect(unknown.status == 67 && unknown.errors.contains("you have no meal A feast on that day"), "\(unknown)")
        let meals = "20783-a\n20783-b\n"
        #expect(try consumer.completion("meals") { $0 == meals } == meals)
    }

    @Test("lists, adds and removes foods, in the person's units, and offers them for completion")
    func foods() throws {
        let consumer = try signedIn(units: "imperial")
        #expect(
            try consumer.vitals("meals", "foods").output == """
                FOOD    KCAL  PROTEIN  CARBS  FAT  A PORTION OF
                food-2  80    -        -      -    Apple
                food-1  310   11.0 g   -      -    Porridge (8.8 oz)

                """)
        let json = try consumer.vitals("meals", "foods", "--json").output.split(separator: "\n")
        #expect(try json.map { try JSON(payload: Array($0.utf8)) } == Self.foods)
        #expect(try consumer.completion("foods") { $0 == "Porridge\n" } == "Porridge\n")
        consumer.answer("meals/add-food", Self.foods[1])
        let added = try consumer.vitals("meals", "add-food", "Apple", "--energy", "80", "--grams", "150")
        #expect(added.output == "Added: Apple, 80 kcal\n", "\(added)")
        #expect(try consumer.last().fields == ["energy_kcal": 80, "name": "Apple", "portion_g": 150])
        consumer.answer("meals/remove-food", ["food": "food-2"])
        #expect(try consumer.vitals("meals", "remove-food", "Apple", "--yes").output == "Removed: Apple\n")
        #expect(try consumer.last().fields == ["food": "food-2"])
        #expect(try consumer.vitals("meals", "remove-food", "apple").status == 64)
        consumer.answer("meals/foods", ["foods": []])
        #expect(try consumer.vitals("meals", "foods").errors.contains("no foods yet: vitals"))
    }

    @Test("offers ideas with what is left of the day")
    func ideas() throws {
        let consumer = try signedIn()
        let idea: JSON = [
            "carbohydrate_g": .number(69.2), "energy_kcal": 415, "fat_g": .number(9.1), "idea": "porridge-apple",
            "name": "Porridge with apple", "protein_g": .number(16.5), "text": "Simmer the oats.",
        ]
        consumer.answer("meals/ideas", ["ideas": [idea], "left_kcal": 1200])
        let shown = try consumer.vitals("meals", "ideas", "--energy", "500", "--day", "2026-11-26")
        #expect(
            shown.output == """
                Porridge with apple: 415 kcal, 16.5 g protein, 69.2 g carbohydrate, 9.1 g fat
                    Simmer the oats.

                """, "\(shown)")
        #expect(shown.errors == "vitals: 1,200 kcal are left of the day\n", "\(shown)")
        #expect(try consumer.last().fields == ["day": "2026-11-26", "energy_kcal": 500])
    }
}
