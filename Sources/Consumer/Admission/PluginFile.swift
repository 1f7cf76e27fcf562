package import Files
import FoundationEssentials

// The file of Mosquitto's dynamic-security plugin. The broker reads it at its start, never again, and writes all of it
// at each change: 2.0.11 in place and without a flush (a crash can leave it empty), 2.0.21 to a new file, which it then
// renames. Without the file, or with a damaged one, the broker starts and lets nobody do anything, not even the
// consumer. So before the broker starts, `vitals-consumer broker-rules` must check this file, and writes it from the
// database as often as it is lost.

/// The plugin's file. Clients, groups and roles that an operator has added are kept.
package struct PluginFile: Codable, Equatable {
    struct Client: Codable, Equatable {
        var username: String
        var textname: String?
        var textdescription: String?
        var clientid: String?
        var password: String?
        var salt: String?
        var iterations: Int?
        var roles: [Assignment]?
        var groups: [Group]?
        var disabled: Bool?
    }

    struct Assignment: Codable, Equatable {
        var rolename: String
        var priority: Int?
    }

    struct Group: Codable, Equatable {
        var groupname: String
        var textname: String?
        var textdescription: String?
        var priority: Int?
        var roles: [Assignment]?
        var clients: [Member]?
    }

    struct Member: Codable, Equatable {
        var username: String
        var priority: Int?
    }

    struct Role: Codable, Equatable {
        var rolename: String
        var textname: String?
        var textdescription: String?
        var acls: [Rule]?
    }

    struct Rule: Codable, Equatable {
        var acltype: String
        var topic: String
        var priority: Int?
        var allow: Bool
    }

    var defaultACLAccess: [String: Bool]?
    var clients: [Client]?
    var groups: [Group]?
    var roles: [Role]?
    var anonymousGroup: String?

    /// Reads a file; nil if it is empty, or damaged.
    package init?(bytes: [UInt8]) {
        // Foundation's parser, see Telemetry's JSONLimits.swift, does not survive every name. The plugin escapes
        // nothing in ours.
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(UInt8(ascii: "\\")) else { return nil }
        guard let file = try? JSONDecoder().decode(PluginFile.self, from: Data(bytes)) else { return nil }
        self = file
    }

    /// The file that the broker should start with.
    /// - Parameter existing: what it had before.
    package init(_ access: BrokerAccess, keeping existing: PluginFile?) throws(VaultError) {
        defaultACLAccess = BrokerAccess.byDefault
        anonymousGroup = BrokerAccess.anonymousGroup
        let known = Dictionary(
            (existing?.clients ?? []).map { ($0.username, $0) }, uniquingKeysWith: { first, _ in first })
        var clients = (existing?.clients ?? []).filter { $0.isForeign && access.clients[$0.username] == nil }
        for (username, client) in access.clients { clients.append(try Client(username, client, known[username])) }
        self.clients = clients
        let roles = (existing?.roles ?? []).filter { !BrokerRole.isOurs($0.rolename) }
        self.roles = roles + access.roles.values.map(Role.init)
        let groups = (existing?.groups ?? []).filter { $0.groupname != BrokerAccess.anonymousGroup }
        let anonymous = Group(
            groupname: BrokerAccess.anonymousGroup, roles: access.anonymous.map { Assignment(rolename: $0) })
        self.groups = groups + [anonymous]
        dropDangling()
    }

    /// Whether a broker that starts with this file behaves the same as with the other.
    package func means(_ other: PluginFile) -> Bool { normal == other.normal }

    package var bytes: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(normal)) + [UInt8(ascii: "\n")]
        }
    }

    /// References to roles that are gone: an operator's client or group may have had one of ours.
    private mutating func dropDangling() {
        let names = Set((roles ?? []).map(\.rolename))
        clients = clients?.map { client in
            var client = client
            client.roles?.removeAll { !names.contains($0.rolename) }
            return client
        }
        groups = groups?.map { group in
            var group = group
            group.roles?.removeAll { !names.contains($0.rolename) }
            return group
        }
    }

    /// The same with everything in a fixed order, and without what may be left out.
    private var normal: PluginFile {
        var file = self
        file.clients = (clients ?? []).map(\.normal).sorted { $0.username < $1.username }
        file.groups = (groups ?? []).map(\.normal).sorted { $0.groupname < $1.groupname }
        file.roles = (roles ?? []).map(\.normal).sorted { $0.rolename < $1.rolename }
        return file
    }
}

extension PluginFile.Client {
    /// A client of ours. If the broker has a hash of the same password, that hash stays as it is.
    fileprivate init(_ username: String, _ client: BrokerAccess.Client, _ existing: Self?) throws(VaultError) {
        let kept = BrokerCredential(base64: existing?.password, salt: existing?.salt, iterations: existing?.iterations)
        let credential: BrokerCredential
        switch client.secret {
        case .credential(let stored): credential = stored
        case .password(let password):
            if let kept, try kept.matches(password) {
                credential = kept
            } else {
                credential = try BrokerCredential(password: password)
            }
        }
        self.username = username
        password = Data(credential.hash).base64EncodedString()
        salt = Data(credential.salt).base64EncodedString()
        iterations = Int(credential.iterations)
        roles = client.roles.map { PluginFile.Assignment(rolename: $0) }
        disabled = existing?.disabled
    }

    /// Whether an operator made it.
    fileprivate var isForeign: Bool { !(roles ?? []).contains { BrokerRole.isPersonal($0.rolename) } }

    fileprivate var normal: Self {
        var client = self
        client.roles = (roles ?? []).normal
        client.groups = groups?.isEmpty == false ? groups : nil
        client.disabled = disabled == true ? true : nil
        return client
    }
}

extension PluginFile.Group {
    fileprivate var normal: Self {
        var group = self
        group.roles = (roles ?? []).normal
        group.clients = (clients ?? []).sorted { $0.username < $1.username }
        return group
    }
}

extension PluginFile.Role {
    fileprivate init(_ role: BrokerRole) {
        rolename = role.name
        acls = role.rules.map {
            PluginFile.Rule(
                acltype: $0.action.rawValue, topic: $0.filter, priority: $0.priority, allow: $0.isAllowed)
        }
    }

    fileprivate var normal: Self {
        var role = self
        role.acls = (acls ?? []).map { rule in
            var rule = rule
            rule.priority = rule.priority ?? 0
            return rule
        }.sorted {
            ($0.acltype, -($0.priority ?? 0), $0.topic, $0.allow ? 1 : 0)
                < ($1.acltype, -($1.priority ?? 0), $1.topic, $1.allow ? 1 : 0)
        }
        return role
    }
}

extension [PluginFile.Assignment] {
    /// The plugin writes -1 if it was told no priority.
    fileprivate var normal: Self {
        map { assignment in
            var assignment = assignment
            if assignment.priority == -1 || assignment.priority == 0 { assignment.priority = nil }
            return assignment
        }.sorted { $0.rolename < $1.rolename }
    }
}
