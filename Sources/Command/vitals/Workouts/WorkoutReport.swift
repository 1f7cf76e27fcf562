import Daemon
import Fitness
import Telemetry

// `vitals workout report`: what the workouts of a day, a week, a month or a year came to, as sums and as bars. Days are
// the person's own, in the time zone of the profile.

/// Draws a report.
struct WorkoutReport {
    private let call: Call
    private let arguments: Arguments
    private let paper = Paper()

    private static let periods = ["day", "week", "month", "year"]

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func draw() throws -> ExitCode {
        let period = try period()
        let day = try arguments.optionalString("date").map { (text) throws(UsageError) -> JSON in
            guard let day = CalendarDay(typed: text) else {
                throw arguments.refusal(of: "date", "expected a day such as 2026-11-21, found \(escaped(text))")
            }
            return .string("\(day)")
        }
        let count = try arguments.optionalInteger("last", in: 1...366)
        let activity = try arguments.optionalString("activity")
        let fields: [(String, JSON?)] = [
            ("period", .string(period)), ("day", day), ("count", count.map { .integer(Int64($0)) }),
            ("activity", activity.map(JSON.string)),
        ]
        let (data, units) = try Office.visit(call) { office in
            (try office.askOfWorkouts("report", fields, arguments), office.units())
        }
        guard !call.isJSON else { return try print(data.line) }
        let days = ["from", "to"].compactMap { data.text($0).flatMap { CalendarDay($0) } }
        guard days.count == 2 else {
            throw Failure(.protocolError, "the consumer's reply has no days", hint: "--json shows what it has")
        }
        let title = days[0] == days[1] ? days[0].longName : days[0].through(days[1])
        let heading = paper.style.bold("Workouts, \(title)") + "\n" + sums(data["total"] ?? .null, units)
        let parts = data.list("parts")
        let drawings = Measure.allCases.map { drawing($0, parts, data, units) }.filter { !$0.isEmpty }
        return try print(([heading] + drawings).joined(separator: "\n"))
    }

    /// The one that the command line names, or a week.
    private func period() throws -> String {
        let given = try Self.periods.filter { try arguments.flag($0) }
        guard given.count < 2 else {
            throw arguments.refusal(of: given[1], "cannot be combined with --\(given[0])")
        }
        return given.first ?? "week"
    }

    /// `3 workouts, 2:10:05, 24.30 km, 31,000 steps, 1,800 kcal, 148 bpm, most 171 bpm, load 220`
    private func sums(_ total: JSON, _ units: Units) -> String {
        let count = total.whole("workouts") ?? 0
        guard count > 0 else { return "no workouts\n" }
        let text = WorkoutText(total, in: units)
        let parts = [
            counted(count, "workout"), text.duration, text.distance, text.steps.map { "\($0) steps" }, text.energy,
            text.heartRate.map { "mean \($0)" },
            text.heart?.double("max").map { "most \(Attribute.beats($0))" }, text.ascent.map { "\($0) up" },
            total.double("load").map { "load \(decimal($0, 0))" },
        ]
        return paper.wrapped(parts.compactMap { $0 })
    }

    // MARK: Bars

    /// What bars are drawn of.
    private enum Measure: String, CaseIterable {
        case distance = "distance_m"
        case duration = "duration_s"
        case energy = "energy_kcal"
        case steps
        case heartRate = "heart_rate"

        var title: String {
            switch self {
            case .distance: "Distance"
            case .duration: "Time"
            case .energy: "Energy"
            case .steps: "Steps"
            case .heartRate: "Heart rate"
            }
        }

        /// How much a part has of it: a sum, or heart rates from the lowest to the highest; nil if that is not known.
        func amount(_ part: JSON) -> Amount? {
            guard self == .heartRate else { return part.double(rawValue).map { Amount(value: $0) } }
            guard let heart = part[rawValue], let mean = heart.double("mean") else { return nil }
            let (low, high) = (heart.double("min") ?? mean, heart.double("max") ?? mean)
            return Amount(value: mean, range: min(low, mean)...max(high, mean))
        }

        func text(_ value: Double, in units: Units) -> String {
            switch self {
            case .distance: Attribute.distance.text(value, in: units)
            case .duration: WorkoutText.clock(value)
            case .energy: Attribute.energy.text(value, in: units)
            case .steps: Attribute.steps.text(value, in: units)
            case .heartRate: Attribute.heartRate.text(value, in: units)
            }
        }

        /// What the person wants to do on that day, in workouts and otherwise; nil if it is no goal.
        func goal(_ part: JSON) -> Double? { part["goals"]?.double(rawValue) }
    }

    /// A title and bars; nothing if nothing is known.
    private func drawing(_ measure: Measure, _ parts: [JSON], _ data: JSON, _ units: Units) -> String {
        guard parts.contains(where: { (measure.amount($0)?.value ?? 0) > 0 }) else { return "" }
        let goal = parts.last.flatMap(measure.goal).map { ", goal of a day \(measure.text($0, in: units))" } ?? ""
        let title = paper.style.bold(measure.title + goal) + "\n"
        if data["period"] == "month", data["by"] == "day", parts.count <= 31 {
            let columns = parts.map { part in
                Columns.Column(amount: measure.amount(part), goal: measure.goal(part))
            }
            return title + Columns(columns: columns, label: { measure.text($0, in: units) }).drawn(on: paper)
        }
        let rows = parts.map { part in
            let amount = measure.amount(part)
            return Bars.Row(
                label: Self.label(part, data), amount: amount, goal: measure.goal(part),
                notes: amount.map { [Self.note($0, measure, units)] } ?? [])
        }
        return title + Bars(rows: rows).drawn(on: paper)
    }

    /// `10.00 km`, `148 bpm (96 to 171)`
    private static func note(_ amount: Amount, _ measure: Measure, _ units: Units) -> String {
        let text = measure.text(amount.value, in: units)
        guard let range = amount.range else { return text }
        return "\(text) (\(decimal(range.lowerBound, 0)) to \(decimal(range.upperBound, 0)))"
    }

    /// What a part is called: the time and the activity of a workout; otherwise its days.
    private static func label(_ part: JSON, _ data: JSON) -> String {
        guard let first = part.text("from").flatMap({ CalendarDay($0) }) else {
            var time = "-"
            if case .integer(let started)? = part["started"] { time = String(LocalTime.timeOfDay(started).prefix(5)) }
            return "\(time) \(part.text("activity") ?? "-")"
        }
        switch data["by"] {
        case "week": return "\(first.week)"
        case "month" where data["period"] == "year": return String(CalendarDay.months[first.month - 1].prefix(3))
        case "month": return "\(first.calendarMonth)"
        case "year": return "\(first.year)"
        default: return data["period"] == "week" ? first.shortName : "\(first)"
        }
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}

// MARK: - What can be typed

extension WorkoutReport {
    static let command = Command(
        name: "report", summary: "Draws what the workouts of a day, a week, a month or a year came to.",
        discussion: """
            A day shows its workouts, a week and a month their days, and a year its months. With --last, several of them are \
            compared: eight weeks, say. A line marks the goal of a day, which is for all that you do on that day.
            """,
        options: [
            .flag("day", "one day"), .flag("week", "a week, from Monday to Sunday; the default"),
            .flag("month", "a month"), .flag("year", "a year"),
            .value("date", "DAY", "a day of it, such as 2026-11-21 (default: today)", values: CalendarDay.words),
            .value("last", "N", "that many of them, 1 to 366, up to that day"),
            .value(
                "activity", "NAME", "only running, walking, cycling, or what you called it",
                values: WorkoutCommands.activities),
        ],
        examples: [
            Example("vitals workout report"), Example("vitals workout report --month --date 2026-10-01"),
            Example("vitals workout report --week --last 8 --activity running"),
        ])
}
