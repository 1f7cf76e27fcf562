import Synchronization

/// What a program has published with the retain flag, to publish it again after each reconnection: a broker that was
/// restarted may have forgotten it. From any thread.
public final class RetainedTopics: Sendable {
    private struct Entry {
        let payload: [UInt8]
        let expirySeconds: UInt32?
    }

    private let session: Session
    private let entries = Mutex<[String: Entry]>([:])

    /// The topics of one session, none yet.
    public init(on session: Session) { self.session = session }

    /// Publishes at QoS 1 with the retain flag (an empty payload deletes the retained message): now if there is a
    /// connection, and again by `publishAgain`.
    public func publish(_ payload: [UInt8], to topic: String, expiresAfter expiry: Duration? = nil) {
        let entry = Entry(payload: payload, expirySeconds: expiry.map { UInt32(clamping: $0.components.seconds) })
        // Under the lock, so that with two threads the last payload here is also the last at the broker.
        entries.withLock { entries in
            entries[topic] = entry
            publish(entry, topic)
        }
    }

    /// Call it at each `State.connected`.
    public func publishAgain() {
        entries.withLock { entries in
            for (topic, entry) in entries { publish(entry, topic) }
        }
    }

    private func publish(_ entry: Entry, _ topic: String) {
        let properties = entry.expirySeconds.map { Message.Properties(messageExpirySeconds: $0) }
        session.publish(entry.payload, to: topic, qos: .atLeastOnce, retain: true, properties: properties)
    }
}
