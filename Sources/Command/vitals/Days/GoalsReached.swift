import Daemon
import Fitness
import Telemetry

/// `vitals goals reached`: how often each goal was reached.
struct GoalsReached {
    enum Period: String, CaseIterable {
        case day, month
    }

    /// How often, of how many days that had the goal.
    private typealias Count = (reached: Int, days: Int)

    private let call: Call
    private let arguments: Arguments
    private let paper = Paper()

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func draw() throws -> ExitCode {
        let period = try arguments.choice("by", of: Period.self)
        let (givenFrom, givenTo) = (try arguments.optionalDay("from"), try arguments.optionalDay("to"))
        let (data, span) = try Office.visit(call) { office in
            let to = try givenTo ?? office.today()
            let from =
                givenFrom ?? (period == .day ? to.calendarMonth.days : CalendarDay.days(ofYear: to.year)).lowerBound
            guard from <= to else {
                throw arguments.refusal(of: "from", "it begins at \(from), after its end at \(to); swap --from and --to")
            }
            let data = try office.ask(
                "goals/reached",
                [("from", .string("\(from)")), ("to", .string("\(to)")), ("by", .string(period.rawValue))])
            return (data, from.through(to))
        }
        guard !call.isJSON else {
            try Output.write(data.line)
            return .ok
        }
        let drawings = Attribute.goals.compactMap { goal in
            period == .day ? days(data, goal) : months(data, goal)
        }
        let title = paper.style.bold("Goals reached, \(span)") + "\n"
        try Output.write(title + (drawings.isEmpty ? "no goals on these days\n" : drawings.joined(separator: "\n")))
        return .ok
    }

    private func count(_ row: JSON, _ goal: Attribute) -> Count? {
        row.goal(goal).flatMap { count in
            guard let reached = count.whole("reached"), let days = count.whole("days") else { return nil }
            return (reached, days)
        }
    }

    private static func text(_ count: Count) -> String { "\(count.reached) of \(counted(count.days, "day"))" }

    /// The sum of some counts, in words; nil if no day had the goal.
    private static func sum(_ counts: [Count]) -> String? {
        let total: Count = counts.reduce((0, 0)) { ($0.0 + $1.reached, $0.1 + $1.days) }
        return total.days == 0 ? nil : text(total)
    }

    private func heading(_ goal: Attribute, _ counts: [Count]) -> String? {
        Self.sum(counts).map { "\(goal.title): \($0)\n" }
    }

    /// A bar for each month.
    private func months(_ data: JSON, _ goal: Attribute) -> String? {
        let rows = data.list("rows").compactMap { row in
            row.text("month").flatMap { CalendarMonth($0) }.map { (month: $0, count: count(row, goal)) }
        }
        guard let heading = heading(goal, rows.compactMap(\.count)) else { return nil }
        let bars = rows.map { month, count in
            let notes = count.map { [Self.text($0), "\(100 * $0.reached / max(1, $0.days)) %"] } ?? []
            return Bars.Row(
                label: month.shortName, amount: count.map { Amount(value: Double($0.reached)) }, goal: nil, notes: notes)
        }
        return heading + Bars(rows: bars).drawn(on: paper)
    }

    /// A line for each month, with a mark for each day.
    private func days(_ data: JSON, _ goal: Attribute) -> String? {
        let rows = data.list("rows").compactMap { row in
            row.text("day").flatMap { CalendarDay($0) }.map { (day: $0, count: count(row, goal)) }
        }
        guard let heading = heading(goal, rows.compactMap(\.count)) else { return nil }
        var lines: [(month: CalendarMonth, marks: [Character], counts: [Count])] = []
        for (day, count) in rows {
            let month = day.calendarMonth
            if lines.last?.month != month {
                lines.append((month, [Character](repeating: " ", count: month.days.upperBound.day), []))
            }
            guard let count else { continue }
            lines[lines.count - 1].marks[day.day - 1] = count.reached > 0 ? paper.star : paper.glyph("·", or: ".")
            lines[lines.count - 1].counts.append(count)
        }
        let width = lines.map(\.month.shortName.count).max() ?? 0
        return heading
            + lines.map { month, marks, counts in
                let note = Self.sum(counts).map { "  " + $0 } ?? ""
                let padded = String(marks).padded(to: 31)
                return (month.shortName.padded(to: width) + "  " + paper.style.cyan(padded) + note).trimmed + "\n"
            }.joined()
    }
}
