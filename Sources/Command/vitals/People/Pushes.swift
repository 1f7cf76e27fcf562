import Daemon
import Telemetry

// `vitals push`: the addresses to which a person's notifications are brought. An address may hold a password, so it comes
// from a file, from standard input, or from the terminal, where it is not shown; never on the command line, which everybody
// on the machine can see.

/// Lists, adds, tries and removes addresses, and says what goes there.
struct Pushes {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    private static let push = Positional.required("ADDRESS", "its id or label", offers: Offers.pushes.rawValue)

    static let command = Command(
        name: "push", summary: "Lists where your notifications are brought, adds addresses and removes them.",
        discussion: """
            A phone gets notifications and alerts through ntfy, Matrix, Telegram, e-mail and others, if the consumer's operator \
            wants it. What goes there says only what kind of thing has happened, unless you say otherwise: vitals push details on.
            """,
        examples: [
            Example("vitals push add --label phone", "asks for an address such as ntfys://ntfy.sh/a-topic"),
            Example("vitals push test phone"),
        ],
        subcommands: [
            Command(name: "list", summary: "Lists your addresses, as far as they may be shown."),
            Command(
                name: "add", summary: "Adds an address, which has the form that Apprise gives it.",
                discussion: """
                    The address is typed at the terminal, where it is not shown, or is the first line of --address-file, or comes on \
                    standard input; never on the command line, which everybody on the machine can see: whoever knows it can \
                    write to you, and may read what is written.
                    """,
                options: [
                    .value("address-file", "FILE", "a file whose first line is the address"),
                    .value("label", "TEXT", "what you call it"),
                    .value(
                        "kind", "NAME", "only notifications of this kind, such as goal-reached (default: all)",
                        isRepeated: true),
                ],
                examples: [
                    Example("vitals push add --address-file address --label phone"),
                    Example("echo ntfys://ntfy.sh/my-topic | vitals push add"),
                ]),
            Command(
                name: "confirm", summary: "Switches an address on again, after your password was reset.",
                arguments: [push]),
            Command(name: "test", summary: "Sends a test to an address.", arguments: [push]),
            Command(
                name: "details", summary: "Says whether the text of your notifications goes to your addresses.",
                discussion: """
                    With it, readings, names and places leave the consumer, and whoever passes notifications on can read them. Without \
                    it, only what kind of thing has happened does: that is the default.
                    """,
                arguments: [.required("ON", "on or off", values: ["on", "off"])]),
            Command(
                name: "remove", summary: "Removes an address: nothing goes there any more.",
                options: [.flag("yes", short: "y", "does not ask first")], arguments: [push]),
        ], runsAlone: true)

    func list() throws -> ExitCode {
        let data = try Office.visit(call) { try $0.ask("push/list") }
        let entries = data.list("addresses")
        guard !call.isJSON else {
            try Output.write(entries.map(\.line).joined())
            return .ok
        }
        if entries.isEmpty {
            Output.note("no addresses yet: vitals push add")
        } else {
            let rows = entries.map { entry in
                [
                    entry.text("push") ?? "-", entry.text("label") ?? "-", entry.text("address") ?? "-",
                    entry.list("kinds").isEmpty ? "all" : entry["kinds"]?.words ?? "-", Self.state(entry),
                ]
            }
            try Output.write(table(["ADDRESS", "LABEL", "LEADS TO", "KINDS", "LATEST"], rows))
        }
        if entries.contains(where: { $0["enabled"] == false }) {
            Output.note("your password was reset: vitals push confirm switches an address on again")
        }
        Output.note(
            data["details"] == true
                ? "the whole text of your notifications goes there: vitals push details off"
                : "only what kind of thing has happened goes there: vitals push details on")
        return .ok
    }

    private static func state(_ entry: JSON) -> String {
        guard entry["enabled"] != false else { return "off since the password was reset" }
        var words = "-"
        if let time = entry.time("sent") { words = "sent \(time)" }
        if let time = entry.time("failed") { words = "failed \(time): \(entry.text("problem") ?? "-")" }
        guard case .integer(let waiting)? = entry["waiting"], waiting > 0 else { return words }
        return "\(words), \(waiting) waiting"
    }

    func add() throws -> ExitCode {
        _ = try Office(call)
        let (label, kinds) = (try arguments.optionalString("label"), try arguments.strings("kind"))
        let address = try Secret.text("Address: ", file: arguments.optionalString("address-file"), "address")
        let fields: [(String, JSON?)] = [
            ("address", .string(address)), ("label", label.map(JSON.string)),
            ("kinds", kinds.isEmpty ? nil : .array(kinds.map(JSON.string))),
        ]
        let data = try Office.visit(call) { try $0.ask("push/add", fields) }
        let name = escaped(label ?? data.text("push") ?? "-")
        try Output.write(
            call.isJSON
                ? data.line
                : "Notifications are brought to \(data.text("address") ?? "-")\n")
        if !call.isJSON { Output.note("to try it: vitals push test \(name)") }
        return .ok
    }

    func confirm() throws -> ExitCode {
        let data = try ask("push/confirm")
        try Output.write(
            call.isJSON ? data.line : "Notifications are brought to \(data.text("address") ?? "-") again\n")
        return .ok
    }

    func test() throws -> ExitCode {
        // Apprise may take half a minute, and others may be before us.
        let data = try ask("push/test", within: .usually(.seconds(60)))
        try Output.write(call.isJSON ? data.line : "Sent: look whether it has arrived\n")
        return .ok
    }

    func details() throws -> ExitCode {
        guard let hasDetails = onOff(try arguments.string("ON")) else {
            throw arguments.refusal(of: "ON", "expected on or off")
        }
        let data = try Office.visit(call) { try $0.ask("push/set", [("details", hasDetails)]) }
        let words =
            hasDetails == true
            ? "The text of your notifications goes to your addresses"
            : "Only what kind of thing has happened goes to your addresses"
        try Output.write(call.isJSON ? data.line : words + "\n")
        return .ok
    }

    func remove() throws -> ExitCode {
        let wanted = escaped(try arguments.string("ADDRESS"))
        guard try arguments.flag("yes") || isConfirmed("Nothing goes to \(wanted) any more. Remove it?") else {
            throw Failure(.declined, "nothing was changed")
        }
        let data = try ask("push/remove")
        try Output.write(call.isJSON ? data.line : "\(wanted) is removed\n")
        return .ok
    }

    /// Asks something about the address that the command line names.
    private func ask(_ verb: String, within limit: Office.Limit = .asTyped) throws -> JSON {
        let wanted = try arguments.string("ADDRESS")
        return try Office.visit(call) { office in
            try office.about(.push, wanted) { (id) throws(Failure) in
                try office.ask(verb, [("push", .string(id))], within: limit)
            }
        }
    }
}
