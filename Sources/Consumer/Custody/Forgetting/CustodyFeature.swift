package import Features
import Telemetry

extension Feature {
    /// What all features share, and what is left of a person who was forgotten.
    package static let custody = Feature(
        name: "custody",
        tables: [
            PersonalTable(
                name: "documents", erasure: .byItself,
                exported: .hidden(because: "each document says for itself where it is shown")),
            PersonalTable(
                name: "people", erasure: .byItself,
                exported: .hidden(because: "how often something of a person was changed, so that two programs agree")),
            PersonalTable(
                name: "forgotten",
                erasure: .never(because: "an earlier backup must not bring back a person who was forgotten"),
                exported: .hidden(because: "the list of people of whom something was forgotten, and when")),
        ],
        verbs: { [ExportRequests.verb($0.readers.exports, $0.context)] },
        topics: [
            FeatureTopic(
                .progress, isRetained: false,
                .object(
                    "Progress", "How far something that takes long has come.",
                    [
                        .always("operation", .text), .always("step", .text), .always("done", .count),
                        .always("of", .count),
                    ]))
        ])
}
