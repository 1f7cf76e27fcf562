import Contract
import Whereabouts

/// What `areas/…` and `alerts/…` ask and answer.
extension RequestContract {
    private static let dependent = PayloadSchema.Field.always("dependent", .id)
    private static let named = PayloadSchema.Field.known("dependent", .id)
    private static let escalate = PayloadSchema.Field.known(
        "escalate_min", .integer(from: 1, through: 1440).about("minutes after which the next guardian is told"))
    private static let time = PayloadSchema.text(matching: "^[0-2][0-9]:[0-5][0-9]$").about(
        "a time of the dependent's day")
    private static let circle = PayloadSchema.object(
        "Circle", "A circle on the Earth.",
        [
            .always("lat", .number.about("degrees north")), .always("lon", .number.about("degrees east")),
            .always("radius_m", .number.about("metres")),
        ])
    private static let corner = PayloadSchema.array(of: .number, atMost: 2).about("degrees north, degrees east")

    private static let shape: [PayloadSchema.Field] = [
        .known("circle", circle), .known("polygon", .array(of: corner, atMost: 100)),
        .known("region", .text.about("a region of the phone's own")),
        .known("from", time), .known("to", time),
        .known("weekdays", .array(of: .word(WatchHours.names), atMost: 7)),
    ]

    private static let area = PayloadSchema.object(
        "Area", "An area of whose border a guardian is told.",
        [.always("area", .id), dependent, .always("name", .text), .always("leave", .bool), .always("enter", .bool)]
            + shape
            + [.always("enabled", .bool), escalate])

    static let areasSet = RequestContract(
        "Adds an area, or replaces the one that is named.",
        asks: [
            named, .known("area", .id), .known("name", .text.about("up to 64 characters")),
            .known("leave", .bool.about("true if it is left out")), .known("enter", .bool),
        ] + shape + [.known("enabled", .bool.about("true if it is left out")), escalate],
        answers: area)

    static let areasList = RequestContract(
        "Lists the areas that the person has set up, and the regions that dependents' phones have told of.",
        asks: [named],
        answers: .record([
            .always("areas", .array(of: area)),
            .always(
                "regions",
                .array(
                    of: .object(
                        "PhoneRegion", "A circular region that a dependent has set up on their phone.",
                        [
                            dependent, .always("region", .text), .always("lat", .number), .always("lon", .number),
                            .always("radius_m", .number),
                        ]))),
        ]))

    static let areasRemove = RequestContract("Removes an area.", asks: [.always("area", .id)])

    private static let kind = PayloadSchema.word(WatchRule.Kind.words)
    private static let limits: [PayloadSchema.Field] = [
        .known("minutes", .integer), .known("below", .integer.about("percent of a battery, or beats per minute")),
        .known("above", .integer.about("beats per minute")), .known("at", time),
    ]

    private static let rule = PayloadSchema.object(
        "WatchRule", "Something besides areas of which a guardian is told.",
        [.always("alert", .id), dependent, .always("kind", kind)] + limits + [.always("enabled", .bool), escalate])

    static let alertsSet = RequestContract(
        "Adds something of which the person is told, or replaces what is named.",
        asks: [named, .known("alert", .id), .known("kind", kind)] + limits
            + [.known("enabled", .bool.about("true if it is left out")), escalate],
        answers: rule)

    static let alertsList = RequestContract(
        "Lists what the person is told of, and the alerts that they were told, the latest first.", asks: [named],
        answers: .record([
            .always("rules", .array(of: rule)),
            .always("alerts", .array(of: alert, atMost: Int64(AlertRows.most))),
        ]))

    /// What a guardian is told again of an alert.
    static let alert = PayloadSchema.object(
        "Alert", "Something of which guardians were told.",
        [
            .always("alert", .id), dependent, .always("kind", .text), .always("time", .time), .always("text", .text),
            .known("rule", .id.about("the area, or the rule, of which it is, if it is the asker's own")),
            .known("told", .count.about("how many guardians")), escalate,
            .known("next", .time.about("when the next guardian is told, if nobody confirms it until then")),
            .known(
                "confirmed",
                .object(
                    "Confirmation", "Who has confirmed an alert, and when.",
                    [
                        .always("by", .id), .known("name", .text.about("theirs, if they have given one")),
                        .always("own", .bool.about("whether it was the asker")), .always("time", .time),
                    ])),
        ])

    static let alertsRemove = RequestContract(
        "Removes something of which the person is told.", asks: [.always("alert", .id)])

    static let alertsConfirm = RequestContract(
        "Says that the person has seen an alert: nobody else is told of it.", asks: [.always("alert", .id)])
}
