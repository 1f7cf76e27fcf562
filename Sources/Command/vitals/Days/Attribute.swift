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

    /// A value as people read it.
    func text(_ value: Double) -> String {
        switch self {
        case .steps: decimal(value, 0)
        case .distance: value < 1000 ? "\(decimal(value, 0)) m" : "\(decimal(value / 1000, 2)) km"
        case .energy: "\(decimal(value, 0)) kcal"
        case .temperature: "\(decimal(value, 1)) °C"
        case .heartRate: "\(decimal(value, 0)) bpm"
        }
    }

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

/// How much time that is: `11 h 20 min`, `12 min`, `45 s`.
func spell(seconds: Int) -> String {
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min"
    default:
        let minutes = seconds / 60 % 60
        return "\(grouped(seconds / 3600)) h" + (minutes == 0 ? "" : " \(minutes) min")
    }
}
