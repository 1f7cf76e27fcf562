/// A day of the Gregorian calendar, without a time or a zone.
public struct CalendarDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The year; above 0 if the day was spelled.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day of the month, from 1.
    public let day: Int

    /// The day that `2026-11-21` spells; nil if that is no day.
    public init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 10, digits[4] == UInt8(ascii: "-"), digits[7] == UInt8(ascii: "-") else { return nil }
        let parts = [0..<4, 5..<7, 8..<10].map { range in
            digits[range].reduce(into: Int?.some(0)) { value, digit in
                value = (0x30...0x39).contains(digit) ? value.map { $0 * 10 + Int(digit - 0x30) } : nil
            }
        }
        guard let year = parts[0], let month = parts[1], let day = parts[2], year > 0, (1...12).contains(month),
            (1...Self.length(ofMonth: month, year)).contains(day)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// A day from parts that are known to be valid.
    init(parts: (year: Int, month: Int, day: Int)) {
        (year, month, day) = parts
    }

    /// The day of a local time, in seconds since 1970-01-01T00:00:00 as the clock on the wall shows it.
    public init(localSeconds: Int64) {
        // Days are counted from 0000-03-01, so a leap day comes last in its year, and 400 years are 146,097 days.
        let days = (localSeconds >= 0 ? localSeconds / 86_400 : (localSeconds - 86_399) / 86_400) + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * marchMonth + 2) / 5 + 1)
        month = Int(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01, the inverse of the above.
    public var daysSince1970: Int64 {
        let marchYear = Int64(month > 2 ? year : year - 1)
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// How many birthdays a person born on this day has had by another day. A person born on February 29 has theirs on
    /// March 1 in years without that day.
    public func age(on other: CalendarDay) -> Int {
        other.year - year - ((other.month, other.day) < (month, day) ? 1 : 0)
    }

    /// Earlier days are less.
    public static func < (one: CalendarDay, other: CalendarDay) -> Bool {
        (one.year, one.month, one.day) < (other.year, other.month, other.day)
    }

    /// `2026-11-21`
    public var description: String {
        "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
    }

    static func padded(_ number: Int, _ count: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// How many days a month, 1 to 12, has.
    public static func length(ofMonth month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
