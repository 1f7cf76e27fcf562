import Daemon
import Fitness
import Telemetry

// `vitals areas` and `vitals alerts`: what a guardian is told of.

/// Lists, adds and removes areas and alerts.
struct Watching {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    // MARK: Lists

    func areas() throws -> ExitCode {
        let (data, names, units) = try listed("areas/list")
        guard !call.isJSON else { return try print(data.line) }
        let areas = data.list("areas").map { area -> [String] in
            let name: String = names[area.text("dependent") ?? ""] ?? "-"
            return [area.text("name") ?? "-", name, Self.shape(area, units), Self.when(area), area.text("area") ?? "-"]
        }
        let regions = data.list("regions").map { region -> [String] in
            let name: String = names[region.text("dependent") ?? ""] ?? "-"
            let radius = units.height(region.double("radius_m") ?? 0).text
            return [region.text("region") ?? "-", name, "region of the phone's, \(radius)", "not watched", "-"]
        }
        guard !areas.isEmpty || !regions.isEmpty else {
            Output.note("no areas yet: vitals areas set")
            return .ok
        }
        return try print(table(["AREA", "OF", "SHAPE", "TOLD", "ID"], areas + regions))
    }

    func alerts() throws -> ExitCode {
        let (data, names, _) = try listed("alerts/list")
        guard !call.isJSON else { return try print(data.line) }
        let rules = data.list("rules").map { rule -> [String] in
            let name: String = names[rule.text("dependent") ?? ""] ?? "-"
            let state = rule["enabled"] == false ? "off" : "on"
            return [rule.text("kind") ?? "-", name, Self.limits(rule), state, rule.text("alert") ?? "-"]
        }
        if rules.isEmpty {
            Output.note("nothing is watched but areas: vitals alerts set, vitals areas")
        } else {
            _ = try print(table(["KIND", "OF", "WHEN", "STATE", "ID"], rules))
        }
        let told = data.list("alerts").map { alert -> [String] in
            let state = alert["confirmed"] == nil ? "open" : "confirmed"
            return [alert.time("time") ?? "-", alert.text("text") ?? "-", state, alert.text("alert") ?? "-"]
        }
        return told.isEmpty ? .ok : try print(table(["TIME", "ALERT", "STATE", "ID"], told))
    }

    /// What is listed, the names of the dependents, and the units of the asker.
    private func listed(_ name: String) throws -> (JSON, [String: String], Units) {
        let wanted = try arguments.optionalString("of")
        return try Office.visit(call) { office in
            let id = try wanted.map { try Dependents.one($0, to: "list", office).id }
            let data = try office.ask(name, [("dependent", id.map(JSON.string))])
            let people = try office.ask("dependents/list").list("dependents").compactMap { one in
                one.text("dependent").map { ($0, one.text("name") ?? $0) }
            }
            return (data, Dictionary(people) { first, _ in first }, office.units())
        }
    }

    private static func shape(_ area: JSON, _ units: Units) -> String {
        let from = area.text("region").map { " from the region \($0)" } ?? ""
        if let circle = area["circle"] {
            return "circle of \(units.height(circle.double("radius_m") ?? 0).text)\(from)"
        }
        return "polygon of \(area.list("polygon").count) corners"
    }

    private static func when(_ area: JSON) -> String {
        guard area["enabled"] != false else { return "off" }
        let crossings = [("leave", "leaving"), ("enter", "entering")].filter { area[$0.0] == true }.map(\.1)
        let hours = area.text("from").map { ", \($0) to \(area.text("to") ?? "-")" } ?? ""
        let days = area.list("weekdays").compactMap {
            if case .string(let day) = $0 { String(day.prefix(3)) } else { nil }
        }
        return crossings.joined(separator: ", ") + hours + (days.isEmpty ? "" : ", " + days.joined(separator: " "))
    }

    private static func limits(_ rule: JSON) -> String {
        let parts: [String?] = [
            rule.whole("below").map { "below \($0)" }, rule.whole("above").map { "above \($0)" },
            rule.whole("minutes").map { "for \($0) min" }, rule.text("at").map { "by \($0)" },
            rule.whole("escalate_min").map { "next guardian after \($0) min" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    // MARK: Changes

    func setArea() throws -> ExitCode {
        var fields: [(String, JSON?)] = [
            ("area", try arguments.optionalString("area").map(JSON.string)),
            ("name", try arguments.optionalString("name").map(JSON.string)),
            ("region", try arguments.optionalString("region").map(JSON.string)),
            ("from", try arguments.optionalString("from").map(JSON.string)),
            ("to", try arguments.optionalString("to").map(JSON.string)),
            ("leave", try onOff("leave")), ("enter", try onOff("enter")),
        ]
        if let text = try arguments.optionalString("circle") {
            let numbers = try numbers(text, "circle", count: 3, "latitude, longitude and metres: 52.5,13.4,200")
            fields.append(
                ("circle", ["lat": .number(numbers[0]), "lon": .number(numbers[1]), "radius_m": .number(numbers[2])]))
        }
        if let text = try arguments.optionalString("polygon") {
            let corners = try text.split(separator: " ").map { corner in
                let numbers = try numbers(
                    String(corner), "polygon", count: 2, "places: '52.5,13.4 52.6,13.4 52.6,13.5'")
                return JSON.array(numbers.map(JSON.number))
            }
            fields.append(("polygon", .array(corners)))
        }
        if let text = try arguments.optionalString("weekdays") {
            fields.append(("weekdays", .array(text.lowercased().split(separator: ",").map { .string(String($0)) })))
        }
        return try set("areas/set", fields) { "the area \($0.text("name") ?? "-") is watched: \(Self.when($0))" }
    }

    func setAlert() throws -> ExitCode {
        let fields: [(String, JSON?)] = [
            ("alert", try arguments.optionalString("alert").map(JSON.string)),
            ("kind", .string(try arguments.string("KIND"))),
            ("minutes", try whole("minutes")), ("below", try whole("below")), ("above", try whole("above")),
            ("at", try arguments.optionalString("at").map(JSON.string)),
        ]
        return try set("alerts/set", fields) { "\($0.text("kind") ?? "-") is watched: \(Self.limits($0))" }
    }

    private func set(_ name: String, _ fields: [(String, JSON?)], _ text: (JSON) -> String) throws -> ExitCode {
        let wanted = try arguments.string("NAME")
        let common: [(String, JSON?)] = [("escalate_min", try whole("escalate")), ("enabled", try onOff("enabled"))]
        return try Office.visit(call) { office in
            let id = try Dependents.one(wanted, to: "watch", office).id
            let data = try office.ask(name, [("dependent", .string(id))] + fields + common)
            return try print(call.isJSON ? data.line : text(data) + "\n")
        }
    }

    func remove(_ name: String, _ field: String) throws -> ExitCode {
        let id = try arguments.string("ID")
        let data = try Office.visit(call) { try $0.ask(name, [(field, .string(id))]) }
        return try print(call.isJSON ? data.line : "removed\n")
    }

    func confirm() throws -> ExitCode {
        let id = try arguments.string("ID")
        let data = try Office.visit(call) { try $0.ask("alerts/confirm", [("alert", .string(id))]) }
        return try print(call.isJSON ? data.line : "confirmed: nobody else is told of it\n")
    }

    // MARK: The command line

    private func onOff(_ name: String) throws -> JSON? {
        guard let text = try arguments.optionalString(name) else { return nil }
        guard let value = vitals.onOff(text) else { throw arguments.refusal(of: name, "expected on or off") }
        return value
    }

    private func whole(_ name: String) throws -> JSON? {
        try arguments.optionalInteger(name, in: 0...100_000).map { .integer(Int64($0)) }
    }

    private func numbers(_ text: String, _ name: String, count: Int, _ example: String) throws -> [Double] {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
        guard numbers.count == count, numbers.allSatisfy(\.isFinite) else {
            throw arguments.refusal(of: name, "expected \(example)")
        }
        return numbers
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
