/// How hard the protocol tries to deliver a message. There is no QoS 2 here: a subscriber that dies while it handles a
/// QoS 2 message has lost it (pinned by KnownFactsTests), whereas with QoS 1 it is sent again.
public enum QoS: UInt8, Sendable {
    case atMostOnce = 0
    case atLeastOnce = 1
}

/// One message, received or to be published.
public struct Message: Sendable, Equatable {
    public var topic: String
    public var payload: [UInt8]
    public var qos: QoS
    /// Received: the broker had kept it (or, with `retainAsPublished`, it was published so). Published: keep it.
    public var retain: Bool
    /// MQTT 5's properties; nil when there are none.
    public var properties: Properties?
    /// Received: the longest time that it can have waited in this machine before it was read, because the program was
    /// stopped or busy. Zero if that was less than two seconds, which nobody notices. The broker counts its Message
    /// Expiry down only until the message leaves the broker.
    public internal(set) var heldAtMost = Duration.zero

    public init(
        topic: String, payload: [UInt8], qos: QoS = .atMostOnce, retain: Bool = false, properties: Properties? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
        self.properties = properties
    }

    /// How long its sender still waits for an answer, as far as can be known: in no case longer than this.
    /// - Parameters:
    ///   - usual: how long senders wait that do not say.
    ///   - longest: no sender is assumed to wait for longer.
    /// - Returns: zero or less if nobody waits any more.
    public func timeLeft(usual: Duration, longest: Duration) -> Duration {
        let allowed = properties?.messageExpirySeconds.map { Duration.seconds(Int64($0)) } ?? usual
        return min(allowed - heldAtMost, longest)
    }

    /// Properties of a message (MQTT 5, section 3.3.2.3). With MQTT 3.1.1 they are left out.
    public struct Properties: Sendable, Equatable {
        /// Where an answer is expected.
        public var responseTopic: String?
        /// What the answer must carry, so that the asker can find its question again.
        public var correlationData: [UInt8]?
        /// Seconds after which the broker drops the message undelivered; received: how many are left.
        public var messageExpirySeconds: UInt32?
        /// The payload's media type.
        public var contentType: String?
        /// Names and values of the application's own, in order.
        public var userProperties: [UserProperty] = []

        public init(
            responseTopic: String? = nil, correlationData: [UInt8]? = nil, messageExpirySeconds: UInt32? = nil,
            contentType: String? = nil, userProperties: [UserProperty] = []
        ) {
            self.responseTopic = responseTopic
            self.correlationData = correlationData
            self.messageExpirySeconds = messageExpirySeconds
            self.contentType = contentType
            self.userProperties = userProperties
        }
    }

    /// A name and a value of the application's own.
    public struct UserProperty: Sendable, Equatable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}
