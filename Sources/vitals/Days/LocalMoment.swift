import Daemon
import Fitness
import Glibc
import Telemetry

/// A moment as people type it, in this machine's time zone:
///
///     now   -2h   -1h30m   14:00   14:00:30   yesterday   "yesterday 14:00"   2026-11-21   "2026-11-21 14:00"
struct LocalMoment {
    /// Unix milliseconds; where a day was typed and no time, its first one.
    let start: Int64
    /// The end of the day, where a day was typed and no time; else the same.
    let end: Int64

    static let expected = "a time such as \"2026-11-21 14:00\", 14:00, yesterday, -2h or now"

    /// The moment that a text spells; nil where it spells none.
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
                guard let moment = Self.moment(today, time) else { return nil }
                (start, end) = (moment, moment)
            } else {
                guard let day = named[words[0]] ?? CalendarDay(words[0]), let first = Self.moment(day, (0, 0, 0)),
                    let next = Self.moment(day.advanced(by: 1), (0, 0, 0))
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
            // Nine digits of weeks are more than there are years, and less than the numbers end at.
            guard digits.count < 10, let number = Int64(digits), let seconds = units[String(unit)] else { return nil }
            sum += number * seconds * 1000
            rest = rest.dropFirst(digits.count + unit.count)
        } while !rest.isEmpty
        return sum
    }

    /// `14:00` or `14:00:30`.
    private static func time(_ text: String) -> (hour: Int, minute: Int, second: Int)? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts.dropFirst().allSatisfy({ $0.count == 2 }),
            (1...2).contains(parts[0].count), text.utf8.allSatisfy({ $0 == 0x3A || (0x30...0x39).contains($0) })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        let (hour, minute, second) = (numbers[0], numbers[1], numbers.count > 2 ? numbers[2] : 0)
        return hour < 24 && minute < 60 && second < 60 ? (hour, minute, second) : nil
    }

    /// A time that the clocks skip counts as they would have gone on; of one that they show twice, the C library chooses.
    private static func moment(_ day: CalendarDay, _ time: (hour: Int, minute: Int, second: Int)) -> Int64? {
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (CInt(day.year - 1900), CInt(day.month - 1), CInt(day.day))
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (CInt(time.hour), CInt(time.minute), CInt(time.second))
        fields.tm_isdst = -1
        let seconds = mktime(&fields)
        return seconds < 0 ? nil : Int64(seconds) * 1000
    }
}

/// From when to when, as the options `--from` and `--to` say.
struct Period {
    /// Unix milliseconds.
    let from: Int64
    let to: Int64

    /// - Parameter ago: where nothing is said, it begins so long before now; nil where something has to be said.
    init(_ arguments: Arguments, default ago: Int64?) throws {
        let now = unixMilliseconds()
        let (first, last) = (try arguments.optionalString("from"), try arguments.optionalString("to"))
        if ago == nil, first == nil || last == nil {
            throw arguments.refusal(of: first == nil ? "from" : "to", "is missing")
        }
        let begin = try first.map { try Self.moment($0, "from", arguments, now) }
        let end = try last.map { try Self.moment($0, "to", arguments, now) }
        // A day that goes on ends now.
        to = end.map { $0.start < now ? min($0.end, now) : $0.end } ?? now
        from = begin?.start ?? to - (ago ?? 0)
        guard from < to else {
            throw arguments.refusal(
                of: "from", "\(LocalTime.full(from)) is not before --to, which is \(LocalTime.full(to))")
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
