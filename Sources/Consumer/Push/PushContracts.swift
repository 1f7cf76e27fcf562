import Contract

/// What `push/…` ask and answer.
extension RequestContract {
    private static let push = PayloadSchema.Field.always("push", .id)
    private static let details = PayloadSchema.Field.always(
        "details", .bool.about("whether the text of notifications goes to the addresses"))
    private static let entry: [PayloadSchema.Field] = [
        push, .always("address", .text.about("its scheme and server only")), .known("label", .text),
        .known("kinds", .array(of: .text).about("only these kinds of notifications; all if it is left out")),
        .always("created", .time),
        .known(
            "browser",
            .text(matching: "^[0-9a-f]{64}$").about(
                "of a browser: the SHA-256 of its endpoint, by which it finds itself")),
        .always("enabled", .bool.about("false since the password was reset, until the person confirms the address")),
    ]

    private static let chosen: [PayloadSchema.Field] = [
        .known("label", .text(atMost: 256).about("up to 64 characters on one line")),
        .known("kinds", .array(of: .text)),
    ]

    private static let shown = PayloadSchema.object("PushAddress", "Where a person's notifications are brought.", entry)

    static let pushAdd = RequestContract(
        "Adds an address, as Apprise understands it, to which notifications are brought.",
        asks: [
            .always("address", .text(atMost: PushAddress.maximumLength))
        ] + chosen,
        answers: shown)

    static let pushBrowser = RequestContract(
        "Adds a browser, to which notifications are brought by Web Push, or renews its keys.",
        asks: [
            .always("endpoint", .text(atMost: PushAddress.maximumLength).about("as the browser's subscription has it")),
            .always(
                "p256dh", .text(atMost: PushDelivery.longestBrowserKey).about("the same, in base64url without padding")),
            .always("auth", .text(atMost: PushDelivery.longestBrowserKey).about("the same")),
            .known(
                "device",
                .id.about("the device that the browser is signed in as: when that is signed out, it is removed")),
        ] + chosen,
        answers: shown)

    static let pushKey = RequestContract(
        "Says which key browsers subscribe with.",
        answers: .record([
            .always(
                "key", .text.about("a point on P-256, in base64url: the applicationServerKey of pushManager.subscribe"))
        ]))

    static let pushConfirm = RequestContract(
        "Switches an address on again after the password was reset.", asks: [push], answers: shown)

    static let pushList = RequestContract(
        "Lists the person's addresses, and how it went with the latest message to each.",
        answers: .record([
            .always(
                "addresses",
                .array(
                    of: .object(
                        "ListedPushAddress", "Where a person's notifications are brought, and how that went.",
                        entry + [
                            .always("waiting", .count.about("how much is on its way there")), .known("sent", .time),
                            .known("failed", .time), .known("problem", .text),
                        ]), atMost: Int64(PushList.limit))),
            details,
        ]))

    static let pushRemove = RequestContract("Removes an address.", asks: [push], answers: .record([push]))

    static let pushSet = RequestContract(
        "Says whether addresses get the text of notifications, or neutral words.", asks: [details],
        answers: .record([details]))

    static let pushTest = RequestContract(
        "Sends a message to an address.", asks: [push], answers: .record([push, .always("sent", .bool)]))
}
