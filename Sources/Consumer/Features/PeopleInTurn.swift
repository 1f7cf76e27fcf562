import Daemon
package import Files
import Reactor
package import Telemetry

// There may be thousands of people. They are looked at in turn, a few milliseconds at a time, and the rest of the time is left to
// everything else. Whoever must be looked at at once comes before all others, as far as the session takes messages.

/// Has people looked at, one after the other, when something may have changed about them, and at their midnights. Belongs to
/// the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class PeopleInTurn: @unchecked Sendable {
    /// Looks at a person, and publishes what is different. It may say when it wants to look again: `wait`, `dayEnds`.
    package typealias Look = (_ user: ID, _ isUrgent: Bool) throws(VaultError) -> Void

    /// How long it works before it lets others work, and how long it lets them.
    private static let (portion, pause): (UInt64, Duration) = (5, .milliseconds(5))
    /// More messages than this are not left waiting.
    private static let mostUnfinished = 2000
    /// When it looks again after an error, milliseconds.
    private static let patience: UInt64 = 5000

    private let context: PeopleContext
    private let words: String
    private let look: Look
    /// People who must be looked at, no matter when they last were.
    private var urgent: Set<ID> = []
    /// The other people, in turn.
    private var queue: [ID] = []
    private var queued: Set<ID> = []
    /// People whose turn comes later, milliseconds since boot.
    private var later: [ID: UInt64] = [:]
    /// When people's days are over, Unix milliseconds.
    private var ends: [ID: Int64] = [:]
    private var isConnected = false
    private var timer: EventLoop.Timer?
    private var isIdle = false
    private var midnight: EventLoop.Timer?
    private var reported = OncePerMinute<String>(capacity: 16)

    /// - Parameter words: what the log says is published later where it fails, of a person: `what … sees`.
    package init(_ context: PeopleContext, _ words: String, look: @escaping Look) {
        (self.context, self.words, self.look) = (context, words, look)
    }

    package func connected() {
        isConnected = true
        watchMidnights()
    }

    package func disconnected() {
        isConnected = false
        (urgent, queue, queued, later, ends) = ([], [], [], [:], [:])
    }

    /// Looks at these people soon.
    package func add(_ users: Set<ID>) {
        guard isConnected else { return }
        for user in users where !queued.contains(user) && later[user] == nil { enqueue(user) }
        goOn(after: .zero)
    }

    /// Looks at these people before anything else is done, where possible.
    package func addAtOnce(_ users: Set<ID>) {
        guard isConnected else { return }
        urgent.formUnion(users)
        for user in urgent where !lookAt(user, isUrgent: true) { return goOn(after: .milliseconds(100)) }
    }

    /// Looks at a person again then, milliseconds since boot. To be called while it looks at them.
    package func wait(_ user: ID, until time: UInt64) { later[user] = time }

    /// Looks at a person again after the end of their day, Unix milliseconds; nil if nothing of it is shown.
    package func dayEnds(_ user: ID, at time: Int64?) { ends[user] = time }

    /// Whether this is worth a line in the log.
    package func isDue(_ error: VaultError) -> Bool {
        reported.allows("\(error.reason)", now: millisecondsSinceBoot())
    }

    private func enqueue(_ user: ID) {
        queue.append(user)
        queued.insert(user)
    }

    /// - Parameter isIdle: whether it waits only for people whose turn comes later; people who come in the meantime
    ///   then do not wait with them.
    private func goOn(after delay: Duration, isIdle: Bool = false) {
        guard timer == nil || self.isIdle && !isIdle else { return }
        timer?.cancel()
        self.isIdle = isIdle
        timer = context.session.loop.after(delay) { [unowned self] in
            timer = nil
            work()
        }
    }

    private func work() {
        guard isConnected else { return }
        let begun = millisecondsSinceBoot()
        for (user, due) in later where due <= begun {
            later[user] = nil
            if !queued.contains(user) { enqueue(user) }
        }
        for user in urgent where !lookAt(user, isUrgent: true) { return goOn(after: .milliseconds(200)) }
        var index = 0
        defer { queue.removeFirst(index) }
        while index < queue.count {
            guard millisecondsSinceBoot() < begun + Self.portion else { return goOn(after: Self.pause) }
            guard lookAt(queue[index], isUrgent: false) else { return goOn(after: .milliseconds(200)) }
            queued.remove(queue[index])
            index += 1
        }
        if let next = later.values.min() {
            goOn(after: .milliseconds(Int64(next - min(next, begun)) + 1), isIdle: true)
        }
    }

    /// - Returns: false if the session has too much to do.
    private func lookAt(_ user: ID, isUrgent: Bool) -> Bool {
        guard context.session.unfinishedCount < Self.mostUnfinished else { return false }
        do throws(VaultError) { try look(user, isUrgent) } catch {
            later[user] = millisecondsSinceBoot() + Self.patience
            if isDue(error) { log.error("what \(user) \(words) is published later: \(error)") }
        }
        if isUrgent, let due = later[user] {
            let now = millisecondsSinceBoot()
            goOn(after: .milliseconds(Int64(due - min(due, now)) + 1), isIdle: true)
        }
        urgent.remove(user)
        return true
    }

    /// Looks at people whose day is over. It looks every few seconds, because the wall clock may be set, and at the next
    /// midnight.
    private func watchMidnights() {
        midnight?.cancel()
        guard isConnected else { return }
        let now = context.now()
        var next = now + 5000
        var over: Set<ID> = []
        for (user, end) in ends {
            if end <= now { over.insert(user) } else { next = min(next, end) }
        }
        add(over)
        midnight = context.session.loop.after(.milliseconds(max(100, next - now))) { [unowned self] in
            watchMidnights()
        }
    }
}
