package import Features
package import Fitness
package import ProgramSettings
package import Telemetry

/// Something that one could eat, with what it gives.
package struct MealIdea: Hashable, Sendable {
    package let id: ID
    package let name: Phrase
    package let text: Phrase
    package let nutrition: Nutrition
    package let ingredients: [Ingredient]

    /// How much of what goes into it.
    package struct Ingredient: Hashable, Sendable {
        package let food: String
        package let grams: Double
    }

    /// No text is longer, in characters.
    static let longest = (name: 60, text: 200)

    func json(in language: Language) -> JSON {
        .object(
            [
                JSON.Member("idea", .string(id.text)), JSON.Member("name", .string(language.words(name))),
                JSON.Member("text", .string(language.words(text))),
            ] + nutrition.members)
    }
}

/// The ideas that there are.
package struct MealIdeas: Equatable, Sendable {
    /// How many there may be.
    package static let most = 1000
    /// How many are offered at once.
    package static let offered = 5
    /// No file is longer, in bytes.
    static let longestFile = 2 << 20

    package let ideas: [MealIdea]

    package init(_ ideas: [MealIdea] = []) { self.ideas = ideas }

    /// What is offered on a day: of those that fit, the ones that the day draws, so that the same day has the same for the same
    /// energy; the most filling first. If none fits, the one with the least energy.
    /// - Parameter energy: none has more, in kilocalories; nil for any.
    package func offered(on day: CalendarDay, upTo energy: Double?) -> [MealIdea] {
        let most = energy.map { max($0, 0) } ?? .infinity
        let fitting = ideas.filter { $0.nutrition.kilocalories <= most }
        guard !fitting.isEmpty else {
            let least = ideas.min { ($0.nutrition.kilocalories, $0.id.text) < ($1.nutrition.kilocalories, $1.id.text) }
            return least.map { [$0] } ?? []
        }
        func lot(_ idea: MealIdea) -> UInt64 { constantLot("\(day) \(idea.id)") }
        return fitting.sorted { (lot($0), $0.id.text) < (lot($1), $1.id.text) }.prefix(Self.offered)
            .sorted { ($0.nutrition.kilocalories, $1.id.text) > ($1.nutrition.kilocalories, $0.id.text) }
    }
}

// MARK: Files

extension MealIdeas {
    /// The ideas of a file. Each element is like
    /// `{"idea":…,"name":{"en":…,"de":…},"text":{…},"ingredients":[{"food":…,"grams":…}],"energy_kcal":…,"protein_g":…,…}`.
    package init(file path: String) throws(DataFault) {
        let file = try DataFile(path, atMost: Self.longestFile)
        guard file.elements.count <= Self.most else {
            throw DataFault(path, said: "there are more than \(Self.most) ideas")
        }
        var lines: [ID: Int] = [:]
        var ideas: [MealIdea] = []
        for element in file.elements {
            let idea: MealIdea
            do throws(Fault) { idea = try Self.idea(element.value) } catch { throw file.fault(element, error.said) }
            if let line = lines.updateValue(element.line, forKey: idea.id) {
                throw file.fault(element, "the idea \(idea.id) is on line \(line) already")
            }
            ideas.append(idea)
        }
        self.init(ideas)
    }

    /// What is wrong with an element.
    private struct Fault: Error {
        let said: String
    }

    private static let names = [
        "idea", "name", "text", "ingredients", "energy_kcal", "protein_g", "carbohydrate_g", "fat_g",
    ]

    private static func idea(_ json: JSON) throws(Fault) -> MealIdea {
        guard case .object(let members) = json else { throw Fault(said: "expected an object") }
        if let strange = members.first(where: { !names.contains($0.name) }) {
            throw Fault(said: "an idea has no \"\(strange.name.prefix(40))\": only \(names.joined(separator: ", "))")
        }
        guard case .string(let text)? = json["idea"] else { throw Fault(said: "\"idea\" is missing") }
        let id: ID
        do throws(MalformedValue) { id = try ID(text) } catch { throw Fault(said: "\"idea\": \(error)") }
        guard let nutrition = Nutrition(json), nutrition.hasAllMacronutrients, nutrition.isWithinLimits else {
            throw Fault(
                said: "\"energy_kcal\", \"protein_g\", \"carbohydrate_g\" and \"fat_g\" have to be numbers from 0 on")
        }
        guard nutrition.isPlausible else {
            throw Fault(said: "\"energy_kcal\" differs by more than a quarter of it from what protein, carbohydrate and fat give")
        }
        return MealIdea(
            id: id, name: try phrase("name", json, atMost: MealIdea.longest.name),
            text: try phrase("text", json, atMost: MealIdea.longest.text), nutrition: nutrition,
            ingredients: try ingredients(json))
    }

    private static func phrase(_ name: String, _ json: JSON, atMost limit: Int) throws(Fault) -> Phrase {
        func text(_ language: String) throws(Fault) -> String {
            guard case .string(let text)? = json[name]?[language], !text.allSatisfy(\.isWhitespace),
                text.count <= limit, text.utf8.count <= 4 * limit, !text.unicodeScalars.contains(where: \.isHarmful)
            else {
                throw Fault(
                    said: "\"\(name)\" has to have an \"en\" and a \"de\" of at most \(limit) characters on one line")
            }
            return text
        }
        return Phrase(read: try text("en"), german: try text("de"))
    }

    private static func ingredients(_ json: JSON) throws(Fault) -> [MealIdea.Ingredient] {
        guard case .array(let elements)? = json["ingredients"], (1...30).contains(elements.count) else {
            throw Fault(said: "\"ingredients\" has to be a list of 1 to 30, each with a \"food\" and \"grams\"")
        }
        var ingredients: [MealIdea.Ingredient] = []
        for element in elements {
            guard case .string(let food)? = element["food"], Meal.isName(food), let grams = element["grams"]?.asDouble,
                Meal.weights.contains(grams)
            else { throw Fault(said: "an ingredient has to have a \"food\" and \"grams\"") }
            ingredients.append(MealIdea.Ingredient(food: food, grams: grams))
        }
        return ingredients
    }
}
