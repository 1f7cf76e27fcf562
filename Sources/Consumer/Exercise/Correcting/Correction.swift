import Days
import Desk
import Features
import Files
import Fitness
import Records
import Telemetry
import Workouts

// A correction is worked out on a reader's thread: what the workouts are afterwards, and their figures, by the same count as
// of every workout that is over. The session's thread then writes everything in one transaction, if nothing has changed since.

/// What a person wants to be different about their workouts.
enum Correction: Sendable {
    case edit(ID, WorkoutEdit)
    /// - Parameter second: the id of what begins at the time.
    case split(ID, at: Int64, second: ID)
    case join([ID], Activity?)
    case undo(ID, all: Bool)
    /// One that is made up of what the person says.
    case add(KeptWorkout)
}

/// What an edit changes. What is nil stays.
struct WorkoutEdit: Sendable {
    /// Empty for none.
    var title: String?
    /// Empty for none.
    var note: String?
    var activity: Activity?
    /// Unix milliseconds.
    var from: Int64?
    var to: Int64?

    var isEmpty: Bool { title == nil && note == nil && activity == nil && from == nil && to == nil }
}

/// The result of a correction.
struct Corrected: Sendable {
    /// The workouts as they were read; nothing is done if any has changed since.
    var read: [KeptWorkout] = []
    /// The versions of the workout as they were read, likewise.
    var versions: [WorkoutVersion] = []
    /// As they are from now on, with their figures.
    var written: [KeptWorkout] = []
    /// Those that are no longer there.
    var gone: [KeptWorkout] = []
    /// Those in `gone` without a kept version, and those that went earlier and whose last version is dropped now.
    var unmade: Set<ID> = []
    /// What they were until now.
    var kept: [WorkoutVersion] = []
    /// Versions that are no longer kept.
    var dropped: [WorkoutVersion] = []
    /// How many samples were counted.
    var samples = 0

    /// The figures that a workout had before, if they stay the same but for its name; nil if it has to be counted.
    func uncounted(_ workout: KeptWorkout) -> JSON? {
        guard let before = read.first(where: { $0.id == workout.id }), before.measures(like: workout) else {
            return nil
        }
        return before.figures
    }

    /// For how many milliseconds its person corrects nothing else: others ask the same thread. Nil if it took no time to speak of.
    var rest: UInt64? {
        // Some hours with several sensors; and five times what the count of more takes.
        samples > 50_000 ? UInt64(samples) / 20 : nil
    }
}

extension JSON {
    /// The figures of a workout under another name.
    fileprivate func called(_ name: String?) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != "name" } + (name.map { [JSON.Member("name", .string($0))] } ?? []))
    }
}

/// Works out corrections. Belongs to the thread of its store and keys.
struct Corrections {
    let user: ID
    let rows: WorkoutRows
    let versions: WorkoutVersions
    private let history: History
    private let now: Int64

    init(_ source: ReadSource, of user: ID, zone: String, now: Int64) throws(VaultError) {
        (self.user, self.now) = (user, now)
        rows = WorkoutRows(source.store, source.keys)
        versions = WorkoutVersions(source.store, source.keys)
        history = try Histories(source.store, source.keys, zone: zone).history(of: user)
    }

    func corrected(_ correction: Correction) throws -> Corrected {
        var corrected =
            switch correction {
            case .edit(let id, let edit): try self.edit(try workout(id), edit)
            case .split(let id, let time, let second): try split(try workout(id), at: time, second)
            case .join(let ids, let activity): try join(ids, activity)
            case .undo(let id, let all): try undo(try workout(id), all: all)
            case .add(let workout): try add(workout)
            }
        for index in corrected.written.indices {
            let workout = corrected.written[index]
            if let before = corrected.uncounted(workout) {
                corrected.written[index].figures = before.called(workout.name)
                continue
            }
            let now = workout.timer.ended ?? workout.started
            let samples = try WorkoutSamples(of: user, workout, now: now, rows.store, rows.keys)
            corrected.samples += samples.all.count
            corrected.written[index].figures = workout.counted(samples, history)
        }
        return corrected
    }

    private func workout(_ id: ID, field: String = "id") throws -> KeptWorkout {
        guard let workout = try rows.workout(id, of: user)?.workout else {
            throw ReplyError(.notFound, "there is no such workout", field: field)
        }
        guard workout.timer.isOver else {
            throw ReplyError(.notAllowed, "the workout is under way: stop it before you correct it", field: field)
        }
        return workout
    }

    /// What is read of a workout before it is corrected, and kept of it.
    private func begin(_ workout: KeptWorkout, made: ID? = nil) throws -> Corrected {
        let known = try versions.versions(of: workout.id, user)
        guard Set(known.map(\.number)).count < WorkoutVersions.most else {
            let words = "the workout was corrected \(WorkoutVersions.most) times: undo a correction first"
            throw ReplyError(.notAllowed, words, field: "id")
        }
        guard try versions.count(of: user) < WorkoutVersions.mostOfPerson else {
            let words = "too much is kept of what your workouts were: undo corrections, or delete corrected workouts"
            throw ReplyError(.notAllowed, words, field: "id")
        }
        let number = (known.last?.number ?? 0) + 1
        let before = WorkoutVersion(
            id: try drawnID(), workout: workout.id, number: number, kept: workout.bare, made: made)
        return Corrected(read: [workout], versions: known, kept: [before])
    }

    // MARK: Editing

    private func edit(_ workout: KeptWorkout, _ edit: WorkoutEdit) throws -> Corrected {
        var made = try workout.remade(edit.activity)
        if edit.from != nil || edit.to != nil { made = try trim(made, edit) }
        if let title = edit.title { made.title = title.isEmpty ? nil : title }
        if let note = edit.note { made.note = note.isEmpty ? nil : note }
        guard made != workout.bare else {
            throw ReplyError(.invalid, "the workout is like that already: nothing was changed")
        }
        var corrected = try begin(workout)
        corrected.written = [made]
        return corrected
    }

    private func trim(_ workout: KeptWorkout, _ edit: WorkoutEdit) throws -> KeptWorkout {
        try refuseByHand([workout], field: edit.from == nil ? "to" : "from")
        let (from, to) = (edit.from ?? workout.started, edit.to ?? workout.ended)
        let words = "has to be a time within the workout: undo a correction if it was longer before"
        guard from >= workout.started, from < workout.ended else {
            throw ReplyError(.invalid, "\"from\" \(words)", field: "from")
        }
        guard to <= workout.ended, to > workout.started else {
            throw ReplyError(.invalid, "\"to\" \(words)", field: "to")
        }
        guard from < to else { throw ReplyError(.invalid, "\"to\" has to be later than \"from\"", field: "to") }
        return from == workout.started && to == workout.ended ? workout : try workout.trimmed(from...to)
    }

    private func refuseByHand(_ workouts: [KeptWorkout], field: String) throws(ReplyError) {
        guard workouts.contains(where: { $0.origin?.isByHand == true }) else { return }
        throw ReplyError(
            .notAllowed, "nothing was recorded of a workout that was added by hand: delete it, and add it as it was",
            field: field)
    }

    // MARK: Splitting and joining

    private func split(_ workout: KeptWorkout, at time: Int64, _ second: ID) throws -> Corrected {
        try refuseByHand([workout], field: "id")
        try refuseFull()
        guard try rows.count(of: user, on: WorkoutRows.day(time)) < WorkoutRows.mostInDay else {
            let words = "you have \(WorkoutRows.mostInDay) workouts of that day: join or delete some"
            throw ReplyError(.notAllowed, words, field: "at")
        }
        var corrected = try begin(workout, made: second)
        corrected.written = try workout.split(at: time, as: second)
        return corrected
    }

    private func join(_ ids: [ID], _ activity: Activity?) throws -> Corrected {
        guard (2...KeptWorkout.mostJoined).contains(ids.count), Set(ids).count == ids.count else {
            throw ReplyError(
                .invalid, "\"ids\" has to name 2 to \(KeptWorkout.mostJoined) different workouts", field: "ids")
        }
        let workouts = try ids.map { try workout($0, field: "ids") }.sorted {
            ($0.started, $0.ended) < ($1.started, $1.ended)
        }
        try refuseByHand(workouts, field: "ids")
        var corrected = try begin(workouts[0])
        let made = try KeptWorkout.joined(workouts, versions: corrected.versions.map(\.kept), activity)
        try refuseBetween(workouts)
        corrected.read = workouts
        corrected.gone = Array(workouts.dropFirst())
        for other in corrected.gone {
            let number = corrected.kept[0].number
            corrected.kept.append(
                WorkoutVersion(id: try drawnID(), workout: made.id, number: number, kept: other.bare, made: nil))
        }
        corrected.written = [made]
        return corrected
    }

    /// What is between two that are joined would be within the new one, and count no longer. Another recording of one of them is not.
    private func refuseBetween(_ workouts: [KeptWorkout]) throws {
        let (first, last) = (workouts[0].started, workouts[workouts.count - 1].started)
        let days = WorkoutRows.day(first) - 3...WorkoutRows.day(last)
        let others = try rows.workouts(of: user, on: days).map(\.workout).filter { other in
            !workouts.contains { $0.id == other.id }
        }
        for (one, next) in zip(workouts, workouts.dropFirst()) {
            let between = others.first { other in
                other.started < next.started && other.ended > one.ended
                    && !workouts.contains { min(other.ended, $0.ended) > max(other.started, $0.started) }
            }
            guard let between else { continue }
            throw ReplyError(.invalid, "\(between.id) is in between: join it, too", field: "ids")
        }
    }

    private func refuseFull(_ more: Int = 1) throws {
        guard try rows.count(of: user) + more <= WorkoutRows.most else {
            throw ReplyError(.notAllowed, "you have \(WorkoutRows.most) workouts: delete some")
        }
    }

    // MARK: Undoing

    private func undo(_ workout: KeptWorkout, all: Bool) throws -> Corrected {
        let known = try versions.versions(of: workout.id, user)
        guard let last = known.last else {
            let words = workout.partOf.map { "it is a part of \($0): undo that" } ?? "the workout was not corrected"
            throw ReplyError(.notAllowed, words, field: "id")
        }
        let dropped = all ? known : known.filter { $0.number == last.number }
        var corrected = Corrected(read: [workout], versions: known, dropped: dropped)
        // Others that were joined with it come back, unless that was itself undone.
        var others: [ID: KeptWorkout] = [:]
        for version in dropped.reversed() {
            if version.kept.id != workout.id { others[version.kept.id] = version.kept }
            guard let made = version.made else { continue }
            if others.removeValue(forKey: made) == nil {
                try unmake(made, &corrected)
            } else {
                try unmake(joined: made, &corrected)
            }
        }
        if !others.isEmpty { try refuseFull(others.count) }
        guard var before = dropped.first(where: { $0.kept.id == workout.id })?.kept else {
            throw ReplyError(.notFound, "what the workout was is not known", field: "id")
        }
        // These are said otherwise, and of the workout as it is.
        (before.gear, before.toldGoal) = (workout.gear, workout.toldGoal ?? before.toldGoal)
        before.isPreferred = workout.isPreferred
        corrected.written = [before] + others.values.sorted { $0.started < $1.started }
        return corrected
    }

    /// The other part of a split goes.
    private func unmake(_ id: ID, _ corrected: inout Corrected) throws {
        guard let other = try rows.workout(id, of: user)?.workout else {
            throw ReplyError(
                .notAllowed, "the other part, \(id), was deleted or joined with another workout: this cannot be undone",
                field: "id")
        }
        guard try versions.count(of: id, user) == 0 else {
            throw ReplyError(.notAllowed, "the other part, \(id), was corrected since: undo that first", field: "id")
        }
        corrected.read.append(other)
        corrected.gone.append(other)
        corrected.unmade.insert(id)
    }

    /// The other part of a split, which was joined again, is not kept any longer.
    private func unmake(joined id: ID, _ corrected: inout Corrected) throws {
        let known = try versions.all(of: id, user)
        guard known.allSatisfy({ $0.kept.id == id && $0.made == nil }) else {
            let words = "the other part, \(id), was split or joined in between: undo one correction after the other"
            throw ReplyError(.notAllowed, words, field: "all")
        }
        corrected.dropped += known
        corrected.unmade.insert(id)
    }

    // MARK: Adding

    private func add(_ workout: KeptWorkout) throws -> Corrected {
        try refuseFull()
        let span = WorkoutSpan(workout.activity.kind, from: workout.started, to: workout.ended)
        let days = WorkoutRows.day(workout.started) - 3...WorkoutRows.day(workout.ended)
        let others = try rows.workouts(of: user, on: days).map(\.workout)
        for other in others {
            let end = other.timer.isOver ? other.ended : max(now, other.started)
            guard span.isSame(as: WorkoutSpan(other.activity.kind, from: other.started, to: end)) else { continue }
            throw ReplyError(.invalid, "there is a workout of that time already: \(other.id)", field: "started")
        }
        guard
            others.count(where: { WorkoutRows.day($0.started) == WorkoutRows.day(workout.started) })
                < WorkoutRows.mostInDay
        else {
            throw ReplyError(.notAllowed, "you have \(WorkoutRows.mostInDay) workouts of that day", field: "started")
        }
        let minutes = Double(workout.activeMilliseconds) / 60_000
        if let told = workout.origin?.kilocalories,
            history.person(at: workout.started).netKilocalories(device: told, minutes: minutes, isNet: true) == nil
        {
            throw ReplyError(.invalid, "nobody uses so much energy in that time", field: "energy_kcal")
        }
        return Corrected(written: [workout])
    }
}

extension KeptWorkout {
    /// The same without figures, which are counted again.
    var bare: KeptWorkout {
        var bare = self
        bare.figures = nil
        return bare
    }
}
