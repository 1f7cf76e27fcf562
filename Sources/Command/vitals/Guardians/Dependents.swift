import Daemon
import Fitness
import Telemetry

// `vitals dependents`.

/// Lists the people whom somebody watches over, and shows where they are.
struct Dependents {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func list() throws -> ExitCode {
        let (data, units) = try Office.visit(call) { (try $0.ask("dependents/list"), $0.units()) }
        guard !call.isJSON else { return try print(data.line) }
        let dependents = data.list("dependents")
        guard !dependents.isEmpty else {
            Output.note("you watch over nobody: vitals dependents connect")
            return .ok
        }
        let chosen = data.text("chosen")
        let rows = dependents.map { Self.row($0, chosen: chosen, units) }
        return try print(table(["NAME", "DOES", "PLACE", "SEEN", "BATTERY", "ID"], rows))
    }

    private static func row(_ one: JSON, chosen: String?, _ units: Units) -> [String] {
        let id = one.text("dependent") ?? "-"
        let name = (id == chosen ? "* " : "") + (one.text("name") ?? "-")
        let position = one["position"]
        let unknown = one["location"] == true ? "not known yet" : "not allowed"
        let battery: String? = one.whole("battery_percent").map { "\($0) %" }
        return [
            name, one.text("state") ?? "-", position.map { Self.place($0, units) } ?? unknown,
            position?.time("time") ?? "-",
            battery ?? "-", id,
        ]
    }

    /// A place as maps take it, and how far off it may be.
    static func place(_ position: JSON, _ units: Units) -> String {
        guard let latitude = position.double("lat"), let longitude = position.double("lon") else { return "-" }
        let accuracy = position.double("accuracy_m").map { " ±\(units.height($0).text)" } ?? ""
        return "\(rounded(latitude)),\(rounded(longitude))\(accuracy)"
    }

    /// Degrees with five decimals, which is a metre.
    private static func rounded(_ degrees: Double) -> String { "\((degrees * 100_000).rounded() / 100_000)" }

    func connect() throws -> ExitCode {
        let whom = try arguments.string("WHOM")
        let code = try Secret.password("Their verification code: ", file: try arguments.optionalString("code-file"))
        let data = try Office.visit(call) { office in
            try office.ask("dependents/connect", [AccountName(whom).field, ("code", .string(code))])
        }
        guard !call.isJSON else { return try print(data.line) }
        let name = data.text("name") ?? data.text("dependent") ?? "-"
        _ = try print("you watch over \(name) now\n")
        Output.note("\(name) was told, and decides what you see: vitals guardians allow")
        return .ok
    }

    func choose() throws -> ExitCode {
        let wanted = try arguments.string("NAME")
        guard wanted.lowercased() != "me" else {
            let data = try Office.visit(call) { try $0.ask("dependents/choose", [("dependent", .null)]) }
            return try print(call.isJSON ? data.line : "your programs show yourself\n")
        }
        return try about("choose") { office, id, name in
            let data = try office.ask("dependents/choose", [("dependent", .string(id))])
            return call.isJSON ? data.line : "your programs show \(name)\n"
        }
    }

    func remove() throws -> ExitCode {
        let isSure = try arguments.flag("yes")
        return try about("remove") { office, id, name in
            guard isSure || isConfirmed("Stop watching over \(name)?") else {
                throw Failure(.declined, "nothing was changed")
            }
            let data = try office.ask("dependents/remove", [("dependent", .string(id))])
            return call.isJSON ? data.line : "you do not watch over \(name) any more\n"
        }
    }

    func locate() throws -> ExitCode {
        try about("locate") { office, id, name in
            let data = try office.ask("dependents/locate", [("dependent", .string(id))])
            guard !call.isJSON else { return data.line }
            let asked = data.whole("asked") ?? 0
            return asked == 0
                ? "\(name) has no phone that could be asked\n"
                : "\(counted(asked, "phone")) asked: an answer comes when the app next runs; see vitals dependents\n"
        }
    }

    func day() throws -> ExitCode {
        let day = try arguments.optionalString("DAY")
        return try about("show") { office, id, name in
            let data = try office.ask("dependents/day", [("dependent", .string(id)), ("day", day.map(JSON.string))])
            return call.isJSON ? data.line : page(data, name)
        }
    }

    private func page(_ data: JSON, _ name: String) -> String {
        let points = data.list("points").compactMap { point -> (time: Int64, place: PathDrawing.Point)? in
            guard case .array(let numbers) = point, numbers.count == 3, case .integer(let time) = numbers[0],
                let latitude = numbers[1].degrees, let longitude = numbers[2].degrees
            else { return nil }
            return (time, PathDrawing.Point(latitude: latitude, longitude: longitude))
        }
        guard let first = points.first, let last = points.last else {
            return "nothing is known of where \(name) was on \(data.text("day") ?? "that day")\n"
        }
        let paper = Paper()
        let exercise = data.whole("exercise_min").map { ", \($0) min of exercise" } ?? ""
        return paper.style.bold("\(name), \(data.text("day") ?? "")") + "\n"
            + "from \(LocalTime.brief(first.time)) to \(LocalTime.brief(last.time))\(exercise); north at the top\n"
            + PathDrawing(pieces: [points.map(\.place)]).drawn(on: paper)
    }

    private func about(_ verb: String, _ body: (Office, String, String) throws -> String) throws -> ExitCode {
        let wanted = try arguments.string("NAME")
        return try Office.visit(call) { office in
            let (id, name) = try Self.one(wanted, to: verb, office)
            return try print(body(office, id, name))
        }
    }

    /// The dependent who is meant.
    static func one(_ wanted: String, to verb: String, _ office: Office) throws(Failure) -> (id: String, name: String) {
        let known = try office.ask("dependents/list").list("dependents").compactMap { one in
            one.text("dependent").map { (id: $0, name: one.text("name") ?? $0) }
        }
        return try person(wanted, among: known, to: verb, list: "vitals dependents")
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
