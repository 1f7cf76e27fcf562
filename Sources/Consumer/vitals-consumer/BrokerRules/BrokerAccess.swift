import Daemon
import MQTT
import Telemetry
import Vault

// What the broker has to know, made of the settings and the database, which are the truth: the broker's own copy may be lost
// or changed at any time, and is brought in line.
//
// Clients are: the consumer; each gateway of the settings that has a password there; each enrolled gateway; each device of a person.
// Whoever says no name is in the group `anonymous`.

/// Every client and role of ours, as the broker is to have them.
struct BrokerAccess {
    /// How a client shows who it is.
    enum Secret {
        case password(String)
        /// What was kept of a password that only the client knows.
        case credential(BrokerCredential)
    }

    struct Client {
        let secret: Secret
        let roles: Set<String>
    }

    /// By name.
    private(set) var roles: [String: BrokerRole] = [:]
    /// By username.
    private(set) var clients: [String: Client] = [:]
    /// Roles of those without a name.
    private(set) var anonymous: Set<String> = []
    /// Names of gateways in the settings that have no password there, so no client.
    private(set) var gatewaysWithoutPassword: [ID] = []

    /// The group of those who say no name.
    static let anonymousGroup = "anonymous"
    /// What the plugin does where no rule matches.
    static let byDefault = [
        "publishClientSend": false, "publishClientReceive": false, "subscribe": false, "unsubscribe": true,
    ]

    /// What follows from settings and database; without one there are no devices and no enrolled gateways.
    /// - Throws: where a password cannot be read, or two clients would have one name.
    init(_ settings: ConsumerSettings, _ store: Store?) throws(Failure) {
        let policy = BrokerPolicy(settings)
        let topics = settings.topics
        guard let username = settings.broker.username, let passwordFile = settings.broker.passwordFile else {
            throw Failure(
                .configuration, "broker_rules: the consumer has no name at the broker",
                hint: "set broker.username and broker.password_file")
        }
        add(.consumer(topics))
        add(.guest(topics))
        // Also where nobody has it: an operator may give it to a client of theirs, Home Assistant perhaps.
        add(.household(of: nil, topics))
        anonymous = policy.anonymousRoles
        try add(client: username, .password(Self.password(passwordFile)), ["consumer"])
        for gateway in settings.gateways.keys.sorted(by: { $0.text < $1.text }) {
            guard let file = settings.gatewayPasswordFiles[gateway] else {
                gatewaysWithoutPassword.append(gateway)
                continue
            }
            add(.gateway(gateway, topics))
            try add(client: gateway.text, .password(Self.password(file)), policy.roles(ofGateway: gateway))
        }
        if let store { try addStored(store, policy, topics) }
    }

    private mutating func addStored(_ store: Store, _ policy: BrokerPolicy, _ topics: Topics) throws(Failure) {
        let (gateways, devices) = try Failure.explaining { () throws(VaultError) in
            (try store.enrolledGateways(), try store.devices())
        }
        gatewaysWithoutPassword.removeAll { gateways.map(\.id).contains($0) }
        for gateway in gateways where clients[gateway.id.text] == nil {
            add(.gateway(gateway.id, topics))
            try add(client: gateway.id.text, .credential(gateway.credential), policy.roles(ofGateway: gateway.id))
        }
        var households: [ID: [ID]] = [:]
        for gateway in gateways where gateway.isHousehold {
            if let owner = gateway.owner { households[owner, default: []].append(gateway.id) }
        }
        for device in devices {
            let roles = policy.roles(ofDeviceOf: device.user, households: households[device.user] ?? [])
            for role in policy.rolesAlone(of: device.user, households: households[device.user] ?? []) { add(role) }
            try add(client: device.id.text, .credential(device.credential), roles)
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

/// Who gets which role.
struct BrokerPolicy {
    let topics: Topics
    let household: BrokerRulesSettings.Household

    init(_ settings: ConsumerSettings) {
        topics = settings.topics
        household = settings.brokerRules?.household ?? .owners
    }

    /// Of whoever says no name.
    var anonymousRoles: Set<String> { household == .anyone ? ["guest", BrokerRole.household] : ["guest"] }

    func roles(ofGateway gateway: ID) -> Set<String> { [BrokerRole.name(ofGateway: gateway)] }

    /// - Parameter households: gateways that this person has enrolled for their household.
    func roles(ofDeviceOf user: ID, households: [ID]) -> Set<String> {
        let own = Set(rolesAlone(of: user, households: households).map(\.name))
        return household == .anyone ? own.union([BrokerRole.household]) : own
    }

    /// Those that nobody else has.
    func rolesAlone(of user: ID, households: [ID]) -> [BrokerRole] {
        [.person(user, topics)] + (household == .owners ? households.map { .household(of: $0, topics) } : [])
    }
}

// MARK: The database's side

/// A row of `devices`, as far as the broker is concerned.
struct BrokerDevice {
    let id: ID
    let user: ID
    let credential: BrokerCredential
}

/// A row of `gateways`, as far as the broker is concerned.
struct BrokerGateway {
    let id: ID
    let owner: ID?
    let credential: BrokerCredential
    /// Whether its owner is its household.
    let isHousehold: Bool
}

extension Store {
    /// Every device of every person.
    func devices() throws(VaultError) -> [BrokerDevice] {
        try database.query("SELECT device, user, credential FROM devices", row: BrokerDevice.init).compactMap { $0 }
    }

    /// Every gateway that was enrolled by a code.
    func enrolledGateways() throws(VaultError) -> [BrokerGateway] {
        try database.query("SELECT gateway, owner, credential, household FROM gateways", row: BrokerGateway.init)
            .compactMap { $0 }
    }
}

extension BrokerDevice {
    /// Nil where the row is damaged: it lets nobody in.
    fileprivate init?(_ row: borrowing Row) throws(VaultError) {
        guard let id = identifier(try row.text(0)), let user = identifier(try row.text(1)),
            let credential = BrokerCredential(bytes: try row.blob(2))
        else { return nil }
        self.init(id: id, user: user, credential: credential)
    }
}

extension BrokerGateway {
    /// Nil where the row is damaged: it lets nobody in.
    fileprivate init?(_ row: borrowing Row) throws(VaultError) {
        let owner = try row.textIfPresent(1)
        guard let id = identifier(try row.text(0)), let credential = BrokerCredential(bytes: try row.blob(2)) else {
            return nil
        }
        self.init(
            id: id, owner: owner.flatMap(identifier), credential: credential, isHousehold: try row.int(3) != 0)
    }
}

private func identifier(_ text: String) -> ID? { decoded { () throws(MalformedValue) in try ID(text) } }
