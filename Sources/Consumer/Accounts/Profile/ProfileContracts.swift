import Contract
import Days
import Fitness

/// What `profile/…`, `consent/…` and `picture/…` ask and answer.
extension RequestContract {
    private static let name = PayloadSchema.text(from: 1, atMost: 4 * ProfileRules.longestName)
        .about("at most \(ProfileRules.longestName) characters on one line")
    private static let gender = PayloadSchema.word(ProfileRules.Gender.allCases.map(\.rawValue))
    private static let units = PayloadSchema.word(Units.allCases.map(\.rawValue))
    private static let timeZone = PayloadSchema.text.about("a name of the IANA database, such as Europe/Berlin")
    private static let locale = PayloadSchema.text.about("a language tag, such as de-AT")

    private static let profile = PayloadSchema.object(
        "Profile", "What a person says about themselves. Lengths and weights are metric, whatever the units.",
        [
            .always("name", .text), .always("date_of_birth", .day), .always("gender", gender),
            .always("weight_kg", .number), .always("height_cm", .number),
            .always("voice", .bool.about("whether progress is spoken")),
            .always("continuous_heart_rate", .bool.about("whether each heart rate is kept")),
            .known("time_zone", timeZone), .known("locale", locale), .always("units", units),
        ] + heart { $0 })

    /// What is known of the heart.
    private static func heart(_ asked: (PayloadSchema) -> PayloadSchema) -> [PayloadSchema.Field] {
        let rate = PayloadSchema.number(in: HeartRateFacts.heartRates)
        let limits = PayloadSchema.array(of: rate, atMost: Int64(HeartRateFacts.zones))
        return [
            .known(
                HeartRateFacts.methodField,
                asked(
                    .word(HeartRateZones.Method.allCases.map(\.rawValue)).about(
                        "what zones of heart rate are computed from")))
        ] + HeartRateFacts.Figure.allCases.map { .known($0.field, asked(rate)) }
            + [
                .known(
                    HeartRateFacts.limitsField,
                    asked(limits.about("where the zones 1 to 5 begin, each above the one before")))
            ]
    }

    /// Those of days, graphs and all activities, and those on a bicycle if they are others.
    private static let zones: [PayloadSchema.Field] = [
        .known("zones", HeartRateZones.schema), .known("bicycle_zones", HeartRateZones.schema),
    ]

    static let profileGet = RequestContract(
        "The person's profile, and their zones.",
        answers: .record([.always("profile", profile.orNull)] + Profile.bodyMassFields + zones))

    static let profileSet = RequestContract(
        "Keeps a profile. What may be left out stays as it is; null takes back what is said of the heart.",
        asks: [
            .always("name", name), .always("date_of_birth", .day), .always("gender", gender),
            .always("height_cm", .number(in: ProfileRules.heights)),
            .always("weight_kg", .number(in: ProfileRules.weights)), .known("voice", .bool),
            .known("continuous_heart_rate", .bool), .known("time_zone", timeZone), .known("locale", locale),
            .known("units", units),
        ] + heart { $0.orNull },
        answers: .record([AccountFields.message, .always("profile", profile)] + Profile.bodyMassFields + zones))

    static let profileCancel = RequestContract(
        "What to tell a person who leaves the form.", answers: .record([AccountFields.message]))

    private static let consents = PayloadSchema.object(
        "Consents", "What a person agrees to.", Consents.names.map { .always($0, .bool) })

    static let consentGet = RequestContract("What the person agrees to.", answers: consents)

    static let consentSet = RequestContract(
        "Says what the person agrees to. What is left out stays as it is.",
        asks: Consents.names.map { .known($0, .bool) }, answers: consents)

    private static let described: [PayloadSchema.Field] = [
        .always("type", .word(Picture.Format.allCases.map(\.rawValue))), .always("width", side),
        .always("height", side),
    ]
    private static let side = PayloadSchema.integer(in: 1...Int64(Picture.maximumSide)).about("pixels")
    private static let picture = PayloadSchema.Field.always("picture", .base64(atMost: Picture.maximumLength))

    static let pictureGet = RequestContract("The person's picture.", answers: .record(described + [picture]))

    static let pictureSet = RequestContract(
        "Keeps a picture: JPEG, PNG or WebP, at most \(Picture.maximumLength >> 10) KiB.", asks: [picture],
        answers: .record(described))

    static let pictureRemove = RequestContract("Removes the person's picture.")
}
