/// Topics under one root: as text, as filters, and back from text.
public struct Topics: Hashable, Sendable {
    /// What all topics begin with, without a slash at its end.
    public let root: String

    /// The root unless a setting says otherwise.
    public static let defaultRoot = "vitals/v1"

    /// The most bytes of a topic that others name and we publish to.
    public static let maximumLength = 1024
    /// The most levels of such a topic. A broker ends the connection of a client that publishes to too many: Mosquitto
    /// 2.0.11 to more than 201.
    public static let maximumLevels = 20

    /// Topics under a root of one or more levels; refuses wildcards, empty levels, a `$` in front, and a root that
    /// leaves no room for what follows.
    public init(root: String = Topics.defaultRoot) throws(MalformedValue) {
        guard Self.isPrefix(root),
            !root.split(separator: "/", omittingEmptySubsequences: false).contains("")
        else {
            throw MalformedValue(
                "root topic",
                .notAllowed(
                    """
                    at most \(Self.maximumPrefixLevels) levels between slashes and \(Self.maximumPrefixLength) bytes, no level empty, no $ in front, \
                    without +, # and control characters
                    """))
        }
        self.root = root
    }

    private static let maximumPrefixLevels = 10
    private static let maximumPrefixLength = 512

    /// Whether topics may be under it, a response prefix of the settings for example.
    public static func isPrefix(_ text: String) -> Bool {
        isTopicName(text, maximumLevels: maximumPrefixLevels, maximumLength: maximumPrefixLength)
            && !text.hasPrefix("$")
    }

    /// The topic as text.
    public subscript(topic: Topic) -> String {
        switch topic {
        case .gateway(let gateway, let rest): "\(root)/gateways/\(gateway)/\(Self.text(rest))"
        case .user(let user, let rest): "\(root)/users/\(user)/\(Self.text(rest))"
        case .account(.request(let verb)): "\(root)/accounts/\(verb)"
        case .account(.response(let tail)): "\(root)/accounts/responses/\(tail)"
        case .consumer(let store, let instance): "\(root)/stores/\(store)/consumers/\(instance)"
        case .homeAssistant(let user): "\(root)/home-assistant/\(user)/today"
        }
    }

    /// A gateway's topic as text.
    public subscript(gateway: ID, topic: GatewayTopic) -> String { self[.gateway(gateway, topic)] }

    /// A sensor's topic as text.
    public subscript(gateway: ID, sensor: ID, topic: SensorTopic) -> String {
        self[.gateway(gateway, .sensor(sensor, topic))]
    }

    /// A person's topic as text.
    public subscript(user user: ID, topic: UserTopic) -> String { self[.user(user, topic)] }

    /// A filter for what people show in Home Assistant of their days.
    public var everyHomeAssistantDay: String { "\(root)/home-assistant/+/today" }

    /// A filter for all requests of all people, and whatever else is published there.
    public var everyUserRequest: String { "\(root)/users/+/requests/#" }

    /// A filter for all requests of those who are not signed in.
    public var everyAccountRequest: String { "\(root)/accounts/+" }

    /// A filter for one topic of every gateway.
    public func everyGateway(_ topic: GatewayTopic) -> String { "\(root)/gateways/+/\(Self.text(topic))" }

    /// A filter for one topic of every sensor, of one gateway or of all.
    public func everySensor(of gateway: ID? = nil, _ topic: SensorTopic) -> String {
        "\(root)/gateways/\(gateway?.text ?? "+")/sensors/+/\(topic.rawValue)"
    }

    /// A filter for all requests about a gateway itself, or about every gateway, and whatever else is published there.
    public func everyRequest(to gateway: ID? = nil) -> String {
        "\(root)/gateways/\(gateway?.text ?? "+")/requests/#"
    }

    /// A filter for all replies of a gateway.
    public func everyResponse(of gateway: ID) -> String { "\(root)/gateways/\(gateway)/responses/#" }

    /// A filter for everything of a gateway, or of all gateways.
    public func everything(of gateway: ID? = nil) -> String { "\(root)/gateways/\(gateway?.text ?? "+")/#" }

    /// A filter for the instances of one store, or of all.
    public func everyConsumer(of store: StoreID? = nil) -> String {
        "\(root)/stores/\(store?.description ?? "+")/consumers/+"
    }

    /// Whether a reply may go to the response topic that a request names: a topic without wildcards under this
    /// gateway's `responses/`, or under one of the prefixes in its settings. Anywhere else it would lend the gateway's
    /// rights to the asker.
    public func allowsResponse(at topic: String, of gateway: ID, prefixes: [String] = []) -> Bool {
        (["\(root)/gateways/\(gateway)/responses"] + prefixes).contains { Self.lies(topic, under: $0) }
    }

    /// Whether a reply to a person may go there: under their own `responses/`, and nowhere else.
    public func allowsResponse(at topic: String, toUser user: ID) -> Bool {
        Self.lies(topic, under: "\(root)/users/\(user)/responses")
    }

    /// Whether a reply to somebody who is not signed in may go there: one level of 32 hexadecimal digits under
    /// `accounts/responses/`, which nobody can guess.
    public func allowsGuestResponse(at topic: String) -> Bool {
        let prefix = "\(root)/accounts/responses/"
        guard topic.utf8.starts(with: prefix.utf8) else { return false }
        let level = topic.utf8.dropFirst(prefix.utf8.count)
        return level.count == 32
            && level.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func lies(_ topic: String, under prefix: String) -> Bool {
        let prefix = prefix.hasSuffix("/") ? prefix : prefix + "/"
        return isTopicName(topic, maximumLevels: maximumLevels, maximumLength: maximumLength)
            && topic.utf8.count > prefix.utf8.count && topic.utf8.starts(with: prefix.utf8)
    }

    /// The request that a topic stands for, or nil if it is under no filter of requests.
    public func request(at text: String) -> RequestTopic? {
        guard let levels = levels(of: text, atMost: 5), levels.count >= 2 else { return nil }
        switch (levels[0], levels.dropFirst(2).first) {
        case ("accounts", nil): return .account(name: levels[1])
        case ("users", "requests"): return .user(Self.id(levels[1]), name: Self.rest(levels))
        case ("gateways", "requests"): return .gateway(Self.id(levels[1]), name: Self.rest(levels))
        case ("gateways", "sensors"):
            guard levels.count == 5, let topic = SensorTopic(rawValue: levels[4]), topic.response != nil
            else {
                return nil
            }
            return .sensor(Self.id(levels[1]), name: levels[3], topic)
        default: return nil
        }
    }

    /// What follows `requests/`, from levels that were split into five at most.
    private static func rest(_ levels: [String]) -> String {
        levels.dropFirst(3).joined(separator: "/")
    }

    /// Where the reply goes if a request names no topic for it: next to the request, under the same name. Nil if nobody
    /// may receive it, or the topic would be too long.
    public func listedResponse(to request: RequestTopic) -> String? {
        let topic: String? =
            switch request {
            case .user(let user?, let name): "\(root)/users/\(user)/responses/\(name)"
            case .gateway(let gateway?, let name): "\(root)/gateways/\(gateway)/responses/\(name)"
            case .sensor(let gateway?, let name, let topic):
                topic.response.map { "\(root)/gateways/\(gateway)/sensors/\(name)/\($0.rawValue)" }
            default: nil
            }
        guard let topic else { return nil }
        let isShort = Self.isTopicName(
            topic, maximumLevels: Self.maximumLevels, maximumLength: Self.maximumLength)
        return isShort ? topic : nil
    }

    /// The levels under the root; if there are more than `most`, the last one holds the rest. Nil if the text is
    /// no topic under the root.
    private func levels(of text: String, atMost most: Int = .max) -> [String]? {
        guard text.utf8.starts(with: root.utf8) else { return nil }
        let rest = text.utf8.dropFirst(root.utf8.count)
        guard rest.first == UInt8(ascii: "/"), Self.isTopicName(text) else { return nil }
        return rest.dropFirst()
            .split(separator: UInt8(ascii: "/"), maxSplits: most - 1, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    /// The topic that a text spells, or nil if it is none of these.
    public func parse(_ text: String) -> Topic? {
        guard let levels = levels(of: text), levels.count >= 2 else { return nil }
        switch levels[0] {
        case "accounts": return Self.parse(account: levels.dropFirst()).map(Topic.account)
        case "users":
            guard let user = Self.id(levels[1]), let topic = Self.parse(user: levels.dropFirst(2)) else { return nil }
            return .user(user, topic)
        case "gateways":
            guard let gateway = Self.id(levels[1]), let topic = Self.parse(gateway: levels.dropFirst(2)) else {
                return nil
            }
            return .gateway(gateway, topic)
        case "stores":
            guard levels.count == 4, levels[2] == "consumers", let store = StoreID(levels[1]),
                store.description == levels[1], let instance = Self.id(levels[3])
            else { return nil }
            return .consumer(store: store, instance: instance)
        case "home-assistant":
            guard levels.count == 3, levels[2] == "today" else { return nil }
            return Self.id(levels[1]).map(Topic.homeAssistant)
        default: return nil
        }
    }

    private static func text(_ topic: UserTopic) -> String {
        switch topic {
        case .request(let resource, let verb): "requests/\(resource)/\(verb)"
        case .response(let tail): "responses/\(tail)"
        case .published(let name): name
        }
    }

    private static func text(_ topic: GatewayTopic) -> String {
        switch topic {
        case .status: "status"
        case .info: "info"
        case .health: "health"
        case .events: "events"
        case .blocks: "blocks"
        case .live: "live"
        case .control: "control"
        case .grants: "grants"
        case .music: "music"
        case .request(let name): "requests/\(name)"
        case .musicRequest(let request): "requests/\(MusicRequest.prefix)\(request.rawValue)"
        case .response(let tail): "responses/\(tail)"
        case .sensor(let sensor, let topic): "sensors/\(sensor)/\(topic.rawValue)"
        }
    }

    private static func parse(account levels: ArraySlice<String>) -> AccountTopic? {
        let rest = levels.dropFirst()
        if levels.first == "responses" { return rest.isEmpty ? nil : .response(rest.joined(separator: "/")) }
        return rest.isEmpty ? levels.first.flatMap(id).map(AccountTopic.request) : nil
    }

    private static func parse(user levels: ArraySlice<String>) -> UserTopic? {
        let rest = levels.dropFirst()
        switch (levels.first, rest.count) {
        case ("requests", 2):
            guard let resource = rest.first.flatMap(id), let verb = rest.last.flatMap(id) else { return nil }
            return .request(resource: resource, verb: verb)
        case ("requests", _): return nil
        case ("responses", 1...): return .response(rest.joined(separator: "/"))
        case ("responses", _): return nil
        default:
            guard (1...UserTopic.mostLevels).contains(levels.count), levels.allSatisfy({ id($0) != nil }) else {
                return nil
            }
            return .published(levels.joined(separator: "/"))
        }
    }

    private static func parse(gateway levels: ArraySlice<String>) -> GatewayTopic? {
        let rest = levels.dropFirst()
        switch (levels.first, rest.count) {
        case ("status", 0): return .status
        case ("info", 0): return .info
        case ("health", 0): return .health
        case ("events", 0): return .events
        case ("blocks", 0): return .blocks
        case ("live", 0): return .live
        case ("control", 0): return .control
        case ("grants", 0): return .grants
        case ("music", 0): return .music
        case ("requests", 1): return rest.first.flatMap(id).map(GatewayTopic.request)
        case ("requests", 2):
            return MusicRequest(requestName: rest.joined(separator: "/")).map(GatewayTopic.musicRequest)
        case ("responses", 1...): return .response(rest.joined(separator: "/"))
        case ("sensors", 2...):
            guard let sensor = rest.first.flatMap(id),
                let topic = SensorTopic(rawValue: rest.dropFirst().joined(separator: "/"))
            else { return nil }
            return .sensor(sensor, topic)
        default: return nil
        }
    }

    private static func id(_ text: String) -> ID? {
        do throws(MalformedValue) { return try ID(text) } catch { return nil }
    }

    /// Whether a message can be published there: not empty, no wildcard, no NUL, at most 65535 bytes (MQTT 5, 4.7), and
    /// none of the characters for which brokers end the connection (MQTT 5, 1.5.4).
    private static func isTopicName(
        _ text: String, maximumLevels: Int = .max, maximumLength: Int = 0xFFFF
    ) -> Bool {
        guard (1...maximumLength).contains(text.utf8.count) else { return false }
        var (slashes, isASCII) = (0, true)
        for byte in text.utf8 {
            switch byte {
            case 0...0x1F, 0x23, 0x2B, 0x7F: return false
            case 0x2F: slashes += 1
            case 0x80...: isASCII = false
            default: break
            }
        }
        return slashes < maximumLevels && (isASCII || !text.unicodeScalars.contains(where: isForbidden))
    }

    /// Control characters, and code points that stand for no character.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: true
        default: scalar.value & 0xFFFE == 0xFFFE
        }
    }
}
