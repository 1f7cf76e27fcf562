/// What Home Assistant shows of a person's day: each is an entity there. The raw value is part of its identity there, and
/// must not change.
public enum DiscoveredFigure: String, CaseIterable, Hashable, Sendable {
    case steps
    /// On foot.
    case distance
    /// On foot.
    case energy
    /// The day's mean.
    case heartRate = "heart_rate"
    case lowestHeartRate = "lowest_heart_rate"
    case highestHeartRate = "highest_heart_rate"
    case restingHeartRate = "resting_heart_rate"
    /// How much of the goal is reached.
    case stepsGoal = "steps_goal"
    case distanceGoal = "distance_goal"
    case energyGoal = "energy_goal"

    /// Whether only people who have such a goal have it.
    public var isGoal: Bool {
        switch self {
        case .stepsGoal, .distanceGoal, .energyGoal: true
        default: false
        }
    }

    /// What is particular to it, in Home Assistant's abbreviations.
    var particulars: [(String, JSON)] {
        switch self {
        case .steps: Self.counted("Steps today", "steps", "mdi:shoe-print", "steps")
        case .distance:
            Self.counted("Distance today", "m", "mdi:map-marker-distance", "distance_m") + [("dev_cla", "distance")]
        case .energy: Self.counted("Energy today", "kcal", "mdi:fire", "energy_kcal")
        case .heartRate: Self.heart("Heart rate today", "mean")
        case .lowestHeartRate: Self.heart("Lowest heart rate today", "min")
        case .highestHeartRate: Self.heart("Highest heart rate today", "max")
        case .restingHeartRate: Self.heart("Resting heart rate", "resting")
        case .stepsGoal: Self.goal("Goal of steps", "steps")
        case .distanceGoal: Self.goal("Goal of distance", "distance_m")
        case .energyGoal: Self.goal("Goal of energy", "energy_kcal")
        }
    }

    /// What grows during a day, and begins at nothing at midnight.
    private static func counted(
        _ name: String, _ unit: String, _ icon: String, _ field: StaticString
    ) -> [(String, JSON)] {
        shown(name, unit, icon, "total_increasing", field)
    }

    private static func heart(_ name: String, _ field: StaticString) -> [(String, JSON)] {
        shown(name, "bpm", "mdi:heart-pulse", "measurement", "heart_rate", field) + [("sug_dsp_prc", 0)]
    }

    private static func goal(_ name: String, _ field: StaticString) -> [(String, JSON)] {
        shown(name, "%", "mdi:flag-checkered", "measurement", "goals", field, "percent") + [("sug_dsp_prc", 0)]
    }

    private static func shown(
        _ name: String, _ unit: String, _ icon: String, _ state: String, _ fields: StaticString...
    ) -> [(String, JSON)] {
        [
            ("name", .string(name)), ("val_tpl", template(fields)), ("unit_of_meas", .string(unit)),
            ("stat_cla", .string(state)), ("ic", .string(icon)),
        ]
    }

    /// A template that gives the value of a field, or says that it is unknown: on a new day there is none yet, and
    /// yesterday's must not stay. Only texts of this program can be fields.
    private static func template(_ fields: [StaticString]) -> JSON {
        var path = "value_json"
        var conditions = ["value_json is defined"]
        for field in fields {
            path += ".\(field)"
            conditions.append("\(path) is defined")
        }
        return .string("{% if \(conditions.joined(separator: " and ")) %}{{ \(path) }}{% else %}None{% endif %}")
    }
}

extension DiscoveryPayload {
    /// What is told about a person who shows their day.
    /// - Parameters:
    ///   - name: what the person calls themselves; nil if nothing.
    ///   - goals: those that the person has. The others are taken back, because Home Assistant keeps an entity until it is
    ///     told that it is gone.
    ///   - presence: where the consumer says whether it is there.
    public init(
        person user: ID, called name: String?, with goals: Set<DiscoveredFigure>, _ topics: Topics,
        presence: Topic, version: String
    ) {
        // Ids have no underscore, so this is no gateway's.
        let unique = "vitals-person_\(user)"
        let components = DiscoveredFigure.allCases.map { figure in
            guard !figure.isGoal || goals.contains(figure) else {
                return JSON.Member(figure.rawValue, ["p": "sensor"])
            }
            let common: [(String, JSON)] = [
                ("p", "sensor"), ("uniq_id", .string("\(unique)_\(figure.rawValue)")),
                ("stat_t", .string(topics[.homeAssistant(user)])), ("qos", 1),
            ]
            return JSON.Member(figure.rawValue, Self.object(common + figure.particulars))
        }
        json = [
            "dev": [
                "ids": [.string(unique)], "name": .string(name.flatMap(shown) ?? user.text), "mf": "Vitals",
                "mdl": "Person", "sw": .string(version),
            ],
            "o": Self.origin(version),
            "avty": [["t": .string(topics[presence]), "val_tpl": DiscoveredEntity.template("state")]],
            "cmps": .object(components),
        ]
    }

    /// Whether a description that the broker had kept is of a person under these topics, rather than of somebody whose
    /// consumer has another root at the same broker.
    public static func isOurs(_ payload: [UInt8], of user: ID, _ topics: Topics) -> Bool {
        do throws(MalformedValue) {
            let told = try JSON(payload: payload)
            return told["cmps"]?[DiscoveredFigure.steps.rawValue]?["stat_t"] == .string(topics[.homeAssistant(user)])
        } catch { return false }
    }
}
