package import Desk
package import MQTT
package import Reactor
package import Records
package import Telemetry

/// A part of a feature that lives as long as the service and does more than answer: it hears of the connection and of
/// settings, or works by the clock. It is made before the session starts, and called on its thread from then on.
package protocol FeatureService: AnyObject {
    /// What people may ask of it.
    var verbs: [Verb] { get }

    /// What it wants to hear besides what the service hears anyway. Asked for once, before the session starts.
    var subscriptions: [Subscription] { get }

    /// The service begins.
    func start(_ loop: EventLoop)

    /// The broker is there.
    func connected()

    /// The broker has gone; what was on its way to it may have arrived or not.
    func disconnected()

    /// The broker knows the clients and rights that the databases have.
    /// - Parameter found: people of whom a client was found there and removed.
    func brokerIsInLine(_ found: Set<ID>)

    /// A message that is neither a block nor a request.
    func heard(_ topic: Topic, _ message: Message)

    /// A retained message whose topic is none of ours, though it was subscribed to.
    func heardElsewhere(_ message: Message)

    /// Readings were measured. Those of a gateway's sensor were sent at once, because its grant asks for that: they are not
    /// stored yet, and come again with their block. Those that came to the consumer itself, such as a phone's, are stored
    /// already.
    /// - Parameter readings: with corrected times, in the order in which they came.
    func measured(_ readings: [Reading], of user: ID, by sensor: SensorName)

    /// The context's settings have changed.
    func settingsChanged()
}

extension FeatureService {
    package var verbs: [Verb] { [] }
    package var subscriptions: [Subscription] { [] }
    package func start(_ loop: EventLoop) {}
    package func connected() {}
    package func disconnected() {}
    package func brokerIsInLine(_ found: Set<ID>) {}
    package func heard(_ topic: Topic, _ message: Message) {}
    package func heardElsewhere(_ message: Message) {}
    package func measured(_ readings: [Reading], of user: ID, by sensor: SensorName) {}
    package func settingsChanged() {}
}

/// A feature's service that looks at each message before everybody else.
package protocol MessageTaker: AnyObject {
    /// - Returns: whether the message is for nobody else.
    func takes(_ message: Message) -> Bool
}
