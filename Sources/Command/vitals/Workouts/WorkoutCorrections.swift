import Daemon
import Telemetry

// `vitals workout edit`, `split`, `join`, `undo` and `add`: what a person corrects about workouts that are over.

/// Corrects workouts.
struct WorkoutCorrections {
    private let call: Call
    private let arguments: Arguments

    private init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    /// Does what the command line asks for; nil if it is not about corrections.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        let corrections = WorkoutCorrections(call, arguments)
        return switch arguments.command.dropFirst() {
        case ["edit"]: try corrections.edit()
        case ["split"]: try corrections.split()
        case ["join"]: try corrections.join()
        case ["undo"]: try corrections.undo()
        case ["add"]: try corrections.add()
        default: nil
        }
    }

    private typealias Fields = [(String, JSON?)]

    private func edit() throws -> ExitCode {
        let said = try said()
        let hasTimes = try ["from", "to"].contains { try arguments.optionalString($0) != nil }
        guard hasTimes || said.contains(where: { $0.1 != nil }) else {
            throw Failure(.usage, "nothing to change", hint: "see vitals workout edit --help")
        }
        return try correct("edit", isUndone: true) { office in
            let id = try office.workout(arguments)
            var fields: Fields = [("id", .string(id))]
            fields += said
            for option in ["from", "to"] { fields.append((option, try time(option, in: id, office))) }
            return fields
        }
    }

    /// What the command line says of the workout as a whole.
    private func said() throws -> Fields {
        try ["title", "note", "activity"].map { ($0, try arguments.optionalString($0).map(JSON.string)) }
    }

    private func split() throws -> ExitCode {
        guard try arguments.optionalString("at") != nil else {
            throw arguments.missing("at", "when the second workout begins, such as 14:30")
        }
        return try correct("split", isUndone: true) { office in
            let id = try office.workout(arguments)
            return [("id", .string(id)), ("at", try time("at", in: id, office))]
        }
    }

    private func join() throws -> ExitCode {
        let ids = try arguments.strings("ID")
        guard ids.count > 1 else {
            throw arguments.refusal(of: "ID", "needs at least two: vitals workout list shows them")
        }
        return try correct("join", isUndone: true) { _ in
            [
                ("ids", .array(ids.map(JSON.string))),
                ("activity", try arguments.optionalString("activity").map(JSON.string)),
            ]
        }
    }

    private func undo() throws -> ExitCode {
        let all = try arguments.flag("all")
        return try correct("undo", isUndone: false) { office in
            [("id", .string(try office.workout(arguments))), ("all", all ? true : nil)]
        }
    }

    private func add() throws -> ExitCode {
        guard let text = try arguments.optionalString("at") else { throw arguments.missing("at", "when it began") }
        guard let start = LocalMoment(text, now: unixMilliseconds())?.start else {
            throw arguments.refusal(of: "at", "expected \(LocalMoment.expected), found \(escaped(text))")
        }
        guard let length = try amount("duration", .duration, "'45 min'") else {
            throw arguments.missing("duration", "how long it was, such as '45 min'")
        }
        let gear = try arguments.optionalString("gear").map { $0 == "none" ? .null : JSON.string($0) }
        let rate = try arguments.optionalInteger("heart-rate", in: 30...240)
        let fields: Fields = [
            ("activity", .string(try arguments.string("ACTIVITY"))), ("started", .integer(start)),
            ("duration_s", .integer(Int64(length.rounded()))),
            ("distance_m", try amount("distance", .distance, "'8.5 km'").map(Self.number)),
            ("energy_kcal", try amount("energy", .energy, "'400 kcal'").map(Self.number)),
            ("heart_rate", rate.map { .integer(Int64($0)) }), ("gear", gear),
            ("title", try arguments.optionalString("title").map(JSON.string)),
            ("note", try arguments.optionalString("note").map(JSON.string)),
        ]
        return try correct("add", isUndone: false) { _ in fields }
    }

    private static func number(_ value: Double) -> JSON { Int64(exactly: value).map(JSON.integer) ?? .number(value) }

    private func amount(_ option: String, _ kind: WorkoutGoals.Kind, _ example: String) throws -> Double? {
        guard let text = try arguments.optionalString(option) else { return nil }
        guard let amount = kind.amount(text), amount > 0, amount < 1e9 else {
            throw arguments.refusal(
                of: option, "expected a number with its unit such as \(example), found \(escaped(text))")
        }
        return amount
    }

    /// A time that an option names. One without a day is of the workout: `14:05`.
    private func time(_ option: String, in id: String, _ office: Office) throws -> JSON? {
        guard let text = try arguments.optionalString(option) else { return nil }
        var now = unixMilliseconds()
        let isOfDay = text.contains(":") && text.allSatisfy { $0.isNumber || $0 == ":" || $0 == "." }
        if isOfDay,
            case .integer(let start)? = try office.askOfWorkouts(
                "show", [("id", .string(id)), ("points", 2)], arguments)["started"]
        {
            now = start
            // It may have gone on after midnight.
            if let moment = LocalMoment(text, now: start)?.start, moment < start - 999 { now += 86_400_000 }
        }
        guard let moment = LocalMoment(text, now: now) else {
            throw arguments.refusal(of: option, "expected \(LocalMoment.expected), found \(escaped(text))")
        }
        return .integer(moment.start)
    }

    // MARK: Asking

    private static let flags = [
        "title": "title", "note": "note", "from": "from", "to": "to", "at": "at", "started": "at", "ids": "ID",
        "duration_s": "duration", "distance_m": "distance", "energy_kcal": "energy", "heart_rate": "heart-rate",
    ]

    /// Asks for a correction, and shows what came of it.
    /// - Parameter isUndone: whether it can be taken back.
    private func correct(
        _ verb: String, isUndone: Bool, _ fields: (Office) throws -> Fields
    ) throws -> ExitCode {
        let (data, units) = try Office.visit(call) { office in
            let fields = try fields(office)
            let data = try arguments.naming(Self.flags) { try office.askOfWorkouts(verb, fields, arguments) }
            return (data, office.units())
        }
        let workouts = data.list("workouts")
        guard !call.isJSON else {
            try Output.write(workouts.map(\.line).joined())
            return .ok
        }
        let rows = workouts.map { json in
            let text = WorkoutText(json, in: units)
            return [json.text("id") ?? "-", json.time("started") ?? "-", text.name ?? text.activity, text.brief]
        }
        try Output.write(table(["ID", "STARTED", "WORKOUT", "IS NOW"], rows))
        if isUndone, let id = workouts.first?.text("id") { Output.note("to take it back: vitals workout undo \(id)") }
        return .ok
    }
}

// MARK: - What can be typed

extension WorkoutCorrections {
    private static let id = Positional.required(
        "ID", "the workout's id, or latest", offers: Offers.workouts.rawValue)
    private static let title = Option.value("title", "TEXT", "what you call it, at most 64 bytes; empty for none")
    private static let note = Option.value("note", "TEXT", "what you want to remember of it; empty for none")
    private static let activity = Option.value(
        "activity", "NAME", "running, walking, cycling, or a name of your own", values: WorkoutCommands.activities)

    static let commands = [edit, split, join, undo, add]

    private static let edit = Command(
        name: "edit", summary: "Corrects a workout: its title, note, activity, start or end.",
        discussion: """
            The days, records and goals follow, as if it had been recorded that way. What was measured stays, and \
            `vitals workout undo` takes the correction back. A time without a day is of the workout.
            """,
        options: [
            title, note, activity, .value("from", "TIME", "cuts off what was before, such as 14:05"),
            .value("to", "TIME", "cuts off what was after, such as 14:50"),
        ],
        arguments: [id],
        examples: [
            Example("vitals workout edit latest --title 'Around the lake'"),
            Example("vitals workout edit latest --activity cycling --to 14:50"),
        ])

    private static let split = Command(
        name: "split", summary: "Makes two workouts of one.",
        options: [.value("at", "TIME", "when the second one begins; without a day, it is of the workout")],
        arguments: [id], examples: [Example("vitals workout split latest --at 14:30")])

    private static let join = Command(
        name: "join", summary: "Makes one workout of 2 to 10, with pauses in between.",
        discussion:
            "They must not overlap, and there may be six hours between two of them. The new one has the id of the earliest.",
        options: [activity],
        arguments: [.repeated("ID", "the ids: vitals workout list")],
        examples: [Example("vitals workout join u6vr23m7xubqvlmd xwiwtdp6gvsfzky2")])

    private static let undo = Command(
        name: "undo", summary: "Takes back the latest correction of a workout.",
        options: [.flag("all", "takes back all corrections: the workout becomes what it was at first")],
        arguments: [id], examples: [Example("vitals workout undo latest"), Example("vitals workout undo latest --all")])

    private static let add = Command(
        name: "add", summary: "Adds a workout that nothing has recorded.",
        discussion: "It counts with what you say, and has no best times.",
        options: [
            .value("at", "TIME", "when it began, such as 'yesterday 18:00'"),
            .value("duration", "LENGTH", "how long it was, such as '45 min'"),
            .value("distance", "LENGTH", "how far it was, such as '8.5 km'"),
            .value("energy", "ENERGY", "what it took beyond rest, such as '400 kcal'"),
            .value("heart-rate", "BPM", "the mean heart rate, 30 to 240"), title, note,
            .value(
                "gear", "NAME", "what it was done with, or none (default: what is used for the activity)",
                offers: Offers.gear.rawValue),
        ],
        arguments: [
            .required(
                "ACTIVITY", "running, walking, cycling, or a name of your own", values: WorkoutCommands.activities)
        ],
        examples: [Example("vitals workout add running --at 'yesterday 18:00' --duration '45 min' --distance '8.5 km'")]
    )
}
