import Contract
import Exercise
import Fitness
import Push

/// What `share/…` ask and answer.
extension RequestContract {
    private static let service = PayloadSchema.Field.always("service", .id)
    private static let share = PayloadSchema.Field.always("share", .id)
    private static let label = PayloadSchema.Field.always(
        "label", .text.about("what the person calls it; its address if they do not"))
    private static let address = PayloadSchema.Field.always("address", .text.about("its scheme and server only"))

    private static let shown = PayloadSchema.object(
        "SharingService", "A service to which a person posts what they share.",
        [service, label, address, .always("created", .time)])

    static let shareServices = RequestContract(
        "Lists the services to which the person can post.",
        answers: .record([
            .always("services", .array(of: shown, atMost: Int64(SharingServices.limit))),
            .always("available", .bool.about("whether this home posts anything")),
        ]))

    static let shareAdd = RequestContract(
        "Adds a service by its address, as Apprise understands it.",
        asks: [
            .always("address", .text(atMost: PushAddress.maximumLength)),
            .known("label", .text(atMost: 256).about("up to 64 characters on one line")),
        ],
        answers: shown)

    static let shareRemove = RequestContract("Removes a service.", asks: [service], answers: .record([service]))

    private static let picture: [PayloadSchema.Field] = [
        .always("type", .word(AppriseMessage.Picture.Kind.allCases.map(\.rawValue))),
        .always("length", .count.about("bytes of the whole picture")),
        .always("data", .base64(atMost: FilePart.longest)),
        .known("next", .count.about("the `offset` of what follows, for `share/picture`")),
    ]

    static let sharePreview = RequestContract(
        "Shows what would be shared. It can be posted once, within ten minutes.",
        asks: [
            .always("what", .word(SharedSubject.kinds)), .known("workout", .id.about("of a workout")),
            .known("post", .id.about("one of the person's own")),
            .known(
                "period",
                .word(SharedSubject.periods.map(\.rawValue)).about("of a report; week if it is left out")),
            .known("day", .day.about("of a report or a goal; today if it is left out")),
            .known("goal", .word(Goal.allCases.map(\.rawValue)).about("steps if it is left out")),
            .known("picture", .bool.about("whether a picture goes along; true if it is left out")),
        ],
        answers: .record([
            share, .always("expires", .time), .always("text", .text),
            .known("link", .text.about("goes out below the text")),
            .known("picture", .object("SharedPicture", "A picture, or the first part of it.", picture)),
            .known("facebook", .text.about("a page on which the person shares the link themselves")),
            .always("x", .text.about("the same for the text")),
            .always(
                "to",
                .array(
                    of: .object("ShareTarget", "Where it can be posted.", [service, label, address]),
                    atMost: Int64(SharingServices.limit))),
        ]))

    static let sharePicture = RequestContract(
        "A part of the picture of a preview.",
        asks: [share, .known("offset", .integer(in: 0...Int64(SharedContent.largestPicture)))],
        answers: .record(picture))

    private static let results = PayloadSchema.Field.always(
        "results",
        .array(
            of: .object(
                "ShareResult", "What became of it at a service.",
                [
                    service, label, .always("sent", .bool),
                    .always(
                        "state",
                        .word(["waiting", "going", "sent", "failed", "unknown"]).about(
                            "waiting and going: ask again; unknown: it may be there or not")),
                    .known("problem", .text), .known("picture", .bool.about("it went without its picture")),
                ]), atMost: Int64(SharingServices.limit)))

    static let sharePost = RequestContract(
        "Posts what a preview showed. Asked again, it says what has become of it, and posts nothing.",
        asks: [
            share,
            .known("to", .array(of: .id, atMost: Int64(SharingServices.limit))),
            .known(
                "text",
                .text(atMost: Sharing.longestText.bytes).about(
                    "in place of the preview's, up to \(Sharing.longestText.characters) characters")),
        ],
        answers: .record([results]))

    static let shareCancel = RequestContract("Ends a preview.", asks: [share], answers: .record([share]))

    static let shareList = RequestContract(
        "Lists what the person has shared lately, the latest first.",
        answers: .record([
            .always(
                "shares",
                .array(
                    of: .object(
                        "SharedThing", "Something that was shared.",
                        [
                            share, .always("time", .time),
                            .always("what", .text.about("workout, report, statistics, post, or the goal")), results,
                        ]), atMost: Int64(ShareRecords.most)))
        ]))
}
