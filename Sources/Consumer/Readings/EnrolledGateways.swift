import FoundationEssentials
package import Records
package import Storage
package import Telemetry
package import Vault

/// A gateway that was enrolled with a code.
package struct EnrolledGateway: Equatable {
    package let id: ID
    /// The person who has enrolled it; nil if the operator has.
    package let owner: ID?
    /// Its Ed25519 public key.
    package let identity: [UInt8]
    /// Whether its owner sees its live readings, and may ask it.
    package let isHousehold: Bool
    /// Unix milliseconds.
    package let enrolled: Int64

    package init(id: ID, owner: ID?, identity: [UInt8], isHousehold: Bool, enrolled: Int64) {
        self.id = id
        self.owner = owner
        self.identity = identity
        self.isHousehold = isHousehold
        self.enrolled = enrolled
    }
}

/// The keys that a gateway's claim codes are checked with.
package struct ClaimKeys {
    /// The key of its codes.
    package let current: SymmetricKey
    /// The key from the enrolment code alone, which earlier versions used. If a person asked for the code, it has
    /// passed through the broker, so this key only tells an old gateway from a wrong code.
    package let code: SymmetricKey
}

/// Rows of `gateways`, and what their owners call them. Belongs to the thread of its store and keys.
package struct EnrolledGateways {
    package let store: Store
    package let keys: Keys

    package init(store: Store, keys: Keys) {
        self.store = store
        self.keys = keys
    }
    private var documents: Documents { Documents(store: store, keys: keys) }

    private static let columns = "gateway, owner, identity, household, enrolled_ms"

    /// One gateway; nil if there is none with that id.
    package func gateway(_ id: ID) throws(VaultError) -> EnrolledGateway? {
        try store.database.first(
            "SELECT \(Self.columns) FROM gateways WHERE gateway = ?", [.text(id.text)], row: EnrolledGateway.init
        ).flatMap { $0 }
    }

    /// All gateways, or a person's, in the order of their ids.
    package func all(of owner: ID? = nil) throws(VaultError) -> [EnrolledGateway] {
        let (condition, bindings): (String, [Value]) = owner.map { ("WHERE owner = ?", [.text($0.text)]) } ?? ("", [])
        return try store.database.query(
            "SELECT \(Self.columns) FROM gateways \(condition) ORDER BY gateway", bindings, row: EnrolledGateway.init
        ).compactMap { $0 }
    }

    /// The key that signs for each gateway, of the settings or enrolled with a code.
    package func identities(_ settings: some HouseSettings) throws(VaultError) -> [ID: Ed25519.VerifyingKey] {
        var identities = settings.gateways
        for gateway in try all() where identities[gateway.id] == nil {
            identities[gateway.id] = try Ed25519.VerifyingKey(gateway.identity)
        }
        return identities
    }

    /// Keeps a gateway, in place of one with the same id.
    package func write(_ gateway: EnrolledGateway, credential: [UInt8], codeKey: SymmetricKey) throws(VaultError) {
        try forgetEnd(of: gateway.id)
        let sealed = try keys.service.seal(codeKey.bytes, Self.claimKeyContext(gateway.id))
        try store.database.execute(
            """
            INSERT INTO gateways (gateway, owner, identity, credential, claim_key, household, enrolled_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (gateway) DO UPDATE SET
                owner = excluded.owner, identity = excluded.identity, credential = excluded.credential,
                claim_key = excluded.claim_key, household = excluded.household, enrolled_ms = excluded.enrolled_ms
            """,
            [
                .text(gateway.id.text), gateway.owner.map { .text($0.text) } ?? .null, .blob(gateway.identity),
                .blob(credential), .blob(sealed), .integer(gateway.isHousehold ? 1 : 0), .integer(gateway.enrolled),
            ])
    }

    /// Sets whether a gateway's owner sees its live readings; the broker must be told: see `BrokerRules`.
    /// - Returns: whether it is so now. Somebody who inherited a gateway cannot see them before it is enrolled again.
    package func setHousehold(_ isHousehold: Bool, of gateway: ID) throws(VaultError) -> Bool {
        let changed = try store.database.execute(
            "UPDATE gateways SET household = ? WHERE gateway = ? AND household <> ?",
            [.integer(isHousehold ? 1 : 0), .text(gateway.text), .integer(Self.passedOn)])
        return changed == 1 || !isHousehold
    }

    /// In the column "household": the owner inherited the gateway, and does not see its live readings.
    private static let passedOn: Int64 = -1

    /// Removes a gateway and all claims of its sensors; the broker must be told: see `EndedGateways`.
    /// - Returns: the sensors that were claimed.
    package func remove(_ gateway: EnrolledGateway) throws(VaultError) -> Set<SensorName> {
        let sensors = try Claims(store: store).sensors(at: gateway.id)
        for table in ["claims", "used_claim_codes", "gateways"] {
            try store.database.execute("DELETE FROM \(table) WHERE gateway = ?", [.text(gateway.id.text)])
        }
        try store.database.execute(
            "INSERT INTO ended_gateways (gateway) VALUES (?) ON CONFLICT (gateway) DO NOTHING", [.text(gateway.id.text)]
        )
        if let owner = gateway.owner { try setName(nil, of: gateway.id, by: owner) }
        return sensors
    }

    /// The people of whom something changes when a gateway is removed.
    package func people(at gateway: ID) throws(VaultError) -> Set<ID> {
        var people = try Claims(store: store).people(at: gateway)
        if let owner = try self.gateway(gateway)?.owner { people.insert(owner) }
        return people
    }

    /// The people of whom something changes when a person's claims end, and their gateways are taken from them.
    package func people(touchedByEnding owner: ID) throws(VaultError) -> Set<ID> {
        var people: Set = [owner]
        for gateway in try all(of: owner) { people.formUnion(try self.people(at: gateway.id)) }
        return people
    }

    /// Ends a person's claims and takes their gateways from them. A gateway is removed if nobody else has a claim on
    /// it. Otherwise it passes to the person with the oldest claim there, who does not see its live readings because of
    /// that, or to the operator if only the settings give sensors of it to people. Within a transaction.
    /// - Parameter given: the sensors that the settings give to people.
    /// - Returns: the sensors whose streams must be brought in line.
    package func endAll(of owner: ID, given: Set<SensorName>) throws(VaultError) -> Set<SensorName> {
        let claims = Claims(store: store)
        var sensors = try claims.sensors(of: owner)
        try store.database.execute("DELETE FROM claims WHERE person = ?", [.text(owner.text)])
        for gateway in try all(of: owner) {
            let heir = try claims.oldestClaimant(at: gateway.id)
            guard heir != nil || given.contains(where: { $0.gateway == gateway.id }) else {
                sensors.formUnion(try remove(gateway))
                continue
            }
            try setName(nil, of: gateway.id, by: owner)
            try store.database.execute(
                "UPDATE gateways SET owner = ?, household = ? WHERE gateway = ?",
                [.text(heir?.text), .integer(Self.passedOn), .text(gateway.id.text)])
        }
        return sensors
    }

    // MARK: Ends

    /// Gateways that were removed, and that the broker has still to forget.
    package func ended() throws(VaultError) -> [ID] {
        try store.database.query("SELECT gateway FROM ended_gateways ORDER BY gateway", row: Row.text)
            .compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } }
    }

    /// The broker has forgotten a gateway, or should not: there is one with this id again.
    package func forgetEnd(of gateway: ID) throws(VaultError) {
        try store.database.execute("DELETE FROM ended_gateways WHERE gateway = ?", [.text(gateway.text)])
    }

    /// What a gateway's claim codes are checked with; nil if there is no such gateway, or if no key can be agreed
    /// on with it: a gateway that was enrolled with such a key makes no codes.
    package func claimKeys(of gateway: ID) throws(VaultError) -> ClaimKeys? {
        let row = try store.database.first(
            "SELECT claim_key, identity FROM gateways WHERE gateway = ?", [.text(gateway.text)]
        ) { row throws(VaultError) in (sealed: try row.blob("claim_key"), identity: try row.blob("identity")) }
        guard let row else { return nil }
        let code = try SymmetricKey(keys.service.open(row.sealed, Self.claimKeyContext(gateway)))
        guard Self.canAgree(keys.identity, row.identity) else { return nil }
        return ClaimKeys(
            current: try ClaimKey.atConsumer(keys.identity, gateway: row.identity, codeKey: code), code: code)
    }

    /// Whether there is a secret between us and the owner of a public key.
    package static func canAgree(_ identity: Ed25519.SigningKey, _ gateway: [UInt8]) -> Bool {
        do throws(VaultError) { _ = try identity.sharedSecret(with: gateway) } catch { return false }
        return true
    }

    // MARK: Names

    package static let namesDocument = "gateway-names"

    /// What a person calls their gateways.
    package func names(by owner: ID) throws(VaultError) -> [String: String] {
        guard case .object(let members) = try documents.read(Self.namesDocument, of: owner) else { return [:] }
        var names: [String: String] = [:]
        for member in members { if case .string(let name) = member.value { names[member.name] = name } }
        return names
    }

    /// - Parameter name: nil takes it away.
    package func setName(_ name: String?, of gateway: ID, by owner: ID) throws(VaultError) {
        var names = try names(by: owner)
        guard names[gateway.text] != name else { return }
        names[gateway.text] = name
        let members = names.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) }
        try documents.write(.object(members), Self.namesDocument, of: owner)
    }

    /// What a gateway's key of claim codes is sealed to.
    package static func claimKeyContext(_ gateway: ID) -> RowContext { RowContext("claim key", gateway.text) }
}

extension EnrolledGateway {
    /// Nil if the row is damaged.
    fileprivate init?(_ row: borrowing Row) throws(VaultError) {
        let (id, owner) = (try row.text("gateway"), try row.textIfPresent("owner"))
        let ids = decoded { () throws(MalformedValue) in (id: try ID(id), owner: try owner.map(ID.init)) }
        guard let ids else { return nil }
        self.init(
            id: ids.id, owner: ids.owner, identity: try row.blob("identity"),
            isHousehold: try row.int("household") == 1,
            enrolled: try row.int("enrolled_ms"))
    }
}
