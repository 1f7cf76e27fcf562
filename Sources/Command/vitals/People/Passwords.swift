import Daemon
import Telemetry

/// `vitals password`: sets a new password, with the old one or with a code.
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
                within: .usually(.seconds(30)))
        }
        try Output.write(call.isJSON ? data.line : (data.text("message") ?? "The password was changed") + "\n")
        return .ok
    }

    /// What the command line says about keeping what belongs to the account.
    private var keep: JSON? {
        get throws {
            let (keeps, discards) = (try arguments.flag("keep"), try arguments.flag("discard"))
            guard !keeps || !discards else { throw arguments.refusal(of: "discard", "cannot be combined with --keep") }
            return keeps ? true : discards ? false : nil
        }
    }

    /// Shows what belongs to an account that nobody has proved to be theirs, and asks whether to keep it. Neither
    /// answer may be a mistake: deleted readings do not come back, nor can a stranger unsee what was kept.
    private func isKept(_ data: JSON) throws(Failure) -> Bool {
        let hanging = data["hanging"] ?? [:]
        if call.isJSON {
            try Output.write(data.line)
        } else {
            Output.note("nothing has been changed yet; these belong to the account:")
            for line in Self.lines(of: hanging) { Output.note("  \(line)") }
            Output.note("if somebody else signed up with your address, all of this is theirs")
        }
        while Secret.isTerminal, !call.isJSON {
            guard let answer = Secret.answer("Keep all of it, or delete all of it for good? [keep/delete] ") else {
                break
            }
            switch answer.lowercased() {
            case "k", "keep": return true
            case "d", "delete": return false
            default: continue
            }
        }
        throw Failure(
            .usage, "nothing was changed: say whether to keep what belongs to the account",
            hint: "the code is still valid; use it with --code, and with --keep or --discard")
    }

    /// What belongs to an account, as people read it.
    private static func lines(of hanging: JSON) -> [String] {
        guard case .object(let members) = hanging else { return [] }
        return members.compactMap { member in
            let heading = escaped(member.name).replacing("-", with: " ")
            switch member.name {
            case "competing": return "groups in which it competes: \(member.value.words)"
            case "consent": return "shown to others: \(member.value.words)"
            case "from", "to": return hanging.time(member.name).map { "\(heading): \($0)" }
            default: return "\(heading): \(member.value.words)"
            }
        }
    }

    /// Asks for a code to be sent, and reads it; or does only one of the two, if nobody is at a terminal.
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
            throw Failure(.declined, "nothing was changed")
        }
        let password = try new()
        let fields = [name.field, ("code", .string(typed)), ("password", .string(password))]
        let data = try Office.visit(call, isGuest: true) { office in
            let data = try office.ask("reset-password", fields + [("keep", keep)], within: .usually(.seconds(300)))
            guard data["changed"] == false else { return data }
            let isKept = try isKept(data)
            return try office.ask("reset-password", fields + [("keep", .bool(isKept))], within: .usually(.seconds(300)))
        }
        try Output.write(
            call.isJSON
                ? data.line
                : (data.text("message") ?? "The password was changed, and all devices were signed out: vitals sign-in")
                    + "\n")
        return .ok
    }

    private func new() throws -> String {
        try Secret.password("New password: ", file: arguments.optionalString("new-password-file"), isNew: true)
    }
}
