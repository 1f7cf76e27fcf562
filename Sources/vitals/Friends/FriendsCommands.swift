import Daemon

/// What can be typed about friends, and about what one is told.
enum FriendsCommands {
    static let all = [friends, cheer, notifications]

    /// Does what the command line asks for; nil where it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        switch arguments.command {
        case ["friends"]: try Friends(call, arguments).list()
        case ["friends", "invite"]: try Friends(call, arguments).invite()
        case ["friends", "code"]: try Friends(call, arguments).code()
        case ["friends", "accept"]: try Friends(call, arguments).accept()
        case ["friends", "refuse"]: try Friends(call, arguments).refuse()
        case ["friends", "remove"]: try Friends(call, arguments).remove()
        case ["friends", "block"]: try Friends(call, arguments).block()
        case ["friends", "unblock"]: try Friends(call, arguments).unblock()
        case ["friends", "mute"]: try Friends(call, arguments).mute(true)
        case ["friends", "unmute"]: try Friends(call, arguments).mute(false)
        case ["cheer"]: try Friends(call, arguments).cheer()
        case ["notifications"]: try Notifications(call, arguments).list()
        case ["notifications", "confirm"]: try Notifications(call, arguments).confirm()
        default: nil
        }
    }

    private static let codes = ExitCode.allCases
    private static let yes = Option.flag("yes", short: "y", "does not ask first")
    private static let name = Positional.required("NAME", "the name or how it begins, or the id")

    private static func one(_ verb: String, _ summary: String, _ options: [Option] = []) -> Command {
        Command(name: verb, summary: summary, options: options, arguments: [name], exitCodes: codes)
    }

    private static let friends = Command(
        name: "friends", summary: "Lists your friends and their steps of today, and who asks to be one.",
        discussion: """
            Friends see each other's steps of the day, where both let them (vitals consent). Capitals do not count in names.
            """,
        examples: [
            Example("vitals friends invite grace@example.org"),
            Example("vitals friends code", "prints a code for somebody who sits beside you"),
            Example("vitals friends accept grace"),
        ], exitCodes: codes,
        subcommands: [
            Command(
                name: "invite", summary: "Invites somebody, or takes the code that they gave you.",
                discussion: "Whether somebody has an account is told to nobody.",
                arguments: [.required("WHOM", "an e-mail address, a phone number or a code")],
                examples: [
                    Example("vitals friends invite +4915123456789"),
                    Example("vitals friends invite 7QKM-2DZX-0H4W-9C1T-V6RA-XP3E"),
                ], exitCodes: codes),
            Command(name: "code", summary: "Prints a code that makes who types it your friend.", exitCodes: codes),
            one("accept", "Accepts who asks to be your friend."), one("refuse", "Refuses who asks to be your friend."),
            one("remove", "Ends a friendship, or takes back an invitation.", [yes]),
            one("block", "Removes somebody, who cannot ask again.", [yes]), one("unblock", "Lets somebody ask again."),
            one("mute", "Tells you of no thumbs of a friend."), one("unmute", "Tells you of a friend's thumbs again."),
        ], runsAlone: true)

    private static let cheer = Command(
        name: "cheer", summary: "Gives a friend a thumb up or down, who is told so.",
        arguments: [name, .required("THUMB", "up or down", values: Friends.Thumb.allCases.map(\.rawValue))],
        examples: [Example("vitals cheer grace up")], exitCodes: codes)

    private static let notifications = Command(
        name: "notifications", summary: "Lists what you have been told, the newest first.",
        discussion: "A star marks what you have not confirmed; without --all only that is shown.",
        optionsAlone: [
            .flag("all", "also what is confirmed"), .flag("follow", "and then new ones as they come; Ctrl-C ends it"),
            .value("limit", "N", "how many at most", default: "50"),
        ],
        examples: [
            Example("vitals notifications"), Example("vitals notifications --follow"),
            Example("vitals notifications confirm --all"),
        ], exitCodes: codes,
        subcommands: [
            Command(
                name: "confirm", summary: "Says that you know.", options: [.flag("all", "all of them")],
                arguments: [.repeated("ID", "those that are confirmed; or --all")],
                examples: [Example("vitals notifications confirm --all")], exitCodes: codes)
        ], runsAlone: true)
}
