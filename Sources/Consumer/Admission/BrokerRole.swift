import Telemetry

// Who may do what at the broker. This file is `deploy/topics.md`'s table, in the words of Mosquitto's dynamic-security plugin.
//
// Everything that no rule allows is denied (`BrokerAccess.deniesByDefault`). Of a role's rules that match, the one with the highest
// priority holds; but for a subscription the plugin looks for the filter's very text among the role's `subscribeLiteral` first,
// whatever the priorities are (acl.c; pinned by the access matrix). No rule names two persons, and no role is shared by two: what one
// person sees of another, the consumer copies into that person's own topics.

/// One rule of a role.
package struct AccessRule: Hashable {
    /// What a client does, in the plugin's words.
    enum Action: String, Codable {
        case send = "publishClientSend"
        case receive = "publishClientReceive"
        /// A subscription with exactly this filter.
        case subscribeLiteral
        /// A subscription to what this filter covers.
        case subscribe = "subscribePattern"
    }

    let action: Action
    let filter: String
    var isAllowed = true
    var priority = 0

    /// The priority of what holds whatever else is allowed.
    static let overriding = 10

    static func allow(_ action: Action, _ filter: String) -> AccessRule { AccessRule(action: action, filter: filter) }

    static func deny(_ action: Action, _ filter: String) -> AccessRule {
        AccessRule(action: action, filter: filter, isAllowed: false, priority: overriding)
    }
}

/// What a client may do that has this role.
package struct BrokerRole: Hashable {
    let name: String
    let rules: Set<AccessRule>

    private init(_ name: String, _ rules: [AccessRule]) {
        self.name = name
        self.rules = Set(rules)
    }

    /// The consumer: all of the root, and the broker's rules.
    static func consumer(_ topics: Topics) -> BrokerRole {
        let root = topics.root
        return BrokerRole(
            "consumer",
            [
                .allow(.send, "\(root)/#"), .allow(.receive, "\(root)/#"), .allow(.subscribe, "\(root)/#"),
                .allow(.subscribe, "$share/+/\(root)/#"),
                .allow(.send, "$CONTROL/dynamic-security/#"), .allow(.receive, "$CONTROL/dynamic-security/#"),
                .allow(.subscribe, "$CONTROL/dynamic-security/#"),
            ])
    }

    /// What guests may ask. One by one: at a topic of their own choice they could have the broker keep what they publish retained, at as
    /// many as they like, until its memory is full.
    static let guestRequests = [
        "enrol", "nonce", "request-reset", "reset-password", "sign-in", "sign-in-with", "sign-up",
    ]

    /// Whoever has no name: asks under `accounts`, and hears the reply where nobody looks who has not drawn the same 128 bits.
    static func guest(_ topics: Topics) -> BrokerRole {
        let accounts = "\(topics.root)/accounts"
        return BrokerRole(
            "guest",
            guestRequests.map { .allow(.send, "\(accounts)/\($0)") } + [
                .allow(.receive, "\(accounts)/responses/+"),
                .allow(.subscribe, "\(accounts)/responses/+"),
                // The pattern above covers wildcards, too.
                .deny(.subscribeLiteral, "\(accounts)/responses/+"),
                .deny(.subscribeLiteral, "\(accounts)/responses/#"),
                .deny(.subscribeLiteral, "\(accounts)/responses"),
            ])
    }

    /// A person, on each of their devices. What they ask, no other device of theirs hears: the account's password may be in it, and a
    /// device that was lost could make itself at home for good.
    ///
    /// Its requests are not spelt one by one. With 75 rules of that kind for each person the plugin needs 1.3 s instead of 0.12 for each change at
    /// 10,000 people, during which the broker does nothing else, and 675 MB instead of 93. What people have the broker keep
    /// there, the consumer takes back, whatever its name.
    static func person(_ user: ID, _ topics: Topics) -> BrokerRole {
        let own = "\(topics.root)/users/\(user)"
        return BrokerRole(
            name(ofPerson: user),
            [
                .allow(.send, "\(own)/requests/+/+"), .allow(.receive, "\(own)/#"), .allow(.subscribe, "\(own)/#"),
                .deny(.receive, "\(own)/requests/#"),
            ])
    }

    /// A gateway: its own topics, and whether a consumer is there.
    static func gateway(_ gateway: ID, _ topics: Topics) -> BrokerRole {
        let own = "\(topics.root)/gateways/\(gateway)/#"
        let consumers = topics.everyConsumer()
        return BrokerRole(
            name(ofGateway: gateway),
            [
                .allow(.send, own), .allow(.receive, own), .allow(.subscribe, own),
                .allow(.receive, consumers), .allow(.subscribe, consumers),
            ])
    }

    /// Those who see what a gateway publishes live, or every gateway where none is named, and ask for readings: never its durable
    /// stream, sealed as that is.
    static func household(of gateway: ID?, _ topics: Topics) -> BrokerRole {
        let own = "\(topics.root)/gateways/\(gateway?.text ?? "+")"
        let all = gateway == nil ? "\(topics.root)/gateways/#" : "\(own)/#"
        let requests =
            GatewayRequest.allCases.map { AccessRule.allow(.send, "\(own)/requests/\($0.rawValue)") }
            + SensorTopic.requests.map { AccessRule.allow(.send, "\(own)/sensors/+/\($0.rawValue)") }
        return BrokerRole(
            gateway.map(name(ofHousehold:)) ?? household,
            requests + [
                .allow(.receive, all), .allow(.subscribe, all),
                .deny(.receive, "\(own)/blocks"), .deny(.receive, "\(own)/control"), .deny(.receive, "\(own)/grants"),
            ])
    }

    static let household = "household"

    static func name(ofPerson user: ID) -> String { "person-\(user)" }
    static func name(ofGateway gateway: ID) -> String { "gateway-\(gateway)" }
    static func name(ofHousehold gateway: ID) -> String { "household-\(gateway)" }

    /// Whose role has this name; nil where it is not a person's.
    static func person(_ name: String) -> ID? {
        guard name.hasPrefix("person-") else { return nil }
        return try? ID(String(name.dropFirst("person-".count)))
    }

    /// Whether a role of this name is one of these, which only the consumer gives and takes.
    static func isOurs(_ name: String) -> Bool { isShared(name) || isPersonal(name) }

    /// Whether whoever has the role is an account of ours, and none that an operator made.
    static func isPersonal(_ name: String) -> Bool {
        name.hasPrefix("person-") || name.hasPrefix("gateway-") || name == "consumer"
    }

    /// Roles that an operator may give to clients of their own, Home Assistant's for example.
    private static func isShared(_ name: String) -> Bool {
        name == "guest" || name == household || name.hasPrefix("household-")
    }
}
