import Daemon
import Fitness
import Telemetry

/// `vitals meals foods`: what a person eats again and again.
struct FoodList {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func list() throws -> ExitCode {
        let (foods, units) = try Office.visit(call) { office in
            (try office.pages("meals/foods", "foods"), office.units())
        }
        guard !call.isJSON else { return try print(foods.map(\.line).joined()) }
        guard !foods.isEmpty else {
            Output.note("no foods yet: vitals meals add-food Porridge --grams 250 --energy 310")
            return .ok
        }
        func order(_ food: JSON) -> (String, String) { (food.text("name") ?? "", food.text("food") ?? "") }
        let rows = foods.sorted { order($0) < order($1) }.map { food in
            [food.text("food") ?? "-"] + NutritionText(food).cells + [NutritionText.named(food, in: units)]
        }
        return try print(table(["FOOD"] + NutritionText.headings + ["A PORTION OF"], rows))
    }

    func add() throws -> ExitCode {
        var fields: [(String, JSON?)] = [("name", .string(try arguments.string("NAME")))]
        fields.append(("portion_g", try NutritionText.grams(arguments)))
        fields += try NutritionText.fields(arguments)
        let (data, units) = try arguments.naming(NutritionText.flags(arguments)) {
            try Office.visit(call) { office in (try office.ask("meals/add-food", fields), office.units()) }
        }
        if let note = data.text("note") { Output.note(note) }
        guard !call.isJSON else { return try print(data.line) }
        return try print("Added: \(NutritionText.named(data, in: units)), \(NutritionText(data).text)\n")
    }

    func remove() throws -> ExitCode {
        let wanted = try arguments.string("FOOD")
        try Confirmation.refuseUnasked(arguments)
        try Confirmation.ask("Remove \(escaped(wanted)) from your foods?", arguments)
        let data = try Office.visit(call) { office in
            try office.about(.food, wanted) { (id) throws(Failure) in
                try office.ask("meals/remove-food", [("food", .string(id))])
            }
        }
        return try print(call.isJSON ? data.line : "Removed: \(escaped(wanted))\n")
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
