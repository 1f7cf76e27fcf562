import FoundationEssentials
import Telemetry
import Vault

/// A gateway that was enrolled by a code.
struct EnrolledGateway: Equatable {
    let id: ID
    /// Who has enrolled it; nil where the operator has.
    let owner: ID?
    /// Its Ed25519 public key.
    let identity: [UInt8]
    /// Whether its owner sees its live readings, and may ask it.
    let isHousehold: Bool
    /// Unix milliseconds.
    let enrolled: Int64
}

/// Rows of `gateways`, and what their owners call them. Belongs to the thread of its store and keys.
struct EnrolledGateways {
    let store: Store
    let keys: Keys
    private var documents: Documents { Documents(store: store, keys: keys) }

    private static let columns = "gateway, owner, identity, household, enrolled_ms"

    /// One of them; nil where there is none by that id.
    func gateway(_ id: ID) throws(VaultError) -> EnrolledGateway? {
        try store.database.first(
            "SELECT \(Self.columns) FROM gateways WHERE gateway = ?", [.text(id.text)], row: EnrolledGateway.init
        ).flatMap { $0 }
    }

    /// All of them, or a person's, by their ids.
    func all(of owner: ID? = nil) throws(VaultError) -> [EnrolledGateway] {
        let (condition, bindings): (String, [Value]) = owner.map { ("WHERE owner = ?", [.text($0.text)]) } ?? ("", [])
        return try store.database.query(
            "SELECT \(Self.columns) FROM gateways \(condition) ORDER BY gateway", bindings, row: EnrolledGateway.init
        ).compactMap { $0 }
    }

    /// What signs for each gateway: those of the settings, and these.
    func identities(_ settings: ConsumerSettings) throws(VaultError) -> [ID: Ed25519.VerifyingKey] {
        var identities = settings.gateways
        for gateway in try all() where identities[gateway.id] == nil {
            identities[gateway.id] = try Ed25519.VerifyingKey(gateway.identity)
        }
        return identities
    }

    /// Keeps a gateway, in place of one by that id.
    func write(_ gateway: EnrolledGateway, credential: [UInt8], claimKey: SymmetricKey) throws(VaultError) {
        let sealed = try keys.service.sealWithNonce(claimKey.bytes, aad: Self.claimKeyData(gateway.id))
        try store.database.execute(
            """
            INSERT OR REPLACE INTO gateways (gateway, owner, identity, credential, claim_key, household, enrolled_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(gateway.id.text), gateway.owner.map { .text($0.text) } ?? .null, .blob(gateway.identity),
                .blob(credential), .blob(sealed), .integer(gateway.isHousehold ? 1 : 0), .integer(gateway.enrolled),
            ])
    }

    /// Removes a gateway and all claims of its sensors.
    /// - Returns: the sensors that were claimed.
    func remove(_ gateway: EnrolledGateway) throws(VaultError) -> Set<SensorName> {
        let sensors = try Claims(store: store).sensors(at: gateway.id)
        for table in ["claims", "used_claim_codes", "gateways"] {
            try store.database.execute("DELETE FROM \(table) WHERE gateway = ?", [.text(gateway.id.text)])
        }
        if let owner = gateway.owner { try setName(nil, of: gateway.id, by: owner) }
        return sensors
    }

    /// The key of a gateway's claim codes; nil where there is no such gateway.
    func claimKey(of gateway: ID) throws(VaultError) -> SymmetricKey? {
        let sealed = try store.database.first(
            "SELECT claim_key FROM gateways WHERE gateway = ?", [.text(gateway.text)], row: Row.blob)
        guard let sealed else { return nil }
        return try SymmetricKey(keys.service.openWithNonce(sealed, aad: Self.claimKeyData(gateway)))
    }

    // MARK: Names

    private static let namesDocument = "gateway-names"

    /// What a person calls their gateways.
    func names(by owner: ID) throws(VaultError) -> [String: String] {
        guard case .object(let members) = try documents.read(Self.namesDocument, of: owner) else { return [:] }
        var names: [String: String] = [:]
        for member in members { if case .string(let name) = member.value { names[member.name] = name } }
        return names
    }

    /// - Parameter name: nil takes it away.
    func setName(_ name: String?, of gateway: ID, by owner: ID) throws(VaultError) {
        var names = try names(by: owner)
        guard names[gateway.text] != name else { return }
        names[gateway.text] = name
        let members = names.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) }
        try documents.write(.object(members), Self.namesDocument, of: owner)
    }

    private static func claimKeyData(_ gateway: ID) -> [UInt8] {
        Array("claim key".utf8) + [0] + Array(gateway.text.utf8)
    }
}

extension EnrolledGateway {
    /// Nil where the row is damaged.
    fileprivate init?(_ row: borrowing Row) throws(VaultError) {
        let (id, owner) = (try row.text(0), try row.textIfPresent(1))
        let ids = decoded { () throws(MalformedValue) in (id: try ID(id), owner: try owner.map(ID.init)) }
        guard let ids else { return nil }
        self.init(
            id: ids.id, owner: ids.owner, identity: try row.blob(2), isHousehold: try row.int(3) != 0,
            enrolled: try row.int(4))
    }
}
