import Desk
import Features
import Files
import Records
import Telemetry
import Workouts

/// Answers `plans/list`, `save` and `delete`: what a workout can be started from. Belongs to the session's thread.
// Proof of @unchecked: touched by the desk's handlers only, which run on that thread.
final class PlanRequests: @unchecked Sendable {
    private let context: PeopleContext
    private var document: WorkoutPlanDocument { WorkoutPlanDocument(documents: context.documents) }

    init(_ parts: FeatureParts) { context = parts.context }

    var verbs: [Verb] {
        [
            Verb("plans/list", .plansList, .atOnce { [self] in try list($0) }),
            Verb("plans/save", .plansSave, .atOnce { [self] in try save($0) }),
            Verb("plans/delete", .plansDelete, .atOnce { [self] in try delete($0) }),
        ]
    }

    private func list(_ request: PeopleRequest) throws -> JSON {
        let plans = try document.read(request.user).all
        return ["plans": .array(plans.map { Self.json($0) })]
    }

    private static func json(_ plan: WorkoutPlan) -> JSON {
        .object(plan.members + [JSON.Member("predefined", .bool(plan.isPredefined))])
    }

    private func save(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let own = try request.workoutGoal()
        let (name, activity) = (try request.workoutName(), try request.activity())
        guard let plan = WorkoutPlan(name, activity, goal: own?.goal, endsAtGoal: own?.ends == true) else {
            throw ReplyError(.invalid, "\"name\" is no name of a plan", field: "name")
        }
        return try context.store.attempt(naming: [user]) {
            var plans = try document.read(user)
            do throws(WorkoutPlans.Problem) { try plans.save(plan) } catch {
                switch error {
                case .predefined:
                    throw ReplyError(.invalid, "everybody has a plan of that name: choose another one", field: "name")
                case .tooMany:
                    throw ReplyError(.notAllowed, "you have \(WorkoutPlans.most) plans: delete some", field: "name")
                }
            }
            try document.write(plans, of: user)
            return ["plan": Self.json(plan)]
        }.get()
    }

    private func delete(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let name = try request.text("name", atMost: WorkoutNames.longestBytes)
        return try context.answered.once(request, now: context.now()) {
            var plans = try document.read(user)
            guard let plan = plans[name] else {
                throw ReplyError(.notFound, "there is no such plan", field: "name")
            }
            guard plans.remove(named: name) else {
                throw ReplyError(.notAllowed, "everybody has this plan: it cannot be deleted", field: "name")
            }
            try document.write(plans, of: user)
            return ["plan": Self.json(plan)]
        }
    }
}
