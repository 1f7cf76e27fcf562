import Daemon

/// What can be typed about one's own days.
enum DaysCommands {
    static let all = [today, week, month, year]

    /// Does what the command line asks for; nil where it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        switch arguments.command {
        case ["today"]: try Reports(call, arguments).today()
        case ["week"]: try Reports(call, arguments).week()
        case ["month"]: try Reports(call, arguments).month()
        case ["year"]: try Reports(call, arguments).year()
        default: nil
        }
    }

    private static let codes = ExitCode.allCases

    private static let of = Option.value(
        "of", "NAME", "what is drawn: steps, distance, energy, temperature or heart-rate",
        default: Attribute.steps.rawValue)

    private static let today = Command(
        name: "today", summary: "Shows your day so far.",
        discussion: "Days are those of the time zone in your profile. What cannot be known is left out.",
        examples: [Example("vitals today")], exitCodes: codes)

    private static let week = Command(
        name: "week", summary: "Draws a week, Monday to Sunday, a bar for each day.",
        discussion: """
            A line stands where the goal is, a star where it was reached. Of temperatures and heart rates the least, the mean and \
            the most are drawn.
            """,
        options: [of], arguments: [.optional("DAY", "a day of that week, such as 2026-11-21, or last for last week")],
        examples: [Example("vitals week"), Example("vitals week last --of distance")], exitCodes: codes)

    private static let month = Command(
        name: "month", summary: "Draws a month day by day, and a calendar with the percentages of your goals.",
        options: [of], arguments: [.optional("MONTH", "such as 2026-11, or last")],
        examples: [Example("vitals month"), Example("vitals month 2026-10 --of energy")], exitCodes: codes)

    private static let year = Command(
        name: "year", summary: "Draws a year, a bar for each month's average day.",
        discussion: "Behind a bar stand the mean, the total, and on how many days the goal was reached.",
        options: [of], arguments: [.optional("YEAR", "such as 2026, or last")],
        examples: [Example("vitals year"), Example("vitals year last --of heart-rate")], exitCodes: codes)
}
