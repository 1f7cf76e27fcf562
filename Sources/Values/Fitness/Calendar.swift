// Weeks, months and years of days. Weeks are those of ISO 8601: they begin on Monday, and belong to the year that
// contains their Thursday. So the first days of January may be in the last week of the year before, and a year has 52
// or 53 weeks.

extension CalendarDay {
    /// The day this many days after 1970-01-01; before it if the number is negative.
    public init(daysSince1970: Int64) {
        // Days are counted from 0000-03-01, so a leap day comes last in its year, and 400 years are 146,097 days.
        let days = daysSince1970 + 719_468
        let era = days.floorDivided(by: 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = Int(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
        let year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        self.init(parts: (year, month, Int(dayOfYear - (153 * marchMonth + 2) / 5 + 1)))
    }

    /// The day of a local time, in seconds since 1970-01-01T00:00:00 as the clock on the wall shows it.
    public init(localSeconds: Int64) {
        self.init(daysSince1970: localSeconds.floorDivided(by: 86_400))
    }

    /// The day of a year above 0, a month from 1 to 12 and a day of that month; nil if there is none.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...Self.length(ofMonth: month, year)).contains(day)
        else { return nil }
        self.init(parts: (year, month, day))
    }

    /// 1 for Monday to 7 for Sunday.
    public var weekday: Int {
        // 1970-01-01 was a Thursday.
        Int((daysSince1970 + 3).floorRemainder(by: 7)) + 1
    }

    /// The weekdays as programs spell them, Monday first.
    public static let weekdayNames = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// The week of this day.
    public var week: CalendarWeek { CalendarWeek(of: self) }

    /// The month of this day.
    public var calendarMonth: CalendarMonth { CalendarMonth(of: self) }

    /// January 1 to December 31.
    /// - Parameter year: from 1 to 9999; what is beyond is taken for the nearest of them.
    public static func days(ofYear year: Int) -> ClosedRange<CalendarDay> {
        let months = CalendarMonth.months(ofYear: year)
        return months.lowerBound.days.lowerBound...months.upperBound.days.upperBound
    }
}

extension CalendarDay: Strideable {
    /// How many days the other is after this one.
    public func distance(to other: CalendarDay) -> Int { Int(other.daysSince1970 - daysSince1970) }

    /// The day this many days later.
    public func advanced(by days: Int) -> CalendarDay { CalendarDay(daysSince1970: daysSince1970 + Int64(days)) }
}

extension CalendarDay: Codable {
    /// From `2026-11-21`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let day = CalendarDay(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a day such as 2026-11-21")
        }
        self = day
    }

    /// As `2026-11-21`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A week of ISO 8601, Monday to Sunday.
public struct CalendarWeek: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The year that the week belongs to, that of its Thursday.
    public let year: Int
    /// The week's number in that year, from 1 to 53.
    public let number: Int
    /// The day that it begins with.
    public let monday: CalendarDay

    /// The week that contains a day.
    public init(of day: CalendarDay) {
        monday = day.advanced(by: 1 - day.weekday)
        let thursday = monday.advanced(by: 3)
        year = thursday.year
        let firstOfYear = CalendarDay(parts: (year, 1, 1))
        number = firstOfYear.distance(to: thursday) / 7 + 1
    }

    /// Its seven days.
    public var days: ClosedRange<CalendarDay> { monday...monday.advanced(by: 6) }

    /// `2026-W47`
    public var description: String { "\(CalendarDay.padded(year, 4))-W\(CalendarDay.padded(number, 2))" }

    /// Earlier weeks are less.
    public static func < (one: CalendarWeek, other: CalendarWeek) -> Bool { one.monday < other.monday }
}

/// A month of a year.
public struct CalendarMonth: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The year.
    public let year: Int
    /// From 1 to 12.
    public let month: Int

    /// The month that contains a day.
    public init(of day: CalendarDay) {
        (year, month) = (day.year, day.month)
    }

    /// A month from 1 to 12 of a year from 1 to 9999; nil if there is none.
    public init?(year: Int, month: Int) {
        guard let first = CalendarDay(year: year, month: month, day: 1) else { return nil }
        self.init(of: first)
    }

    /// The month that `2026-11` spells; nil if that is none.
    public init?(_ text: String) {
        guard let first = CalendarDay("\(text)-01") else { return nil }
        self.init(of: first)
    }

    /// Its days.
    public var days: ClosedRange<CalendarDay> {
        let first = CalendarDay(parts: (year, month, 1))
        return first...first.advanced(by: CalendarDay.length(ofMonth: month, year) - 1)
    }

    /// January to December.
    /// - Parameter year: from 1 to 9999; what is beyond is taken for the nearest of them.
    public static func months(ofYear year: Int) -> ClosedRange<CalendarMonth> {
        let year = min(max(year, 1), 9999)
        let (first, last) = (CalendarDay(parts: (year, 1, 1)), CalendarDay(parts: (year, 12, 1)))
        return CalendarMonth(of: first)...CalendarMonth(of: last)
    }

    /// `2026-11`
    public var description: String { "\(CalendarDay.padded(year, 4))-\(CalendarDay.padded(month, 2))" }

    /// Earlier months are less.
    public static func < (one: CalendarMonth, other: CalendarMonth) -> Bool {
        (one.year, one.month) < (other.year, other.month)
    }
}

extension CalendarMonth: Strideable {
    /// How many months the other is after this one.
    public func distance(to other: CalendarMonth) -> Int { (other.year - year) * 12 + other.month - month }

    /// The month this many months later.
    public func advanced(by months: Int) -> CalendarMonth {
        let count = Int64(year * 12 + month - 1 + months)
        let (year, month) = (Int(count.floorDivided(by: 12)), Int(count.floorRemainder(by: 12)) + 1)
        return CalendarMonth(of: CalendarDay(parts: (year, month, 1)))
    }
}
