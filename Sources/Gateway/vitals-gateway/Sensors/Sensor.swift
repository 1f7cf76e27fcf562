// One sensor, from searching for it to listening to it.
//
//     searching ──seen──► connecting ──Connect answered──► resolving ──ServicesResolved──► (bonding) ──► ready
//         ▲                   │ failed                         │ too long                       │         │ link lost, silent
//         └────── waiting ◄───┴────────────────────────────────┴────────────────────────────────┴─────────┘
//
// All of it happens on the central's loop. A sensor never gives up: after a failure it waits, longer each time, and
// looks again. A device that BlueZ still knows is connected to without a scan; BlueZ itself then waits for it to
// advertise. SensorIdentity.swift decides which device it is, SensorStreams.swift handles what it streams,
// Silence.swift watches over it.

import Bluetooth
import Daemon
import Reactor
import Telemetry

/// A sensor that the gateway keeps. Belongs to the central's loop.
final class Sensor {
    enum Link {
        /// By request.
        case paused
        /// It is being forgotten.
        case leaving
        /// The central is not ready; its own state says what is missing.
        case idle
        case searching(Discovery.Token, EventLoop.Timer)
        case connecting
        case resolving(EventLoop.Timer)
        case bonding
        case ready
        case waiting(EventLoop.Timer)
    }

    /// If BlueZ has not found the services within this after a connection, something is wrong with it.
    private static let resolveLimit = Duration.seconds(30)
    /// How long each search takes for a device that nobody has seen yet: discovery takes the radio's time from links.
    private static let searchLimit = Duration.seconds(60)
    private static let searchPause = Duration.seconds(10)
    /// The pause between checks whether a link that was ended is gone.
    private static let dyingPause = Duration.milliseconds(500)

    let settings: SensorSettings
    /// Where its heart rates are published.
    let liveTopic: String
    unowned let register: SensorRegister
    let central: Central
    let announcer: Announcer
    let limitedLog: LimitedLog
    unowned let owner: any SensorOwner
    /// What is remembered about it. Change it with `remember`.
    var entry: SensorMemory.Entry
    var link = Link.idle
    /// The device as BlueZ last reported it; nil while there is none.
    private(set) var device: Device?
    var backoff = Backoff(first: .seconds(1), limit: .seconds(30))
    private(set) lazy var streams = SensorStreams(of: self)
    private lazy var silence = Silence(settings.silence, on: central.loop) { [unowned self] in isSilent($0, for: $1) }
    /// Whether it was announced that the sensor can be used: the other half of each `unavailable`.
    var isAvailable = false
    /// Rises with each try to connect: an answer to an earlier try does not count for this one.
    private var attempt = 0
    /// How many tries in a row have failed, and why the last one did.
    private var failures = 0
    var lastTrouble = "not looked for yet"
    let waiters = Waiters()
    /// The path of a device whose link was ended from here; it takes BlueZ two seconds.
    private var dying: String?
    /// Other devices with its name that were reported.
    var others: Set<String> = []
    /// Paths of devices that could not be connected to, while none is known by its address: an address that was changed
    /// since stays in BlueZ, and is never heard again.
    var unheard: Set<String> = []
    /// It was reported that several devices may be meant.
    var isAmbiguityTold = false
    /// It was reported that a pairing with it was refused.
    var isRefusalTold = false
    /// The number of links in a row that it ended at once although there is a bond.
    var bondRefusals = 0
    private(set) var characteristics: [Characteristic] = []
    lazy var details = SensorDetails(of: self)
    private(set) lazy var reads = SensorReads(of: self)

    init(_ settings: SensorSettings, _ entry: SensorMemory.Entry, in register: SensorRegister) {
        self.settings = settings
        self.entry = Self.checked(entry, settings)
        self.register = register
        (central, announcer, limitedLog) = (register.central, register.announcer, register.limitedLog)
        owner = register.owner
        liveTopic = register.announcer.topics[register.announcer.gateway, settings.id, .heartRate]
        if entry.isPaused { link = .paused }
        streams.onValue = { [unowned self] in heard() }
    }

    var isReady: Bool { if case .ready = link { true } else { false } }
    var isPaused: Bool { if case .paused = link { true } else { false } }
    var isLeaving: Bool { if case .leaving = link { true } else { false } }
    /// Whether it should be there, but is not.
    var isMissing: Bool { !isPaused && !isLeaving && !isAvailable }

    // MARK: What the central reports

    func centralChanged(to state: Central.State) {
        guard !isPaused, !isLeaving else { return }
        if state != .ready { dying = nil }
        guard state == .ready else { return reset(.idle, because: "\(state)") }
        if case .idle = link { look() }
    }

    func deviceChanged(_ newDevice: Device) {
        if newDevice.path == dying, !newDevice.isConnected { dying = nil }
        if newDevice.rssi != nil { unheard.remove(newDevice.path) }
        switch link {
        case .searching where recognises(newDevice) && newDevice.path != dying: return connect(to: newDevice)
        // BlueZ connects to bonded devices by itself, and so may other programs.
        case .waiting where newDevice.isConnected && recognises(newDevice) && newDevice.path != dying:
            return follow(newDevice)
        default: break
        }
        guard newDevice.path == device?.path else { return reportOther(newDevice) }
        let old = device
        device = newDevice
        switch link {
        case .resolving where newDevice.isConnected && newDevice.isResolved: becomeBonded()
        case .resolving where !newDevice.isConnected, .ready where !newDevice.isConnected,
            .bonding where !newDevice.isConnected:
            retry(because: "the link was lost")
        case .ready where newDevice.battery != old?.battery || newDevice.isBonded != old?.isBonded:
            recognised(newDevice)
            details.publish()
        default: break
        }
    }

    func deviceRemoved(_ removed: Device) {
        if removed.path == dying { dying = nil }
        unheard.remove(removed.path)
        guard removed.path == device?.path else { return }
        switch link {
        case .ready, .resolving, .bonding: retry(because: "BlueZ has forgotten the device")
        default: break  // The call that is under way fails by itself.
        }
    }

    // MARK: Connecting

    private func look() {
        if let known = best(of: central.devices) {
            guard known.path != dying else { return wait(Self.dyingPause) }
            return connect(to: known)
        }
        limitedLog.info("looking for \(settings.id)") {
            "sensor \(settings.id): looking for \(identification)\($0)"
        }
        lastTrouble = "\(identification) was not seen yet"
        let timer = central.loop.after(Self.searchLimit) { [weak self] in
            guard let self else { return }
            retry(because: "\(identification) was not seen", after: Self.searchPause)
        }
        link = .searching(central.discover(), timer)
    }

    /// Looks again after a while.
    private func wait(_ pause: Duration) {
        link = .waiting(
            central.loop.after(pause) { [weak self] in
                guard let self else { return }
                if central.state == .ready { look() } else { link = .idle }
            })
    }

    private func connect(to device: Device) {
        if case .searching(let token, let timer) = link {
            token.end()
            timer.cancel()
            announcer.tell(.found, about: settings.id, "Device Found", device: register.payload(of: device))
        }
        self.device = device
        link = .connecting
        attempt += 1
        central.connect(device) { [weak self, attempt] result in
            guard let self, case .connecting = link, attempt == self.attempt else { return }
            switch result {
            case .failure(let error) where error.name != "org.bluez.Error.AlreadyConnected":
                if error.isBondLost { linkWasRefused() }
                if entry.device == nil { unheard.insert(device.path) }
                retry(because: "\(error)")
            default: resolve()
            }
        }
    }

    /// Another program has connected it.
    private func follow(_ device: Device) {
        if case .waiting(let timer) = link { timer.cancel() }
        self.device = device
        attempt += 1
        resolve()
    }

    private func resolve() {
        if device?.isResolved == true { return becomeBonded() }
        link = .resolving(
            central.loop.after(Self.resolveLimit) { [weak self] in
                self?.retry(because: "its services were not found within \(Self.resolveLimit)")
            })
    }

    /// If the settings ask for a bond from the start; otherwise BlueZ makes one when a characteristic needs it.
    private func becomeBonded() {
        if case .resolving(let timer) = link { timer.cancel() }
        guard let device else { return }
        guard settings.bond == .always, !device.isBonded else { return becomeReady() }
        link = .bonding
        central.pair(device) { [weak self, attempt] result in
            guard let self, case .bonding = link, attempt == self.attempt else { return }
            switch result {
            case .success: becomeReady()
            case .failure(let error): retry(because: "\(error)")
            }
        }
    }

    private func becomeReady() {
        guard let device else { return }
        link = .ready
        characteristics = central.characteristics(of: device)
        guard !characteristics.isEmpty else { return retry(because: "BlueZ shows no characteristics of it") }
        subscribe()
    }

    private func subscribe() {
        streams.begin { [weak self, attempt] result in
            guard let self, isReady, attempt == self.attempt else { return }
            switch result {
            case .success: if !isAvailable { becomeAvailable() }
            case .failure(let error): retry(because: "\(error)")
            }
        }
    }

    private func becomeAvailable() {
        isAvailable = true
        (bondRefusals, isRefusalTold) = (0, false)
        if let device { recognised(device) }
        owner.available(self)
        if streams.speaksAtRest { silence.begin() } else { settled() }
        details.read()
        waiters.finish(nil)
    }

    /// It is connected and works: pauses are short again.
    private func settled() {
        backoff.reset()
        failures = 0
    }

    // MARK: The path of a heartbeat begins in SensorStreams, and passes here

    func measured(_ measurement: HeartRateMeasurement) { owner.measured(measurement, by: self) }

    func moved(_ value: Reading.Value, at moment: Moment) { owner.moved(value, at: moment, by: self) }

    func malformed(_ error: MalformedValue) { owner.malformed(error, from: self) }

    func publishLive(_ payload: [UInt8], _ topic: SensorTopic) {
        announcer.publishLive(payload, topic, of: settings.id)
    }

    /// Something has come, whether or not it could be read.
    private func heard() {
        owner.heard()
        silence.heard()
        if failures > 0 { settled() }
    }

    // MARK: Losing

    private func isSilent(_ remedy: Silence.Remedy, for time: Duration) {
        guard isReady else { return }
        switch remedy {
        case .subscribeAgain:
            limitedLog.notice("silent \(settings.id)") {
                "sensor \(settings.id): connected, and silent for \(time.rounded); subscribing again\($0)"
            }
            announcer.tell(.silent, about: settings.id, "connected, and silent for \(time.rounded)")
            streams.end()
            subscribe()
        case .reconnect: retry(because: "it is still silent")
        }
    }

    private func retry(because reason: String, after given: Duration? = nil) {
        let pause = given ?? backoff.next()
        failures += 1
        let line = reason.split(separator: "\n").joined(separator: " ")
        let words = "sensor \(settings.id): \(line); trying again in \(pause.rounded)"
        // A strap in a drawer fails every minute; for a strap that sends something in between, the count starts again.
        if failures & (failures - 1) == 0 {
            let tries = failures > 2 ? " (\(failures) tries)" : ""
            limitedLog.notice("\(failures) failures of \(settings.id)") { "\(words)\(tries)\($0)" }
        }
        if let device, device.isConnected { hangUp(device) }
        reset(.idle, because: reason)
        wait(pause)
    }

    /// Ends the link. The link stays for two more seconds, and must not be mistaken for one that another program has
    /// made.
    func hangUp(_ device: Device, completion: @escaping () -> Void = {}) {
        dying = device.path
        central.disconnect(device) { [weak self] _ in
            completion()
            // Connected=false follows the answer; if it does not, nothing else must wait for it.
            self?.central.loop.after(.seconds(1)) { if self?.dying == device.path { self?.dying = nil } }
        }
    }

    func reset(_ newLink: Link, because reason: String) {
        let wasAvailable = isAvailable
        isAvailable = false
        lastTrouble = reason
        switch link {
        case .searching(let token, let timer):
            token.end()
            timer.cancel()
        case .resolving(let timer), .waiting(let timer): timer.cancel()
        case .idle, .paused, .leaving, .connecting, .bonding, .ready: break
        }
        link = newLink
        device = nil
        characteristics = []
        silence.end()
        streams.end()
        reads.fail(with: ReplyError(.sensorOffline, "the sensor is not connected: \(reason)"))
        if wasAvailable { owner.unavailable(self, because: reason) }
    }

    /// Announces that it is not connected: the last run may not have done so. Call it before anything else.
    func announce() {
        announcer.announce(.offline, of: settings.id)
        if isPaused { details.publish() }
    }

    /// The gateway stops: waiting callers are told, and so is the household.
    func stop() {
        reset(.idle, because: "the gateway stops")
        waiters.finish(ReplyError(.sensorOffline, "the gateway stops", retryAfterSeconds: 30))
    }
}

extension Duration {
    /// For people: tenths of a second.
    var rounded: String {
        let tenths = components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
