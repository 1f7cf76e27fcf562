import Records
import Telemetry

// Presence tells gateways that a consumer is there, and lets consumers notice that there are two of them.
//
// Every status carries the instance's name, drawn at the start of the process; so does the will. A consumer subscribes
// to its own store's topic. What it finds there before it has said online itself was left by earlier instances, at
// whichever connection it comes. An instance that turns up later has taken its place, and it stops: the newcomer wins.
// That holds whether the two share a client id (the broker throws the older one out, which then finds the newcomer's
// will as it comes back; Mosquitto 2.0.11 gives no reason code for being thrown out) or not (it sees the newcomer's
// status). Clocks do not matter.

/// What is known about the consumers of a store. Belongs to one thread.
struct Presence {
    /// What a status on the store's topic calls for.
    enum Reaction: Equatable {
        case none
        /// The late will of an earlier instance: it says offline although we are online.
        case sayOnlineAgain
        /// Another consumer has taken this one's place.
        case superseded
    }

    private let instance: String
    private var predecessors: Set<String> = []
    private var hasSaidOnline = false
    /// Another consumer has taken this one's place: the topic belongs to the other now.
    private(set) var isSuperseded = false
    private var isLeaving = false

    /// - Parameter instance: a name that no other process has.
    init(instance: String) { self.instance = instance }

    /// The payload of a status, or of the will, which knows no time.
    func payload(_ state: Availability, time: Int64?) -> [UInt8] {
        StatusPayload(state, time: time, instance: instance).bytes
    }

    /// The broker has our online.
    mutating func saidOnline() { hasSaidOnline = true }

    /// The goodbye is about to be published: it comes back to us, too, and is the last word.
    mutating func leave() { isLeaving = true }

    /// A status came.
    mutating func received(_ payload: [UInt8]) -> Reaction {
        guard !isSuperseded, !isLeaving else { return .none }
        guard let status = decoded({ () throws(MalformedValue) in try StatusPayload(payload: payload) }) else {
            // Somebody has replaced our status, or taken it away.
            return hasSaidOnline ? .sayOnlineAgain : .none
        }
        let isOffline = status.state == .offline
        guard let other = status.instance, other != instance else {
            if !isOffline { hasSaidOnline = true }
            return isOffline && hasSaidOnline ? .sayOnlineAgain : .none
        }
        if !hasSaidOnline, predecessors.count < 64 { predecessors.insert(other) }
        guard !predecessors.contains(other) else { return isOffline && hasSaidOnline ? .sayOnlineAgain : .none }
        isSuperseded = true
        return .superseded
    }
}
