import Daemon
import Fitness
import Telemetry

/// `vitals workout list`, `stats`, `records` and `delete`: workouts that are over.
struct WorkoutLists {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    // MARK: Lists

    /// What the table shows of each workout. A list of years has half of the bytes with nothing else in it.
    private static let shown = [
        "activity", "duration_s", "distance_m", "speed_mps.mean", "speed_mps.pace", "heart_rate.mean", "energy_kcal",
        "name", "counts",
    ]

    func list() throws -> ExitCode {
        let filter = try filter()
        let limit = try arguments.integer("limit", in: 1...10_000)
        let fields = call.isJSON ? nil : Self.shown
        let (found, units) = try Office.visit(call) { office in
            (try list(office, filter, limit, fields: fields), office.units())
        }
        let (workouts, hasMore) = found
        guard !call.isJSON else { return try print(workouts.map(\.line).joined()) }
        guard !workouts.isEmpty else {
            Output.note("no workouts: vitals workout start running")
            return .ok
        }
        let hasNames = workouts.contains { $0.text("name") != nil }
        let rows = workouts.map { json -> [String] in
            let text = WorkoutText(json, in: units)
            var row = [
                json.time("started") ?? "-", text.activity + (json["counts"] == false ? " *" : ""), text.duration ?? "-", text.distance ?? "-",
                text.swiftness ?? "-", text.heartRate ?? "-", text.energy ?? "-",
            ]
            if hasNames { row.append(text.name ?? "-") }
            row.append(json.text("id") ?? "-")
            return row
        }
        let heads = ["STARTED", "ACTIVITY", "TIME", "DISTANCE", "PACE", "HEART RATE", "ENERGY"]
        _ = try print(table(heads + (hasNames ? ["TITLE"] : []) + ["ID"], rows))
        if workouts.contains(where: { $0["counts"] == false }) { Output.note("*: another recording of the same workout counts instead") }
        if hasMore { Output.note("there are more: --limit") }
        return .ok
    }

    /// The latest workouts, up to a number, in as many requests as it takes.
    /// - Parameter fields: what is wanted of each, and its id and start; everything if it is nil.
    func list(
        _ office: Office, _ filter: [(String, JSON?)], _ limit: Int, fields: [String]?
    ) throws -> (workouts: [JSON], hasMore: Bool) {
        var (found, filter): ([JSON], [(String, JSON?)]) = ([], filter)
        filter.append(("fields", fields.map { .array($0.map(JSON.string)) }))
        while true {
            let count = min(limit - found.count, 1000)
            let data = try office.askOfWorkouts("list", filter + [("limit", .integer(Int64(count)))], arguments)
            let part = data.list("workouts")
            found += part
            guard let next = data["next_to"], next != .null else { return (found, false) }
            guard !part.isEmpty, found.count < limit else { return (found, true) }
            filter = filter.filter { $0.0 != "to" } + [("to", next)]
        }
    }

    /// Which workouts the command line means.
    func filter() throws -> [(String, JSON?)] {
        let now = unixMilliseconds()
        func moment(_ option: String) throws -> LocalMoment? {
            guard let text = try arguments.optionalString(option) else { return nil }
            guard let moment = LocalMoment(text, now: now) else {
                throw arguments.refusal(of: option, "expected \(LocalMoment.expected), found \(escaped(text))")
            }
            return moment
        }
        let (from, to) = (try moment("from")?.start, try moment("to")?.end)
        if let from, let to, from >= to {
            throw arguments.refusal(
                of: "from",
                "the range is empty or reversed: it begins at \(LocalTime.full(from)) and ends at \(LocalTime.full(to))"
            )
        }
        let activity = try arguments.optionalString("activity")
        return [
            ("from", from.map(JSON.integer)), ("to", to.map(JSON.integer)), ("activity", activity.map(JSON.string)),
        ]
    }

    // MARK: Over all

    /// What is compared: the member, the title, and a value in words.
    private static func attributes(
        in units: Units
    ) -> [(member: String, title: String, text: (Double) -> String)] {
        [
            ("duration_s", "Time", WorkoutText.clock), ("distance_m", "Distance", { units.distance($0).text }),
            ("speed_mps", "Speed", { units.speed($0).text }), ("steps", "Steps", { decimal($0, 0) }),
            ("energy_kcal", "Energy", Attribute.kilocalories), ("ascent_m", "Ascent", { units.height($0).text }),
            ("heart_rate_bpm", "Heart rate", Attribute.beats), ("load", "Load", { decimal($0, 0) }),
        ]
    }

    func statistics() throws -> ExitCode {
        let filter = try filter()
        let (data, units) = try Office.visit(call) { office in
            (try office.askOfWorkouts("statistics", filter, arguments), office.units())
        }
        guard !call.isJSON else { return try print(data.line) }
        let count = data.whole("workouts") ?? 0
        guard count > 0 else {
            Output.note("no workouts: vitals workout start running")
            return .ok
        }
        let rows = Self.attributes(in: units).compactMap { attribute -> [String]? in
            guard let numbers = data[attribute.member] else { return nil }
            return [attribute.title] + ["mean", "max", "total"].map { numbers.double($0).map(attribute.text) ?? "-" }
        }
        return try print("\(counted(count, "workout"))\n" + table(["", "MEAN", "MOST", "TOTAL"], rows))
    }

    func records() throws -> ExitCode {
        let filter = try filter()
        let (data, units) = try Office.visit(call) { office in
            (try office.askOfWorkouts("records", filter, arguments), office.units())
        }
        let records = data.list("records")
        guard !call.isJSON else { return try print(records.map(\.line).joined()) }
        guard !records.isEmpty else {
            Output.note("no records yet: vitals workout start running")
            return .ok
        }
        let rows = records.map { record in
            let (title, value) = Self.record(record, in: units)
            return [
                record.text("activity") ?? "-", title, value,
                record.time("started").map { String($0.prefix(10)) } ?? "-",
                record.text("id") ?? "-",
            ]
        }
        return try print(table(["ACTIVITY", "RECORD", "VALUE", "DAY", "ID"], rows))
    }

    /// What it is a record of, and how good it is. The member's name says it: `fastest_5000_m_s`.
    private static func record(_ record: JSON, in units: Units) -> (title: String, value: String) {
        if let seconds = record.double("longest_s") { return ("longest", WorkoutText.clock(seconds)) }
        if let metres = record.double("farthest_m") { return ("farthest", units.distance(metres).text) }
        if let metres = record.double("most_ascent_m") { return ("most ascent", units.height(metres).text) }
        guard case .object(let members) = record,
            let member = members.first(where: { $0.name.hasPrefix("fastest_") && $0.name.hasSuffix("_m_s") }),
            let metres = Double(member.name.dropFirst("fastest_".count).dropLast("_m_s".count)),
            let seconds = record.double(member.name)
        else { return ("-", "-") }
        return ("fastest \(WorkoutText.race(metres))", WorkoutText.clock(seconds))
    }

    // MARK: One

    func prefer() throws -> ExitCode {
        try Office.visit(call) { office in
            let id = try office.workout(arguments)
            let data = try office.askOfWorkouts("prefer", [("id", .string(id))], arguments)
            guard !call.isJSON else { return try print(data.line) }
            let others = data.list("recordings").map(WorkoutText.recording).joined(separator: ", ")
            return try print("\(escaped(id)) counts, and no longer: \(others)\n")
        }
    }

    func delete() throws -> ExitCode {
        try Confirmation.refuseUnasked(arguments)
        return try Office.visit(call) { office in
            let id = try office.workout(arguments)
            try Confirmation.ask("Delete workout \(escaped(id)) and the heart rates of its time, for good?", arguments)
            let data = try office.askOfWorkouts("delete", [("id", .string(id))], arguments)
            guard !call.isJSON else { return try print(data.line) }
            _ = try print((data.text("message") ?? "deleted") + "\n")
            if let count = data.whole("deleted") {
                Output.note("\(grouped(count)) heart \(count == 1 ? "rate" : "rates") went with it")
            }
            return .ok
        }
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}

extension Office {
    /// The id of the workout that the command line names: an id, or `latest`.
    func workout(_ arguments: Arguments) throws -> String {
        try workout(named: arguments.optionalString("ID") ?? "latest", "ID", arguments)
    }

    /// The same of one that an argument or an option names.
    func workout(named wanted: String, _ name: String, _ arguments: Arguments) throws -> String {
        guard wanted == "latest" else {
            guard (try? ID(wanted)) != nil else {
                throw arguments.refusal(
                    of: name,
                    "expected a workout's id, or latest, found \(escaped(wanted)); vitals workout list shows them")
            }
            return wanted
        }
        let data = try askOfWorkouts("list", [("limit", 1)], arguments)
        guard case .string(let id)? = data.list("workouts").first?["id"] else {
            throw Failure(.notFound, "you have no workouts yet", hint: "vitals workout start running")
        }
        return id
    }
}
