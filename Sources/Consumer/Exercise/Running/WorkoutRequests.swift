import Daemon
import Days
import Desk
import Features
import Files
import Fitness
import Readings
import Records
import Telemetry
import Workouts

// What people ask of the workout that they are doing, from any of their devices, and of its goal.

/// Answers `workouts/start`, `pause`, `resume`, `stop`, `cancel`, `current`, `goal` and `set`. Belongs to the session's
/// thread.
// Proof of @unchecked: as for `PeopleContext`.
final class WorkoutRequests: @unchecked Sendable {
    private unowned let running: RunningWorkouts
    private var context: PeopleContext { running.context }
    private var goals: WorkoutGoalDocument { WorkoutGoalDocument(documents: context.documents) }

    init(_ running: RunningWorkouts) { self.running = running }

    var verbs: [Verb] {
        [
            Verb(
                "workouts/start", .workoutsStart, own: Allowance(perSecond: 1.0 / 30, burst: 500),
                .atOnce { [self] in try start($0) }),
            Verb("workouts/pause", .workoutsPause, .atOnce { [self] in try add(.pause, $0) }),
            Verb("workouts/resume", .workoutsResume, .atOnce { [self] in try add(.resume, $0) }),
            Verb("workouts/stop", .workoutsStop, .atOnce { [self] in try add(.stop, $0) }),
            Verb("workouts/cancel", .workoutsCancel, .atOnce { [self] in try add(.cancel, $0) }),
            Verb("workouts/current", .workoutsCurrent, .atOnce { [self] in try current($0.user) }),
            Verb("workouts/goal", .workoutsGoal, .atOnce { [self] in try goal($0) }),
            Verb("workouts/set", .workoutsSet, .atOnce { [self] in try set($0) }),
        ]
    }

    // MARK: The workout

    private func start(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let beginning = try WorkoutBeginning(request, context.documents)
        var workout = try KeptWorkout(
            id: drawnID(), beginning.activity, goal: beginning.goal, endsAtGoal: beginning.endsAtGoal,
            start: moment(request))
        (workout.gear, workout.target) = (beginning.gear, beginning.target)
        if workout.target != nil {
            let person = try running.history(of: user).person(at: workout.started)
            guard person.zones(for: workout.activity.kind) != nil else { throw Self.noZones }
        }
        var begun: BegunWorkout?
        _ = try context.answered.once(request, now: context.now()) {
            begun = try running.keep(workout, of: user)
            return [:]
        }
        if let begun { running.tell(begun) }
        let isLocated = try RecordedKinds(context.documents).recordsLocation(of: user)
        return .object(
            members(user) + (isLocated ? [] : [JSON.Member("location", .string(Self.disabled))]))
    }

    private static let noZones = ReplyError(
        .notAllowed, "your zones are not known: save a profile with your date of birth, or say what zones are by",
        field: "zone")

    /// What a person is told whose positions are not recorded.
    private static let disabled = """
        Location Services Disabled: to have the route recorded, allow it with `vitals consent --record-location on`, or with the \
        request consent/set {"record_location":true}
        """

    /// When it was done, in Unix milliseconds: now, or at a time of the last day that the request names, because people
    /// forget to press a button.
    private func moment(_ request: PeopleRequest) throws(ReplyError) -> Int64 {
        let now = context.now()
        guard let time = try request.optionalInteger("at", in: WorkoutTimer.times) else { return now }
        guard (now - 86_400_000...now + 1000).contains(time) else {
            throw ReplyError(.invalid, "\"at\" has to be a time of the last 24 hours", field: "at")
        }
        return time
    }

    private func add(_ kind: WorkoutEvent.Kind, _ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let before = running.running[user]
        let time = try moment(request)
        // Clocks differ a little; but nothing ends before it has begun.
        if let before, time < before.workout.started - 60_000 {
            throw ReplyError(.invalid, "the workout had not begun then", field: "at")
        }
        var done: RunningWorkouts.Done?
        let reply = try context.answered.once(request, now: context.now()) {
            let written: RunningWorkouts.Done
            do { written = try running.write(kind, at: time, of: user) } catch let problem as WorkoutEventProblem {
                throw ReplyError(.notAllowed, "\(problem)")
            }
            done = written
            switch kind {
            case .stop: return ["state": "stopped", "id": .string(written.workout.id.text)]
            case .cancel: return ["state": "cancelled"]
            default: return [:]
            }
        }
        if let done { running.tell(done: done, of: user) }
        // A workout that goes on is shown as it is now.
        return kind == .stop || kind == .cancel ? reply : .object(members(user))
    }

    private func current(_ user: ID) throws -> JSON {
        guard running.running[user] != nil else { return ["workout": .null] }
        return .object(members(user))
    }

    private func members(_ user: ID) -> [JSON.Member] {
        guard let one = running.running[user] else { return [JSON.Member("workout", .null)] }
        return [JSON.Member("workout", running.shown(one))]
    }

    /// Says what a workout was done with: the one with an id, or the one that is under way.
    private func set(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        guard let wanted = request.fields["gear"] else {
            throw ReplyError(.badRequest, "\"gear\" is missing: name it, or null for none", field: "gear")
        }
        let id = try request.optionalText("workout", atMost: 64) == nil ? nil : try request.id("workout")
        let list = try GearDocument(documents: context.documents).read(user)
        let gear = wanted == .null ? nil : try request.gear(in: list)
        let changed = try context.store.attempt(naming: [user]) {
            let entry = try id.map { try running.rows.workout($0, of: user) } ?? running.rows.underWay(of: user)
            guard var workout = entry?.workout else {
                throw id == nil
                    ? ReplyError(.notFound, "no workout is under way: name one with \"workout\"")
                    : ReplyError(.notFound, "there is no such workout", field: "workout")
            }
            workout.gear = gear?.id
            try running.rows.write(workout, of: user)
            return workout
        }.get()
        running.replace(changed, of: user)
        return .object(present([("id", .string(changed.id.text)), ("gear", list.json(of: changed.gear) ?? .null)]))
    }

    // MARK: The goal

    /// `{"kind":"distance","distance_m":5000}` saves a target, `{"kind":"distance"}` chooses one that was saved, and
    /// `{"enabled":true}` lets it end workouts; without fields nothing changes.
    private func goal(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        var kind: WorkoutGoal.Kind?
        if let name = try request.optionalText("kind", atMost: 16) {
            kind = WorkoutGoal.Kind(rawValue: name)
            guard kind != nil else {
                throw ReplyError(.invalid, "\"kind\" is distance, duration, steps or energy", field: "kind")
            }
        }
        let isEnabled = try request.optionalBool("enabled")
        let target = try Self.target(request, &kind)
        guard kind != nil || isEnabled != nil else { return .object(try members(of: goals.read(user), user)) }
        return try context.store.attempt(naming: [user]) {
            var goals = try goals.read(user)
            let isUnderWay = try running.rows.underWay(of: user) != nil
            var message = ""
            do throws(WorkoutGoals.Problem) {
                if let target {
                    message = try goals.save(kind, target: target, duringWorkout: isUnderWay).rawValue
                } else if kind != nil {
                    message = try goals.choose(kind, duringWorkout: isUnderWay).rawValue
                }
                if let isEnabled { message = try goals.enable(isEnabled, duringWorkout: isUnderWay).rawValue }
            } catch { throw ReplyError(error) }
            try self.goals.write(goals, of: user)
            return .object([JSON.Member("message", .string(message))] + WorkoutGoalDocument.members(goals))
        }.get()
    }

    /// The target in a field that is named after its unit, and what it is a target of. An empty text is an empty field.
    private static func target(
        _ request: PeopleRequest, _ kind: inout WorkoutGoal.Kind?
    ) throws(ReplyError) -> Double? {
        for candidate in WorkoutGoal.Kind.allCases {
            guard let value = request.fields[candidate.field], value != .null else { continue }
            guard kind == nil || kind == candidate else {
                throw ReplyError(.invalid, "\"\(candidate.field)\" is not of the kind", field: candidate.field)
            }
            kind = candidate
            if value == .string("") { throw ReplyError(.empty) }
            guard let number = value.double else { throw ReplyError(.improper(candidate)) }
            return number
        }
        return nil
    }

    private func members(of goals: WorkoutGoals, _ user: ID) throws(VaultError) -> [JSON.Member] {
        WorkoutGoalDocument.members(goals)
            + present([("percent", rounded(running.running[user]?.figures(now: context.now()).percent?.percentDown, 1))])
    }
}
