package import Files
package import Fitness
package import Telemetry

// What workouts come to on their days.

extension Days {
    /// Takes what a workout that is over came to, within a transaction. Call `committed` after it.
    /// - Parameters:
    ///   - silently: whether goals that it reaches are kept without a notification. So they are if another day had it.
    ///   - wasCounted: whether it was counted before: if its day does not know it, the day is from before workouts counted, and
    ///     there is no notification, either.
    package func take(
        _ workout: DayWorkout, of user: ID, silently: Bool, wasCounted: Bool, now: Int64
    ) throws(VaultError) {
        guard try keys.version(of: user) != nil else { return }
        let history = try histories.keep(user, now: now)
        var book = DayBook(rows, user, history.localDays)
        // An older record of a day does not know how hard its workouts were, so its figures may rise now.
        let day = history.localDays.day(of: workout.times.lowerBound)
        let isOfBefore = try book.record(of: day).workouts[workout.id].map { $0.effort == nil } ?? false
        let known = try book.enter(workout)
        let isNews = !isOfBefore && (known.map { $0 == day } ?? !wasCounted)
        try close(&book, history, silently: silently || !isNews, now: now)
    }

    /// Takes a deleted workout from its day, within a transaction. Call `committed` after it.
    /// - Parameter start: when it began, in Unix milliseconds.
    /// - Returns: whether its day may have left out others, because it had too many: then all must be taken again.
    package func remove(workout id: ID, from start: Int64, of user: ID, now: Int64) throws(VaultError) -> Bool {
        guard try keys.version(of: user) != nil else { return false }
        let history = try histories.keep(user, now: now)
        var book = DayBook(rows, user, history.localDays)
        let wasFull = try book.record(of: history.localDays.day(of: start)).workouts.count >= DayRecord.mostWorkouts
        try book.remove(workout: id.text, from: start)
        try close(&book, history, now: now)
        return wasFull
    }

    /// The ids of all workouts that days know.
    package func workouts(of user: ID) throws(VaultError) -> Set<String> {
        guard let span = try rows.span(of: user) else { return [] }
        return try rows.records(of: user, in: span).reduce(into: []) { $0.formUnion($1.record.workouts.keys) }
    }

    /// Whether a day knows what a workout came to, or has too many workouts to know each.
    package func knows(_ workout: DayWorkout, of user: ID) throws(VaultError) -> Bool {
        let day = try histories.history(of: user).localDays.day(of: workout.times.lowerBound)
        guard let record = try rows.record(of: user, on: day) else { return false }
        return record.workouts[workout.id] == workout || record.workouts.count >= DayRecord.mostWorkouts
    }
}

extension HeartRateDay.Time {
    /// When a day was, and the workouts in it.
    /// - Parameter records: those of the two days before and of the day itself.
    init(_ day: CalendarDay, _ records: [CalendarDay: DayRecord], _ history: History) {
        let days = history.localDays
        let workouts = (-2...0).flatMap { (before: Int) -> [Range<Int64>] in
            records[day.advanced(by: before)]?.workouts.values.map(\.times) ?? []
        }
        self.init(days.intervals(of: day), workouts: workouts) { days.minuteOfDay(at: $0) }
    }
}
