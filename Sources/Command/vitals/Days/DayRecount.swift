import Daemon
import Fitness
import Telemetry

/// `vitals days recount`: past days, counted with the profile of today.
struct DayRecount {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    /// How many days a request may name.
    private static let mostDays = 10

    func recount() throws -> ExitCode {
        let (from, given) = (try arguments.day("from"), try arguments.optionalDay("to"))
        let isSure = try arguments.flag("yes")
        guard isSure || Secret.isTerminal else {
            throw Failure(
                .usage, "what days came to before cannot be brought back, and there is no terminal to ask at",
                hint: "if you are sure, add --yes")
        }
        let (changed, last) = try Office.visit(call) { office in
            let last = try given ?? office.today()
            guard from <= last else {
                throw arguments.refusal(of: "from", "expected a day that is not after \(last), found \(from)")
            }
            guard isSure || isConfirmed("Distance and energy from \(from) to \(last) will be counted again. Do it?") else {
                throw Failure(.declined, "nothing was changed")
            }
            var (changed, first) = (0, from)
            while first <= last {
                let end = min(last, first.advanced(by: Self.mostDays - 1))
                let part = try office.askPatiently(
                    "statistics/recount", [("from", .string("\(first)")), ("to", .string("\(end)"))])
                changed += part.whole("changed") ?? 0
                first = end.advanced(by: 1)
            }
            return (changed, last)
        }
        guard !call.isJSON else {
            let json: JSON = [
                "from": .string("\(from)"), "to": .string("\(last)"), "changed": .integer(Int64(changed)),
            ]
            try Output.write(json.line)
            return .ok
        }
        try Output.write("\(counted(changed, "day")) changed, from \(from) to \(last)\n")
        return .ok
    }
}
