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
        case ["posts", "way"]: try posts.way()
        case ["posts", "comments"]: try PostComments(call, arguments).list()
        case ["posts", "comment"]: try PostComments(call, arguments).add()
        case ["posts", "uncomment"]: try PostComments(call, arguments).remove()
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
            and which muscles; or the figures of one workout as they are now; and a text and a picture, if its author wanted. Only \
            people who are friends, or in the group, see it, and \
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
            Example("vitals posts comment abcdefghijklmnop 'Well done.'"),
        ],
        subcommands: [
            Command(
                name: "add", summary: "Posts the figures of your week or of a workout, with a text and a picture if you like.",
                discussion: """
                    What the picture says of where, when and with what it was taken is removed. A post can be deleted, but not changed. You \
                    can post ten times within 24 hours; a hundred posts are kept, and then the oldest makes room. A workout's figures are those \
                    that it has when somebody looks, and the post goes with the workout. Its way is shown without its start and its end.
                    """,
                options: [
                    .value(
                        "to", "WHOM", "friends, or a group of yours, by its name or id", isRepeated: true,
                        offers: Offers.audiences.rawValue),
                    .value("picture", "FILE", "a picture: JPEG, PNG or WebP, at most 32 KiB"),
                    .value(
                        "workout", "ID", "a workout of yours, by its id, or latest, instead of the week",
                        offers: Offers.workouts.rawValue),
                    .flag("way", "shows the workout's way, too"),
                    .flag("heart-rate", "shows the workout's mean heart rate, too"),
                ],
                arguments: [.optional("TEXT", "up to 1,000 characters")],
                examples: [
                    Example("vitals posts add --to friends"),
                    Example("vitals posts add 'New shoes.' --workout latest --way --to friends"),
                    Example("vitals posts add 'Who comes along on Sunday?' --to 'Sunday runners' --to friends"),
                ]),
            Command(
                name: "show", summary: "Shows one post, or saves its picture, or its author's.",
                options: [
                    .value("picture", "FILE", "writes the picture to this file"),
                    .value("portrait", "FILE", "writes the picture of its author to this file"),
                ], arguments: [post(.posts)],
                examples: [Example("vitals posts show abcdefghijklmnop --picture sun.jpeg")]),
            Command(
                name: "thumb", summary: "Gives a post a thumb, or takes it back.",
                discussion:
                    "Its author is told once that you have given one, and by whom. Nobody else learns whose a thumb is.",
                arguments: [post(.posts), .required("THUMB", "up, down or none", values: ["up", "down", "none"])]),
            Command(
                name: "way", summary: "Draws the way of a workout that a post shows, without its start and its end.",
                arguments: [post(.posts)]),
            Command(
                name: "comments", summary: "Lists the comments on a post, the first first.", arguments: [post(.posts)]),
            Command(
                name: "comment", summary: "Writes something about a post, for everybody who sees it.",
                discussion: """
                    Its author is told. Everybody who sees the post sees your name with it, also if you do not know them. You can write 20 \
                    comments on one post, and 100 within 24 hours.
                    """,
                arguments: [post(.posts), .required("TEXT", "up to 500 characters")],
                examples: [Example("vitals posts comment abcdefghijklmnop 'Well done.'")]),
            Command(
                name: "uncomment", summary: "Deletes a comment of yours, or one on a post of yours.",
                arguments: [.required("COMMENT", "its id")]),
            Command(
                name: "delete", summary: "Deletes a post of yours: nobody sees it any more.",
                options: [.flag("yes", short: "y", "does not ask first")], arguments: [post(.ownPosts)]),
            Command(
                name: "report", summary: "Reports a post or a comment to the operator of this consumer, who can read it then.",
                discussion: "Its author is not told. The operator sees the post and the reason, and not who has reported it.",
                options: [.flag("comment", "POST is the id of a comment")],
                arguments: [post(.posts), .required("REASON", "what is wrong with it")],
                examples: [Example("vitals posts report abcdefghijklmnop 'insults somebody in the picture'")]),
        ], runsAlone: true)
}
