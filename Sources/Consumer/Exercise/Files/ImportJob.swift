import Desk
import Features
import Files
import Fitness
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
    private let mayAdd: () -> Bool
    private let completion: (Result<JSON, any Error>) -> Void
    /// Workouts of one file, and which file of an archive that is: none of them is the same as another one.
    private var own: (file: Int, workouts: Set<ID>) = (0, [])
    private var stored = 0
    /// How many readings there are in all.
    private let total: Int

    /// Readings that are stored at once, and the hours that they are of: each is looked up.
    private static let (most, mostHours) = (2048, 48)
    init(
        _ file: ParsedFile, of user: ID, _ context: PeopleContext, _ rows: WorkoutRows, _ deletions: Deletions,
        mayAdd: @escaping () -> Bool, completion: @escaping (Result<JSON, any Error>) -> Void
    ) {
        (self.user, self.file, self.context, self.rows, self.completion) = (user, file, context, rows, completion)
        (self.deletions, self.mayAdd) = (deletions, mayAdd)
        total =
            file.records.reduce(0) { $0 + $1.readings.count }
            + file.items.reduce(0) { sum, item in
                if case .workout(let workout) = item { sum + workout.readings.count } else { sum }
            }
        self.file.items.reverse()
        self.file.records.reverse()
    }

    /// How many readings are not stored yet.
    var left: Int { max(0, total - stored) }

    /// How far it has come.
    var progress: JSON {
        ["state": "storing", "stored": .integer(Int64(stored)), "of": .integer(Int64(total))]
    }

    /// Goes on with the next part, in a turn of its own: there may be hundreds.
    func goOn() { context.session.loop.perform { [self] in next() } }

    /// Whether nothing more is done: everything of the person is being deleted.
    var isCancelled = false

    private func next() {
        guard !isCancelled else { return }
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
        case .workout(let imported):
            if own.file != imported.file { own = (imported.file, []) }
            let (known, isExact) = try self.known(imported.workout) ?? (nil, false)
            if let known, isExact { own.workouts.insert(known.id) }
            if let known,
                known.origin?.source != imported.source || known.origin?.lacksWay != true
                    || imported.workout.origin?.lacksWay == true
            {
                outcomes.append(Self.outcome("duplicate", known, isExact: isExact))
                return goOn()
            }
            if known == nil, let reason = try refusal(imported.workout) {
                outcomes.append([
                    "outcome": "refused", "started": .integer(imported.workout.started), "reason": .string(reason),
                ])
                return goOn()
            }
            let (workout, id) = (imported.workout, known?.id)
            let hasWay = imported.readings.contains { $0.kind == .position }
            try store(imported.readings, of: imported.source) { [self] in
                do {
                    if let id { try bringWay(to: id) } else { try finish(workout, hasWay) }
                } catch { return completion(.failure(error)) }
                goOn()
            }
        }
    }

    /// The workout that is the same as another one, perhaps recorded by another device. If the person wants to keep both, only
    /// an exact match counts: the same source, times and activity.
    /// - Returns: the workout, and whether it is an exact match; nil if the person does not have it yet.
    private func known(_ workout: KeptWorkout) throws(VaultError) -> (workout: KeptWorkout?, isExact: Bool)? {
        let days = WorkoutRows.day(workout.started - ImportedWorkout.longest)...WorkoutRows.day(workout.ended)
        let now = context.now()
        // What was corrected is still known as what it was.
        let originals = try WorkoutVersions(rows.store, rows.keys).versions(of: user, on: days)
        let others = try rows.workouts(of: user, on: days).map(\.workout) + originals.map(\.ofToday)
        let exact = others.first { other in
            other.origin?.source == workout.origin?.source && other.started == workout.started
                && other.ended == workout.ended && other.activity == workout.activity
        }
        if let exact { return (exact, true) }
        guard !file.keepsBoth else { return nil }
        let span = workout.span(at: now)
        let file = workout.origin?.file
        let same = others.first { other in
            !own.workouts.contains(other.id) && (file == nil || other.origin?.file != file)
                // What a device has recorded goes before what somebody has said.
                && other.origin?.isByHand != true
                && span.isSame(as: other.span(at: now))
        }
        return same.map { ($0, false) }
    }

    /// Why there is no room for a workout; nil if there is.
    private func refusal(_ workout: KeptWorkout) throws(VaultError) -> String? {
        let ways = try deletions.document(of: user).ways.ranges
        let span = workout.span(now: workout.started)
        // It would stay hidden.
        if ways.contains(where: { $0.overlaps(span) }) { return "you have deleted a workout of that time, for good" }
        let day = WorkoutRows.day(workout.started)
        if try rows.workouts(of: user, on: day...day).count >= WorkoutRows.mostInDay {
            return "you have \(WorkoutRows.mostInDay) workouts of that day"
        }
        let isFull = try rows.count(of: user) >= WorkoutRows.most
        return isFull ? "you have \(WorkoutRows.most) workouts: delete some" : nil
    }

    private func finish(_ workout: KeptWorkout, _ hasWay: Bool) throws {
        var workout = workout
        let outcome = try context.store.attempt(naming: [user]) {
            // Something else may have happened while the readings were stored.
            if case (let known?, let isExact)? = try known(workout) {
                return Self.outcome("duplicate", known, isExact: isExact)
            }
            // The person may have withdrawn their consent in the meantime.
            if hasWay, try !RecordedKinds(context.documents).recordsLocation(of: user) {
                workout.origin?.lacksWay = true
            }
            try rows.write(workout, of: user)
            try rows.mark(workout.id)
            return Self.outcome("imported", workout)
        }.get()
        own.workouts.insert(workout.id)
        outcomes.append(outcome)
        context.changes.changed([user])
    }

    /// The way came later than the workout, which may be gone in the meantime.
    private func bringWay(to id: ID) throws {
        let workout = try context.store.attempt(naming: [user]) { () throws -> KeptWorkout? in
            guard var workout = try rows.workout(id, of: user)?.workout else { return nil }
            workout.origin?.lacksWay = try !RecordedKinds(context.documents).recordsLocation(of: user)
            try rows.write(workout, of: user)
            try rows.mark(id)
            return workout
        }.get()
        if let workout { outcomes.append(Self.outcome("imported", workout)) }
        context.changes.changed([user])
    }

    /// - Parameter workout: of a duplicate, the one that is there already.
    private static func outcome(_ outcome: String, _ workout: KeptWorkout, isExact: Bool = false) -> JSON {
        .object(present: [
            "outcome": .string(outcome), "id": .string(workout.id.text),
            "activity": .string(workout.activity.name), "name": workout.origin?.name.map { .string($0) },
            "started": .integer(workout.started),
            "source": (workout.origin?.source).map { .string($0) }, "same": isExact ? true : nil,
        ])
    }

    // MARK: Readings

    /// Stores readings of a source, and then goes on.
    private func store(_ readings: [Reading], of source: String, then: @escaping @Sendable () -> Void) throws {
        guard !readings.isEmpty else { return then() }
        let sensor = try context.store.attempt(naming: [user]) {
            try ImportSources(documents: context.documents).sensor(
                of: source, user, mayAdd: mayAdd, now: context.now())
        }.get()
        // Its stream may be open already.
        try context.doors.settle([ImportSources.name(of: sensor)])
        store(readings[...], of: sensor, then)
    }

    private static func portion(of readings: ArraySlice<Reading>) -> ArraySlice<Reading> {
        var hours: Set<Int64> = []
        return readings.prefix(most).prefix { reading in
            hours.insert(reading.moment.wall / 3_600_000)
            return hours.count <= mostHours
        }
    }

    private func store(_ readings: ArraySlice<Reading>, of sensor: ID, _ then: @escaping @Sendable () -> Void) {
        guard !readings.isEmpty else { return then() }
        guard !isCancelled else { return }
        let portion = Self.portion(of: readings)
        context.doors.store(Array(portion), of: sensor) { [self] lost in
            guard lost == 0 else {
                let words = """
                    not all of it could be stored: the most that may be stored for you in a day, or in all, may be reached: send the \
                    file again later
                    """
                return completion(.failure(ReplyError(.notAllowed, words, retryAfterSeconds: 3600)))
            }
            stored += portion.count
            store(readings.dropFirst(portion.count), of: sensor, then)
        }
    }
}

extension KeptWorkout {
    fileprivate func span(at now: Int64) -> WorkoutSpan {
        WorkoutSpan(activity.kind, from: started, to: timer.ended ?? now)
    }
}
