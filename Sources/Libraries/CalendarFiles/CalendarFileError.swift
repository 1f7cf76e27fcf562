/// Why a resource of a calendar is not an event that comes each week.
public enum CalendarFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is longer, deeper or has more parts than is allowed.
    case tooLarge
    /// It is no iCalendar, or lacks what every event has: what is wrong.
    case damaged(String)
    /// It is an event of another kind. The words are for the person whose event it is, and follow "it cannot be a
    /// reminder, because": `it repeats every month`.
    case unsupported(String)

    /// One line, for a log or a person.
    public var description: String {
        switch self {
        case .tooLarge: "the event is too large"
        case .damaged(let what): "the event is damaged: \(what)"
        case .unsupported(let what): "the event is no reminder: \(what)"
        }
    }
}
