import Contract
import Days
import Telemetry

/// What something to eat gives: energy, and those macronutrients that are known.
package struct Nutrition: Hashable, Sendable {
    package var kilocalories: Double
    /// In grams, like the others; nil if it is not known.
    package var protein: Double?
    package var carbohydrate: Double?
    package var fat: Double?

    /// What one entry may have, in kilocalories and in grams.
    package static let energies: ClosedRange<Double> = 0...10_000
    package static let grams: ClosedRange<Double> = 0...1000

    package init(kilocalories: Double, protein: Double? = nil, carbohydrate: Double? = nil, fat: Double? = nil) {
        (self.kilocalories, self.protein, self.carbohydrate, self.fat) = (kilocalories, protein, carbohydrate, fat)
    }

    static let nothing = Nutrition(kilocalories: 0, protein: 0, carbohydrate: 0, fat: 0)

    /// A macronutrient of a sum is known if it is known of all parts.
    static func + (one: Nutrition, other: Nutrition) -> Nutrition {
        func sum(_ one: Double?, _ other: Double?) -> Double? { one.flatMap { one in other.map { one + $0 } } }
        return Nutrition(
            kilocalories: one.kilocalories + other.kilocalories, protein: sum(one.protein, other.protein),
            carbohydrate: sum(one.carbohydrate, other.carbohydrate), fat: sum(one.fat, other.fat))
    }

    func times(_ factor: Double) -> Nutrition {
        Nutrition(
            kilocalories: kilocalories * factor, protein: protein.map { $0 * factor },
            carbohydrate: carbohydrate.map { $0 * factor }, fat: fat.map { $0 * factor })
    }

    /// Whether it is within what one entry may have.
    var isWithinLimits: Bool {
        Self.energies.contains(kilocalories)
            && [protein, carbohydrate, fat].allSatisfy { Self.grams.contains($0 ?? 0) }
    }
}

// MARK: Energy by macronutrients

extension Nutrition {
    /// Kilocalories in a gram of protein, carbohydrate and fat: Atwater's general factors.
    static let factors = (protein: 4.0, carbohydrate: 4.0, fat: 9.0)
    /// How far an energy may be from that of its macronutrients without a word, as a fraction of it.
    static let tolerance = 0.25

    /// The energy of the macronutrients that are known, in kilocalories.
    var atwater: Double {
        let (protein, carbohydrate, fat) = (protein ?? 0, carbohydrate ?? 0, fat ?? 0)
        return protein * Self.factors.protein + carbohydrate * Self.factors.carbohydrate + fat * Self.factors.fat
    }

    var hasAllMacronutrients: Bool { protein != nil && carbohydrate != nil && fat != nil }

    /// Whether the energy fits the macronutrients. Alcohol has energy and is none of them, and fibre has less energy than other
    /// carbohydrates; so what does not fit is told and kept.
    var isPlausible: Bool {
        // Half a kilocalorie, so that what is rounded to nothing fits nothing.
        let slack = kilocalories * Self.tolerance + 0.5
        return atwater <= kilocalories + slack && (!hasAllMacronutrients || atwater >= kilocalories - slack)
    }
}

// MARK: As JSON

extension Nutrition {
    /// The names of the fields, in the order in which they stand.
    static let fields: [PayloadSchema.Field] = [
        .always("energy_kcal", .number), .known("protein_g", .number), .known("carbohydrate_g", .number),
        .known("fat_g", .number),
    ]

    /// As replies have it: rounded as people read it.
    var members: [JSON.Member] { members(decimals: 0) }

    /// As it is kept.
    var kept: [JSON.Member] { members(decimals: 2) }

    private func members(decimals: Int) -> [JSON.Member] {
        let grams = max(decimals, 1)
        let all: KeyValuePairs<String, JSON?> = [
            "energy_kcal": .number(kilocalories, decimals: decimals),
            "protein_g": protein.map { .number($0, decimals: grams) },
            "carbohydrate_g": carbohydrate.map { .number($0, decimals: grams) },
            "fat_g": fat.map { .number($0, decimals: grams) },
        ]
        return all.compactMap { name, value in value.map { JSON.Member(name, $0) } }
    }

    /// Nil if there is no energy.
    init?(_ json: JSON) {
        guard let kilocalories = json["energy_kcal"]?.asDouble else { return nil }
        self.init(
            kilocalories: kilocalories, protein: json["protein_g"]?.asDouble,
            carbohydrate: json["carbohydrate_g"]?.asDouble, fat: json["fat_g"]?.asDouble)
    }
}

extension JSON {
    /// Nil if it is no number.
    var asDouble: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}
