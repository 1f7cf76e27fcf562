import Daemon
import Files
import Fitness
import Telemetry

/// `vitals goals`: the progress of the goals of today and of this week, new targets, and something to share.
struct Goals {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func show() throws -> ExitCode {
        let (data, streaks, units) = try Office.visit(call) { office in
            (try office.ask("goals/get"), try office.ask("goals/streaks"), office.units())
        }
        return try show(data, streaks, in: units)
    }

    private func show(_ data: JSON, _ streaks: JSON? = nil, in units: Units) throws -> ExitCode {
        guard !call.isJSON else {
            var members: [JSON.Member] = []
            if case .object(let known) = data { members = known }
            if let streaks { members.append(JSON.Member("streaks", streaks)) }
            try Output.write(JSON.object(members).line)
            return .ok
        }
        let ofDay = Attribute.goals.map { attribute in
            let row = progress(of: data.goal(attribute)) { attribute.text($0, in: units) }
            let onFoot = data.goal(attribute)?["on_foot"] == true ? " on foot" : ""
            return (
                attribute.title, row.map { $0 + onFoot + Self.inARow(streaks?["days"]?.whole(attribute.member), "day") }
            )
        }
        let ofWeek = WeekGoal.allCases.map { goal in
            let row = progress(of: data["week"]?[goal.field]) { decimal($0, 0) }
            let what = goal == .days ? " days with all goals" : " min"
            return (goal.title, row.map { $0 + what + Self.inARow(streaks?["weeks"]?.whole(goal.field), "week") })
        }
        let text = lines(ofDay + ofWeek)
        try Output.write(text.isEmpty ? Hints.completed("no goals: vitals goals set --steps 10000\n") : text)
        return .ok
    }

    /// A meter, and how much of a target is reached; nil without such a goal.
    private func progress(of goal: JSON?, _ text: (Double) -> String) -> String? {
        guard let goal, let target = goal.double("target") else { return nil }
        let meter = Meter(share: (goal.percent ?? 0) / 100, isReached: goal.isReached).drawn(on: Paper())
        return "\(meter)  \(goal.double("value").map(text) ?? "-") of \(text(target))"
    }

    /// `, 3 days in a row`; nothing of a single one.
    private static func inARow(_ count: Int?, _ unit: String) -> String {
        count.map { $0 > 1 ? ", \(counted($0, unit)) in a row" : "" } ?? ""
    }

    func set() throws -> ExitCode {
        var changes = try Attribute.goals.compactMap { attribute -> (String, JSON?)? in
            guard let text = try arguments.optionalString(attribute.rawValue) else { return nil }
            guard let target = Self.target(text, attribute) else {
                throw arguments.refusal(
                    of: attribute.rawValue, "expected \(Self.expected(attribute)), or none; found \(escaped(text))")
            }
            return (attribute.member, target)
        }
        if try arguments.flag("on-foot") {
            guard changes.contains(where: { $0.0 == Attribute.distance.member && $0.1 != .null }) else {
                throw arguments.refusal(of: "on-foot", "it needs a goal, such as --distance 8km")
            }
            changes.append(("distance_on_foot", true))
        }
        for goal in WeekGoal.allCases {
            guard let text = try arguments.optionalString(goal.option) else { continue }
            let number = Int64(text).flatMap { goal.targets.contains(Double($0)) ? JSON.integer($0) : nil }
            guard let target = text.lowercased() == "none" ? .null : number else {
                throw arguments.refusal(
                    of: goal.option,
                    "expected 1 to \(decimal(goal.targets.upperBound, 0)), or none; found \(escaped(text))")
            }
            changes.append((goal.field, target))
        }
        guard !changes.isEmpty else {
            throw Failure(.usage, "nothing to set", hint: "see vitals goals set --help")
        }
        let (data, units) = try Office.visit(call) { (try $0.ask("goals/set", changes), $0.units()) }
        return try show(data, in: units)
    }

    private static func expected(_ attribute: Attribute) -> String {
        switch attribute {
        case .distance: "a distance with its unit such as 8km, 8000m or 5mi"
        case .energy: "kilocalories such as 500"
        default: "a number of steps"
        }
    }

    /// What a goal should be: a whole number of steps, metres or kilocalories; null for none; nil if the text says
    /// neither.
    static func target(_ text: String, _ attribute: Attribute) -> JSON? {
        let text = text.lowercased().filter { $0 != " " }
        guard text != "none" else { return .null }
        let units: [(String, Double)] =
            switch attribute {
            case .distance: [("km", 1000), ("mi", Units.metresPerMile), ("m", 1)]
            case .energy: [("kcal", 1)]
            default: [("steps", 1)]
            }
        let unit = units.first { text.hasSuffix($0.0) }
        // Nobody's goal is 8 metres, nor 8000 km: a bare number would be a guess.
        guard unit != nil || attribute != .distance else { return nil }
        let digits = text.dropLast(unit?.0.count ?? 0)
        guard digits.utf8.allSatisfy({ $0 == 0x2E || (0x30...0x39).contains($0) }), let number = Double(digits) else {
            return nil
        }
        let value = (number * (unit?.1 ?? 1)).rounded()
        return value >= 1 && value <= 1e9 ? .integer(Int64(value)) : nil
    }

    /// Prints what can be shared of a goal, and stores the picture.
    func share() throws -> ExitCode {
        let goal = try arguments.choice("of", of: Goal.self)
        let day = try arguments.typedDay()
        let file = try arguments.optionalString("svg")
        let data = try Office.visit(call) { office in
            try office.ask(
                "goals/share", [("day", day.map(JSON.string)), ("goal", .string(goal.rawValue))])
        }
        if let file {
            guard case .string(let picture) = data["svg"] else {
                throw Failure(.protocolError, "the consumer's reply has no picture")
            }
            do throws(VaultError) { try SmallFile.replace(file, with: Array(picture.utf8)) } catch {
                throw Failure(.inputOutput, "\(file) cannot be written: \(error.said)")
            }
        }
        guard !call.isJSON else {
            try Output.write(data.line)
            return .ok
        }
        let link = data.text("link").map { $0 + "\n" } ?? ""
        try Output.write((data.text("text") ?? "-") + "\n" + link)
        if let file { Output.note("\(file): the picture") }
        return .ok
    }

    /// The values that can have goals.
    enum Goal: String, CaseIterable {
        case steps, distance, energy
    }
}

extension WeekGoal {
    fileprivate var title: String { self == .days ? "Week: days" : "Week: activity" }
    fileprivate var option: String { "week-\(rawValue)" }
}

extension Arguments {
    /// The day that --day names, as the consumer reads it; nil if it names none.
    func typedDay() throws(UsageError) -> String? {
        guard let text = try optionalString("day") else { return nil }
        guard let day = CalendarDay(typed: text) else {
            throw refusal(of: "day", "expected a day such as 2026-11-21, found \(escaped(text))")
        }
        return "\(day)"
    }
}
