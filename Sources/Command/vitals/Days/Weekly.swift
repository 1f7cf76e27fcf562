import Daemon
import Telemetry

/// `vitals weekly`: whether a person is told what each week came to.
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
            data["wanted"] == true ? "You are told of each week\(next)\n" : "You are not told of your weeks\n")
        return .ok
    }
}
