package import Days
import Features
package import Files
import Fitness
package import Readings
package import Records
import Storage
package import Telemetry
import Workouts

// What is kept of a workout's figures follows from the readings of its time, which may come hours later, be corrected
// or be deleted; and from how tall and heavy the person was, which they may say later. So a workout that is over is marked
// where readings of its time or the person of its day change, in the transaction that changes them, and soon after it is
// counted again (`RunningWorkouts.refresh`).

/// Marks workouts whose readings have changed. Belongs to the thread of its store and keys.
package final class WorkoutMarks: Derivation, PeopleObserver, HistoryObserver {
    private let rows: WorkoutRows
    private let histories: Histories
    private let days: Days
    private let changes: PeopleChanges
    /// People without a workout on the days that are asked for most: today's and yesterday's, by the day of the answer.
    private var idle: [ID: Int64] = [:]
    private var taken: [PersonsReadings] = []
    /// People of whom what is stored has changed.
    private var corrected: Set<ID> = []
    /// People's workouts as they were opened in the transaction that is under way: a batch may have a thousand late blocks
    /// of one person, and each of them is a question about the same days.
    private var opened: [ID: OpenedWorkouts] = [:]
    private static let capacity = 65_536
    /// With more workouts, those that may belong to another day now are all counted again, without opening each.
    private static let mostOpened = 1000

    /// Workouts of some days by UTC, in the clear for as long as a transaction lasts.
    private struct OpenedWorkouts {
        struct Span {
            let id: ID
            /// Nil while it is under way.
            let times: Range<Int64>?
            var isMarked = false
        }

        /// Every day that was looked at.
        var days: [Int64: [Span]] = [:]
    }

    package init(_ parts: DerivationParts) {
        rows = WorkoutRows(parts.store, parts.keys)
        histories = Histories(parts.store, parts.keys, zone: parts.zone)
        days = Days(parts.store, parts.keys, histories)
        changes = parts.changes
        changes.add(self)
    }

    package func take(_ people: [PersonsReadings], now: Int64) throws(VaultError) {
        let today = WorkoutRows.day(now)
        for person in people {
            // A block is short, however far the blocks of a batch are apart.
            let spans = person.portions.compactMap { Self.span($0.readings) }
            guard let first = spans.map(\.lowerBound).min() else { continue }
            taken.append(person)
            if idle[person.user] == today, WorkoutRows.day(first) >= today { continue }
            // A count that comes after a workout says what was made until its end.
            let counts = person.portions.compactMap { portion in
                Self.span(portion.readings.filter { WorkoutSamples.counts.contains($0.kind) }).map {
                    $0.lowerBound - WorkoutSamples.after...$0.upperBound
                }
            }
            var found = false
            for span in Set(spans + counts) { if try mark(span, of: person.user) { found = true } }
            guard !found, WorkoutRows.day(first) == today else { continue }
            if idle.count >= Self.capacity { idle = [:] }
            idle[person.user] = today
        }
    }

    /// From the first to the last of some readings of one block; nil if there are none.
    private static func span(_ readings: [BareReading]) -> ClosedRange<Int64>? {
        guard let first = readings.first?.wall, let last = readings.last?.wall else { return nil }
        return min(first, last)...max(first, last)
    }

    /// Marks the workouts of a person that have something of some times.
    /// - Returns: whether there are any workouts on these days.
    private func mark(_ times: ClosedRange<Int64>, of user: ID) throws(VaultError) -> Bool {
        // A workout is measured for two days, and may begin on the day before or soon after.
        let days = WorkoutRows.day(times.lowerBound) - 3...WorkoutRows.day(times.upperBound + WorkoutSamples.beside)
        try open(days, of: user)
        var hasAny = false
        for day in days {
            for (index, workout) in (opened[user]?.days[day] ?? []).enumerated() {
                hasAny = true
                guard !workout.isMarked, let span = workout.times,
                    span.lowerBound - WorkoutSamples.beside <= times.upperBound,
                    span.upperBound + WorkoutSamples.beside > times.lowerBound
                else { continue }
                try rows.mark(workout.id)
                opened[user]?.days[day]?[index].isMarked = true
            }
        }
        return hasAny
    }

    /// Opens a person's workouts of some days, unless this transaction has done so before.
    private func open(_ days: ClosedRange<Int64>, of user: ID) throws(VaultError) {
        var known = opened[user] ?? OpenedWorkouts()
        let missing = days.filter { known.days[$0] == nil }
        guard let first = missing.first, let last = missing.last else { return }
        for day in missing { known.days[day] = [] }
        for entry in try rows.workouts(of: user, on: first...last) {
            let workout = entry.workout
            let day = WorkoutRows.day(workout.started)
            guard missing.contains(day) else { continue }
            let times = workout.timer.isOver ? workout.span(now: workout.started) : nil
            known.days[day]?.append(OpenedWorkouts.Span(id: workout.id, times: times))
        }
        opened[user] = known
    }

    package func committed() {
        opened = [:]
        for readings in taken { changes.stored(readings) }
        for user in corrected { changes.corrected(user) }
        (taken, corrected) = ([], [])
    }

    package func rolledBack() {
        (taken, idle, corrected, opened) = ([], [:], [], [:])
    }

    /// The person may have begun a workout.
    package func changed(_ users: Set<ID>) { for user in users { idle[user] = nil } }

    // MARK: What applied when

    /// A workout is counted with the person as they were on the day on which it began, and for that day.
    package func replacing(_ old: History, with new: History, of user: ID) throws(VaultError) {
        let isMany = try rows.count(of: user) > Self.mostOpened
        for day in try rows.days(of: user, upTo: .max, limit: .max) {
            let (before, after) = (old.people(nearDay: day), new.people(nearDay: day))
            // Most days are as they were: nothing is opened for these.
            let isSameDay = old.times(nearDay: day) == new.times(nearDay: day)
            if before == after, isSameDay { continue }
            if isSameDay ? Set(before).count == 1 && Set(after).count == 1 : isMany {
                try rows.mark(of: user, on: day)
                continue
            }
            for entry in try rows.workouts(of: user, on: day...day) where entry.workout.timer.isOver {
                let start = entry.workout.started
                let isElsewhere = old.localDays.day(of: start) != new.localDays.day(of: start)
                if isElsewhere || old.person(at: start) != new.person(at: start) { try rows.mark(entry.workout.id) }
            }
        }
    }

    // MARK: Hours that are computed again

    package func hourReader(of user: ID) -> @Sendable (Int64, StoredReadings) throws(VaultError) -> Bool {
        { _, _ throws(VaultError) in true }
    }

    package func firstKept(of user: ID) -> @Sendable (ClosedRange<Int64>, Store) throws(VaultError) -> Int64? {
        { hours, store throws(VaultError) in
            // A workout that goes on for more than a day is rare, and is marked where its readings are.
            let day = try store.database.first(
                "SELECT min(day) AS day FROM workouts WHERE person = ? AND day >= ?",
                [.text(user.text), .integer(hours.lowerBound.floorDivided(by: 24) - 1)]
            ) { row throws(VaultError) in try row.intIfPresent("day") }
            guard let first = day.flatMap({ $0 }) else { return nil }
            let hour = max(hours.lowerBound, first * 24)
            return hours.contains(hour) ? hour : nil
        }
    }

    package func extent(of found: Bool, _ hour: Int64) -> ReadExtent { ReadExtent(times: 0..<0, kinds: []) }

    package func replace(_ hour: Int64, of user: ID, with found: Bool, now: Int64) throws(VaultError) {
        let times = HourSpan.times(hour...hour)
        _ = try mark(times.lowerBound - WorkoutSamples.after...times.upperBound - 1, of: user)
        corrected.insert(user)
    }

    package func recount(of user: ID) throws(VaultError) -> (kept: Int, differing: Int) {
        var (kept, differing) = (0, 0)
        var unknown = try days.workouts(of: user)
        for day in try rows.days(of: user, upTo: .max, limit: .max) {
            for entry in try rows.workouts(of: user, on: day...day) where entry.workout.timer.isOver {
                unknown.remove(entry.workout.id.text)
                // It is known to be computed again.
                guard entry.marks == 0 else { continue }
                kept += 1
                let history = try histories.history(of: user)
                let figures = try entry.workout.counted(of: user, history, rows.store, rows.keys)
                // What was kept has its members in the order of their names.
                let read = decoded { () throws(MalformedValue) in try JSON(payload: figures.bytes) }
                let isKnown = try entry.workout.ofDay.map { (workout) throws(VaultError) in try days.knows(workout, of: user) }
                if read != entry.workout.figures || isKnown == false { differing += 1 }
            }
        }
        // Workouts that days have, and that do not exist.
        return (kept, differing + unknown.count)
    }
}

extension History {
    /// The person as they were at a moment in Unix milliseconds.
    func person(at time: Int64) -> Person { person(on: localDays.day(of: time)) }

    /// The person as they were on the calendar days that a day by UTC may be part of, wherever they lived: one if that was
    /// the same all the time.
    fileprivate func people(nearDay day: Int64) -> [Person] {
        (day - 2...day + 2).map { person(on: CalendarDay(daysSince1970: $0)) }
    }

    /// When these days begin and end.
    fileprivate func times(nearDay day: Int64) -> [Range<Int64>] {
        (day - 2...day + 2).flatMap { localDays.intervals(of: CalendarDay(daysSince1970: $0)) }
    }
}

extension KeptWorkout {
    /// The figures of a workout that is over, by everything that is stored.
    func counted(
        of user: ID, _ history: History, _ store: Store, _ keys: Keys
    ) throws(VaultError) -> JSON {
        let now = timer.ended ?? started
        return try counted(WorkoutSamples(of: user, self, now: now, store, keys), history)
    }

    /// The same by its samples.
    func counted(_ samples: WorkoutSamples, _ history: History) -> JSON {
        let review = WorkoutReview(self, samples, history, now: timer.ended ?? started)
        let best = review.best.map { time -> JSON in
            .object(present: [
                "distance_m": rounded(time.metres, 3),
                "seconds": rounded(time.seconds, 1),
                "start_s": rounded(time.start, 1),
            ])
        }
        return .object(review.line + (best.isEmpty ? [] : [JSON.Member("best", .array(best))]))
    }
}
