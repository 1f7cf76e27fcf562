/// What a person's receiver gets.
struct PushMessage {
    let address: PushAddress
    /// The notification's id: receivers of some kinds can tell by it what comes twice.
    let id: String
    let text: String
    let isAlert: Bool

    static let title = "Vitals"
    /// No text is longer, in characters.
    static let longestText = 1000
}

extension AppriseMessage {
    init(_ message: PushMessage) {
        self.init(
            to: message.address, id: message.id, title: PushMessage.title,
            text: String(message.text.prefix(PushMessage.longestText)), isAlert: message.isAlert)
    }
}

/// How it went with a message.
package enum PushOutcome: Hashable, Sendable {
    case sent
    /// The receiver did not take it, or was not there.
    case notTaken
    /// Apprise makes nothing of the address.
    case notUnderstood
    /// It leads into a network that it may not lead into.
    case isPrivate
    case tookTooLong
    /// The Python of the settings is not there, or has no Apprise.
    case noApprise
    /// The browser takes nothing any more.
    case gone
    case cancelled
    /// Something else, as the log says it.
    case failed(String)
}

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

extension PushOutcome {
    /// What the person sees. For them, a name in a private network is like one that is not there: otherwise everybody with an account
    /// could find out what names and addresses the consumer's network has.
    package var told: PushOutcome { self == .isPrivate ? .notTaken : self }

    /// For the log, and, of `told`, for the person: nothing of the address is in it.
    package var words: String {
        switch self {
        case .sent: "it was sent"
        case .notTaken: "the receiver was not reached, or did not take it"
        case .notUnderstood: "Apprise makes nothing of the address"
        case .isPrivate: "the address leads into a private network that private_hosts does not allow"
        case .tookTooLong: "the receiver did not answer in time"
        case .noApprise: "this home has no Apprise: its operator has to install it (apt install apprise)"
        case .gone: "the browser takes no notifications any more, and was removed"
        case .cancelled: "the consumer was stopped"
        case .failed(let problem): "it failed: \(problem)"
        }
    }
}
