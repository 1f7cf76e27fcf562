import Features
package import Files
package import Records
package import Telemetry

/// The doors of no service: what a feature asks of them is not done.
package final class ClosedDoors: Doors, Sendable {
    package static let all = ClosedDoors()

    package func bringStreamsInLine(of sensors: Set<SensorName>) {}

    package func settle(_ sensors: Set<SensorName>) throws(VaultError) {}

    package func record(_ reading: Reading, of sensor: ID) -> Bool { true }

    package func store(_ readings: [Reading], of sensor: ID, completion: @escaping @Sendable (_ lost: Int) -> Void) {
        completion(0)
    }

    package func isBeingForgotten(_ user: ID) -> Bool { false }
    package var peopleBeingForgotten: Set<ID> { [] }

    package func forget(
        _ user: ID, keepingAccount: Bool, telling operation: String?,
        completion: @escaping @Sendable (Result<(tried: Int, opened: Int, left: [String]), VaultError>) -> Void
    ) {}
}
