import Files
import Records
import Telemetry

@testable import Custody
@testable import Features
@testable import vitals_consumer

/// The doors of no service: what a feature asks of them is not done.
final class ClosedDoors: Doors, ForgettingDoors, Sendable {
    static let all = ClosedDoors()

    let givenSensors: Set<SensorName> = []

    func bringStreamsInLine(of sensors: Set<SensorName>) {}

    func settle(_ sensors: Set<SensorName>) throws(VaultError) {}

    func isBeingForgotten(_ user: ID) -> Bool { false }

    func forget(
        _ user: ID, keepingAccount: Bool, telling operation: String?,
        completion: @escaping @Sendable (Result<(tried: Int, opened: Int), VaultError>) -> Void
    ) {}

    func accountGone(_ user: ID, _ devices: [ID]) {}
}
