import Daemon
import Fitness
import Telemetry

/// `vitals train week`, `day`, `choose` and `unchoose`: what a person has chosen and done.
struct TrainingWeeks {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func week() throws -> ExitCode {
        let day = try wantedDay()
        let data = try Office.visit(call) { try $0.askOfTraining("week", [("day", day)]) }
        let (first, last, today) = (data.day("from"), data.day("to"), CalendarDay.today)
        var isThisWeek = day == nil
        if let first, let last, let today, first <= last { isThisWeek = isThisWeek || (first...last).contains(today) }
        return try show(data, isThisWeek: isThisWeek)
    }

    func choose() throws -> ExitCode {
        let plan = try arguments.string("PLAN")
        return try show(Office.visit(call) { try $0.askOfTraining("choose", [("plan", .string(plan))]) })
    }

    func unchoose() throws -> ExitCode {
        let wanted = try arguments.string("CHOICE")
        let data = try Office.visit(call) { office in
            try office.askOfTraining("unchoose", [("choice", .string(office.choice(wanted) ?? wanted))])
        }
        return try show(data)
    }

    func day() throws -> ExitCode {
        let wanted = try wantedDay()
        let data = try Office.visit(call) { try $0.askOfTraining("day", [("day", wanted)]) }
        guard !call.isJSON else { return try print(data.line) }
        let progress: [String] = Goal.allCases.compactMap { goal in
            data["progress"]?.double(goal.field).map { "\(goal.rawValue) \(decimal($0, 0)) %" }
        }
        let index = data.double("bmi").map { "\(decimal($0, 1))" + (data.text("bmi_class").map { ", \($0)" } ?? "") }
        let facts: [(heading: String, text: String?)] = [
            ("Day", data.text("day")), ("Workouts", data.whole("workouts").map { "\($0)" }),
            ("Time", data.whole("duration_s").map(TrainingText.minutes)),
            ("Energy", data.double("energy_kcal").map { "\(decimal($0, 0)) kcal" }),
            ("Muscles", Self.muscles(data)), ("Goals", progress.isEmpty ? nil : progress.joined(separator: ", ")),
            ("Body mass index", index), ("Picture", data["picture"] == true ? "yes" : "no"),
        ]
        return try print(lines(facts))
    }

    /// The day that the command line names; nil for the consumer's today.
    private func wantedDay() throws -> JSON? {
        guard let text = try arguments.optionalString("DAY"), text != CalendarDay.words[0] else { return nil }
        guard let day = CalendarDay(typed: text) else {
            throw arguments.refusal(of: "DAY", "expected a day such as 2026-11-21, or yesterday, found \(escaped(text))")
        }
        return .string("\(day)")
    }

    private func show(_ data: JSON, isThisWeek: Bool = true) throws -> ExitCode {
        guard !call.isJSON else { return try print(data.line) }
        let chosen = data.list("chosen").map { choice in
            [
                choice.text("choice") ?? "-", choice.text("title") ?? "-",
                choice.whole("duration_s").map(TrainingText.minutes) ?? "-", choice["done"] == nil ? "no" : "yes",
            ]
        }
        let last = data["last"].flatMap { last in
            last.time("time").map { "\($0): \(last.text("title") ?? "-")" }
        }
        let facts: [(heading: String, text: String?)] = [
            ("Week", "\(data.text("from") ?? "-") to \(data.text("to") ?? "-")"),
            ("Workouts", data.whole("workouts").map { "\($0)" }),
            ("Time", data.whole("duration_s").map(TrainingText.minutes)),
            ("Exercises", data.whole("exercises").map { "\($0)" }), ("Muscles", Self.muscles(data)),
            ("Last", last),
        ]
        try print(lines(facts))
        guard !chosen.isEmpty else {
            // Plans are chosen for this week only.
            Output.note(
                isThisWeek
                    ? "nothing is chosen for this week: vitals train, then vitals train choose PLAN"
                    : "nothing was chosen for that week")
            return .ok
        }
        return try print("\n" + table(["CHOICE", "TITLE", "TIME", "DONE"], chosen))
    }

    /// `chest 6, lats 3`, by sets; nil if none was worked.
    private static func muscles(_ data: JSON) -> String? {
        let worked = data.list("muscles").map { "\($0.text("muscle") ?? "-") \($0.whole("sets") ?? 0)" }
        return worked.isEmpty ? nil : worked.joined(separator: ", ")
    }

    @discardableResult
    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}

extension JSON {
    /// A member that is a day; nil if it is none.
    fileprivate func day(_ name: String) -> CalendarDay? { text(name).flatMap { CalendarDay($0) } }
}

extension Office {
    /// The id of the choice of this week that a person means by its id or its title; nil if there is none.
    func choice(_ wanted: String) throws(Failure) -> String? {
        let known = try askOfTraining("week").list("chosen").compactMap { choice -> (id: String, name: String?)? in
            guard case .string(let id)? = choice["choice"], case .string(let title)? = choice["title"] else { return nil }
            return (id, title)
        }
        return try idMeant(by: wanted, among: known, "choice")
    }
}
