import Fitness

/// A month as calendars show it, Monday first, with percentages under each day; a star if they are 100 or more.
///
///                 Mon    Tue    Wed    Thu    Fri    Sat    Sun
///                                                              1
///     Steps                                                104 %★
struct MonthCalendar {
    /// What is shown under the days: its name, and how much each day has of it.
    struct Entry {
        let name: String
        let percent: [CalendarDay: Double]
    }

    let month: CalendarMonth
    let entries: [Entry]

    /// The weeks, one below the other.
    func drawn(on paper: Paper) -> String {
        let margin = (entries.map(\.name.count).max() ?? 0) + 1
        let cell = max(5, min(9, (paper.width - margin) / 7))
        var text = String(repeating: " ", count: margin)
        // A column is left for the star.
        text += CalendarDay.weekdays.map { String($0.prefix(3)).leftPadded(to: cell - 1) + " " }.joined().trimmed + "\n"
        var monday = month.days.lowerBound.week.monday
        repeat {
            let week = (0..<7).map { monday.advanced(by: $0) }
            text += line("", week, margin, cell) { "\($0.day)" + " " }
            for entry in entries where week.contains(where: { entry.percent[$0] != nil }) {
                text += line(entry.name, week, margin, cell) { day in
                    guard let percent = entry.percent[day] else { return "" }
                    return "\(decimal(percent, 0))\(percent < 100 ? " " : String(paper.star))"
                }
            }
            monday = monday.advanced(by: 7)
        } while monday <= month.days.upperBound
        return text
    }

    private func line(
        _ name: String, _ week: [CalendarDay], _ margin: Int, _ width: Int, _ text: (CalendarDay) -> String
    ) -> String {
        let cells = week.map { day in
            day.calendarMonth == month ? text(day).leftPadded(to: width) : String(repeating: " ", count: width)
        }
        return (name.padded(to: margin) + cells.joined()).trimmed + "\n"
    }
}
