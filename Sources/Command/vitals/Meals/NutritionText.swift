import Daemon
import Fitness
import Telemetry

/// What something to eat gives, as people read and type it.
struct NutritionText {
    private let json: JSON

    /// - Parameter json: with the fields `energy_kcal`, `protein_g` and so on.
    init(_ json: JSON) { self.json = json }

    static let headings = ["KCAL", "PROTEIN", "CARBS", "FAT"]

    /// In a table, under the headings.
    var cells: [String] {
        [json.double("energy_kcal").map { decimal($0, 0) } ?? "-"]
            + Self.macronutrients.map { field in json.double(field.name).map { "\(decimal($0, 1)) g" } ?? "-" }
    }

    /// `450 kcal, 22.0 g protein, 60.0 g carbohydrate, 12.0 g fat`
    var text: String {
        let energy = json.double("energy_kcal").map { "\(decimal($0, 0)) kcal" } ?? "-"
        let others = Self.macronutrients.compactMap { field in
            json.double(field.name).map { "\(decimal($0, 1)) g \(field.option)" }
        }
        return ([energy] + others).joined(separator: ", ")
    }

    private static let macronutrients = [
        (name: "protein_g", option: "protein"), (name: "carbohydrate_g", option: "carbohydrate"),
        (name: "fat_g", option: "fat"),
    ]

    /// `Porridge (300 g)`, `Porridge (10.6 oz)`
    static func named(_ json: JSON, in units: Units) -> String {
        let name = json.text("name") ?? "-"
        guard let grams = json.double("grams") ?? json.double("portion_g") else { return name }
        return "\(name) (\(units.food(grams).text))"
    }

    // MARK: What the command line says

    /// A weight in grams, of --grams or --ounces.
    static func grams(_ arguments: Arguments) throws -> JSON? {
        let range = 0.1...5000.0
        let grams = try arguments.optionalDouble("grams", in: range)
        let ounces = try arguments.optionalDouble("ounces", in: 0.01...176)
        guard grams == nil || ounces == nil else {
            throw arguments.refusal(of: "ounces", "cannot be combined with --grams")
        }
        return (grams ?? ounces.map { max($0 * Units.gramsPerOunce, range.lowerBound) }).map { .number($0) }
    }

    /// Energy and macronutrients.
    /// - Parameter areNeeded: whether the energy, or all of the others, have to be given: a food of the list has its own.
    static func fields(_ arguments: Arguments, areNeeded: Bool = true) throws -> [(String, JSON?)] {
        let energy = try arguments.optionalDouble("energy", in: 0...10_000).map { JSON.number($0) }
        let others = try macronutrients.map { field -> (String, JSON?) in
            (field.name, try arguments.optionalDouble(field.option, in: 0...1000).map { .number($0) })
        }
        guard !areNeeded || energy != nil || others.allSatisfy({ $0.1 != nil }) else {
            throw arguments.missing("energy", "give it, or --protein, --carbohydrate and --fat")
        }
        return [("energy_kcal", energy)] + others
    }

    /// What the command line calls the fields.
    static func flags(_ arguments: Arguments) -> [String: String] {
        let weight = arguments.isGiven("ounces") ? "ounces" : "grams"
        var flags = ["name": "NAME", "energy_kcal": "energy", "grams": weight, "portion_g": weight]
        for field in macronutrients { flags[field.name] = field.option }
        return flags
    }
}
