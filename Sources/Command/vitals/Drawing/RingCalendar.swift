import Fitness

/// A month as calendars show it, Monday first, with a ring for each goal beside each day. A ring closes in quarters, and
/// is full when the goal was reached.
///
///     Mon      Tue      Wed      Thu      Fri      Sat      Sun
///                                                            1 ●◑○
///      2 ◔○·    3 ●●●    …
struct RingCalendar {
    let rings: GoalRings

    /// Open, a quarter, half, three quarters, closed.
    private static let shapes: [(Character, ascii: Character)] = [
        ("○", "."), ("◔", "-"), ("◑", "+"), ("◕", "*"), ("●", "@"),
    ]

    /// The weeks, one below the other, and what the rings mean.
    func drawn(on paper: Paper) -> String {
        let goals = rings.goals
        // A day, a space, and a ring for each goal.
        let width = 3 + max(goals.count, 1)
        let heads = CalendarDay.weekdays.map { String($0.prefix(3)).padded(to: width) }
        var text = heads.joined(separator: "  ").trimmed + "\n"
        for week in rings.weeks {
            let cells = week.map { day in day.map { cell($0, goals, paper) } ?? String(repeating: " ", count: width) }
            text += cells.joined(separator: "  ").trimmed + "\n"
        }
        let shapes = Self.shapes.map { paper.glyph($0, or: $1) }
        let names = goals.map(\.rawValue).joined(separator: ", ")
        let shares = ["less than 25 %", "25 %", "50 %", "75 %", "reached"]
        let parts = ["rings: \(names)"] + zip(shapes, shares).map { "\($0) \($1)" }
        return text + paper.wrapped(parts)
    }

    private func cell(_ day: CalendarDay, _ goals: [Goal], _ paper: Paper) -> String {
        let number = day.day < 10 ? " \(day.day)" : "\(day.day)"
        let drawn = goals.map { goal -> String in
            guard let ring = rings.days[day]?[goal], let quarters = ring.quarters else { return " " }
            let shape = Self.shapes[min(max(quarters, 0), 4)]
            let text = String(paper.glyph(shape.0, or: shape.ascii))
            return ring.isReached ? paper.style.green(text) : paper.style.cyan(text)
        }
        return "\(number) \(drawn.joined())"
    }
}
