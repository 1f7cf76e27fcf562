import Telemetry

/// What happens with what sensors send. Only the gateway conforms to it. Called on the central's loop.
protocol SensorOwner: AnyObject {
    /// A sensor sent something by itself, whether or not it can be read.
    func heard()
    /// A heart rate has come.
    func measured(_ measurement: HeartRateMeasurement, by sensor: Sensor)
    /// A motion or a position has come.
    func moved(_ value: Reading.Value, at moment: Moment, by sensor: Sensor)
    /// What has come cannot be read.
    func malformed(_ error: MalformedValue, from sensor: Sensor)
    /// It can be used now.
    func available(_ sensor: Sensor)
    /// It can no longer be used: the other half of each `available`.
    func unavailable(_ sensor: Sensor, because reason: String)
    /// Keeps what was read; the completion is told, on another thread, whether it is on the disk.
    func keep(_ reading: Reading, of sensor: Sensor, flushed completion: @escaping @Sendable (Bool) -> Void)
}
