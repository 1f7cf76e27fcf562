import Contract
import Daemon
import Days
import Desk
import Features
import Files
import Records
import Telemetry
import Workouts

/// Answers `workouts/edit`, `split`, `join`, `undo` and `add`: a person corrects what was recorded. Belongs to the session's thread.
// Proof of @unchecked: touched by the desk's handlers and what they ask of readers, all on that thread.
final class CorrectionRequests: @unchecked Sendable {
    private let context: PeopleContext
    private let readers: FeatureReaders
    private let days: Days
    private let rows: WorkoutRows
    private let versions: WorkoutVersions
    /// Whose corrections are being worked out: a person has one at a time.
    private var busy: Set<ID> = []
    /// Until when people rest whose corrections took long, in milliseconds since boot: others use the same thread.
    private var rests: [ID: UInt64] = [:]

    /// Of a title, as a name's; and of a note.
    static let longestNote = (characters: 1000, bytes: 4000)
    /// How long a workout is that somebody adds, and how far.
    static let (seconds, metres): (ClosedRange<Int64>, ClosedRange<Double>) = (1...172_800, 1...5_000_000)
    static let kilocalories: ClosedRange<Double> = 1...50_000
    static let heartRates: ClosedRange<Int64> = 30...240

    init(_ parts: FeatureParts) {
        (context, readers, days) = (parts.context, parts.readers, parts.days)
        rows = WorkoutRows(context.store, context.keys)
        versions = WorkoutVersions(context.store, context.keys)
    }

    var verbs: [Verb] {
        [
            verb("workouts/edit", .workoutsEdit) { .edit(try $0.id("id"), try Self.edit($0)) },
            verb("workouts/split", .workoutsSplit) { request in
                guard let time = try request.optionalInteger("at", in: WorkoutTimer.times) else {
                    throw ReplyError(.badRequest, "\"at\" is missing", field: "at")
                }
                return .split(try request.id("id"), at: time, second: try drawnID())
            },
            verb("workouts/join", .workoutsJoin) { request in
                .join(try Self.ids(request), try request.optionalActivity())
            },
            verb("workouts/undo", .workoutsUndo) { request in
                .undo(try request.id("id"), all: try request.optionalBool("all") ?? false)
            },
            verb("workouts/add", .workoutsAdd) { [self] in .add(try added($0)) },
        ]
    }

    private func verb(
        _ name: String, _ contract: RequestContract, _ read: @escaping (PeopleRequest) throws -> Correction
    ) -> Verb {
        Verb(
            name, contract, own: Allowance(perSecond: 1, burst: 50),
            .later { [self] request in request.answering { try correct(request, try read(request)) } })
    }

    // MARK: Fields

    private static func edit(_ request: PeopleRequest) throws -> WorkoutEdit {
        var edit = WorkoutEdit()
        edit.title = try title(request)
        edit.note = try note(request)
        edit.activity = try request.optionalActivity()
        edit.from = try request.optionalInteger("from", in: WorkoutTimer.times)
        edit.to = try request.optionalInteger("to", in: WorkoutTimer.times)
        guard !edit.isEmpty else {
            throw ReplyError(.badRequest, "say what to change: \"title\", \"note\", \"activity\", \"from\" or \"to\"")
        }
        return edit
    }

    /// A title; empty for none.
    private static func title(_ request: PeopleRequest) throws(ReplyError) -> String? {
        guard let text = try request.optionalText("title", atMost: WorkoutNames.longestBytes), !text.isEmpty else {
            return try request.optionalText("title", atMost: WorkoutNames.longestBytes)
        }
        return try request.workoutName("title")
    }

    static func isNote(_ text: String) -> Bool { PlainText.isText(text, atMost: longestNote) }

    private static func note(_ request: PeopleRequest) throws(ReplyError) -> String? {
        guard let text = try request.optionalText("note", atMost: longestNote.bytes) else { return nil }
        guard isNote(text) else {
            let words = "\"note\" has at most \(longestNote.characters) characters, \(PlainText.refused)"
            throw ReplyError(.invalid, words, field: "note")
        }
        return text.allSatisfy(\.isWhitespace) ? "" : text
    }

    private static func ids(_ request: PeopleRequest) throws(ReplyError) -> [ID] {
        guard let texts = try request.optionalTexts("ids", atMost: KeptWorkout.mostJoined) else {
            throw ReplyError(.badRequest, "\"ids\" is missing", field: "ids")
        }
        var ids: [ID] = []
        for text in texts {
            do throws(MalformedValue) { ids.append(try ID(text)) } catch {
                throw ReplyError(.badRequest, "\"ids\": \(error)", field: "ids")
            }
        }
        return ids
    }

    private func added(_ request: PeopleRequest) throws -> KeptWorkout {
        let now = context.now()
        guard let start = try request.optionalInteger("started", in: ImportedWorkout.earliest...max(ImportedWorkout.earliest, now)) else {
            throw ReplyError(.badRequest, "\"started\" is missing", field: "started")
        }
        guard let length = try request.optionalInteger("duration_s", in: Self.seconds) else {
            throw ReplyError(.badRequest, "\"duration_s\" is missing", field: "duration_s")
        }
        guard start + length * 1000 <= now else {
            throw ReplyError(.invalid, "the workout would end in the future", field: "duration_s")
        }
        var workout = try KeptWorkout(id: drawnID(), request.activity(), goal: nil, endsAtGoal: false, start: start)
        try workout.add(WorkoutEvent(.stop, at: start + length * 1000))
        var origin = WorkoutOrigin.byHand
        origin.metres = try Self.number(request, "distance_m", Self.metres)
        let fastest = workout.activity.kind == .foot ? workout.activity.fastestMetresPerSecond : ImportedWorkout.fastest
        guard (origin.metres ?? 0) <= Double(length) * fastest else {
            throw ReplyError(.invalid, "nobody comes so far in that time", field: "distance_m")
        }
        origin.kilocalories = try Self.number(request, "energy_kcal", Self.kilocalories)
        origin.meanHeartRate = try request.optionalInteger("heart_rate", in: Self.heartRates).map { Int($0) }
        workout.origin = origin
        workout.title = try Self.title(request).flatMap { $0.isEmpty ? nil : $0 }
        workout.note = try Self.note(request).flatMap { $0.isEmpty ? nil : $0 }
        let list = try GearDocument(documents: context.documents).read(try request.user)
        switch request.fields["gear"] {
        case nil: workout.gear = list.usual(for: workout.activity)?.id
        case .null?: workout.gear = nil
        default: workout.gear = try request.gear(in: list).id
        }
        return workout
    }

    private static func number(
        _ request: PeopleRequest, _ field: String, _ range: ClosedRange<Double>
    ) throws(ReplyError) -> Double? {
        guard let value = request.fields[field], value != .null else { return nil }
        guard let number = value.double, range.contains(number) else {
            let words = "\"\(field)\" is a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))"
            throw ReplyError(.invalid, words, field: field)
        }
        return number
    }

    // MARK: Correcting

    private func correct(_ request: PeopleRequest, _ correction: Correction) throws {
        let user = try request.user
        let began = millisecondsSinceBoot()
        rests = rests.filter { $0.value > began }
        if let end = rests[user] {
            let seconds = Int((end - began + 999) / 1000)
            throw ReplyError(
                .busy, "the last correction took long: try again in \(seconds) s", retryAfterSeconds: seconds)
        }
        guard busy.insert(user).inserted else {
            throw ReplyError(.busy, "another correction is being worked out: try again", retryAfterSeconds: 1)
        }
        let (zone, now) = (context.settings.timeZone, context.now())
        readers.statistics.read { source in
            try Corrections(source, of: user, zone: zone, now: now).corrected(correction)
        } completion: { [self] result in
            busy.remove(user)
            // However it ends: what takes long was done.
            if let rest = (try? result.get())?.rest { rests[user] = millisecondsSinceBoot() + rest }
            request.answering { request.done(try keep(result, of: user, request)) }
        }
    }

    private func keep(_ result: Result<Corrected, any Error>, of user: ID, _ request: PeopleRequest) throws -> JSON {
        let now = context.now()
        let reply: JSON
        do {
            let unmade = try? result.get().unmade
            reply = try context.answered.once(
                request, now: now, with: try context.changes.people(touchedByRemoving: unmade ?? [], of: user)
            ) {
                // Perhaps this very request has changed it already: then its reply is repeated, and this is not called.
                let corrected = try result.get()
                try write(corrected, of: user, now)
                let gear = try GearDocument(documents: context.documents).read(user)
                return ["workouts": .array(corrected.written.map { $0.corrected(gear) })]
            }
        } catch {
            days.rolledBack()
            throw error
        }
        days.committed()
        context.changes.changed([user])
        return reply
    }

    /// Writes the result of a correction, within a transaction.
    private func write(_ corrected: Corrected, of user: ID, _ now: Int64) throws {
        try check(corrected, of: user)
        for workout in corrected.gone {
            try rows.remove(workout.id, of: user)
            try leaveDay(workout, of: user, now)
        }
        try context.changes.removingWorkouts(corrected.unmade, of: user)
        for version in corrected.dropped { try versions.remove(version, of: user) }
        for version in corrected.kept { try versions.write(version, of: user) }
        for workout in corrected.written {
            let known = try rows.workout(workout.id, of: user)?.workout.figures
            try rows.write(workout, of: user)
            // Readings may have come since they were read. What keeps its figures is marked by these themselves, if nobody has counted it
            // meanwhile.
            if known == nil || corrected.uncounted(workout) != known { try rows.mark(workout.id) }
            if let ofDay = workout.ofDay {
                try days.take(ofDay, of: user, silently: true, wasCounted: true, now: now)
            }
        }
    }

    /// Nothing else may have happened since everything was read.
    private func check(_ corrected: Corrected, of user: ID) throws {
        var isSame = true
        for workout in corrected.read {
            let known = try rows.workout(workout.id, of: user)?.workout
            isSame = isSame && known?.bare == workout.bare
        }
        if let id = corrected.read.first?.id {
            isSame = try isSame && versions.versions(of: id, user) == corrected.versions
        }
        for workout in corrected.written where !corrected.read.contains(where: { $0.id == workout.id }) {
            isSame = try isSame && rows.workout(workout.id, of: user) == nil
        }
        guard isSame else {
            throw ReplyError(.busy, "the workout has changed in the meantime: try again", retryAfterSeconds: 1)
        }
    }

    /// Takes a workout from its day, within a transaction.
    private func leaveDay(_ workout: KeptWorkout, of user: ID, _ now: Int64) throws(VaultError) {
        guard try days.remove(workout: workout.id, from: workout.started, of: user, now: now) else { return }
        let day = WorkoutRows.day(workout.started)
        for near in day - 2...day + 2 { try rows.mark(of: user, on: near) }
    }
}

extension KeptWorkout {
    /// What the reply says of a corrected workout: a line of the list.
    fileprivate func corrected(_ gear: GearList) -> JSON {
        let line = figures ?? ["id": .string(id.text)]
        return gear.json(of: self.gear).map { line.with("gear", $0) } ?? line
    }
}
