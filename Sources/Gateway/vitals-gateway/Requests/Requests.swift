import MQTT
import Telemetry

/// Requests for steps and temperature: a value, or the reason why there is none.
///
/// They come in and are read on the gateway's loop; the reply leaves once the reading is on the disk.
extension RequestDesk {
    private static let usualRead = Duration.seconds(10)
    private static let longestRead = Duration.seconds(60)

    /// Handles what came at a topic of requests: it is answered, sooner or later.
    func receive(_ message: Message, for requests: GatewayRequests, _ music: MusicRequests) {
        guard let topic = topics.request(at: message.topic) else { return }
        switch topic {
        case .gateway(gateway, let name) where name.hasPrefix(MusicRequest.prefix):
            music.receive(message, topic, named: name, on: self)
        case .gateway(gateway, let name): requests.receive(message, topic, named: name, on: self)
        case .sensor(gateway, _, .stepsGet): read(message, topic, .steps, for: requests)
        case .sensor(gateway, _, .temperatureGet): read(message, topic, .temperature, for: requests)
        default: break
        }
    }

    private func read(
        _ message: Message, _ topic: RequestTopic, _ kind: SensorReads.Kind, for requests: GatewayRequests
    ) {
        guard case .sensor(_, let name, _) = topic else { return }
        // A text that is not an id names no sensor.
        let sensorID = try? ID(name)
        receive(message, topic, usual: Self.usualRead, longest: Self.longestRead) { task in
            guard let sensor = sensorID.flatMap({ requests.register.sensor($0) }) else {
                let words = "this gateway has no sensor \"\(name.prefix(64))\""
                return task.refuse(ReplyError(.unknownSensor, words, field: "sensor"))
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
