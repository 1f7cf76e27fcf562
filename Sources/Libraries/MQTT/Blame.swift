// A broker that takes a message for an error in the protocol says so with a DISCONNECT and a reason code (MQTT 5,
// section 4.13), and the whole session ends because of one message. That message must not do it again: its topic is
// held back for a while, twice as long each time.
//
// Which message it was is known from the order: a broker handles what one client sends one after the other, and
// acknowledges what has QoS 1. So it was the oldest that is not acknowledged, or one of QoS 0 that was written since
// the last acknowledgement and before that one. If it may have been one of several, each is suspected, and held back
// the second time.

/// The topics over which a broker has ended connections. Belongs to the session's thread.
struct Blame {
    /// Reason codes that are about a message, and about nothing that passes by itself (MQTT 5, section 2.4): malformed
    /// packet, protocol error, topic name invalid, topic alias invalid, packet too large, payload format invalid,
    /// retain not supported, QoS not supported.
    static let codes: Set<UInt8> = [0x81, 0x82, 0x90, 0x94, 0x95, 0x99, 0x9A, 0x9B]

    private struct Suspect {
        var times = 0
        var since: ContinuousClock.Instant
        var heldUntil: ContinuousClock.Instant?
        var pause = Duration.seconds(60)
    }

    private static let longestPause = Duration.seconds(3600)
    /// A suspicion that is older is forgotten.
    private static let lifetime = Duration.seconds(7200)
    /// How many messages of QoS 0, and how many suspects, are remembered.
    private static let capacity = 64

    private var order: UInt64 = 0
    private var confirmedOrder: UInt64 = 0
    /// The last messages of QoS 0: the latest takes the place of the oldest.
    private var unacknowledged: [(order: UInt64, topic: String)] = []
    private var next = 0
    private var suspects: [String: Suspect] = [:]

    /// A message is handed to the library.
    /// - Returns: its place in the order.
    mutating func sent(_ topic: String, _ qos: QoS) -> UInt64 {
        order += 1
        if qos == .atMostOnce {
            if unacknowledged.count < Self.capacity {
                unacknowledged.append((order, topic))
            } else {
                unacknowledged[next] = (order, topic)
                next = (next + 1) % Self.capacity
            }
        }
        return order
    }

    /// The broker has acknowledged it, and so has accepted all before it.
    mutating func confirmed(_ order: UInt64) { confirmedOrder = max(confirmedOrder, order) }

    /// There is a new connection.
    mutating func begin() { (unacknowledged, next) = ([], 0) }

    /// The broker has ended the connection over a message.
    /// - Parameter oldest: the oldest message that waits for its acknowledgement.
    /// - Returns: topics to which nothing is published for a while.
    mutating func ended(oldest: (order: UInt64, topic: String)?, now: ContinuousClock.Instant) -> Set<
        String
    > {
        let before = unacknowledged.filter { $0.order > confirmedOrder && $0.order < oldest?.order ?? .max }
        let topics = Set(before.map(\.topic) + (oldest.map { [$0.topic] } ?? []))
        suspects = suspects.filter { now - $0.value.since < Self.lifetime }
        if suspects.count + topics.count > Self.capacity {
            suspects = suspects.filter { $0.value.heldUntil != nil }
        }
        var held: Set<String> = []
        for topic in topics {
            var suspect = suspects[topic] ?? Suspect(since: now)
            suspect.times += 1
            suspect.since = now
            if topics.count == 1 || suspect.times > 1 {
                if suspect.heldUntil != nil { suspect.pause = min(suspect.pause * 2, Self.longestPause) }
                suspect.heldUntil = now + suspect.pause
                held.insert(topic)
            }
            suspects[topic] = suspect
        }
        return held
    }

    /// Whether nothing may be published there now.
    func isHeld(_ topic: String, now: @autoclosure () -> ContinuousClock.Instant) -> Bool {
        guard !suspects.isEmpty, let end = suspects[topic]?.heldUntil else { return false }
        return now() < end
    }
}
