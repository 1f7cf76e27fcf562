import Daemon

/// The commands about posts.
enum PostsCommands {
    /// Does what the command line asks for; nil if it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        let posts = Posts(call, arguments)
        return switch arguments.command {
        case ["posts"]: try posts.list()
        case ["posts", "add"]: try posts.add()
        case ["posts", "show"]: try posts.show()
        case ["posts", "thumb"]: try posts.thumb()
        case ["posts", "delete"]: try posts.delete()
        case ["posts", "report"]: try posts.report()
        default: nil
        }
    }

    private static func post(_ offers: Offers) -> Positional {
        .required("POST", "its id", offers: offers.rawValue)
    }

    static let command = Command(
        name: "posts", summary: "Shows what you, your friends and your groups have posted, the latest first.",
        discussion: """
            A post has the figures of its author's week as they were when it was posted: how many workouts, for how long, what was chosen \
            and which muscles; and a text and a picture, if its author wanted. Only people who are friends, or in the group, see it, and \
            only for as long as they are.
            """,
        optionsAlone: [
            .flag("own", "only what you have posted yourself"),
            .value("count", "N", "how many, 1 to 1000", default: "20"),
        ],
        examples: [
            Example("vitals posts"),
            Example("vitals posts add 'Three runs, and the sun was out.' --picture sun.jpeg --to friends"),
            Example("vitals posts thumb abcdefghijklmnop up"),
        ],
        subcommands: [
            Command(
                name: "add", summary: "Posts the figures of your week, with a text and a picture if you like.",
                discussion: """
                    What the picture says of where, when and with what it was taken is removed. A post can be deleted, but not changed. You \
                    can post ten times within 24 hours; a hundred posts are kept, and then the oldest makes room.
                    """,
                options: [
                    .value(
                        "to", "WHOM", "friends, or a group of yours, by its name or id", isRepeated: true,
                        offers: Offers.audiences.rawValue),
                    .value("picture", "FILE", "a picture: JPEG, PNG or WebP, at most 32 KiB"),
                ],
                arguments: [.optional("TEXT", "up to 1,000 characters")],
                examples: [
                    Example("vitals posts add --to friends"),
                    Example("vitals posts add 'Who comes along on Sunday?' --to 'Sunday runners' --to friends"),
                ]),
            Command(
                name: "show", summary: "Shows one post, or saves its picture.",
                options: [.value("picture", "FILE", "writes the picture to this file")], arguments: [post(.posts)],
                examples: [Example("vitals posts show abcdefghijklmnop --picture sun.jpeg")]),
            Command(
                name: "thumb", summary: "Gives a post a thumb, or takes it back.",
                discussion:
                    "Its author is told once that you have given one, and by whom. Nobody else learns whose a thumb is.",
                arguments: [post(.posts), .required("THUMB", "up, down or none", values: ["up", "down", "none"])]),
            Command(
                name: "delete", summary: "Deletes a post of yours: nobody sees it any more.",
                options: [.flag("yes", short: "y", "does not ask first")], arguments: [post(.ownPosts)]),
            Command(
                name: "report", summary: "Reports a post to the operator of this consumer, who can read it then.",
                discussion: "Its author is not told. The operator sees the post and the reason, and not who has reported it.",
                arguments: [post(.posts), .required("REASON", "what is wrong with it")],
                examples: [Example("vitals posts report abcdefghijklmnop 'insults somebody in the picture'")]),
        ], runsAlone: true)
}
