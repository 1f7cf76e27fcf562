import Fitness
import Telemetry

/// What can be drawn of days.
enum Attribute: String, CaseIterable {
    case steps, distance, energy, temperature
    case heartRate = "heart-rate"

    var title: String {
        switch self {
        case .steps: "Steps"
        case .distance: "Distance"
        case .energy: "Energy"
        case .temperature: "Temperature"
        case .heartRate: "Heart rate"
        }
    }

    /// The member of a day and of a period; also the goal's name, if there can be one.
    var member: String {
        switch self {
        case .steps: "steps"
        case .distance: "distance_m"
        case .energy: "energy_kcal"
        case .temperature: "temperature_c"
        case .heartRate: "heart_rate"
        }
    }

    /// Whether it adds up over a day, and over days.
    var isSum: Bool { self != .temperature && self != .heartRate }

    /// Those that there can be goals for.
    static let goals: [Attribute] = [.steps, .distance, .energy]

    /// A value as a person with these units reads it.
    func text(_ value: Double, in units: Units) -> String {
        switch self {
        case .steps: decimal(value, 0)
        case .distance: units.distance(value).text
        case .energy: Self.kilocalories(value)
        case .temperature: units.temperature(value).text
        case .heartRate: Self.beats(value)
        }
    }

    /// The same without its unit, for what has no sum.
    func number(_ value: Double, in units: Units) -> String {
        self == .temperature ? units.temperature(value).number : decimal(value, 0)
    }

    /// `640 kcal`
    static func kilocalories(_ value: Double) -> String { "\(decimal(value, 0)) kcal" }
    /// `148 bpm`
    static func beats(_ perMinute: Double) -> String { "\(decimal(perMinute, 0)) bpm" }

    /// How much a day has of it; nil if that is not known.
    func amount(ofDay day: JSON) -> Amount? {
        isSum ? day.double(member).map { Amount(value: $0) } : day[member].flatMap(Self.spread)
    }

    /// How much a period has of it on an average day; nil if that is not known.
    func amount(ofPeriod period: JSON) -> Amount? {
        guard let numbers = period[member] else { return nil }
        return isSum ? numbers.double("mean").map { Amount(value: $0) } : Self.spread(numbers)
    }

    private static func spread(_ numbers: JSON) -> Amount? {
        guard let mean = numbers.double("mean") else { return nil }
        let (low, high) = (numbers.double("min") ?? mean, numbers.double("max") ?? mean)
        return Amount(value: mean, range: min(low, mean)...max(high, mean))
    }
}

extension JSON {
    /// Whether this goal of a day was reached: it says so, or when.
    var isReached: Bool {
        switch self["reached"] {
        case .bool(let isReached): isReached
        case .integer: true
        default: false
        }
    }

    /// What a goal of a day has come to; never 100 by rounding.
    var percent: Double? {
        guard let value = double("value"), let target = double("target"), target > 0 else { return double("percent") }
        return (100 * value / target).rounded(.down)
    }

    /// A goal that a day or a period has.
    func goal(_ attribute: Attribute) -> JSON? { self["goals"]?[attribute.member] }
}
