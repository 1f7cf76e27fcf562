import Telemetry

/// The people of whom everything is being deleted now: nothing new of theirs may be made meanwhile. Belongs to the
/// session's thread.
final class BeingForgotten {
    /// They are entered by what forgets them.
    var users: Set<ID> = []

    func contains(_ user: ID) -> Bool { users.contains(user) }
}
