package import Records
package import Storage
package import Telemetry
import Vault

// Streams that were opened after the backup.
//
// A consumer restored from yesterday's backup does not know the streams of today: it answers their blocks with "not
// now", and asks for their keys. Gateways answer such a request with the key block, and hand back the grant that they
// hold: it is signed by this very consumer, so it is as good as a row here for saying whose stream that is. If the
// person's public key is known, the stream becomes a row again, as a closed one: what was sealed to it can be opened,
// and the settings still decide whose the sensor is now. A key that was made after the backup is lost, and so is what
// was sealed to it.

/// Judges grants that come back, within a transaction of the caller's.
package struct Adoption {
    package let store: Store
    package let keys: Keys

    package init(store: Store, keys: Keys) {
        self.store = store
        self.keys = keys
    }

    /// No grant is longer.
    package static let maximumLength = 1024

    /// What happened to a grant.
    package enum Outcome: Hashable {
        /// The stream is here already.
        case known
        /// The stream is here now.
        case adopted(StreamID)
        /// It is sealed to a secret that was forgotten.
        case forgotten
        /// The person's secret is not here.
        case keyIsLost(sensor: ID, StreamID)
        /// This consumer has not signed it for this gateway.
        case forged
    }

    /// - Parameter now: Unix milliseconds.
    func judge(_ payload: [UInt8], from gateway: ID, now: Int64) throws(VaultError) -> Outcome {
        guard let grant = try verified(payload, from: gateway)?.grant else { return .forged }
        if try store.isForgotten(grant.stream) { return .forgotten }
        if try store.stream(grant.stream) != nil { return .known }
        guard let owner = try keys.owner(of: grant.personPublicKey) else {
            return .keyIsLost(sensor: grant.sensor, grant.stream)
        }
        let latest = try store.latestSerial(of: SensorName(gateway: gateway, sensor: grant.sensor))
        // If the store has streams of the sensor, this one must not become the latest. If it has none, this is
        // the only one, and the gateway should hear that it has ended.
        let serial =
            latest == nil
            ? max(try store.nextSerial(now), Int64(clamping: grant.serial) &+ 1) : try store.pastSerial()
        try store.adopt(grant, gateway: gateway, owner, until: grant.until ?? max(now, grant.from), serial: serial)
        return .adopted(grant.stream)
    }

    /// The person to whom a grant gives its stream; nil if that is nobody who is known.
    func owner(_ payload: [UInt8], from gateway: ID) throws(VaultError) -> ID? {
        guard let grant = try verified(payload, from: gateway)?.grant,
            let owner = try keys.owner(of: grant.personPublicKey)
        else { return nil }
        return decoded { () throws(MalformedValue) in try ID(owner.user) }
    }

    /// A grant that this consumer has signed for this gateway, and the store that it came from; nil if it is none.
    package func verified(_ payload: [UInt8], from gateway: ID) throws(VaultError) -> (store: StoreID, grant: Grant)? {
        guard payload.count <= Self.maximumLength,
            let signed = decoded({ () throws(MalformedValue) in try SignedControlMessage(bytes: payload) }),
            case .grant(let grant) = signed.message.body, signed.message.gateway == gateway
        else { return nil }
        do {
            try Ed25519.VerifyingKey(keys.identity.publicKey).verify(signed.signature, of: signed.signedBytes)
        } catch {
            guard error.isUnreadable || error.reason == .crypto else { throw error }
            return nil
        }
        return (signed.message.store, grant)
    }
}

extension Store {
    /// The serial of a sensor's latest grant; nil if it never had one.
    package func latestSerial(of sensor: SensorName) throws(VaultError) -> Int64? {
        try database.first(
            "SELECT max(serial) FROM streams WHERE gateway = ? AND sensor = ?",
            [.text(sensor.gateway.text), .text(sensor.sensor.text)],
            row: Row.intIfPresent
        ).flatMap { $0 }
    }

    /// The serial of a gateway's latest grant, or where it never had one, of any; nil if there never was any.
    package func latestSerial(of gateway: ID) throws(VaultError) -> Int64? {
        let own = try database.first(
            "SELECT max(serial) FROM streams WHERE gateway = ?", [.text(gateway.text)], row: Row.intIfPresent)
        guard let latest = own.flatMap({ $0 }) else { return try latestSerial() }
        return latest
    }

    /// The serial of the latest grant of any sensor; nil if there never was one.
    package func latestSerial() throws(VaultError) -> Int64? {
        try database.first(
            "SELECT max(serial) FROM streams", row: Row.intIfPresent
        ).flatMap { $0 }
    }

    /// Less than every serial that a grant ever had.
    fileprivate func pastSerial() throws(VaultError) -> Int64 {
        min(0, try database.first("SELECT coalesce(min(serial), 0) FROM streams", row: Row.int) ?? 0) - 1
    }

    fileprivate func adopt(
        _ grant: Grant, gateway: ID, _ owner: Keys.PersonVersion, until: Int64, serial: Int64
    ) throws(VaultError) {
        let sql = """
            INSERT INTO streams (id, gateway, sensor, person, secret_version, kinds, from_ms, until_ms, serial)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        try database.execute(
            sql,
            [
                .blob(grant.stream.bytes), .text(gateway.text), .text(grant.sensor.text), .text(owner.user),
                .integer(owner.version), .integer(Int64(grant.kinds.rawValue)), .integer(grant.from), .integer(until),
                .integer(serial),
            ])
    }
}
