import Daemon
import Fitness

/// The commands about a person's own days.
enum DaysCommands {
    static let all = [today, day, week, month, year, years, summary, weekly, days, heartRate, goals]

    /// Does what the command line asks for; nil if it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        switch arguments.command {
        case ["today"]: try Reports(call, arguments).today()
        case ["day"]: try Reports(call, arguments).day()
        case ["week"]: try Reports(call, arguments).week()
        case ["month"]: try Reports(call, arguments).month()
        case ["year"]: try Reports(call, arguments).year()
        case ["years"]: try Reports(call, arguments).years()
        case ["summary"]: try Reports(call, arguments).summary()
        case ["weekly"]: try Weekly(call, arguments).execute()
        case ["days", "recount"]: try DayRecount(call, arguments).recount()
        case ["heart-rate"]: try HeartRates(call, arguments).graph()
        case ["heart-rate", "at"]: try HeartRates(call, arguments).at()
        case ["heart-rate", "intervals"]: try HeartRates(call, arguments).intervals()
        case ["heart-rate", "variability"]: try HeartRates(call, arguments).variability()
        case ["heart-rate", "night"]: try HeartRateNight(call, arguments).draw()
        case ["heart-rate", "delete"]: try HeartRates(call, arguments).delete()
        case ["goals"]: try Goals(call, arguments).show()
        case ["goals", "set"]: try Goals(call, arguments).set()
        case ["goals", "calendar"]: try GoalCalendar(call, arguments).draw()
        case ["goals", "reached"]: try GoalsReached(call, arguments).draw()
        case ["goals", "share"]: try Goals(call, arguments).share()
        default: nil
        }
    }

    private static let of = Option.value(
        "of", "NAME", "what is drawn: steps, distance, energy, temperature or heart-rate",
        default: Attribute.steps.rawValue, values: Attribute.allCases.map(\.rawValue))

    private static let average = Option.flag("average", "draws average days instead of totals")

    private static let afterBars =
        "After each bar come the mean, the total, and the number of days on which the goal was reached."

    private static let today = Command(
        name: "today", summary: "Shows your day so far.",
        discussion: "Days are those of the time zone in your profile. What cannot be known is left out.",
        examples: [Example("vitals today")])

    private static let day = Command(
        name: "day", summary: "Shows any of your days, as `today` shows this one.",
        arguments: [.required("DATE", "such as 2026-11-21, or yesterday", values: CalendarDay.words)],
        examples: [Example("vitals day yesterday"), Example("vitals day 2026-11-21")])

    private static let week = Command(
        name: "week", summary: "Draws a week, from Monday to Sunday, with a bar for each day.",
        discussion: """
            A line marks the goal, and a star the days on which it was reached. Of temperatures and heart rates, the lowest, \
            mean and highest values are drawn.
            """,
        options: [of],
        arguments: [
            .optional(
                "DAY", "a day of that week, such as 2026-11-21, or last for last week",
                values: ["last"] + CalendarDay.words)
        ],
        examples: [Example("vitals week"), Example("vitals week last --of distance")])

    private static let month = Command(
        name: "month", summary: "Draws a month day by day, and a calendar with the percentages of your goals.",
        options: [of], arguments: [.optional("MONTH", "such as 2026-11, or last", values: ["last"])],
        examples: [Example("vitals month"), Example("vitals month 2026-10 --of energy")])

    private static let year = Command(
        name: "year", summary: "Draws a year, with a bar for each month.",
        discussion: afterBars, options: [of, average], arguments: [.optional("YEAR", "such as 2026, or last", values: ["last"])],
        examples: [
            Example("vitals year"), Example("vitals year last --of heart-rate"), Example("vitals year --average"),
        ])

    private static let years = Command(
        name: "years", summary: "Draws all your years, with a bar for each.",
        discussion: afterBars, options: [of, average],
        examples: [Example("vitals years"), Example("vitals years --of distance --average")])

    private static let summary = Command(
        name: "summary", summary: "Sums up any days, and how often your goals were reached on them.",
        discussion: "It shows totals, averages, and the lowest and highest values. Days without readings do not count.",
        options: [
            .value("from", "DAY", "the first day, such as 2026-11-01"),
            .value("to", "DAY", "the last day, such as 2026-11-21, or yesterday"),
        ],
        examples: [Example("vitals summary --from 2026-11-01 --to yesterday")])

    private static let weekly = Command(
        name: "weekly", summary: "Sends you a summary of each week on Monday at eight, if you want that.",
        discussion: """
            It comes as a notification, and to the addresses of `vitals push`, by mail too. Without ON, it says whether you get one. A week \
            without any reading has none.
            """,
        arguments: [.optional("ON", "on or off", values: ["on", "off"])],
        examples: [Example("vitals weekly"), Example("vitals weekly on")])

    private static let days = Command(
        name: "days", summary: "Counts your past days with another profile.",
        subcommands: [
            Command(
                name: "recount", summary: "Counts distance and energy of past days with the profile of today.",
                discussion: """
                    If you change your profile, days that are over stay as they were counted. This changes them, because what the profile \
                    said before was wrong. Steps stay, and so do goals that were reached.
                    """,
                options: [
                    .value("from", "DAY", "the first day, such as 2026-11-01"),
                    .value("to", "DAY", "the last day (default: today)"),
                    .flag("yes", short: "y", "does not ask first"),
                ],
                examples: [Example("vitals days recount --from 2026-11-01")])
        ])

    private static let period = [
        Option.value("from", "TIME", "the beginning, such as \"2026-11-21 14:00\", 14:00, yesterday or -2h"),
        Option.value("to", "TIME", "the end (default: now)"),
    ]

    private static let heartRate = Command(
        name: "heart-rate", summary: "Draws your recorded heart rate over any period.",
        discussion: """
            Without --from and --to, it draws the last hour. The line is the mean; the shade behind it goes from the lowest to the \
            highest value.

            A time is a day and a time of day, one of the two (a time of day alone means today), now, or how long ago: -90s, -30m, \
            -2h, -1h30m, -7d, -1w. With a day alone, --from means its beginning and --to its end.
            """,
        optionsAlone: period + [
            .value("points", "N", "how many points at most, 1 to 2000 (default: what fits the terminal)")
        ],
        examples: [
            Example("vitals heart-rate --from 14:00 --to 15:30"), Example("vitals heart-rate --from -7d"),
            Example("vitals heart-rate variability --from yesterday --to yesterday"),
        ],
        subcommands: [
            Command(
                name: "at", summary: "Shows what was measured at a moment, or within 30 seconds of it.",
                arguments: [.required("TIME", "such as \"2026-11-21 14:00:05\" or -5m")],
                examples: [Example("vitals heart-rate at 14:00:05")]),
            Command(
                name: "intervals", summary: "Lists the times between beats, in milliseconds.",
                discussion: """
                    Without --from and --to, it covers the last hour. The period has at most 24 hours. Each line has the time at which the \
                    sensor sent an interval, and the interval.
                    """,
                options: period,
                examples: [
                    Example("vitals heart-rate intervals --from -5m"),
                    Example("vitals heart-rate intervals --from 02:00 --to 03:00 --json"),
                ]),
            Command(
                name: "variability", summary: "Shows how much the time between beats varies: RMSSD and SDNN.",
                discussion: "Without --from and --to, it covers the last hour. The period has at most 24 hours.",
                options: period,
                examples: [Example("vitals heart-rate variability --from -5m")]),
            Command(
                name: "night", summary: "Shows the heart rate of a night, and how much the time between beats varied.",
                discussion: """
                    It draws the time between beats, and RMSSD and SDNN in windows of five minutes. A window counts if valid beats cover at \
                    least half of it; it says which times are missing. A night has figures from 3 recorded hours on, and those of beats \
                    from 12 windows on.
                    """,
                options: [
                    .value("from", "TIME", "when the night begins, as 22:00", default: "22:00"),
                    .value("to", "TIME", "when it ends, as 08:00", default: "08:00"),
                ],
                arguments: [
                    .optional(
                        "DAY", "the day on which the night ends, such as 2026-11-21 (default: today)", values: CalendarDay.words)
                ],
                examples: [Example("vitals heart-rate night"), Example("vitals heart-rate night 2026-11-21 --from 23:00")]),
            Command(
                name: "delete", summary: "Deletes what was recorded in a period, for good.",
                discussion:
                    "Both --from and --to are required. What arrives later from that period is not kept either.",
                options: period + [.flag("yes", short: "y", "does not ask first")],
                examples: [Example("vitals heart-rate delete --from 14:00 --to 14:05")]),
        ], runsAlone: true)

    private static let goals = Command(
        name: "goals", summary: "Shows the progress of your goals, today and this week, and changes them.",
        discussion: """
            Behind a goal it says how often it was reached in a row. The day or week that is under way adds one once the goal is reached, and \
            breaks nothing before it is over.
            """,
        examples: [
            Example("vitals goals"), Example("vitals goals set --steps 12000 --distance 8km --energy none"),
            Example("vitals goals set --week-days 5 --week-minutes 150"),
        ],
        subcommands: [
            Command(
                name: "set", summary: "Changes the goals that the command line names.",
                discussion: """
                    The change applies from today on; earlier days keep the goals that they had. Minutes of activity are those of workouts \
                    in heart rate zones 2 and 3, and twice those in zones 4 and 5; without a heart rate, by how strenuous the activity is.
                    """,
                options: [
                    .value("steps", "N", "steps a day, or none"),
                    .value("distance", "LENGTH", "a day, such as 8km, 8000m or 5mi, or none"),
                    .value("energy", "KCAL", "kilocalories a day, or none"),
                    .flag("on-foot", "counts of the distance only what is done on foot"),
                    .value("week-days", "N", "days a week, 1 to 7, on which every goal of the day is reached, or none"),
                    .value("week-minutes", "N", "minutes of activity a week, such as 150, or none"),
                ]),
            Command(
                name: "calendar", summary: "Draws a month as a calendar, with a ring for each goal of each day.",
                discussion: """
                    A ring closes in quarters as the goal comes near, and is full when the goal was reached. Of days without a ring, \
                    nothing is known.
                    """,
                options: [
                    .value("output", "FILE", "writes a picture to share instead: a name that ends with .svg or .png"),
                    .flag("dark", "makes the picture dark"),
                ],
                arguments: [.optional("MONTH", "such as 2026-11, or last", values: ["last"])],
                examples: [
                    Example("vitals goals calendar"), Example("vitals goals calendar 2026-10"),
                    Example("vitals goals calendar --output november.svg"),
                ]),
            Command(
                name: "reached", summary: "Draws how often you have reached each goal, by day or by month.",
                discussion: """
                    By month, without --from and --to, it draws this year, with a bar for each month; by day, this month, with a mark \
                    for each day on which there was a goal: a star if it was reached.
                    """,
                options: [
                    .value("by", "PERIOD", "day or month", default: "month", values: GoalsReached.Period.allCases.map(\.rawValue)),
                    .value("from", "DAY", "the first day, such as 2026-01-01"),
                    .value("to", "DAY", "the last day (default: today)"),
                ],
                examples: [
                    Example("vitals goals reached"), Example("vitals goals reached --by day --from 2026-10-01"),
                ]),
            Command(
                name: "share", summary: "Prints a text about a goal to share, and makes a picture.",
                options: [
                    .value(
                        "of", "NAME", "the goal: steps, distance or energy", default: "steps",
                        values: Goals.Goal.allCases.map(\.rawValue)),
                    .value("day", "DAY", "such as 2026-11-21 (default: today)"),
                    .value("svg", "FILE", "writes the picture to FILE"),
                ],
                examples: [Example("vitals goals share --svg today.svg")]),
        ], runsAlone: true)
}
