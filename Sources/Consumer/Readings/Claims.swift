package import Records
import Storage
package import Telemetry
package import Vault

/// Which person has claimed which sensor: rows of `claims`. Belongs to the thread of its store.
package struct Claims {
    package let store: Store

    package init(store: Store) {
        self.store = store
    }

    /// The people of the settings, and those who have claimed one of some sensors, or any. A sensor that the settings
    /// give to a person is theirs, even if somebody else has claimed it.
    package func people(
        _ settings: some HouseSettings, only some: Set<SensorName>? = nil
    ) throws(VaultError) -> [PersonSettings] {
        let given = settings.givenSensors
        var claimed: [PersonSettings] = []
        if let some {
            for sensor in some { if let claim = try claim(of: sensor) { claimed.append(claim) } }
        } else {
            claimed = try all()
        }
        return settings.people + claimed.filter { given.isDisjoint(with: $0.sensors) }
    }

    /// The person who has claimed a sensor; nil if nobody has.
    package func claim(of sensor: SensorName) throws(VaultError) -> PersonSettings? {
        try store.database.first(
            "SELECT gateway, sensor, person, kinds FROM claims WHERE gateway = ? AND sensor = ?",
            [.text(sensor.gateway.text), .text(sensor.sensor.text)], row: Self.person
        ).flatMap { $0 }
    }

    /// The sensors that a person has claimed.
    package func sensors(of user: ID) throws(VaultError) -> Set<SensorName> {
        let claims = try store.database.query(
            "SELECT gateway, sensor, person, kinds FROM claims WHERE person = ?", [.text(user.text)], row: Self.person)
        return Set(claims.compactMap { $0 }.flatMap(\.sensors))
    }

    /// The sensors of a gateway that are claimed.
    package func sensors(at gateway: ID) throws(VaultError) -> Set<SensorName> {
        let claims = try store.database.query(
            "SELECT gateway, sensor, person, kinds FROM claims WHERE gateway = ?", [.text(gateway.text)],
            row: Self.person
        )
        return Set(claims.compactMap { $0 }.flatMap(\.sensors))
    }

    /// The person who has claimed a sensor of a gateway for the longest time; nil if nobody has.
    func oldestClaimant(at gateway: ID) throws(VaultError) -> ID? {
        let user = try store.database.first(
            "SELECT person FROM claims WHERE gateway = ? ORDER BY claimed_ms, sensor LIMIT 1", [.text(gateway.text)],
            row: Row.text)
        return user.flatMap { text in decoded { () throws(MalformedValue) in try ID(text) } }
    }

    /// A person's claims, by the sensors' names; the time in Unix milliseconds.
    package func claims(of user: ID) throws(VaultError) -> [(sensor: SensorName, kinds: Grant.Kinds, time: Int64)] {
        let claims = try store.database.query(
            "SELECT gateway, sensor, person, kinds, claimed_ms FROM claims WHERE person = ? ORDER BY gateway, sensor",
            [.text(user.text)]
        ) { row throws(VaultError) in (claim: try Self.person(row), time: try row.int("claimed_ms")) }
        return claims.compactMap { claim, time in
            claim.flatMap { claim in claim.sensors.first.map { ($0, claim.kinds, time) } }
        }
    }

    /// Everybody who has claimed a sensor of a gateway.
    package func people(at gateway: ID) throws(VaultError) -> Set<ID> {
        let names = try store.database.query(
            "SELECT DISTINCT person FROM claims WHERE gateway = ?", [.text(gateway.text)], row: Row.text)
        return Set(names.compactMap { name in decoded { () throws(MalformedValue) in try ID(name) } })
    }

    /// Gives a sensor to a person, no matter who had it before.
    package func write(_ sensor: SensorName, _ user: ID, _ kinds: Grant.Kinds, now: Int64) throws(VaultError) {
        try store.database.execute(
            """
            INSERT INTO claims (gateway, sensor, person, kinds, claimed_ms) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (gateway, sensor) DO UPDATE SET
                person = excluded.person, kinds = excluded.kinds, claimed_ms = excluded.claimed_ms
            """,
            [
                .text(sensor.gateway.text), .text(sensor.sensor.text), .text(user.text),
                .integer(Int64(kinds.rawValue)), .integer(now),
            ])
    }

    /// Has what a person has agreed to recorded by all sensors that they have claimed, by their phones and from their
    /// files; the streams follow when they are settled.
    package func setKinds(_ recorded: RecordedKinds, of user: ID) throws(VaultError) {
        let kinds = try recorded.kinds(of: user)
        let (ofPhones, ofImports) = (try recorded.kindsOfPhones(of: user), try recorded.kindsOfImports(of: user))
        let prefix = OwnGateway.importPrefix
        try store.database.execute(
            """
            UPDATE claims SET kinds = CASE WHEN gateway <> ? THEN ? WHEN substr(sensor, 1, ?) = ? THEN ? ELSE ? END
            WHERE person = ?
            """,
            [
                .text(OwnGateway.name), .integer(Int64(kinds.rawValue)), .integer(prefix.count), .text(prefix),
                .integer(Int64(ofImports.rawValue)), .integer(Int64(ofPhones.rawValue)), .text(user.text),
            ])
    }

    /// Ends a claim.
    package func remove(_ sensor: SensorName) throws(VaultError) {
        try store.database.execute(
            "DELETE FROM claims WHERE gateway = ? AND sensor = ?",
            [.text(sensor.gateway.text), .text(sensor.sensor.text)])
    }

    /// Writes down that a code was used; false if it was used before. Codes of windows that are no longer accepted
    /// are forgotten.
    package func use(_ code: ClaimCode, _ window: Int64, for sensor: SensorName) throws(VaultError) -> Bool {
        try store.database.execute("DELETE FROM used_claim_codes WHERE slot < ?", [.integer(window - 3)])
        let name: [Value] = [.text(sensor.gateway.text), .text(sensor.sensor.text)]
        let isKnown = try store.database.first(
            "SELECT 1 FROM used_claim_codes WHERE gateway = ? AND sensor = ? AND slot = ? AND nonce = ?",
            name + [.integer(window), .integer(Int64(code.nonce))], row: Row.int)
        guard isKnown == nil else { return false }
        try store.database.execute(
            "INSERT INTO used_claim_codes (gateway, sensor, slot, nonce) VALUES (?, ?, ?, ?)",
            name + [.integer(window), .integer(Int64(code.nonce))])
        return true
    }

    private func all() throws(VaultError) -> [PersonSettings] {
        try store.database.query("SELECT gateway, sensor, person, kinds FROM claims", row: Self.person).compactMap {
            $0
        }
    }

    private static func person(_ row: borrowing Row) throws(VaultError) -> PersonSettings? {
        let (gateway, sensor, user) = (try row.text("gateway"), try row.text("sensor"), try row.text("person"))
        let kinds = Grant.Kinds(rawValue: UInt8(truncatingIfNeeded: try row.int("kinds")))
        return decoded { () throws(MalformedValue) in
            let name = SensorName(gateway: try ID(gateway), sensor: try ID(sensor))
            return PersonSettings(user: try ID(user), sensors: [name], kinds: kinds)
        }
    }
}
