package import Telemetry

/// The people of whom everything is being deleted now: nothing new of theirs may be made during that time. Belongs to
/// the session's thread.
package final class BeingForgotten {
    /// They are entered by what forgets them.
    package var users: Set<ID> = []

    package init() {}

    package func contains(_ user: ID) -> Bool { users.contains(user) }
}
