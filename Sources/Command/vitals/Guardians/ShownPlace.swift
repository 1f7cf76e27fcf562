import Daemon
import Fitness
import Telemetry

// `vitals place`.

/// Shows where somebody was last and how they move: the person themselves, or the dependent whom their programs show.
struct ShownPlace {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func show() throws -> ExitCode {
        let wanted = try arguments.optionalString("of")
        let (data, units) = try Office.visit(call) { office in
            let whom: JSON? = try wanted.map {
                $0.lowercased() == "me" ? .null : .string(try Dependents.one($0, to: "show", office).id)
            }
            return (try office.ask("place/get", [("dependent", whom)]), office.units())
        }
        guard !call.isJSON else { return try print(data.line) }
        if let name = Self.dependent(data) { Output.note("looking at \(name); back with: vitals dependents choose me") }
        let text = lines(Self.rows(data, units))
        if text.isEmpty || data["position"] == nil { Output.note(Self.why(data)) }
        return try print(text)
    }

    /// The name of the dependent in the reply; nil if the reply is about the person themselves.
    private static func dependent(_ data: JSON) -> String? {
        data.text("dependent").map { data.text("name") ?? $0 }
    }

    private static func rows(_ data: JSON, _ units: Units) -> [(heading: String, text: String?)] {
        let position = data["position"]
        let seen = position?.time("time").map { time in
            data.whole("age_s").map { "\(time), \(age($0)) ago" } ?? time
        }
        let place = position.map { Dependents.place($0, units) }
        let since = data.time("since").map { " since \($0)" } ?? ""
        return [
            ("Seen", seen), ("Place", place), ("Area", data.text("area")),
            ("Does", data.text("state").map { $0 + since }),
            ("Exercise", data.whole("exercise_min").map { "\($0) min today" }),
        ]
    }

    /// `2 min`
    private static func age(_ seconds: Int) -> String {
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min" }
        return seconds < 86_400 ? "\(seconds / 3600) h" : counted(seconds / 86_400, "day")
    }

    /// Why no position is there.
    private static func why(_ data: JSON) -> String {
        if let name = dependent(data) {
            let hidden = data.list("not_shown").map(\.words).joined(separator: " and ")
            let isHidden = hidden.contains("location")
            return isHidden ? "\(name) does not show you: \(hidden)" : "no position of \(name) is known"
        }
        guard data["recorded"] == true else {
            return "Location Services Disabled: vitals consent --record-location on, and then: vitals phone add"
        }
        return "no position of yours is known: a phone or a receiver tells where you are (vitals phone)"
    }

    func publish() throws -> ExitCode {
        let word = try arguments.string("ON")
        guard ["on", "off"].contains(word) else {
            throw arguments.refusal(of: "ON", "expected on or off, found \(escaped(word))")
        }
        let data = try Office.visit(call) { try $0.ask("place/publish", [("published", .bool(word == "on"))]) }
        guard !call.isJSON else { return try print(data.line) }
        return try print(word == "on" ? "your place is on your topic place\n" : "your place is on no topic of yours\n")
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
