import Contract
import Days
import Readings

/// What `heart-rate/…` ask and answer.
extension RequestContract {
    private static let times: [PayloadSchema.Field] = [
        .always("from", .time), .always("to", .time.about("later than `from`")),
    ]
    private static let timesOfADay: [PayloadSchema.Field] = [
        .always("from", .time), .always("to", .time.about("later than `from`, by at most 24 hours")),
    ]

    static let heartRateGraph = RequestContract(
        "A curve of heart rates.",
        asks: times + [
            .known(
                "points",
                .integer(in: 1...HeartRateGraph.mostPoints).about("\(HeartRateGraph.usualPoints) if it is left out"))
        ],
        answers: .object(
            "HeartRateGraph", "Columns of the buckets that have heart rates.",
            [
                .always("from", .time.about("rounded to the tier's resolution")), .always("to", .time),
                .always("width_ms", .integer(from: 1).about("milliseconds of a bucket")),
                .always("tier", .word(HeartRateGraph.Tier.allCases.map(\.rawValue)).about("what it is made of")),
                .always("index", column(.count).about("a bucket begins at from + index × width_ms")),
                .always("min", column(.count)), .always("mean", column(.number)), .always("max", column(.count)),
                .known("span", span),
            ]))

    private static let span = PayloadSchema.object(
        "HeartRateSpan", "The whole span; not of one that is so long that its curve is made of hours.",
        [
            .always("mean", .number.about("over the recorded time")), .known("min", .count), .known("max", .count),
            .always("recorded_s", .count),
        ])

    private static func column(_ schema: PayloadSchema) -> PayloadSchema {
        .array(of: schema, atMost: HeartRateGraph.mostPoints)
    }

    static let heartRateAt = RequestContract(
        "The heart rate nearest to a time, at most \(HeartRateRequests.reach / 1000) s from it.",
        asks: [.always("time", .time)],
        answers: .record([
            .always("time", .time), .always("bpm", .count.about("beats per minute")),
            .known("contact", .bool.about("whether the sensor has skin contact")),
            .known("rr_ms", .array(of: .count).about("milliseconds between beats")),
        ]))

    static let heartRateIntervals = RequestContract(
        "The times between beats.", asks: timesOfADay,
        answers: .record([
            .always("time", .array(of: .time, atMost: mostIntervals).about("of the reading that each came with")),
            .always("rr_ms", .array(of: .count, atMost: mostIntervals).about("milliseconds between beats")),
            .known("next", .time.about("the `from` of what follows")),
        ]))

    private static let mostIntervals = Int64(HeartRateRequests.mostIntervals)

    static let heartRateVariability = RequestContract(
        "How much the times between beats vary.", asks: timesOfADay,
        answers: .record([
            .always("beats", .count), .known("mean_rr_ms", .number.about("milliseconds")),
            .known("rmssd_ms", .number.about("milliseconds")), .known("sdnn_ms", .number.about("milliseconds")),
        ]))

    static let heartRateDelete = RequestContract(
        "Deletes the heart rates of a span of time, for good.",
        asks: [.always("from", .time), .always("to", .time.about("later than `from`, and not in the future"))],
        answers: .record([
            .always("from", .time), .always("to", .time), .always("deleted", .count.about("how many there were")),
        ]))
}
