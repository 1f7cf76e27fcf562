import Telemetry
import Vault

/// Whose sensor is whose by claiming: rows of `claims`. Belongs to the thread of its store.
struct Claims {
    let store: Store

    /// The people of the settings, and those who have claimed one of some sensors, or any. What the settings give to
    /// somebody is theirs, whoever has claimed it.
    func people(_ settings: ConsumerSettings, only some: Set<SensorName>? = nil) throws(VaultError) -> [PersonSettings]
    {
        let given = Set(settings.people.flatMap(\.sensors))
        var claimed: [PersonSettings] = []
        if let some {
            for sensor in some { if let claim = try claim(of: sensor) { claimed.append(claim) } }
        } else {
            claimed = try all()
        }
        return settings.people + claimed.filter { given.isDisjoint(with: $0.sensors) }
    }

    /// Who has claimed a sensor; nil where nobody has.
    func claim(of sensor: SensorName) throws(VaultError) -> PersonSettings? {
        try store.database.first(
            "SELECT gateway, sensor, user, kinds FROM claims WHERE gateway = ? AND sensor = ?",
            [.text(sensor.gateway.text), .text(sensor.sensor.text)], row: Self.person
        ).flatMap { $0 }
    }

    /// The sensors that a person has claimed.
    func sensors(of user: ID) throws(VaultError) -> Set<SensorName> {
        let claims = try store.database.query(
            "SELECT gateway, sensor, user, kinds FROM claims WHERE user = ?", [.text(user.text)], row: Self.person)
        return Set(claims.compactMap { $0 }.flatMap(\.sensors))
    }

    private func all() throws(VaultError) -> [PersonSettings] {
        try store.database.query("SELECT gateway, sensor, user, kinds FROM claims", row: Self.person).compactMap { $0 }
    }

    private static func person(_ row: borrowing Row) throws(VaultError) -> PersonSettings? {
        let (gateway, sensor, user) = (try row.text(0), try row.text(1), try row.text(2))
        let kinds = Grant.Kinds(rawValue: UInt8(truncatingIfNeeded: try row.int(3)))
        return decoded { () throws(MalformedValue) in
            let name = SensorName(gateway: try ID(gateway), sensor: try ID(sensor))
            return PersonSettings(user: try ID(user), sensors: [name], kinds: kinds)
        }
    }
}
