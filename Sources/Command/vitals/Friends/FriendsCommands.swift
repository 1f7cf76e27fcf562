import Daemon

/// The commands about friends and about notifications.
enum FriendsCommands {
    static let all = [friends, cheer, notifications]

    /// Does what the command line asks for; nil if it is none of these.
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

    private static let yes = Option.flag("yes", short: "y", "does not ask first")
    private static func name(_ offers: Offers) -> Positional {
        .required("NAME", "the name or its beginning, or the id", offers: offers.rawValue)
    }

    private static let share = Option.value(
        "share-steps", "ON", "on or off: whether your friends see your steps for the day", values: ["on", "off"])

    private static func one(
        _ verb: String, _ offers: Offers, _ summary: String, _ options: [Option] = [], _ discussion: String = ""
    ) -> Command {
        Command(
            name: verb, summary: summary, discussion: discussion, options: options, arguments: [name(offers)])
    }

    private static let friends = Command(
        name: "friends", summary: "Lists your friends with their steps of today, and the people who ask to be friends.",
        discussion: """
            Friends see each other's steps for the day if both of them allow it (vitals consent). Names may be typed in upper or lower case.
            """,
        examples: [
            Example("vitals friends invite grace@example.org"),
            Example("vitals friends code", "prints a code for a person next to you"),
            Example("vitals friends accept grace"),
        ],
        subcommands: [
            Command(
                name: "invite", summary: "Invites somebody, or uses the code that somebody gave you.",
                discussion: """
                    It does not say whether that person has an account. Your friends see your steps only if you say so: here, or with \
                    `vitals consent`.
                    """,
                options: [share],
                arguments: [.required("WHOM", "an e-mail address, a phone number or a code")],
                examples: [
                    Example("vitals friends invite +4915123456789"),
                    Example("vitals friends invite 7QKM-2DZX-0H4W-9C1T-V6RA-XP3E"),
                ]),
            Command(
                name: "code", summary: "Prints a code; the person who types it becomes your friend.", options: [share]),
            one(
                "accept", .invitations, "Accepts a person who asks to be your friend.", [share],
                "Your friends see your steps only if you say so: here, when the command asks, or with `vitals consent`."
            ),
            one(
                "refuse", .invitations, "Refuses a person who asks to be your friend."),
            one(
                "remove", .acquaintances, "Ends a friendship, or withdraws an invitation.", [yes]),
            one(
                "block", .suitors, "Removes a person, who then cannot ask again.", [yes],
                "The id of a notification stands for the person whom it is about, even if that person has withdrawn the invitation."
            ),
            one(
                "unblock", .blocked, "Lets a blocked person ask again."),
            one(
                "mute", .friends, "Stops telling you of a friend's thumbs."),
            one(
                "unmute", .friends, "Tells you of a friend's thumbs again."),
        ], runsAlone: true)

    private static let cheer = Command(
        name: "cheer", summary: "Gives a friend a thumb up or down, and tells them.",
        arguments: [name(.friends), .required("THUMB", "up or down", values: Friends.Thumb.allCases.map(\.rawValue))],
        examples: [Example("vitals cheer grace up")])

    private static let notifications = Command(
        name: "notifications", summary: "Lists what you have been told, the latest first.",
        discussion: "A star marks what you have not confirmed; without --all, only that is shown.",
        optionsAlone: [
            .flag("all", "also what you have confirmed"), .flag("follow", "then new ones as they come; Ctrl-C ends it"),
            .value("limit", "N", "how many at most", default: "50"),
        ],
        examples: [
            Example("vitals notifications"), Example("vitals notifications --follow"),
            Example("vitals notifications confirm --all"),
        ],
        subcommands: [
            Command(
                name: "confirm", summary: "Confirms that you have read them.", options: [.flag("all", "all of them")],
                arguments: [.repeated("ID", "the ids of those to confirm; or --all")],
                examples: [Example("vitals notifications confirm --all")])
        ], runsAlone: true)
}
