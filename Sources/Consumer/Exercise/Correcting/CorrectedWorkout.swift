import Desk
import Files
import Telemetry
import Workouts

// What a correction makes of a workout: another one, as it would have been recorded. Its figures are counted as those of
// every workout are, and what was measured stays as it is.

extension KeptWorkout {
    /// How many can be joined into one.
    static let mostJoined = 10
    /// How long a gap between two of these may be, in milliseconds; beyond that, the records of one file are not one workout,
    /// either.
    static let longestGap: Int64 = 6 * 3_600_000

    /// When it ended, in Unix milliseconds; when it began, while it lasts.
    var ended: Int64 { timer.ended ?? started }

    // MARK: Trimming and splitting

    /// What of it was from one time until another, both in it.
    /// - Parameters:
    ///   - times: Unix milliseconds.
    ///   - id: its own if it is nil.
    ///   - field: that of the request that says so.
    func trimmed(_ times: ClosedRange<Int64>, as id: ID? = nil, field: String = "from") throws -> KeptWorkout {
        let isStopped = times.upperBound >= ended
        guard let events = events(in: times) else {
            throw ReplyError(.invalid, "nothing would be left: the workout was paused all that time", field: field)
        }
        var made = try remade(as: id, events: events, because: isStopped ? nil : .person)
        made.origin = origin?.withoutTotals
        made.parts = parts.compactMap { $0.clipped(times) }
        return made
    }

    /// The events of what is left of its active time; nil if nothing is.
    private func events(in times: ClosedRange<Int64>) -> [WorkoutEvent]? {
        let spans = timer.intervals.compactMap { interval -> Range<Int64>? in
            let start = max(interval.start, times.lowerBound)
            let end = min(interval.end ?? ended, times.upperBound)
            return start < end ? start..<end : nil
        }
        guard let first = spans.first, let last = spans.last else { return nil }
        var events = [WorkoutEvent(.start, at: first.lowerBound)]
        for (one, next) in zip(spans, spans.dropFirst()) {
            events += [WorkoutEvent(.pause, at: one.upperBound), WorkoutEvent(.resume, at: next.lowerBound)]
        }
        // It may have been paused when it was stopped.
        let end = times.upperBound >= ended ? ended : last.upperBound
        if last.upperBound < end { events.append(WorkoutEvent(.pause, at: last.upperBound)) }
        return events + [WorkoutEvent(.stop, at: end)]
    }

    /// What was before a time, and what was from then on.
    func split(at time: Int64, as second: ID) throws -> [KeptWorkout] {
        guard started < time, time < ended else {
            throw ReplyError(.invalid, "\"at\" has to be a time within the workout", field: "at")
        }
        var parts = [try trimmed(started...time, field: "at"), try trimmed(time...ended, as: second, field: "at")]
        (parts[1].note, parts[1].partOf) = (nil, id)
        return parts
    }

    // MARK: Joining

    /// Several in the order of their times as one, with pauses in between.
    /// - Parameters:
    ///   - versions: what the first one was before: what is again what it was, is that.
    ///   - activity: that of the first one if it is nil.
    static func joined(
        _ workouts: [KeptWorkout], versions: [KeptWorkout], _ activity: Activity?
    ) throws -> KeptWorkout {
        let first = workouts[0]
        for (one, next) in zip(workouts, workouts.dropFirst()) {
            guard one.ended <= next.started else {
                throw ReplyError(
                    .invalid, "\(one.id) and \(next.id) overlap: only what was one after the other can be joined",
                    field: "ids")
            }
            guard next.started - one.ended <= longestGap else {
                throw ReplyError(.invalid, "there are more than 6 hours between \(one.id) and \(next.id)", field: "ids")
            }
        }
        guard workouts[workouts.count - 1].ended - first.started <= WorkoutFold.longest else {
            throw ReplyError(.invalid, "together, they are longer than two days", field: "ids")
        }
        var made: KeptWorkout
        do {
            made = try first.remade(activity, events: events(of: workouts), because: workouts[workouts.count - 1].end)
        } catch WorkoutEventProblem.tooManyPauses {
            throw ReplyError(.invalid, "together, they have too many pauses", field: "ids")
        }
        if let whole = versions.last(where: { $0.events == made.events }) {
            (made.origin, made.parts) = (whole.origin, whole.parts)
        } else {
            made.origin = WorkoutOrigin.joined(workouts)
            made.parts = workouts.flatMap { one in
                one.parts.isEmpty
                    ? [WorkoutPart(start: one.started, end: one.ended + 1, isImported: one.origin != nil)] : one.parts
            }
        }
        made.title =
            workouts.lazy.compactMap(\.title).first
            ?? (made.origin == nil ? workouts.lazy.compactMap(\.name).first : nil)
        let notes = workouts.compactMap(\.note)
        let all = notes.joined(separator: "\n")
        made.note = CorrectionRequests.isNote(all) ? all : notes.first
        if all.isEmpty { made.note = nil }
        return made
    }

    private static func events(of workouts: [KeptWorkout]) -> [WorkoutEvent] {
        var events: [WorkoutEvent] = []
        for workout in workouts {
            var next = workout.events[...]
            if let stop = events.popLast() {
                let isActive = events.last?.kind != .pause
                next = next.dropFirst()
                // Those that were one go on without a pause.
                if isActive, stop.time == workout.started {
                } else {
                    if isActive { events.append(WorkoutEvent(.pause, at: stop.time)) }
                    events.append(WorkoutEvent(.resume, at: workout.started))
                }
            }
            events += next
        }
        return events
    }
}

extension WorkoutOrigin {
    /// That of several in one; nil if some of them were not imported.
    static func joined(_ workouts: [KeptWorkout]) -> WorkoutOrigin? {
        let origins = workouts.compactMap(\.origin)
        guard origins.count == workouts.count, var origin = origins.first?.withoutTotals else { return nil }
        func sum(_ values: [Double?]) -> Double? {
            let known = values.compactMap { $0 }
            return known.count == values.count ? known.reduce(0, +) : nil
        }
        origin.metres = sum(origins.map(\.metres))
        origin.ascentMetres = sum(origins.map(\.ascentMetres))
        origin.steps = sum(origins.map { $0.steps.map(Double.init) }).map { Int($0) }
        if Set(origins.map(\.isBeyondRest)).count == 1 {
            origin.kilocalories = sum(origins.map(\.kilocalories))
            origin.isBeyondRest = origins[0].isBeyondRest
        }
        if origins.contains(where: { $0.activeMilliseconds != nil }) {
            origin.activeMilliseconds = workouts.reduce(0) { $0 + $1.activeMilliseconds }
        }
        origin.lacksWay = origins.contains(where: \.lacksWay)
        // Several parts of a triathlon together are not one of them.
        if Set(origins.map { $0.session?.number }).count > 1 { origin.session = nil }
        return origin
    }
}
