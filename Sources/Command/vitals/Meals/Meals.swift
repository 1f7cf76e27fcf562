import Daemon
import Fitness
import Telemetry

/// `vitals meals`: what a person has eaten, and what they could.
struct Meals {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    // MARK: A day

    func show() throws -> ExitCode {
        let day = try self.day()
        let (data, units) = try Office.visit(call) { office in
            (try office.ask("meals/day", [("day", day)]), office.units())
        }
        guard !call.isJSON else { return try print(data.line) }
        let meals = data.list("meals")
        if meals.isEmpty {
            Output.note("no meals on \(data.text("day") ?? "that day"): vitals meals log 'Lentil soup' --energy 450")
        } else {
            let rows = meals.map { meal in
                [meal.text("meal") ?? "-", meal.time("time") ?? "-"] + NutritionText(meal).cells
                    + [NutritionText.named(meal, in: units)]
            }
            try Output.write(table(["MEAL", "TIME"] + NutritionText.headings + ["WHAT"], rows) + "\n")
        }
        return try print(Self.balance(data))
    }

    private static func balance(_ data: JSON) -> String {
        let (eaten, burned) = (NutritionText(data["total"] ?? .null), data["burned"] ?? .null)
        func energy(_ json: JSON, _ name: String) -> String? { json.double(name).map { "\(decimal($0, 0)) kcal" } }
        let balance = data.double("balance_kcal").map { "\($0 > 0 ? "+" : "")\(decimal($0, 0)) kcal" }
        return lines([
            ("eaten", eaten.text), ("at rest", energy(burned, "resting_kcal")),
            ("active", energy(burned, "active_kcal")), ("balance", balance), ("left", energy(data, "left_kcal")),
        ])
    }

    // MARK: Keeping

    func log() throws -> ExitCode {
        let (name, food) = (try arguments.optionalString("NAME"), try arguments.optionalString("food"))
        guard name == nil || food == nil else {
            throw arguments.refusal(of: "food", "a food has its own name: leave out NAME")
        }
        guard name != nil || food != nil else {
            throw Failure(.usage, "what was it? Neither NAME nor --food is there", hint: "see vitals meals log --help")
        }
        let portions = try arguments.optionalDouble("portions", in: 0.05...50).map { JSON.number($0) }
        var fields: [(String, JSON?)] = [
            ("name", name.map(JSON.string)), ("portions", portions), ("time", try moment()),
        ]
        fields.append(("grams", try NutritionText.grams(arguments)))
        fields += try NutritionText.fields(arguments, areNeeded: food == nil)
        let flags = NutritionText.flags(arguments).merging(["time": "at", "portions": "portions"]) { $1 }
        let (data, units) = try arguments.naming(flags) {
            try Office.visit(call) { office in (try log(fields, food, office), office.units()) }
        }
        return try show(data, "Logged", units)
    }

    /// - Parameter food: of the list, by its name or id; nil for something that is not on it.
    private func log(_ fields: [(String, JSON?)], _ food: String?, _ office: Office) throws(Failure) -> JSON {
        guard let food else { return try office.ask("meals/log", fields) }
        return try office.about(.food, food) { (id) throws(Failure) in
            try office.ask("meals/log", [("food", .string(id))] + fields)
        }
    }

    /// Shows what was kept, and what is odd about it.
    private func show(_ data: JSON, _ word: String, _ units: Units) throws -> ExitCode {
        if let note = data.text("note") { Output.note(note) }
        guard !call.isJSON else { return try print(data.line) }
        return try print("\(word): \(NutritionText.named(data, in: units)), \(NutritionText(data).text)\n")
    }

    func delete() throws -> ExitCode {
        let wanted = try arguments.string("MEAL")
        try Confirmation.refuseUnasked(arguments)
        try Confirmation.ask("Delete the meal \(escaped(wanted))?", arguments)
        let day = try self.day()
        let data = try Office.visit(call) { office in
            let meals = try office.ask("meals/day", [("day", day)]).list("meals")
            let known = meals.compactMap { meal in meal.text("meal").map { (id: $0, name: meal.text("name")) } }
            // One of another day is known by its id alone.
            let id = try idMeant(by: wanted, among: known, "meal") ?? wanted
            guard (try? ID(id)) != nil else { throw Self.unknown(wanted) }
            return try office.ask("meals/delete", [("meal", .string(id))])
        }
        return try print(call.isJSON ? data.line : "Deleted: \(escaped(wanted))\n")
    }

    private static func unknown(_ wanted: String) -> Failure {
        Failure(
            .notFound, "you have no meal \(escaped(wanted)) on that day",
            hint: "vitals meals --day DAY lists those of a day")
    }

    // MARK: Ideas

    func ideas() throws -> ExitCode {
        let energy = try arguments.optionalDouble("energy", in: 0...10_000).map { JSON.number($0) }
        let day = try self.day()
        let data = try Office.visit(call) { try $0.ask("meals/ideas", [("day", day), ("energy_kcal", energy)]) }
        guard !call.isJSON else { return try print(data.line) }
        if let left = data.double("left_kcal") { Output.note("\(decimal(left, 0)) kcal are left of the day") }
        let ideas = data.list("ideas").map { idea in
            "\(idea.text("name") ?? "-"): \(NutritionText(idea).text)\n    \(idea.text("text") ?? "-")\n"
        }
        return try print(ideas.joined())
    }

    // MARK: What the command line says

    private func day() throws -> JSON? {
        guard let text = try arguments.optionalString("day") else { return nil }
        guard let day = CalendarDay(typed: text) else {
            throw arguments.refusal(
                of: "day", "expected a day such as 2026-11-21, or yesterday, found \(escaped(text))")
        }
        return .string("\(day)")
    }

    private func moment() throws -> JSON? {
        guard let text = try arguments.optionalString("at") else { return nil }
        guard let moment = LocalMoment(text, now: unixMilliseconds()) else {
            throw arguments.refusal(of: "at", "expected \(LocalMoment.expected), found \(escaped(text))")
        }
        return .integer(moment.start)
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
