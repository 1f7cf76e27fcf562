package import Files
package import Fitness
import Records
package import Telemetry

/// When a night is, on the person's clock.
package struct NightClock: Hashable, Sendable {
    /// In minutes of the day. A night that begins later than it ends begins on the day before.
    package let (begin, end): (Int, Int)

    /// Nil if it has no time.
    package init?(begin: Int = NightFigures.usual.begin, end: Int = NightFigures.usual.end) {
        guard begin != end, (0..<1440).contains(begin), (0..<1440).contains(end) else { return nil }
        (self.begin, self.end) = (begin, end)
    }

    /// The night that ends on a day, and the time between the end of the night before and its beginning, in Unix milliseconds.
    package func times(of day: CalendarDay, in days: LocalDays) -> (night: [Range<Int64>], before: [Range<Int64>]) {
        let yesterday = day.advanced(by: -1)
        func evening(_ minute: Int) -> [Range<Int64>] { days.intervals(of: yesterday, minutes: minute..<1440) }
        func morning(_ minutes: Range<Int>) -> [Range<Int64>] { days.intervals(of: day, minutes: minutes) }
        guard begin > end else { return (morning(begin..<end), evening(end) + morning(0..<begin)) }
        return (evening(begin) + morning(0..<end), days.intervals(of: yesterday, minutes: end..<begin))
    }
}

extension Days {
    /// What the heart rates of the night that ends on a day come to; nil if too little is recorded.
    package func night(of user: ID, on day: CalendarDay, _ clock: NightClock) throws(VaultError) -> NightFigures? {
        let history = try histories.history(of: user)
        let (night, before) = clock.times(of: day, in: history.localDays)
        let all = night + before
        guard let first = all.map(\.lowerBound).min(), let end = all.map(\.upperBound).max() else { return nil }
        let minutes = try HeartRateTiers(store, keys).minutes(
            of: user, in: first - HeldHeartRates.reach..<end + HeldHeartRates.reach)
        guard !minutes.isEmpty else { return nil }
        // A workout may have begun on the day before the first one, and gone on.
        let workouts = try rows.records(of: user, in: day.advanced(by: -3)...day).flatMap { $0.record.workouts.values.map(\.times) }
        return NightFigures(minutes[...], night: night, day: before, workouts: workouts)
    }
}
