import Glibc

/// A day of the calendar, wherever it is.
struct CalendarDay: Hashable {
    let year: Int
    /// 1 to 12
    let month: Int
    /// 1 to 31
    let day: Int

    /// The day that a text such as `2026-11-21` spells; nil where there is none.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], text.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
        guard self.text == text else { return nil }
    }

    /// A day counted from another: `day` 0 is the last one of the month before.
    init(year: Int, month: Int, day: Int) {
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (CInt(year - 1900), CInt(month - 1), CInt(day))
        var time = timegm(&fields)
        gmtime_r(&time, &fields)
        self.init(fields)
    }

    private init(_ fields: tm) {
        (year, month, day) = (Int(fields.tm_year) + 1900, Int(fields.tm_mon) + 1, Int(fields.tm_mday))
    }

    /// Today, by this machine's clock and time zone.
    static var today: CalendarDay {
        var now = time(nil)
        var fields = tm()
        localtime_r(&now, &fields)
        return CalendarDay(fields)
    }

    /// `2026-11-21`
    var text: String { "\(monthText)-\(twoDigits(day))" }

    /// `2026-11`
    var monthText: String { String(repeating: "0", count: max(0, 4 - "\(year)".count)) + "\(year)-\(twoDigits(month))" }

    /// So many days later.
    func advanced(by days: Int) -> CalendarDay { CalendarDay(year: year, month: month, day: day + days) }

    /// 0 for Monday to 6 for Sunday.
    var weekday: Int {
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (CInt(year - 1900), CInt(month - 1), CInt(day))
        _ = timegm(&fields)
        return (Int(fields.tm_wday) + 6) % 7
    }

    /// `Mon 16`
    var shortName: String { "\(Self.weekdays[weekday].prefix(3)) \(day < 10 ? " " : "")\(day)" }

    /// `Saturday, 21 November 2026`
    var longName: String { "\(Self.weekdays[weekday]), \(dateName)" }

    /// `21 November 2026`
    var dateName: String { "\(day) \(monthName)" }

    /// `16 to 22 November 2026`
    func through(_ last: CalendarDay) -> String {
        let isOneMonth = (year, month) == (last.year, last.month)
        return (isOneMonth ? "\(day)" : dateName) + " to \(last.dateName)"
    }

    /// `November 2026`
    var monthName: String { "\(Self.months[month - 1]) \(year)" }

    static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

/// `07`
func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
