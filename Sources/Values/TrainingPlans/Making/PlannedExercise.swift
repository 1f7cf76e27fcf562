public import Telemetry

/// One exercise of a plan: how often, and how long.
public struct PlannedExercise: Hashable, Sendable {
    /// Which part of the plan it belongs to.
    public enum Part: String, CaseIterable, Hashable, Sendable {
        /// It makes limbs warm.
        case warmUp = "warm-up"
        /// It trains balance.
        case balance
        /// It is what the plan is for.
        case main
        /// It ends the plan gently.
        case coolDown = "cool-down"
    }

    /// How much a set is.
    public enum Effort: Hashable, Sendable {
        /// So many repetitions, as long as they take.
        case repetitions(Int)
        /// So many seconds.
        case seconds(Int)
    }

    /// How long a repetition takes, in seconds: one or two for each way (American College of Sports Medicine, 2009).
    static let secondsOfRepetition = 4

    /// Its id in the catalogue.
    public let id: String
    /// Its name in the catalogue.
    public let name: String
    /// Which part of the plan it belongs to.
    public let part: Part
    /// How many sets there are.
    public var sets: Int
    /// How much each of them is.
    public var effort: Effort
    /// How long the rest after each of them is, in seconds.
    public var restSeconds: Int
    /// In which zone of the heart rate it is meant to be done, from 1 to 5; nil if it does not matter.
    public let zone: Int?
    /// The muscles that it works most.
    public let primary: [Muscle]
    /// The muscles that it works besides.
    public let secondary: [Muscle]
    /// What it needs.
    public let equipment: Equipment

    init(
        _ exercise: TrainingExercise, _ part: Part, sets: Int, _ effort: Effort, restSeconds: Int, zone: Int? = nil
    ) {
        (id, name, primary, secondary) = (exercise.id, exercise.name, exercise.primary, exercise.secondary)
        equipment = exercise.equipment
        (self.part, self.sets, self.effort, self.restSeconds, self.zone) = (part, sets, effort, restSeconds, zone)
    }

    /// How long a set takes, in seconds, without the rest; about so long if it is of repetitions.
    public var workSeconds: Int {
        switch effort {
        case .repetitions(let count): count * Self.secondsOfRepetition
        case .seconds(let seconds): seconds
        }
    }

    /// How long all its sets take, in seconds, each with its rest.
    public var seconds: Int { sets * (workSeconds + restSeconds) }

    /// Whether a heart rate in a zone is as high as it is meant to be; nil if that does not matter. Where zone 4 is meant,
    /// zone 5 is right, too.
    public func isReached(byZone measured: Int) -> Bool? {
        zone.map { ($0...($0 == 4 ? 5 : $0)).contains(measured) }
    }
}

// MARK: As JSON

extension PlannedExercise {
    /// As it is published.
    public var json: JSON {
        let repetitions: Int? = if case .repetitions(let count) = effort { count } else { nil }
        let seconds: Int? = if case .seconds(let seconds) = effort { seconds } else { nil }
        return .object(present: [
            "exercise": .string(id), "name": .string(name), "part": .string(part.rawValue),
            "sets": .integer(Int64(sets)), "repetitions": repetitions.map { .integer(Int64($0)) },
            "work_s": seconds.map { .integer(Int64($0)) }, "rest_s": .integer(Int64(restSeconds)),
            "zone": zone.map { .integer(Int64($0)) }, "primary": .array(primary.map { .string($0.rawValue) }),
            "secondary": .array(secondary.map { .string($0.rawValue) }), "equipment": .string(equipment.rawValue),
        ])
    }

    /// What was kept of one.
    init(kept json: JSON) throws(KeptState.Malformed) {
        let state = try KeptState(json)
        guard let id = try state.textIfPresent("exercise"), ExerciseFields.isID(id),
            let name = try state.textIfPresent("name"), let part = try state.wordIfPresent("part", Part.self),
            let equipment = try state.wordIfPresent("equipment", Equipment.self)
        else { throw KeptState.Malformed() }
        (self.id, self.name, self.part, self.equipment) = (id, name, part, equipment)
        sets = Int(try state.integer("sets", in: 1...Int64(TrainingPlan.mostSets)))
        restSeconds = Int(try state.integer("rest_s", in: 0...3600))
        if json["work_s"] != nil {
            effort = .seconds(Int(try state.integer("work_s", in: 1...3600)))
        } else {
            effort = .repetitions(Int(try state.integer("repetitions", in: 1...100)))
        }
        zone = json["zone"] == nil ? nil : Int(try state.integer("zone", in: 1...5))
        primary = try Self.muscles(state, "primary")
        secondary = try Self.muscles(state, "secondary")
        guard !primary.isEmpty else { throw KeptState.Malformed() }
    }

    private static func muscles(_ state: KeptState, _ name: String) throws(KeptState.Malformed) -> [Muscle] {
        var muscles: [Muscle] = []
        for value in try state.list(name, atMost: Muscle.allCases.count) {
            guard case .string(let text) = value, let muscle = Muscle(rawValue: text) else {
                throw KeptState.Malformed()
            }
            muscles.append(muscle)
        }
        return muscles
    }
}
