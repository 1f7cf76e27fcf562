import Daemon

/// The commands about reminders.
enum ReminderCommands {
    static let all = [reminders, Calendars.command]

    /// Does what the command line asks for; nil if it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        let reminders = Reminders(call, arguments)
        return switch arguments.command {
        case ["reminders"]: try reminders.list()
        case ["reminders", "add"]: try reminders.add()
        case ["reminders", "change"]: try reminders.change()
        case ["reminders", "enable"]: try reminders.enable(true)
        case ["reminders", "disable"]: try reminders.enable(false)
        case ["reminders", "delete"]: try reminders.delete()
        default: try Calendars(call, arguments).execute()
        }
    }

    private static let yes = Option.flag("yes", short: "y", "does not ask first")
    private static let reminder = Positional.required("REMINDER", "its id or label", offers: Offers.reminders.rawValue)

    /// What adding and changing have in common.
    private static let fields: [Option] = [
        .value("at", "TIME", "the time of day where you are, such as 07:30"),
        .value("on", "DAYS", "the weekdays: monday,thursday; or all"),
        .value("alert", "ALERT", "none, or how many minutes before the time you are told, 0 for at the time"),
        .value("from", "DAY", "the first day on which it may be, such as 2026-11-30"), yes,
    ]

    private static let reminders = Command(
        name: "reminders", summary: "Lists what you are reminded of, and changes it.",
        discussion: """
            A reminder is at the same time of your day wherever you are, and is told as a notification. Without --alert it is told at \
            the time; a new one begins today.

            On a terminal, it asks before it saves or deletes. Without one, as in a script, it saves at once, and deletes only with --yes.
            """,
        examples: [
            Example("vitals reminders add 'Evening run' --at 18:30 --on monday,thursday --alert 15"),
            Example("vitals reminders disable 'Evening run'"),
        ],
        subcommands: [
            Command(
                name: "add", summary: "Adds a reminder.", options: fields,
                arguments: [.required("LABEL", "what you want to be reminded of")],
                examples: [Example("vitals reminders add Stretching --at 07:00 --on all")]),
            Command(
                name: "change", summary: "Changes what the command line names.",
                options: [.value("label", "TEXT", "another label")] + fields, arguments: [reminder],
                examples: [Example("vitals reminders change 'Evening run' --at 19:00 --alert none")]),
            Command(name: "enable", summary: "Has the alarm told again.", arguments: [reminder]),
            Command(
                name: "disable", summary: "Has the alarm not told any more; the reminder stays.", arguments: [reminder]),
            Command(name: "delete", summary: "Deletes a reminder.", options: [yes], arguments: [reminder]),
        ], runsAlone: true)
}
