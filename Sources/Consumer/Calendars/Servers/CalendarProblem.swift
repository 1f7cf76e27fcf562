import CalDAV

/// Why a calendar is not in step now.
enum CalendarProblem: Error, Hashable, Sendable {
    /// The server does not take the name and the password.
    case password
    /// There is no such calendar any more.
    case gone
    /// It has more events than are looked at.
    case tooMany
    /// The address leads into a network that is not public, and that the operator does not allow.
    case notPublic
    case address, unreachable, untrusted, timeout, tooLarge, forbidden, redirected, malformed
    /// The server answered with this status.
    case status(Int)
    /// The server does not know the state that was seen last.
    case tokenExpired
    /// Somebody else has changed the event.
    case conflict
    /// Most reminders are missing there: they are looked for once more before they are deleted here.
    case emptied
    /// It has changed more reminders today than people change.
    case tooOften
    /// Somebody else here has connected it.
    case taken
    /// This consumer ends.
    case cancelled

    /// For the person: nothing that the server says is in it. For them, a name in a private network is like one that is not there:
    /// otherwise everybody with an account could find out what names and addresses the consumer's network has.
    var words: String {
        switch self {
        case .password: "the calendar refused the password"
        case .gone: "there is no such calendar there"
        case .tooMany: "the calendar has more than \(CalendarLink.mostOthers) events that are no reminders"
        case .address: "this is not the address of a calendar server"
        case .notPublic, .unreachable: "the calendar server was not reached"
        case .untrusted: "the calendar server is not the one that it claims to be"
        case .timeout: "the calendar server did not answer in time"
        case .tooLarge: "the calendar server answered with more than is read"
        case .forbidden: "the calendar server does not allow it"
        case .redirected: "the calendar server leads to another place, where nobody is asked"
        case .malformed: "what answers there does not speak CalDAV"
        case .status(let status): "the calendar server answered with status \(status)"
        case .tokenExpired, .conflict: "the calendar is being changed: it is looked at again soon"
        case .emptied:
            "most of your reminders are missing there: they are looked for again before they are deleted here"
        case .tooOften:
            "the calendar has changed too many reminders today: it is looked at again later"
        case .taken: "somebody else in this home has connected this calendar"
        case .cancelled: "the consumer was stopped"
        }
    }

    /// For the log.
    var truth: String {
        self == .notPublic ? "its address leads into a private network that private_hosts does not allow" : words
    }

    /// Whether it is for the person to do something. It is believed when it is still so later: servers say it by mistake, too,
    /// while they are being repaired.
    var isFinal: Bool { self == .password || self == .gone }
}

extension CalendarProblem {
    init(_ reason: CalDAVError.Reason) {
        self =
            switch reason {
            case .address: .address
            case .notPublic: .notPublic
            case .unreachable: .unreachable
            case .untrusted: .untrusted
            case .timeout: .timeout
            case .tooLarge: .tooLarge
            case .unauthorized: .password
            case .forbidden: .forbidden
            case .gone: .gone
            case .conflict: .conflict
            case .tokenExpired: .tokenExpired
            case .redirected: .redirected
            case .malformed: .malformed
            case .status(let status): .status(status)
            case .cancelled: .cancelled
            }
    }
}
