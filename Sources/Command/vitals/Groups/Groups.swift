import Daemon
import Fitness
import Telemetry

// `vitals groups`.

/// Groups, their members, challenges and tables.
struct Groups {
    static let measures = ["steps", "distance", "all-distance", "minutes", "workouts"]
    /// What is compared, where that is more than a word.
    private static let titles = ["distance": "distance on foot", "all-distance": "distance in all ways"]
    /// What a target can be: metres of a distance, otherwise a whole number.
    private static let targets: ClosedRange<Int64> = 1...1_000_000_000

    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func list() throws -> ExitCode {
        let (data, units) = try Office.visit(call) { (try $0.ask("groups/list"), $0.units()) }
        let groups = data.list("groups")
        guard !call.isJSON else { return try print(groups.map(\.line).joined()) }
        guard !groups.isEmpty else {
            Output.note("no groups yet: vitals groups create 'The early birds', or vitals groups join CODE")
            return .ok
        }
        let rows = groups.map { group in
            [
                group.text("name") ?? "-", group.whole("members").map { "\($0)" } ?? "-",
                group["owner"] == true ? "yes" : "no", group["competing"] == true ? "yes" : "no",
                group["challenge"].map { Self.challenge($0, units) } ?? "-", group.text("group") ?? "-",
            ]
        }
        return try print(vitals.table(["NAME", "MEMBERS", "OWNER", "COMPETING", "CHALLENGE", "ID"], rows))
    }

    /// `steps, 2026-11-21 to 2026-11-27, target 70,000`
    private static func challenge(_ challenge: JSON, _ units: Units) -> String {
        let measure = challenge.text("measure") ?? "-"
        let target = challenge.double("target").map { ", target \(value($0, of: measure, units))" } ?? ""
        return "\(titles[measure] ?? measure), \(challenge.text("from") ?? "-") to \(challenge.text("to") ?? "-")\(target)"
    }

    /// A value of a table: `8.97 km`, `12,345`, `90 min`.
    private static func value(_ value: Double, of measure: String, _ units: Units) -> String {
        switch measure {
        case "distance", "all-distance": units.ways(value, decimals: 2).text
        case "minutes": "\(decimal(value, 0)) min"
        default: decimal(value, 0)
        }
    }

    func show() throws -> ExitCode {
        let (data, units) = try about { office, id, _ in
            (try office.ask("groups/show", [("group", .string(id))]), office.units())
        }
        guard !call.isJSON else { return try print(data.line) }
        let members = data.list("people").map { member in
            [
                Self.name(member), member["competing"] == true ? "yes" : "no",
                member["owner"] == true ? "yes" : "no",
                member.time("since").map { String($0.prefix(10)) } ?? "-", member.text("member") ?? "-",
            ]
        }
        let challenges = data.list("challenges").map { Self.challenge($0, units) }
        let text =
            "\(data.text("name") ?? "-")\n\n"
            + vitals.table(["MEMBER", "COMPETING", "OWNER", "SINCE", "ID"], members)
            + (challenges.isEmpty ? "" : "\nChallenges:\n" + challenges.map { "  \($0)\n" }.joined())
        return try print(text)
    }

    private static func name(_ member: JSON) -> String {
        (member.text("name") ?? "somebody") + (member["you"] == true ? " (you)" : "")
    }

    // MARK: Making and ending

    func create() throws -> ExitCode {
        let name = try arguments.string("NAME")
        let data = try Office.visit(call) { try $0.ask("groups/create", [("name", .string(name))]) }
        guard !call.isJSON else { return try print(data.line) }
        _ = try print("\(escaped(name)) is your group now\n")
        Output.note("others join it with a code: vitals groups code \(shellQuoted(name))")
        return .ok
    }

    func code() throws -> ExitCode {
        let data = try about { office, id, _ in try office.ask("groups/code", [("group", .string(id))]) }
        guard !call.isJSON else { return try print(data.line) }
        _ = try print((data.text("code") ?? "-") + "\n")
        let end = data.time("expires").map { " until \($0)" } ?? ""
        Output.note("everybody who has it can join\(end): vitals groups join")
        return .ok
    }

    func join() throws -> ExitCode {
        let code = try arguments.string("CODE")
        let isCompeting = try arguments.flag("compete")
        let data = try Office.visit(call) { office in
            try office.ask("groups/join", [("code", .string(code)), ("compete", isCompeting ? true : nil)])
        }
        guard !call.isJSON else { return try print(data.line) }
        _ = try print("you are in \(data.text("name") ?? "-") now\n")
        let name = data.text("name") ?? "GROUP"
        Output.note(
            data["competing"] == true
                ? "the others see what you do in challenges"
                : "the others do not see what you do; to compete: vitals groups compete \(shellQuoted(name)) on")
        return .ok
    }

    func rename() throws -> ExitCode {
        let name = try arguments.string("NAME")
        return try say { office, id, old in
            (
                try office.ask("groups/rename", [("group", .string(id)), ("name", .string(name))]),
                "\(old) is called \(escaped(name)) now"
            )
        }
    }

    func leave() throws -> ExitCode {
        try Confirmation.refuseUnasked(arguments)
        return try say { office, id, name in
            try Confirmation.ask("Leave \(name)?", arguments)
            return (try office.ask("groups/leave", [("group", .string(id))]), "you are not in \(name) any more")
        }
    }

    func delete() throws -> ExitCode {
        try Confirmation.refuseUnasked(arguments)
        return try say { office, id, name in
            try Confirmation.ask("Delete \(name), for everybody in it?", arguments)
            return (try office.ask("groups/delete", [("group", .string(id))]), "\(name) is deleted")
        }
    }

    func remove() throws -> ExitCode {
        try Confirmation.refuseUnasked(arguments)
        let wanted = try arguments.string("MEMBER")
        return try say { office, id, name in
            let people = try office.ask("groups/show", [("group", .string(id))]).list("people")
            let entries = people.compactMap { entry -> (id: String, name: String)? in
                guard case .string(let member) = entry["member"], entry["you"] != true else { return nil }
                return (member, entry.text("name") ?? member)
            }
            let member = try person(
                wanted, among: entries, to: "remove", list: "vitals groups show \(shellQuoted(name))")
            try Confirmation.ask("Remove \(member.name) from \(name)?", arguments)
            let fields: [(String, JSON?)] = [("group", .string(id)), ("member", .string(member.id))]
            return (try office.ask("groups/remove", fields), "\(member.name) is not in \(name) any more")
        }
    }

    // MARK: Challenges

    func compete() throws -> ExitCode {
        guard let isOn = onOff(try arguments.string("ON")) else {
            throw arguments.refusal(of: "ON", "expected on or off")
        }
        return try say { office, id, name in
            (
                try office.ask("groups/compete", [("group", .string(id)), ("compete", isOn)]),
                isOn == true
                    ? "the others in \(name) see what you do in challenges"
                    : "the others in \(name) do not see what you do any more"
            )
        }
    }

    func challenge() throws -> ExitCode {
        let (measure, period) = (try arguments.string("MEASURE"), try arguments.string("PERIOD"))
        let text = try arguments.optionalString("target")
        return try say { office, id, name in
            let units = text == nil ? Units.metric : office.units()
            let data = try office.ask(
                "groups/challenge",
                [
                    ("group", .string(id)), ("measure", .string(measure)), ("period", .string(period)),
                    ("target", try text.map { try target($0, of: measure, units) }),
                ])
            return (data, "a challenge has begun in \(name): " + (data["challenge"].map { Self.challenge($0, units) } ?? "-"))
        }
    }

    private func target(_ text: String, of measure: String, _ units: Units) throws -> JSON {
        func refusal(_ expected: String) -> UsageError {
            arguments.refusal(of: "target", "expected \(expected), found \(escaped(text))")
        }
        let number = Double(text) ?? 0
        guard measure.hasSuffix("distance") else {
            guard let whole = Int64(exactly: number), Self.targets.contains(whole) else {
                throw refusal("a whole number from 1 to \(decimal(Double(Self.targets.upperBound), 0))")
            }
            return .integer(whole)
        }
        let ways = 0.001...(Double(Self.targets.upperBound) / units.way).rounded(.down)
        guard ways.contains(number) else {
            throw refusal("0.001 to \(decimal(ways.upperBound, 0)) \(units.wayUnit.rawValue)")
        }
        return .integer(Int64((number * units.way).rounded()))
    }

    func endChallenge() throws -> ExitCode {
        try Confirmation.refuseUnasked(arguments)
        return try say { office, id, name in
            try Confirmation.ask("End the challenge in \(name), without a result?", arguments)
            return (try office.ask("groups/end-challenge", [("group", .string(id))]), "the challenge in \(name) has ended")
        }
    }

    func table() throws -> ExitCode {
        let from = try arguments.optionalString("from")
        let (data, units) = try about { office, id, name in
            (try table(id, name, from: from, office), office.units())
        }
        guard !call.isJSON else { return try print(data.line) }
        let state =
            data["final"] == true
            ? "final" : data["over"] == true ? "over; late readings still change it" : "not over yet"
        _ = try print("\(Self.challenge(data, units)): \(state)\n")
        let measure = data.text("measure") ?? "-"
        let rows = data.list("rows").map { row in
            [
                row.whole("rank").map { "\($0)" } ?? "-", Self.name(row),
                row.double("value").map { Self.value($0, of: measure, units) } ?? "-",
            ]
        }
        guard !rows.isEmpty else {
            Output.note("nobody competes yet: vitals groups compete")
            return .ok
        }
        return try print(vitals.table(["RANK", "NAME", measure.hasSuffix("distance") ? "DISTANCE" : measure.uppercased()], rows))
    }

    /// Asks for a table. A refusal says where the challenges are.
    private func table(_ id: String, _ name: String, from: String?, _ office: Office) throws(Failure) -> JSON {
        do throws(Failure) {
            return try office.ask("groups/table", [("group", .string(id)), ("from", from.map(JSON.string))])
        } catch {
            guard error.exitCode == .notFound, error.field == "from" else { throw error }
            let group = shellQuoted(name)
            let hint =
                from == nil
                ? "its owner begins one: vitals groups challenge \(group) steps week"
                : "vitals groups show \(group) lists its challenges"
            throw Failure(error.exitCode, error.message, hint: hint, code: error.code, field: error.field)
        }
    }

    // MARK: Which group

    /// Asks something about the group that the command line names.
    private func about<Value>(_ body: (Office, _ id: String, _ name: String) throws -> Value) throws -> Value {
        let wanted = try arguments.string("GROUP")
        return try Office.visit(call) { office in
            let known = try office.ask("groups/list").list("groups").compactMap { group -> (id: String, name: String?)? in
                guard case .string(let id) = group["group"] else { return nil }
                return (id, group.text("name"))
            }
            guard let id = try idMeant(by: wanted, among: known, "group") else {
                throw Failure(
                    .notFound, "you are in no group \(escaped(wanted))", hint: "vitals groups lists yours")
            }
            return try body(office, id, known.first { $0.id == id }?.name ?? id)
        }
    }

    /// The same, and says what was done.
    private func say(_ body: (Office, _ id: String, _ name: String) throws -> (JSON, String)) throws -> ExitCode {
        let (data, text) = try about(body)
        return try print(call.isJSON ? data.line : text + "\n")
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
