package import Telemetry

// Roles at the broker, and what each may do. This file is the table in `deploy/topics.md`, in the words of Mosquitto's
// dynamic-security plugin.
//
// Everything that no rule allows is denied (`BrokerAccess.byDefault`). Among a role's rules that match, the one
// with the highest priority holds; but for a subscription the plugin first looks for the exact text of the filter among
// the role's `subscribeLiteral`, whatever the priorities are (acl.c; pinned by the access matrix). No rule names two
// persons, and no role is shared by two: what one person sees of another, the consumer copies into that person's own
// topics.
//
// Where it is possible, a client does not hear what it publishes itself: the broker keeps a copy for every connection that
// has subscribed and does not read, so a few bytes become as many as somebody likes. Gateways hear their own topics: they
// need to see another gateway of their name, and requests that they have to take back.

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

    /// The priority of rules that hold whatever else is allowed.
    static let overriding = 10

    static func allow(_ action: Action, _ filter: String) -> AccessRule { AccessRule(action: action, filter: filter) }

    static func deny(_ action: Action, _ filter: String) -> AccessRule {
        AccessRule(action: action, filter: filter, isAllowed: false, priority: overriding)
    }
}

/// What a client with this role may do.
package struct BrokerRole: Hashable {
    let name: String
    let rules: Set<AccessRule>

    private init(_ name: String, _ rules: [AccessRule]) {
        self.name = name
        self.rules = Set(rules)
    }

    /// The consumer: all of the root, and the broker's rules. Where the settings say so, it also describes people to Home
    /// Assistant, and hears when that has started.
    static func consumer(_ topics: Topics, _ homeAssistant: HomeAssistantTopics?) -> BrokerRole {
        let root = topics.root
        let described: [AccessRule] =
            homeAssistant.map {
                [
                    .allow(.send, $0.everythingOfPeople), .allow(.receive, $0.everythingOfPeople),
                    .allow(.subscribe, $0.everythingOfPeople), .allow(.receive, $0.status),
                    .allow(.subscribe, $0.status),
                ]
            } ?? []
        return BrokerRole(
            "consumer",
            [
                .allow(.send, "\(root)/#"), .allow(.receive, "\(root)/#"), .allow(.subscribe, "\(root)/#"),
                .allow(.subscribe, "$share/+/\(root)/#"),
                .allow(.send, "$CONTROL/dynamic-security/#"), .allow(.receive, "$CONTROL/dynamic-security/#"),
                .allow(.subscribe, "$CONTROL/dynamic-security/#"),
            ] + described)
    }

    /// What guests may ask. One by one: if guests could choose topics, they could have the broker keep retained
    /// messages on as many as they like, until its memory is full.
    static let guestRequests = [
        "enrol", "nonce", "request-reset", "reset-password", "sign-in", "sign-in-with", "sign-up",
    ]

    /// A client without a name: it asks under `accounts`, and hears the reply on a topic that nobody finds without the
    /// same 128 random bits.
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

    /// A person, on each of their devices. Their other devices do not hear what they ask: the account's password may be
    /// in it, and a device that was lost could gain lasting access.
    ///
    /// Its requests are not spelt one by one. With 75 rules of that kind for each person the plugin needs 1.3 s instead
    /// of 0.12 for each change at 10,000 people, during which the broker does nothing else, and 675 MB instead of 93.
    /// The consumer takes back what people make the broker retain there, whatever its name.
    static func person(_ user: ID, _ topics: Topics) -> BrokerRole {
        let own = "\(topics.root)/users/\(user)"
        return BrokerRole(
            name(ofPerson: user),
            [
                .allow(.send, "\(own)/requests/+/+"), .allow(.receive, "\(own)/#"), .allow(.subscribe, "\(own)/#"),
                .deny(.receive, "\(own)/requests/#"),
            ])
    }

    /// A phone that tells where its person is: its own topic and those beneath it, and commands to it, which it does not send. What else its person
    /// may do is not its affair: its password is in an app's settings, and goes to whoever they are shown to.
    static func phone(_ phone: ID, of user: ID, _ topics: Topics) -> BrokerRole {
        let own = "\(topics.root)/users/\(user)/phone/\(phone)"
        return BrokerRole(
            name(ofPhone: phone),
            [
                .allow(.send, own), .allow(.send, "\(own)/+"), .deny(.send, "\(own)/cmd"),
                .allow(.receive, "\(own)/cmd"), .allow(.subscribe, "\(own)/cmd"),
            ])
    }

    /// What the ids of phones begin with. Every other device of a person has the person's role; no drawn id has a hyphen.
    package static let phonePrefix = "phone-"

    /// Whether a device is a phone that only tells where its person is.
    package static func isPhone(_ device: ID) -> Bool { device.text.hasPrefix(phonePrefix) }

    /// A gateway: its own topics, and whether a consumer is there. Where the settings say so, it also describes itself to Home
    /// Assistant, and hears when that has started.
    static func gateway(_ gateway: ID, _ topics: Topics, _ homeAssistant: HomeAssistantTopics?) -> BrokerRole {
        let own = "\(topics.root)/gateways/\(gateway)/#"
        let consumers = topics.everyConsumer()
        let described: [AccessRule] =
            homeAssistant.map {
                [
                    .allow(.send, $0.everything(of: gateway)), .allow(.receive, $0.status),
                    .allow(.subscribe, $0.status),
                ]
            } ?? []
        return BrokerRole(
            name(ofGateway: gateway),
            [
                .allow(.send, own), .allow(.receive, own), .allow(.subscribe, own),
                .allow(.receive, consumers), .allow(.subscribe, consumers),
            ] + described)
    }

    /// Home Assistant, a client that an operator makes: it hears what gateways describe and what is shown of it, presses the
    /// buttons, says that it is there, and empties topics of devices that somebody deletes there. It may ask nothing else of a
    /// gateway.
    ///
    /// Of people it hears what the consumer copies to topics that are there for this only, of those who agree to it. So no rule
    /// has to change when somebody agrees or no longer does: the broker disconnects clients whose rules change. Which people
    /// are described is the consumer's affair alone.
    static func homeAssistant(_ discovery: HomeAssistantTopics, _ topics: Topics) -> BrokerRole {
        let shown: [SensorTopic] = [
            .info, .availability, .heartRate, .running, .cycling, .stepsResponse, .temperatureResponse,
        ]
        let heard =
            [
                topics.everyGateway(.status), topics.everyGateway(.health), discovery.everything,
                topics.everyHomeAssistantDay, topics.everyConsumer(),
            ]
            + shown.map { topics.everySensor($0) }
        return BrokerRole(
            homeAssistant,
            heard.flatMap { [.allow(.receive, $0), .allow(.subscribe, $0)] }
                + SensorTopic.requests.map { .allow(.send, topics.everySensor($0)) }
                + [.allow(.send, discovery.everything), .deny(.send, discovery.everythingOfPeople)])
    }

    static let homeAssistant = "home-assistant"

    /// Clients that see what a gateway (or every gateway, if none is named) publishes live, and may ask for
    /// readings. They never see its durable stream, although that is sealed, and not what they ask.
    static func household(of gateway: ID?, _ topics: Topics) -> BrokerRole {
        let own = "\(topics.root)/gateways/\(gateway?.text ?? "+")"
        let all = gateway == nil ? "\(topics.root)/gateways/#" : "\(own)/#"
        let requests =
            GatewayRequest.allCases.map { AccessRule.allow(.send, "\(own)/requests/\($0.rawValue)") }
            + MusicRequest.allCases.map { .allow(.send, "\(own)/requests/\(MusicRequest.prefix)\($0.rawValue)") }
            + SensorTopic.requests.map { AccessRule.allow(.send, "\(own)/sensors/+/\($0.rawValue)") }
        return BrokerRole(
            gateway.map(name(ofHousehold:)) ?? household,
            requests + [
                .allow(.receive, all), .allow(.subscribe, all),
                .deny(.receive, "\(own)/blocks"), .deny(.receive, "\(own)/live"),
                .deny(.receive, "\(own)/control"), .deny(.receive, "\(own)/grants"),
                .deny(.receive, "\(own)/requests/#"),
            ] + SensorTopic.requests.map { .deny(.receive, "\(own)/sensors/+/\($0.rawValue)") })
    }

    /// The same when the gateway is gone: clients may still have it, and may do nothing by it.
    static func household(ofRemoved gateway: ID) -> BrokerRole { emptied(name(ofHousehold: gateway)) }

    /// A role without rules: its clients may do nothing.
    static func emptied(_ name: String) -> BrokerRole { BrokerRole(name, []) }

    static let household = "household"

    static func name(ofPerson user: ID) -> String { "person-\(user)" }
    static func name(ofPhone phone: ID) -> String { phone.text }
    static func name(ofGateway gateway: ID) -> String { "gateway-\(gateway)" }
    static func name(ofHousehold gateway: ID) -> String { "household-\(gateway)" }

    /// The person whose role has this name; nil if it is not a person's.
    static func person(_ name: String) -> ID? {
        guard name.hasPrefix("person-") else { return nil }
        return try? ID(String(name.dropFirst("person-".count)))
    }

    /// Whether a role of this name is one of these, which only the consumer gives and takes.
    static func isOurs(_ name: String) -> Bool { isShared(name) || isPersonal(name) }

    /// Whether a client with this role is one of ours, and not one that an operator made.
    static func isPersonal(_ name: String) -> Bool {
        name.hasPrefix("person-") || name.hasPrefix(phonePrefix) || name.hasPrefix("gateway-") || name == "consumer"
    }

    /// Roles that an operator may give to clients of their own, Home Assistant's for example.
    private static func isShared(_ name: String) -> Bool {
        name == "guest" || name == household || name == homeAssistant || name.hasPrefix("household-")
    }
}
