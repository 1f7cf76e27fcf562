import Daemon
import Telemetry

// Which gateway and which sensor a command is about: the one that was named, or the only one.

extension Household {
    /// The gateway that was named, or the only one; it has to be online.
    func theGateway(_ call: Call) throws(Failure) -> Gateway {
        // A gateway that has never published a status has at most left its sensors' topics behind.
        let known = gateways.filter { $0.status != nil }
        guard let gateway = known.first else { throw nobody(call) }
        guard known.count == 1 else {
            let names = known.map(\.id.text).joined(separator: ", ")
            throw Failure(
                .usage, "which gateway? At \(call.broker.address) there are \(names)", hint: "name it with --gateway ID"
            )
        }
        guard gateway.isOnline else {
            throw Failure(
                .unavailable, "gateway \(gateway.id) at \(call.broker.address) is offline", hint: Household.hint)
        }
        return gateway
    }
}

extension Household.Gateway {
    /// The only sensor.
    /// - Parameter command: what was typed, for the hint how to name one.
    func theOnlySensor(_ call: Call, _ command: String) throws(Failure) -> ID {
        let known = sensors.filter { $0.availability != nil }
        guard let sensor = known.first else {
            throw Failure(
                .unavailable, "gateway \(id) at \(call.broker.address) has no sensor",
                hint: "`vitals scan` shows those nearby, `vitals connect` adds one")
        }
        guard known.count == 1 else {
            let names = known.map(\.id.text).joined(separator: ", ")
            throw Failure(
                .usage, "which sensor? Gateway \(id) has \(names)", hint: "such as: vitals \(command) \(sensor.id)")
        }
        return sensor.id
    }

    /// Whether it has a sensor by that name.
    func has(_ sensor: ID) -> Bool { sensors.contains { $0.id == sensor && $0.availability != nil } }
}
