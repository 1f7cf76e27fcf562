import Daemon
import Telemetry

// `vitals workout gear`: shoes and bicycles, and how far each has come.

/// Lists, adds, changes, retires and deletes gear.
struct WorkoutGear {
    /// What gear can be.
    enum Kind: String, CaseIterable {
        case shoes, bicycle, other
    }

    private let call: Call
    private let arguments: Arguments

    private init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    /// Does what the command line asks for; nil if it is not about gear.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        let gear = WorkoutGear(call, arguments)
        return switch arguments.command.dropFirst() {
        case ["gear"], ["gear", "list"]: try gear.list()
        case ["gear", "add"]: try gear.add()
        case ["gear", "change"]: try gear.change()
        case ["gear", "retire"]: try gear.change([("retired", true)])
        case ["gear", "delete"]: try gear.delete()
        default: nil
        }
    }

    // MARK: The list

    private func list() throws -> ExitCode {
        let (data, units) = try Office.visit(call) { (try $0.ask("gear/list"), $0.units()) }
        let gear = data.list("gear")
        guard !call.isJSON else { return try print(gear.map(\.line).joined()) }
        guard !gear.isEmpty else {
            Output.note("no gear yet: vitals workout gear add 'Blue shoes' --kind shoes --for running")
            return .ok
        }
        // What is no longer used comes last.
        let ordered = gear.filter { $0["retired"] != true } + gear.filter { $0["retired"] == true }
        let rows = ordered.map { piece in
            [
                piece.text("name") ?? "-", piece.text("kind") ?? "-",
                piece.double("distance_m").map { units.distance($0).text } ?? "-",
                piece.double("duration_s").map(WorkoutText.clock) ?? "-",
                piece.whole("workouts").map(grouped) ?? "-",
                piece.time("last_used").map { String($0.prefix(10)) } ?? "-", Self.use(piece),
            ]
        }
        return try print(table(["NAME", "KIND", "DISTANCE", "TIME", "WORKOUTS", "LAST USED", "USED FOR"], rows))
    }

    private static func use(_ piece: JSON) -> String {
        guard piece["retired"] != true else { return "retired" }
        let activities = piece.list("activities").map(\.words)
        return activities.isEmpty ? "-" : activities.joined(separator: ", ")
    }

    // MARK: Changes

    private func add() throws -> ExitCode {
        let kind = try arguments.choice("kind", of: Kind.self)
        let fields: [(String, JSON?)] = [
            ("name", .string(try arguments.string("NAME"))), ("kind", .string(kind.rawValue)),
            ("before_m", try before()), ("activities", try activities()),
        ]
        return try ask("add", fields, "NAME", "added")
    }

    private func change() throws -> ExitCode {
        var fields: [(String, JSON?)] = [
            ("name", try arguments.optionalString("name").map(JSON.string)),
            ("kind", try arguments.optionalChoice("kind", of: Kind.self).map { .string($0.rawValue) }),
            ("before_m", try before()), ("activities", try activities()),
        ]
        if try arguments.flag("in-use") { fields.append(("retired", false)) }
        guard fields.contains(where: { $0.1 != nil }) else {
            throw Failure(.usage, "nothing to change", hint: "see vitals workout gear change --help")
        }
        return try change(fields)
    }

    private func change(_ fields: [(String, JSON?)]) throws -> ExitCode {
        let gear = try arguments.string("GEAR")
        return try ask("change", [("gear", .string(gear))] + fields, "name", "changed")
    }

    private func delete() throws -> ExitCode {
        try Confirmation.refuseUnasked(arguments)
        let gear = try arguments.string("GEAR")
        try Confirmation.ask("Delete \(escaped(gear))? Workouts that were done with it stay.", arguments)
        return try ask("delete", [("gear", .string(gear))], "GEAR", "deleted")
    }

    private func ask(
        _ verb: String, _ fields: [(String, JSON?)], _ name: String, _ done: String
    ) throws -> ExitCode {
        let flags = ["name": name, "kind": "kind", "before_m": "before", "activities": "for"]
        let data = try Office.visit(call) { office in
            try office.ask("gear/\(verb)", fields, naming: flags, arguments, list: "vitals workout gear list")
        }
        guard !call.isJSON else { return try print(data.line) }
        let piece = data["gear"] ?? .null
        let state = piece["retired"] == true && verb == "change" ? "retired" : done
        return try print("\(state): \(piece.text("name") ?? "-")\n")
    }

    private func before() throws -> JSON? {
        guard let text = try arguments.optionalString("before") else { return nil }
        guard let metres = WorkoutGoals.Kind.distance.amount(text), metres >= 0 else {
            throw arguments.refusal(
                of: "before", "expected a distance with its unit such as '120 km', found \(escaped(text))")
        }
        return Int64(exactly: metres).map(JSON.integer) ?? .number(metres)
    }

    private func activities() throws -> JSON? {
        let given = try arguments.strings("for")
        guard !given.isEmpty else { return nil }
        return .array(given == ["none"] ? [] : given.map(JSON.string))
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}

extension Arguments {
    /// Asks for something. A refusal of a field names the flag that the person used.
    /// - Parameter flags: what the command line calls the fields.
    func naming<Value>(_ flags: [String: String], _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as Failure {
            guard let code = error.code.flatMap(ReplyError.Code.init), [.invalid, .badRequest].contains(code),
                let field = error.field, let flag = flags[field]
            else { throw error }
            let subject = "\"\(field)\" "
            let problem = error.message.hasPrefix(subject) ? error.message.dropFirst(subject.count) : error.message[...]
            throw refusal(of: flag, String(problem))
        }
    }
}

extension Office {
    /// Asks about something that has a name. A refusal names the flags that the person used.
    /// - Parameters:
    ///   - flags: what the command line calls the fields.
    ///   - list: the command that lists what there is.
    func ask(
        _ request: String, _ fields: [(String, JSON?)], naming flags: [String: String], _ arguments: Arguments,
        list: String
    ) throws -> JSON {
        do { return try arguments.naming(flags) { try ask(request, fields) } } catch let error as Failure {
            switch error.code.flatMap(ReplyError.Code.init) {
            case .notFound, .notAllowed:
                throw Failure(
                    error.exitCode, error.message, hint: error.hint ?? "\(list) shows what there is", code: error.code,
                    field: error.field)
            default: throw error
            }
        }
    }
}

// MARK: - What can be typed

extension WorkoutGear {
    private static let gear = Positional.required("GEAR", "its name or id", offers: Offers.gear.rawValue)
    private static let before = Option.value(
        "before", "LENGTH", "how far it had come when you added it, such as '120 km'")
    private static let uses = Option.value(
        "for", "ACTIVITY", "uses it for this activity unless you say otherwise",
        isRepeated: true, values: WorkoutCommands.activities)

    static let command = Command(
        name: "gear", summary: "Lists your shoes and bicycles with the distance that they have come, and changes them.",
        discussion: """
            A workout gets the gear that is used for its activity when it starts; `vitals workout set` says something else, \
            during the workout or afterwards. The distance follows from the workouts, so readings that come late count.
            """,
        examples: [
            Example("vitals workout gear add 'Blue shoes' --kind shoes --before '120 km' --for running"),
            Example("vitals workout gear retire 'Blue shoes'"),
        ],
        subcommands: [
            Command(name: "list", summary: "Lists your gear."),
            Command(
                name: "add", summary: "Adds shoes, a bicycle or something else.",
                options: [
                    .value(
                        "kind", "KIND", "shoes, bicycle or other", values: WorkoutGear.Kind.allCases.map(\.rawValue)),
                    before, uses,
                ],
                arguments: [.required("NAME", "what you call it")],
                examples: [Example("vitals workout gear add Thunder --kind bicycle --before '3200 km' --for cycling")]),
            Command(
                name: "change", summary: "Changes what the command line names.",
                options: [
                    .value("name", "TEXT", "another name"),
                    .value(
                        "kind", "KIND", "shoes, bicycle or other", values: WorkoutGear.Kind.allCases.map(\.rawValue)),
                    before,
                    .value(
                        "for", "ACTIVITY", "uses it for these activities alone, or for none",
                        isRepeated: true, values: WorkoutCommands.activities + ["none"]),
                    .flag("in-use", "uses it again after it was retired"),
                ], arguments: [gear],
                examples: [Example("vitals workout gear change Thunder --for cycling --for commuting")]),
            Command(
                name: "retire", summary: "Uses it for nothing any more; it stays in the list.", arguments: [gear]),
            Command(
                name: "delete", summary: "Deletes it from the list; workouts stay.", options: [WorkoutCommands.yes],
                arguments: [gear]),
        ], runsAlone: true)
}
