import Daemon
import Files
import Telemetry

/// What the gateway remembers about its sensors beyond the settings file, across restarts: which were added or
/// disconnected by request, what people call them, and which device each of them is.
struct SensorMemory: Payload {
    /// A device that was recognised, by an address that stays the same.
    struct KnownDevice: Codable, Hashable, Sendable {
        /// The identity address if there is a bond.
        var address: String
        /// The name that the device gives itself.
        var name: String
        /// The name in the settings by which it was found.
        var soughtAs: String?
        var isBonded: Bool
    }

    /// What is remembered about one sensor.
    struct Entry: Codable, Hashable, Sendable {
        var id: String
        /// What people call it; nil if it has only its own name.
        var name: String?
        /// By request: it is not in the settings file.
        var isAdded = false
        /// The name by which to look for a sensor that was added and whose address changes.
        var soughtAs: String?
        /// By request: the gateway does not connect to it.
        var isPaused = false
        var device: KnownDevice?

        init(id: ID) { self.id = id.text }

        /// Fields that a later or earlier version did not write have their defaults.
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(String.self, forKey: .id)
            name = try container.decodeIfPresent(String.self, forKey: .name)
            isAdded = try container.decodeIfPresent(Bool.self, forKey: .isAdded) ?? false
            soughtAs = try container.decodeIfPresent(String.self, forKey: .soughtAs)
            isPaused = try container.decodeIfPresent(Bool.self, forKey: .isPaused) ?? false
            device = try container.decodeIfPresent(KnownDevice.self, forKey: .device)
        }

        /// Whether nothing in it needs to be remembered.
        var isEmpty: Bool { name == nil && !isAdded && !isPaused && device == nil }
    }

    var sensors: [Entry] = []
    /// The adapter was switched off by the gateway, which has to switch it on again.
    var isAdapterCycled = false

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        sensors = try container.decodeIfPresent([Entry].self, forKey: .sensors) ?? []
        isAdapterCycled = try container.decodeIfPresent(Bool.self, forKey: .isAdapterCycled) ?? false
    }

    private enum CodingKeys: String, CodingKey { case sensors, isAdapterCycled }

    var json: JSON {
        [
            "sensors": .array(sensors.map(\.json)), "isAdapterCycled": .bool(isAdapterCycled),
        ]
    }

    /// The file in the state folder.
    static let file = "sensors.json"
    static func path(in state: String) -> String { "\(state)/\(file)" }

    private static let longestFile = JSON.maximumLength

    /// What the file holds. A damaged file is put aside, and this is logged: sensors of the settings are then found
    /// again. Throws if it cannot be read at all.
    static func read(_ path: String) throws -> SensorMemory {
        do {
            guard let bytes = try SmallFile.read(path, atMost: longestFile) else { return SensorMemory() }
            return try SensorMemory(payload: bytes)
        } catch let error as MalformedValue {
            try putAside(path, because: "\(error)")
        } catch let error as VaultError where error.reason == .malformed {
            try putAside(path, because: "\(error)")
        }
        return SensorMemory()
    }

    private static func putAside(_ path: String, because reason: String) throws {
        let aside = path + ".damaged"
        try Folder.rename(path, to: aside)
        log.error("\(path): \(reason). It was put aside as \(aside); sensors that were added have to be added again")
    }
}

extension SensorMemory.Entry {
    fileprivate var json: JSON {
        .object(present: [
            "id": .string(id), "name": name.map(JSON.string), "isAdded": .bool(isAdded),
            "soughtAs": soughtAs.map(JSON.string), "isPaused": .bool(isPaused),
            "device": device.map { device in
                .object(present: [
                    "address": .string(device.address), "name": .string(device.name),
                    "soughtAs": device.soughtAs.map(JSON.string), "isBonded": .bool(device.isBonded),
                ])
            },
        ])
    }
}
