package import Records
package import Storage
package import Telemetry
package import Vault

/// What an enrolment code is for.
package struct Invitation: Equatable {
    /// The person who will own the gateway; nil for the operator.
    package var owner: ID?
    /// The owner's name for the gateway.
    package var name: String?
    /// Whether the owner sees its live readings.
    package var isHousehold = false
    /// The gateway's id in topics; nil lets us draw one.
    package var gateway: ID?

    package init(owner: ID? = nil, name: String? = nil, isHousehold: Bool = false, gateway: ID? = nil) {
        self.owner = owner
        self.name = name
        self.isHousehold = isHousehold
        self.gateway = gateway
    }
}

/// Enrolment codes that are out: rows of `codes`. Belongs to the thread of its store and keys.
package struct EnrolmentCodes {
    /// Why a code does not enrol.
    package enum Fault: Error {
        /// There is no such code, or the proof does not fit it.
        case wrong
        case expired
        /// Tried too often.
        case locked
    }

    package let store: Store
    package let keys: Keys

    package init(store: Store, keys: Keys) {
        self.store = store
        self.keys = keys
    }

    /// How long a code is good, in milliseconds.
    package static let lifetime: Int64 = 3_600_000
    /// How often a code can be tried.
    static let mostTries: Int64 = 5
    /// How many of a person's codes may be out at a time; another ends the oldest.
    private static let most = 5
    private static let purpose = "enrol"
    /// What is in `subject` for the operator; no id looks like this.
    private static let operatorsName = "*"

    /// Draws a code and keeps it. Within a transaction.
    package func make(_ invitation: Invitation, now: Int64) throws(VaultError) -> (code: EnrolmentCode, expires: Int64)
    {
        let code = try EnrolmentCode.random()
        let subject = invitation.owner?.text ?? Self.operatorsName
        let rows = CodeRows(store.database, purpose: Self.purpose)
        try rows.removeExpired(at: now)
        try rows.keep(Self.most - 1, of: subject)
        let secret = JSON.object(present: [
            "secret": .string(code.text), "name": invitation.name.map(JSON.string),
            "household": .bool(invitation.isHousehold), "gateway": invitation.gateway.map { .string($0.text) },
        ])
        let expires = now + Self.lifetime
        let sealed = try keys.service.seal(secret.bytes, Self.context(code.id, subject))
        try rows.insert(code.id, of: subject, secret: sealed, expires: expires)
        return (code, expires)
    }

    /// The code with that id, if the proof is right for it and for the gateway's key. Within a transaction: a wrong try
    /// is written down, which is why a fault is returned and not thrown. It stays good until it is removed.
    package func check(
        _ id: String, proof: [UInt8], gatewayKey: [UInt8], now: Int64
    ) throws(VaultError) -> Result<(EnrolmentCode, Invitation), Fault> {
        let row = try store.database.first(
            "SELECT subject, secret, expires_ms, tries FROM codes WHERE id = ? AND purpose = ?",
            [.text(id), .text(Self.purpose)]
        ) { row throws(VaultError) in
            (
                subject: try row.text("subject"), secret: try row.blob("secret"), expires: try row.int("expires_ms"),
                tries: try row.int("tries")
            )
        }
        guard let row else { return .failure(.wrong) }
        guard row.expires > now else {
            try remove(id)
            return .failure(.expired)
        }
        guard row.tries < Self.mostTries else { return .failure(.locked) }
        let opened = try keys.service.open(row.secret, Self.context(id, row.subject))
        guard let (code, invitation) = try Self.parse(opened, subject: row.subject) else { return .failure(.wrong) }
        guard isEqualInConstantTime(try code.requestProof(gatewayKey: gatewayKey), proof) else {
            try store.database.execute("UPDATE codes SET tries = tries + 1 WHERE id = ?", [.text(id)])
            return .failure(.wrong)
        }
        return .success((code, invitation))
    }

    /// Ends a code; false if it has ended already.
    @discardableResult
    package func remove(_ id: String) throws(VaultError) -> Bool {
        try store.database.execute("DELETE FROM codes WHERE id = ?", [.text(id)]) > 0
    }

    private static func parse(_ bytes: [UInt8], subject: String) throws(VaultError) -> (EnrolmentCode, Invitation)? {
        let fields = decoded { () throws(MalformedValue) in
            let json = try JSON(payload: bytes)
            var invitation = Invitation()
            if subject != operatorsName { invitation.owner = try ID(subject) }
            if case .string(let name) = json["name"] { invitation.name = name }
            if case .string(let gateway) = json["gateway"] { invitation.gateway = try ID(gateway) }
            invitation.isHousehold = json["household"] == true
            return (json, invitation)
        }
        guard let (json, invitation) = fields, case .string(let text) = json["secret"] else { return nil }
        return (try EnrolmentCode(text), invitation)
    }

    private static func context(_ id: String, _ subject: String) -> RowContext {
        RowContext("enrolment code", id, subject)
    }
}
