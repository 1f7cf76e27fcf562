import CICal
import Fitness

/// On which days a rule of libical's makes an event come (RFC 5545, 3.3.10).
struct RecurrenceRule {
    private let rule: icalrecurrencetype

    init(_ rule: icalrecurrencetype) { self.rule = rule }

    /// The weekdays on which it comes, from 1 for Monday to 7 for Sunday.
    /// - Parameter first: the day of the event, which is the weekday of a rule that names none.
    func weekdays(_ first: CalendarDay) throws(CalendarFileError) -> Set<Int> {
        guard rule.rscale == nil else { throw .unsupported("it repeats in another calendar") }
        let each: Set<Int> =
            switch rule.freq {
            case ICAL_DAILY_RECURRENCE: Set(1...7)
            case ICAL_WEEKLY_RECURRENCE: [first.weekday]
            case ICAL_MONTHLY_RECURRENCE: throw .unsupported("it repeats every month")
            case ICAL_YEARLY_RECURRENCE: throw .unsupported("it repeats every year")
            case ICAL_NO_RECURRENCE: throw .damaged("nobody can tell how it repeats")
            default: throw .unsupported("it repeats several times a day")
            }
        guard rule.interval <= 1 else {
            let unit = rule.freq == ICAL_DAILY_RECURRENCE ? "days" : "weeks"
            throw .unsupported("it repeats every \(rule.interval) \(unit)")
        }
        guard rule.count == 0, icaltime_is_null_time(rule.until) != 0 else {
            throw .unsupported("it ends some day")
        }
        guard isSimple else {
            throw .unsupported("it repeats only on some days of a year, or at several times")
        }
        let days = Self.values(of: rule.by_day)
        guard !days.isEmpty else { return each }
        var weekdays: Set<Int> = []
        for day in days {
            // From 1 for Sunday; a position is "the second Monday".
            let number = Int(icalrecurrencetype_day_day_of_week(day).rawValue)
            guard icalrecurrencetype_day_position(day) == 0, (1...7).contains(number) else {
                throw .unsupported("it repeats on one of a month's weekdays")
            }
            weekdays.insert(number == 1 ? 7 : number - 1)
        }
        return weekdays
    }

    /// Whether nothing but weekdays says when it comes.
    private var isSimple: Bool {
        Self.values(of: rule.by_second).isEmpty && Self.values(of: rule.by_minute).isEmpty
            && Self.values(of: rule.by_hour).isEmpty && Self.values(of: rule.by_month_day).isEmpty
            && Self.values(of: rule.by_year_day).isEmpty && Self.values(of: rule.by_week_no).isEmpty
            && Self.values(of: rule.by_month).isEmpty && Self.values(of: rule.by_set_pos).isEmpty
    }

    /// A list of libical's, which is an array in C and ends with a number of its own.
    private static func values<List>(of list: List) -> [Int16] {
        let end = Int16(ICAL_RECURRENCE_ARRAY_MAX.rawValue)
        return withUnsafeBytes(of: list) { bytes in
            Array(bytes.bindMemory(to: Int16.self).prefix { $0 != end })
        }
    }
}
