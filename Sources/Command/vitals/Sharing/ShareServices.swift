import Daemon
import Telemetry

/// Lists, adds and removes services, and lists what was shared.
struct ShareServices {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func list() throws -> ExitCode {
        let data = try Office.visit(call) { try $0.ask("share/services") }
        let services = data.list("services")
        guard !call.isJSON else {
            try Output.write(services.map(\.line).joined())
            return .ok
        }
        if services.isEmpty {
            Output.note("no services yet: vitals share add")
        } else {
            let rows = services.map { service in
                ["service", "label", "address"].map { service.text($0) ?? "-" }
            }
            try Output.write(table(["SERVICE", "LABEL", "LEADS TO"], rows))
        }
        if data["available"] == false {
            Output.note("this home posts nothing anywhere: its operator has to add sharing: {} to consumer.json5")
        }
        return .ok
    }

    func add() throws -> ExitCode {
        _ = try Office(call)
        let label = try arguments.optionalString("label")
        guard label?.allSatisfy(\.isWhitespace) != true else {
            throw arguments.refusal(of: "label", "is empty: say what you call the service, or leave it out")
        }
        let address = try Secret.text("Address: ", file: arguments.optionalString("address-file"), "address")
        let data = try Office.visit(call) { office in
            try office.ask("share/add", [("address", .string(address)), ("label", label.map(JSON.string))])
        }
        try Output.write(call.isJSON ? data.line : "You can share to \(data.text("address") ?? "-")\n")
        if !call.isJSON {
            Output.note("to try it: vitals share statistics --to \(shellQuoted(label ?? data.text("service") ?? "-"))")
        }
        return .ok
    }

    func remove() throws -> ExitCode {
        let wanted = try arguments.string("SERVICE")
        try Confirmation.refuseUnasked(arguments)
        try Confirmation.ask("Nothing is posted to \(escaped(wanted)) any more. Remove it?", arguments)
        let data = try Office.visit(call) { office in
            try office.about(.service, wanted) { (id) throws(Failure) in
                try office.ask("share/remove", [("service", .string(id))])
            }
        }
        try Output.write(call.isJSON ? data.line : "\(escaped(wanted)) is removed\n")
        return .ok
    }

    func latest() throws -> ExitCode {
        let shares = try Office.visit(call) { try $0.ask("share/list") }.list("shares")
        guard !call.isJSON else {
            try Output.write(shares.map(\.line).joined())
            return .ok
        }
        guard !shares.isEmpty else {
            Output.note("you have shared nothing yet: vitals share workout latest")
            return .ok
        }
        let rows = shares.flatMap { share in
            share.list("results").map { result in
                [
                    share.time("time") ?? "-", share.text("what") ?? "-", result.text("label") ?? "-",
                    ShareResults.words(result),
                ]
            }
        }
        try Output.write(table(["TIME", "WHAT", "SERVICE", "RESULT"], rows))
        return .ok
    }
}

/// What became of something that was shared.
struct ShareResults {
    let results: [JSON]

    /// Whether a service has not answered yet.
    var isUnderWay: Bool { results.contains { ["waiting", "going"].contains($0.text("state")) } }

    /// One line for each service.
    var lines: String {
        results.map { "\($0.text("label") ?? "-"): \(Self.words($0))\n" }.joined()
    }

    /// Success only if every service has it.
    var exitCode: ExitCode {
        if results.contains(where: { $0.text("state") == "failed" }) { return .unavailable }
        return results.allSatisfy { $0["sent"] == true } ? .ok : .temporary
    }

    static func words(_ result: JSON) -> String {
        guard result["sent"] != true else { return result["picture"] == false ? "sent, without the picture" : "sent" }
        let problem = result.text("problem")
        return switch result.text("state") {
        case "waiting", "going": "still on its way"
        case "unknown": "nobody knows: \(problem ?? "-")"
        default: problem ?? "not sent"
        }
    }
}
