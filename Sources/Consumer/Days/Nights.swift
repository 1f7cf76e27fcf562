package import Files
package import Fitness
import Records
package import Telemetry

/// When a night is, on the person's clock.
package struct NightClock: Hashable, Sendable {
    /// In minutes of the day. A night that begins later than it ends begins on the day before.
    package let (begin, end): (Int, Int)

    /// How long a night is at most, in minutes.
    package static let longest = 16 * 60

    /// Nil if it has no time, or is too long.
    package init?(begin: Int = NightFigures.usual.begin, end: Int = NightFigures.usual.end) {
        let length = (end - begin + 1440) % 1440
        guard (1...Self.longest).contains(length), (0..<1440).contains(begin), (0..<1440).contains(end) else { return nil }
        (self.begin, self.end) = (begin, end)
    }

    /// The night that ends on a day, and the time between the end of the night before and its beginning: each in pieces of Unix
    /// milliseconds, in their order. Of somebody who has moved, a piece of the morning may come before the evening.
    package func times(of day: CalendarDay, in days: LocalDays) -> (night: [Range<Int64>], before: [Range<Int64>]) {
        let yesterday = day.advanced(by: -1)
        func evening(_ minute: Int) -> [Range<Int64>] { days.intervals(of: yesterday, minutes: minute..<1440) }
        func morning(_ minutes: Range<Int>) -> [Range<Int64>] { days.intervals(of: day, minutes: minutes) }
        func inOrder(_ pieces: [Range<Int64>]) -> [Range<Int64>] { pieces.sorted { $0.lowerBound < $1.lowerBound } }
        guard begin > end else { return (morning(begin..<end), inOrder(evening(end) + morning(0..<begin))) }
        return (inOrder(evening(begin) + morning(0..<end)), days.intervals(of: yesterday, minutes: end..<begin))
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
        return NightFigures(minutes, night: night, day: before, workouts: workouts)
    }
}
