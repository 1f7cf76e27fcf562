import Days
package import Features
import Files
import Fitness
import Records
import Telemetry

extension Feature {
    /// What people eat, and what they could.
    package static let meals = Feature(
        name: "meals", schema: MealDays.schema, sealedTables: [MealDays.table, Foods.table],
        exports: [
            .meals,
            .document("foods.json", "Your list of foods; energy (kcal) and macronutrients (g) are of a portion.") {
                source throws(VaultError) in
                let foods = try Foods(source.store, source.keys).all(of: source.user)
                return foods.isEmpty ? nil : ["foods": .array(foods.map(\.kept))]
            },
        ],
        verbs: { MealRequests($0).verbs }, settings: MealsSetting.self)
}

extension ExportSection {
    /// What was eaten, day by day.
    static let meals = ExportSection(
        "meals.jsonl", "What you have eaten, one meal on each line: day, time, energy (kcal) and macronutrients (g)."
    ) { source, position throws(VaultError) in
        let days = MealDays(source.store, source.keys)
        var part = ExportPart(file: position.section)
        // How many meals of the first day were in the part before.
        var done = Int(clamping: position.count)
        var next = try days.firstDay(of: source.user, from: position.time)
        while let number = next {
            let day = CalendarDay(daysSince1970: number)
            for (index, meal) in try days.meals(of: source.user, on: day).enumerated().dropFirst(done) {
                let line = meal.exported(on: day)
                guard part.text.utf8.count + line.utf8.count <= ExportPart.maximumLength else {
                    part.next = ExportPosition(section: position.section, time: number, count: Int64(index))
                    return part
                }
                part.text += line
            }
            done = 0
            next = try days.firstDay(of: source.user, from: number + 1)
        }
        return part.text.isEmpty ? nil : part
    }
}

extension Meal {
    /// A line of an export.
    fileprivate func exported(on day: CalendarDay) -> String {
        guard case .object(let members) = kept.dated("time", { iso8601(unixMilliseconds: $0) }) else { return "" }
        let line = JSON.object([JSON.Member("day", .string("\(day)"))] + members)
        return String(decoding: line.bytes, as: UTF8.self) + "\n"
    }
}
