/// What became of the latest message to an address.
struct PushResult {
    /// Unix milliseconds.
    let time: Int64
    /// In words for the person; nil if it was sent.
    let problem: String?

    /// When it was sent; nil if it was not.
    var sent: Int64? { problem == nil ? time : nil }
    /// When that failed; nil if it did not.
    var failed: Int64? { problem == nil ? nil : time }
}

extension PushProgram.Outcome {
    /// For the person and the log: nothing of the address is in it.
    var words: String {
        switch self {
        case .sent: "it was sent"
        case .notTaken: "the receiver was not reached, or did not take it"
        case .notUnderstood: "Apprise makes nothing of the address"
        case .isPrivate: "the address leads into a private network, which this home does not allow"
        case .tookTooLong: "the receiver did not answer in time"
        case .noApprise: "this home has no Apprise: its operator has to install it (apt install apprise)"
        case .cancelled: "the consumer was stopped"
        case .failed(let problem): "Apprise failed: \(problem)"
        }
    }
}
