import Daemon
import Fitness
import Glibc
import Telemetry

/// A moment as people type it, in this machine's time zone, or as programs write it (ISO 8601), in the zone that it
/// names:
///
///     now   -2h   -1h30m   14:00   14:00:30   yesterday   "yesterday 14:00"   2026-11-21   "2026-11-21 14:00"
///     2026-11-21T14:00:00Z   2026-11-21T14:00:00.250+01:00
struct LocalMoment {
    /// Unix milliseconds; if a day was typed without a time, its first moment.
    let start: Int64
    /// The end of the day, if a day was typed without a time; otherwise the same.
    let end: Int64

    static let expected = "a time such as \"2026-11-21 14:00\", 2026-11-21T14:00:00Z, 14:00, yesterday, -2h or now"

    /// The moment that a text spells; nil if it spells none.
    /// - Parameter now: Unix milliseconds.
    init?(_ text: String, now: Int64) {
        guard text != "now" else {
            (start, end) = (now, now)
            return
        }
        if text.hasPrefix("-") {
            guard let ago = Self.milliseconds(text.dropFirst()) else { return nil }
            (start, end) = (now - ago, now - ago)
            return
        }
        let words = text.split(whereSeparator: { $0 == " " || $0 == "T" }).map(String.init)
        guard let today = CalendarDay(ofMoment: now) else { return nil }
        let named = ["today": today, "yesterday": today.advanced(by: -1)]
        switch words.count {
        case 1:
            if let time = Self.time(words[0]) {
                guard time.zone == nil, let moment = Self.moment(today, time) else { return nil }
                (start, end) = (moment, moment)
            } else {
                guard let day = named[words[0]] ?? CalendarDay(words[0]), let first = Self.moment(day, Time()),
                    let next = Self.moment(day.advanced(by: 1), Time())
                else { return nil }
                (start, end) = (first, next)
            }
        case 2:
            guard let day = named[words[0]] ?? CalendarDay(words[0]), let time = Self.time(words[1]),
                let moment = Self.moment(day, time)
            else { return nil }
            (start, end) = (moment, moment)
        default: return nil
        }
    }

    /// `2h`, `90m`, `90min`, `1h30m`, `2d`, `1w`; a day has 24 hours here.
    private static func milliseconds(_ text: Substring) -> Int64? {
        let units: [String: Int64] = ["s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800]
        var rest = text
        var sum: Int64 = 0
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let unit = rest.dropFirst(digits.count).prefix { $0.isLetter }
            // Nine digits of weeks are more than all years, and less than the largest number.
            guard digits.count < 10, let number = Int64(digits), let seconds = units[String(unit)] else { return nil }
            sum += number * seconds * 1000
            rest = rest.dropFirst(digits.count + unit.count)
        } while !rest.isEmpty
        return sum
    }

    /// What a clock shows, and in which zone.
    private struct Time {
        var hour = 0
        var minute = 0
        var second = 0
        var millisecond: Int64 = 0
        /// Seconds east of Greenwich; nil for this machine's zone.
        var zone: Int64?
    }

    /// `14:00`, `14:00:30`, `14:00:30.250`, and behind any of them `Z` or `+01:00`.
    private static func time(_ text: String) -> Time? {
        let clock = text.prefix { $0.isASCII && ($0.isNumber || ":.,".contains($0)) }
        var result = Time()
        if clock.count < text.count {
            guard let zone = zone(text.dropFirst(clock.count)) else { return nil }
            result.zone = zone
        }
        let halves = clock.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        let parts = halves[0].split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts.dropFirst().allSatisfy({ $0.count == 2 }),
            (1...2).contains(parts[0].count), halves.count == 1 || parts.count == 3
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == parts.count else { return nil }
        (result.hour, result.minute, result.second) = (numbers[0], numbers[1], numbers.count > 2 ? numbers[2] : 0)
        guard result.hour < 24, result.minute < 60, result.second < 60 else { return nil }
        if halves.count == 2 {
            let digits = halves[1]
            guard (1...9).contains(digits.count), digits.allSatisfy(\.isNumber),
                let thousandths = Int64(digits.prefix(3) + String(repeating: "0", count: max(0, 3 - digits.count)))
            else { return nil }
            result.millisecond = thousandths
        }
        return result
    }

    /// `Z`, `+01:00`, `-0330` or `+01`, as seconds.
    private static func zone(_ text: Substring) -> Int64? {
        if text == "Z" || text == "z" { return 0 }
        guard let sign: Int64 = ["+": 1, "-": -1][text.prefix(1)] else { return nil }
        let digits = text.dropFirst().filter { $0 != ":" }
        let isWellFormed = text.dropFirst() == digits || text.count == 6 && text.dropFirst(3).first == ":"
        guard isWellFormed, [2, 4].contains(digits.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let hours = Int64(digits.prefix(2)), let minutes = digits.count == 4 ? Int64(digits.suffix(2)) : 0,
            hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    /// A time that the clocks skip counts as if they had not been changed; if they show a time twice, the C library
    /// chooses.
    private static func moment(_ day: CalendarDay, _ time: Time) -> Int64? {
        if let zone = time.zone {
            let clock = Int64(time.hour * 3600 + time.minute * 60 + time.second)
            let seconds = day.daysSince1970 * 86_400 + clock - zone
            return seconds < 0 ? nil : seconds * 1000 + time.millisecond
        }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (CInt(day.year - 1900), CInt(day.month - 1), CInt(day.day))
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (CInt(time.hour), CInt(time.minute), CInt(time.second))
        fields.tm_isdst = -1
        let seconds = mktime(&fields)
        return seconds < 0 ? nil : Int64(seconds) * 1000 + time.millisecond
    }
}

/// From when to when, as the options `--from` and `--to` say.
struct Period {
    /// Unix milliseconds.
    let from: Int64
    let to: Int64

    /// - Parameters:
    ///   - ago: if no option is given, how long before now the period begins; nil if an option is required.
    ///   - longest: how long it may be at most, in milliseconds.
    init(_ arguments: Arguments, default ago: Int64?, atMost longest: Int64 = .max) throws {
        let now = unixMilliseconds()
        let (first, last) = (try arguments.optionalString("from"), try arguments.optionalString("to"))
        if ago == nil, first == nil || last == nil {
            throw arguments.missing(first == nil ? "from" : "to")
        }
        let begin = try first.map { try Self.moment($0, "from", arguments, now) }
        let end = try last.map { try Self.moment($0, "to", arguments, now) }
        // A day that is not over ends now.
        to = end.map { $0.start < now ? min($0.end, now) : $0.end } ?? now
        from = begin?.start ?? to - (ago ?? 0)
        guard from < to else {
            let (start, last) = (LocalTime.full(from), LocalTime.full(to))
            let problem =
                if from == to {
                    "the range is empty: it begins and ends at \(start)"
                } else if end == nil {
                    "\(start) is in the future, and without --to the range ends now, at \(last)"
                } else {
                    "the range is reversed: it begins at \(start) and ends before that, at \(last); swap --from and --to"
                }
            throw arguments.refusal(of: "from", problem)
        }
        guard to - from <= longest else {
            let limit = "\(longest / 3_600_000) hours before \(end == nil ? "now" : "--to")"
            throw arguments.refusal(of: "from", "has to be at most \(limit)")
        }
    }

    private static func moment(_ text: String, _ option: String, _ arguments: Arguments, _ now: Int64) throws
        -> LocalMoment
    {
        guard let moment = LocalMoment(text, now: now) else {
            throw arguments.refusal(of: option, "expected \(LocalMoment.expected), found \(escaped(text))")
        }
        return moment
    }

    /// `2026-11-21 13:00:00 to 14:00:00`
    var words: String {
        let (first, last) = (LocalTime.full(from), LocalTime.full(to))
        return "\(first) to \(first.prefix(10) == last.prefix(10) ? String(last.dropFirst(11)) : last)"
    }

    /// For a request.
    var fields: [(String, JSON?)] { [("from", .integer(from)), ("to", .integer(to))] }
}
