import Files
import Records
import Telemetry
import Workouts

/// A person's own plans, as they are kept: the document "workout-plans".
struct WorkoutPlanDocument {
    static let name = "workout-plans"
    let documents: Documents

    /// What the person can start from.
    func read(_ user: ID) throws(VaultError) -> WorkoutPlans {
        guard case .array(let kept)? = try documents.read(Self.name, of: user)?["plans"] else { return WorkoutPlans() }
        return WorkoutPlans(kept.compactMap { WorkoutPlan(kept: $0) })
    }

    /// Keeps the person's own plans, within a transaction.
    func write(_ plans: WorkoutPlans, of user: ID) throws(VaultError) {
        guard !plans.own.isEmpty else { return try documents.remove(Self.name, of: user) }
        try documents.write(["plans": .array(plans.own.map { .object($0.members) })], Self.name, of: user)
    }
}

extension WorkoutPlan {
    /// `{"name":…,"activity":"running","goal":{"kind":"distance","distance_m":5000,"enabled":true}}`
    var members: [JSON.Member] {
        present([
            ("name", .string(name)), ("activity", .string(activity.name)),
            ("goal", goal.map { $0.json(endingWorkout: endsAtGoal) }),
        ])
    }

    fileprivate init?(kept json: JSON) {
        guard case .string(let name)? = json["name"], case .string(let text)? = json["activity"],
            let activity = Activity(named: text)
        else { return nil }
        let goals = WorkoutGoal.Kind.allCases.lazy.compactMap { kind in
            json["goal"]?[kind.field]?.double.flatMap { WorkoutGoal(kind, target: $0) }
        }
        self.init(name, activity, goal: goals.first, endsAtGoal: json["goal"]?["enabled"] == true)
    }
}
