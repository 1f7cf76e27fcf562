import Records
import Telemetry

/// A training as it is kept: the plan that a workout follows or followed, and what was done of it.
struct TrainingRecord: Equatable, Sendable {
    /// The workout's id.
    let workout: ID
    /// When it began, in Unix milliseconds.
    let started: Int64
    /// The token of the plan.
    let plan: String
    let kind: String
    /// In the person's language of then.
    let title: String
    /// The choice of the week that it was started from; nil if it was started from the plan itself.
    let choice: ID?
    /// What was done for each muscle, so far or in all.
    var muscles: [MuscleWork] = []
    /// How many exercises were done, each of them at least for one set.
    var exercises = 0
    /// What that took by the plan's estimate; nil while it is under way, and where it is not known.
    var kilocalories: Int?
    /// How far the plan is; nil once the training is over.
    var state: JSON?

    var isUnderWay: Bool { state != nil }
}

extension TrainingRecord {
    /// What people see of one that is over.
    var members: [JSON.Member] {
        var members = [
            JSON.Member("workout", .string(workout.text)), JSON.Member("started", .integer(started)),
            JSON.Member("plan", .string(plan)), JSON.Member("kind", .string(kind)),
            JSON.Member("title", .string(title)), JSON.Member("exercises", .integer(Int64(exercises))),
            JSON.Member("muscles", .array(muscles.map(\.json))),
        ]
        if let kilocalories { members.append(JSON.Member("energy_kcal", .integer(Int64(kilocalories)))) }
        return members
    }

    /// As it is sealed.
    var kept: JSON {
        .object(
            members + [choice.map { JSON.Member("choice", .string($0.text)) }, state.map { JSON.Member("state", $0) }]
                .compactMap(\.self))
    }

    /// One as it was sealed; nil if it is none.
    init?(kept json: JSON) {
        guard let workout = json.id("workout"), case .integer(let started)? = json["started"],
            case .string(let plan)? = json["plan"], case .string(let kind)? = json["kind"],
            case .string(let title)? = json["title"], case .integer(let exercises)? = json["exercises"],
            case .array(let muscles)? = json["muscles"]
        else { return nil }
        let kilocalories: Int? =
            if case .integer(let whole)? = json["energy_kcal"] { Int(clamping: whole) } else { nil }
        self.init(
            workout: workout, started: started, plan: plan, kind: kind, title: title, choice: json.id("choice"),
            muscles: muscles.compactMap(MuscleWork.init(kept:)), exercises: Int(clamping: exercises),
            kilocalories: kilocalories, state: json["state"])
    }
}

extension JSON {
    /// A member that is an id; nil if there is none.
    func id(_ name: String) -> ID? { self[name].flatMap { ID(kept: $0) } }

    /// The texts of a member that is a list.
    func texts(_ name: String) -> [String] {
        guard case .array(let values)? = self[name] else { return [] }
        return values.compactMap { value in if case .string(let text) = value { text } else { nil } }
    }
}
