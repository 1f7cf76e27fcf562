import Daemon
import Fitness
import Telemetry

/// `vitals reminders`: what a person is reminded of.
struct Reminders {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func list() throws -> ExitCode {
        let reminders = try Office.visit(call) { try $0.ask("reminders/list") }.list("reminders")
        guard !call.isJSON else { return try print(reminders.map(\.line).joined()) }
        guard !reminders.isEmpty else {
            Output.note("no reminders yet: vitals reminders add 'Evening run' --at 18:30 --on monday,thursday")
            return .ok
        }
        let rows = reminders.map { reminder in
            [
                reminder.text("reminder") ?? "-", reminder.text("label") ?? "-", reminder.text("time") ?? "-",
                Self.days(reminder), Self.alert(reminder),
                reminder.time("next") ?? (reminder["enabled"] == false ? "disabled" : "-"),
            ]
        }
        return try print(table(["REMINDER", "LABEL", "TIME", "DAYS", "ALERT", "NEXT ALERT"], rows))
    }

    /// `Mon Thu`
    private static func days(_ reminder: JSON) -> String {
        let names = reminder.list("weekdays").map(\.words)
        guard names.count < CalendarDay.weekdayNames.count else { return "every day" }
        return names.map { $0.prefix(1).uppercased() + $0.dropFirst().prefix(2) }.joined(separator: " ")
    }

    private static func alert(_ reminder: JSON) -> String {
        switch reminder.whole("alert_min") {
        case nil: "none"
        case 0?: "at the time"
        case let minutes?: "\(minutes) min before"
        }
    }

    func add() throws -> ExitCode {
        let label = try arguments.string("LABEL")
        let fields = [("label", JSON.string(label))] + (try self.fields())
        try Confirmation.ask("Save the reminder \(escaped(label))?", arguments)
        return try show(Office.visit(call) { try $0.ask("reminders/add", fields) })
    }

    func change() throws -> ExitCode {
        let label = try arguments.optionalString("label").map(JSON.string)
        let fields = [("label", label)] + (try self.fields())
        guard fields.contains(where: { $0.1 != nil }) else {
            throw Failure(.usage, "nothing to change", hint: "see vitals reminders change --help")
        }
        try Confirmation.ask("Save the reminder \(escaped(try arguments.string("REMINDER")))?", arguments)
        return try ask("change", fields)
    }

    func enable(_ isEnabled: Bool) throws -> ExitCode { try ask("change", [("enabled", .bool(isEnabled))]) }

    func delete() throws -> ExitCode {
        try Confirmation.refuseUnasked(arguments)
        try Confirmation.ask("Delete the reminder \(escaped(try arguments.string("REMINDER")))?", arguments)
        return try ask("delete", [])
    }

    /// Asks something about the reminder that the command line names.
    private func ask(_ verb: String, _ fields: [(String, JSON?)]) throws -> ExitCode {
        let wanted = try arguments.string("REMINDER")
        let data = try Office.visit(call) { office in
            try office.about(.reminder, wanted) { (id) throws(Failure) in
                try office.ask("reminders/\(verb)", [("reminder", .string(id))] + fields)
            }
        }
        return try show(data)
    }

    private func show(_ data: JSON) throws -> ExitCode {
        try print(call.isJSON ? data.line : "\(data.text("message") ?? "-")\n")
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }

    // MARK: What the command line says of a reminder. The consumer says what is wrong with it.

    private func fields() throws -> [(String, JSON?)] {
        [
            ("time", try arguments.optionalString("at").map(JSON.string)), ("weekdays", try weekdays()),
            ("alert_min", try alert()), ("first_day", try arguments.optionalString("from").map(JSON.string)),
        ]
    }

    private func weekdays() throws -> JSON? {
        guard let text = try arguments.optionalString("on") else { return nil }
        guard text != "all" else { return .array(CalendarDay.weekdayNames.map(JSON.string)) }
        return .array(text.split(separator: ",").map { .string(String($0)) })
    }

    private func alert() throws -> JSON? {
        guard let text = try arguments.optionalString("alert") else { return nil }
        return text == "none" ? .null : Int64(text).map(JSON.integer) ?? .string(text)
    }
}
