import Daemon
import Glibc

/// Unix milliseconds as local times.
enum LocalTime {
    /// `09:33:10`, and the date before it if that is not today's: `2026-03-01 09:33:10`.
    static func brief(_ unixMilliseconds: Int64) -> String {
        let (then, now) = (fields(unixMilliseconds), fields(Daemon.unixMilliseconds()))
        let isToday = then.tm_year == now.tm_year && then.tm_yday == now.tm_yday
        return isToday ? timeOfDay(then) : full(unixMilliseconds)
    }

    /// `09:33:10`.
    static func timeOfDay(_ unixMilliseconds: Int64) -> String { timeOfDay(fields(unixMilliseconds)) }

    /// `2026-03-01 09:33:10`.
    static func full(_ unixMilliseconds: Int64) -> String {
        let time = fields(unixMilliseconds)
        return "\(Int(time.tm_year) + 1900)-\(two(time.tm_mon + 1))-\(two(time.tm_mday)) \(timeOfDay(time))"
    }

    private static func timeOfDay(_ time: tm) -> String {
        "\(two(time.tm_hour)):\(two(time.tm_min)):\(two(time.tm_sec))"
    }

    /// What clocks and calendars show then.
    static func fields(_ unixMilliseconds: Int64) -> tm {
        var seconds = time_t(unixMilliseconds / 1000)
        var fields = tm()
        localtime_r(&seconds, &fields)
        return fields
    }

    /// When the day of a time began here, in Unix milliseconds.
    static func midnight(before unixMilliseconds: Int64) -> Int64 {
        var day = fields(unixMilliseconds)
        (day.tm_hour, day.tm_min, day.tm_sec, day.tm_isdst) = (0, 0, 0, -1)
        return Int64(mktime(&day)) * 1000
    }

    /// `07`
    static func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
