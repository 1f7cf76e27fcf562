public import Fitness

/// The days that a report is about, in the parts that it compares.
///
///     one day            its workouts
///     one week           Monday to Sunday
///     one month          its days
///     one year           January to December
///     several of these   day by day, week by week, month by month, year by year
public struct ReportSpan: Hashable, Sendable {
    /// What a report is about.
    public enum Period: String, CaseIterable, Hashable, Sendable {
        /// A day.
        case day
        /// A week, from Monday to Sunday.
        case week
        /// A month of the calendar.
        case month
        /// A year of the calendar.
        case year

        /// The days of the period that has a day in it.
        public func days(around day: CalendarDay) -> ClosedRange<CalendarDay> {
            switch self {
            case .day: day...day
            case .week: day.week.days
            case .month: day.calendarMonth.days
            case .year: CalendarDay.days(ofYear: day.year)
            }
        }
    }

    /// What a report compares with each other.
    public enum Part: String, CaseIterable, Hashable, Sendable {
        /// The workouts of a day.
        case workout
        /// Days.
        case day
        /// Weeks.
        case week
        /// Months.
        case month
        /// Years.
        case year
    }

    /// How many periods a report may have.
    public static let most = 366
    /// The days that a report may end with: between them, calendars have no surprises.
    public static let years = 1970...9998

    /// What is compared.
    public let by: Part
    /// The days of each part, in the order of the calendar. Each part begins on the day after the one before.
    public let parts: [ClosedRange<CalendarDay>]

    /// The period that has a day in it, and those before.
    /// - Parameters:
    ///   - day: of one of the `years`.
    ///   - count: how many periods, 1 to `most`; what is beyond is taken for the nearest of them.
    public init(_ period: Period, around day: CalendarDay, count: Int = 1) {
        let last = period.days(around: day)
        guard count > 1 else {
            switch period {
            case .day: (by, parts) = (.workout, [last])
            case .week, .month: (by, parts) = (.day, last.map { $0...$0 })
            case .year: (by, parts) = (.month, CalendarMonth.months(ofYear: day.year).map(\.days))
            }
            return
        }
        var parts = [last]
        while parts.count < min(count, Self.most), let first = parts.last {
            parts.append(period.days(around: first.lowerBound.advanced(by: -1)))
        }
        by = Part(rawValue: period.rawValue) ?? .day
        self.parts = parts.reversed()
    }

    /// All its days.
    public var days: ClosedRange<CalendarDay> {
        // There is always a part.
        parts[0].lowerBound...parts[parts.count - 1].upperBound
    }

    /// Which of the parts has a day in it; nil if none has.
    public func part(of day: CalendarDay) -> Int? {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].contains(day) { return middle }
            if day < parts[middle].lowerBound { high = middle } else { low = middle + 1 }
        }
        return nil
    }
}
