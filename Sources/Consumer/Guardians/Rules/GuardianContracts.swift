import Accounts
import Contract
import Days
import Fitness
import Features
import Whereabouts

/// What `guardians/…` and `dependents/…` ask and answer.
extension RequestContract {
    private static let guardian = PayloadSchema.Field.always("guardian", .id)
    private static let dependent = PayloadSchema.Field.always("dependent", .id)
    private static let name = PayloadSchema.Field.known(
        "name", .text.about("the person's name, if they have given one"))
    private static let since = PayloadSchema.Field.always("since", .time.about("when they were connected"))
    private static let allowed = Sight.allCases.map { PayloadSchema.Field.always($0.rawValue, .bool) }
    private static let codeSet = PayloadSchema.Field.known("code_set", .time.about("when the code was set"))
    private static let codeFor = PayloadSchema.Field.known(
        "code_for", .text.about("the only guardian who is connected with it, if it is for one"))
    private static let blocked = PayloadSchema.Field.known("blocked", .bool)

    private static let connected = PayloadSchema.object(
        "Guardian", "A guardian, and what they may see.",
        [guardian, name, since] + allowed + [
            .known(
                "looked",
                .array(
                    of: .object(
                        "Look", "How often a guardian was shown where their dependent was, or asked for it, on a day.",
                        [.always("day", .day), .always("times", .count)]), atMost: Int64(Looks.days)))
        ])

    static let guardiansList = RequestContract(
        "Lists a person's guardians, and whether a verification code is set.",
        answers: .record([
            codeSet, codeFor,
            .always(
                "guardians",
                .array(
                    of: .object(
                        "ListedGuardian", "A guardian, or somebody who cannot become one.",
                        [guardian, name, .known("since", .time), blocked]
                            + Sight.allCases.map { .known($0.rawValue, .bool) }
                            + [.known("looked", .array(of: .members, atMost: Int64(Looks.days)))]))),
        ]))

    static let guardiansCode = RequestContract(
        "Sets the verification code that guardians need, or removes it. With an address or number, only that guardian is connected with it.",
        asks: [
            .always(
                "code", .text(from: VerificationCode.lengths.lowerBound, atMost: VerificationCode.maximumLength).orNull)
        ] + AccountFields.name,
        answers: .record([codeSet, codeFor]))

    static let guardiansAllow = RequestContract(
        "Says what a guardian may see; what is left out stays as it is.",
        asks: [guardian] + Sight.allCases.map { .known($0.rawValue, .bool) }, answers: connected)

    static let guardiansRemove = RequestContract("Ends it: a guardian sees nothing more.", asks: [guardian])

    static let guardiansBlock = RequestContract(
        "Removes a guardian, who then cannot connect again.",
        asks: [.always("guardian", .id.about("or the id of a notification about one"))],
        answers: .record([guardian, .always("blocked", .bool)]))

    static let guardiansUnblock = RequestContract("Lets somebody connect again.", asks: [guardian])

    static let guardiansHelp = RequestContract(
        "Tells all guardians at once that the person needs help.",
        asks: [.known("text", .text(atMost: 800).about("up to 200 characters"))],
        answers: .record([.always("told", .count.about("how many guardians"))]))

    // MARK: The guardian's side

    private static let position = PayloadSchema.Field.known(
        "position",
        .object(
            "DependentPosition", "Where a dependent was last.",
            [
                .always("time", .time.about("of the fix")), .always("lat", .number.about("degrees north")),
                .always("lon", .number.about("degrees east")), .known("accuracy_m", .number),
                .known("altitude_m", .number),
            ]))

    private static let watched = PayloadSchema.object(
        "Dependent", "Somebody whom the person watches over, as far as they may see it.",
        [dependent, name, since] + allowed + [
            position, .known("state", .word(MotionJudge.State.allCases.map(\.rawValue))),
            .known("battery_percent", .percent),
            .always(
                "alerts",
                .array(of: alert, atMost: Int64(AlertRows.mostOpen)).about(
                    "that the person was told of and nobody has confirmed, the latest first")),
        ])

    private static let chosen = PayloadSchema.Field.known(
        "chosen", .id.about("whom the person's programs show; left out for oneself"))

    static let dependentsConnect = RequestContract(
        "Makes the person a guardian of the one who has this address or number and has set this code.",
        asks: AccountFields.name + [.always("code", .text(atMost: VerificationCode.maximumLength))], answers: watched)

    static let dependentsList = RequestContract(
        "Lists the people whom the person watches over.",
        answers: .record([chosen, .always("dependents", .array(of: watched, atMost: Int64(DependentList.most)))]))

    static let dependentsChoose = RequestContract(
        "Says whom the person's programs show: a dependent, or with null the person themselves.",
        asks: [.always("dependent", .id.orNull)], answers: .record([chosen]))

    static let dependentsRemove = RequestContract("Ends it: the person sees nothing more.", asks: [dependent])

    static let dependentsLocate = RequestContract(
        "Asks a dependent's phones where they are.", asks: [dependent],
        answers: .record([.always("asked", .count.about("how many phones"))]))

    static let dependentsToday = RequestContract(
        "The steps and the distance of a dependent's today, if they let their guardian see them.",
        asks: [.always("dependent", .id)],
        answers: .record([
            .always("day", .day), .known("steps", .count), .known("distance_m", .number), .known("distances_m", DistanceKind.schema),
        ]))

    static let dependentsDay = RequestContract(
        "A dependent's route of a day.", asks: [dependent, .known("day", .day.about("today if it is left out"))],
        answers: .record([
            .always("day", .day),
            .always(
                "points",
                .array(
                    of: .array(of: .number, atMost: 3).about("Unix milliseconds, degrees north, degrees east"),
                    atMost: 500)),
            .known("exercise_min", .count.about("minutes of exercise")),
        ]))
}
