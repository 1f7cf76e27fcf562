import Daemon
import Telemetry

// `vitals guardians`. The consumer knows people by their ids; people know them by their names, so each command begins with the list.

/// Lists a person's guardians, and says what each may see.
struct OwnGuardians {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func list() throws -> ExitCode {
        let data = try Office.visit(call) { try $0.ask("guardians/list") }
        guard !call.isJSON else { return try print(data.line) }
        let guardians = data.list("guardians")
        if guardians.isEmpty {
            Output.note("nobody watches over you")
        } else {
            let rows = guardians.map(Self.row)
            _ = try print(table(["NAME", "SEES", "SINCE", "LOOKED", "ID"], rows))
        }
        let code = Sights.code(data) ?? "not set: vitals guardians code"
        Output.note("your verification code is \(code)")
        return .ok
    }

    private static func row(_ guardian: JSON) -> [String] {
        let seen = guardian["blocked"] == true ? "blocked" : Sights.words(guardian)
        let since: String? = guardian.time("since").map { String($0.prefix(10)) }
        return [
            guardian.text("name") ?? "-", seen, since ?? "-", Sights.looked(guardian) ?? "-",
            guardian.text("guardian") ?? "-",
        ]
    }

    func code() throws -> ExitCode {
        let isRemoved = try arguments.flag("remove")
        let file = try arguments.optionalString("code-file")
        if isRemoved, file != nil { throw arguments.refusal(of: "remove", "cannot be combined with --code-file") }
        let one = try arguments.optionalString("for")
        if isRemoved, one != nil { throw arguments.refusal(of: "remove", "cannot be combined with --for") }
        let code = isRemoved ? nil : try Secret.password("Verification code: ", file: file, isNew: true)
        var fields: [(String, JSON?)] = [("code", code.map(JSON.string) ?? .null)]
        if let one { fields.append(AccountName(one).field) }
        let data = try Office.visit(call) { try $0.ask("guardians/code", fields) }
        return try print(
            call.isJSON
                ? data.line
                : isRemoved
                    ? "nobody can connect with a code any more\n"
                    : "the code is set: tell it to the person who is to watch over you, with your phone number or e-mail address\n"
        )
    }

    func allow() throws -> ExitCode {
        var said: [(String, JSON?)] = []
        for (option, field) in Sights.all {
            guard let text = try arguments.optionalString(option) else { continue }
            guard let value = onOff(text) else { throw arguments.refusal(of: option, "expected on or off") }
            said.append((field, value))
        }
        guard !said.isEmpty else {
            throw arguments.missing("location", "it, --motion, --steps or --heart-rate has to be on or off")
        }
        return try about("allow") { office, id, name in
            let data = try office.ask("guardians/allow", [("guardian", .string(id))] + said)
            return call.isJSON ? data.line : "\(name) sees \(Sights.words(data))\n"
        }
    }

    /// Asks for something about one guardian.
    func change(_ verb: String, _ question: String? = nil, _ text: (String) -> String) throws -> ExitCode {
        let isSure = question == nil ? true : try arguments.flag("yes")
        return try about(verb) { office, id, name in
            guard isSure || isConfirmed("\(question ?? verb) \(name)?") else {
                throw Failure(.declined, "nothing was changed")
            }
            let data = try office.ask("guardians/\(verb)", [("guardian", .string(id))])
            return call.isJSON ? data.line : text(name) + "\n"
        }
    }

    private func about(_ verb: String, _ body: (Office, String, String) throws -> String) throws -> ExitCode {
        let wanted = try arguments.string(verb == "unblock" ? "ID" : "NAME")
        return try Office.visit(call) { office in
            let known = try office.ask("guardians/list").list("guardians").compactMap { guardian in
                guardian.text("guardian").map { (id: $0, name: guardian.text("name") ?? $0) }
            }
            let (id, name) = try person(wanted, among: known, to: verb, list: "vitals guardians")
            return try print(body(office, id, name))
        }
    }

    func help() throws -> ExitCode {
        let words = try arguments.strings("WORDS").joined(separator: " ")
        let data = try Office.visit(call) {
            try $0.ask("guardians/help", [("text", words.isEmpty ? nil : .string(words))])
        }
        return try print(call.isJSON ? data.line : "told: \(counted(data.whole("told") ?? 0, "guardian"))\n")
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
