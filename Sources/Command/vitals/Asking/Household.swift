import Daemon
import MQTT
import Telemetry

/// What gateways have told the broker to retain, put together.
struct Household {
    /// A gateway, as far as it is known.
    struct Gateway {
        let id: ID
        var status: StatusPayload?
        var info: Result<GatewayInfoPayload, MalformedValue>?
        var health: Result<HealthPayload, MalformedValue>?
        /// `info` and `health` as they came.
        var raw: [GatewayTopic: JSON] = [:]
        /// In order of their ids.
        var sensors: [Sensor] = []

        var isOnline: Bool { status?.state == .online }
    }

    /// A sensor, as far as it is known.
    struct Sensor {
        let id: ID
        var availability: Availability?
        var info: SensorInfoPayload?
    }

    /// In order of their ids.
    private(set) var gateways: [Gateway] = []

    static let hint = "is it running, with this broker? systemctl status vitals-gateway"

    /// Filters for topics of the gateways that count.
    static func filters(_ call: Call, gateway: [GatewayTopic], sensor: [SensorTopic]) -> [String] {
        gateway.map { topic in call.gateway.map { call.topics[$0, topic] } ?? call.topics.everyGateway(topic) }
            + sensor.map { call.topics.everySensor(of: call.gateway, $0) }
    }

    /// What the messages say. What cannot be read is ignored.
    init(_ messages: [Message], _ topics: Topics) {
        for message in messages where !message.payload.isEmpty {
            guard case .gateway(let id, let topic) = topics.parse(message.topic) else { continue }
            Self.update(&gateways, id, make: Gateway.init(id:)) { $0.take(message.payload, topic) }
        }
    }

    /// Says in a sentence that no gateway is there.
    func nobody(_ call: Call) -> Failure {
        let who = call.gateway.map { "no gateway \($0)" } ?? "no gateway"
        return Failure(
            .unavailable, "there is \(who) at \(call.broker.address), below \(call.topics.root)", hint: Self.hint)
    }

    /// Changes the element with this id, which is made if there is none.
    fileprivate static func update<Element: Identifiable<ID>>(
        _ elements: inout [Element], _ id: ID, make: (ID) -> Element, change: (inout Element) -> Void
    ) {
        let place = elements.firstIndex { $0.id.text >= id.text } ?? elements.endIndex
        if place == elements.endIndex || elements[place].id != id { elements.insert(make(id), at: place) }
        change(&elements[place])
    }
}

extension Household.Gateway: Identifiable {
    init(id: ID) { self.init(id: id, status: nil) }

    fileprivate mutating func take(_ payload: [UInt8], _ topic: GatewayTopic) {
        switch topic {
        case .status: status = try? StatusPayload(payload: payload)
        case .info:
            info = decoded(payload)
            raw[topic] = try? JSON(payload: payload)
        case .health:
            health = decoded(payload)
            raw[topic] = try? JSON(payload: payload)
        case .sensor(let id, let topic):
            Household.update(&sensors, id, make: Household.Sensor.init(id:)) { sensor in
                switch topic {
                case .availability: sensor.availability = try? Availability(payload: payload)
                case .info: sensor.info = try? SensorInfoPayload(payload: payload)
                default: break
                }
            }
        default: break
        }
    }

    private func decoded<Value: Payload>(_ payload: [UInt8]) -> Result<Value, MalformedValue> {
        do throws(MalformedValue) { return .success(try Value(payload: payload)) } catch { return .failure(error) }
    }
}

extension Household.Sensor: Identifiable {
    init(id: ID) { self.init(id: id, availability: nil) }
}
