import Contract
import Pictures

/// What `workouts/picture` asks and answers.
extension RequestContract {
    static let workoutsPicture = RequestContract(
        "A part of a picture of a workout, to share.",
        asks: [
            .always("id", .id),
            .known("format", .word(WorkoutPicture.Format.allCases.map(\.rawValue)).about("svg if it is left out")),
            .known(
                "hidden_m",
                .integer(in: WorkoutPicture.hideable)
                    .about("metres of the route that are hidden at start and end; 200 if it is left out")),
            .known(
                "without",
                .array(
                    of: .word(WorkoutPicture.Part.allCases.map(\.rawValue)),
                    atMost: Int64(WorkoutPicture.Part.allCases.count)
                ).about("what is not shown")),
            .known("theme", .word(Theme.allCases.map(\.rawValue)).about("light if it is left out")),
            .known("cursor", .text(atMost: PictureRequests.longestCursor).about("the `next` of a reply")),
        ],
        answers: .record([
            .always("type", .word(WorkoutPicture.Format.allCases.map(\.mediaType))),
            .always("length", .count.about("bytes of the whole picture")),
            .always("data", .base64(atMost: FilePart.longest)),
            .known("next", .text.about("the `cursor` of what follows")),
        ]))
}
