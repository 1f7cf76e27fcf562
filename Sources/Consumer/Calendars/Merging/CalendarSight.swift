/// What was found of an event.
struct Finding: Hashable, Sendable {
    let etag: String
    let content: Content

    enum Content: Hashable, Sendable {
        /// - Parameter modified: when that was changed, in Unix milliseconds; nil if it does not say so.
        case event(uid: String, Appointment, modified: Int64?)
        case other(NoReminder)
    }
}

/// What one look at a calendar has found.
struct CalendarSight: Hashable, Sendable {
    /// What the server calls the state that it has shown; nil if it has no name for it.
    var token: String?
    /// Whether what is not listed is not there.
    var isComplete = false
    /// ETags by names: of all events, or of those that have changed.
    var listed: [String: String] = [:]
    /// The names of events that are gone.
    var removed: Set<String> = []
    /// What was read, by names.
    var read: [String: Finding] = [:]
}

/// Something that is written to a calendar.
enum CalendarStep: Hashable, Sendable {
    /// - Parameters:
    ///   - etag: of the event that it takes the place of; nil if there must be none.
    ///   - changed: when that was, in Unix milliseconds.
    ///   - revision: rises with each change.
    case put(name: String, uid: String, Appointment, etag: String?, changed: Int64, revision: Int64)
    /// - Parameter etag: of the event that goes.
    case delete(name: String, etag: String)

    var isDeletion: Bool { if case .delete = self { true } else { false } }

    var name: String {
        switch self {
        case .put(let name, _, _, _, _, _), .delete(let name, _): name
        }
    }
}

/// What became of a step.
enum CalendarOutcome: Hashable, Sendable {
    /// - Parameter etag: of what is there now; nil if it is not known, or nothing is.
    case done(etag: String?)
    /// Somebody has changed the event in the meantime.
    case found(Finding)
    /// It is gone.
    case gone
    /// The server does not take it.
    case refused
}
