public import Fitness

/// When people who want it hear what a week came to: on the Monday after it, at eight o'clock where they are.
public enum WeekTelling {
    /// When that is for a week, in Unix milliseconds.
    public static func time(of week: CalendarWeek, in zone: ZoneRules) -> Int64 {
        let eight = (week.monday.daysSince1970 + 7) * 86_400 + 8 * 3600
        return zone.time(ofLocalSeconds: eight) * 1000
    }

    /// The latest week that is due at a moment in Unix milliseconds.
    public static func latest(at now: Int64, in zone: ZoneRules) -> CalendarWeek {
        let last = zone.day(at: now).advanced(by: -7).week
        return time(of: last, in: zone) <= now ? last : last.monday.advanced(by: -7).week
    }
}
