import Fitness

/// At which times of the week something is watched, on the wall of the person who is watched.
public struct WatchHours: Hashable, Sendable {
    /// Minutes of the day, from 0 to 1439. If `to` is not later than `from`, the time passes midnight, and belongs to
    /// the day on which it begins.
    public var from: Int
    /// As `from`: the first minute that no longer belongs to it.
    public var to: Int
    /// From 0 for Monday to 6 for Sunday: the days on which it begins.
    public var weekdays: Set<Int>

    /// The weekdays as people spell them, Monday first.
    public static let names = CalendarDay.weekdayNames

    /// Times of the week.
    /// - Parameter weekdays: 0 for Monday; all if it is empty.
    public init(from: Int, to: Int, weekdays: Set<Int> = []) {
        (self.from, self.to) = (from, to)
        self.weekdays = weekdays.isEmpty ? Set(0...6) : weekdays
    }

    /// Whether something is watched at a minute of a weekday.
    public func covers(weekday: Int, minute: Int) -> Bool {
        guard from >= to else { return weekdays.contains(weekday) && (from..<to).contains(minute) }
        return minute >= from && weekdays.contains(weekday) || minute < to && weekdays.contains((weekday + 6) % 7)
    }
}
