import Daemon
import Days
import Desk
import Exercise
import Features
import Files
import Fitness
import Records
import Telemetry
import TrainingPlans
import Workouts

/// Answers `training/start`, `next`, `previous`, `skip` and `current`. Belongs to the session's thread.
// Proof of @unchecked: as for `PeopleContext`.
final class TrainingRequests: @unchecked Sendable {
    private unowned let trainings: Trainings
    private var context: PeopleContext { trainings.context }

    init(_ trainings: Trainings) { self.trainings = trainings }

    var verbs: [Verb] {
        [
            Verb(
                "training/start", .trainingStart, own: Allowance(perSecond: 1.0 / 30, burst: 500),
                .atOnce { [self] in try start($0) }),
            Verb("training/next", .trainingNext, .atOnce { [self] in try take(.next, $0) }),
            Verb("training/previous", .trainingPrevious, .atOnce { [self] in try take(.previous, $0) }),
            Verb("training/skip", .trainingSkip, .atOnce { [self] in try take(.skip, $0) }),
            Verb(
                "training/current", .trainingCurrent,
                .atOnce { [self] in ["training": try trainings.shown($0.user) ?? .null] }),
        ]
    }

    // MARK: Starting

    private func start(_ request: PeopleRequest) throws -> JSON {
        let (user, now) = (try request.user, context.now())
        let catalogue = try context.settings[TrainingSettings.self].required()
        let token = try request.optionalText("plan", atMost: PlanToken.longest)
        let choice = try request.optionalText("choice", atMost: 64) == nil ? nil : try request.id("choice")
        guard (token == nil) != (choice == nil) else {
            throw ReplyError(
                .badRequest, "name a plan with \"plan\", or what you have chosen with \"choice\"", field: "plan")
        }
        let history = try trainings.histories.history(of: user)
        let today = history.localDays.day(of: now)
        let person = history.person(on: today)
        let language = try context.notifications.language(of: user)
        var begun: (workout: BegunWorkout, training: RunningTraining)?
        _ = try context.answered.once(request, now: now) {
            let selection = try WeekSelection(context.documents, of: user)
            let named = choice.flatMap { selection[$0] }
            guard let text = token ?? named?.plan else {
                throw ReplyError(.notFound, "you have made no such choice", field: "choice")
            }
            let field = choice == nil ? "plan" : "choice"
            let plan = try request.plan(text, catalogue, for: person, field: field)
            let chosen = selection.followed(named, text, in: today.week.monday)
            let workout = try begin(plan.kind, user)
            let training = RunningTraining(plan, language(plan.title), in: workout.workout, from: chosen?.id)
            try trainings.rows.write(training.record, of: user)
            begun = (workout, training)
            return [:]
        }
        if let begun {
            trainings.workouts.tell(begun.workout)
            trainings.changed(begun.training, of: user)
        }
        return .object([
            JSON.Member("workout", trainings.workouts.shown(of: user) ?? .null),
            JSON.Member("training", trainings.shown(user) ?? .null),
        ])
    }

    private func begin(_ kind: TrainingKind, _ user: ID) throws -> BegunWorkout {
        guard let activity = Activity(named: kind.activity) else {
            throw ReplyError(.internal, "\(kind.activity) is no activity")
        }
        do { return try trainings.workouts.begin(activity, of: user) } catch let error as ReplyError {
            // What it is about is none of this request's fields.
            throw ReplyError(error.code, error.message, retryAfterSeconds: error.retryAfterSeconds)
        }
    }

    // MARK: Following

    private func take(_ event: PlanEvent, _ request: PeopleRequest) throws -> JSON {
        let (user, now) = (try request.user, context.now())
        var changed: RunningTraining?
        _ = try context.answered.once(request, now: now) {
            guard let (before, workout) = trainings.underWay(user) else { throw Self.nothing }
            var training = before
            do throws(PlanEventProblem) { try training.take(event, at: now, workout.timer) } catch {
                throw ReplyError(.notAllowed, "\(error)")
            }
            try trainings.rows.write(training.record, of: user)
            changed = training
            return [:]
        }
        if let changed { trainings.changed(changed, of: user) }
        guard let shown = trainings.shown(user) else { throw Self.nothing }
        return shown
    }

    private static let nothing = ReplyError(.notFound, "no training is under way: start one")
}
