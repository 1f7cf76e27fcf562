import Daemon
package import MQTT
import Reactor
import Records
package import Storage
package import Telemetry

/// Publishes notifications until the broker has each of them. Belongs to the session's thread.
///
/// At most `window` of them are on their way at a time, in the order in which they were inserted. Those that the broker
/// has acknowledged are marked together, in one transaction. A lost connection fails all that are on their way, and
/// publishing begins again with the oldest that is not marked.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class NotificationPublisher: FeatureService, @unchecked Sendable {
    private static let window = 64

    private let notifications: Notifications
    private let session: Session
    private let topics: Topics
    /// By id: rows' numbers are given again.
    private var onTheirWay: Set<String> = []
    private var acknowledged: [(id: String, user: String)] = []
    /// The number of the connection: completions of an older one mean nothing.
    private var connection = 0
    private var isConnected = false
    private var next: EventLoop.Timer?
    private var reported = OncePerMinute<String>(capacity: 16)
    /// How many the broker has taken since the start.
    package private(set) var published = 0

    package init(_ notifications: Notifications, _ session: Session, _ topics: Topics) {
        self.notifications = notifications
        self.session = session
        self.topics = topics
        notifications.added = { [unowned self] in goOn(after: .zero) }
    }

    package func connected() {
        connection += 1
        isConnected = true
        onTheirWay = []
        goOn(after: .zero)
    }

    package func disconnected() {
        isConnected = false
        connection += 1
        onTheirWay = []
    }

    /// The work does not run within a transaction: code that has one open at that time has not returned to the loop
    /// yet.
    private func goOn(after delay: Duration) {
        guard next == nil, isConnected || !acknowledged.isEmpty else { return }
        next = session.loop.after(delay) { [unowned self] in
            next = nil
            work()
        }
    }

    private func work() {
        do throws(VaultError) {
            try mark()
            guard isConnected else { return }
            try publish()
        } catch {
            if reported.allows("\(error.reason)", now: millisecondsSinceBoot()) {
                log.error("notifications are published in 5 s: \(error)")
            }
            goOn(after: .seconds(5))
        }
    }

    private func mark() throws(VaultError) {
        guard !acknowledged.isEmpty else { return }
        try notifications.markPublished(acknowledged)
        published += acknowledged.count
        onTheirWay.subtract(acknowledged.map(\.id))
        acknowledged = []
    }

    private func publish() throws(VaultError) {
        // Waits until half of the window is free: otherwise each mark would be a commit of its own.
        guard onTheirWay.count <= Self.window / 2 else { return }
        var unreadable: [(id: String, user: String)] = []
        for row in try notifications.unpublished(atMost: Self.window) where !onTheirWay.contains(row.id) {
            guard let user = decoded({ () throws(MalformedValue) in try ID(row.user) }),
                let notification = try notifications.opened(row)
            else {
                unreadable.append((row.id, row.user))
                continue
            }
            let (id, connection) = (row.id, connection)
            let isTaken = session.publish(
                notification.json.bytes, to: topics[user: user, .notifications], qos: .atLeastOnce
            ) { [unowned self] error in told((id, user.text), error, of: connection) }
            // Later notifications must not overtake it.
            guard isTaken else { return goOn(after: .seconds(1)) }
            onTheirWay.insert(id)
        }
        // `check` tells the operator; nobody else can do anything about it.
        if !unreadable.isEmpty { try notifications.markPublished(unreadable) }
    }

    private func told(_ one: (id: String, user: String), _ error: MQTTError?, of connection: Int) {
        guard connection == self.connection else {
            // What the broker has acknowledged need not be published twice.
            if error == nil { acknowledged.append(one) }
            return
        }
        if let error {
            onTheirWay.remove(one.id)
            if reported.allows("refused", now: millisecondsSinceBoot()) {
                log.error("a notification was not published; trying again in 5 s: \(error)")
            }
            return goOn(after: .seconds(5))
        }
        acknowledged.append(one)
        goOn(after: .milliseconds(5))
    }
}

extension Notifications {
    /// The oldest notifications that are not marked.
    package func unpublished(atMost limit: Int) throws(VaultError) -> [Row] {
        try store.database.query(
            "SELECT \(Row.columns) FROM notifications WHERE published = 0 ORDER BY number LIMIT ?", [.integer(limit)],
            row: Row.init)
    }

    /// Notes that the broker has them.
    func markPublished(_ marked: [(id: String, user: String)]) throws(VaultError) {
        var people: Set<ID> = []
        for one in marked {
            // Nothing is made of somebody who was forgotten.
            guard let user = decoded({ () throws(MalformedValue) in try ID(one.user) }),
                try documents.keys.version(of: user) != nil
            else { continue }
            people.insert(user)
        }
        try store.change(people) { () throws(VaultError) in
            for (id, _) in marked {
                try store.database.execute("UPDATE notifications SET published = 1 WHERE id = ?", [.text(id)])
            }
        }
    }
}
