import MQTT
import Reactor
import Synchronization

/// What a session reports.
enum Event: Sendable {
    /// It has entered another state.
    case state(State)
    /// A message came.
    case message(Message)
    /// The broker answered a subscription: granted, or why not.
    case answered(MQTTError?)
    /// The reply to a request came, or none will.
    case replied(Result<Message, MQTTError>)
    /// Something was refused later on.
    case problem(MQTTError)
    /// This many messages were lost, because nobody took them in time.
    case missed(Int)
}

/// What the session's thread leaves for the program's only other thread, in order. A slow reader of our output must not
/// hold up the session, nor fill the memory: beyond a limit messages are counted, not kept.
final class Inbox: Sendable {
    private struct Contents {
        var events: [Event] = []
        var missed = 0
        var waiter: Answer<Bool>?
    }

    /// Some megabytes; a minute of a thousand sensors.
    private static let limit = 65_536

    private let contents = Mutex(Contents())

    /// Leaves an event.
    func put(_ event: Event) {
        let waiter = contents.withLock { contents -> Answer<Bool>? in
            if case .message = event, contents.events.count >= Self.limit {
                contents.missed += 1
                return nil
            }
            contents.events.append(event)
            return contents.waiter.take()
        }
        waiter?.set(true)
    }

    /// Takes everything there is, once there is something; empty if nothing came in time.
    func take(within limit: Duration) -> [Event] {
        let waiter = contents.withLock { contents -> Answer<Bool>? in
            guard contents.events.isEmpty else { return nil }
            let waiter = Answer<Bool>()
            contents.waiter = waiter
            return waiter
        }
        if let waiter { _ = waiter.wait(atMost: limit) }
        return contents.withLock { contents in
            var events: [Event] = []
            swap(&events, &contents.events)
            if contents.missed > 0 { events.append(.missed(contents.missed)) }
            contents.missed = 0
            contents.waiter = nil
            return events
        }
    }
}
