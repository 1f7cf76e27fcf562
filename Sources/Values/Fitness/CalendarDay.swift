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

    /// Days since 1970-01-01, the inverse of `init(daysSince1970:)`.
    public var daysSince1970: Int64 {
        let marchYear = Int64(month > 2 ? year : year - 1)
        let era = marchYear.floorDivided(by: 400)
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
