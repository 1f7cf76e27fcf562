import Contract

/// What `music/…` ask and answer.
extension RequestContract {
    private static let workouts = PayloadSchema.bool.about("whether the person's workouts start and pause the music")

    static let musicGet = RequestContract(
        "Asks whether the person's workouts start and pause music.",
        answers: .record([
            .known("gateway", .id.about("whose music it is; nothing if none was chosen yet")),
            .always("workouts", workouts),
        ]))

    static let musicSet = RequestContract(
        "Has the person's workouts start and pause the music of a gateway, or no longer.",
        asks: [
            .always("workouts", workouts),
            .known("gateway", .id.about("a gateway of the person's household; the only one if it is left out")),
        ],
        answers: .record([.always("gateway", .id), .always("workouts", workouts)]))
}
