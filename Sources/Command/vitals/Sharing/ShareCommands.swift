import Daemon
import Telemetry

/// The command about sharing.
enum ShareCommands {
    static let command = Command(
        name: "share", summary: "Posts a workout, a report, statistics, a goal or a post to services of yours.",
        discussion: """
            You see first what would be posted: the text, the link, and whether there is a picture. On a terminal, it then asks whether to \
            post it. Without one, as in a script, it posts only with --yes or --to. Each service's result is printed; nothing is ever \
            tried again by itself.

            A service is an address, as Apprise understands it: Mastodon, e-mail, Matrix and others. For Facebook and X there are pages that \
            you open in a browser.
            """,
        examples: [
            Example("vitals share add --label Mastodon", "asks for an address such as mastodons://TOKEN@SERVER"),
            Example("vitals share workout latest", "shows it, and asks"),
            Example("vitals share week --to Mastodon"),
        ],
        subcommands: [
            Command(
                name: "workout", summary: "Shares a workout; start and end of its route are hidden.", options: posting,
                arguments: [
                    .optional("ID", "its id, or latest (default: latest)", offers: Offers.workouts.rawValue)
                ],
                examples: [Example("vitals share workout --picture run.png --to Mastodon")]),
            period("day", "Shares what a day came to, with the ring of its step goal."),
            period("week", "Shares what a week came to."),
            period("month", "Shares what a month came to, with its rings."),
            Command(name: "statistics", summary: "Shares what all your workouts came to.", options: posting),
            Command(
                name: "goal", summary: "Shares how close you came to a day's goal.",
                options: [
                    .value("of", "GOAL", "steps, distance or energy", default: "steps", values: goals),
                    .value("day", "DAY", "such as 2026-11-21 (default: today)"),
                ] + posting,
                examples: [Example("vitals share goal --of distance --day 2026-11-21")]),
            Command(
                name: "post", summary: "Shares a post of yours.", options: posting,
                arguments: [.required("POST", "its id: vitals posts", offers: Offers.ownPosts.rawValue)]),
            Command(name: "list", summary: "Lists what you have shared lately, and what became of it."),
            Command(name: "services", summary: "Lists your services, as far as they may be shown."),
            Command(
                name: "add", summary: "Adds a service by its address, which has the form that Apprise gives it.",
                discussion: """
                    The address is typed at the terminal, where it is not shown, or is the first line of --address-file, or comes on \
                    standard input; never on the command line, which everybody on the machine can see: whoever knows it can \
                    post in your name.
                    """,
                options: [
                    .value("address-file", "FILE", "a file whose first line is the address"),
                    .value("label", "TEXT", "what you call it"),
                ],
                examples: [
                    Example("vitals share add --address-file address --label Mastodon"),
                    Example("echo mailtos://ada:password@example.org | vitals share add --label mail"),
                ]),
            Command(
                name: "remove", summary: "Removes a service.",
                options: [.flag("yes", short: "y", "does not ask first")],
                arguments: [.required("SERVICE", "its id or label", offers: Offers.services.rawValue)]),
        ], runsAlone: true)

    private static let goals = ["steps", "distance", "energy"]

    private static let posting: [Option] = [
        .value(
            "to", "SERVICE", "posts to this service, its id or label (default: all)", isRepeated: true,
            offers: Offers.services.rawValue),
        .value("text", "TEXT", "posts this text in place of the one that is shown"),
        .value("picture", "FILE", "writes the picture that would be posted into this file"),
        .flag("no-picture", "posts no picture"),
        .flag("yes", short: "y", "does not ask first"),
    ]

    private static func period(_ name: String, _ summary: String) -> Command {
        Command(
            name: name, summary: summary,
            options: [.value("day", "DAY", "a day of it, such as 2026-11-21 (default: today)")] + posting)
    }

    /// Does what the command line asks for; nil if it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        switch arguments.command {
        case ["share"], ["share", "list"]: try ShareServices(call, arguments).latest()
        case ["share", "services"]: try ShareServices(call, arguments).list()
        case ["share", "add"]: try ShareServices(call, arguments).add()
        case ["share", "remove"]: try ShareServices(call, arguments).remove()
        case let words where words.count == 2 && words[0] == "share": try Shares(call, arguments).share(words[1])
        default: nil
        }
    }
}
