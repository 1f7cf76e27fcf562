package import Files
package import Telemetry

/// A device of a person, as far as the broker is concerned.
package struct BrokerDevice {
    package let id: ID
    package let user: ID
    package let credential: BrokerCredential

    package init(id: ID, user: ID, credential: BrokerCredential) {
        self.id = id
        self.user = user
        self.credential = credential
    }
}

/// A gateway that was enrolled with a code, as far as the broker is concerned.
package struct BrokerGateway {
    package let id: ID
    /// Nil if the operator has enrolled it.
    package let owner: ID?
    package let credential: BrokerCredential
    /// Whether its owner is its household.
    package let isHousehold: Bool

    package init(id: ID, owner: ID?, credential: BrokerCredential, isHousehold: Bool) {
        self.id = id
        self.owner = owner
        self.credential = credential
        self.isHousehold = isHousehold
    }
}

/// The people's devices and the enrolled gateways that the broker should let in. Damaged rows are left out: they let
/// nobody in. Belongs to the session's thread.
package protocol Roster {
    /// Every device of every person.
    func devices() throws(VaultError) -> [BrokerDevice]

    /// Every gateway that was enrolled with a code.
    func enrolledGateways() throws(VaultError) -> [BrokerGateway]

    /// A person's devices.
    func devices(of user: ID) throws(VaultError) -> [ID]

    /// The gateways that a person has enrolled for their household.
    func households(of user: ID) throws(VaultError) -> [ID]
}
