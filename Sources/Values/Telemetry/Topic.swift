/// All topics. They are spelt here, except for what the consumer's features publish to people, which they spell themselves.
///
/// ```
/// {root}/gateways/{gateway}/status
/// {root}/gateways/{gateway}/sensors/{sensor}/heart-rate
/// {root}/users/{user}/requests/devices/list
/// {root}/accounts/sign-up
/// {root}/stores/{store}/consumers/{instance}
/// {root}/home-assistant/{user}/today
/// ```
public enum Topic: Hashable, Sendable {
    /// A gateway's.
    case gateway(ID, GatewayTopic)
    /// A person's.
    case user(ID, UserTopic)
    /// For people who have no account, or are not signed in.
    case account(AccountTopic)
    /// The status of a consumer's instance, retained and also its will.
    case consumer(store: StoreID, instance: ID)
    /// What a person who agrees to it shows in Home Assistant of their day, retained.
    case homeAssistant(ID)
}

extension Topic {
    /// Where the consumer of a store says whether it is there: a store has one at a time.
    public static func presence(of store: StoreID) throws(MalformedValue) -> Topic {
        .consumer(store: store, instance: try ID("main"))
    }
}

/// What follows `gateways/{gateway}/`.
public enum GatewayTopic: Hashable, Sendable {
    /// Online or offline; also the will.
    case status
    /// Version, adapters, settings.
    case info
    /// Counters for operators.
    case health
    /// What happens.
    case events
    /// Sealed blocks, to the consumer.
    case blocks
    /// Sealed readings, to the consumer, at once and without an acknowledgement: the blocks have them, too.
    case live
    /// Signed messages from the consumer.
    case control
    /// Grants of the consumer's, handed back as they came: a consumer restored from a backup may not know their
    /// streams.
    case grants
    /// What is played in the house.
    case music
    /// A request about the gateway itself, by name.
    case request(ID)
    /// A request about the music.
    case musicRequest(MusicRequest)
    /// A reply; the tail is one or more levels.
    case response(String)
    /// A sensor's.
    case sensor(ID, SensorTopic)
}

/// What follows `users/{user}/`.
public enum UserTopic: Hashable, Sendable {
    /// A request, such as `devices/list`.
    case request(resource: ID, verb: ID)
    /// A reply; the tail is one or more levels.
    case response(String)
    /// What the consumer publishes to the person: one to `mostLevels` levels, each of which could be an id.
    case published(String)

    /// How many levels such a topic has at most.
    public static let mostLevels = 4

    /// The progress of something that takes long.
    public static let progress = UserTopic.published("progress")
    /// Events that the person may want to know about.
    public static let notifications = UserTopic.published("notifications")
}

/// What follows `accounts/`.
public enum AccountTopic: Hashable, Sendable {
    /// A request, such as `sign-up`.
    case request(ID)
    /// A reply, at a random level that its asker has chosen.
    case response(String)
}

/// What follows `gateways/{gateway}/sensors/{sensor}/`.
public enum SensorTopic: String, Hashable, Sendable, CaseIterable {
    /// Name, model, battery and so on.
    case info
    /// Online or offline, to be read together with the gateway's status.
    case availability
    /// Live heart rate.
    case heartRate = "heart-rate"
    /// Live running or walking: `RunningPayload`.
    case running
    /// Live cycling: `CyclingPayload`.
    case cycling
    /// Asks for the steps.
    case stepsGet = "steps/get"
    /// Replies with steps, for clients that name no response topic.
    case stepsResponse = "steps/response"
    /// Asks for the temperature.
    case temperatureGet = "temperature/get"
    /// Replies with temperatures, for clients that name no response topic.
    case temperatureResponse = "temperature/response"
    /// Which person's stream the sensor's readings go to: signed, retained.
    case grant

    /// Those that take requests.
    public static let requests = allCases.filter { $0.response != nil }

    /// Where the reply goes if a request names no topic for it; nil if this takes no requests.
    public var response: SensorTopic? {
        switch self {
        case .stepsGet: .stepsResponse
        case .temperatureGet: .temperatureResponse
        default: nil
        }
    }
}

/// Requests about a gateway itself, by the last level of their topics.
public enum GatewayRequest: String, Hashable, Sendable, CaseIterable {
    case scan, connect, disconnect, forget, rename
}

/// Requests about a gateway's music, by the last level of their topics.
public enum MusicRequest: String, Hashable, Sendable, CaseIterable {
    case show, play, pause, next, previous, choose, list, artwork, search, add, remove

    /// What comes before.
    public static let prefix = "music/"

    /// The request whose name, which is what follows `requests/`, this is.
    public init?(requestName name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        self.init(rawValue: String(name.dropFirst(Self.prefix.count)))
    }
}

/// A topic for requests, whatever its name: any topic under a filter of requests. The names and ids in it may be
/// invalid; it is still a request, to be refused.
public enum RequestTopic: Hashable, Sendable {
    /// Of a person: what follows `requests/`. Without an id it belongs to nobody.
    case user(ID?, name: String)
    /// Of somebody who is not signed in: what follows `accounts/`.
    case account(name: String)
    /// About a gateway itself: what follows `requests/`. Without an id it is about none.
    case gateway(ID?, name: String)
    /// Of one of a gateway's sensors, whose level of the topic is the name.
    case sensor(ID?, name: String, SensorTopic)
}
