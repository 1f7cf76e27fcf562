import Admission
import Telemetry

/// A roster that a test fills. Each password is its client's name.
// Proof of @unchecked: touched by the test only while nothing is under way, and else on the session's thread.
final class MadeUpRoster: Roster, @unchecked Sendable {
    private var allDevices: [BrokerDevice] = []
    private var allGateways: [BrokerGateway] = []

    func insert(device: String, of user: String) throws {
        allDevices.append(
            BrokerDevice(id: try ID(device), user: try ID(user), credential: try BrokerCredential(password: device)))
    }

    func insert(gateway: String, of user: String, isHousehold: Bool) throws {
        allGateways.append(
            BrokerGateway(
                id: try ID(gateway), owner: try ID(user), credential: try BrokerCredential(password: gateway),
                isHousehold: isHousehold))
    }

    func setHousehold(_ isHousehold: Bool, of gateway: String) {
        allGateways = allGateways.map {
            guard $0.id.text == gateway else { return $0 }
            return BrokerGateway(id: $0.id, owner: $0.owner, credential: $0.credential, isHousehold: isHousehold)
        }
    }

    func devices() -> [BrokerDevice] { allDevices }

    func enrolledGateways() -> [BrokerGateway] { allGateways }

    func devices(of user: ID) -> [ID] { allDevices.filter { $0.user == user }.map(\.id) }

    func households(of user: ID) -> [ID] { allGateways.filter { $0.owner == user && $0.isHousehold }.map(\.id) }
}
