import Bluetooth
import Daemon
import Files
import Telemetry

/// The sensors that the gateway keeps: those of the settings, and those that were added by request. What is remembered
/// about them is stored at each change.
///
/// Belongs to the central's loop.
final class SensorRegister {
    /// Its sensors use it, too.
    let central: Central
    let announcer: Announcer
    /// Messages that a device or BlueZ can cause go here.
    let limitedLog: LimitedLog
    unowned let owner: any SensorOwner
    /// How many sensors to connect to at a time.
    let mostConnected: Int
    /// What is no sensor of this register has this id, if there is one.
    private let reserved: ID?
    private let path: String
    /// Runs work that writes to the disk, on a thread that may wait for it.
    private let perform: (@escaping @Sendable () -> Void) -> Void
    /// Messages that requests can cause go here.
    private let requestLog = LimitedLog()
    private var memory: SensorMemory
    private var sensors: [ID: Sensor] = [:] {
        didSet { all = sensors.values.sorted { $0.settings.id.text < $1.settings.id.text } }
    }
    /// By their ids. Everything that is heard on the air goes through it.
    private(set) var all: [Sensor] = []

    /// - Parameters:
    ///   - state: the folder in which they are remembered.
    ///   - reserved: an id that no sensor may get.
    ///   - perform: runs work that waits for the disk, in order.
    init(
        in state: String, atMost mostConnected: Int, without reserved: ID?, of owner: any SensorOwner,
        on central: Central,
        telling announcer: Announcer, logging limitedLog: LimitedLog,
        writing perform: @escaping (@escaping @Sendable () -> Void) -> Void
    ) throws {
        self.mostConnected = mostConnected
        self.reserved = reserved
        self.owner = owner
        self.central = central
        self.announcer = announcer
        self.limitedLog = limitedLog
        self.perform = perform
        path = SensorMemory.path(in: state)
        memory = try SensorMemory.read(path)
    }

    /// Makes the sensors at the start: these, and those that were added.
    func open(_ configured: [SensorSettings]) {
        for settings in configured {
            var entry = memory.sensors.first { $0.id == settings.id.text } ?? SensorMemory.Entry(id: settings.id)
            // It was added by request, and has been written into the settings since.
            (entry.isAdded, entry.soughtAs) = (false, nil)
            sensors[settings.id] = Sensor(settings, entry, in: self)
        }
        for entry in memory.sensors where entry.isAdded {
            guard let id = try? ID(entry.id), !isTaken(id), let settings = SensorSettings(added: entry, id) else {
                continue
            }
            var entry = entry
            if isFull, !entry.isPaused {
                log.warning(
                    "sensor \(id): bluetooth.sensors is \(mostConnected), so it is not connected to")
                entry.isPaused = true
            }
            sensors[id] = Sensor(settings, entry, in: self)
        }
        for sensor in all { sensor.announce() }
    }

    func sensor(_ id: ID) -> Sensor? { sensors[id] }

    /// Whether a new sensor needs another id.
    func isTaken(_ id: ID) -> Bool { sensors[id] != nil || id == reserved }

    /// The sensor that a device is, or is taken for.
    func holder(of device: Device) -> Sensor? { all.first { $0.has(device) } }

    /// That sensor, or the one that the settings mean by this device.
    func owner(of device: Device) -> Sensor? { holder(of: device) ?? all.first { $0.means(device) } }

    /// Whether we already connect to as many as allowed.
    var isFull: Bool { sensors.values.count { !$0.isPaused } >= mostConnected }

    /// How many are remembered, including paused ones.
    private static let most = 64

    /// Adds a sensor by request, for a device that was seen.
    func add(_ id: ID, for device: Device, called name: String?) throws(ReplyError) -> Sensor {
        guard !isTaken(id) else {
            throw ReplyError(.badRequest, "there is already a sensor \(id)", field: "sensor")
        }
        guard sensors.count < Self.most else {
            throw ReplyError(.refused, "\(Self.most) sensors are already remembered: forget one")
        }
        var entry = SensorMemory.Entry(id: id)
        entry.isAdded = true
        entry.name = name
        if device.hasStableAddress {
            entry.device = SensorMemory.KnownDevice(
                address: device.address, name: device.name, isBonded: device.isBonded)
        } else if !device.name.isEmpty {
            entry.soughtAs = device.name
        }
        guard let settings = SensorSettings(added: entry, id) else {
            throw ReplyError(.badRequest, "the device has neither a name nor an address that stays", field: "device")
        }
        let sensor = Sensor(settings, entry, in: self)
        sensors[id] = sensor
        save(entry)
        return sensor
    }

    /// Forgets a sensor that was added by request.
    func remove(_ sensor: Sensor) {
        guard sensors[sensor.settings.id] === sensor else { return }
        sensors[sensor.settings.id] = nil
        memory.sensors.removeAll { $0.id == sensor.settings.id.text }
        write()
    }

    /// Remembers something about a sensor.
    func save(_ entry: SensorMemory.Entry) {
        guard memory.sensors.first(where: { $0.id == entry.id }) != entry else { return }
        memory.sensors.removeAll { $0.id == entry.id }
        if !entry.isEmpty { memory.sensors.append(entry) }
        write()
    }

    /// Whether the gateway has switched the adapter off, and not on again yet.
    var isAdapterCycled: Bool {
        get { memory.isAdapterCycled }
        set {
            guard newValue != memory.isAdapterCycled else { return }
            memory.isAdapterCycled = newValue
            write()
        }
    }

    /// Calls back, on another thread, when all changes until now are on the disk, or the failure was logged.
    func whenWritten(_ completion: @escaping @Sendable () -> Void) { perform(completion) }

    private func write() {
        let (path, bytes) = (path, memory.bytes)
        perform { [requestLog] in
            do { try SmallFile.replace(path, with: bytes) } catch {
                requestLog.error("not written") {
                    "the list of sensors could not be written to the disk\($0): \(error)"
                }
            }
        }
    }
}
