import Daemon
import Fitness

// Days as people call them.

extension CalendarDay {
    /// Today, by this machine's clock and time zone.
    static var today: CalendarDay? { CalendarDay(ofMoment: unixMilliseconds()) }

    /// Words that people type for days: this one, and the one before.
    static let words = ["today", "yesterday"]

    /// The day that somebody types: a date, or one of the words.
    init?(typed text: String) {
        let ago = Self.words.firstIndex(of: text)
        guard let day = ago == nil ? CalendarDay(text) : CalendarDay.today?.advanced(by: -(ago ?? 0)) else {
            return nil
        }
        self = day
    }

    /// The day of a moment in Unix milliseconds, in this machine's time zone.
    init?(ofMoment milliseconds: Int64) {
        let fields = LocalTime.fields(milliseconds)
        self.init(year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday))
    }

    /// `Mon 16`
    var shortName: String { "\(Self.weekdays[weekday - 1].prefix(3)) \(day < 10 ? " " : "")\(day)" }

    /// `Saturday, 21 November 2026`
    var longName: String { "\(Self.weekdays[weekday - 1]), \(dateName)" }

    /// `21 November 2026`
    var dateName: String { "\(day) \(monthName)" }

    /// `16 to 22 November 2026`
    func through(_ last: CalendarDay) -> String {
        (calendarMonth == last.calendarMonth ? "\(day)" : dateName) + " to \(last.dateName)"
    }

    /// `November 2026`
    var monthName: String { "\(Self.months[month - 1]) \(year)" }

    /// Monday to Sunday.
    static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    /// January to December.
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

extension CalendarMonth {
    /// `Nov 2026`
    var shortName: String { "\(CalendarDay.months[month - 1].prefix(3)) \(year)" }
}
