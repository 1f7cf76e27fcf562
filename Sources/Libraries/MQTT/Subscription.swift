import CMosquitto

/// A topic filter, and how its messages should come.
public struct Subscription: Sendable, Equatable {
    /// The filter, with `+` and `#`, or `$share/{group}/{filter}`.
    public var filter: String
    /// The highest QoS at which messages should come.
    public var qos: QoS
    /// Leaves out what this session itself publishes (MQTT 5).
    public var noLocal = false
    /// Messages keep the retain flag that they were published with (MQTT 5). Without it only messages that the broker
    /// had retained have it.
    public var retainAsPublished = false
    /// Whether kept messages come at the subscription (MQTT 5).
    public var retainHandling = RetainHandling.send

    public init(
        _ filter: String, qos: QoS = .atLeastOnce, noLocal: Bool = false, retainAsPublished: Bool = false,
        retainHandling: RetainHandling = .send
    ) {
        self.filter = filter
        self.qos = qos
        self.noLocal = noLocal
        self.retainAsPublished = retainAsPublished
        self.retainHandling = retainHandling
    }

    /// When kept messages come: the values are those of MQTT 5, section 3.8.3.1.
    public enum RetainHandling: UInt8, Sendable {
        /// At each subscription.
        case send = 0
        /// Only if the subscription is new to the broker.
        case sendIfNew = 1
        /// Never.
        case doNotSend = 2
    }

    /// The options as MQTT 5 puts them on the wire, without the QoS.
    var optionBits: Int32 {
        (noLocal ? 0x04 : 0) | (retainAsPublished ? 0x08 : 0) | Int32(retainHandling.rawValue) << 4
    }
}

/// Whether a topic matches a filter, by MQTT's rules; false when either is malformed.
public func topic(_ topic: String, matches filter: String) -> Bool {
    var matches = false
    return mosquitto_topic_matches_sub(filter, topic, &matches) == MOSQ_ERR_SUCCESS.rawValue && matches
}
