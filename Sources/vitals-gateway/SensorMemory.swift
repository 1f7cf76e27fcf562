import Daemon
import Telemetry
import Vault

/// What the gateway remembers of its sensors beyond the settings file, over restarts: which were added or disconnected by
/// request, what people call them, and which device each of them is.
struct SensorMemory: Payload {
    /// A device that was recognised, by an address that stays the same.
    struct KnownDevice: Codable, Hashable, Sendable {
        /// The identity address where there is a bond.
        var address: String
        /// The name that the device gives itself.
        var name: String
        var isBonded: Bool
    }

    /// What is remembered of one sensor.
    struct Entry: Codable, Hashable, Sendable {
        var id: String
        /// What people call it; nil where it has its own name only.
        var name: String?
        /// By request: it is not in the settings file.
        var isAdded = false
        /// By request: it is not to be connected to.
        var isPaused = false
        var device: KnownDevice?

        init(id: ID) { self.id = id.text }

        /// Whether there is nothing in it that would have to be remembered.
        var isEmpty: Bool { name == nil && !isAdded && !isPaused && device == nil }
    }

    var sensors: [Entry] = []
    /// The adapter was switched off by the gateway, which has to switch it on again.
    var isAdapterCycled = false

    init() {}

    var json: JSON {
        [
            "sensors": .array(sensors.map(\.json)), "isAdapterCycled": .bool(isAdapterCycled),
        ]
    }

    /// The file in the state folder.
    static func path(in state: String) -> String { "\(state)/sensors.json" }

    private static let longestFile = JSON.maximumLength

    /// What the file holds. A file that cannot be read is put aside, and said: sensors of the settings are then found anew.
    static func read(_ path: String) -> SensorMemory {
        do {
            guard let bytes = try SmallFile.read(path, atMost: longestFile) else { return SensorMemory() }
            return try SensorMemory(payload: bytes)
        } catch {
            let aside = path + ".damaged"
            log.error(
                "\(path) cannot be read (\(error)): put aside as \(aside); sensors that were added have to be added again"
            )
            do { try Folder.rename(path, to: aside) } catch { log.error("\(error)") }
            return SensorMemory()
        }
    }
}

extension SensorMemory.Entry {
    fileprivate var json: JSON {
        .object(present: [
            "id": .string(id), "name": name.map(JSON.string), "isAdded": .bool(isAdded), "isPaused": .bool(isPaused),
            "device": device.map { device in
                [
                    "address": .string(device.address), "name": .string(device.name),
                    "isBonded": .bool(device.isBonded),
                ]
            },
        ])
    }
}
