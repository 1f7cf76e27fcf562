import Accounts
import Contract
import Exercise

/// What `posts/…` ask and answer, and what the topic `posts` says.
extension RequestContract {
    private static let post = PayloadSchema.Field.always("post", .id)
    private static let thumb = PayloadSchema.word(Thumb.allCases.map(\.rawValue))
    private static let group = PayloadSchema.Field.always("group", .id)

    private static let shown = PayloadSchema.object(
        "Post",
        "What somebody shows of their week, with its figures as they were when it was posted, or of a workout, with its figures as they are.",
        [
            post, .always("author", .id), .always("name", .text), .always("time", .time),
            .always("text", .text.about("lines of text; empty if there is none")),
            .known(
                "workouts",
                .count.about("in the week, from Monday on; this and the next three are left out where a workout is shown")),
            .known("duration_s", .count.about("for how long the person worked out in the week")),
            .known("selection", .array(of: .text.about("the title of a workout that was chosen for the week"))),
            .known("muscles", .array(of: .text)), .known("workout", WorkoutForOthers.schema),
            .always("picture", .bool.about("whether there is a picture: `posts/picture`")),
            .always("ups", .count), .always("downs", .count), .known("mine", thumb.about("the asker's thumb")),
            .always("comments", .count.about("how many the asker sees")),
            .always("portrait", .bool.about("whether the author has a picture: `posts/portrait`")),
            .always("own", .bool),
            .known(
                "to",
                .object(
                    "PostAudience", "For whom a post is; its author alone is told.",
                    [
                        .always("friends", .bool),
                        .always(
                            "groups",
                            .array(of: .object("PostGroup", "A group.", [group, .known("name", .text)]))),
                    ])),
        ])

    static let postsAdd = RequestContract(
        """
        Posts the figures of the person's week, or one of their workouts, with a text and a picture: \(Post.mostInDay) within 24 hours. \(Post.most) are kept; a new \
        one takes the place of the oldest.
        """,
        asks: [
            .known(
                "text",
                .text(atMost: Post.longestText.bytes).about("up to \(Post.longestText.characters) characters")),
            .known("picture", .base64(atMost: Picture.maximumLength).about("as for `picture/set`; what it says of places and cameras is removed")),
            .known("workout", .id.about("a workout of the person's that is over, instead of the week")),
            .known("way", .bool.about("whether its way is shown, without start and end; false if it is left out")),
            .known("heart_rate", .bool.about("whether its mean heart rate is shown; false if it is left out")),
            .known("friends", .bool.about("whether friends see it")),
            .known("groups", .array(of: .id, atMost: Int64(Post.mostGroups)).about("groups whose members see it")),
        ],
        answers: shown)

    static let postsList = RequestContract(
        "Lists what the person sees, the latest first: their own posts, those of friends, and those for their groups.",
        asks: [
            .known("after", .text(atMost: PostPages.longestCursor).about("the `next` of a reply")),
            .known("own", .bool.about("whether only the person's own are listed")),
        ],
        answers: .record([
            .always("posts", .array(of: shown, atMost: Int64(PostPages.most)).about("fewer, where they are long")),
            .known("next", .text.about("the `after` of what follows")),
        ]))

    static let postsShow = RequestContract("Shows a post.", asks: [post], answers: shown)

    static let postsPicture = RequestContract(
        "Shows a post's picture.", asks: [post],
        answers: .record([
            .always("type", .text), .always("width", .count), .always("height", .count),
            .always("picture", .base64(atMost: Picture.maximumLength)),
        ]))

    static let postsThumb = RequestContract(
        "Gives somebody else's post a thumb, or takes it back.",
        asks: [post, .always("thumb", thumb.orNull.about("null takes it back"))], answers: shown)

    static let postsDelete = RequestContract("Deletes one of the person's posts.", asks: [post])

    private static let comment = PayloadSchema.Field.always("comment", .id)
    private static let either = [
        PayloadSchema.Field.known("post", .id), .known("comment", .id.about("instead of a post")),
    ]

    private static let shownComment = PayloadSchema.object(
        "PostComment", "What somebody has written about a post.",
        [
            comment,
            .known("author", .id.about("left out of who is no friend, and in no group of both that the post is for")),
            .always("name", .text), .always("time", .time), .always("text", .text.about("lines of text")),
            .always("own", .bool), .always("deletable", .bool.about("whether the asker may delete it")),
            .always("portrait", .bool.about("whether there is a picture of who wrote it: `posts/portrait`")),
        ])

    static let postsComment = RequestContract(
        """
        Writes something about a post, for everybody who sees it: \(CommentRows.mostOfWriter) comments on one post, and \
        \(PostTimes.Kind.comments.most) within 24 hours. A post has at most \(CommentRows.most).
        """,
        asks: [
            post,
            .always(
                "text",
                .text(from: 1, atMost: CommentRows.longestText.bytes)
                    .about("up to \(CommentRows.longestText.characters) characters")),
        ],
        answers: shownComment)

    static let postsComments = RequestContract(
        "Lists the comments on a post, the first first.",
        asks: [post, .known("after", .text(atMost: PostPages.longestCursor).about("the `next` of a reply"))],
        answers: .record([
            .always("comments", .array(of: shownComment, atMost: Int64(ShownComments.most))),
            .known("next", .text.about("the `after` of what follows")),
        ]))

    static let postsDeleteComment = RequestContract(
        "Deletes one of the person's comments, or one on their own posts.", asks: [comment])

    static let postsPortrait = RequestContract(
        "Shows the picture of the author of a post or a comment.", asks: either,
        answers: .record([
            .always("type", .text), .always("width", .count), .always("height", .count),
            .always("picture", .base64(atMost: Picture.maximumLength)),
        ]))

    static let postsWay = RequestContract(
        "Shows the way of a workout that a post shows, without its start and its end.", asks: [post],
        answers: .record([
            .always(
                "way",
                .array(of: .array(of: .array(of: .number, atMost: 2)))
                    .about("pieces of points, each metres east and north of one of them"))
        ]))

    static let postsReport = RequestContract(
        "Reports somebody else's post or comment to the operator, who can read it then.",
        asks: either + [
            .always(
                "reason",
                .text(from: 1, atMost: ReportRows.longestReason.bytes)
                    .about("up to \(ReportRows.longestReason.characters) characters"))
        ],
        answers: .record([.always("reported", .bool)]))
}

enum PostNews {
    /// What the topic `posts` says.
    static let schema = PayloadSchema.object(
        "PostNews", "That there is a post to see, or that a post, or all of an author's, are to be looked at again.",
        [
            .known("post", .id), .known("author", .id.about("instead of a post: all posts of that author")),
            .known("time", .time.about("of a new post")), .known("removed", .bool.about("true")),
            .known("commented", .bool.about("true: the comments of a post are others now")),
        ])
}
