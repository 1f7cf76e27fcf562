import Telemetry

// What the broker has, and which commands turn that into what it should have.

/// The plugin's state, as its lists show it.
struct BrokerState {
    /// The plugin's lists, by the names that its answers have for them.
    enum List: String {
        case roles, groups, clients

        fileprivate var command: String {
            switch self {
            case .roles: "listRoles"
            case .groups: "listGroups"
            case .clients: "listClients"
            }
        }
    }

    /// Rules by role.
    var roles: [String: Set<AccessRule>] = [:]
    /// Roles by client.
    var clients: [String: Set<String>] = [:]
    /// Roles by group.
    var groups: [String: Set<String>] = [:]
    var anonymousGroup = ""
}

/// The commands that turn one state into another, and what no command can do.
struct BrokerDifferences: Equatable {
    private(set) var commands: [DynamicSecurity.Command] = []
    /// Clients whose password only they know: the plugin takes no hash. Its file does.
    private(set) var missing: [String] = []
    /// Clients at the broker that the database does not know, or no longer knows.
    private(set) var removed: [String] = []

    init(from actual: BrokerState, to wanted: BrokerAccess) {
        // First the commands that take rights away, then those that give them; and roles before the clients that have
        // them.
        for (username, roles) in actual.clients.sorted(by: { $0.key < $1.key }) where wanted.clients[username] == nil {
            guard roles.contains(where: BrokerRole.isPersonal) else { continue }
            removed.append(username)
            commands.append(.deleteClient(username))
        }
        for role in wanted.roles.values.sorted(by: { $0.name < $1.name }) {
            guard let rules = actual.roles[role.name] else {
                commands.append(.createRole(role))
                continue
            }
            if rules != role.rules { commands.append(.modifyRole(role)) }
        }
        compareGroup(actual, wanted)
        for (username, client) in wanted.clients.sorted(by: { $0.key < $1.key }) {
            if let roles = actual.clients[username] {
                if roles != client.roles { commands.append(.setRoles(client.roles, of: username)) }
            } else if case .password(let password) = client.secret {
                commands.append(.createClient(username, password: password, client.roles))
            } else {
                missing.append(username)
            }
        }
        // Mosquitto 2.0.11 crashes when it deletes a client whose role it has deleted before. A role that an operator has
        // given to their own client loses its rules, and stays.
        let others = actual.clients.filter { wanted.clients[$0.key] == nil && !removed.contains($0.key) }
        let kept = Set(others.flatMap(\.value))
        for name in actual.roles.keys.sorted() where BrokerRole.isOurs(name) && wanted.roles[name] == nil {
            commands.append(kept.contains(name) ? .modifyRole(.emptied(name)) : .deleteRole(name))
        }
    }

    private mutating func compareGroup(_ actual: BrokerState, _ wanted: BrokerAccess) {
        let group = BrokerAccess.anonymousGroup
        if let roles = actual.groups[group] {
            for role in roles.subtracting(wanted.anonymous).sorted() { commands.append(.removeGroupRole(group, role)) }
            for role in wanted.anonymous.subtracting(roles).sorted() { commands.append(.addGroupRole(group, role)) }
        } else {
            commands.append(.createGroup(group, wanted.anonymous))
        }
        if actual.anonymousGroup != group { commands.append(.setAnonymousGroup(group)) }
    }
}

// The plugin's commands (dynamic_security.h, and the documentation on mosquitto.org).
extension DynamicSecurity.Command {
    static func createRole(_ role: BrokerRole) -> Self {
        Self("createRole", ["rolename": .string(role.name), "acls": .array(role.rules.map(\.json))])
    }

    /// Takes effect at once; clients that have the role stay connected.
    static func modifyRole(_ role: BrokerRole) -> Self {
        Self("modifyRole", ["rolename": .string(role.name), "acls": .array(role.rules.map(\.json))])
    }

    static func deleteRole(_ name: String) -> Self { Self("deleteRole", ["rolename": .string(name)]) }

    static func createClient(_ username: String, password: String, _ roles: Set<String>) -> Self {
        Self(
            "createClient",
            ["username": .string(username), "password": .string(password), "roles": assignments(roles)])
    }

    /// Ends the client's connections.
    static func setPassword(_ password: String, of username: String) -> Self {
        Self("setClientPassword", ["username": .string(username), "password": .string(password)])
    }

    /// Ends the client's connections.
    static func setRoles(_ roles: Set<String>, of username: String) -> Self {
        Self("modifyClient", ["username": .string(username), "roles": assignments(roles)])
    }

    /// Ends the client's connections; its will is not published.
    static func deleteClient(_ username: String) -> Self { Self("deleteClient", ["username": .string(username)]) }

    static func createGroup(_ name: String, _ roles: Set<String>) -> Self {
        Self("createGroup", ["groupname": .string(name), "roles": assignments(roles)])
    }

    static func addGroupRole(_ group: String, _ role: String) -> Self {
        Self("addGroupRole", ["groupname": .string(group), "rolename": .string(role)])
    }

    static func removeGroupRole(_ group: String, _ role: String) -> Self {
        Self("removeGroupRole", ["groupname": .string(group), "rolename": .string(role)])
    }

    /// The earlier group is never deleted: Mosquitto 2.0.11 ends when the anonymous group is deleted.
    static func setAnonymousGroup(_ group: String) -> Self { Self("setAnonymousGroup", ["groupname": .string(group)]) }

    static func setDefaultAccess(_ access: [String: Bool]) -> Self {
        let rules = access.sorted { $0.key < $1.key }
        return Self(
            "setDefaultACLAccess",
            ["acls": .array(rules.map { ["acltype": .string($0.key), "allow": .bool($0.value)] })])
    }

    /// One page of a list.
    static func list(_ list: BrokerState.List, from offset: Int, atMost count: Int) -> Self {
        Self(
            list.command,
            ["verbose": true, "count": .integer(Int64(count)), "offset": .integer(Int64(offset))])
    }

    private static func assignments(_ roles: Set<String>) -> JSON {
        .array(roles.sorted().map { ["rolename": .string($0)] })
    }
}

extension AccessRule {
    fileprivate var json: JSON {
        [
            "acltype": .string(action.rawValue), "topic": .string(filter), "priority": .integer(Int64(priority)),
            "allow": .bool(isAllowed),
        ]
    }

    /// A rule as the plugin lists it; nil if none of ours is like it.
    fileprivate init?(_ json: JSON) {
        guard case .string(let type)? = json["acltype"], let action = Action(rawValue: type),
            case .string(let filter)? = json["topic"], case .bool(let isAllowed)? = json["allow"]
        else { return nil }
        let priority: Int = if case .integer(let value)? = json["priority"] { Int(clamping: value) } else { 0 }
        self.init(action: action, filter: filter, isAllowed: isAllowed, priority: priority)
    }
}

extension BrokerState {
    /// Takes one item of a list.
    mutating func add(_ item: JSON, from list: List) {
        let key =
            switch list {
            case .roles: "rolename"
            case .groups: "groupname"
            case .clients: "username"
            }
        guard case .string(let name)? = item[key] else { return }
        switch list {
        case .roles: roles[name] = Self.rules(item)
        case .groups: groups[name] = Self.roleNames(item)
        case .clients: clients[name] = Self.roleNames(item)
        }
    }

    /// The rules of a role; none if one of them is unlike any of ours: the role then differs from ours.
    private static func rules(_ role: JSON) -> Set<AccessRule> {
        guard case .array(let list)? = role["acls"] else { return [] }
        let rules = list.compactMap(AccessRule.init)
        return rules.count == list.count ? Set(rules) : []
    }

    private static func roleNames(_ json: JSON) -> Set<String> {
        guard case .array(let list)? = json["roles"] else { return [] }
        return Set(
            list.compactMap { role in
                guard case .string(let name)? = role["rolename"] else { return nil }
                return name
            })
    }
}
