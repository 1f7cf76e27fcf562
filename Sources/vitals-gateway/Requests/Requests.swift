import Daemon
import MQTT
import Telemetry

/// Requests for steps and temperature: a value, or the reason why there is none.
///
/// They come in on the mqtt loop and are read on the dbus loop; the reply leaves once the reading is on the disk.
extension RequestDesk {
    private static let usualRead = Duration.seconds(10)
    private static let longestRead = Duration.seconds(60)

    /// Answers a request, sooner or later.
    func receive(_ message: Message, _ kind: SensorReads.Kind, of sensorID: ID, at gateway: Gateway) {
        let settings = gateway.settings
        let listed = settings.topics[
            settings.gateway, sensorID, kind == .steps ? .stepsResponse : .temperatureResponse]
        receive(message, listed: listed, usual: Self.usualRead, longest: Self.longestRead) { task in
            gateway.central.loop.perform {
                guard let sensor = gateway.register.sensor(sensorID) else {
                    return task.refuse(ReplyError(.unknownSensor, "this gateway has no sensor \(sensorID)"))
                }
                sensor.reads.read(kind, limit: task.limit) { result in
                    switch result {
                    case .failure(let error): task.refuse(error)
                    case .success(let reading): task.answer(Reply(reading).outcome)
                    }
                }
            }
        }
    }
}
