import Daemon
import Telemetry

/// `vitals calendar`: the calendar with which a person's reminders are kept in step.
struct Calendars {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    static let command = Command(
        name: "calendar", summary: "Keeps your reminders in step with a calendar of your own.",
        discussion: """
            Your reminders are events of the calendar "Fitness Calendar" on a server that speaks CalDAV, such as Nextcloud, iCloud or \
            Fastmail, and what you change there is changed here. Without one, export prints a file that any calendar can read.
            """,
        examples: [
            Example("vitals calendar connect https://cloud.example.org --user ada"),
            Example("vitals calendar export > reminders.ics"),
        ],
        subcommands: [
            Command(name: "show", summary: "Shows the calendar, and whether it is in step."),
            Command(
                name: "connect", summary: "Connects a calendar server: a calendar is made there.",
                discussion: """
                    The password is one that you make at the server for this alone (an app password), not the one that you sign in with. \
                    It is typed at the terminal, where it is not shown, or is the first line of --app-password-file, or comes on \
                    standard input; never on the command line, which everybody on the machine can see. To give another password, connect \
                    the same server again.
                    """,
                options: [
                    .value("user", "NAME", "your name at the server"),
                    .value("app-password-file", "FILE", "a file whose first line is the password"),
                ],
                arguments: [.required("ADDRESS", "the server's, such as https://cloud.example.org")],
                examples: [Example("vitals calendar connect https://caldav.fastmail.com --user ada@example.org")]),
            Command(name: "sync", summary: "Looks at the calendar now, instead of within a quarter of an hour."),
            Command(
                name: "disconnect", summary: "Keeps the calendar in step no longer. Your reminders stay.",
                options: [
                    .flag("delete", "deletes the calendar at its server, with everything in it"),
                    .flag("yes", short: "y", "does not ask first"),
                ]),
            Command(
                name: "export", summary: "Prints your reminders as a calendar file (.ics).",
                examples: [Example("vitals calendar export > reminders.ics")]),
        ], runsAlone: true)

    /// Does what the command line asks for; nil if it is none of these.
    func execute() throws -> ExitCode? {
        switch arguments.command {
        case ["calendar"], ["calendar", "show"]: try show(Office.visit(call) { try $0.ask("calendar/show") })
        case ["calendar", "connect"]: try connect()
        case ["calendar", "sync"]:
            try show(Office.visit(call) { try $0.ask("calendar/sync", within: .usually(.seconds(60))) })
        case ["calendar", "disconnect"]: try disconnect()
        case ["calendar", "export"]: try export()
        default: nil
        }
    }

    private func connect() throws -> ExitCode {
        let address = try arguments.string("ADDRESS")
        guard let user = try arguments.optionalString("user") else {
            throw Failure(.usage, "--user is missing: your name at the server")
        }
        _ = try Office(call)
        let password = try Secret.text(
            "App password: ", file: arguments.optionalString("app-password-file"), "app-password")
        let fields: [(String, JSON?)] = [
            ("address", .string(address)), ("user", .string(user)), ("password", .string(password)),
        ]
        return try show(Office.visit(call) { try $0.ask("calendar/connect", fields, within: .usually(.seconds(60))) })
    }

    private func disconnect() throws -> ExitCode {
        let deletes = try arguments.flag("delete")
        if deletes {
            try Confirmation.refuseUnasked(arguments)
            try Confirmation.ask("Delete the calendar at its server, with everything in it?", arguments)
        }
        let data = try Office.visit(call) {
            try $0.ask("calendar/disconnect", [("delete", deletes ? true : nil)], within: .usually(.seconds(60)))
        }
        return try print(call.isJSON ? data.line : "\(data.text("message") ?? "-")\n")
    }

    private func export() throws -> ExitCode {
        let data = try Office.visit(call) { try $0.ask("calendar/export") }
        guard !call.isJSON else { return try print(data.line) }
        guard case .string(let text)? = data["calendar"] else {
            throw Failure(.data, "there is no calendar in the reply")
        }
        return try print(text)
    }

    // MARK: What is shown

    private func show(_ data: JSON) throws -> ExitCode {
        guard !call.isJSON else { return try print(data.line) }
        guard data["connected"] == true else {
            Output.note("no calendar is connected: vitals calendar connect https://cloud.example.org --user ada")
            return .ok
        }
        var rows = [
            ["server", data.text("address") ?? "-"], ["user", data.text("user") ?? "-"],
            ["reminders", "\(data.whole("reminders") ?? 0) in both"],
            ["in step", data.time("in_step") ?? "not yet"],
        ]
        if let problem = data.text("problem") { rows.append(["problem", problem]) }
        if let refused = data.whole("refused"), refused > 0 {
            rows.append(["refused", "\(refused) that the server does not take"])
        }
        for other in data.list("others") {
            rows.append(["no reminder", "\(other.whole("count") ?? 0): \(other.text("why") ?? "-")"])
        }
        try print(rows.map { "\($0[0]): \($0[1])\n" }.joined())
        if data["stopped"] == true { Output.note("connect it again: vitals calendar connect") }
        return .ok
    }

    @discardableResult
    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
