import Contract

/// What `steps/read` and `temperature/read` ask and answer.
extension RequestContract {
    static func reads(_ question: Question) -> RequestContract {
        let sensor = PayloadSchema.text(atMost: ReadRequests.longestName)
        let value: [PayloadSchema.Field] =
            switch question {
            case .steps: [.always("steps", .count), .known("derived", .bool.about("from the sensor's cadence"))]
            case .temperature: [.always("celsius", .number), .known("site", .text), .known("intermediate", .bool)]
            }
        return RequestContract(
            "Reads the \(question.rawValue) of a sensor now.",
            asks: [.known("sensor", sensor.about("such as home/strap; the first that can, if it is left out"))],
            answers: .record([.always("sensor", .text), .always("time", .time)] + value))
    }
}
