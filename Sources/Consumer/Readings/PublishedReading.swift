import Telemetry

extension Reading {
    /// The reading as gateways publish it.
    package var published: [UInt8] {
        if case .heartRate(let measurement) = value {
            return HeartRatePayload.bytes(measurement, at: moment.wall)
        }
        guard case .ok(let data) = Reply(self).outcome else { return [] }
        return data.bytes
    }
}
