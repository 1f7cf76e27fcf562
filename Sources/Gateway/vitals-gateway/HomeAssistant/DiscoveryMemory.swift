import Daemon
import Files
import Telemetry

/// What Home Assistant was told, across restarts: whoever starts with other settings has to take it back, and a sensor that is
/// not connected yet should look as it did.
struct DiscoveryMemory: Payload {
    /// Where it was told: these two and the sensors' ids make the topics. Nil if nothing was told.
    var prefix: String?
    var gateway: String?
    /// What was told, by the sensors' ids.
    var sensors: [DiscoveredSensor] = []
    /// Topics that have to be emptied, and may not be yet.
    var leftovers: Set<String> = []

    /// No more are kept, if the broker never lets them be emptied. That is more than all sensors, and the file can be read.
    static let mostLeftovers = 192

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        prefix = try container.decodeIfPresent(String.self, forKey: .prefix)
        gateway = try container.decodeIfPresent(String.self, forKey: .gateway)
        sensors = try container.decode([DiscoveredSensor].self, forKey: .sensors)
        leftovers = Set(try container.decode([String].self, forKey: .leftovers))
    }

    private enum CodingKeys: String, CodingKey { case prefix, gateway, sensors, leftovers }

    var json: JSON {
        .object(present: [
            "prefix": prefix.map(JSON.string), "gateway": gateway.map(JSON.string),
            "sensors": .array(sensors.map(\.json)), "leftovers": .array(leftovers.sorted().map(JSON.string)),
        ])
    }

    subscript(id: ID) -> DiscoveredSensor? {
        get { sensors.first { $0.id == id } }
        set {
            sensors.removeAll { $0.id == id }
            if let newValue { sensors.append(newValue) }
            sensors.sort { $0.id.text < $1.id.text }
        }
    }

    /// The topic has to be emptied.
    mutating func leave(_ topic: String) {
        if leftovers.count < Self.mostLeftovers { leftovers.insert(topic) }
    }

    /// What was told until now has to be taken back, unless it was told there.
    mutating func move(to topics: HomeAssistantTopics?, _ gateway: ID) {
        guard prefix != topics?.prefix || self.gateway != gateway.text else { return }
        if let text = prefix, let old = try? HomeAssistantTopics(prefix: text),
            let oldGateway = self.gateway.flatMap({ try? ID($0) })
        {
            leave(old.device(oldGateway))
            for sensor in sensors { leave(old.device(oldGateway, sensor.id)) }
        }
        (prefix, self.gateway) = topics.map { ($0.prefix, gateway.text) } ?? (nil, nil)
        if topics == nil { sensors = [] }
    }

    /// The file in the state folder.
    static let file = "home-assistant.json"

    /// What the file holds. A damaged file is logged: what it named stays at the broker until somebody empties it.
    static func read(_ path: String) throws -> DiscoveryMemory {
        do {
            guard let bytes = try SmallFile.read(path, atMost: JSON.maximumLength) else { return DiscoveryMemory() }
            return try DiscoveryMemory(payload: bytes)
        } catch let error as MalformedValue {
            log.error("\(path): \(error). Devices of Home Assistant that are gone may have to be deleted there")
        } catch let error as VaultError where error.reason == .malformed {
            log.error("\(path): \(error). Devices of Home Assistant that are gone may have to be deleted there")
        }
        return DiscoveryMemory()
    }
}
