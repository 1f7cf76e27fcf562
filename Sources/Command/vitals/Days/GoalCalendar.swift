import Daemon
import Files
import Fitness
import Pictures
import Telemetry

/// `vitals goals calendar`: how far the goals of each day of a month were reached, as rings.
struct GoalCalendar {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func draw() throws -> ExitCode {
        let output = try arguments.optionalString("output")
        guard output.map({ $0.lowercased().hasSuffix(".svg") || $0.lowercased().hasSuffix(".png") }) ?? true else {
            throw arguments.refusal(of: "output", "expected a file's name that ends with .svg or .png")
        }
        let month = try Reports.month(arguments)
        let data = try Office.visit(call) { try $0.ask("statistics/month", [("month", month.map(JSON.string))]) }
        guard let month = data.text("month").flatMap({ CalendarMonth($0) }) else {
            throw Failure(.protocolError, "the consumer's reply has no month", hint: "--json shows what it has")
        }
        guard !call.isJSON else {
            let days = data.list("days").map { day in
                JSON.object(present: ["day": day["day"], "goals": day["goals"]])
            }
            try Output.write(
                JSON.object([JSON.Member("month", .string("\(month)")), JSON.Member("days", .array(days))]).line)
            return .ok
        }
        let rings = GoalRings(month, data)
        guard !rings.goals.isEmpty else {
            try Output.write(Hints.completed("no goals: vitals goals set --steps 10000\n"))
            return .ok
        }
        if let output { return try write(rings, output) }
        let paper = Paper()
        let reached = rings.goals.map { goal in
            "\(goal.rawValue) reached on \(counted(rings.reachedDays(goal), "day"))"
        }
        try Output.write(
            paper.style.bold("Goals, \(month.days.lowerBound.monthName)") + "\n"
                + RingCalendar(rings: rings).drawn(on: paper) + paper.wrapped(reached))
        return .ok
    }
}

extension GoalCalendar {
    /// Writes the month as a picture.
    private func write(_ rings: GoalRings, _ path: String) throws -> ExitCode {
        let picture = try MonthOfRings(rings).picture(arguments.flag("dark") ? .dark : .light)
        let bytes = path.lowercased().hasSuffix(".png") ? try picture.png() : Array(picture.svg.utf8)
        do throws(VaultError) { try SmallFile.replace(path, with: bytes) } catch {
            throw Failure(.inputOutput, "\(path) cannot be written: \(error.said)")
        }
        try Output.write("\(escaped(path)): \(counted(bytes.count, "byte"))\n")
        return .ok
    }
}

extension GoalRings {
    /// The rings of a month, as `statistics/month` tells of it.
    fileprivate init(_ month: CalendarMonth, _ data: JSON) {
        var days: [CalendarDay: [Goal: Ring]] = [:]
        for json in data.list("days") {
            guard let day = json.text("day").flatMap({ CalendarDay($0) }) else { continue }
            for goal in Goal.allCases {
                guard let state = json["goals"]?[goal.field] else { continue }
                days[day, default: [:]][goal] = Ring(
                    value: state.double("value"), target: state.double("target"), isReached: state.isReached)
            }
        }
        self.init(month, days)
    }
}
