import Days
package import Fitness
import Records
package import Telemetry

/// Something that a person has eaten.
package struct Meal: Equatable, Sendable {
    /// The number of the day that it is kept with, a hyphen and something drawn.
    package let id: ID
    /// In Unix milliseconds.
    package let time: Int64
    package let name: String
    /// Nil if nobody weighed it.
    package let grams: Double?
    package let nutrition: Nutrition

    /// No name is longer, in characters and in bytes.
    package static let longestName = (characters: 100, bytes: 400)
    /// What a meal or a portion may weigh, in grams.
    package static let weights: ClosedRange<Double> = 0.1...5000
    /// How long ago a meal may have been, and how far ahead, in milliseconds: of those, the days are known.
    package static let times: (past: Int64, future: Int64) = (400 * 86_400_000, 86_400_000)

    package init(id: ID, time: Int64, name: String, grams: Double?, _ nutrition: Nutrition) {
        (self.id, self.time, self.name, self.grams, self.nutrition) = (id, time, name, grams, nutrition)
    }

    /// Whether a text may be the name of something to eat.
    static func isName(_ text: String) -> Bool {
        PlainText.isLine(text, atMost: longestName)
    }

    /// The last day of the year 9999, in days since 1970.
    private static let lastDay: Int64 = 2_932_896

    /// The day with which a meal is kept; nil if the id is none of a meal.
    package static func day(of id: ID) -> CalendarDay? {
        let parts = id.text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), (0...lastDay).contains(number) else { return nil }
        return CalendarDay(daysSince1970: number)
    }

    /// An id of a meal of a day.
    /// - Parameter drawn: something random.
    static func id(on day: CalendarDay, _ drawn: ID) throws(MalformedValue) -> ID {
        try ID("\(day.daysSince1970)-\(drawn)")
    }
}

extension Meal {
    /// What people see of it.
    var json: JSON { .object(members(nutrition.members)) }
    /// As it is kept.
    var kept: JSON { .object(members(nutrition.kept)) }

    private func members(_ nutrition: [JSON.Member]) -> [JSON.Member] {
        let own: KeyValuePairs<String, JSON?> = [
            "meal": .string(id.text), "time": .integer(time), "name": .string(name),
            "grams": grams.map { .number($0, decimals: 1) },
        ]
        return own.compactMap { name, value in value.map { JSON.Member(name, $0) } } + nutrition
    }

    init?(kept json: JSON) {
        guard case .string(let text)? = json["meal"], let id = decoded({ () throws(MalformedValue) in try ID(text) }),
            case .integer(let time)? = json["time"], case .string(let name)? = json["name"],
            let nutrition = Nutrition(json)
        else { return nil }
        self.init(id: id, time: time, name: name, grams: json["grams"]?.asDouble, nutrition)
    }
}

/// Something that a person eats again and again.
package struct Food: Equatable, Sendable {
    package let id: ID
    package let name: String
    /// What a portion weighs, in grams; nil if nobody said.
    package let portion: Double?
    /// Of a portion.
    package let nutrition: Nutrition

    package init(id: ID, name: String, portion: Double?, _ nutrition: Nutrition) {
        (self.id, self.name, self.portion, self.nutrition) = (id, name, portion, nutrition)
    }

    /// What people see of it.
    var json: JSON { .object(members(nutrition.members)) }
    /// As it is kept.
    var kept: JSON { .object(members(nutrition.kept)) }

    private func members(_ nutrition: [JSON.Member]) -> [JSON.Member] {
        let own: KeyValuePairs<String, JSON?> = [
            "food": .string(id.text), "name": .string(name), "portion_g": portion.map { .number($0, decimals: 1) },
        ]
        return own.compactMap { name, value in value.map { JSON.Member(name, $0) } } + nutrition
    }

    init?(kept json: JSON) {
        guard case .string(let text)? = json["food"], let id = decoded({ () throws(MalformedValue) in try ID(text) }),
            case .string(let name)? = json["name"], let nutrition = Nutrition(json)
        else { return nil }
        self.init(id: id, name: name, portion: json["portion_g"]?.asDouble, nutrition)
    }
}
