import Desk
import Features
import Files
import Readings
import Records
import Telemetry
import Workouts

// What was read of a file is stored piece by piece: first the readings of a workout, then its row. So whatever is
// killed, the row is there only if all readings are; and if the file is sent again, the readings that are there already
// are recognised by their times, and the workout by its start.

/// What is stored for a person. Belongs to the session's thread.
// Proof of @unchecked: as its first line says.
final class ImportJob: @unchecked Sendable {
    /// What came of it.
    private(set) var outcomes: [JSON] = []
    private let user: ID
    private let context: PeopleContext
    private let rows: WorkoutRows
    private let deletions: Deletions
    private var file: ParsedFile
    private let completion: (Result<JSON, any Error>) -> Void
    private var workouts: [ImportedWorkout] = []
    private var stored = 0
    /// How many readings there are in all.
    private let total: Int

    /// Readings that are stored at once.
    private static let portion = 2048

    init(
        _ file: ParsedFile, of user: ID, _ context: PeopleContext, _ rows: WorkoutRows, _ deletions: Deletions,
        completion: @escaping (Result<JSON, any Error>) -> Void
    ) {
        (self.user, self.file, self.context, self.rows, self.completion) = (user, file, context, rows, completion)
        self.deletions = deletions
        total =
            file.records.reduce(0) { $0 + $1.readings.count }
            + file.items.reduce(0) { sum, item in
                if case .workout(let workout) = item { sum + workout.readings.count } else { sum }
            }
        self.file.items.reverse()
        self.file.records.reverse()
    }

    /// How far it has come.
    var progress: JSON {
        ["state": "storing", "stored": .integer(Int64(stored)), "of": .integer(Int64(total))]
    }

    /// Goes on with the next part.
    func goOn() {
        guard !context.doors.isBeingForgotten(user) else {
            return completion(.failure(ReplyError(.busy, "all that is yours is being deleted")))
        }
        do {
            if let item = file.items.popLast() {
                try begin(item)
            } else if let records = file.records.popLast() {
                try store(records.readings, of: records.source) { [self] in goOn() }
            } else {
                completion(.success(result))
            }
        } catch {
            completion(.failure(error))
        }
    }

    private var result: JSON {
        .object(present: [
            "state": "done", "workouts": .array(outcomes), "readings": .integer(Int64(stored)),
            "omissions": file.omissions.isEmpty ? nil : .array(file.omissions.map { .string($0) }),
        ])
    }

    // MARK: Workouts

    private func begin(_ item: ParsedFile.Item) throws {
        switch item {
        case .refused(let started, let reason):
            outcomes.append([
                "outcome": "refused", "started": .integer(started), "reason": .string(reason),
            ])
            goOn()
        case .workout(var imported):
            let known = try self.known(imported)
            if let known,
                known.origin?.source != imported.source || known.origin?.lacksWay != true
                    || imported.workout.origin?.lacksWay == true
            {
                outcomes.append(Self.outcome("duplicate", known))
                return goOn()
            }
            guard try !isDeleted(imported.workout) else {
                outcomes.append([
                    "outcome": "refused", "started": .integer(imported.workout.started),
                    "reason": "you have deleted a workout of that time, for good",
                ])
                return goOn()
            }
            // The way comes later to the workout that is there.
            if let known { imported.workout = Self.withWay(known) }
            let workout = imported.workout
            try store(imported.readings, of: imported.source) { [self] in
                do { try finish(workout) } catch { return completion(.failure(error)) }
                goOn()
            }
        }
    }

    /// Whether something of a workout's time was deleted with a workout: it would stay hidden.
    private func isDeleted(_ workout: KeptWorkout) throws(VaultError) -> Bool {
        let ways = try deletions.document(of: user).ways.ranges
        let span = workout.span(now: workout.started)
        return ways.contains { $0.overlaps(span) }
    }

    private static func withWay(_ workout: KeptWorkout) -> KeptWorkout {
        var workout = workout
        workout.origin?.lacksWay = false
        return workout
    }

    /// The workout that a person has of the time of another one: the same, or one that was recorded by something else.
    private func known(_ imported: ImportedWorkout) throws(VaultError) -> KeptWorkout? {
        let workout = imported.workout
        let (start, end) = (workout.started, workout.timer.ended ?? workout.started)
        let days = WorkoutRows.day(start - ImportedWorkout.longest)...WorkoutRows.day(end)
        return try rows.workouts(of: user, on: days).map(\.workout).first { other in
            let ended = other.timer.ended ?? context.now()
            return other.started == start || other.started < end && start < ended
        }
    }

    private func finish(_ workout: KeptWorkout) throws {
        try context.store.attempt(naming: [user]) {
            guard try rows.count(of: user) < WorkoutRequests.mostWorkouts else {
                throw ReplyError(
                    .notAllowed, "you have \(WorkoutRequests.mostWorkouts) workouts: delete some")
            }
            try rows.write(workout, of: user)
            try rows.mark(workout.id)
        }.get()
        outcomes.append(Self.outcome("imported", workout))
        context.changes.changed([user])
    }

    private static func outcome(_ outcome: String, _ workout: KeptWorkout) -> JSON {
        [
            "outcome": .string(outcome), "id": .string(workout.id.text),
            "activity": .string(workout.activity.name), "started": .integer(workout.started),
        ]
    }

    // MARK: Readings

    /// Stores readings of a source, and then goes on.
    private func store(_ readings: [Reading], of source: String, then: @escaping @Sendable () -> Void) throws {
        guard !readings.isEmpty else { return then() }
        let (sensor, isNew) = try context.store.attempt(naming: [user]) {
            try ImportSources(documents: context.documents).sensor(of: source, user, now: context.now())
        }.get()
        if isNew { try context.doors.settle([ImportSources.name(of: sensor)]) }
        store(readings[...], of: sensor, then)
    }

    private func store(_ readings: ArraySlice<Reading>, of sensor: ID, _ then: @escaping @Sendable () -> Void) {
        guard !readings.isEmpty else { return then() }
        guard !context.doors.isBeingForgotten(user) else { return goOn() }
        let portion = readings.prefix(Self.portion)
        context.doors.store(Array(portion), of: sensor) { [self] lost in
            guard lost == 0 else {
                let words = "the most that may be stored for you in a day, or in all, is reached: try again tomorrow"
                return completion(.failure(ReplyError(.notAllowed, words, retryAfterSeconds: 86_400)))
            }
            stored += portion.count
            store(readings.dropFirst(portion.count), of: sensor, then)
        }
    }
}
