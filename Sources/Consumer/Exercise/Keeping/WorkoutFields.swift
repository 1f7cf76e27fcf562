import Desk
import Telemetry
import Workouts

// What several requests about workouts have in common.

extension PeopleRequest {
    /// An activity; nil if the field is absent or null.
    func optionalActivity() throws(ReplyError) -> Activity? {
        guard let text = try optionalText("activity", atMost: WorkoutNames.longestBytes) else { return nil }
        guard WorkoutNames.isName(text), PlainText.isHarmless(text), let activity = Activity(named: text) else {
            throw ReplyError(
                .invalid, "\"activity\" is running, walking, cycling, or a name of your own", field: "activity")
        }
        return activity
    }

    /// An activity that has to be there.
    func activity() throws(ReplyError) -> Activity {
        guard let activity = try optionalActivity() else {
            throw ReplyError(.badRequest, "\"activity\" is missing", field: "activity")
        }
        return activity
    }

    /// A goal with whether it ends a workout: `"goal":{"distance_m":5000,"enabled":true}`; nil where there is none.
    func workoutGoal() throws(ReplyError) -> (goal: WorkoutGoal, ends: Bool)? {
        guard let json = fields["goal"], json != .null else { return nil }
        for kind in WorkoutGoal.Kind.allCases {
            guard let target = json[kind.field]?.double else { continue }
            guard let goal = WorkoutGoal(kind, target: target) else { throw ReplyError(.improper(kind)) }
            return (goal, json["enabled"] == true)
        }
        throw ReplyError(.empty)
    }

    /// The gear that the field `gear` names by its id or its name.
    func gear(in list: GearList) throws(ReplyError) -> Gear {
        guard let gear = list.piece(try text("gear", atMost: WorkoutNames.longestBytes)) else {
            throw ReplyError(.notFound, "there is no such gear", field: "gear")
        }
        return gear
    }

    /// The name of a plan or of gear, which has to be there.
    func workoutName(_ field: String = "name") throws(ReplyError) -> String {
        let text = try text(field, atMost: WorkoutNames.longestBytes)
        guard WorkoutNames.isName(text), PlainText.isHarmless(text) else {
            throw ReplyError(
                .invalid, "\"\(field)\" has to be a name on one line, \(PlainText.refused)", field: field)
        }
        return text
    }
}

extension ReplyError {
    /// What a person is told of a goal that was not taken.
    init(_ problem: WorkoutGoals.Problem) {
        let field: String? =
            switch problem {
            case .improper(let kind): kind.field
            case .empty, .notChosen: "kind"
            case .duringWorkout: nil
            }
        self.init(problem == .duringWorkout ? .notAllowed : .invalid, problem.message, field: field)
    }
}

extension WorkoutGoal {
    /// `{"kind":"distance","distance_m":5000,"enabled":true}`
    func json(endingWorkout isEnabled: Bool) -> JSON {
        .object(present: [
            "kind": .string(kind.rawValue), kind.field: rounded(target, 3), "enabled": .bool(isEnabled),
        ])
    }
}
