public import Telemetry

// The topics of gateways and of consumers, spelt by `Topics`: the ids that stand for parameters are replaced by the
// parameters' names. A topic that is added there does not compile until it is described here.

extension Channel {
    /// All topics that are not a person's.
    public static func gateways(_ topics: Topics) throws(MalformedValue) -> [Channel] {
        let (gateway, sensor) = (try ID("the-gateway"), try ID("the-sensor"))
        let spelt = { (topic: Topic) in
            topics[topic].split(separator: "/", omittingEmptySubsequences: false)
                .map { $0 == "the-gateway" ? "{gateway}" : $0 == "the-sensor" ? "{sensor}" : $0 }
                .joined(separator: "/")
        }
        let plain: [GatewayTopic] = [.status, .info, .health, .events, .blocks, .live, .control, .grants, .music]
        let requests: [GatewayTopic] = try GatewayRequest.allCases.map { name throws(MalformedValue) in
            .request(try ID(name.rawValue))
        }
        let music = MusicRequest.allCases.map(GatewayTopic.musicRequest)
        let sensors = SensorTopic.allCases.map { GatewayTopic.sensor(sensor, $0) }
        let described = (plain + sensors + requests + music).compactMap { topic in
            channel(topic) { spelt(.gateway(gateway, $0)) }
        }
        let consumer = Channel(
            "\(topics.root)/stores/{store}/consumers/{instance}", .send, qos: 1, isRetained: true,
            "whether the consumer of a store is there; also its will", .json(Schemas.status))
        return described + [consumer]
    }

    private static func channel(_ topic: GatewayTopic, _ spelt: (GatewayTopic) -> String) -> Channel? {
        let address = spelt(topic)
        func sent(_ words: String, qos: Int = 1, isRetained: Bool = false, _ content: Content) -> Channel {
            Channel(address, .send, qos: qos, isRetained: isRetained, words, content)
        }
        switch topic {
        case .status:
            return sent("whether the gateway is there; also its will", isRetained: true, .json(Schemas.status))
        case .info: return sent("what the gateway is", isRetained: true, .json(Schemas.gatewayInfo))
        case .health: return sent("counters; expires after 90 s", isRetained: true, .json(Schemas.health))
        case .events: return sent("what happens", .json(Schemas.event))
        case .blocks: return sent("a sealed block, to the consumer", .binary)
        case .live: return sent("a sealed reading, to the consumer", qos: 0, .binary)
        case .control: return sent("acknowledgements and the like, signed by the consumer", .binary)
        case .grants: return sent("a grant that is handed back to the consumer", .binary)
        case .music: return sent("what is played in the house", isRetained: true, .json(Schemas.music))
        case .musicRequest(let request):
            let (fields, reply) = Schemas.request(request)
            return Channel(
                address, .receive, qos: 1, "a request about the music in the house", .json(fields),
                reply: Reply(
                    address: spelt(.response("\(MusicRequest.prefix)\(request.rawValue)")), schema: reply),
                maximumLength: Request.maximumLength)
        case .request(let name):
            guard let request = GatewayRequest(rawValue: name.text) else { return nil }
            let (fields, reply) = Schemas.request(request)
            return Channel(
                address, .receive, qos: 1, "a request about the gateway itself", .json(fields),
                reply: Reply(address: spelt(.response(name.text)), schema: reply),
                maximumLength: Request.maximumLength)
        // Where replies come is said with the requests.
        case .response: return nil
        case .sensor(let sensor, let topic): return channel(sensor, topic, address, spelt)
        }
    }

    private static func channel(
        _ sensor: ID, _ topic: SensorTopic, _ address: String, _ spelt: (GatewayTopic) -> String
    ) -> Channel? {
        func sent(_ words: String, qos: Int = 0, isRetained: Bool = false, _ content: Content) -> Channel {
            Channel(address, .send, qos: qos, isRetained: isRetained, words, content)
        }
        func asked(_ words: String, _ schema: PayloadSchema) -> Channel {
            Channel(
                address, .receive, qos: 1, words, .json(Schemas.request),
                reply: Reply(address: topic.response.map { spelt(.sensor(sensor, $0)) }, schema: schema),
                maximumLength: Request.maximumLength)
        }
        switch topic {
        case .info: return sent("what a sensor is", qos: 1, isRetained: true, .json(Schemas.sensorInfo))
        case .availability:
            return sent("whether a sensor can be used", qos: 1, isRetained: true, .text(Schemas.availability))
        case .heartRate: return sent("heart rates as they are measured", .json(Schemas.heartRate))
        case .running: return sent("running and walking as they are measured", .json(Schemas.running))
        case .cycling: return sent("cycling as it is measured", .json(Schemas.cycling))
        case .stepsGet: return asked("asks for the steps", Schemas.stepsReply)
        case .temperatureGet: return asked("asks for the temperature", Schemas.temperatureReply)
        case .stepsResponse, .temperatureResponse: return nil
        case .grant:
            return sent("whose stream the sensor is, signed by the consumer", qos: 1, isRetained: true, .binary)
        }
    }
}
