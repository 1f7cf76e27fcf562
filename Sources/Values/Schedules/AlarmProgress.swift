public import Fitness

/// How far somebody has been told of a schedule's times: so that each is told once, and none of before it was set up.
public struct AlarmProgress: Hashable, Sendable {
    /// Alarms of before this moment are not told, in Unix milliseconds: it is when the schedule was set up, changed or
    /// enabled.
    public var begin: Int64
    /// The last one that was told; nil if none was.
    public var told: WeeklySchedule.Occurrence?

    /// Nothing was told yet.
    public init(begin: Int64) { self.begin = begin }

    /// For how long an alarm is told that could not be told in time, in milliseconds. After it, it would not help any
    /// more.
    public static let latest: Int64 = 3_600_000

    /// The next alarm that is to be told, which may be due already.
    ///
    /// A time is known by its day. So a person who was told of it and travels west is not told again when the clocks there
    /// come to the same time; and a person who travels east over it is told late, as if nobody had been there to tell.
    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - zone: where the person is now.
    public func next(_ schedule: WeeklySchedule, now: Int64, in zone: ZoneRules) -> WeeklySchedule.Occurrence? {
        // What was told, or begun, with a clock that was ahead must not silence the time until then.
        let told = self.told.flatMap { $0.alarm <= now + Self.correction ? $0 : nil }
        return schedule.next(after: told?.day, from: max(min(begin, now), now - Self.latest), in: zone)
    }

    /// By how many milliseconds a clock is put back that was right enough: nothing is told again for that.
    private static let correction: Int64 = 60_000
}
