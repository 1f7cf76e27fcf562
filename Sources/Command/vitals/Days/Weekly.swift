import Daemon
import Telemetry

/// `vitals weekly`: summaries of each week, for people who want them.
struct Weekly {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func execute() throws -> ExitCode {
        let isWanted = try arguments.optionalString("ON").map { $0 == "on" }
        let data = try Office.visit(call) { office in
            guard let isWanted else { return try office.ask("weekly/get") }
            return try office.ask("weekly/set", [("wanted", .bool(isWanted))])
        }
        guard !call.isJSON else {
            try Output.write(data.line)
            return .ok
        }
        let next = data.time("next").map { ": next \($0)" } ?? ""
        try Output.write(
            data["wanted"] == true ? "You get a summary of each week\(next)\n" : "You get no summaries of your weeks\n")
        return .ok
    }
}
