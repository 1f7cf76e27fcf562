// One sensor, from being looked for to being listened to.
//
//     searching ──seen──► connecting ──Connect answered──► resolving ──ServicesResolved──► ready
//         ▲                   │ failed                         │ too long                    │ link lost
//         └────── waiting ◄───┴────────────────────────────────┴─────────────────────────────┘
//
// All of it happens on the central's loop. A sensor never gives up: after a failure it waits, longer each time, and looks
// again. A device that BlueZ still knows is connected to without a scan; BlueZ itself then waits for it to advertise.

import Bluetooth
import Daemon
import Reactor
import Telemetry

/// A sensor of the settings. Belongs to the central's loop.
final class Sensor {
    private enum Link {
        /// The central is not ready; its own state says what is missing.
        case idle
        case searching(Discovery.Token)
        case connecting
        case resolving(EventLoop.Timer)
        case ready
        case waiting(EventLoop.Timer)
    }

    /// BlueZ has found the services within this after a connection, or something is wrong with it.
    private static let resolveLimit = Duration.seconds(30)

    let settings: SensorSettings
    /// Where its heart rates are published.
    let liveTopic: String
    let central: Central
    private unowned let gateway: Gateway
    private var link = Link.idle
    private var device: Device?
    private var backoff = Backoff(first: .seconds(1), limit: .seconds(60))
    private var heartRate: Subscription?
    /// It was told that the sensor can be used: the other half of each `unavailable`.
    private var isAvailable = false
    /// Rises with each connection that is tried: an answer to an earlier try is none to this one.
    private var attempt = 0
    private(set) var characteristics: [Characteristic] = []
    private lazy var details = SensorDetails(of: self)
    private(set) lazy var reads = SensorReads(of: self)

    init(_ settings: SensorSettings, _ central: Central, _ gateway: Gateway) {
        self.settings = settings
        liveTopic = gateway.settings.topics[gateway.settings.gateway, settings.id, .heartRate]
        self.central = central
        self.gateway = gateway
    }

    var isReady: Bool { if case .ready = link { true } else { false } }

    /// The bonded state, name and battery as BlueZ last told.
    var latestDevice: Device? { device }

    // MARK: What the central tells

    func centralChanged(to state: Central.State) {
        guard state == .ready else { return reset(.idle, because: "\(state)") }
        if case .idle = link { look() }
    }

    func deviceChanged(_ newDevice: Device) {
        if case .searching = link, settings.matches(newDevice) {
            gateway.tell(.found, about: self, "\(newDevice.name) \(newDevice.address)")
            return connect(to: newDevice)
        }
        guard newDevice.path == device?.path else { return }
        let batteryChanged = newDevice.battery != device?.battery
        device = newDevice
        switch link {
        case .resolving where newDevice.isConnected && newDevice.isResolved: becomeReady()
        case .resolving where !newDevice.isConnected, .ready where !newDevice.isConnected:
            retry(because: "the link was lost")
        case .ready where batteryChanged: details.publish()
        default: break
        }
    }

    func deviceRemoved(_ removed: Device) {
        guard removed.path == device?.path else { return }
        switch link {
        case .ready, .resolving: retry(because: "BlueZ has forgotten the device")
        default: break  // The call that is under way fails by itself.
        }
    }

    // MARK: Connecting

    private func look() {
        if let known = central.devices.first(where: settings.matches) { return connect(to: known) }
        log.info("sensor \(settings.id): looking for \(settings.identification)")
        link = .searching(central.discover(.init(pattern: settings.discoveryPattern)))
    }

    private func connect(to device: Device) {
        if case .searching(let token) = link { token.end() }
        self.device = device
        link = .connecting
        attempt += 1
        central.connect(device) { [weak self, attempt] result in
            guard let self, case .connecting = link, attempt == self.attempt else { return }
            switch result {
            case .failure(let error) where error.name != "org.bluez.Error.AlreadyConnected":
                retry(because: "\(error)")
            default: resolve()
            }
        }
    }

    private func resolve() {
        if device?.isResolved == true { return becomeReady() }
        link = .resolving(
            central.loop.after(Self.resolveLimit) { [weak self] in
                self?.retry(because: "its services were not found within \(Self.resolveLimit)")
            })
    }

    private func becomeReady() {
        if case .resolving(let timer) = link { timer.cancel() }
        guard let device else { return }
        link = .ready
        characteristics = central.characteristics(of: device)
        guard let measurement = characteristic(GATT.heartRateMeasurement), measurement.canNotify else {
            return becomeAvailable()
        }
        heartRate = central.subscribe(to: measurement, by: settings.notify) { [unowned self] value in
            receive(value)
        } completion: { [weak self, attempt] result in
            guard let self, isReady, attempt == self.attempt else { return }
            switch result {
            case .success: becomeAvailable()
            case .failure(let error): retry(because: "\(error)")
            }
        }
    }

    private func becomeAvailable() {
        backoff.reset()
        isAvailable = true
        gateway.available(self)
        details.read()
    }

    // MARK: The way of a heartbeat begins here

    private func receive(_ value: [UInt8]) {
        do throws(MalformedValue) {
            gateway.measured(try HeartRateMeasurement(gatt: value), by: self)
        } catch {
            gateway.malformed(error, from: self)
        }
    }

    // MARK: Losing

    private func retry(because reason: String) {
        let pause = backoff.next()
        log.notice("sensor \(settings.id): \(reason); trying again in \(pause.rounded)")
        let wasConnected = device?.isConnected ?? false
        if wasConnected, let device { central.disconnect(device) { _ in } }
        reset(
            .waiting(
                central.loop.after(pause) { [weak self] in
                    guard let self else { return }
                    if central.state == .ready { look() } else { link = .idle }
                }), because: reason)
    }

    private func reset(_ newLink: Link, because reason: String) {
        let wasAvailable = isAvailable
        isAvailable = false
        switch link {
        case .searching(let token): token.end()
        case .resolving(let timer), .waiting(let timer): timer.cancel()
        case .idle, .connecting, .ready: break
        }
        link = newLink
        device = nil
        characteristics = []
        heartRate?.end()
        heartRate = nil
        reads.fail(with: ReplyError(.sensorOffline, "the sensor is not connected: \(reason)"))
        if wasAvailable { gateway.unavailable(self, because: reason) }
    }

    /// The gateway stops: whoever waits for a read is told, and so is the household.
    func stop() { reset(.idle, because: "the gateway stops") }

    func characteristic(_ uuid: String) -> Characteristic? { characteristics.first { $0.uuid == uuid } }

    func publish(_ info: SensorInfoPayload) { gateway.publish(info, about: self) }

    /// Keeps what was read; the completion is told, on the outbox's thread, whether it is on the disk.
    func keep(_ reading: Reading, flushed completion: @escaping @Sendable (Bool) -> Void) {
        gateway.outbox.append(reading, from: settings.id, flushed: completion)
    }

    func failed(toRead what: String, _ error: ReplyError) {
        gateway.tell(.readFailed, about: self, "\(what): \(error.message)")
    }
}

extension Duration {
    /// For people: tenths of a second.
    var rounded: String {
        let tenths = components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
