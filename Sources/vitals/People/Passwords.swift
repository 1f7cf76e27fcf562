import Daemon
import Telemetry

/// `vitals password`: another password, with the old one or with a code.
struct Passwords {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func change() throws -> ExitCode {
        _ = try Office(call)
        let current = try Secret.password("Current password: ", file: arguments.optionalString("password-file"))
        let data = try Office.visit(call) { office in
            try office.ask(
                "account/change-password", [("current", .string(current)), ("password", .string(try new()))],
                within: .seconds(30))
        }
        try Output.write(call.isJSON ? data.line : (data.text("message") ?? "The password was changed") + "\n")
        return .ok
    }

    /// Has a code sent, and takes it; or one of the two, where nobody sits at a terminal.
    func reset() throws -> ExitCode {
        let name = try AccountName(arguments.string("NAME"))
        if try !arguments.flag("code") {
            let data = try Office.visit(call, isGuest: true) { try $0.ask("request-reset", [name.field]) }
            let words = data.text("message") ?? "If there is such an account, a code is on its way"
            guard Secret.isTerminal, !call.isJSON else {
                try Output.write(call.isJSON ? data.line : words + "\n")
                return .ok
            }
            try Output.write(words + "\n")
        }
        guard let typed = Secret.isTerminal ? Secret.answer("Code: ") : readLine(), !typed.isEmpty else {
            throw Failure(.failure, "nothing was changed")
        }
        let password = try new()
        let data = try Office.visit(call, isGuest: true) {
            try $0.ask(
                "reset-password", [name.field, ("code", .string(typed)), ("password", .string(password))],
                within: .seconds(30))
        }
        try Output.write(
            call.isJSON
                ? data.line
                : (data.text("message") ?? "The password was changed, and all devices signed out: vitals sign-in")
                    + "\n")
        return .ok
    }

    private func new() throws -> String {
        try Secret.password("New password: ", file: arguments.optionalString("new-password-file"), isNew: true)
    }
}
