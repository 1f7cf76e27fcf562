package import Daemon
import Files
import MQTT
import ProgramSettings
package import Telemetry

// What the broker has to know, made from the settings and the roster, which are the truth: the broker's own copy may be
// lost or changed at any time, and is brought in line.
//
// Clients are: the consumer; each gateway of the settings that has a password there; each enrolled gateway; each device
// of a person. A client that gives no name is in the group `anonymous`.

/// Every client and role of ours, as the broker should have them.
package struct BrokerAccess {
    /// How a client shows who it is.
    enum Secret {
        case password(String)
        /// The hash of a password that only the client knows.
        case credential(BrokerCredential)
    }

    package struct Client {
        let secret: Secret
        let roles: Set<String>
    }

    /// By name.
    package private(set) var roles: [String: BrokerRole] = [:]
    /// By username.
    package private(set) var clients: [String: Client] = [:]
    /// Roles of clients without a name.
    package private(set) var anonymous: Set<String> = []
    /// Names of gateways in the settings that have no password there, so no client.
    package private(set) var gatewaysWithoutPassword: [ID] = []

    /// The group of clients that give no name.
    static let anonymousGroup = "anonymous"
    /// What the plugin does if no rule matches.
    static let byDefault = [
        "publishClientSend": false, "publishClientReceive": false, "subscribe": false, "unsubscribe": true,
    ]

    /// What follows from settings and roster; without a roster there are no devices and no enrolled gateways.
    /// - Throws: if a password cannot be read, or two clients would have one name.
    package init(_ settings: AdmissionSettings, _ roster: (any Roster)?) throws(Failure) {
        let policy = BrokerPolicy(settings)
        let topics = settings.topics
        guard let username = settings.username, let passwordFile = settings.passwordFile else {
            throw Failure(
                .configuration, "broker_rules: the consumer has no name at the broker",
                hint: "set broker.username and broker.password_file")
        }
        add(.consumer(topics, settings.rules.homeAssistant))
        add(.guest(topics))
        // Even if nobody has this role: an operator may give it to a client of theirs, for example Home Assistant.
        add(.household(of: nil, topics))
        if let homeAssistant = settings.rules.homeAssistant { add(.homeAssistant(homeAssistant, topics)) }
        anonymous = policy.anonymousRoles
        try add(client: username, .password(Self.password(passwordFile)), ["consumer"])
        for (gateway, file) in settings.gateways.sorted(by: { $0.key.text < $1.key.text }) {
            guard let file else {
                gatewaysWithoutPassword.append(gateway)
                continue
            }
            add(policy.role(ofGateway: gateway))
            try add(client: gateway.text, .password(Self.password(file)), policy.roles(ofGateway: gateway))
        }
        if let roster { try add(roster, policy, topics) }
    }

    private mutating func add(_ roster: any Roster, _ policy: BrokerPolicy, _ topics: Topics) throws(Failure) {
        let (gateways, devices) = try Failure.explaining { () throws(VaultError) in
            (try roster.enrolledGateways(), try roster.devices())
        }
        gatewaysWithoutPassword.removeAll { gateways.map(\.id).contains($0) }
        for gateway in gateways where clients[gateway.id.text] == nil {
            add(policy.role(ofGateway: gateway.id))
            try add(client: gateway.id.text, .credential(gateway.credential), policy.roles(ofGateway: gateway.id))
        }
        var households: [ID: [ID]] = [:]
        for gateway in gateways where gateway.isHousehold {
            if let owner = gateway.owner { households[owner, default: []].append(gateway.id) }
        }
        for device in devices {
            let (own, households) = (device.id, households[device.user] ?? [])
            for role in policy.rolesAlone(of: own, of: device.user, households: households) { add(role) }
            let roles = policy.roles(ofDevice: own, of: device.user, households: households)
            try add(client: own.text, .credential(device.credential), roles)
        }
    }

    private mutating func add(_ role: BrokerRole) { roles[role.name] = role }

    private mutating func add(client username: String, _ secret: Secret, _ roles: Set<String>) throws(Failure) {
        guard clients.updateValue(Client(secret: secret, roles: roles), forKey: username) == nil else {
            throw Failure(
                .configuration, "two clients of the broker would have the name \(username)",
                hint: "give the gateway or the consumer another one in the settings")
        }
    }

    private static func password(_ path: String) throws(Failure) -> String {
        do throws(MQTTError) { return try PasswordFile.read(path) } catch {
            throw Failure(.configuration, "broker_rules: \(error)")
        }
    }
}

/// Decides which client gets which roles.
struct BrokerPolicy {
    let topics: Topics
    let household: BrokerRulesSettings.Household
    let homeAssistant: HomeAssistantTopics?

    init(_ settings: AdmissionSettings) {
        topics = settings.topics
        household = settings.rules.household
        homeAssistant = settings.rules.homeAssistant
    }

    /// The roles of clients that give no name.
    var anonymousRoles: Set<String> { household == .anyone ? ["guest", BrokerRole.household] : ["guest"] }

    func roles(ofGateway gateway: ID) -> Set<String> { [BrokerRole.name(ofGateway: gateway)] }

    /// The role that only this gateway has.
    func role(ofGateway gateway: ID) -> BrokerRole { .gateway(gateway, topics, homeAssistant) }

    /// - Parameter households: gateways that this person has enrolled for their household.
    func roles(ofDevice device: ID, of user: ID, households: [ID]) -> Set<String> {
        let own = Set(rolesAlone(of: device, of: user, households: households).map(\.name))
        return household == .anyone && !BrokerRole.isPhone(device) ? own.union([BrokerRole.household]) : own
    }

    /// The roles that nobody else has.
    func rolesAlone(of device: ID, of user: ID, households: [ID]) -> [BrokerRole] {
        guard !BrokerRole.isPhone(device) else { return [.phone(device, of: user, topics)] }
        return [.person(user, topics)] + (household == .owners ? households.map { .household(of: $0, topics) } : [])
    }
}
