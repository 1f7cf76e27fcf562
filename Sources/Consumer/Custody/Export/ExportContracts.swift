import Contract

/// What `export/part` asks and answers.
extension RequestContract {
    static let exportPart = RequestContract(
        "A part of all that is kept of the person.",
        asks: [
            .known(
                "cursor",
                .text(atMost: ExportRequests.longestCursor).about("the `next` of a reply; none for the first part"))
        ],
        answers: .record([
            .always("file", .text.about("its name, such as days.jsonl: parts of one file follow each other")),
            .always("data", .text), .known("encoding", .only("base64").about("of a picture")),
            .known("next", .text.about("the cursor of what follows; none after the last part")),
        ]))
}
