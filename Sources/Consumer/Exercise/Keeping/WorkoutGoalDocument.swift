import Files
import Records
import Telemetry
import Workouts

/// A person's goals of workouts, as they are kept: the document "workout-goal".
struct WorkoutGoalDocument {
    static let name = "workout-goal"
    let documents: Documents

    /// The goals; none where nothing was kept.
    func read(_ user: ID) throws(VaultError) -> WorkoutGoals {
        guard let json = try documents.read(Self.name, of: user) else { return WorkoutGoals() }
        let saved = WorkoutGoal.Kind.allCases.compactMap { kind in
            json["targets"]?[kind.field]?.double.flatMap { WorkoutGoal(kind, target: $0) }
        }
        var chosen: WorkoutGoal.Kind?
        if case .string(let name)? = json["chosen"] { chosen = WorkoutGoal.Kind(rawValue: name) }
        return WorkoutGoals(saved, chosen: chosen, isEnabled: json["enabled"] == true)
    }

    /// Keeps the goals, within a transaction.
    func write(_ goals: WorkoutGoals, of user: ID) throws(VaultError) {
        try documents.write(.object(Self.members(goals)), Self.name, of: user)
    }

    /// `{"targets":{"distance_m":5000},"chosen":"distance","enabled":false}`
    static func members(_ goals: WorkoutGoals) -> [JSON.Member] {
        let targets = WorkoutGoal.Kind.allCases.map { ($0.field, rounded(goals.saved[$0]?.target, 3)) }
        return present([
            ("targets", .object(present(targets))), ("chosen", goals.chosen.map { .string($0.kind.rawValue) }),
            ("enabled", .bool(goals.isEnabled)),
        ])
    }
}
