import Contract
import Fitness
import Workouts

/// What `imports/…` and `workouts/file` ask and answer.
extension RequestContract {
    private static let part = PayloadSchema.base64(atMost: FilePart.longest)

    static let importsFile = RequestContract(
        "A part of a file: FIT, GPX or TCX, also compressed, or an archive of these. Parts come in order.",
        asks: [
            .known("name", .text(atMost: Upload.longestName)),
            .always("size", .integer(in: 1...Int64(Upload.longestFile)).about("bytes of the whole file")),
            .known(
                "offset",
                .integer(in: 0...Int64(Upload.longestFile) - 1).about("of this part in the file; 0 if it is left out")),
            .always("data", part),
            .known(
                "keep_both",
                .bool.about(
                    "of the part at byte 0: whether workouts are taken over that others are taken for; no if it is left out"
                )),
        ],
        answers: progress)

    /// What is left out depends on `state`, or on whether more of the file has to come.
    private static let progress = PayloadSchema.object(
        "ImportProgress", "How far an import has come; after a part that is not the last one, `received` alone.",
        [
            .known("state", .word(["coming", "reading", "storing", "done"])),
            .known("received", .count.about("bytes")), .known("stored", .count.about("readings")),
            .known("of", .count.about("readings")), .known("workouts", .array(of: outcome)),
            .known("readings", .count.about("how many were stored")),
            .known("omissions", .array(of: .text).about("what the file has that was not taken")),
        ])

    private static let outcome = PayloadSchema.object(
        "ImportedWorkout", "What came of a workout in a file.",
        [
            .always("outcome", .word(["imported", "duplicate", "refused"])), .known("id", .id),
            .known("activity", .text), .known("name", .text), .always("started", .time),
            .known("reason", .text.about("why it was refused")),
            .known("source", .text.about("what recorded it, if it came with a file")),
            .known("same", .bool.about("whether a duplicate is from the same source, at the same times")),
        ])

    static let importsRecords = RequestContract(
        "Heart rates and steps of all day by one source.",
        asks: [
            .always("source", .text(atMost: RecordsRequest.longestSource)),
            .known(
                "heart_rates",
                .object(
                    "RecordedHeartRates", "Lists that are equally long.",
                    [
                        .always("times", times),
                        .always("bpm", column(.integer(in: 1...300)).about("beats per minute")),
                    ])),
            .known(
                "steps",
                .object(
                    "RecordedSteps", "Lists that are equally long.",
                    [
                        .always("times", times.about("the ends of spans")),
                        .always("lengths", column(.integer(in: 1...StepCounter.longestGap)).about("milliseconds")),
                        .always("steps", column(.count)),
                    ])),
        ],
        answers: progress)

    private static func column(_ schema: PayloadSchema) -> PayloadSchema {
        .array(of: schema, atMost: Int64(RecordsRequest.most))
    }

    private static let times = column(.integer)
        .about("Unix milliseconds, each but the first since the one before")

    static let importsResult = RequestContract("What came of the latest import.", answers: progress)

    static let importsList = RequestContract(
        "What recorded imported files.",
        answers: .record([
            .always(
                "sources",
                .array(
                    of: .object(
                        "ImportSource", "A device or an app.",
                        [.always("sensor", .id.about("that stands for it")), .always("source", .text)])))
        ]))

    static let workoutsFile = RequestContract(
        "A part of a workout as a file.",
        asks: [
            .always("id", .id),
            .known("format", .word(WorkoutFiles.Format.allCases.map(\.rawValue)).about("fit if it is left out")),
            .known("offset", .integer(in: 0...Int64(Int32.max)).about("the `next` of a reply; 0 if it is left out")),
            .known("mark", .text(atMost: WorkoutFiles.longestMark).about("that of the reply before")),
        ],
        answers: .record([
            .always("name", .text), .always("size", .count.about("bytes of the whole file")), .always("offset", .count),
            .always("mark", .text.about("of this file: that of another is different")), .always("data", part),
            .known("next", .count.about("the `offset` of what follows")),
        ]))
}
