import Daemon
import Fitness
import Foundation
import ProgramSettings
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Meals

@Suite("Ideas for meals")
struct MealIdeasTests {
    private func idea(_ name: String, _ energy: Double) throws -> MealIdea {
        let phrase = Phrase(english: name, german: name)
        return MealIdea(
            id: try ID(name), name: phrase, text: phrase, nutrition: Nutrition(kilocalories: energy), ingredients: [])
    }

    private let day = CalendarDay(daysSince1970: 20_783)

    @Test("fit what is left, are the same all day and others on another, and never none")
    func choice() throws {
        let ideas = MealIdeas(try (1...40).map { try idea("idea-\($0)", Double($0) * 20) })
        let first = ideas.offered(on: day, upTo: 500)
        #expect(first.count == 5 && first.allSatisfy { $0.nutrition.kilocalories <= 500 })
        #expect(ideas.offered(on: day, upTo: 500) == first)
        #expect(MealIdeas(ideas.ideas.reversed()).offered(on: day, upTo: 500) == first)
        #expect(ideas.offered(on: day.advanced(by: 1), upTo: 500) != first)
        let energies = first.map(\.nutrition.kilocalories)
        #expect(energies == energies.sorted(by: >))
        // Exactly what is left fits; where nothing fits, the least does.
        #expect(Set(ideas.offered(on: day, upTo: 40).map(\.id.text)) == ["idea-1", "idea-2"])
        for left in [19.9, 0, -300] { #expect(ideas.offered(on: day, upTo: left).map(\.id.text) == ["idea-1"]) }
        #expect(ideas.offered(on: day, upTo: nil).count == 5 && MealIdeas().offered(on: day, upTo: 100).isEmpty)
    }

    private static let good =
        #"{"idea":"a","name":{"en":"A","de":"Ä"},"text":{"en":"Cook.","de":"Kochen."},"ingredients":[{"food":"oats","grams":50}],"energy_kcal":190,"protein_g":6.6,"carbohydrate_g":33.9,"fat_g":3.3}"#

    private func read(_ line: String) throws -> MealIdeas {
        let folder = try TemporaryFolder()
        return try MealIdeas(file: folder.write("[\n\(line)\n]", to: "ideas.json"))
    }

    /// What is replaced in an idea, by what, and the reason why it is then refused.
    static let broken: [(String, String, String)] = [
        (#""idea":"a""#, #""idea":"A b""#, "\"idea\": "), (#""idea":"a","#, "", "\"idea\" is missing"),
        (#""de":"Ä""#, #""fr":"Ä""#, "\"name\" has to have"), (#""en":"Cook.""#, #""en":" ""#, "\"text\" has to have"),
        (#""en":"A""#, #""en":"A\nB""#, "\"name\" has to have"),
        (#"[{"food":"oats","grams":50}]"#, "[]", "\"ingredients\""),
        (#""grams":50"#, #""grams":0"#, "an ingredient"), (#""fat_g":3.3"#, #""fat_g":-1"#, "have to be numbers"),
        (#","fat_g":3.3"#, "", "have to be numbers"), (#""energy_kcal":190"#, #""energy_kcal":400"#, "by more than a quarter"),
        (#""fat_g":3.3"#, #""fat_g":3.3,"price":2"#, "an idea has no \"price\""),
        (#""fat_g":3.3"#, #""fat_g":3.3 "x""#, "JSON"),
    ]

    @Test("of a file are refused with the line and the reason", arguments: broken)
    func faults(part: String, replacement: String, reason: String) throws {
        let line = Self.good.replacingOccurrences(of: part, with: replacement)
        let fault = try #require(thrown(DataFault.self) { try read(line) })
        #expect(fault.line == 2 && fault.said.contains(reason), "\(fault)")
    }

    @Test("of a file are read, each id once, and refused with the setting that names the file")
    func files() throws {
        #expect(try read(Self.good).ideas.map(\.nutrition.kilocalories) == [190])
        let twice = try #require(thrown(DataFault.self) { try read(Self.good + ",\n" + Self.good) })
        #expect(twice.line == 3 && twice.said == "the idea a is on line 2 already")
        let folder = try TemporaryFolder()
        try folder.write("[\n5]", to: "ideas.json")
        let settings = try folder.write(#"{ meals: { ideas: "ideas.json" } }"#, to: "settings.json5")
        let error = try #require(
            thrown(SettingsError.self) {
                try Settings.read(settings) { section throws(SettingsError) in try MealsSetting(section) }
            })
        #expect(
            error.key == "meals.ideas" && error.problem.contains("ideas.json, line 2: expected an object"), "\(error)")
    }
}

@Suite("The ideas that come with the programs")
struct OwnIdeasTests {
    private func elements(_ name: String) throws -> [JSON] {
        try DataFile("\(projectFolder)/deploy/meals/\(name).json").elements.map(\.value)
    }

    private var ideas: [MealIdea] {
        get throws { try MealIdeas(file: "\(projectFolder)/deploy/meals/ideas.json").ideas }
    }

    @Test("have the energy and the macronutrients of their ingredients, to the last digit that is shown")
    func sums() throws {
        var foods: [String: Nutrition] = [:]
        for element in try elements("foods") {
            guard case .string(let name)? = element["food"], let food = Nutrition(element) else {
                throw TestFailure("\(element)")
            }
            foods[name] = food
        }
        var used: Set<String> = []
        for idea in try ideas {
            var sum = Nutrition.nothing
            for ingredient in idea.ingredients {
                let food = try #require(foods[ingredient.food], "\(ingredient.food)")
                sum = sum + food.times(ingredient.grams / 100)
                used.insert(ingredient.food)
            }
            let told = idea.nutrition
            #expect(abs(sum.kilocalories - told.kilocalories) <= 0.501, "\(idea.id): \(sum)")
            for (sum, told) in [
                (sum.protein, told.protein), (sum.carbohydrate, told.carbohydrate), (sum.fat, told.fat),
            ] { #expect(try abs(#require(sum) - #require(told)) <= 0.0501, "\(idea.id): \(sum ?? 0)") }
        }
        #expect(used == Set(foods.keys))
    }

    @Test("are enough, each with its own words in both languages, and from small to large")
    func words() throws {
        let ideas = try ideas
        #expect(ideas.count >= 60)
        for words in [\MealIdea.name.english, \.name.german, \.text.english, \.text.german] {
            #expect(Set(ideas.map { $0[keyPath: words] }).count == ideas.count)
        }
        for idea in ideas {
            #expect(idea.text.english.hasSuffix(".") && idea.text.german.hasSuffix("."), "\(idea.id)")
        }
        let energies = ideas.map(\.nutrition.kilocalories)
        #expect(try #require(energies.min()) <= 100 && energies.allSatisfy { $0 <= 700 })
        #expect(energies.count { $0 <= 250 } >= 15)
    }

    @Test("are made of foods whose energy fits their macronutrients")
    func foods() throws {
        for element in try elements("foods") {
            let food = try #require(Nutrition(element))
            // Atwater's specific factors, by which vegetables are counted, are lower than the general ones.
            let ratio = food.atwater / food.kilocalories
            #expect((0.9...1.3).contains(ratio), "\(element): \(ratio)")
        }
    }
}
