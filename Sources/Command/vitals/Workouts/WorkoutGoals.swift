import Daemon
import Fitness
import Telemetry

/// `vitals workout goal`: what a person wants to reach in a workout.
struct WorkoutGoals {
    /// What can be a goal.
    enum Kind: String, CaseIterable {
        case distance, duration, steps, energy

        /// The field of a target, with its unit.
        var field: String {
            switch self {
            case .distance: "distance_m"
            case .duration: "duration_s"
            case .steps: "steps"
            case .energy: "energy_kcal"
            }
        }

        var title: String {
            switch self {
            case .distance: "Distance"
            case .duration: "Duration"
            case .steps: "Steps"
            case .energy: "Energy"
            }
        }

        /// How people write a target, and how much of the field's unit that is. A unit that ends another comes later.
        fileprivate var units: [(name: String, factor: Double)] {
            switch self {
            case .distance: [("km", 1000), ("mi", Units.metresPerMile), ("m", 1)]
            case .duration: [("hours", 3600), ("h", 3600), ("min", 60), ("s", 1)]
            case .steps: [("steps", 1)]
            case .energy: [("kcal", 1)]
            }
        }

        /// How much a number with its unit is, in the field's unit: `5 km`; nil if the text says nothing of this kind.
        func amount(_ text: String) -> Double? {
            let text = text.lowercased().filter { $0 != " " }
            guard let unit = units.first(where: { text.hasSuffix($0.name) }),
                let number = Double(text.dropLast(unit.name.count)), number.isFinite
            else { return nil }
            return number * unit.factor
        }

        /// A target in words.
        func text(_ target: Double, in units: Units) -> String {
            switch self {
            case .distance: units.distance(target).text
            case .duration: WorkoutText.clock(target)
            case .steps: "\(decimal(target, 0)) steps"
            case .energy: "\(decimal(target, 0)) kcal"
            }
        }
    }

    static let expected = "'5000 m', '30 min', '8000 steps' or '400 kcal'"

    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func show() throws -> ExitCode { try ask([]) }

    func set() throws -> ExitCode {
        let (field, target) = try Self.target(try arguments.string("GOAL"), of: "GOAL", arguments)
        return try ask([(field, target)])
    }

    func choose() throws -> ExitCode {
        try ask([("kind", .string(try arguments.choice("KIND", of: Kind.self).rawValue))])
    }

    func enable(_ isEnabled: Bool) throws -> ExitCode { try ask([("enabled", .bool(isEnabled))]) }

    private func ask(_ fields: [(String, JSON?)]) throws -> ExitCode {
        let (data, units) = try Office.visit(call) { office in
            (try office.askOfWorkouts("goal", fields, arguments), office.units())
        }
        guard !call.isJSON else {
            try Output.write(data.line)
            return .ok
        }
        let message = data.text("message").map { $0.isEmpty ? "" : $0 + "\n" } ?? ""
        try Output.write(message + Self.shown(data, in: units))
        return .ok
    }

    private static func shown(_ data: JSON, in units: Units) -> String {
        let rows = Kind.allCases.map { kind -> (String, String?) in
            guard let target = data["targets"]?.double(kind.field) else { return (kind.title, nil) }
            guard data["chosen"] == .string(kind.rawValue) else { return (kind.title, kind.text(target, in: units)) }
            let percent = data.double("percent").map { ", \(decimal($0.rounded(.down), 0)) % of it now" } ?? ""
            return (kind.title, "\(kind.text(target, in: units)), chosen\(percent)")
        }
        let text = lines(rows)
        guard !text.isEmpty else { return Hints.completed("no goal: vitals workout goal set '5000 m'\n") }
        guard data["chosen"] != nil else { return text }
        return text + "reaching it \(data["enabled"] == true ? "ends" : "does not end") a workout\n"
    }

    /// What a goal's text says, as a field and its value. An empty text is the consumer's to refuse, and so is a number
    /// that cannot be a target.
    /// - Parameter name: what the command line calls it.
    static func target(_ text: String, of name: String, _ arguments: Arguments) throws -> (field: String, JSON) {
        let text = text.lowercased().filter { $0 != " " }
        guard !text.isEmpty else { return (Kind.distance.field, "") }
        for kind in Kind.allCases {
            guard let target = kind.amount(text) else { continue }
            return (kind.field, Int64(exactly: target).map(JSON.integer) ?? .number(target))
        }
        throw arguments.refusal(
            of: name, "expected a number with its unit such as \(expected), found \(escaped(text))")
    }
}
