// Requests about the gateway itself: scan, connect, disconnect, forget, rename.

import Bluetooth
import MQTT
import Reactor
import Telemetry

/// Belongs to the gateway's loop.
final class GatewayRequests {
    private static let usualLimit = Duration.seconds(60)
    private static let longestLimit = Duration.seconds(300)
    /// How long to look for a device that nobody has seen yet.
    private static let searchLimit = Duration.seconds(20)
    /// A client that has gone leaves its scan running, so there may be more than one.
    private static let mostScans = 4

    let register: SensorRegister
    private let sensorsChanged: () -> Void
    private var central: Central { register.central }
    private var announcer: Announcer { register.announcer }
    /// The scans that are under way.
    private var scans: [Scan] = []
    /// Devices that are looked for, to be added.
    private var searches: [DeviceSearch] = []

    /// - Parameter sensorsChanged: called when a sensor was added or is gone.
    init(for register: SensorRegister, sensorsChanged: @escaping () -> Void) {
        (self.register, self.sensorsChanged) = (register, sensorsChanged)
    }

    /// A device was heard, or something about it has changed.
    func hear(_ device: Device) {
        for scan in scans { scan.hear(device) }
        for search in searches { search.hear(device) }
    }

    /// Bluetooth went away.
    func cancelScans(because reason: String) { for scan in scans { scan.cancel(because: reason) } }

    /// The gateway stops.
    func stop() {
        cancelScans(because: "the gateway stops")
        for search in searches { search.cancel() }
    }

    /// Receives a request.
    func receive(_ message: Message, _ topic: RequestTopic, named name: String, on desk: RequestDesk) {
        desk.receive(message, topic, usual: Self.usualLimit, longest: Self.longestLimit) { task in
            guard let request = GatewayRequest(rawValue: name) else {
                let words = "there is no request \"\(name.prefix(64))\""
                return task.refuse(ReplyError(.badRequest, words, field: "topic"))
            }
            begin(request, task)
        }
    }

    private func begin(_ request: GatewayRequest, _ task: RequestDesk.Task) {
        do throws(ReplyError) {
            switch request {
            case .scan: try scan(task)
            case .connect: try connect(task)
            case .disconnect: try disconnect(task)
            case .forget: try forget(task)
            case .rename: try rename(task)
            }
        } catch {
            task.refuse(error)
        }
    }

    // MARK: Each of them

    private func scan(_ task: RequestDesk.Task) throws(ReplyError) {
        let seconds = try Self.seconds(task.request)
        let services = try Self.services(task.request)
        try checkReady()
        guard scans.count < Self.mostScans else {
            let left = scans.map(\.secondsLeft).min() ?? 1
            throw ReplyError(.busy, "\(Self.mostScans) scans are under way", retryAfterSeconds: left)
        }
        let scan = Scan(
            seconds: seconds, services: services, register, completion: { task.answer($0) },
            onEnd: { [unowned self] scan in scans.removeAll { $0 === scan } })
        scans.append(scan)
        scan.begin()
    }

    private func connect(_ task: RequestDesk.Task) throws(ReplyError) {
        let id = try Self.id(task.request)
        let wanted = try Self.text(task.request, "device", 1...248)
        let name = try Self.text(task.request, "name", 1...64)
        if let id, let sensor = register.sensor(id), wanted == nil {
            return try resume(sensor, task)
        }
        guard let wanted else {
            if let id { throw Self.unknown(id) }
            throw ReplyError(.badRequest, "which device, or which sensor?", field: "device")
        }
        try checkReady()
        find(wanted, within: min(Self.beforeEnd(of: task.limit), Self.searchLimit)) { [self] device in
            do throws(ReplyError) {
                guard let device else {
                    let words = "no device \(wanted) was seen: is it nearby, awake, and not connected to a telephone?"
                    throw ReplyError(.unknownDevice, words, field: "device")
                }
                if let sensor = register.owner(of: device) {
                    guard id == nil || id == sensor.settings.id else {
                        let words = "\(device.address) is already the sensor \(sensor.settings.id)"
                        throw ReplyError(.badRequest, words, field: "sensor")
                    }
                    return try resume(sensor, task)
                }
                try checkRoom()
                let sensor = try register.add(
                    id ?? freeID(for: device), for: device, called: name)
                sensorsChanged()
                sensor.centralChanged(to: central.state)
                wait(for: sensor, task, orDrop: device)
            } catch {
                task.refuse(error)
            }
        }
    }

    private func resume(_ sensor: Sensor, _ task: RequestDesk.Task) throws(ReplyError) {
        try checkReady()
        guard !sensor.isLeaving else { throw Self.busyLeaving(sensor) }
        if sensor.isPaused { try checkRoom() }
        sensor.resume()
        wait(for: sensor, task)
    }

    /// - Parameter candidate: the device that the sensor was added for; it is not kept if it cannot be connected to,
    ///   because it may have been the wrong one. A bond that it had before stays.
    private func wait(for sensor: Sensor, _ task: RequestDesk.Task, orDrop candidate: Device? = nil) {
        sensor.whenAvailable(within: Self.beforeEnd(of: task.limit)) { [self] error in
            guard let error else {
                let data = JSON.object(present: [
                    "sensor": .string(sensor.settings.id.text), "name": .string(sensor.displayName),
                    "address": sensor.device.map { .string($0.address) }, "message": "Device Connected",
                ])
                return done(data, task)
            }
            if let candidate, !sensor.isLeaving { drop(sensor, withBond: !candidate.isBonded) { _ in } }
            task.refuse(error)
        }
    }

    private func disconnect(_ task: RequestDesk.Task) throws(ReplyError) {
        let sensor = try sensor(of: task)
        sensor.pause { [self] in done(sensor, "Device Disconnected", task) }
    }

    private func forget(_ task: RequestDesk.Task) throws(ReplyError) {
        let sensor = try sensor(of: task)
        // BlueZ keeps the bond.
        if sensor.entry.device?.isBonded == true { try checkReady() }
        drop(sensor, withBond: true) { [self] error in
            if let error { return task.refuse(error) }
            announcer.tell(.forgotten, about: sensor.settings.id, "Device Forgotten")
            done(sensor, "Device Forgotten", task)
        }
    }

    private func rename(_ task: RequestDesk.Task) throws(ReplyError) {
        let sensor = try sensor(of: task)
        guard let name = try Self.text(task.request, "name", 0...64) else {
            throw ReplyError(.badRequest, "which name should it have?", field: "name")
        }
        sensor.rename(name.isEmpty ? nil : name)
        announcer.tell(.renamed, about: sensor.settings.id, sensor.displayName)
        done(["sensor": .string(sensor.settings.id.text), "name": .string(sensor.displayName)], task)
    }

    /// Ends the link and the bond. A sensor of the settings is then looked for again; any other is gone. The completion
    /// is told why it failed.
    private func drop(_ sensor: Sensor, withBond: Bool, completion: @escaping (ReplyError?) -> Void) {
        let address = sensor.entry.device?.address ?? sensor.device?.address
        sensor.leave { [self] in
            guard withBond, let known = central.devices.first(where: { $0.address == address }) else {
                return finish(sensor, nil, completion)  // BlueZ has forgotten it by itself.
            }
            central.remove(known) { [self] result in
                if case .failure(let error) = result {
                    finish(sensor, error, completion)
                } else {
                    finish(sensor, nil, completion)
                }
            }
        }
    }

    private func finish(_ sensor: Sensor, _ error: BluetoothError?, _ completion: (ReplyError?) -> Void) {
        if let error, sensor.entry.device?.isBonded == true {
            sensor.remain(forgotten: false)
            return completion(ReplyError(.refused, "the bond is still there: \(error)", retryAfterSeconds: 30))
        }
        if sensor.entry.isAdded {
            register.remove(sensor)
            announcer.clear(sensor.settings.id)
            sensorsChanged()
        } else {
            sensor.remain(forgotten: true)
        }
        completion(nil)
    }

    // MARK: What they have in common

    /// The reply should leave before the asker has given up.
    private static func beforeEnd(of limit: Duration) -> Duration { max(limit / 2, limit - .milliseconds(500)) }

    private func done(_ sensor: Sensor, _ message: String, _ task: RequestDesk.Task) {
        done(["sensor": .string(sensor.settings.id.text), "message": .string(message)], task)
    }

    /// When the reply is read, what was requested already survives a power cut.
    private func done(_ data: JSON, _ task: RequestDesk.Task) { register.whenWritten { task.answer(.ok(data)) } }

    private static func unknown(_ id: ID) -> ReplyError {
        ReplyError(.unknownSensor, "this gateway has no sensor \(id)", field: "sensor")
    }

    private func sensor(of task: RequestDesk.Task) throws(ReplyError) -> Sensor {
        guard let id = try Self.id(task.request) else {
            throw ReplyError(.badRequest, "which sensor?", field: "sensor")
        }
        guard let sensor = register.sensor(id) else { throw Self.unknown(id) }
        guard !sensor.isLeaving else { throw Self.busyLeaving(sensor) }
        return sensor
    }

    private static func busyLeaving(_ sensor: Sensor) -> ReplyError {
        ReplyError(.busy, "\(sensor.settings.id) is being forgotten", retryAfterSeconds: 5)
    }

    private func checkReady() throws(ReplyError) {
        guard central.state == .ready else { throw ReplyError(.notReady, "\(central.state)", retryAfterSeconds: 30) }
    }

    private func checkRoom() throws(ReplyError) {
        guard !register.isFull else {
            let words =
                "\(register.mostConnected) sensors are already connected to: disconnect one, or raise bluetooth.sensors"
            throw ReplyError(.refused, words)
        }
    }

    /// The device with that address or name; it is looked for if BlueZ does not know it.
    private func find(_ wanted: String, within limit: Duration, completion: @escaping (Device?) -> Void) {
        func isWanted(_ device: Device) -> Bool {
            device.address.uppercased() == wanted.uppercased() || device.name == wanted
        }
        // One that was seen before may be away: those that are heard now come first.
        let known = central.devices.filter(isWanted)
        if let device = known.max(by: { ($0.rssi ?? -500) < ($1.rssi ?? -500) }) { return completion(device) }
        searches.append(
            DeviceSearch(central, isWanted, limit) { [unowned self] search, device in
                searches.removeAll { $0 === search }
                completion(device)
            })
    }

    /// An id made from the device's name, which no sensor has yet.
    private func freeID(for device: Device) -> ID {
        let letters = device.name.lowercased().unicodeScalars.map {
            $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) ? Character($0) : "-"
        }
        let words = String(letters).split(separator: "-").joined(separator: "-").prefix(30)
        let stem = words.isEmpty ? "sensor" : String(words)
        var number = 1
        while true {
            let text = number == 1 ? stem : "\(stem)-\(number)"
            if let id = try? ID(text), !register.isTaken(id) { return id }
            number += 1
        }
    }

    // MARK: Fields

    private static func id(_ request: Request) throws(ReplyError) -> ID? {
        guard let text = try text(request, "sensor", 1...36) else { return nil }
        do throws(MalformedValue) { return try ID(text) } catch {
            throw ReplyError(.badRequest, "\(error)", field: "sensor")
        }
    }

    private static func text(
        _ request: Request, _ field: String, _ length: ClosedRange<Int>
    ) throws(ReplyError) -> String? {
        switch request.fields[field] {
        case nil: return nil
        case .string(let text)
        where length.contains(text.utf8.count) && PlainText.isHarmless(text):
            return text
        default:
            let words = "a text of \(length.lowerBound) to \(length.upperBound) bytes is expected, \(PlainText.refused)"
            throw ReplyError(.badRequest, words, field: field)
        }
    }

    private static func seconds(_ request: Request) throws(ReplyError) -> Int {
        switch request.fields["seconds"] {
        case nil: return Scan.usualSeconds
        case .integer(let seconds) where Scan.allowedSeconds.contains(Int(clamping: seconds)): return Int(seconds)
        default:
            let words = "\(Scan.allowedSeconds.lowerBound) to \(Scan.allowedSeconds.upperBound) seconds are expected"
            throw ReplyError(.badRequest, words, field: "seconds")
        }
    }

    private static func services(_ request: Request) throws(ReplyError) -> Set<String> {
        guard let field = request.fields["services"] else { return Scan.usualServices }
        var services: Set<String> = []
        guard case .array(let values) = field, values.count <= 32 else {
            throw ReplyError(.badRequest, "a list of at most 32 services is expected", field: "services")
        }
        for value in values {
            guard case .string(let text) = value, let uuid = GATT.service(named: text) else {
                throw ReplyError(
                    .badRequest, "a service is a UUID or a name such as heart-rate", field: "services")
            }
            services.insert(uuid)
        }
        return services
    }
}

/// Waits until a device is heard, for a while. Belongs to the central's loop.
final class DeviceSearch {
    private let isWanted: (Device) -> Bool
    private let completion: (DeviceSearch, Device?) -> Void
    private var token: Discovery.Token?
    private var timer: EventLoop.Timer?

    init(
        _ central: Central, _ isWanted: @escaping (Device) -> Bool, _ limit: Duration,
        completion: @escaping (DeviceSearch, Device?) -> Void
    ) {
        (self.isWanted, self.completion) = (isWanted, completion)
        token = central.discover()
        timer = central.loop.after(limit) { [weak self] in self?.end(nil) }
    }

    func hear(_ device: Device) { if isWanted(device) { end(device) } }

    /// The gateway stops.
    func cancel() { end(nil) }

    private func end(_ device: Device?) {
        guard let token else { return }
        token.end()
        self.token = nil
        timer?.cancel()
        completion(self, device)
    }
}
