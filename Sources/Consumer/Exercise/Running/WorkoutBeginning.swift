import Desk
import Files
import Fitness
import Records
import Telemetry
import Workouts

/// What a workout begins with, as a request says it: an activity or a plan, a goal, gear, a zone.
struct WorkoutBeginning {
    let activity: Activity
    let goal: WorkoutGoal?
    let endsAtGoal: Bool
    let gear: ID?
    let target: TargetZone?

    /// What a request wants. A goal of its own comes before the plan's, and the plan's before the chosen one; gear that it
    /// names comes before what is used for the activity by default.
    init(_ request: PeopleRequest, _ documents: Documents) throws {
        let user = try request.user
        let plan = try Self.plan(request, documents, user)
        if let plan {
            guard try request.optionalActivity().map({ $0 == plan.activity }) ?? true else {
                throw ReplyError(
                    .invalid, "the plan is for \(plan.activity.name): leave \"activity\" out, or leave \"plan\" out",
                    field: "plan")
            }
            activity = plan.activity
        } else {
            activity = try request.activity()
        }
        if let (goal, ends) = try Self.goal(request, plan) {
            (self.goal, endsAtGoal) = (goal, ends)
        } else {
            let chosen = try WorkoutGoalDocument(documents: documents).read(user)
            (goal, endsAtGoal) = (chosen.chosen, chosen.isEnabled)
        }
        target = try request.optionalInteger("zone", in: 1...Int64(HeartRateFacts.zones)).flatMap {
            TargetZone(zone: Int($0))
        }
        let list = try GearDocument(documents: documents).read(user)
        switch request.fields["gear"] {
        case nil: gear = list.usual(for: activity)?.id
        case .null?: gear = nil
        default: gear = try request.gear(in: list).id
        }
    }

    private static func plan(_ request: PeopleRequest, _ documents: Documents, _ user: ID) throws -> WorkoutPlan? {
        guard let name = try request.optionalText("plan", atMost: WorkoutNames.longestBytes) else { return nil }
        guard let plan = try WorkoutPlanDocument(documents: documents).read(user)[name] else {
            throw ReplyError(.notFound, "there is no such plan", field: "plan")
        }
        return plan
    }

    /// The goal of the request or of the plan. With a plan, `"goal":{"enabled":true}` means the plan's.
    private static func goal(
        _ request: PeopleRequest, _ plan: WorkoutPlan?
    ) throws(ReplyError) -> (goal: WorkoutGoal, ends: Bool)? {
        guard let planned = plan?.goal else { return try request.workoutGoal() }
        if let given = request.fields["goal"], case .bool(let ends)? = given["enabled"],
            WorkoutGoal.Kind.allCases.allSatisfy({ given[$0.field] == nil })
        {
            return (planned, ends)
        }
        return try request.workoutGoal() ?? (planned, plan?.endsAtGoal == true)
    }
}
