import Daemon
import Telemetry

/// `vitals train offer`, `exercises`, `exercise`, `equipment` and `level`: what there is to choose from.
struct TrainingPlans {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    // MARK: Offers

    func offer() throws -> ExitCode {
        // Without the command's name, there are no options.
        let isNamed = arguments.command.count > 1
        let fields = isNamed ? try offerFields() : []
        let data = try arguments.naming(Self.flags(Self.options)) {
            try Office.visit(call) { try $0.askOfTraining("offer", fields) }
        }
        guard !call.isJSON else { return try print(data.line) }
        try print(data.list("offers").map(Self.text).joined(separator: "\n"))
        for note in data.list("notes") { Output.note(note.words) }
        if let command = try data.whole("seed").map(again) { Output.note("the same again: \(command)") }
        return .ok
    }

    /// The options about plans, and those about exercises. Each field of a request is called as its option is.
    private static let options = ["kind", "minutes", "equipment", "muscles", "seed"]
    private static let filters = ["muscle", "equipment", "level", "text"]

    private static func flags(_ options: [String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: options.map { ($0, $0) })
    }

    /// The command that leads to the same plans.
    private func again(_ seed: Int) throws -> String {
        var words = ["vitals train offer"]
        for option in Self.options where option != "seed" && arguments.isGiven(option) {
            words += ["--\(option)", shellQuoted(try arguments.string(option))]
        }
        if arguments.isGiven("random") { words.append("--random") }
        return (words + ["--seed", "\(seed)"]).joined(separator: " ")
    }

    private func offerFields() throws -> [(String, JSON?)] {
        [
            ("kind", try arguments.optionalString("kind").map(JSON.string)),
            ("minutes", try number("minutes", expected: "10 to 90 minutes")),
            ("equipment", try names("equipment")), ("muscles", try names("muscles")),
            ("seed", try number("seed", expected: "the seed of an earlier offer, a whole number")),
            ("random", try arguments.flag("random") ? true : nil),
        ]
    }

    private func number(_ option: String, expected: String) throws -> JSON? {
        guard let text = try arguments.optionalString(option) else { return nil }
        guard let number = Int64(text) else {
            throw arguments.refusal(of: option, "expected \(expected), found \(escaped(text))")
        }
        return .integer(number)
    }

    /// A list of names; the word `none` is an empty one.
    private func names(_ option: String) throws -> JSON? {
        guard let text = try arguments.optionalString(option) else { return nil }
        return .array(text == "none" ? [] : text.split(separator: ",").map { .string(String($0.drop { $0 == " " }).trimmed) })
    }

    /// A plan: what it is, what to do, and how to start it.
    private static func text(_ plan: JSON) -> String {
        let rows = plan.list("exercises").map { exercise in
            [
                exercise.text("part") ?? "-", exercise.text("name") ?? "-", TrainingText.sets(exercise),
                "\(exercise.whole("rest_s") ?? 0) s", exercise.list("primary").map(\.words).joined(separator: ", "),
            ]
        }
        return TrainingText.heading(plan) + "\n"
            + table(["PART", "EXERCISE", "SETS", "REST", "MUSCLES"], rows)
            + Hints.completed("vitals train start \(plan.text("plan") ?? "")") + "\n"
    }

    // MARK: Exercises

    func exercises() throws -> ExitCode {
        let filter: [(String, JSON?)] = try Self.filters.map { option in
            (option, try arguments.optionalString(option).map(JSON.string))
        }
        let exercises: [JSON] = try arguments.naming(Self.flags(Self.filters)) { try self.exercises(filter) }
        guard !call.isJSON else { return try print(exercises.map(\.line).joined()) }
        guard !exercises.isEmpty else {
            Output.note("there is no such exercise")
            return .ok
        }
        let rows = exercises.map { exercise in
            [
                exercise.text("exercise") ?? "-", exercise.text("name") ?? "-", exercise.text("level") ?? "-",
                exercise.text("equipment") ?? "-", exercise.list("primary").map(\.words).joined(separator: ", "),
            ]
        }
        return try print(table(["EXERCISE", "NAME", "LEVEL", "EQUIPMENT", "MUSCLES"], rows))
    }

    /// Those of all pages.
    private func exercises(_ filter: [(String, JSON?)]) throws -> [JSON] {
        try Office.visit(call) { office in
            var (exercises, after): ([JSON], JSON?) = ([], nil)
            repeat {
                let data = try office.askOfTraining("exercises", filter + [("after", after)])
                exercises += data.list("exercises")
                after = data["next"]
            } while after != nil
            return exercises
        }
    }

    func exercise() throws -> ExitCode {
        let id = try arguments.string("EXERCISE")
        let data = try Office.visit(call) { try $0.askOfTraining("exercise", [("exercise", .string(id))]) }
        guard !call.isJSON else { return try print(data.line) }
        let secondary = data.list("secondary").map(\.words).joined(separator: ", ")
        let facts: [(heading: String, text: String?)] = [
            ("Name", data.text("name")), ("Kind", data.text("category")), ("Level", data.text("level")),
            ("Equipment", data.text("equipment")),
            ("Works", data.list("primary").map(\.words).joined(separator: ", ")),
            ("Besides", secondary.isEmpty ? nil : secondary),
        ]
        let steps = data.list("instructions").enumerated().map { "\($0.offset + 1). \($0.element.words)\n" }
        return try print(lines(facts) + (steps.isEmpty ? "" : "\n") + steps.joined())
    }

    // MARK: What is at hand

    func equipment() throws -> ExitCode {
        let data = try said(("equipment", names("NAMES")), "NAMES")
        guard !call.isJSON else { return try print(data.line) }
        let known = data.list("known_equipment").map(\.words)
        let own = Set(data.list("equipment").map(\.words))
        let rows = known.filter { $0 != "body only" }.map { [$0, own.contains($0) ? "yes" : "no"] }
        return try print(table(["EQUIPMENT", "AT HAND"], rows))
    }

    func level() throws -> ExitCode {
        let data = try said(("level", arguments.optionalString("LEVEL").map(JSON.string)), "LEVEL")
        return try print(call.isJSON ? data.line : "\(data.text("level") ?? "-")\n")
    }

    /// What is kept, after what the command line says of it in an argument.
    private func said(_ field: (String, JSON?), _ argument: String) throws -> JSON {
        try arguments.naming([field.0: argument]) {
            try Office.visit(call) { office in
                try field.1 == nil ? office.askOfTraining("get") : office.askOfTraining("set", [field])
            }
        }
    }

    @discardableResult
    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
