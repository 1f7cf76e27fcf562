import Records
import Telemetry

@testable import vitals_consumer

/// The doors of no service: what a feature asks of them is not done.
final class ClosedDoors: Doors, Sendable {
    static let all = ClosedDoors()

    func bringStreamsInLine(of sensors: Set<SensorName>) {}

    func isBeingForgotten(_ user: ID) -> Bool { false }

    func daysChanged(of users: Set<ID>) {}

    func gatewaysChanged() {}

    func gatewaysEnded() {}
}
