package import Admission
import Records
package import Storage
package import Telemetry

/// The roster that the broker's rules follow, from the tables of devices and of gateways.
extension Store: Roster {
    package func devices() throws(VaultError) -> [BrokerDevice] {
        try database.query("SELECT device, person, credential FROM devices", row: BrokerDevice.init).compactMap { $0 }
    }

    package func enrolledGateways() throws(VaultError) -> [BrokerGateway] {
        try database.query("SELECT gateway, owner, credential, household FROM gateways", row: BrokerGateway.init)
            .compactMap { $0 }
    }

    package func devices(of user: ID) throws(VaultError) -> [ID] {
        try ids("SELECT device FROM devices WHERE person = ? ORDER BY device", user)
    }

    package func households(of user: ID) throws(VaultError) -> [ID] {
        try ids("SELECT gateway FROM gateways WHERE owner = ? AND household = 1 ORDER BY gateway", user)
    }

    private func ids(_ sql: String, _ user: ID) throws(VaultError) -> [ID] {
        try database.query(sql, [.text(user.text)], row: Row.text).compactMap(identifier)
    }
}

extension BrokerDevice {
    /// Nil if the row is damaged.
    fileprivate init?(_ row: borrowing Row) throws(VaultError) {
        guard let id = identifier(try row.text("device")), let user = identifier(try row.text("person")),
            let credential = BrokerCredential(bytes: try row.blob("credential"))
        else { return nil }
        self.init(id: id, user: user, credential: credential)
    }
}

extension BrokerGateway {
    /// Nil if the row is damaged.
    fileprivate init?(_ row: borrowing Row) throws(VaultError) {
        let owner = try row.textIfPresent("owner")
        guard let id = identifier(try row.text("gateway")),
            let credential = BrokerCredential(bytes: try row.blob("credential"))
        else {
            return nil
        }
        self.init(
            id: id, owner: owner.flatMap(identifier), credential: credential, isHousehold: try row.int("household") != 0
        )
    }
}

private func identifier(_ text: String) -> ID? { decoded { () throws(MalformedValue) in try ID(text) } }
